// CASE: a small quantized constant becomes numbers
// RUN: fold,dce
^bb():
  %c = "core.constant"() {value = dense<[3, 5]> : tensor<2xi8>} : () -> (tensor<2xi8>)
  %q = "core.storage_cast"(%c) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<2xi8>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:3>>)
  %y = "core.dequantize"(%q) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
  %0 = "core.constant"() {"value" = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  "mlconv.yield"(%0) : (tensor<2xf32>) -> ()

// -----
// CASE: what is made of a constant keeps its quantization
// RUN: fold,dce
^bb():
  %c = "core.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %q = "core.quantize"(%c) {element = !quant.uniform<i8:f32:1, {0.5, 0.25}>} : (tensor<1x2xf32>) -> (tensor<1x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  %y = "core.transpose"(%q) {perm = [1, 0]} : (tensor<1x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  "mlconv.yield"(%y) : (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> ()
// EXPECT
  %0 = "core.constant"() {"value" = dense<[[2], [8]]> : tensor<2x1xi8>, "element" = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : () -> (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  "mlconv.yield"(%0) : (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> ()

// -----
// CASE: equal ops with other results stay apart
// RUN: cse
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %b = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %c = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%a, %b, %c) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.neg"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "core.neg"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%1, %2, %1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: scales of channels move where the channels do
// RUN: layout
^bb(%x: tensor<1x2x5x5xf32>, %v: tensor<2x2x1x1xf32>):
  %c = "core.constant"() {value = dense<[[[[3]], [[5]]], [[[7]], [[1]]]]> : tensor<2x2x1x1xi8>} : () -> (tensor<2x2x1x1xi8>)
  %d = "core.storage_cast"(%c) {element = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : (tensor<2x2x1x1xi8>) -> (tensor<2x2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  %w = "core.dequantize"(%d) : (tensor<2x2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %w) {mlconv.absent = [2], dilations = [1, 1], groups = 1, pads = [[0, 0], [0, 0]], strides = [1, 1], w_layout = "OI01", x_layout = "NC01", y_layout = "NC01"} : (tensor<1x2x5x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x5x5xf32>)
  %q = "core.quantize"(%a) {element = !quant.uniform<i8:f32:1, {0.5, 0.25:4}>} : (tensor<1x2x5x5xf32>) -> (tensor<1x2x5x5x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  %n = "core.neg"(%q) : (tensor<1x2x5x5x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> (tensor<1x2x5x5x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  %b = "core.dequantize"(%n) : (tensor<1x2x5x5x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> (tensor<1x2x5x5xf32>)
  %y = "core.conv"(%b, %v) {mlconv.absent = [2], dilations = [1, 1], groups = 1, pads = [[0, 0], [0, 0]], strides = [1, 1], w_layout = "OI01", x_layout = "NC01", y_layout = "NC01"} : (tensor<1x2x5x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x5x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x5x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5x5xf32>, %1: tensor<2x2x1x1xf32>):
  %2 = "core.constant"() {"value" = dense<[[[[3]], [[5]]], [[[7]], [[1]]]]> : tensor<2x2x1x1xi8>} : () -> (tensor<2x2x1x1xi8>)
  %3 = "core.storage_cast"(%2) {"element" = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : (tensor<2x2x1x1xi8>) -> (tensor<2x2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  %4 = "core.dequantize"(%3) : (tensor<2x2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x1x1xf32>)
  %5 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x5x5xf32>) -> (tensor<1x5x5x2xf32>)
  %6 = "core.conv"(%5, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x5x5x2xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x5x5x2xf32>)
  %7 = "core.quantize"(%6) {"element" = !quant.uniform<i8:f32:3, {0.5, 0.25:4}>} : (tensor<1x5x5x2xf32>) -> (tensor<1x5x5x2x!quant.uniform<i8:f32:3, {0.5, 0.25:4}>>)
  %8 = "core.neg"(%7) : (tensor<1x5x5x2x!quant.uniform<i8:f32:3, {0.5, 0.25:4}>>) -> (tensor<1x5x5x2x!quant.uniform<i8:f32:3, {0.5, 0.25:4}>>)
  %9 = "core.dequantize"(%8) : (tensor<1x5x5x2x!quant.uniform<i8:f32:3, {0.5, 0.25:4}>>) -> (tensor<1x5x5x2xf32>)
  %10 = "core.conv"(%9, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x5x5x2xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x5x5x2xf32>)
  %11 = "core.transpose"(%10) {"perm" = [0, 3, 1, 2]} : (tensor<1x5x5x2xf32>) -> (tensor<1x2x5x5xf32>)
  "mlconv.yield"(%11) : (tensor<1x2x5x5xf32>) -> ()

// -----
// CASE: arithmetic of quantized numbers keeps its roundings and types
// RUN: canonicalize
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %c = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.mul"(%x, %c) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<f32>) -> (tensor<4xf32>)
  %n = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 8.0>>)
  %m = "core.neg"(%n) : (tensor<4x!quant.uniform<i8:f32, 8.0>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%a, %m) : (tensor<4xf32>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.neg"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 8.0>>)
  %4 = "core.neg"(%3) : (tensor<4x!quant.uniform<i8:f32, 8.0>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%2, %4) : (tensor<4xf32>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: data movement of integers is merged
// RUN: canonicalize,dce
^bb(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %a = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  %b = "core.transpose"(%a) {perm = [1, 0]} : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>)
  "mlconv.yield"(%b) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  "mlconv.yield"(%0) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()
