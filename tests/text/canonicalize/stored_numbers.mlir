// CASE: integers less zero points times scales are weights of a product
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>):
  %q = "core.constant"() {value = dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8>} : () -> (tensor<2x3xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<2x3xi8>) -> (tensor<2x3xf32>)
  %z = "core.constant"() {value = dense<[[1.0], [0.0]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %d = "core.sub"(%f, %z) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %s = "core.constant"() {value = dense<[[0.5], [0.25]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %w = "core.mul"(%d, %s) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %t = "core.transpose"(%w) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %y = "core.matmul"(%x, %t) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8>, "element" = !quant.uniform<i8:f32:0, {0.5:1, 0.25}>} : () -> (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>)
  %2 = "core.dequantize"(%1) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>) -> (tensor<2x3xf32>)
  %3 = "core.transpose"(%2) {"perm" = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %4 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%4) : (tensor<2x2xf32>) -> ()

// -----
// CASE: scales of columns behind a product are those of its weights
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>):
  %q = "core.constant"() {value = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<3x2xi8>) -> (tensor<3x2xf32>)
  %p = "core.matmul"(%x, %f) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %s = "core.constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "core.mul"(%s, %p) : (tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi8>, "element" = !quant.uniform<i8:f32:1, {0.5, 0.25}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  %2 = "core.dequantize"(%1) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<3x2xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: scales of two axes, zero points between integers, and numbers that no product reads, stay
// RUN: canonicalize
^bb(%x: tensor<2x2xf32>):
  %q = "core.constant"() {value = dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>} : () -> (tensor<2x2xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<2x2xi8>) -> (tensor<2x2xf32>)
  %s = "core.constant"() {value = dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %w = "core.mul"(%f, %s) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %a = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %z = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %d = "core.sub"(%f, %z) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %v = "core.mul"(%d, %z) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %b = "core.matmul"(%x, %v) {transpose_a = false, transpose_b = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %u = "core.mul"(%f, %z) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %c = "core.add"(%a, %u) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%b, %c) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>} : () -> (tensor<2x2xi8>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<2x2xi8>) -> (tensor<2x2xf32>)
  %3 = "core.constant"() {"value" = dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %5 = "core.matmul"(%0, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.sub"(%2, %6) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %8 = "core.mul"(%7, %6) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %9 = "core.matmul"(%0, %8) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %10 = "core.mul"(%2, %6) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xf32>)
  %11 = "core.add"(%5, %10) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%9, %11) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
