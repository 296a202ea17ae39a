// CASE: quantization is arithmetic
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %q = "core.to_integers"(%x) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %y = "core.from_integers"(%q) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.to_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "hlo.divide"(%0, %2) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "hlo.round-nearest-even"(%3) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<10.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.to_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %7 = "hlo.add"(%4, %6) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %8 = "hlo.compare"(%7, %7) {"direction" = "EQ", "op_type" = "core.to_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.to_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %11 = "hlo.select"(%8, %7, %10) {"op_type" = "core.to_integers"} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %12 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %13 = "hlo.broadcast"(%12) {"dimensions" = [], "op_type" = "core.to_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %14 = "hlo.maximum"(%11, %13) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %15 = "core.constant"() {"value" = #mlconv.splat<"dense<255.0> : tensor<f32>">} : () -> (tensor<f32>)
  %16 = "hlo.broadcast"(%15) {"dimensions" = [], "op_type" = "core.to_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %17 = "hlo.minimum"(%14, %16) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %18 = "hlo.convert"(%17) {"op_type" = "core.to_integers"} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %19 = "hlo.convert"(%18) {"op_type" = "core.from_integers"} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  %20 = "core.constant"() {"value" = #mlconv.splat<"dense<10> : tensor<i32>">} : () -> (tensor<i32>)
  %21 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.from_integers"} : (tensor<i32>) -> (tensor<2x3xi32>)
  %22 = "hlo.subtract"(%19, %21) {"op_type" = "core.from_integers"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %23 = "hlo.convert"(%22) {"op_type" = "core.from_integers"} : (tensor<2x3xi32>) -> (tensor<2x3xf32>)
  %24 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %25 = "hlo.broadcast"(%24) {"dimensions" = [], "op_type" = "core.from_integers"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %26 = "hlo.multiply"(%23, %25) {"op_type" = "core.from_integers"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
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

// -----
// CASE: fake quantization is arithmetic
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.fake_quant"(%x) {quant = !quant.uniform<u8:f32, 0.007843138:127>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<-0.9960785> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0039216> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0.007843138> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<127.0> : tensor<f32>">} : () -> (tensor<f32>)
  %5 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "hlo.maximum"(%0, %5) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %7 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %8 = "hlo.minimum"(%6, %7) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %9 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %10 = "hlo.subtract"(%8, %9) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %11 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %12 = "hlo.divide"(%10, %11) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %13 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %14 = "hlo.subtract"(%12, %13) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %15 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %16 = "hlo.broadcast"(%15) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %17 = "hlo.add"(%14, %16) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %18 = "hlo.floor"(%17) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %19 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.fake_quant"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %20 = "hlo.multiply"(%18, %19) {"op_type" = "core.fake_quant"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%20) : (tensor<2x3xf32>) -> ()

// -----
// CASE: normal random numbers
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_normal"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.rng"(%1, %2) {"distribution" = "RNG_NORMAL", "op_type" = "core.random_normal"} : (tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "hlo.add"(%0, %3) {"op_type" = "core.add"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an LSTM, of one step
// RUN: to-hlo
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %l, %l1, %l2 = "core.lstm"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5, 6, 7]} : (tensor<1x1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<8x2xf32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0.25> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<8x2xf32>)
  %5 = "hlo.dot"(%0, %2) {"lhs_contracting" = [2], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x1x2xf32>, tensor<8x2xf32>) -> (tensor<1x1x8xf32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %7 = "hlo.broadcast"(%6) {"dimensions" = [], "op_type" = "core.lstm"} : (tensor<f32>) -> (tensor<1x2xf32>)
  %8 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %9 = "hlo.broadcast"(%8) {"dimensions" = [], "op_type" = "core.lstm"} : (tensor<f32>) -> (tensor<1x2xf32>)
  %10 = "hlo.reshape"(%5) {"op_type" = "core.lstm"} : (tensor<1x1x8xf32>) -> (tensor<1x8xf32>)
  %11 = "hlo.dot"(%7, %4) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<8x2xf32>) -> (tensor<1x8xf32>)
  %12 = "hlo.add"(%10, %11) {"op_type" = "core.lstm"} : (tensor<1x8xf32>, tensor<1x8xf32>) -> (tensor<1x8xf32>)
  %13 = "hlo.slice"(%12) {"starts" = [0, 0], "limits" = [1, 2], "strides" = [1, 1], "op_type" = "core.lstm"} : (tensor<1x8xf32>) -> (tensor<1x2xf32>)
  %14 = "hlo.slice"(%12) {"starts" = [0, 2], "limits" = [1, 4], "strides" = [1, 1], "op_type" = "core.lstm"} : (tensor<1x8xf32>) -> (tensor<1x2xf32>)
  %15 = "hlo.slice"(%12) {"starts" = [0, 4], "limits" = [1, 6], "strides" = [1, 1], "op_type" = "core.lstm"} : (tensor<1x8xf32>) -> (tensor<1x2xf32>)
  %16 = "hlo.slice"(%12) {"starts" = [0, 6], "limits" = [1, 8], "strides" = [1, 1], "op_type" = "core.lstm"} : (tensor<1x8xf32>) -> (tensor<1x2xf32>)
  %17 = "hlo.logistic"(%13) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %18 = "hlo.logistic"(%15) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %19 = "hlo.multiply"(%18, %9) {"op_type" = "core.lstm"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %20 = "hlo.tanh"(%16) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %21 = "hlo.multiply"(%17, %20) {"op_type" = "core.lstm"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %22 = "hlo.add"(%19, %21) {"op_type" = "core.lstm"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %23 = "hlo.logistic"(%14) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %24 = "hlo.tanh"(%22) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %25 = "hlo.multiply"(%23, %24) {"op_type" = "core.lstm"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %26 = "hlo.reshape"(%25) {"op_type" = "core.lstm"} : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
  "mlconv.yield"(%26) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: a GRU, of one step
// RUN: to-hlo
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %l, %l1 = "core.gru"(%x, %c1, %c2) {linear_before_reset = true, mlconv.absent = [3, 4, 5, 6]} : (tensor<1x1x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<6x2xf32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0.25> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<6x2xf32>)
  %5 = "hlo.slice"(%4) {"starts" = [0, 0], "limits" = [2, 2], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<6x2xf32>) -> (tensor<2x2xf32>)
  %6 = "hlo.slice"(%4) {"starts" = [2, 0], "limits" = [4, 2], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<6x2xf32>) -> (tensor<2x2xf32>)
  %7 = "hlo.slice"(%4) {"starts" = [4, 0], "limits" = [6, 2], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<6x2xf32>) -> (tensor<2x2xf32>)
  %8 = "hlo.dot"(%0, %2) {"lhs_contracting" = [2], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x1x2xf32>, tensor<6x2xf32>) -> (tensor<1x1x6xf32>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.gru"} : (tensor<f32>) -> (tensor<1x2xf32>)
  %11 = "hlo.reshape"(%8) {"op_type" = "core.gru"} : (tensor<1x1x6xf32>) -> (tensor<1x6xf32>)
  %12 = "hlo.slice"(%11) {"starts" = [0, 0], "limits" = [1, 2], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
  %13 = "hlo.slice"(%11) {"starts" = [0, 2], "limits" = [1, 4], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
  %14 = "hlo.slice"(%11) {"starts" = [0, 4], "limits" = [1, 6], "strides" = [1, 1], "op_type" = "core.gru"} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
  %15 = "hlo.dot"(%10, %5) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %16 = "hlo.add"(%12, %15) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %17 = "hlo.logistic"(%16) {"op_type" = "core.gru"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %18 = "hlo.dot"(%10, %6) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %19 = "hlo.add"(%13, %18) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %20 = "hlo.logistic"(%19) {"op_type" = "core.gru"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %21 = "hlo.dot"(%10, %7) {"lhs_contracting" = [1], "rhs_contracting" = [1], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %22 = "hlo.multiply"(%20, %21) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %23 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %24 = "hlo.broadcast"(%23) {"dimensions" = [], "op_type" = "core.gru"} : (tensor<f32>) -> (tensor<1x2xf32>)
  %25 = "hlo.subtract"(%24, %17) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %26 = "hlo.add"(%14, %22) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %27 = "hlo.tanh"(%26) {"op_type" = "core.gru"} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %28 = "hlo.multiply"(%25, %27) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %29 = "hlo.multiply"(%17, %10) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %30 = "hlo.add"(%28, %29) {"op_type" = "core.gru"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %31 = "hlo.reshape"(%30) {"op_type" = "core.gru"} : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
  "mlconv.yield"(%31) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: suppression is a loop over the boxes that are left
// RUN: to-hlo
^bb(%b: tensor<2x4xf32>, %s: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) {padded = true} : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<1xi32>, tensor<1xf32>, tensor<i32>)
  "mlconv.yield"(%n, %n1, %n2) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "hlo.slice"(%0) {"starts" = [0, 0], "limits" = [2, 1], "strides" = [1, 1], "op_type" = "core.non_max_suppression"} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %5 = "hlo.reshape"(%4) {"op_type" = "core.non_max_suppression"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %6 = "hlo.slice"(%0) {"starts" = [0, 1], "limits" = [2, 2], "strides" = [1, 1], "op_type" = "core.non_max_suppression"} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %7 = "hlo.reshape"(%6) {"op_type" = "core.non_max_suppression"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %8 = "hlo.slice"(%0) {"starts" = [0, 2], "limits" = [2, 3], "strides" = [1, 1], "op_type" = "core.non_max_suppression"} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %9 = "hlo.reshape"(%8) {"op_type" = "core.non_max_suppression"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %10 = "hlo.slice"(%0) {"starts" = [0, 3], "limits" = [2, 4], "strides" = [1, 1], "op_type" = "core.non_max_suppression"} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %11 = "hlo.reshape"(%10) {"op_type" = "core.non_max_suppression"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %12 = "hlo.minimum"(%5, %9) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %13 = "hlo.minimum"(%7, %11) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %14 = "hlo.maximum"(%5, %9) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %15 = "hlo.maximum"(%7, %11) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %16 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %17 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
  %18 = "hlo.compare"(%1, %17) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  %19 = "hlo.broadcast"(%16) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
  %20 = "hlo.select"(%18, %1, %19) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %21 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %22 = "hlo.broadcast"(%21) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<i32>) -> (tensor<1xi32>)
  %23 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %24 = "hlo.broadcast"(%23) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<1xf32>)
  %25 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %26 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %27, %28, %29, %30, %31 = "hlo.while"(%26, %20, %22, %24, %25) ({
  ^bb(%32: tensor<i32>, %33: tensor<2xf32>, %34: tensor<1xi32>, %35: tensor<1xf32>, %36: tensor<i32>):
    %37 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %38 = "hlo.compare"(%32, %37) {"direction" = "LT", "op_type" = "core.non_max_suppression"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%38) : (tensor<i1>) -> ()
  }, {
  ^bb(%39: tensor<i32>, %40: tensor<2xf32>, %41: tensor<1xi32>, %42: tensor<1xf32>, %43: tensor<i32>):
    %44 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %45 = "hlo.add"(%39, %44) {"op_type" = "core.non_max_suppression"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %46 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.arg_max"} : () -> (tensor<2xi32>)
    %47 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
    %48 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %49, %50 = "hlo.reduce"(%40, %46, %47, %48) ({
    ^bb(%51: tensor<f32>, %52: tensor<i32>, %53: tensor<f32>, %54: tensor<i32>):
      %55 = "hlo.compare"(%51, %53) {"direction" = "GT", "op_type" = "core.arg_max"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      %56 = "hlo.compare"(%51, %53) {"direction" = "EQ", "op_type" = "core.arg_max"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      %57 = "hlo.compare"(%51, %51) {"direction" = "NE", "op_type" = "core.arg_max"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      %58 = "hlo.compare"(%53, %53) {"direction" = "NE", "op_type" = "core.arg_max"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      %59 = "hlo.not"(%58) {"op_type" = "core.arg_max"} : (tensor<i1>) -> (tensor<i1>)
      %60 = "hlo.and"(%57, %59) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %61 = "hlo.or"(%55, %60) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %62 = "hlo.and"(%57, %58) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %63 = "hlo.or"(%56, %62) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %64 = "hlo.compare"(%52, %54) {"direction" = "LT", "op_type" = "core.arg_max"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
      %65 = "hlo.and"(%63, %64) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %66 = "hlo.or"(%61, %65) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
      %67 = "hlo.select"(%66, %51, %53) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<f32>)
      %68 = "hlo.select"(%66, %52, %54) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<i32>)
      "mlconv.yield"(%67, %68) : (tensor<f32>, tensor<i32>) -> ()
    }) {"dimensions" = [0], "op_type" = "core.arg_max"} : (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    %69 = "hlo.dynamic-slice"(%40, %50) {"sizes" = [1], "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<i32>) -> (tensor<1xf32>)
    %70 = "hlo.reshape"(%69) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>) -> (tensor<f32>)
    %71 = "hlo.compare"(%70, %16) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %72 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %73 = "hlo.select"(%71, %50, %72) {"op_type" = "core.non_max_suppression"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %74 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %75 = "hlo.select"(%71, %70, %74) {"op_type" = "core.non_max_suppression"} : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %76 = "hlo.reshape"(%73) {"op_type" = "core.non_max_suppression"} : (tensor<i32>) -> (tensor<1xi32>)
    %77 = "hlo.dynamic-update-slice"(%41, %76, %39) {"op_type" = "core.non_max_suppression"} : (tensor<1xi32>, tensor<1xi32>, tensor<i32>) -> (tensor<1xi32>)
    %78 = "hlo.reshape"(%75) {"op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<1xf32>)
    %79 = "hlo.dynamic-update-slice"(%42, %78, %39) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>, tensor<1xf32>, tensor<i32>) -> (tensor<1xf32>)
    %80 = "hlo.dynamic-slice"(%12, %50) {"sizes" = [1], "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<i32>) -> (tensor<1xf32>)
    %81 = "hlo.reshape"(%80) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>) -> (tensor<f32>)
    %82 = "hlo.dynamic-slice"(%13, %50) {"sizes" = [1], "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<i32>) -> (tensor<1xf32>)
    %83 = "hlo.reshape"(%82) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>) -> (tensor<f32>)
    %84 = "hlo.dynamic-slice"(%14, %50) {"sizes" = [1], "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<i32>) -> (tensor<1xf32>)
    %85 = "hlo.reshape"(%84) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>) -> (tensor<f32>)
    %86 = "hlo.dynamic-slice"(%15, %50) {"sizes" = [1], "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<i32>) -> (tensor<1xf32>)
    %87 = "hlo.reshape"(%86) {"op_type" = "core.non_max_suppression"} : (tensor<1xf32>) -> (tensor<f32>)
    %88 = "hlo.broadcast"(%85) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %89 = "hlo.minimum"(%14, %88) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %90 = "hlo.broadcast"(%81) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %91 = "hlo.maximum"(%12, %90) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %92 = "hlo.subtract"(%89, %91) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %93 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %94 = "hlo.broadcast"(%93) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %95 = "hlo.maximum"(%92, %94) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %96 = "hlo.broadcast"(%87) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %97 = "hlo.minimum"(%15, %96) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %98 = "hlo.broadcast"(%83) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %99 = "hlo.maximum"(%13, %98) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %100 = "hlo.subtract"(%97, %99) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %101 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %102 = "hlo.broadcast"(%101) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %103 = "hlo.maximum"(%100, %102) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %104 = "hlo.multiply"(%95, %103) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %105 = "hlo.subtract"(%14, %12) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %106 = "hlo.subtract"(%15, %13) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %107 = "hlo.multiply"(%105, %106) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %108 = "hlo.subtract"(%85, %81) {"op_type" = "core.non_max_suppression"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %109 = "hlo.subtract"(%87, %83) {"op_type" = "core.non_max_suppression"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %110 = "hlo.multiply"(%108, %109) {"op_type" = "core.non_max_suppression"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %111 = "hlo.broadcast"(%110) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %112 = "hlo.add"(%107, %111) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %113 = "hlo.subtract"(%112, %104) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %114 = "hlo.divide"(%104, %113) {"op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %115 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %116 = "hlo.broadcast"(%115) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %117 = "hlo.compare"(%113, %116) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
    %118 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %119 = "hlo.broadcast"(%118) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %120 = "hlo.select"(%117, %114, %119) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %121 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %122 = "hlo.broadcast"(%121) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %123 = "hlo.compare"(%107, %122) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
    %124 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %125 = "hlo.broadcast"(%124) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %126 = "hlo.select"(%123, %120, %125) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %127 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %128 = "hlo.compare"(%110, %127) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %129 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %130 = "hlo.broadcast"(%128) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<i1>) -> (tensor<2xi1>)
    %131 = "hlo.broadcast"(%129) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %132 = "hlo.select"(%130, %126, %131) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %133 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.non_max_suppression"} : () -> (tensor<2xi32>)
    %134 = "hlo.broadcast"(%50) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<i32>) -> (tensor<2xi32>)
    %135 = "hlo.compare"(%133, %134) {"direction" = "EQ", "op_type" = "core.non_max_suppression"} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi1>)
    %136 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %137 = "hlo.compare"(%132, %136) {"direction" = "GT", "op_type" = "core.non_max_suppression"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
    %138 = "hlo.or"(%137, %135) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xi1>) -> (tensor<2xi1>)
    %139 = "hlo.broadcast"(%16) {"dimensions" = [], "op_type" = "core.non_max_suppression"} : (tensor<f32>) -> (tensor<2xf32>)
    %140 = "hlo.select"(%138, %139, %40) {"op_type" = "core.non_max_suppression"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %141 = "hlo.convert"(%71) {"op_type" = "core.non_max_suppression"} : (tensor<i1>) -> (tensor<i32>)
    %142 = "hlo.add"(%43, %141) {"op_type" = "core.non_max_suppression"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%45, %140, %77, %79, %142) : (tensor<i32>, tensor<2xf32>, tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()
  }) {"op_type" = "core.non_max_suppression"} : (tensor<i32>, tensor<2xf32>, tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>, tensor<1xi32>, tensor<1xf32>, tensor<i32>)
  "mlconv.yield"(%29, %30, %31) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()

// -----
// CASE: a table is looked up by comparing with all keys
// RUN: to-hlo
^bb(%x: tensor<3xi64>):
  %c1 = "core.constant"() {value = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %c2 = "core.constant"() {value = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.lookup"(%x, %c1, %c2, %c3) : (tensor<3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  "mlconv.yield"(%y) : (tensor<3xi64>) -> ()
// EXPECT
^bb(%0: tensor<3xi64>):
  %1 = "core.constant"() {"value" = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "hlo.reshape"(%0) {"op_type" = "core.expand_dims"} : (tensor<3xi64>) -> (tensor<3x1xi64>)
  %4 = "hlo.reshape"(%3) {"op_type" = "core.equal"} : (tensor<3x1xi64>) -> (tensor<3xi64>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [0], "op_type" = "core.equal"} : (tensor<3xi64>) -> (tensor<3x2xi64>)
  %6 = "hlo.broadcast"(%1) {"dimensions" = [1], "op_type" = "core.equal"} : (tensor<2xi64>) -> (tensor<3x2xi64>)
  %7 = "hlo.compare"(%5, %6) {"direction" = "EQ", "op_type" = "core.equal"} : (tensor<3x2xi64>, tensor<3x2xi64>) -> (tensor<3x2xi1>)
  %8 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "hlo.broadcast"(%8) {"dimensions" = [1], "op_type" = "core.select"} : (tensor<2xi32>) -> (tensor<3x2xi32>)
  %11 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.select"} : (tensor<i32>) -> (tensor<3x2xi32>)
  %12 = "hlo.select"(%7, %10, %11) {"op_type" = "core.select"} : (tensor<3x2xi1>, tensor<3x2xi32>, tensor<3x2xi32>) -> (tensor<3x2xi32>)
  %13 = "core.constant"() {"value" = #mlconv.splat<"dense<-2147483648> : tensor<i32>">} : () -> (tensor<i32>)
  %14 = "hlo.reduce"(%12, %13) ({
  ^bb(%15: tensor<i32>, %16: tensor<i32>):
    %17 = "hlo.maximum"(%15, %16) {"op_type" = "core.reduce_max"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%17) : (tensor<i32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_max"} : (tensor<3x2xi32>, tensor<i32>) -> (tensor<3xi32>)
  %18 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %19 = "hlo.concatenate"(%18, %2) {"dimensions" = [0], "op_type" = "core.concat"} : (tensor<1xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  %20 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
  %21 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %22 = "hlo.broadcast"(%21) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i32>) -> (tensor<3xi32>)
  %23 = "hlo.compare"(%14, %22) {"direction" = "LT", "op_type" = "core.gather"} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi1>)
  %24 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i32>) -> (tensor<3xi32>)
  %25 = "hlo.add"(%14, %24) {"op_type" = "core.gather"} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %26 = "hlo.select"(%23, %25, %14) {"op_type" = "core.gather"} : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %27 = "hlo.gather"(%19, %26) {"offset_dims" = [], "collapsed_slice_dims" = [0], "start_index_map" = [0], "operand_batching_dims" = [], "start_indices_batching_dims" = [], "index_vector_dim" = 1, "slice_sizes" = [1], "op_type" = "core.gather"} : (tensor<3xi64>, tensor<3xi32>) -> (tensor<3xi64>)
  "mlconv.yield"(%27) : (tensor<3xi64>) -> ()
