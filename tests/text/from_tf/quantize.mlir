// CASE: FakeQuantWithMinMaxVars with constants
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %lo = "tf.Const"() {dtype = f32, value = dense<-1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %hi = "tf.Const"() {dtype = f32, value = dense<1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.FakeQuantWithMinMaxVars"(%x_0, %lo, %hi) {narrow_range = false, num_bits = 8} : (tensor<2x3xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.fake_quant"(%0) {"quant" = !quant.uniform<u8:f32, 0.007843138:127>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: FakeQuantWithMinMaxArgs moves its range onto the grid
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.FakeQuantWithMinMaxArgs"(%x_0) {max = 3.0 : f64, min = -1.100000023841858 : f64, narrow_range = false, num_bits = 8} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.fake_quant"(%0) {"quant" = !quant.uniform<u8:f32, 0.016078431:68>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: QuantizeAndDequantizeV2 rounds
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %lo = "tf.Const"() {dtype = f32, value = dense<-1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %hi = "tf.Const"() {dtype = f32, value = dense<1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.QuantizeAndDequantizeV2"(%x_0, %lo, %hi) {T = f32, num_bits = 8, range_given = true, round_mode = "HALF_TO_EVEN", signed_input = true, narrow_range = false, axis = -1} : (tensor<2x3xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<0.007874016> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<-1.007874> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.minimum"(%0, %4) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "core.maximum"(%5, %3) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %7 = "core.mul"(%6, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %8 = "core.round"(%7) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %9 = "core.mul"(%8, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%9) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a channel with an empty range is 0
// RUN: from-tf
^bb(%x: tensor<3x2xf32>):
  %lo = "tf.Const"() {value = dense<[-1.0, 0.0]> : tensor<2xf32>, dtype = f32} : () -> (tensor<*xf32>)
  %hi = "tf.Const"() {value = dense<[1.0, 0.0]> : tensor<2xf32>, dtype = f32} : () -> (tensor<*xf32>)
  %y = "tf.FakeQuantWithMinMaxVarsPerChannel"(%x, %lo, %hi) {narrow_range = true, num_bits = 4} : (tensor<3x2xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>):
  %1 = "core.fake_quant"(%0) {"quant" = !quant.uniform<u8<1:15>:f32:1, {0.14285715:8, 1.0:1}>} : (tensor<3x2xf32>) -> (tensor<3x2xf32>)
  %2 = "core.constant"() {"value" = dense<[false, true]> : tensor<2xi1>} : () -> (tensor<2xi1>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.select"(%2, %3, %1) : (tensor<2xi1>, tensor<f32>, tensor<3x2xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%4) : (tensor<3x2xf32>) -> ()

// -----
// CASE: a range that is upside down is none
// RUN: from-tf
^bb(%x: tensor<3x2xf32>):
  %y = "tf.FakeQuantWithMinMaxArgs"(%x) {max = -3.0 : f64, min = 1.0 : f64, narrow_range = false, num_bits = 8} : (tensor<3x2xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: a scale is -0.01568627543747425, expected a finite positive number
  = node: y  tf.FakeQuantWithMinMaxArgs (float32[3,2])
