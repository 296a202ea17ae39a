// CASE: FakeQuantWithMinMaxVars with constants
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %lo = "tf.Const"() {dtype = f32, value = dense<-1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %hi = "tf.Const"() {dtype = f32, value = dense<1.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.FakeQuantWithMinMaxVars"(%x_0, %lo, %hi) {narrow_range = false, num_bits = 8} : (tensor<2x3xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.fake_quant"(%0) {"low" = [-1.0 : f64], "high" = [1.0 : f64], "bits" = 8, "narrow" = false} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: FakeQuantWithMinMaxArgs moves its range onto the grid
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.FakeQuantWithMinMaxArgs"(%x_0) {max = 3.0 : f64, min = -1.100000023841858 : f64, narrow_range = false, num_bits = 8} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.fake_quant"(%0) {"low" = [-1.100000023841858 : f64], "high" = [3.0 : f64], "bits" = 8, "narrow" = false} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
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
  %1 = "core.clamp"(%0) {"lo" = -1.0078740119934082 : f64, "hi" = 1.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.mul"(%1, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "core.round"(%3) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %5 = "core.constant"() {"value" = dense<0.007874016> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.mul"(%4, %5) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()
