// CASE: products of integers are arithmetic in int32 where the target has none
// RUN: quant-to-arithmetic
^bb(%x: tensor<1x3x3x2xui8>, %a: tensor<2x3xui8>, %za: tensor<ui8>):
  %w = "core.constant"() {value = dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]]> : tensor<3x1x1x2xi8>} : () -> (tensor<3x1x1x2xi8>)
  %b = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %zx = "core.constant"() {value = dense<7> : tensor<ui8>} : () -> (tensor<ui8>)
  %y = "core.integer_conv"(%x, %w, %zx) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], w_layout = "O01I", mlconv.absent = [2, 4]} : (tensor<1x3x3x2xui8>, tensor<3x1x1x2xi8>, tensor<ui8>) -> (tensor<1x3x3x3xi32>)
  %u = "core.integer_matmul"(%a, %b, %za) {mlconv.absent = [3]} : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%y, %u) : (tensor<1x3x3x3xi32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x3x2xui8>, %1: tensor<2x3xui8>, %2: tensor<ui8>):
  %3 = "core.constant"() {"value" = dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]]> : tensor<3x1x1x2xi8>} : () -> (tensor<3x1x1x2xi8>)
  %4 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %5 = "core.constant"() {"value" = dense<7> : tensor<ui8>} : () -> (tensor<ui8>)
  %6 = "core.cast"(%0) {"dtype" = i32, "saturate" = false} : (tensor<1x3x3x2xui8>) -> (tensor<1x3x3x2xi32>)
  %7 = "core.cast"(%5) {"dtype" = i32, "saturate" = false} : (tensor<ui8>) -> (tensor<i32>)
  %8 = "core.sub"(%6, %7) : (tensor<1x3x3x2xi32>, tensor<i32>) -> (tensor<1x3x3x2xi32>)
  %9 = "core.cast"(%3) {"dtype" = i32, "saturate" = false} : (tensor<3x1x1x2xi8>) -> (tensor<3x1x1x2xi32>)
  %10 = "core.conv"(%8, %9) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x3x3x2xi32>, tensor<3x1x1x2xi32>) -> (tensor<1x3x3x3xi32>)
  %11 = "core.cast"(%1) {"dtype" = i32, "saturate" = false} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  %12 = "core.cast"(%2) {"dtype" = i32, "saturate" = false} : (tensor<ui8>) -> (tensor<i32>)
  %13 = "core.sub"(%11, %12) : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  %14 = "core.cast"(%4) {"dtype" = i32, "saturate" = false} : (tensor<3x2xi8>) -> (tensor<3x2xi32>)
  %15 = "core.matmul"(%13, %14) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xi32>, tensor<3x2xi32>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%10, %15) : (tensor<1x3x3x3xi32>, tensor<2x2xi32>) -> ()
