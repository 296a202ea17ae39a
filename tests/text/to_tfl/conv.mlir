// CASE: a convolution has a bias of zeros, and weights with outputs first
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<3x1x1x2xf32>} : () -> (tensor<3x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: pads that are those of SAME are SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x3x3x2xf32>} : () -> (tensor<1x3x3x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "SAME", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x3x3x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: other pads are a PAD before
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[2, 0], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [2, 0], [1, 1], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %2 = "tfl.PAD"(%0, %1) : (tensor<1x4x4x2xf32>, tensor<4x2xi32>) -> (tensor<1x6x6x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<1x3x3x2xf32>} : () -> (tensor<1x3x3x2xf32>)
  %5 = "tfl.CONV_2D"(%2, %4, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x6x6x2xf32>, tensor<1x3x3x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%5) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: SAME_UPPER is SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [2, 2], pads = "SAME_UPPER", dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x1xf32>) -> (tensor<1x2x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x3x3x2xf32>} : () -> (tensor<1x3x3x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "SAME", "stride_h" = 2, "stride_w" = 2, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x3x3x2xf32>, tensor<1xf32>) -> (tensor<1x2x2x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x2x1xf32>) -> ()

// -----
// CASE: SAME_LOWER of an open size is refused
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [2, 2], pads = "SAME_LOWER", dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>, tensor<3x3x2x1xf32>) -> (tensor<1x?x?x1xf32, {dims = ["1", "floordiv(H+1, 2)", "floordiv(W+1, 2)", "1"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x1xf32, {dims = ["1", "floordiv(H+1, 2)", "floordiv(W+1, 2)", "1"]}>) -> ()
// DIAGNOSTICS
error[MLC0401]: SAME_LOWER padding of a size that is not known at conversion time
  = node: y  core.conv (float32[1,H,W,2], float32[3,3,2,1], -)

// -----
// CASE: channels first are turned
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x2x1x1xf32>} : () -> (tensor<1x2x1x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 2, 3, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "tfl.TRANSPOSE"(%0, %1) : (tensor<1x2x4x4xf32>, tensor<4xi32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %5 = "tfl.CONV_2D"(%2, %4, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  %6 = "core.constant"() {"value" = dense<[-1, 1, 4, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %7 = "tfl.RESHAPE"(%5, %6) {"new_shape" = [-1, 1, 4, 4]} : (tensor<1x4x4x1xf32>, tensor<4xi32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%7) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: a group for each channel is DEPTHWISE_CONV_2D
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %3 = "tfl.DEPTHWISE_CONV_2D"(%0, %2, %1) {"depth_multiplier" = 1, "padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: the kernel of CONV_2D tells two groups by the channels of its weights
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x2xf32>} : () -> (tensor<1x1x2x2xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, mlconv.absent = [2]} : (tensor<1x4x4x4xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<2x1x1x2xf32>} : () -> (tensor<2x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x4xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a convolution over one axis has a height of one
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x6x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2x1xf32>} : () -> (tensor<3x2x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1], pads = [[0, 0]], dilations = [1], x_layout = "N0C", w_layout = "0IO", y_layout = "N0C", mlconv.absent = [2]} : (tensor<1x6x2xf32>, tensor<3x2x1xf32>) -> (tensor<1x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x2xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 1, 6, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 1, 6, 2]} : (tensor<1x6x2xf32>, tensor<4xi32>) -> (tensor<1x1x6x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x3x2xf32>} : () -> (tensor<1x1x3x2xf32>)
  %5 = "tfl.CONV_2D"(%2, %4, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x1x6x2xf32>, tensor<1x1x3x2xf32>, tensor<1xf32>) -> (tensor<1x1x4x1xf32>)
  %6 = "core.constant"() {"value" = dense<[-1, 4, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %7 = "tfl.RESHAPE"(%5, %6) {"new_shape" = [-1, 4, 1]} : (tensor<1x1x4x1xf32>, tensor<3xi32>) -> (tensor<1x4x1xf32>)
  "mlconv.yield"(%7) : (tensor<1x4x1xf32>) -> ()

// -----
// CASE: a convolution over three axes is CONV_3D
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x3x3x3x1xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x2x1x1xf32>} : () -> (tensor<2x2x2x1x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1, 1], pads = [[0, 0], [0, 0], [0, 0]], dilations = [1, 1, 1], x_layout = "N012C", w_layout = "012IO", y_layout = "N012C", mlconv.absent = [2]} : (tensor<1x3x3x3x1xf32>, tensor<2x2x2x1x1xf32>) -> (tensor<1x2x2x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x3x3x1xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x2x1x1xf32>} : () -> (tensor<2x2x2x1x1xf32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %3 = "tfl.CONV_3D"(%0, %1, %2) {"padding" = "VALID", "stride_d" = 1, "stride_h" = 1, "stride_w" = 1, "dilation_d_factor" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x3x3x3x1xf32>, tensor<2x2x2x1x1xf32>, tensor<1xf32>) -> (tensor<1x2x2x2x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x2x2x1xf32>) -> ()

// -----
// CASE: a convolution over four axes is refused
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x1x1x1x1xf32>} : () -> (tensor<1x1x1x1x1x1xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1, 1, 1], pads = [[0, 0], [0, 0], [0, 0], [0, 0]], dilations = [1, 1, 1, 1], x_layout = "N0123C", w_layout = "0123IO", y_layout = "N0123C", mlconv.absent = [2]} : (tensor<1x2x2x2x2x1xf32>, tensor<1x1x1x1x1x1xf32>) -> (tensor<1x2x2x2x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2x2x1xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: TFLite convolves along 1 to 3 axes, not 4
  = node: y  core.conv (float32[1,2,2,2,2,1], float32[1,1,1,1,1,1], -)

// -----
// CASE: weights that are an input are turned in the file
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x1xf32>, %w: tensor<2x2x1x1xf32>):
  %y = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x3x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>, %1: tensor<2x2x1x1xf32>):
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %3 = "core.constant"() {"value" = dense<[1, -1, 2, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "tfl.RESHAPE"(%1, %3) {"new_shape" = [1, -1, 2, 1]} : (tensor<2x2x1x1xf32>, tensor<4xi32>) -> (tensor<1x2x2x1xf32>)
  %5 = "tfl.CONV_2D"(%0, %4, %2) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> (tensor<1x3x3x1xf32>)
  "mlconv.yield"(%5) : (tensor<1x3x3x1xf32>) -> ()

// -----
// CASE: a transposed convolution knows the size of its result
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<1x2x2x2xf32>} : () -> (tensor<1x2x2x2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 4, 4, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "tfl.TRANSPOSE_CONV"(%2, %1, %0, %3) {"padding" = "SAME", "stride_h" = 2, "stride_w" = 2} : (tensor<4xi32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: pads of a transposed convolution are a slice of the full result
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[1, 0], [0, 1]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x3x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<1x2x2x2xf32>} : () -> (tensor<1x2x2x2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 4, 4, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "tfl.TRANSPOSE_CONV"(%2, %1, %0, %3) {"padding" = "VALID", "stride_h" = 2, "stride_w" = 2} : (tensor<4xi32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  %5 = "core.constant"() {"value" = dense<[0, 1, 0, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %6 = "core.constant"() {"value" = dense<[0, 0, 0, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "tfl.STRIDED_SLICE"(%4, %5, %6, %7) {"begin_mask" = 13, "end_mask" = 15} : (tensor<1x4x4x1xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x3x4x1xf32>)
  %9 = "core.constant"() {"value" = dense<[0, 0, -1, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %10 = "tfl.STRIDED_SLICE"(%8, %6, %9, %7) {"begin_mask" = 11, "end_mask" = 11} : (tensor<1x3x4x1xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x3x3x1xf32>)
  "mlconv.yield"(%10) : (tensor<1x3x3x1xf32>) -> ()
