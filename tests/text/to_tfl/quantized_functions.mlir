// CASE: a table that a kernel has, one with an option, and one that is read
// RUN: to-tfl
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %t = "core.constant"() {value = dense<7> : tensor<256xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<256x!quant.uniform<i8:f32, 0.25>>)
  %a = "core.quant_table"(%x, %t) {function = "exp", element = !quant.uniform<i8:f32, 0.25>, lo = -128, hi = 100} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<256x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %b = "core.quant_table"(%a, %t) {function = "leaky_relu", alpha = 0.5 : f64, element = !quant.uniform<i8:f32, 0.25>, lo = -128, hi = 127} : (tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<256x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %c = "core.quant_table"(%b, %t) {element = !quant.uniform<i8:f32, 0.25>, lo = -128, hi = 127} : (tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<256x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%c) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<7> : tensor<256xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<256x!quant.uniform<i8:f32, 0.25>>)
  %2 = "tfl.EXP"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %3 = "core.constant"() {"value" = dense<100> : tensor<i8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<!quant.uniform<i8:f32, 0.25>>)
  %4 = "tfl.MINIMUM"(%2, %3) : (tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %5 = "tfl.LEAKY_RELU"(%4) {"alpha" = 0.5 : f64} : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %6 = "tfl.BITCAST"(%5) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4xi8>)
  %7 = "tfl.CAST"(%6) {"in_data_type" = "INT8", "out_data_type" = "INT32"} : (tensor<4xi8>) -> (tensor<4xi32>)
  %8 = "core.constant"() {"value" = dense<-128> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "tfl.SUB"(%7, %8) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  %10 = "tfl.GATHER"(%1, %9) {"axis" = 0, "batch_dims" = 0} : (tensor<256x!quant.uniform<i8:f32, 0.25>>, tensor<4xi32>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%10) : (tensor<4x!quant.uniform<i8:f32, 0.25>>) -> ()

// -----
// CASE: softmax is along the last axis
// RUN: to-tfl
^bb(%x: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.quant_softmax"(%x) {axis = 1, element = !quant.uniform<i8:f32, 0.00390625:-128>, lo = -128, hi = 127} : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  %b = "core.quant_log_softmax"(%x) {axis = 2, element = !quant.uniform<i8:f32, 0.0625:127>, lo = -128, hi = 127} : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x4x!quant.uniform<i8:f32, 0.0625:127>>)
  "mlconv.yield"(%a, %b) : (tensor<2x3x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x3x4x!quant.uniform<i8:f32, 0.0625:127>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[0, 2, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tfl.TRANSPOSE"(%0, %1) : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3xi32>) -> (tensor<2x4x3x!quant.uniform<i8:f32, 0.5:3>>)
  %3 = "tfl.SOFTMAX"(%2) {"beta" = 1.0 : f64} : (tensor<2x4x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x4x3x!quant.uniform<i8:f32, 0.00390625:-128>>)
  %4 = "core.constant"() {"value" = dense<[0, 2, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.TRANSPOSE"(%3, %4) : (tensor<2x4x3x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<3xi32>) -> (tensor<2x3x4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  %6 = "tfl.LOG_SOFTMAX"(%0) : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x4x!quant.uniform<i8:f32, 0.0625:127>>)
  "mlconv.yield"(%5, %6) : (tensor<2x3x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x3x4x!quant.uniform<i8:f32, 0.0625:127>>) -> ()

// -----
// CASE: a pool, and one that no kernel has
// RUN: to-tfl
^bb(%x: tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.quant_average_pool"(%x) {window = [2, 2], strides = [2, 2], pads = "SAME_UPPER", dilations = [1, 1], layout = "N01C", element = !quant.uniform<i8:f32, 0.5:3>, lo = -128, hi = 127} : (tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  %b = "core.quant_average_pool"(%a) {window = [2, 1], strides = [1, 1], pads = [[1, 0], [0, 0]], dilations = [1, 1], layout = "N01C", element = !quant.uniform<i8:f32, 0.5:3>, lo = -128, hi = 127} : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%b) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "tfl.AVERAGE_POOL_2D"(%0) {"padding" = "SAME", "filter_height" = 2, "stride_h" = 2, "filter_width" = 2, "stride_w" = 2} : (tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "tfl.DEQUANTIZE"(%1) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x8xf32>)
  %3 = "core.constant"() {"value" = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %4 = "tfl.PAD"(%2, %3) : (tensor<1x2x2x8xf32>, tensor<4x2xi32>) -> (tensor<1x3x2x8xf32>)
  %5 = "tfl.AVERAGE_POOL_2D"(%4) {"padding" = "VALID", "filter_height" = 2, "stride_h" = 1, "filter_width" = 1, "stride_w" = 1} : (tensor<1x3x2x8xf32>) -> (tensor<1x2x2x8xf32>)
  %6 = "core.constant"() {"value" = dense<[[[[2.0], [2.0]], [[1.0], [1.0]]]]> : tensor<1x2x2x1xf32>} : () -> (tensor<1x2x2x1xf32>)
  %7 = "tfl.MUL"(%5, %6) : (tensor<1x2x2x8xf32>, tensor<1x2x2x1xf32>) -> (tensor<1x2x2x8xf32>)
  %8 = "tfl.QUANTIZE"(%7) : (tensor<1x2x2x8xf32>) -> (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%8) : (tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: a resize and a transposed convolution
// RUN: to-tfl
^bb(%x: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>):
  %n = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.constant"() {value = dense<1> : tensor<2x2x3x1xi8>, element = !quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>} : () -> (tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>)
  %r = "core.quant_resize"(%x, %n) {axes = [1, 2], half_pixel = true} : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xi64>) -> (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>)
  %y = "core.quant_conv_transpose"(%r, %w) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], element = !quant.uniform<i8:f32, 1.0:-5>, lo = -5, hi = 127, mlconv.absent = [2]} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>) -> (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.RESIZE_BILINEAR"(%0, %2) {"align_corners" = false, "half_pixel_centers" = true} : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xi32>) -> (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<3x2x2x1xi8>, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>} : () -> (tensor<3x2x2x1x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>)
  %5 = "core.constant"() {"value" = dense<[1, 8, 8, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<3xi32>, "element" = !quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>} : () -> (tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>)
  %7 = "tfl.TRANSPOSE_CONV"(%5, %4, %3, %6) {"padding" = "SAME", "stride_h" = 2, "stride_w" = 2} : (tensor<4xi32>, tensor<3x2x2x1x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>, tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>) -> (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>)
  %8 = "core.constant"() {"value" = dense<-5> : tensor<i8>, "element" = !quant.uniform<i8:f32, 1.0:-5>} : () -> (tensor<!quant.uniform<i8:f32, 1.0:-5>>)
  %9 = "tfl.MAXIMUM"(%7, %8) : (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>, tensor<!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%9) : (tensor<1x8x8x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()

// -----
// CASE: integers of a transposed convolution are spread with zeros
// RUN: to-tfl
^bb(%x: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<1> : tensor<2x2x3x1xi8>, element = !quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>} : () -> (tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>)
  %y = "core.quant_conv_transpose"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [2, 2], element = !quant.uniform<i8:f32, 1.0:-5>, lo = -128, hi = 127, mlconv.absent = [2]} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x2x3x1x!quant.uniform<i8:f32:2, {0.25, 0.5, 0.125}>>) -> (tensor<1x6x6x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<1x6x6x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[i8, [3, 3, 3, 1], [3, 3, 3, 1], \"slice\", [[0, 3, 1], [0, 3, 1], [0, 3, 1], [0, 1, 1]], [#mlconv.derived<\"[i8, [3, 3, 4, 1], [3, 3, 2, 2, 1], \\\"pad\\\", [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0]], [#mlconv.derived<\\\"[i8, [3, 3, 2, 1, 1], [3, 3, 2, 1], \\\\\\\"slice\\\\\\\", [[0, 3, 1], [0, 3, 1], [0, 2, 1], [0, 1, 1]], [#mlconv.derived<\\\\\\\"[i8, [3, 4, 2, 1], [3, 2, 2, 2, 1], \\\\\\\\\\\\\\\"pad\\\\\\\\\\\\\\\", [[0, 0], [0, 0], [0, 1], [0, 0], [0, 0]], [dense<1> : tensor<3x2x1x2x1xi8>]]\\\\\\\">]]\\\">]]\">]]">, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>} : () -> (tensor<3x3x3x1x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>)
  %2 = "core.constant"() {"value" = dense<[1, 6, 6, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<3xi32>, "element" = !quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>} : () -> (tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>)
  %4 = "tfl.TRANSPOSE_CONV"(%2, %1, %0, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1} : (tensor<4xi32>, tensor<3x3x3x1x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>, tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>) -> (tensor<1x6x6x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%4) : (tensor<1x6x6x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
