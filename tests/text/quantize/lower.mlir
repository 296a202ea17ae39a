// CASE: a product, its bias and a ReLU are one op over integers
// RUN: quant-lower
^bb(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %wq = "core.storage_cast"(%w) {element = !quant.uniform<i8:f32:1, {0.25, 0.125}>} : (tensor<3x2xi8>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>)
  %b = "core.constant"() {value = dense<[7, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %bq = "core.storage_cast"(%b) {element = !quant.uniform<i32:f32:0, {0.125, 0.0625}>} : (tensor<2xi32>) -> (tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>)
  %xf = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %wf = "core.dequantize"(%wq) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>) -> (tensor<3x2xf32>)
  %bf = "core.dequantize"(%bq) : (tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>) -> (tensor<2xf32>)
  %m = "core.matmul"(%xf, %wf) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %s = "core.add"(%m, %bf) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %r = "core.clamp"(%s) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %y = "core.quantize"(%r) {element = !quant.uniform<i8:f32, 1.0:-5>} : (tensor<2x2xf32>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, "element" = !quant.uniform<i8:f32:1, {0.25, 0.125}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>)
  %2 = "core.constant"() {"value" = dense<[7, 8]> : tensor<2xi32>, "element" = !quant.uniform<i32:f32:0, {0.125, 0.0625}>} : () -> (tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>)
  %3 = "core.quant_matmul"(%0, %1, %2) {"transpose_a" = false, "transpose_b" = false, "element" = !quant.uniform<i8:f32, 1.0:-5>, "lo" = -5, "hi" = 127} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>, tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%3) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()

// -----
// CASE: a bias of numbers is stored with the product of the scales
// RUN: quant-lower
^bb(%x: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5>>):
  %w = "core.constant"() {value = dense<[[[[2, 3]]]]> : tensor<1x1x1x2xi8>} : () -> (tensor<1x1x1x2xi8>)
  %wq = "core.storage_cast"(%w) {element = !quant.uniform<i8:f32, 0.25>} : (tensor<1x1x1x2xi8>) -> (tensor<1x1x1x2x!quant.uniform<i8:f32, 0.25>>)
  %b = "core.constant"() {value = dense<[1.0, -2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %xf = "core.dequantize"(%x) : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5>>) -> (tensor<1x2x2x1xf32>)
  %wf = "core.dequantize"(%wq) : (tensor<1x1x1x2x!quant.uniform<i8:f32, 0.25>>) -> (tensor<1x1x1x2xf32>)
  %c = "core.conv"(%xf, %wf, %b) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x2x2x1xf32>, tensor<1x1x1x2xf32>, tensor<2xf32>) -> (tensor<1x2x2x2xf32>)
  %y = "core.quantize"(%c) {element = !quant.uniform<i8:f32, 0.5>} : (tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5>>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5>>):
  %1 = "core.constant"() {"value" = dense<[[[[2, 3]]]]> : tensor<1x1x1x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<1x1x1x2x!quant.uniform<i8:f32, 0.25>>)
  %2 = "core.constant"() {"value" = dense<[8, -16]> : tensor<2xi32>, "element" = !quant.uniform<i32:f32, 0.125>} : () -> (tensor<2x!quant.uniform<i32:f32, 0.125>>)
  %3 = "core.quant_conv"(%0, %1, %2) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "element" = !quant.uniform<i8:f32, 0.5>, "lo" = -128, "hi" = 127, "twice" = false} : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5>>, tensor<1x1x1x2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%3) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5>>) -> ()

// -----
// CASE: a sum with a limit at 6
// RUN: quant-lower
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25>>):
  %x = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %z = "core.dequantize"(%b) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4xf32>)
  %s = "core.add"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %r = "core.clamp"(%s) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%r) {element = !quant.uniform<i8:f32, 0.25:-10>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.25:-10>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.25:-10>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.25>>):
  %2 = "core.quant_binary"(%0, %1) {"kind" = "add", "element" = !quant.uniform<i8:f32, 0.25:-10>, "lo" = -10, "hi" = 14} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25:-10>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 0.25:-10>>) -> ()

// -----
// CASE: numbers that something else needs stay numbers
// RUN: quant-lower
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>):
  %x = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<4xf32>)
  %s = "core.mul"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i8:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%y, %s) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5>>):
  %1 = "core.dequantize"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<4xf32>)
  %2 = "core.mul"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<i8:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%3, %2) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> ()

// -----
// CASE: scales that are too far from one another for kernels
// RUN: quant-lower
^bb(%a: tensor<4x!quant.uniform<i8:f32, 300.0>>, %b: tensor<4x!quant.uniform<i8:f32, 1.0>>):
  %x = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 300.0>>) -> (tensor<4xf32>)
  %z = "core.dequantize"(%b) : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> (tensor<4xf32>)
  %s = "core.add"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i8:f32, 1.0>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 1.0>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 300.0>>, %1: tensor<4x!quant.uniform<i8:f32, 1.0>>):
  %2 = "core.dequantize"(%0) : (tensor<4x!quant.uniform<i8:f32, 300.0>>) -> (tensor<4xf32>)
  %3 = "core.dequantize"(%1) : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> (tensor<4xf32>)
  %4 = "core.add"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.quantize"(%4) {"element" = !quant.uniform<i8:f32, 1.0>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 1.0>>)
  "mlconv.yield"(%5) : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> ()

// -----
// CASE: a mean, and a number that becomes what it was
// RUN: quant-lower
^bb(%a: tensor<2x4x!quant.uniform<i8:f32, 0.5>>):
  %x = "core.dequantize"(%a) : (tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x4xf32>)
  %m = "core.reduce_mean"(%x) {axes = [1], keepdims = true} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %y = "core.quantize"(%m) {element = !quant.uniform<i8:f32, 0.25>} : (tensor<2x1xf32>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.25>>)
  %same = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5>} : (tensor<2x4xf32>) -> (tensor<2x4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%y, %same) : (tensor<2x1x!quant.uniform<i8:f32, 0.25>>, tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> ()
// EXPECT
^bb(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5>>):
  %1 = "core.quant_mean"(%0) {"axes" = [1], "keepdims" = true, "element" = !quant.uniform<i8:f32, 0.25>, "lo" = -128, "hi" = 127} : (tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%1, %0) : (tensor<2x1x!quant.uniform<i8:f32, 0.25>>, tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> ()

// -----
// CASE: another scale is a requantization
// RUN: quant-lower
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %x = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %r = "core.clamp"(%x) {lo = -1.0 : f64, hi = 4.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%r) {element = !quant.uniform<i8:f32, 0.25>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.requantize"(%0) {"element" = !quant.uniform<i8:f32, 0.25>, "lo" = -4, "hi" = 16} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> ()

// -----
// CASE: unsigned integers become signed ones, but where they come in and go out
// RUN: quant-lower
^bb(%a: tensor<4xui8>):
  %q = "core.storage_cast"(%a) {element = !quant.uniform<u8:f32, 0.5:131>} : (tensor<4xui8>) -> (tensor<4x!quant.uniform<u8:f32, 0.5:131>>)
  %x = "core.dequantize"(%q) : (tensor<4x!quant.uniform<u8:f32, 0.5:131>>) -> (tensor<4xf32>)
  %s = "core.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<u8:f32, 1.0:120>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<u8:f32, 1.0:120>>)
  %o = "core.storage_cast"(%y) {element = ui8} : (tensor<4x!quant.uniform<u8:f32, 1.0:120>>) -> (tensor<4xui8>)
  "mlconv.yield"(%o) : (tensor<4xui8>) -> ()
// EXPECT
^bb(%0: tensor<4xui8>):
  %1 = "core.storage_cast"(%0) {"element" = !quant.uniform<u8:f32, 0.5:131>} : (tensor<4xui8>) -> (tensor<4x!quant.uniform<u8:f32, 0.5:131>>)
  %2 = "core.requantize"(%1) {"element" = !quant.uniform<i8:f32, 0.5:3>, "lo" = -128, "hi" = 127} : (tensor<4x!quant.uniform<u8:f32, 0.5:131>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %3 = "core.quant_binary"(%2, %2) {"kind" = "add", "element" = !quant.uniform<i8:f32, 1.0:-8>, "lo" = -128, "hi" = 127} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 1.0:-8>>)
  %4 = "core.requantize"(%3) {"element" = !quant.uniform<u8:f32, 1.0:120>, "lo" = 0, "hi" = 255} : (tensor<4x!quant.uniform<i8:f32, 1.0:-8>>) -> (tensor<4x!quant.uniform<u8:f32, 1.0:120>>)
  %5 = "core.storage_cast"(%4) {"element" = ui8} : (tensor<4x!quant.uniform<u8:f32, 1.0:120>>) -> (tensor<4xui8>)
  "mlconv.yield"(%5) : (tensor<4xui8>) -> ()

// -----
// CASE: integers are moved as integers, on either side of what rounds
// RUN: quant-lower
^bb(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5>>):
  %x = "core.dequantize"(%a) : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x3xf32>)
  %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %s = "core.add"(%t, %t) : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>)
  %u = "core.transpose"(%s) {perm = [1, 0]} : (tensor<3x2xf32>) -> (tensor<2x3xf32>)
  %y = "core.quantize"(%u) {element = !quant.uniform<i8:f32, 1.0>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 1.0>>)
  "mlconv.yield"(%y) : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5>>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.5>>)
  %2 = "core.quant_binary"(%1, %1) {"kind" = "add", "element" = !quant.uniform<i8:f32, 1.0>, "lo" = -128, "hi" = 127} : (tensor<3x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<3x2x!quant.uniform<i8:f32, 1.0>>)
  %3 = "core.transpose"(%2) {"perm" = [1, 0]} : (tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> (tensor<2x3x!quant.uniform<i8:f32, 1.0>>)
  "mlconv.yield"(%3) : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>) -> ()

// -----
// CASE: tensors of several scales that are joined get one
// RUN: quant-lower
^bb(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x!quant.uniform<i8:f32, 1.0>>):
  %x = "core.dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2xf32>)
  %z = "core.dequantize"(%b) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> (tensor<2xf32>)
  %c = "core.concat"(%x, %z) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%c) {element = !quant.uniform<i8:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> ()
// EXPECT
^bb(%0: tensor<2x!quant.uniform<i8:f32, 0.5>>, %1: tensor<2x!quant.uniform<i8:f32, 1.0>>):
  %2 = "core.requantize"(%1) {"element" = !quant.uniform<i8:f32, 0.5>, "lo" = -128, "hi" = 127} : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>)
  %3 = "core.concat"(%0, %2) {"axis" = 0} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%3) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> ()

// -----
// CASE: padding with a number that an integer stands for
// RUN: quant-lower
^bb(%a: tensor<2x!quant.uniform<i8:f32, 0.5:7>>):
  %x = "core.dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:7>>) -> (tensor<2xf32>)
  %n = "core.constant"() {value = dense<[[1, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %v = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %n, %v) : (tensor<2xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%p) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x!quant.uniform<i8:f32, 0.5:7>>):
  %1 = "core.constant"() {"value" = dense<[[1, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %2 = "core.constant"() {"value" = dense<7> : tensor<i8>, "element" = !quant.uniform<i8:f32, 0.5:7>} : () -> (tensor<!quant.uniform<i8:f32, 0.5:7>>)
  %3 = "core.pad"(%0, %1, %2) {"mode" = "constant"} : (tensor<2x!quant.uniform<i8:f32, 0.5:7>>, tensor<1x2xi64>, tensor<!quant.uniform<i8:f32, 0.5:7>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:7>>)
  %4 = "core.dequantize"(%3) : (tensor<4x!quant.uniform<i8:f32, 0.5:7>>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: plain integers between quantized tensors are moved as these
// RUN: quant-lower
^bb(%a: tensor<2x3xf32>):
  %q = "core.quantize"(%a) {element = !quant.uniform<u8:f32, 0.5:128>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>)
  %i = "core.storage_cast"(%q) {element = ui8} : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> (tensor<2x3xui8>)
  %t = "core.transpose"(%i) {perm = [1, 0]} : (tensor<2x3xui8>) -> (tensor<3x2xui8>)
  %r = "core.storage_cast"(%t) {element = !quant.uniform<u8:f32, 0.5:128>} : (tensor<3x2xui8>) -> (tensor<3x2x!quant.uniform<u8:f32, 0.5:128>>)
  %y = "core.dequantize"(%r) : (tensor<3x2x!quant.uniform<u8:f32, 0.5:128>>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.quantize"(%0) {"element" = !quant.uniform<i8:f32, 0.5>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
  %2 = "core.transpose"(%1) {"perm" = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.5>>)
  %3 = "core.dequantize"(%2) : (tensor<3x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: activations of 4 bits are limited bytes of the same scale
// RUN: quant-lower
^bb(%x: tensor<2x3xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<u4:f32, 0.5:9>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<u4:f32, 0.5:9>>)
  %y = "core.dequantize"(%q) : (tensor<2x3x!quant.uniform<u4:f32, 0.5:9>>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.clamp"(%0) {"lo" = -4.5 : f64, "hi" = 3.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.quantize"(%1) {"element" = !quant.uniform<i8:f32, 0.5:9>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:9>>)
  %3 = "core.dequantize"(%2) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:9>>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: rows of a table that are rounded come from a table of integers
// RUN: quant-lower
^bb(%i: tensor<2xi64>):
  %t = "core.constant"() {value = dense<[[0.5, 1.0], [-1.0, 2.0], [3.0, 0.0]]> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %r = "core.gather"(%t, %i) : (tensor<3x2xf32>, tensor<2xi64>) -> (tensor<2x2xf32>)
  %q = "core.quantize"(%r) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<2x2xf32>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%q) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<2xi64>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[i8, [3, 2], [3, 2], \"quantize\", [i8, -128, 127], [dense<[[0.5, 1.0], [-1.0, 2.0], [3.0, 0.0]]> : tensor<3x2xf32>, dense<[[0.5]]> : tensor<1x1xf32>, dense<[[3.0]]> : tensor<1x1xf64>]]">, "element" = !quant.uniform<i8:f32, 0.5:3>} : () -> (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "core.gather"(%1, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xi64>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%2) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: where channels have scales of their own, limits stay those of numbers
// RUN: quant-lower{tables=true,chains=true}
^bb(%a: tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %x = "core.dequantize"(%a) : (tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x2xf32>)
  %r = "core.clamp"(%x) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %y = "core.quantize"(%r) {element = !quant.uniform<u8:f32:1, {0.25, 0.125}>} : (tensor<4x2xf32>) -> (tensor<4x2x!quant.uniform<u8:f32:1, {0.25, 0.125}>>)
  "mlconv.yield"(%y) : (tensor<4x2x!quant.uniform<u8:f32:1, {0.25, 0.125}>>) -> ()
// EXPECT
^bb(%0: tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.dequantize"(%0) : (tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x2xf32>)
  %2 = "core.clamp"(%1) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<u8:f32:1, {0.25, 0.125}>} : (tensor<4x2xf32>) -> (tensor<4x2x!quant.uniform<u8:f32:1, {0.25, 0.125}>>)
  "mlconv.yield"(%3) : (tensor<4x2x!quant.uniform<u8:f32:1, {0.25, 0.125}>>) -> ()
