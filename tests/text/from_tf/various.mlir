// CASE: an assertion goes
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.Relu"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: StopGradient and Identity are their operand
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.Neg"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.neg"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: RandomStandardNormal keeps its seeds
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %r = "tf.RandomStandardNormal"(%s) {T = i32, dtype = f32, seed = 1, seed2 = 2} : (tensor<*xi32>) -> (tensor<*xf32>)
  %y = "tf.AddV2"(%x_0, %r) {T = f32} : (tensor<2x3xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.random_normal"(%1) {"dtype" = f32, "seed" = 1, "seed2" = 2} : (tensor<2xi32>) -> (tensor<2x3xf32>)
  %3 = "core.add"(%0, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: RFFT takes its length from an operand
// RUN: from-tf
^bb(%x_0: tensor<2x8xf32>):
  %n = "tf.Const"() {dtype = i32, value = dense<[8]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %y = "tf.RFFT"(%x_0, %n) {Tcomplex = complex<f32>, Treal = f32} : (tensor<2x8xf32>, tensor<*xi32>) -> (tensor<*xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<*xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.rfft"(%0) {"axes" = [1]} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  "mlconv.yield"(%1) : (tensor<2x5xcomplex<f32>>) -> ()

// -----
// CASE: BlockLSTMV2 is written out step by step, here of one
// RUN: from-tf
^bb(%x_0: tensor<1x1x2xf32>):
  %sl = "tf.Const"() {dtype = i64, value = dense<1> : tensor<i64>} : () -> (tensor<*xi64>)
  %cs = "tf.Const"() {dtype = f32, value = dense<[[0.0, 0.0]]> : tensor<1x2xf32>} : () -> (tensor<*xf32>)
  %h = "tf.Const"() {dtype = f32, value = dense<[[0.0, 0.0]]> : tensor<1x2xf32>} : () -> (tensor<*xf32>)
  %w = "tf.Const"() {dtype = f32, value = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x8xf32>} : () -> (tensor<*xf32>)
  %wi = "tf.Const"() {dtype = f32, value = dense<[0.0, 0.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %wf = "tf.Const"() {dtype = f32, value = dense<[0.0, 0.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %wo = "tf.Const"() {dtype = f32, value = dense<[0.0, 0.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %b = "tf.Const"() {dtype = f32, value = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf32>} : () -> (tensor<*xf32>)
  %y, %y_1, %y_2, %y_3, %y_4, %y_5, %y_6 = "tf.BlockLSTMV2"(%sl, %x_0, %cs, %h, %w, %wi, %wf, %wo, %b) {T = f32, cell_clip = 0.0 : f64, use_peephole = false} : (tensor<*xi64>, tensor<1x1x2xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  "mlconv.yield"(%y_6) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 0.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %2 = "core.constant"() {"value" = dense<[[0.0, 0.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %3 = "core.constant"() {"value" = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %4 = "core.constant"() {"value" = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %5 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %8 = "core.slice"(%0, %5, %6, %7) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x1x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x1x2xf32>)
  %9 = "core.squeeze"(%8) {"axes" = [0]} : (tensor<1x1x2xf32>) -> (tensor<1x2xf32>)
  %10 = "core.concat"(%9, %2) {"axis" = 1} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x4xf32>)
  %11 = "core.matmul"(%10, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x4xf32>, tensor<4x8xf32>) -> (tensor<1x8xf32>)
  %12 = "core.add"(%11, %4) : (tensor<1x8xf32>, tensor<8xf32>) -> (tensor<1x8xf32>)
  %13, %14, %15, %16 = "core.split"(%12) {"sizes" = [2, 2, 2, 2], "axis" = 1} : (tensor<1x8xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  %17 = "core.sigmoid"(%13) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %18 = "core.sigmoid"(%14) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %19 = "core.tanh"(%15) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %20 = "core.mul"(%17, %19) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %21 = "core.mul"(%18, %1) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %22 = "core.add"(%20, %21) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %23 = "core.sigmoid"(%16) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %24 = "core.tanh"(%22) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %25 = "core.mul"(%23, %24) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %26 = "core.expand_dims"(%25) {"axes" = [0]} : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
  "mlconv.yield"(%26) : (tensor<1x1x2xf32>) -> ()
