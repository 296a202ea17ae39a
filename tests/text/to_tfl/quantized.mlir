// CASE: a convolution over integers with a ReLU
// RUN: to-tfl
^bb(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<1> : tensor<1x1x2x3xi8>, element = !quant.uniform<i8:f32:3, {0.25, 0.5, 0.125}>} : () -> (tensor<1x1x2x3x!quant.uniform<i8:f32:3, {0.25, 0.5, 0.125}>>)
  %y = "core.quant_conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], element = !quant.uniform<i8:f32, 1.0:-5>, lo = -5, hi = 127, mlconv.absent = [2]} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x1x2x3x!quant.uniform<i8:f32:3, {0.25, 0.5, 0.125}>>) -> (tensor<1x4x4x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<3xi32>, "element" = !quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>} : () -> (tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<3x1x1x2xi8>, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>} : () -> (tensor<3x1x1x2x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU"} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x1x1x2x!quant.uniform<i8:f32:0, {0.25, 0.5, 0.125}>>, tensor<3x!quant.uniform<i32:f32:0, {0.125, 0.25, 0.0625}>>) -> (tensor<1x4x4x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%3) : (tensor<1x4x4x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()

// -----
// CASE: integers are padded with their zero point, limits that no kernel has are ops
// RUN: to-tfl
^bb(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<1> : tensor<3x3x1x2xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x3x1x2x!quant.uniform<i8:f32, 0.25>>)
  %b = "core.constant"() {value = dense<[7, 8]> : tensor<2xi32>, element = !quant.uniform<i32:f32, 0.125>} : () -> (tensor<2x!quant.uniform<i32:f32, 0.125>>)
  %y = "core.quant_conv"(%x, %w, %b) {strides = [2, 2], pads = [[1, 1], [1, 1]], dilations = [1, 1], groups = 2, element = !quant.uniform<i8:f32, 1.0:-5>, lo = -3, hi = 100} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[7, 8]> : tensor<2xi32>, "element" = !quant.uniform<i32:f32, 0.125>} : () -> (tensor<2x!quant.uniform<i32:f32, 0.125>>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %3 = "tfl.PAD"(%0, %2) : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2xi32>) -> (tensor<1x6x6x2x!quant.uniform<i8:f32, 0.5:3>>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<1x3x3x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<1x3x3x2x!quant.uniform<i8:f32, 0.25>>)
  %5 = "tfl.DEPTHWISE_CONV_2D"(%3, %4, %1) {"depth_multiplier" = 1, "padding" = "VALID", "stride_h" = 2, "stride_w" = 2, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "NONE"} : (tensor<1x6x6x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %6 = "core.constant"() {"value" = dense<-3> : tensor<i8>, "element" = !quant.uniform<i8:f32, 1.0:-5>} : () -> (tensor<!quant.uniform<i8:f32, 1.0:-5>>)
  %7 = "tfl.MAXIMUM"(%5, %6) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %8 = "core.constant"() {"value" = dense<100> : tensor<i8>, "element" = !quant.uniform<i8:f32, 1.0:-5>} : () -> (tensor<!quant.uniform<i8:f32, 1.0:-5>>)
  %9 = "tfl.MINIMUM"(%7, %8) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%9) : (tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()

// -----
// CASE: a product with constant weights, and one of two tensors
// RUN: to-tfl
^bb(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, element = !quant.uniform<i8:f32:1, {0.25, 0.5}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>)
  %y = "core.quant_matmul"(%x, %w) {element = !quant.uniform<i8:f32, 1.0:-5>, lo = -128, hi = 127, mlconv.absent = [2]} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %z = "core.quant_matmul"(%y, %x) {element = !quant.uniform<i8:f32, 1.0:-5>, lo = -128, hi = 127, mlconv.absent = [2]} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%z) : (tensor<2x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[i8, [2, 3], [2, 3], \"transpose\", [1, 0], [dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>]]">, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5}>} : () -> (tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "fused_activation_function" = "NONE", "mlconv.absent" = [2]} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %3 = "tfl.BATCH_MATMUL"(%2, %0) {"adj_x" = false, "adj_y" = false} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%3) : (tensor<2x3x!quant.uniform<i8:f32, 1.0:-5>>) -> ()

// -----
// CASE: a sum, a mean and another scale
// RUN: to-tfl
^bb(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<3x!quant.uniform<i8:f32, 0.25>>):
  %s = "core.quant_binary"(%x, %z) {kind = "add", element = !quant.uniform<i8:f32, 0.5:-10>, lo = -10, hi = 2} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>)
  %m = "core.quant_mean"(%s) {axes = [1], keepdims = true, element = !quant.uniform<i8:f32, 0.25>, lo = -128, hi = 127} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.25>>)
  %r = "core.requantize"(%m) {element = !quant.uniform<i8:f32, 0.125>, lo = -128, hi = 127} : (tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.125>>)
  "mlconv.yield"(%r) : (tensor<2x1x!quant.uniform<i8:f32, 0.125>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<3x!quant.uniform<i8:f32, 0.25>>):
  %2 = "tfl.ADD"(%0, %1) {"fused_activation_function" = "RELU6"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tfl.MEAN"(%2, %3) {"keep_dims" = true} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>, tensor<1xi32>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.25>>)
  %5 = "tfl.QUANTIZE"(%4) : (tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.125>>)
  "mlconv.yield"(%5) : (tensor<2x1x!quant.uniform<i8:f32, 0.125>>) -> ()

// -----
// CASE: numbers become integers, and integers numbers
// RUN: to-tfl
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %p = "core.storage_cast"(%q) {element = i8} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xi8>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  "mlconv.yield"(%p, %y) : (tensor<4xi8>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.QUANTIZE"(%0) : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "tfl.BITCAST"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xi8>)
  %3 = "tfl.DEQUANTIZE"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3) : (tensor<4xi8>, tensor<4xf32>) -> ()

// -----
// CASE: what has no kernel for int8 moves numbers
// RUN: to-tfl
^bb(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %n: tensor<2xi64>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xi64>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2xi64>):
  %2 = "tfl.DEQUANTIZE"(%0) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %3 = "tfl.CAST"(%1) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2xi64>) -> (tensor<2xi32>)
  %4 = "tfl.REVERSE_SEQUENCE"(%2, %3) {"seq_dim" = 1, "batch_dim" = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %5 = "tfl.QUANTIZE"(%4) : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%5) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: a quantized constant under another shape, and one without elements
// RUN: to-tfl
^bb(%x: tensor<0x3x!quant.uniform<i8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, element = !quant.uniform<i8:f32:1, {0.25, 0.5}>} : () -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>)
  %s = "core.constant"() {value = dense<[1, 2, 2]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %r = "core.reshape"(%w, %s) : (tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>, tensor<3xi32>) -> (tensor<1x2x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>)
  %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<0x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x0x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%r, %t) : (tensor<1x2x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>, tensor<3x0x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<0x3x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>, "element" = !quant.uniform<i8:f32:2, {0.25, 0.5}>} : () -> (tensor<1x2x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>)
  %2 = "core.constant"() {"value" = dense<0> : tensor<3x0xi8>, "element" = !quant.uniform<i8:f32, 0.5:3>} : () -> (tensor<3x0x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%1, %2) : (tensor<1x2x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>, tensor<3x0x!quant.uniform<i8:f32, 0.5:3>>) -> ()
