// CASE: quantization is arithmetic
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %q = "core.quantize"(%x) {dtype = ui8, quant = #mlconv.quant<"[[0.5 : f64], [10], -1]">} : (tensor<2x3xf32>) -> (tensor<2x3xui8, {quant = [[0.5 : f64], [10], -1]}>)
  %y = "core.dequantize"(%q) {quant = #mlconv.quant<"[[0.5 : f64], [10], -1]">} : (tensor<2x3xui8, {quant = [[0.5 : f64], [10], -1]}>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.quantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "hlo.divide"(%0, %2) {"op_type" = "core.quantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "hlo.round-nearest-even"(%3) {"op_type" = "core.quantize"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<10.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.quantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %7 = "hlo.add"(%4, %6) {"op_type" = "core.quantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %8 = "hlo.compare"(%7, %7) {"direction" = "EQ", "op_type" = "core.quantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.quantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %11 = "hlo.select"(%8, %7, %10) {"op_type" = "core.quantize"} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %12 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %13 = "hlo.broadcast"(%12) {"dimensions" = [], "op_type" = "core.quantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %14 = "hlo.maximum"(%11, %13) {"op_type" = "core.quantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %15 = "core.constant"() {"value" = #mlconv.splat<"dense<255.0> : tensor<f32>">} : () -> (tensor<f32>)
  %16 = "hlo.broadcast"(%15) {"dimensions" = [], "op_type" = "core.quantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %17 = "hlo.minimum"(%14, %16) {"op_type" = "core.quantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %18 = "hlo.convert"(%17) {"op_type" = "core.quantize"} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %19 = "hlo.convert"(%18) {"op_type" = "core.dequantize"} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  %20 = "core.constant"() {"value" = #mlconv.splat<"dense<10> : tensor<i32>">} : () -> (tensor<i32>)
  %21 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.dequantize"} : (tensor<i32>) -> (tensor<2x3xi32>)
  %22 = "hlo.subtract"(%19, %21) {"op_type" = "core.dequantize"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %23 = "hlo.convert"(%22) {"op_type" = "core.dequantize"} : (tensor<2x3xi32>) -> (tensor<2x3xf32>)
  %24 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %25 = "hlo.broadcast"(%24) {"dimensions" = [], "op_type" = "core.dequantize"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %26 = "hlo.multiply"(%23, %25) {"op_type" = "core.dequantize"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%26) : (tensor<2x3xf32>) -> ()

// -----
// CASE: complex numbers and transforms are opcodes
// RUN: to-hlo
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %k = "core.complex"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %r = "core.real"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %m = "core.imag"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %f = "core.fft"(%k) {axes = [0]} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%r, %m, %f) : (tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "hlo.complex"(%0, %1) {"op_type" = "core.complex"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %3 = "hlo.real"(%2) {"op_type" = "core.real"} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %4 = "hlo.imag"(%2) {"op_type" = "core.imag"} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %5 = "hlo.fft"(%2) {"fft_type" = "FFT", "fft_length" = [4], "op_type" = "core.fft"} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%3, %4, %5) : (tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>) -> ()

// -----
// CASE: a transform of real numbers says its length
// RUN: to-hlo
^bb(%x: tensor<2x8xf32>):
  %a = "core.rfft"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  %y = "core.irfft"(%a) {axes = [1], length = 8} : (tensor<2x5xcomplex<f32>>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "hlo.fft"(%0) {"fft_type" = "RFFT", "fft_length" = [8], "op_type" = "core.rfft"} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  %2 = "hlo.fft"(%1) {"fft_type" = "IRFFT", "fft_length" = [8], "op_type" = "core.irfft"} : (tensor<2x5xcomplex<f32>>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%2) : (tensor<2x8xf32>) -> ()

// -----
// CASE: random numbers
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_uniform"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.rng"(%1, %2) {"distribution" = "RNG_UNIFORM", "op_type" = "core.random_uniform"} : (tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "hlo.add"(%0, %3) {"op_type" = "core.add"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a custom op has no form
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.custom"(%x) {code = "Wobble", options = #mlconv.bytes<"">, types = [tensor<2x3xf32>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: HLO has no form for core.custom
  = node: y  core.custom (float32[2,3])

// -----
// CASE: a nearest resize is slices, broadcast and joined
// RUN: to-hlo
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "asymmetric", nearest_mode = "floor"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "hlo.slice"(%0) {"starts" = [0, 0, 0, 0], "limits" = [1, 1, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x1xf32>)
  %2 = "hlo.reshape"(%1) {"op_type" = "core.resize"} : (tensor<1x1x2x1xf32>) -> (tensor<1x2x1xf32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [0, 2, 3], "op_type" = "core.resize"} : (tensor<1x2x1xf32>) -> (tensor<1x2x2x1xf32>)
  %4 = "hlo.slice"(%0) {"starts" = [0, 1, 0, 0], "limits" = [1, 2, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x1xf32>)
  %5 = "hlo.reshape"(%4) {"op_type" = "core.resize"} : (tensor<1x1x2x1xf32>) -> (tensor<1x2x1xf32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [0, 2, 3], "op_type" = "core.resize"} : (tensor<1x2x1xf32>) -> (tensor<1x2x2x1xf32>)
  %7 = "hlo.concatenate"(%3, %6) {"dimensions" = [1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  %8 = "hlo.slice"(%7) {"starts" = [0, 0, 0, 0], "limits" = [1, 4, 1, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x4x2x1xf32>) -> (tensor<1x4x1x1xf32>)
  %9 = "hlo.reshape"(%8) {"op_type" = "core.resize"} : (tensor<1x4x1x1xf32>) -> (tensor<1x4x1xf32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [0, 1, 3], "op_type" = "core.resize"} : (tensor<1x4x1xf32>) -> (tensor<1x4x2x1xf32>)
  %11 = "hlo.slice"(%7) {"starts" = [0, 0, 1, 0], "limits" = [1, 4, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x4x2x1xf32>) -> (tensor<1x4x1x1xf32>)
  %12 = "hlo.reshape"(%11) {"op_type" = "core.resize"} : (tensor<1x4x1x1xf32>) -> (tensor<1x4x1xf32>)
  %13 = "hlo.broadcast"(%12) {"dimensions" = [0, 1, 3], "op_type" = "core.resize"} : (tensor<1x4x1xf32>) -> (tensor<1x4x2x1xf32>)
  %14 = "hlo.concatenate"(%10, %13) {"dimensions" = [2], "op_type" = "core.resize"} : (tensor<1x4x2x1xf32>, tensor<1x4x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%14) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a linear resize is a sum of slices with weights
// RUN: to-hlo
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "hlo.slice"(%0) {"starts" = [0, 0, 0, 0], "limits" = [1, 1, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x1xf32>)
  %2 = "hlo.reshape"(%1) {"op_type" = "core.resize"} : (tensor<1x1x2x1xf32>) -> (tensor<1x2x1xf32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [0, 2, 3], "op_type" = "core.resize"} : (tensor<1x2x1xf32>) -> (tensor<1x3x2x1xf32>)
  %4 = "hlo.slice"(%0) {"starts" = [0, 1, 0, 0], "limits" = [1, 2, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x1xf32>)
  %5 = "hlo.concatenate"(%3, %4) {"dimensions" = [1], "op_type" = "core.resize"} : (tensor<1x3x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  %6 = "core.constant"() {"value" = dense<[[[1.0], [0.75], [0.25], [0.5]]]> : tensor<1x4x1xf32>} : () -> (tensor<1x4x1xf32>)
  %7 = "hlo.broadcast"(%6) {"dimensions" = [0, 1, 3], "op_type" = "core.resize"} : (tensor<1x4x1xf32>) -> (tensor<1x4x2x1xf32>)
  %8 = "hlo.multiply"(%5, %7) {"op_type" = "core.resize"} : (tensor<1x4x2x1xf32>, tensor<1x4x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  %9 = "hlo.slice"(%0) {"starts" = [0, 1, 0, 0], "limits" = [1, 2, 2, 1], "strides" = [1, 1, 1, 1], "op_type" = "core.resize"} : (tensor<1x2x2x1xf32>) -> (tensor<1x1x2x1xf32>)
  %10 = "hlo.reshape"(%9) {"op_type" = "core.resize"} : (tensor<1x1x2x1xf32>) -> (tensor<1x2x1xf32>)
  %11 = "hlo.broadcast"(%10) {"dimensions" = [0, 2, 3], "op_type" = "core.resize"} : (tensor<1x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  %12 = "core.constant"() {"value" = dense<[[[0.0], [0.25], [0.75], [0.5]]]> : tensor<1x4x1xf32>} : () -> (tensor<1x4x1xf32>)
  %13 = "hlo.broadcast"(%12) {"dimensions" = [0, 1, 3], "op_type" = "core.resize"} : (tensor<1x4x1xf32>) -> (tensor<1x4x2x1xf32>)
  %14 = "hlo.multiply"(%11, %13) {"op_type" = "core.resize"} : (tensor<1x4x2x1xf32>, tensor<1x4x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  %15 = "hlo.add"(%8, %14) {"op_type" = "core.resize"} : (tensor<1x4x2x1xf32>, tensor<1x4x2x1xf32>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%15) : (tensor<1x4x2x1xf32>) -> ()

// -----
// CASE: a recurrent layer of few steps is written out
// RUN: to-hlo
^bb(%x: tensor<2x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %l, %l1 = "core.rnn"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5]} : (tensor<2x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<2x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<2x2xf32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0.25> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<2x2xf32>)
  %5 = "hlo.dot"(%0, %2) {"lhs_contracting" = [2], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<2x1x2xf32>, tensor<2x2xf32>) -> (tensor<2x1x2xf32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %7 = "hlo.broadcast"(%6) {"dimensions" = [], "op_type" = "core.rnn"} : (tensor<f32>) -> (tensor<1x2xf32>)
  %8 = "hlo.slice"(%5) {"starts" = [0, 0, 0], "limits" = [1, 1, 2], "strides" = [1, 1, 1], "op_type" = "core.rnn"} : (tensor<2x1x2xf32>) -> (tensor<1x1x2xf32>)
  %9 = "hlo.reshape"(%8) {"op_type" = "core.rnn"} : (tensor<1x1x2xf32>) -> (tensor<1x2xf32>)
  %10 = "hlo.dot"(%7, %4) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %11 = "hlo.add"(%9, %10) {"op_type" = "core.rnn"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %12 = "hlo.tanh"(%11) {"op_type" = "core.rnn"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %13 = "hlo.reshape"(%12) {"op_type" = "core.rnn"} : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
  %14 = "hlo.slice"(%5) {"starts" = [1, 0, 0], "limits" = [2, 1, 2], "strides" = [1, 1, 1], "op_type" = "core.rnn"} : (tensor<2x1x2xf32>) -> (tensor<1x1x2xf32>)
  %15 = "hlo.reshape"(%14) {"op_type" = "core.rnn"} : (tensor<1x1x2xf32>) -> (tensor<1x2xf32>)
  %16 = "hlo.dot"(%12, %4) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %17 = "hlo.add"(%15, %16) {"op_type" = "core.rnn"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %18 = "hlo.tanh"(%17) {"op_type" = "core.rnn"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %19 = "hlo.reshape"(%18) {"op_type" = "core.rnn"} : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
  %20 = "hlo.concatenate"(%13, %19) {"dimensions" = [0], "op_type" = "core.rnn"} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> (tensor<2x1x2xf32>)
  "mlconv.yield"(%20) : (tensor<2x1x2xf32>) -> ()
