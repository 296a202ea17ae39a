// CASE: products of integers are operators
// RUN: to-onnx
^bb(%x: tensor<1x3x3x2xui8>, %a: tensor<2x3xui8>, %za: tensor<ui8>):
  %w = "core.constant"() {value = dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]]> : tensor<3x1x1x2xi8>} : () -> (tensor<3x1x1x2xi8>)
  %b = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %zx = "core.constant"() {value = dense<7> : tensor<ui8>} : () -> (tensor<ui8>)
  %y = "core.integer_conv"(%x, %w, %zx) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], w_layout = "O01I", mlconv.absent = [2, 4]} : (tensor<1x3x3x2xui8>, tensor<3x1x1x2xi8>, tensor<ui8>) -> (tensor<1x3x3x3xi32>)
  %u = "core.integer_matmul"(%a, %b, %za) {mlconv.absent = [3]} : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%y, %u) : (tensor<1x3x3x3xi32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x3x2xui8>, %1: tensor<2x3xui8>, %2: tensor<ui8>):
  %3 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %4 = "core.constant"() {"value" = dense<7> : tensor<ui8>} : () -> (tensor<ui8>)
  %5 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x3x3x2xui8>) -> (tensor<1x2x3x3xui8>)
  %6 = "core.constant"() {"value" = dense<[[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]]> : tensor<3x2x1x1xi8>} : () -> (tensor<3x2x1x1xi8>)
  %7 = "onnx.ConvInteger"(%5, %6, %4) {"group" = 1, "kernel_shape" = [1, 1], "strides" = [1, 1], "opset_version" = 17} : (tensor<1x2x3x3xui8>, tensor<3x2x1x1xi8>, tensor<ui8>) -> (tensor<1x3x3x3xi32>)
  %8 = "onnx.Transpose"(%7) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x3x3x3xi32>) -> (tensor<1x3x3x3xi32>)
  %9 = "onnx.MatMulInteger"(%1, %3, %2) {"opset_version" = 17} : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%8, %9) : (tensor<1x3x3x3xi32>, tensor<2x2xi32>) -> ()
