// CASE: a function that kernels have is a table, with a limit behind it
// RUN: quant-lower{tables=true}
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %g = "core.gelu"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  %c = "core.clamp"(%g) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%c) {element = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[-100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -99, -98, -97, -96, -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, -83, -82, -81, -80, -79, -78, -77, -76, -75, -74, -73, -72, -71, -70, -69, -68, -67, -66, -65, -64, -63, -62, -61, -60, -59, -58, -57, -56, -55, -54, -53, -52, -51, -50, -49, -48, -47, -46, -45, -44, -43, -42, -41, -40, -39, -38, -37, -36, -35, -34, -33, -32, -31, -30, -29, -28, -27, -26, -25, -24, -23, -22, -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]> : tensor<256xi8>, "element" = !quant.uniform<i8:f32, 0.5:-100>} : () -> (tensor<256x!quant.uniform<i8:f32, 0.5:-100>>)
  %2 = "core.quant_table"(%0, %1) {"function" = "gelu", "alpha" = 0.0 : f64, "element" = !quant.uniform<i8:f32, 0.5:-100>, "lo" = -100, "hi" = 127} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<256x!quant.uniform<i8:f32, 0.5:-100>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()

// -----
// CASE: one that no kernel has stays a function of numbers
// RUN: quant-lower{tables=true}
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %g = "core.softplus"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%g) {element = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.dequantize"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %2 = "core.softplus"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%3) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()

// -----
// CASE: a chain of functions is one table, where that is asked for
// RUN: quant-lower{chains=true}
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %s = "core.softplus"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  %t = "core.tanh"(%s) : (tensor<4xf32>) -> (tensor<4xf32>)
  %m = "core.mul"(%a, %t) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%m) {element = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[-100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -100, -101, -101, -101, -100, -100, -99, -98, -97, -96, -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, -83, -82, -81, -80, -79, -78, -77, -76, -75, -74, -73, -72, -71, -70, -69, -68, -67, -66, -65, -64, -63, -62, -61, -60, -59, -58, -57, -56, -55, -54, -53, -52, -51, -50, -49, -48, -47, -46, -45, -44, -43, -42, -41, -40, -39, -38, -37, -36, -35, -34, -33, -32, -31, -30, -29, -28, -27, -26, -25, -24, -23, -22, -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]> : tensor<256xi8>, "element" = !quant.uniform<i8:f32, 0.5:-100>} : () -> (tensor<256x!quant.uniform<i8:f32, 0.5:-100>>)
  %2 = "core.quant_table"(%0, %1) {"function" = "", "alpha" = 0.0 : f64, "element" = !quant.uniform<i8:f32, 0.5:-100>, "lo" = -128, "hi" = 127} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<256x!quant.uniform<i8:f32, 0.5:-100>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()

// -----
// CASE: not of fewer elements than a table is worth
// RUN: quant-lower{chains=true,least=5}
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %t = "core.tanh"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%t) {element = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.dequantize"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %2 = "core.tanh"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<i8:f32, 0.5:-100>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>)
  "mlconv.yield"(%3) : (tensor<4x!quant.uniform<i8:f32, 0.5:-100>>) -> ()

// -----
// CASE: softmax, and a pool that keeps its scale
// RUN: quant-lower{windows=true}
^bb(%x: tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x4x4x8xf32>)
  %p = "core.avg_pool"(%a) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], layout = "N01C"} : (tensor<1x4x4x8xf32>) -> (tensor<1x2x2x8xf32>)
  %q = "core.quantize"(%p) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<1x2x2x8xf32>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  %b = "core.dequantize"(%q) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8xf32>)
  %s = "core.softmax"(%b) {axis = 3} : (tensor<1x2x2x8xf32>) -> (tensor<1x2x2x8xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i8:f32, 0.00390625:-128>} : (tensor<1x2x2x8xf32>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%y) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.quant_average_pool"(%0) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "N01C", "element" = !quant.uniform<i8:f32, 0.5:3>, "lo" = -128, "hi" = 127} : (tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "core.quant_softmax"(%1) {"axis" = 3, "element" = !quant.uniform<i8:f32, 0.00390625:-128>, "lo" = -128, "hi" = 127} : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%2) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()

// -----
// CASE: a resize and a transposed convolution
// RUN: quant-lower{windows=true}
^bb(%x: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>):
  %n = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.constant"() {value = dense<1> : tensor<2x2x3x1xi8>, element = !quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>} : () -> (tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>)
  %v = "core.dequantize"(%w) : (tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>) -> (tensor<2x2x3x1xf32>)
  %a = "core.dequantize"(%x) : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x1xf32>)
  %r = "core.resize"(%a, %n) {axes = [1, 2], mode = "linear", coordinates = "half_pixel"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  %q = "core.quantize"(%r) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>)
  %b = "core.dequantize"(%q) : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x4x4x1xf32>)
  %t = "core.conv_transpose"(%b, %v) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x1xf32>, tensor<2x2x3x1xf32>) -> (tensor<1x8x8x3xf32>)
  %y = "core.quantize"(%t) {element = !quant.uniform<i8:f32, 1.0:-5>} : (tensor<1x8x8x3xf32>) -> (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<2x2x3x1xi8>, "element" = !quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>} : () -> (tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>)
  %3 = "core.quant_resize"(%0, %1) {"axes" = [1, 2], "align_corners" = false, "half_pixel" = true} : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xi64>) -> (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>)
  %4 = "core.quant_conv_transpose"(%3, %2) {"strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "output_pads" = [0, 0], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01OI", "y_layout" = "N01C", "element" = !quant.uniform<i8:f32, 1.0:-5>, "lo" = -128, "hi" = 127, "mlconv.absent" = [2]} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>) -> (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%4) : (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
