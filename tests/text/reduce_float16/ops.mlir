// CASE: what one op makes and the next takes is not rounded in between
// RUN: reduce-float16,dce
^bb(%x: tensor<4xf16>, %k: tensor<4xf16>):
  %s = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %m = "core.mul"(%x, %k) : (tensor<4xf16>, tensor<4xf16>) -> (tensor<4xf16>)
  %r = "core.reshape"(%m, %s) : (tensor<4xf16>, tensor<2xi64>) -> (tensor<2x2xf16>)
  %e = "core.exp"(%r) : (tensor<2x2xf16>) -> (tensor<2x2xf16>)
  %f = "core.cast"(%e) {"dtype" = f32} : (tensor<2x2xf16>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%e, %f) : (tensor<2x2xf16>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf16>, %1: tensor<4xf16>):
  %2 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<4xf16>) -> (tensor<4xf32>)
  %4 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<4xf16>) -> (tensor<4xf32>)
  %5 = "core.mul"(%3, %4) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "core.reshape"(%5, %2) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<2x2xf32>)
  %7 = "core.exp"(%6) : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %8 = "core.cast"(%7) {"dtype" = f16, "saturate" = false} : (tensor<2x2xf32>) -> (tensor<2x2xf16>)
  "mlconv.yield"(%8, %7) : (tensor<2x2xf16>, tensor<2x2xf32>) -> ()

// -----
// CASE: what only moves numbers that are float16 outside keeps them, and casts of the source round
// RUN: reduce-float16,dce
^bb(%x: tensor<2x3xf16>, %y: tensor<3xf32>):
  %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3xf16>) -> (tensor<3x2xf16>)
  %h = "core.cast"(%y) {"dtype" = f16} : (tensor<3xf32>) -> (tensor<3xf16>)
  %f = "core.cast"(%h) {"dtype" = f32} : (tensor<3xf16>) -> (tensor<3xf32>)
  %a = "core.abs"(%h) : (tensor<3xf16>) -> (tensor<3xf16>)
  "mlconv.yield"(%t, %f, %a) : (tensor<3x2xf16>, tensor<3xf32>, tensor<3xf16>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf16>, %1: tensor<3xf32>):
  %2 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3xf16>) -> (tensor<3x2xf16>)
  %3 = "core.cast"(%1) {"dtype" = f16, "saturate" = false} : (tensor<3xf32>) -> (tensor<3xf16>)
  %4 = "core.cast"(%3) {"dtype" = f32, "saturate" = false} : (tensor<3xf16>) -> (tensor<3xf32>)
  %5 = "core.cast"(%3) {"dtype" = f32, "saturate" = false} : (tensor<3xf16>) -> (tensor<3xf32>)
  %6 = "core.abs"(%5) : (tensor<3xf32>) -> (tensor<3xf32>)
  %7 = "core.cast"(%6) {"dtype" = f16, "saturate" = false} : (tensor<3xf32>) -> (tensor<3xf16>)
  "mlconv.yield"(%2, %4, %7) : (tensor<3x2xf16>, tensor<3xf32>, tensor<3xf16>) -> ()

// -----
// CASE: bfloat16, too, where that is asked for
// RUN: reduce-float16{bfloat16=true},dce
^bb(%x: tensor<4xbf16>):
  %e = "core.exp"(%x) : (tensor<4xbf16>) -> (tensor<4xbf16>)
  "mlconv.yield"(%e) : (tensor<4xbf16>) -> ()
// EXPECT
^bb(%0: tensor<4xbf16>):
  %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<4xbf16>) -> (tensor<4xf32>)
  %2 = "core.exp"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.cast"(%2) {"dtype" = bf16, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xbf16>)
  "mlconv.yield"(%3) : (tensor<4xbf16>) -> ()

// -----
// CASE: bfloat16 is left alone otherwise
// RUN: reduce-float16,dce
^bb(%x: tensor<4xbf16>):
  %e = "core.exp"(%x) : (tensor<4xbf16>) -> (tensor<4xbf16>)
  "mlconv.yield"(%e) : (tensor<4xbf16>) -> ()
// EXPECT
^bb(%0: tensor<4xbf16>):
  %1 = "core.exp"(%0) : (tensor<4xbf16>) -> (tensor<4xbf16>)
  "mlconv.yield"(%1) : (tensor<4xbf16>) -> ()

// -----
// CASE: what integers stand for is not rounded to float16
// RUN: reduce-float16,dce
^bb(%x: tensor<3x2xf16>):
  %q = "core.constant"() {value = dense<1> : tensor<2x4xi8>, element = !quant.uniform<i8:f16:1, {0.25, 0.5, 0.5, 0.5}>} : () -> (tensor<2x4x!quant.uniform<i8:f16:1, {0.25, 0.5, 0.5, 0.5}>>)
  %w = "core.dequantize"(%q) : (tensor<2x4x!quant.uniform<i8:f16:1, {0.25, 0.5, 0.5, 0.5}>>) -> (tensor<2x4xf16>)
  %m = "core.matmul"(%x, %w) : (tensor<3x2xf16>, tensor<2x4xf16>) -> (tensor<3x4xf16>)
  "mlconv.yield"(%m) : (tensor<3x4xf16>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf16>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<2x4xi8>, "element" = !quant.uniform<i8:f32:1, {0.25, 0.5, 0.5, 0.5}>} : () -> (tensor<2x4x!quant.uniform<i8:f32:1, {0.25, 0.5, 0.5, 0.5}>>)
  %2 = "core.dequantize"(%1) : (tensor<2x4x!quant.uniform<i8:f32:1, {0.25, 0.5, 0.5, 0.5}>>) -> (tensor<2x4xf32>)
  %3 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<3x2xf16>) -> (tensor<3x2xf32>)
  %4 = "core.matmul"(%3, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<3x2xf32>, tensor<2x4xf32>) -> (tensor<3x4xf32>)
  %5 = "core.cast"(%4) {"dtype" = f16, "saturate" = false} : (tensor<3x4xf32>) -> (tensor<3x4xf16>)
  "mlconv.yield"(%5) : (tensor<3x4xf16>) -> ()
