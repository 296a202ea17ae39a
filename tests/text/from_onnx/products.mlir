// CASE: Gemm with alpha and a transposed factor
// RUN: from-onnx
^bb(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>):
  %y = "onnx.Gemm"(%a, %b, %c) {alpha = 0.5 : f64, transB = 1, opset_version = 17} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<4x3xf32>, %2: tensor<4xf32>):
  %3 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3xf32>, tensor<4x3xf32>) -> (tensor<2x4xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.mul"(%3, %4) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %6 = "core.add"(%5, %2) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%6) : (tensor<2x4xf32>) -> ()

// -----
// CASE: Gemm without C
// RUN: from-onnx
^bb(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>):
  %y = "onnx.Gemm"(%a, %b) {transA = 1, opset_version = 17} : (tensor<3x2xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>, %1: tensor<3x4xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = true, "transpose_b" = false} : (tensor<3x2xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: MatMul of a vector
// RUN: from-onnx
^bb(%a: tensor<3xf32>, %b: tensor<3x4xf32>):
  %y = "onnx.MatMul"(%a, %b) {opset_version = 17} : (tensor<3xf32>, tensor<3x4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>, %1: tensor<3x4xf32>):
  %2 = "core.expand_dims"(%0) {"axes" = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
  %3 = "core.matmul"(%2, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x3xf32>, tensor<3x4xf32>) -> (tensor<1x4xf32>)
  %4 = "core.squeeze"(%3) {"axes" = [0]} : (tensor<1x4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: inner sizes that differ are refused
// RUN: from-onnx
^bb(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>):
  %y = "onnx.MatMul"(%a, %b) {opset_version = 17} : (tensor<2x3xf32>, tensor<4x5xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: MatMul of float32[2,3] and float32[4,5]: inner sizes 3 and 4 differ
  = node: y  onnx.MatMul (float32[2,3], float32[4,5])

// -----
// CASE: Einsum of a batched product
// RUN: from-onnx
^bb(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>):
  %y = "onnx.Einsum"(%a, %b) {equation = "bij,bjk->bik", opset_version = 17} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x4x5xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: Einsum of a diagonal
// RUN: from-onnx
^bb(%a: tensor<3x3xf32>):
  %y = "onnx.Einsum"(%a) {equation = "ii->i", opset_version = 17} : (tensor<3x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x3xf32>):
  %1 = "core.constant"() {"value" = dense<[9]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<3x3xf32>, tensor<1xi64>) -> (tensor<9xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%2, %3, %4, %5) {"begin_mask" = 1, "end_mask" = 1} : (tensor<9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>)
  "mlconv.yield"(%6) : (tensor<3xf32>) -> ()

// -----
// CASE: MatMulInteger subtracts its zero points
// RUN: from-onnx
^bb(%a: tensor<2x3xui8>, %b: tensor<3x4xi8>):
  %z = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> (tensor<ui8>)
  %y = "onnx.MatMulInteger"(%a, %b, %z) {opset_version = 17} : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<ui8>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%y) : (tensor<2x4xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xui8>, %1: tensor<3x4xi8>):
  %2 = "core.constant"() {"value" = dense<128> : tensor<ui8>} : () -> (tensor<ui8>)
  %3 = "core.integer_matmul"(%0, %1, %2) {"transpose_a" = false, "transpose_b" = false, "mlconv.absent" = [3]} : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<ui8>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%3) : (tensor<2x4xi32>) -> ()

// -----
// CASE: Det of matrices that are not square is refused
// RUN: from-onnx
^bb(%x: tensor<6x5xf32>):
  %y = "onnx.Det"(%x) {opset_version = 17} : (tensor<6x5xf32>) -> (tensor<f32>)
  "mlconv.yield"(%y) : (tensor<f32>) -> ()
// DIAGNOSTICS
error[MLC0201]: Det takes square matrices, the input is float32[6,5]
  = node: y  onnx.Det (float32[6,5])

// -----
// CASE: Einsum with a batch behind other axes: these are batches too, and nothing moves
// RUN: from-onnx,canonicalize,dce
^bb(%a: tensor<1x2x4x5x3xf32>, %b: tensor<4x6x3xf32>):
  %y = "onnx.Einsum"(%a, %b) {equation = "byhwc,hkc->byhwk", opset_version = 17} : (tensor<1x2x4x5x3xf32>, tensor<4x6x3xf32>) -> (tensor<1x2x4x5x6xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x5x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x5x3xf32>, %1: tensor<4x6x3xf32>):
  %2 = "core.transpose"(%1) {"perm" = [0, 2, 1]} : (tensor<4x6x3xf32>) -> (tensor<4x3x6xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 4, 3, 6]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<4x3x6xf32>, tensor<5xi64>) -> (tensor<1x1x4x3x6xf32>)
  %5 = "core.matmul"(%0, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2x4x5x3xf32>, tensor<1x1x4x3x6xf32>) -> (tensor<1x2x4x5x6xf32>)
  "mlconv.yield"(%5) : (tensor<1x2x4x5x6xf32>) -> ()

// -----
// CASE: Einsum whose batch leaves one row: all rows are joined
// RUN: from-onnx,canonicalize,dce
^bb(%a: tensor<2x4x1x3xf32>, %b: tensor<4x3x6xf32>):
  %y = "onnx.Einsum"(%a, %b) {equation = "bhqc,hck->bhqk", opset_version = 17} : (tensor<2x4x1x3xf32>, tensor<4x3x6xf32>) -> (tensor<2x4x1x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x4x1x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4x1x3xf32>, %1: tensor<4x3x6xf32>):
  %2 = "core.transpose"(%0) {"perm" = [1, 0, 2, 3]} : (tensor<2x4x1x3xf32>) -> (tensor<4x2x1x3xf32>)
  %3 = "core.constant"() {"value" = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<4x2x1x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %5 = "core.matmul"(%4, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<4x2x3xf32>, tensor<4x3x6xf32>) -> (tensor<4x2x6xf32>)
  %6 = "core.constant"() {"value" = dense<[4, 2, 1, 6]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<4x2x6xf32>, tensor<4xi64>) -> (tensor<4x2x1x6xf32>)
  %8 = "core.transpose"(%7) {"perm" = [1, 0, 2, 3]} : (tensor<4x2x1x6xf32>) -> (tensor<2x4x1x6xf32>)
  "mlconv.yield"(%8) : (tensor<2x4x1x6xf32>) -> ()
