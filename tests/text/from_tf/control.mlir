// CASE: If takes its branches from functions
// RUN: from-tf
^bb(%c_0: tensor<i1>, %x_0: tensor<2x3xf32>):
  %y = "tf.If"(%c_0) ({
    %n = "tf.Neg"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
    "mlconv.yield"(%n) : (tensor<*xf32>) -> ()
  }, {
    %n_1 = "tf.Abs"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
    "mlconv.yield"(%n_1) : (tensor<*xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<i1>, %1: tensor<2x3xf32>):
  %2 = "core.if"(%0) ({
    %3 = "core.neg"(%1) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()
  }, {
    %4 = "core.abs"(%1) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: While takes its condition and its body from functions
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %z = "tf.Const"() {dtype = i32, value = dense<0> : tensor<i32>} : () -> (tensor<*xi32>)
  %y, %y_1 = "tf.While"(%z, %x_0) ({
  ^bb(%i: tensor<*xi32>, %a: tensor<*xf32>):
    %n = "tf.Const"() {dtype = i32, value = dense<3> : tensor<i32>} : () -> (tensor<*xi32>)
    %l = "tf.Less"(%i, %n) {T = i32} : (tensor<*xi32>, tensor<*xi32>) -> (tensor<*xi1>)
    "mlconv.yield"(%l) : (tensor<*xi1>) -> ()
  }, {
  ^bb(%i_1: tensor<*xi32>, %a_1: tensor<*xf32>):
    %o = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
    %j = "tf.AddV2"(%i_1, %o) {T = i32} : (tensor<*xi32>, tensor<*xi32>) -> (tensor<*xi32>)
    %d = "tf.AddV2"(%a_1, %a_1) {T = f32} : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
    "mlconv.yield"(%j, %d) : (tensor<*xi32>, tensor<*xf32>) -> ()
  }) : (tensor<*xi32>, tensor<2x3xf32>) -> (tensor<*xi32>, tensor<*xf32>)
  "mlconv.yield"(%y_1) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "core.while"(%1, %0) ({
  ^bb(%4: tensor<i32>, %5: tensor<2x3xf32>):
    %6 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
    %7 = "core.less"(%4, %6) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i32>, %9: tensor<2x3xf32>):
    %10 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %11 = "core.add"(%8, %10) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %12 = "core.add"(%9, %9) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%11, %12) : (tensor<i32>, tensor<2x3xf32>) -> ()
  }) : (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Switch and Merge become core.if
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %c_0: tensor<i1>):
  %y = "tf.If"(%c_0) ({
    %n = "tf.Neg"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
    "mlconv.yield"(%n) : (tensor<*xf32>) -> ()
  }, {
    %a = "tf.Abs"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
    "mlconv.yield"(%a) : (tensor<*xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<i1>):
  %2 = "core.if"(%1) ({
    %3 = "core.neg"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()
  }, {
    %4 = "core.abs"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a call is put in place of its function
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y_d = "tf.AddV2"(%x_0, %x_0) {T = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y_d) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.add"(%0, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a list of tensors of known size
// RUN: from-tf
^bb(%e_0: tensor<3xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[3]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %n = "tf.Const"() {dtype = i32, value = dense<2> : tensor<i32>} : () -> (tensor<*xi32>)
  %l = "tf.TensorListReserve"(%s, %n) {element_dtype = f32, shape_type = i32} : (tensor<*xi32>, tensor<*xi32>) -> (!mlconv.opaque<"tf.variant">)
  %i = "tf.Const"() {dtype = i32, value = dense<0> : tensor<i32>} : () -> (tensor<*xi32>)
  %m = "tf.TensorListSetItem"(%l, %i, %e_0) {element_dtype = f32, resize_if_index_out_of_bounds = false} : (!mlconv.opaque<"tf.variant">, tensor<*xi32>, tensor<3xf32>) -> (!mlconv.opaque<"tf.variant">)
  %y = "tf.TensorListStack"(%m, %s) {element_dtype = f32, num_elements = 2} : (!mlconv.opaque<"tf.variant">, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.cast"(%1) {"dtype" = i64, "saturate" = false} : (tensor<i32>) -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.reshape"(%3, %4) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.concat"(%5, %2) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %7 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "core.broadcast_to"(%7, %6) : (tensor<f32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %11 = "core.reshape"(%9, %10) : (tensor<i32>, tensor<2xi64>) -> (tensor<1x1xi32>)
  %12 = "core.expand_dims"(%0) {"axes" = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
  %13 = "core.scatter_nd"(%8, %11, %12) {"reduction" = "none", "from_start" = true} : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%13) : (tensor<2x3xf32>) -> ()
