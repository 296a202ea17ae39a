// CASE: LSTM of one direction takes its part of the weights
// RUN: from-onnx
^bb(%x: tensor<3x1x2xf32>, %w: tensor<1x8x2xf32>, %r: tensor<1x8x2xf32>):
  %y = "onnx.LSTM"(%x, %w, %r) {hidden_size = 2, opset_version = 17} : (tensor<3x1x2xf32>, tensor<1x8x2xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1x2xf32>, %1: tensor<1x8x2xf32>, %2: tensor<1x8x2xf32>):
  %3 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.slice"(%1, %3, %4, %5) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x8x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x8x2xf32>)
  %7 = "core.squeeze"(%6) {"axes" = [0]} : (tensor<1x8x2xf32>) -> (tensor<8x2xf32>)
  %8 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %9 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %10 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %11 = "core.slice"(%2, %8, %9, %10) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x8x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x8x2xf32>)
  %12 = "core.squeeze"(%11) {"axes" = [0]} : (tensor<1x8x2xf32>) -> (tensor<8x2xf32>)
  %13, %14, %15 = "core.lstm"(%0, %7, %12) {"reverse" = false, "activations" = [["sigmoid", 0.0 : f64, 0.0 : f64], ["tanh", 0.0 : f64, 0.0 : f64], ["tanh", 0.0 : f64, 0.0 : f64]], "clip" = 0.0 : f64, "input_forget" = false, "mlconv.absent" = [3, 4, 5, 6, 7]} : (tensor<3x1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> (tensor<3x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  %16 = "core.expand_dims"(%13) {"axes" = [1]} : (tensor<3x1x2xf32>) -> (tensor<3x1x1x2xf32>)
  "mlconv.yield"(%16) : (tensor<3x1x1x2xf32>) -> ()

// -----
// CASE: GRU with linear_before_reset
// RUN: from-onnx
^bb(%x: tensor<3x1x2xf32>, %w: tensor<1x6x2xf32>, %r: tensor<1x6x2xf32>):
  %y = "onnx.GRU"(%x, %w, %r) {hidden_size = 2, linear_before_reset = 1, opset_version = 17} : (tensor<3x1x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> (tensor<3x1x1x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1x2xf32>, %1: tensor<1x6x2xf32>, %2: tensor<1x6x2xf32>):
  %3 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.slice"(%1, %3, %4, %5) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x6x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x6x2xf32>)
  %7 = "core.squeeze"(%6) {"axes" = [0]} : (tensor<1x6x2xf32>) -> (tensor<6x2xf32>)
  %8 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %9 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %10 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %11 = "core.slice"(%2, %8, %9, %10) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x6x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x6x2xf32>)
  %12 = "core.squeeze"(%11) {"axes" = [0]} : (tensor<1x6x2xf32>) -> (tensor<6x2xf32>)
  %13, %14 = "core.gru"(%0, %7, %12) {"reverse" = false, "activations" = [["sigmoid", 0.0 : f64, 0.0 : f64], ["tanh", 0.0 : f64, 0.0 : f64]], "clip" = 0.0 : f64, "linear_before_reset" = true, "mlconv.absent" = [3, 4, 5, 6]} : (tensor<3x1x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<3x1x2xf32>, tensor<1x2xf32>)
  %15 = "core.expand_dims"(%13) {"axes" = [1]} : (tensor<3x1x2xf32>) -> (tensor<3x1x1x2xf32>)
  "mlconv.yield"(%15) : (tensor<3x1x1x2xf32>) -> ()

// -----
// CASE: RNN in both directions
// RUN: from-onnx
^bb(%x: tensor<3x1x2xf32>, %w: tensor<2x2x2xf32>, %r: tensor<2x2x2xf32>):
  %y = "onnx.RNN"(%x, %w, %r) {hidden_size = 2, direction = "bidirectional", opset_version = 17} : (tensor<3x1x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> (tensor<3x2x1x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1x2xf32>, %1: tensor<2x2x2xf32>, %2: tensor<2x2x2xf32>):
  %3 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.slice"(%1, %3, %4, %5) {"begin_mask" = 6, "end_mask" = 6} : (tensor<2x2x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x2x2xf32>)
  %7 = "core.squeeze"(%6) {"axes" = [0]} : (tensor<1x2x2xf32>) -> (tensor<2x2xf32>)
  %8 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %9 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %10 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %11 = "core.slice"(%2, %8, %9, %10) {"begin_mask" = 6, "end_mask" = 6} : (tensor<2x2x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x2x2xf32>)
  %12 = "core.squeeze"(%11) {"axes" = [0]} : (tensor<1x2x2xf32>) -> (tensor<2x2xf32>)
  %13 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %14 = "core.constant"() {"value" = dense<[2, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %15 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %16 = "core.slice"(%1, %13, %14, %15) {"begin_mask" = 6, "end_mask" = 6} : (tensor<2x2x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x2x2xf32>)
  %17 = "core.squeeze"(%16) {"axes" = [0]} : (tensor<1x2x2xf32>) -> (tensor<2x2xf32>)
  %18 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %19 = "core.constant"() {"value" = dense<[2, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %20 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %21 = "core.slice"(%2, %18, %19, %20) {"begin_mask" = 6, "end_mask" = 6} : (tensor<2x2x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x2x2xf32>)
  %22 = "core.squeeze"(%21) {"axes" = [0]} : (tensor<1x2x2xf32>) -> (tensor<2x2xf32>)
  %23, %24 = "core.rnn"(%0, %7, %12) {"reverse" = false, "activations" = [["tanh", 0.0 : f64, 0.0 : f64]], "clip" = 0.0 : f64, "mlconv.absent" = [3, 4, 5]} : (tensor<3x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<3x1x2xf32>, tensor<1x2xf32>)
  %25, %26 = "core.rnn"(%0, %17, %22) {"reverse" = true, "activations" = [["tanh", 0.0 : f64, 0.0 : f64]], "clip" = 0.0 : f64, "mlconv.absent" = [3, 4, 5]} : (tensor<3x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<3x1x2xf32>, tensor<1x2xf32>)
  %27 = "core.expand_dims"(%23) {"axes" = [1]} : (tensor<3x1x2xf32>) -> (tensor<3x1x1x2xf32>)
  %28 = "core.expand_dims"(%25) {"axes" = [1]} : (tensor<3x1x2xf32>) -> (tensor<3x1x1x2xf32>)
  %29 = "core.concat"(%27, %28) {"axis" = 1} : (tensor<3x1x1x2xf32>, tensor<3x1x1x2xf32>) -> (tensor<3x2x1x2xf32>)
  "mlconv.yield"(%29) : (tensor<3x2x1x2xf32>) -> ()

// -----
// CASE: weights of another size are refused
// RUN: from-onnx
^bb(%x: tensor<3x1x2xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>):
  %y = "onnx.LSTM"(%x, %w, %r) {hidden_size = 2, opset_version = 17} : (tensor<3x1x2xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x1x1x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: input 1 of LSTM is float32[1,8,3], expected the sizes [d 4h i] with h = 2, i = 2, d = 1
  = node: y  onnx.LSTM (float32[3,1,2], float32[1,8,3], float32[1,8,2])
