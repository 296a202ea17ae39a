// CASE: products of integers are sums of wider ones
// RUN: to-tf
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
  %5 = "tf.Cast"(%0) {"SrcT" = ui8, "DstT" = f64} : (tensor<1x3x3x2xui8>) -> (tensor<1x3x3x2xf64>)
  %6 = "tf.Cast"(%4) {"SrcT" = ui8, "DstT" = f64} : (tensor<ui8>) -> (tensor<f64>)
  %7 = "tf.Sub"(%5, %6) {"T" = f64} : (tensor<1x3x3x2xf64>, tensor<f64>) -> (tensor<1x3x3x2xf64>)
  %8 = "core.constant"() {"value" = #mlconv.derived<"[i8, [1, 1, 2, 3], [1, 1, 2, 3], \"transpose\", [1, 2, 3, 0], [dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]]> : tensor<3x1x1x2xi8>]]">} : () -> (tensor<1x1x2x3xi8>)
  %9 = "tf.Cast"(%8) {"SrcT" = i8, "DstT" = f64} : (tensor<1x1x2x3xi8>) -> (tensor<1x1x2x3xf64>)
  %10 = "tf.Conv2D"(%7, %9) {"T" = f64, "dilations" = [1, 1, 1, 1], "strides" = [1, 1, 1, 1], "padding" = "VALID"} : (tensor<1x3x3x2xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x3x3x3xf64>)
  %11 = "tf.Cast"(%10) {"SrcT" = f64, "DstT" = i32} : (tensor<1x3x3x3xf64>) -> (tensor<1x3x3x3xi32>)
  %12 = "tf.Cast"(%1) {"SrcT" = ui8, "DstT" = i32} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  %13 = "tf.Cast"(%2) {"SrcT" = ui8, "DstT" = i32} : (tensor<ui8>) -> (tensor<i32>)
  %14 = "tf.Sub"(%12, %13) {"T" = i32} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  %15 = "tf.Cast"(%3) {"SrcT" = i8, "DstT" = i32} : (tensor<3x2xi8>) -> (tensor<3x2xi32>)
  %16 = "tf.MatMul"(%14, %15) {"T" = i32, "transpose_a" = false, "transpose_b" = false} : (tensor<2x3xi32>, tensor<3x2xi32>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%11, %16) : (tensor<1x3x3x3xi32>, tensor<2x2xi32>) -> ()
