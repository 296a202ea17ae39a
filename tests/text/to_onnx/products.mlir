// CASE: a product has the numbers of its axes, and none is turned
// RUN: to-onnx
^bb(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>):
  %y = "core.matmul"(%a, %b) {transpose_b = true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x5x4xf32>):
  %2 = "onnx.Transpose"(%1) {"perm" = [0, 2, 1], "opset_version" = 17} : (tensor<2x5x4xf32>) -> (tensor<2x4x5xf32>)
  %3 = "onnx.MatMul"(%0, %2) {"opset_version" = 17} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: a factor without batch
// RUN: to-onnx
^bb(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<4x5xf32>):
  %2 = "onnx.MatMul"(%0, %1) {"opset_version" = 17} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: batches that broadcast
// RUN: to-onnx
^bb(%a: tensor<2x1x3x4xf32>, %b: tensor<1x5x4x2xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x1x3x4xf32>, tensor<1x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x5x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x3x4xf32>, %1: tensor<1x5x4x2xf32>):
  %2 = "onnx.MatMul"(%0, %1) {"opset_version" = 17} : (tensor<2x1x3x4xf32>, tensor<1x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x5x3x2xf32>) -> ()

// -----
// CASE: a matrix that is added to a product of matrices
// RUN: to-onnx
^bb(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>, %d: tensor<2x1xf32>):
  %p = "core.matmul"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %y = "core.add"(%c, %p) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %q = "core.matmul"(%a, %b) {transpose_a = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %z = "core.add"(%q, %d) : (tensor<2x4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3x4xf32>, %2: tensor<2x4xf32>, %3: tensor<2x1xf32>):
  %4 = "onnx.Gemm"(%0, %1, %2) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %5 = "onnx.Gemm"(%0, %1, %3) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%4, %5) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()

// -----
// CASE: a product that is spread over more rows is none of Gemm
// RUN: to-onnx
^bb(%a: tensor<1x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>):
  %p = "core.matmul"(%a, %b) : (tensor<1x3xf32>, tensor<3x4xf32>) -> (tensor<1x4xf32>)
  %y = "core.add"(%p, %c) : (tensor<1x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>, %1: tensor<3x4xf32>, %2: tensor<2x4xf32>):
  %3 = "onnx.MatMul"(%0, %1) {"opset_version" = 17} : (tensor<1x3xf32>, tensor<3x4xf32>) -> (tensor<1x4xf32>)
  %4 = "onnx.Add"(%3, %2) {"opset_version" = 17} : (tensor<1x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x4xf32>) -> ()
