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

// -----
// CASE: numbers that columns of a product are divided by, once they are axes, are scales of its weights
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>):
  %q = "core.constant"() {value = dense<[[[1, -2], [3, 4]], [[5, -6], [7, 8]], [[9, 1], [2, 3]]]> : tensor<3x2x2xi8>} : () -> (tensor<3x2x2xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<3x2x2xi8>) -> (tensor<3x2x2xf32>)
  %n = "core.constant"() {value = dense<[3, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.reshape"(%f, %n) : (tensor<3x2x2xf32>, tensor<2xi64>) -> (tensor<3x4xf32>)
  %p = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %m = "core.constant"() {value = dense<[2, 2, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.reshape"(%p, %m) : (tensor<2x4xf32>, tensor<3xi64>) -> (tensor<2x2x2xf32>)
  %s = "core.constant"() {value = dense<[[[2.0, 4.0], [8.0, 16.0]]]> : tensor<1x2x2xf32>} : () -> (tensor<1x2x2xf32>)
  %y = "core.div"(%r, %s) : (tensor<2x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 2, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[[1, -2, 3, 4], [5, -6, 7, 8], [9, 1, 2, 3]]> : tensor<3x4xi8>, "element" = !quant.uniform<i8:f32:1, {0.5, 0.25, 0.125, 0.0625}>} : () -> (tensor<3x4x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125, 0.0625}>>)
  %3 = "core.dequantize"(%2) : (tensor<3x4x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125, 0.0625}>>) -> (tensor<3x4xf32>)
  %4 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %5 = "core.reshape"(%4, %1) : (tensor<2x4xf32>, tensor<3xi64>) -> (tensor<2x2x2xf32>)
  "mlconv.yield"(%5) : (tensor<2x2x2xf32>) -> ()

// -----
// CASE: scales and zero points that are looked up by group are those of blocks
// RUN: canonicalize
^bb(%x: tensor<2x16xf32>):
  %q = "core.constant"() {value = dense<1> : tensor<16x2xi8>} : () -> (tensor<16x2xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<16x2xi8>) -> (tensor<16x2xf32>)
  %i = "core.constant"() {value = dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]> : tensor<16xi32>} : () -> (tensor<16xi32>)
  %z = "core.constant"() {value = dense<[[1, 0], [0, -2]]> : tensor<2x2xi8>} : () -> (tensor<2x2xi8>)
  %zs = "core.gather"(%z, %i) {axis = 0} : (tensor<2x2xi8>, tensor<16xi32>) -> (tensor<16x2xi8>)
  %zf = "core.cast"(%zs) {dtype = f32} : (tensor<16x2xi8>) -> (tensor<16x2xf32>)
  %d = "core.sub"(%f, %zf) : (tensor<16x2xf32>, tensor<16x2xf32>) -> (tensor<16x2xf32>)
  %s = "core.constant"() {value = dense<[[0.5, 0.25], [0.125, 2.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %ss = "core.gather"(%s, %i) {axis = 0} : (tensor<2x2xf32>, tensor<16xi32>) -> (tensor<16x2xf32>)
  %w = "core.mul"(%d, %ss) : (tensor<16x2xf32>, tensor<16x2xf32>) -> (tensor<16x2xf32>)
  %y = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x16xf32>, tensor<16x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x16xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<16x2xi8>, "element" = !quant.uniform<i8:f32:{0:8, 1:1}, {{0.5:1, 0.25}, {0.125, 2.0:-2}}>} : () -> (tensor<16x2x!quant.uniform<i8:f32:{0:8, 1:1}, {{0.5:1, 0.25}, {0.125, 2.0:-2}}>>)
  %2 = "core.dequantize"(%1) : (tensor<16x2x!quant.uniform<i8:f32:{0:8, 1:1}, {{0.5:1, 0.25}, {0.125, 2.0:-2}}>>) -> (tensor<16x2xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x16xf32>, tensor<16x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: groups that are no blocks, and zero points of other groups than the scales, stay
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %q = "core.constant"() {value = dense<1> : tensor<4x2xi8>} : () -> (tensor<4x2xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<4x2xi8>) -> (tensor<4x2xf32>)
  %i = "core.constant"() {value = dense<[0, 1, 1, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %s = "core.constant"() {value = dense<[[0.5, 0.25], [0.125, 2.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %ss = "core.gather"(%s, %i) {axis = 0} : (tensor<2x2xf32>, tensor<4xi32>) -> (tensor<4x2xf32>)
  %w = "core.mul"(%f, %ss) : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %y = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x4xf32>, tensor<4x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<4x2xi8>} : () -> (tensor<4x2xi8>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<4x2xi8>) -> (tensor<4x2xf32>)
  %3 = "core.constant"() {"value" = dense<[0, 1, 1, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "core.constant"() {"value" = dense<[[0.5, 0.25], [0.125, 2.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %5 = "core.gather"(%4, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2x2xf32>, tensor<4xi32>) -> (tensor<4x2xf32>)
  %6 = "core.mul"(%2, %5) : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %7 = "core.matmul"(%0, %6) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x4xf32>, tensor<4x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%7) : (tensor<2x2xf32>) -> ()

// -----
// CASE: rows with a scale each, in a shape of weights, are blocks; a scale below 0 turns the bits of its row
// RUN: canonicalize,dce
^bb(%x: tensor<1x16xf32>):
  %q = "core.constant"() {value = dense<[[1, -2, 3, 4, -5, 6, 7, -8], [0, 1, 2, 3, -4, -3, -2, -1]]> : tensor<2x8xi4>, element = !quant.uniform<i4:f32, 1.0>} : () -> (tensor<2x8x!quant.uniform<i4:f32, 1.0>>)
  %n = "core.dequantize"(%q) : (tensor<2x8x!quant.uniform<i4:f32, 1.0>>) -> (tensor<2x8xf32>)
  %s = "core.constant"() {value = dense<[[0.5], [-0.25]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %m = "core.mul"(%n, %s) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  %shape = "core.constant"() {value = dense<[1, 16]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.reshape"(%m, %shape) : (tensor<2x8xf32>, tensor<2xi64>) -> (tensor<1x16xf32>)
  %y = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = true} : (tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[i4, [1, 16], [2, 8], \"xor\", [], [dense<[[1, -2, 3, 4, -5, 6, 7, -8], [0, 1, 2, 3, -4, -3, -2, -1]]> : tensor<2x8xi4>, dense<[[0], [-1]]> : tensor<2x1xi4>]]">, "element" = !quant.uniform<i4:f32:{0:1, 1:8}, {{0.5, 0.25:-1}}>} : () -> (tensor<1x16x!quant.uniform<i4:f32:{0:1, 1:8}, {{0.5, 0.25:-1}}>>)
  %2 = "core.dequantize"(%1) : (tensor<1x16x!quant.uniform<i4:f32:{0:1, 1:8}, {{0.5, 0.25:-1}}>>) -> (tensor<1x16xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x1xf32>) -> ()
