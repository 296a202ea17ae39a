// CASE: quantization is arithmetic
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %q = "core.to_integers"(%x) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %y = "core.from_integers"(%q) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<10> : tensor<ui8>} : () -> (tensor<ui8>)
  %3 = "onnx.QuantizeLinear"(%0, %1, %2) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> (tensor<2x3xui8>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<10> : tensor<ui8>} : () -> (tensor<ui8>)
  %6 = "onnx.DequantizeLinear"(%3, %4, %5) {"opset_version" = 17} : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: complex numbers are pairs
// RUN: to-onnx
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %k = "core.complex"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %f = "core.fft"(%k) {axes = [0]} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  %r = "core.real"(%f) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %m = "core.imag"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%r, %m) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "onnx.Unsqueeze"(%0, %2) {"opset_version" = 17} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<4x1xf32>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "onnx.Unsqueeze"(%1, %4) {"opset_version" = 17} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<4x1xf32>)
  %6 = "onnx.Concat"(%3, %5) {"axis" = 1, "opset_version" = 17} : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x2xf32>)
  %7 = "onnx.DFT"(%6) {"axis" = 0, "opset_version" = 17} : (tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %8 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %9 = "onnx.Gather"(%7, %8) {"axis" = 1, "opset_version" = 17} : (tensor<4x2xf32>, tensor<i64>) -> (tensor<4xf32>)
  "mlconv.yield"(%9, %1) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: complex results are refused
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %k = "core.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%k) : (tensor<4xcomplex<f32>>) -> ()
// DIAGNOSTICS
error[MLC0402]: output y0 is complex64[4], and ONNX's operators take no complex numbers
  = node: y0  output (complex64[4])

// -----
// CASE: a transform of real numbers says its length
// RUN: to-onnx
^bb(%x: tensor<2x8xf32>):
  %a = "core.rfft"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  %y = "core.irfft"(%a) {axes = [1], length = 8} : (tensor<2x5xcomplex<f32>>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "onnx.Unsqueeze"(%0, %1) {"opset_version" = 17} : (tensor<2x8xf32>, tensor<1xi64>) -> (tensor<2x8x1xf32>)
  %3 = "onnx.DFT"(%2) {"axis" = 1, "onesided" = 1, "opset_version" = 17} : (tensor<2x8x1xf32>) -> (tensor<2x5x2xf32>)
  %4 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "onnx.Gather"(%3, %4) {"axis" = 2, "opset_version" = 17} : (tensor<2x5x2xf32>, tensor<i64>) -> (tensor<2x5xf32>)
  %6 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "onnx.Gather"(%3, %6) {"axis" = 2, "opset_version" = 17} : (tensor<2x5x2xf32>, tensor<i64>) -> (tensor<2x5xf32>)
  %8 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[5]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "onnx.Slice"(%5, %8, %9, %10) {"opset_version" = 17} : (tensor<2x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x5xf32>)
  %12 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "core.constant"() {"value" = dense<[5]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "onnx.Slice"(%7, %12, %13, %14) {"opset_version" = 17} : (tensor<2x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x5xf32>)
  %16 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %17 = "onnx.Unsqueeze"(%11, %16) {"opset_version" = 17} : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x5x1xf32>)
  %18 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %19 = "onnx.Unsqueeze"(%15, %18) {"opset_version" = 17} : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x5x1xf32>)
  %20 = "onnx.Concat"(%17, %19) {"axis" = 2, "opset_version" = 17} : (tensor<2x5x1xf32>, tensor<2x5x1xf32>) -> (tensor<2x5x2xf32>)
  %21 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %22 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %23 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %24 = "onnx.Slice"(%20, %21, %22, %23) {"opset_version" = 17} : (tensor<2x5x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x3x2xf32>)
  %25 = "core.constant"() {"value" = dense<[9223372036854775807]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %26 = "core.constant"() {"value" = dense<[-9223372036854775808]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %27 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %28 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %29 = "onnx.Slice"(%24, %25, %26, %27, %28) {"opset_version" = 17} : (tensor<2x3x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x3x2xf32>)
  %30 = "core.constant"() {"value" = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %31 = "onnx.Mul"(%29, %30) {"opset_version" = 17} : (tensor<2x3x2xf32>, tensor<2xf32>) -> (tensor<2x3x2xf32>)
  %32 = "onnx.Concat"(%20, %31) {"axis" = 1, "opset_version" = 17} : (tensor<2x5x2xf32>, tensor<2x3x2xf32>) -> (tensor<2x8x2xf32>)
  %33 = "onnx.DFT"(%32) {"axis" = 1, "inverse" = 1, "opset_version" = 17} : (tensor<2x8x2xf32>) -> (tensor<2x8x2xf32>)
  %34 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %35 = "onnx.Gather"(%33, %34) {"axis" = 2, "opset_version" = 17} : (tensor<2x8x2xf32>, tensor<i64>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%35) : (tensor<2x8xf32>) -> ()

// -----
// CASE: random numbers
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_uniform"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.RandomUniform"() {"shape" = [2, 3], "dtype" = 1, "low" = 0.0 : f64, "high" = 1.0 : f64, "seed" = 31.0 : f64, "opset_version" = 17} : () -> (tensor<2x3xf32>)
  %2 = "onnx.Add"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a custom op has no form
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.custom"(%x) {code = "Wobble", options = #mlconv.bytes<"">, types = [tensor<2x3xf32>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: ONNX has no form for core.custom
  = node: y  core.custom (float32[2,3])

// -----
// CASE: a nearest resize is slices, broadcast and joined
// RUN: to-onnx
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "asymmetric", nearest_mode = "floor"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 4, 4, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "onnx.Resize"(%0, %1) {"mode" = "nearest", "coordinate_transformation_mode" = "asymmetric", "nearest_mode" = "floor", "opset_version" = 17, "mlconv.absent" = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<4xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a linear resize is a sum of slices with weights
// RUN: to-onnx
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 1, 4, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "onnx.Resize"(%1, %2) {"mode" = "linear", "coordinate_transformation_mode" = "half_pixel", "opset_version" = 17, "mlconv.absent" = [1, 2]} : (tensor<1x1x2x2xf32>, tensor<4xi64>) -> (tensor<1x1x4x2xf32>)
  %4 = "onnx.Transpose"(%3) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x1x4x2xf32>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x2x1xf32>) -> ()

// -----
// CASE: a recurrent layer of few steps is written out
// RUN: to-onnx
^bb(%x: tensor<2x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %l, %l1 = "core.rnn"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5]} : (tensor<2x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<2x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.25> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Unsqueeze"(%1, %3) {"opset_version" = 17} : (tensor<2x2xf32>, tensor<1xi64>) -> (tensor<1x2x2xf32>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "onnx.Unsqueeze"(%2, %5) {"opset_version" = 17} : (tensor<2x2xf32>, tensor<1xi64>) -> (tensor<1x2x2xf32>)
  %7, %8 = "onnx.RNN"(%0, %4, %6) {"hidden_size" = 2, "direction" = "forward", "opset_version" = 17} : (tensor<2x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<2x1x1x2xf32>, tensor<1x1x2xf32>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "onnx.Squeeze"(%7, %9) {"opset_version" = 17} : (tensor<2x1x1x2xf32>, tensor<1xi64>) -> (tensor<2x1x2xf32>)
  "mlconv.yield"(%10) : (tensor<2x1x2xf32>) -> ()

// -----
// CASE: fake quantization is arithmetic
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.fake_quant"(%x) {quant = !quant.uniform<u8:f32, 0.007843138:127>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<-0.9960785> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<1.0039216> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.007843138> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "onnx.Max"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "onnx.Min"(%5, %2) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %7 = "onnx.Sub"(%6, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %8 = "onnx.Div"(%7, %3) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %9 = "onnx.Sub"(%8, %4) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %10 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %11 = "onnx.Add"(%9, %10) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %12 = "onnx.Floor"(%11) {"opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %13 = "onnx.Mul"(%12, %3) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%13) : (tensor<2x3xf32>) -> ()

// -----
// CASE: normal random numbers
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_normal"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.RandomNormal"() {"shape" = [2, 3], "dtype" = 1, "mean" = 0.0 : f64, "scale" = 1.0 : f64, "seed" = 31.0 : f64, "opset_version" = 17} : () -> (tensor<2x3xf32>)
  %2 = "onnx.Add"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an LSTM, of one step
// RUN: to-onnx
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %l, %l1, %l2 = "core.lstm"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5, 6, 7]} : (tensor<1x1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.25> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Unsqueeze"(%1, %3) {"opset_version" = 17} : (tensor<8x2xf32>, tensor<1xi64>) -> (tensor<1x8x2xf32>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "onnx.Unsqueeze"(%2, %5) {"opset_version" = 17} : (tensor<8x2xf32>, tensor<1xi64>) -> (tensor<1x8x2xf32>)
  %7, %8, %9 = "onnx.LSTM"(%0, %4, %6) {"hidden_size" = 2, "direction" = "forward", "opset_version" = 17} : (tensor<1x1x2xf32>, tensor<1x8x2xf32>, tensor<1x8x2xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "onnx.Squeeze"(%7, %10) {"opset_version" = 17} : (tensor<1x1x1x2xf32>, tensor<1xi64>) -> (tensor<1x1x2xf32>)
  "mlconv.yield"(%11) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: a GRU, of one step
// RUN: to-onnx
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %l, %l1 = "core.gru"(%x, %c1, %c2) {linear_before_reset = true, mlconv.absent = [3, 4, 5, 6]} : (tensor<1x1x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.25> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Unsqueeze"(%1, %3) {"opset_version" = 17} : (tensor<6x2xf32>, tensor<1xi64>) -> (tensor<1x6x2xf32>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "onnx.Unsqueeze"(%2, %5) {"opset_version" = 17} : (tensor<6x2xf32>, tensor<1xi64>) -> (tensor<1x6x2xf32>)
  %7, %8 = "onnx.GRU"(%0, %4, %6) {"hidden_size" = 2, "direction" = "forward", "linear_before_reset" = 1, "opset_version" = 17} : (tensor<1x1x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x2xf32>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "onnx.Squeeze"(%7, %9) {"opset_version" = 17} : (tensor<1x1x1x2xf32>, tensor<1xi64>) -> (tensor<1x1x2xf32>)
  "mlconv.yield"(%10) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: suppression is a loop over the boxes that are left
// RUN: to-onnx
^bb(%b: tensor<2x4xf32>, %s: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) {padded = true} : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<1xi32>, tensor<1xf32>, tensor<i32>)
  "mlconv.yield"(%n, %n1, %n2) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "onnx.Unsqueeze"(%1, %5) {"opset_version" = 17} : (tensor<2xf32>, tensor<2xi64>) -> (tensor<1x1x2xf32>)
  %7 = "onnx.Cast"(%2) {"to" = 7, "opset_version" = 17} : (tensor<i32>) -> (tensor<i64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "onnx.Reshape"(%7, %8) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "onnx.Reshape"(%3, %10) {"opset_version" = 17} : (tensor<f32>, tensor<1xi64>) -> (tensor<1xf32>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "onnx.Reshape"(%4, %12) {"opset_version" = 17} : (tensor<f32>, tensor<1xi64>) -> (tensor<1xf32>)
  %14 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "onnx.Unsqueeze"(%0, %14) {"opset_version" = 17} : (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<1x2x4xf32>)
  %16 = "onnx.NonMaxSuppression"(%15, %6, %9, %11, %13) {"opset_version" = 17} : (tensor<1x2x4xf32>, tensor<1x1x2xf32>, tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> (tensor<*xi64>)
  %17 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %18 = "onnx.Gather"(%16, %17) {"axis" = 1, "opset_version" = 17} : (tensor<*xi64>, tensor<i64>) -> (tensor<*xi64>)
  %19 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %20 = "onnx.Reshape"(%18, %19) {"opset_version" = 17} : (tensor<*xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %21 = "onnx.Size"(%20) {"opset_version" = 17} : (tensor<1xi64>) -> (tensor<i64>)
  %22 = "onnx.Gather"(%1, %20) {"axis" = 0, "opset_version" = 17} : (tensor<2xf32>, tensor<1xi64>) -> (tensor<1xf32>)
  %23 = "onnx.Cast"(%20) {"to" = 6, "opset_version" = 17} : (tensor<1xi64>) -> (tensor<1xi32>)
  %24 = "onnx.Cast"(%21) {"to" = 6, "opset_version" = 17} : (tensor<i64>) -> (tensor<i32>)
  %25 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %26 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %27 = "onnx.Reshape"(%21, %26) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %28 = "onnx.Sub"(%9, %27) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %29 = "onnx.Concat"(%25, %28) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %30 = "onnx.Pad"(%23, %29) {"opset_version" = 17} : (tensor<1xi32>, tensor<2xi64>) -> (tensor<1xi32>)
  %31 = "onnx.Pad"(%22, %29) {"opset_version" = 17} : (tensor<1xf32>, tensor<2xi64>) -> (tensor<1xf32>)
  "mlconv.yield"(%30, %31, %24) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()

// -----
// CASE: a table is looked up by comparing with all keys
// RUN: to-onnx
^bb(%x: tensor<3xi64>):
  %c1 = "core.constant"() {value = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %c2 = "core.constant"() {value = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.lookup"(%x, %c1, %c2, %c3) : (tensor<3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  "mlconv.yield"(%y) : (tensor<3xi64>) -> ()
// EXPECT
^bb(%0: tensor<3xi64>):
  %1 = "core.constant"() {"value" = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "onnx.Unsqueeze"(%0, %4) {"opset_version" = 17} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<3x1xi64>)
  %6 = "onnx.Equal"(%5, %2) {"opset_version" = 17} : (tensor<3x1xi64>, tensor<2xi64>) -> (tensor<3x2xi1>)
  %7 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %8 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "onnx.Where"(%6, %7, %8) {"opset_version" = 17} : (tensor<3x2xi1>, tensor<2xi32>, tensor<i32>) -> (tensor<3x2xi32>)
  %10 = "onnx.ReduceMax"(%9) {"axes" = [1], "keepdims" = 0, "opset_version" = 17} : (tensor<3x2xi32>) -> (tensor<3xi32>)
  %11 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "onnx.Reshape"(%1, %11) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %13 = "onnx.Concat"(%12, %3) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  %14 = "onnx.Gather"(%13, %10) {"axis" = 0, "opset_version" = 17} : (tensor<3xi64>, tensor<3xi32>) -> (tensor<3xi64>)
  "mlconv.yield"(%14) : (tensor<3xi64>) -> ()
