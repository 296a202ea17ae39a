// CASE: floats times integers, in rows and in a batch
// RUN: to-tfl
^bb(%x: tensor<2x3xf32>, %z: tensor<2x4x3xf32>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, element = !quant.uniform<i8:f32:1, {0.25, 0.5}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>)
  %v = "core.constant"() {value = dense<1> : tensor<2x3x2xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<2x3x2x!quant.uniform<i8:f32, 0.25>>)
  %b = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "core.dynamic_matmul"(%x, %w, %b) : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %u = "core.dynamic_matmul"(%z, %v, %b) : (tensor<2x4x3xf32>, tensor<2x3x2x!quant.uniform<i8:f32, 0.25>>, tensor<2xf32>) -> (tensor<2x4x2xf32>)
  "mlconv.yield"(%y, %u) : (tensor<2x2xf32>, tensor<2x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x4x3xf32>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<2x3x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<2x3x2x!quant.uniform<i8:f32, 0.25>>)
  %3 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.constant"() {"value" = #mlconv.derived<"[i8, [2, 3], [2, 3], \"transpose\", [1, 0], [dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>]]">, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5}>} : () -> (tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>>)
  %5 = "tfl.FULLY_CONNECTED"(%0, %4, %3) {"keep_num_dims" = false, "asymmetric_quantize_inputs" = true} : (tensor<2x3xf32>, tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %6 = "tfl.BATCH_MATMUL"(%1, %2) {"adj_y" = false, "asymmetric_quantize_inputs" = true} : (tensor<2x4x3xf32>, tensor<2x3x2x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x4x2xf32>)
  %7 = "tfl.ADD"(%6, %3) : (tensor<2x4x2xf32>, tensor<2xf32>) -> (tensor<2x4x2xf32>)
  "mlconv.yield"(%5, %7) : (tensor<2x2xf32>, tensor<2x4x2xf32>) -> ()

// -----
// CASE: convolutions, with a scale for each channel where they are depthwise, and 8 bits for 4 where there is no kernel
// RUN: to-tfl
^bb(%x: tensor<1x4x4x2xf32>):
  %w = "core.constant"() {value = dense<1> : tensor<3x3x2x3xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x3x2x3x!quant.uniform<i8:f32, 0.25>>)
  %v = "core.constant"() {value = dense<1> : tensor<3x3x1x2xi4>, element = !quant.uniform<i4:f32, 0.25>} : () -> (tensor<3x3x1x2x!quant.uniform<i4:f32, 0.25>>)
  %y = "core.dynamic_conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3x!quant.uniform<i8:f32, 0.25>>) -> (tensor<1x2x2x3xf32>)
  %u = "core.dynamic_conv"(%x, %v) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x1x2x!quant.uniform<i4:f32, 0.25>>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y, %u) : (tensor<1x2x2x3xf32>, tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<3x3x3x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x3x3x2x!quant.uniform<i8:f32, 0.25>>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.25>>, tensor<3xf32>) -> (tensor<1x2x2x3xf32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %5 = "core.constant"() {"value" = dense<1> : tensor<1x3x3x2xi8>, "element" = !quant.uniform<i8:f32:3, {0.25, 0.25}>} : () -> (tensor<1x3x3x2x!quant.uniform<i8:f32:3, {0.25, 0.25}>>)
  %6 = "tfl.DEPTHWISE_CONV_2D"(%0, %5, %4) {"depth_multiplier" = 1, "padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x3x3x2x!quant.uniform<i8:f32:3, {0.25, 0.25}>>, tensor<2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%3, %6) : (tensor<1x2x2x3xf32>, tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: biases that are stored as halves are floats beside integers, which XNNPACK takes no others with
// RUN: to-tfl
^bb(%x: tensor<2x3xf32>, %z: tensor<1x4x4x2xf32>):
  %w = "core.constant"() {value = dense<1> : tensor<2x3xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<2x3x!quant.uniform<i8:f32, 0.25>>)
  %v = "core.constant"() {value = dense<1> : tensor<3x3x2x2xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x3x2x2x!quant.uniform<i8:f32, 0.25>>)
  %h = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf16>} : () -> (tensor<2xf16>)
  %b = "core.cast"(%h) {dtype = f32} : (tensor<2xf16>) -> (tensor<2xf32>)
  %y = "core.dynamic_matmul"(%x, %w, %b) {transpose_b = true} : (tensor<2x3xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.25>>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %u = "core.dynamic_conv"(%z, %v, %b) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x2x!quant.uniform<i8:f32, 0.25>>, tensor<2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y, %u) : (tensor<2x2xf32>, tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<1x4x4x2xf32>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<2x3xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<2x3x!quant.uniform<i8:f32, 0.25>>)
  %3 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2], [2], \"cast\", [f32], [dense<[1.0, 2.0]> : tensor<2xf16>]]">} : () -> (tensor<2xf32>)
  %4 = "tfl.FULLY_CONNECTED"(%0, %2, %3) {"keep_num_dims" = false, "asymmetric_quantize_inputs" = true} : (tensor<2x3xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.25>>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %5 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2], [2], \"cast\", [f32], [dense<[1.0, 2.0]> : tensor<2xf16>]]">} : () -> (tensor<2xf32>)
  %6 = "core.constant"() {"value" = dense<1> : tensor<2x3x3x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<2x3x3x2x!quant.uniform<i8:f32, 0.25>>)
  %7 = "tfl.CONV_2D"(%1, %6, %5) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<2x3x3x2x!quant.uniform<i8:f32, 0.25>>, tensor<2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%4, %7) : (tensor<2x2xf32>, tensor<1x2x2x2xf32>) -> ()
