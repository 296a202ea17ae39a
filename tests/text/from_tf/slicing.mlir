// CASE: StridedSlice with masks
// RUN: from-tf
^bb(%x_0: tensor<4x5xf32>):
  %b = "tf.Const"() {dtype = i32, value = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %e = "tf.Const"() {dtype = i32, value = dense<[0, 3]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %s = "tf.Const"() {dtype = i32, value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.StridedSlice"(%x_0, %b, %e, %s) {Index = i32, T = f32, begin_mask = 1, end_mask = 1, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0} : (tensor<4x5xf32>, tensor<*xi32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 1, "end_mask" = 1} : (tensor<4x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%4) : (tensor<4x2xf32>) -> ()

// -----
// CASE: StridedSlice with an ellipsis and a new axis
// RUN: from-tf
^bb(%x_0: tensor<2x3x4xf32>):
  %b = "tf.Const"() {dtype = i32, value = dense<[0, 0, 1]> : tensor<3xi32>} : () -> (tensor<*xi32>)
  %e = "tf.Const"() {dtype = i32, value = dense<[0, 0, 2]> : tensor<3xi32>} : () -> (tensor<*xi32>)
  %s = "tf.Const"() {dtype = i32, value = dense<[1, 1, 1]> : tensor<3xi32>} : () -> (tensor<*xi32>)
  %y = "tf.StridedSlice"(%x_0, %b, %e, %s) {Index = i32, T = f32, ellipsis_mask = 1, new_axis_mask = 2, begin_mask = 0, end_mask = 0, shrink_axis_mask = 0} : (tensor<2x3x4xf32>, tensor<*xi32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 0, 2]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 3, "end_mask" = 3} : (tensor<2x3x4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<2x3x1xf32>)
  %5 = "core.expand_dims"(%4) {"axes" = [2]} : (tensor<2x3x1xf32>) -> (tensor<2x3x1x1xf32>)
  "mlconv.yield"(%5) : (tensor<2x3x1x1xf32>) -> ()

// -----
// CASE: StridedSlice that takes one row
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %b = "tf.Const"() {dtype = i32, value = dense<[-1, 0]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %e = "tf.Const"() {dtype = i32, value = dense<[0, 3]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %s = "tf.Const"() {dtype = i32, value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.StridedSlice"(%x_0, %b, %e, %s) {Index = i32, T = f32, shrink_axis_mask = 1, begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0} : (tensor<2x3xf32>, tensor<*xi32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 2, "end_mask" = 3} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<1x3xf32>)
  %5 = "core.squeeze"(%4) {"axes" = [0]} : (tensor<1x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%5) : (tensor<3xf32>) -> ()

// -----
// CASE: Slice with a size of -1
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %b = "tf.Const"() {dtype = i32, value = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %s = "tf.Const"() {dtype = i32, value = dense<[2, -1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Slice"(%x_0, %b, %s) {Index = i32, T = f32} : (tensor<2x3xf32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[2, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.dynamic_slice"(%0, %1, %2) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: GatherV2 with batch dimensions
// RUN: from-tf
^bb(%x_0: tensor<2x3x4xf32>, %i_0: tensor<2x5xi32>):
  %a = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
  %y = "tf.GatherV2"(%x_0, %i_0, %a) {Taxis = i32, Tindices = i32, Tparams = f32, batch_dims = 1} : (tensor<2x3x4xf32>, tensor<2x5xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x5xi32>):
  %2 = "core.gather"(%0, %1) {"axis" = 1, "batch_dims" = 1, "from_start" = true} : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> (tensor<2x5x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x5x4xf32>) -> ()

// -----
// CASE: GatherNd
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %i_0: tensor<5x2xi32>):
  %y = "tf.GatherNd"(%x_0, %i_0) {Tindices = i32, Tparams = f32, bad_indices_policy = ""} : (tensor<2x3xf32>, tensor<5x2xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<5x2xi32>):
  %2 = "core.gather_nd"(%0, %1) {"batch_dims" = 0, "from_start" = true} : (tensor<2x3xf32>, tensor<5x2xi32>) -> (tensor<5xf32>)
  "mlconv.yield"(%2) : (tensor<5xf32>) -> ()

// -----
// CASE: ScatterNd adds into zeros
// RUN: from-tf
^bb(%i_0: tensor<2x1xi32>, %u_0: tensor<2x3xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[4, 3]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.ScatterNd"(%i_0, %u_0, %s) {T = f32, Tindices = i32, bad_indices_policy = ""} : (tensor<2x1xi32>, tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2x3xf32>):
  %2 = "core.constant"() {"value" = dense<[4, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.scatter_fill"(%0, %1, %2) : (tensor<2x1xi32>, tensor<2x3xf32>, tensor<2xi32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%3) : (tensor<4x3xf32>) -> ()

// -----
// CASE: TensorScatterUpdate
// RUN: from-tf
^bb(%x_0: tensor<4x3xf32>, %i_0: tensor<2x1xi32>, %u_0: tensor<2x3xf32>):
  %y = "tf.TensorScatterUpdate"(%x_0, %i_0, %u_0) {T = f32, Tindices = i32, bad_indices_policy = ""} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<2x1xi32>, %2: tensor<2x3xf32>):
  %3 = "core.scatter_nd"(%0, %1, %2) {"reduction" = "none", "from_start" = true} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%3) : (tensor<4x3xf32>) -> ()

// -----
// CASE: OneHot along the first axis
// RUN: from-tf
^bb(%i_0: tensor<3xi32>):
  %d = "tf.Const"() {dtype = i32, value = dense<4> : tensor<i32>} : () -> (tensor<*xi32>)
  %on = "tf.Const"() {dtype = f32, value = dense<1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %off = "tf.Const"() {dtype = f32, value = dense<0.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.OneHot"(%i_0, %d, %on, %off) {T = f32, TI = i32, axis = 0} : (tensor<3xi32>, tensor<*xi32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.one_hot"(%0, %1, %2, %3) {"axis" = 0} : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%4) : (tensor<4x3xf32>) -> ()

// -----
// CASE: Where gives places
// RUN: from-tf
^bb(%x_0: tensor<2x3xi1>):
  %y = "tf.Where"(%x_0) {T = i1} : (tensor<2x3xi1>) -> (tensor<*xi64>)
  "mlconv.yield"(%y) : (tensor<*xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "core.nonzero"(%0) {"padded" = false} : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%1) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()

// -----
// CASE: ReverseV2 of a negative axis
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<[-1]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %y = "tf.ReverseV2"(%x_0, %a) {T = f32, Tidx = i32} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.reverse"(%0) {"axes" = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()
