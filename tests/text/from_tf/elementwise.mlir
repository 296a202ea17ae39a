// CASE: unary ops become those of core
// RUN: from-tf
^bb(%x_0: tensor<4xf32>):
  %a = "tf.Rsqrt"(%x_0) {T = f32} : (tensor<4xf32>) -> (tensor<*xf32>)
  %b = "tf.Softplus"(%a) {T = f32} : (tensor<*xf32>) -> (tensor<*xf32>)
  %y = "tf.Sigmoid"(%b) {T = f32} : (tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.rsqrt"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.softplus"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.sigmoid"(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: AddV2 broadcasts
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %w = "tf.Const"() {dtype = f32, value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<*xf32>)
  %y = "tf.AddV2"(%x_0, %w) {T = f32} : (tensor<2x3xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %2 = "core.add"(%0, %1) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: FloorMod and TruncateMod differ in sign
// RUN: from-tf
^bb(%x_0: tensor<4xi32>, %z_0: tensor<4xi32>):
  %y = "tf.FloorMod"(%x_0, %z_0) {T = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<*xi32>)
  %m = "tf.TruncateMod"(%x_0, %z_0) {T = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<*xi32>)
  "mlconv.yield"(%y, %m) : (tensor<*xi32>, tensor<*xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.floor_mod"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "core.rem"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2, %3) : (tensor<4xi32>, tensor<4xi32>) -> ()

// -----
// CASE: SquaredDifference is a square of a difference
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %z_0: tensor<2x3xf32>):
  %y = "tf.SquaredDifference"(%x_0, %z_0) {T = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "core.sub"(%0, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "core.mul"(%2, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: DivNoNan is 0 where the divisor is
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %z_0: tensor<2x3xf32>):
  %y = "tf.DivNoNan"(%x_0, %z_0) {T = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "core.div"(%0, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.equal"(%1, %3) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xi1>)
  %5 = "core.select"(%4, %3, %2) : (tensor<2x3xi1>, tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Relu6 is a clamp
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.Relu6"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: LeakyRelu keeps its slope
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.LeakyRelu"(%x_0) {T = f32, alpha = 0.25 : f64} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.leaky_relu"(%0) {"alpha" = 0.25 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: BiasAdd of channels first lines up with axis 1
// RUN: from-tf
^bb(%x_0: tensor<1x2x4x4xf32>):
  %b = "tf.Const"() {dtype = f32, value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %y = "tf.BiasAdd"(%x_0, %b) {T = f32, data_format = "NCHW"} : (tensor<1x2x4x4xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[2, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2x1x1xf32>)
  %4 = "core.add"(%0, %3) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: Select takes a condition of rows
// RUN: from-tf
^bb(%c_0: tensor<2xi1>, %x_0: tensor<2x3xf32>, %z_0: tensor<2x3xf32>):
  %y = "tf.Select"(%c_0, %x_0, %z_0) {T = f32} : (tensor<2xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xi1>, %1: tensor<2x3xf32>, %2: tensor<2x3xf32>):
  %3 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.reshape"(%0, %3) : (tensor<2xi1>, tensor<2xi64>) -> (tensor<2x1xi1>)
  %5 = "core.select"(%4, %1, %2) : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Cast to another type
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.Cast"(%x_0) {DstT = i32, SrcT = f32, Truncate = false} : (tensor<2x3xf32>) -> (tensor<*xi32>)
  "mlconv.yield"(%y) : (tensor<*xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.cast"(%0) {"dtype" = i32, "saturate" = false} : (tensor<2x3xf32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%1) : (tensor<2x3xi32>) -> ()

// -----
// CASE: BitwiseAnd of integers
// RUN: from-tf
^bb(%x_0: tensor<4xi32>, %z_0: tensor<4xi32>):
  %y = "tf.BitwiseAnd"(%x_0, %z_0) {T = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<*xi32>)
  "mlconv.yield"(%y) : (tensor<*xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.and"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2) : (tensor<4xi32>) -> ()

// -----
// CASE: ClipByValue with numbers
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %lo = "tf.Const"() {dtype = f32, value = dense<-1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %hi = "tf.Const"() {dtype = f32, value = dense<1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.ClipByValue"(%x_0, %lo, %hi) {T = f32} : (tensor<2x3xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<-1.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.minimum"(%0, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "core.maximum"(%3, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an op that nobody knows
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.MatrixSquareRoot"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0301]: operator MatrixSquareRoot is not supported
  = node: y  tf.MatrixSquareRoot (float32[2,3])
  = help: --allow-select-ops keeps it for TensorFlow's delegate; --extern MatrixSquareRoot=FUNCTION has native code call a C function

// -----
// CASE: reading files is refused, with what to do
// RUN: from-tf
^bb(%x_0: tensor<!mlconv.string>):
  %y = "tf.DecodeJpeg"(%x_0) {channels = 3, ratio = 1, fancy_upscaling = true, try_recover_truncated = false, acceptable_fraction = 1.0 : f64, dct_method = ""} : (tensor<!mlconv.string>) -> (tensor<*xui8>)
  "mlconv.yield"(%y) : (tensor<*xui8>) -> ()
// DIAGNOSTICS
error[MLC0301]: operator DecodeJpeg is not supported: it decodes files or strings
  = node: y  tf.DecodeJpeg (string[])
  = help: convert the model from behind it on: --inputs names the tensor that your program then provides

// -----
// CASE: a call of Python is refused
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.PyFunc"(%x_0) {Tin = [f32], Tout = [f32], token = "f"} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0301]: operator PyFunc is not supported: it calls Python
  = node: y  tf.PyFunc (float32[2,3])
  = help: write the function with TensorFlow ops
