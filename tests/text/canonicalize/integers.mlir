// CASE: products of widened bytes are products of bytes
// RUN: canonicalize,dce
^bb(%a: tensor<2x3xi8>, %b: tensor<3x4xui8>, %x: tensor<1x4x4x2xi8>, %w: tensor<3x3x2x5xi8>):
  %0 = "core.cast"(%a) {dtype = i32} : (tensor<2x3xi8>) -> (tensor<2x3xi32>)
  %1 = "core.cast"(%b) {dtype = i32} : (tensor<3x4xui8>) -> (tensor<3x4xi32>)
  %2 = "core.matmul"(%0, %1) : (tensor<2x3xi32>, tensor<3x4xi32>) -> (tensor<2x4xi32>)
  %3 = "core.cast"(%x) {dtype = i32} : (tensor<1x4x4x2xi8>) -> (tensor<1x4x4x2xi32>)
  %4 = "core.cast"(%w) {dtype = i32} : (tensor<3x3x2x5xi8>) -> (tensor<3x3x2x5xi32>)
  %5 = "core.conv"(%3, %4) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xi32>, tensor<3x3x2x5xi32>) -> (tensor<1x2x2x5xi32>)
  "mlconv.yield"(%2, %5) : (tensor<2x4xi32>, tensor<1x2x2x5xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>, %1: tensor<3x4xui8>, %2: tensor<1x4x4x2xi8>, %3: tensor<3x3x2x5xi8>):
  %4 = "core.integer_matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false, "mlconv.absent" = [2, 3]} : (tensor<2x3xi8>, tensor<3x4xui8>) -> (tensor<2x4xi32>)
  %5 = "core.integer_conv"(%2, %3) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2, 3, 4]} : (tensor<1x4x4x2xi8>, tensor<3x3x2x5xi8>) -> (tensor<1x2x2x5xi32>)
  "mlconv.yield"(%4, %5) : (tensor<2x4xi32>, tensor<1x2x2x5xi32>) -> ()
