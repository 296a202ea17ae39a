// CASE: an image of rank 2
// RUN: dce
^bb(%x: tensor<8x8xf32>, %w: tensor<4x3x3x1xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "SAME", stride_h = 1, stride_w = 1, mlconv.absent = [2]} : (tensor<8x8xf32>, tensor<4x3x3x1xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[8,8], float32[4,3,3,1], -) giving float32[1,8,8,4] is malformed: operand 0 has rank 2, expected 4
  = node: y  tfl.CONV_2D

// -----
// CASE: a stride of 0
// RUN: dce
^bb(%x: tensor<1x8x8x1xf32>, %w: tensor<4x3x3x1xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "SAME", stride_h = 1, stride_w = 0, mlconv.absent = [2]} : (tensor<1x8x8x1xf32>, tensor<4x3x3x1xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,1], float32[4,3,3,1], -) giving float32[1,8,8,4] is malformed: stride_w is 0, expected at least 1
  = node: y  tfl.CONV_2D

// -----
// CASE: a stride that is left out is 0
// RUN: dce
^bb(%x: tensor<1x8x8x1xf32>, %w: tensor<4x3x3x1xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "SAME", mlconv.absent = [2]} : (tensor<1x8x8x1xf32>, tensor<4x3x3x1xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,1], float32[4,3,3,1], -) giving float32[1,8,8,4] is malformed: stride_h is 0, expected at least 1
  = node: y  tfl.CONV_2D

// -----
// CASE: a result of other elements
// RUN: dce
^bb(%x: tensor<1x8x8x1xf32>, %w: tensor<4x3x3x1xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "SAME", stride_h = 1, stride_w = 1, mlconv.absent = [2]} : (tensor<1x8x8x1xf32>, tensor<4x3x3x1xf32>) -> (tensor<1x8x8x4xi8>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xi8>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,1], float32[4,3,3,1], -) giving int8[1,8,8,4] is malformed: its elements should be float32
  = node: y  tfl.CONV_2D

// -----
// CASE: a filter of other channels
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x2xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "SAME", stride_h = 1, stride_w = 1, mlconv.absent = [2]} : (tensor<1x8x8x3xf32>, tensor<4x3x3x2xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,3], float32[4,3,3,2], -) giving float32[1,8,8,4] is malformed: 3 channels against a filter of 2 x 4
  = node: y  tfl.CONV_2D

// -----
// CASE: windows that fit less often
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>):
  %y = "tfl.CONV_2D"(%x, %w) {padding = "VALID", stride_h = 2, stride_w = 1, mlconv.absent = [2]} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,3], float32[4,3,3,3], -) giving float32[1,8,8,4] is malformed: the result should be [1, 3, 6, 4]
  = node: y  tfl.CONV_2D

// -----
// CASE: a bias of another size
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<3xf32>):
  %y = "tfl.CONV_2D"(%x, %w, %b) {padding = "SAME", stride_h = 1, stride_w = 1} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONV_2D (float32[1,8,8,3], float32[4,3,3,3], float32[3]) giving float32[1,8,8,4] is malformed: the bias is [3], expected [4]
  = node: y  tfl.CONV_2D

// -----
// CASE: a batch that is known at run time only
// RUN: dce
^bb(%x: tensor<?x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>):
  %y = "tfl.CONV_2D"(%x, %w, %b) {padding = "SAME", stride_h = 1, stride_w = 1} : (tensor<?x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> (tensor<2x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x8x8x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x8x8x3xf32, {dims = ["?1", "8", "8", "3"]}>, %1: tensor<4x3x3x3xf32>, %2: tensor<4xf32>):
  %3 = "tfl.CONV_2D"(%0, %1, %2) {"padding" = "SAME", "stride_h" = 1, "stride_w" = 1} : (tensor<?x8x8x3xf32, {dims = ["?1", "8", "8", "3"]}>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> (tensor<2x8x8x4xf32>)
  "mlconv.yield"(%3) : (tensor<2x8x8x4xf32>) -> ()

// -----
// CASE: a multiplier of channels
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<1x3x3x6xf32>):
  %y = "tfl.DEPTHWISE_CONV_2D"(%x, %w) {padding = "SAME", stride_h = 1, stride_w = 1, depth_multiplier = 1, mlconv.absent = [2]} : (tensor<1x8x8x3xf32>, tensor<1x3x3x6xf32>) -> (tensor<1x8x8x6xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x6xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.DEPTHWISE_CONV_2D (float32[1,8,8,3], float32[1,3,3,6], -) giving float32[1,8,8,6] is malformed: 3 channels, times 1, against a filter of 6
  = node: y  tfl.DEPTHWISE_CONV_2D

// -----
// CASE: a padding that there is not
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<1x3x3x6xf32>):
  %y = "tfl.DEPTHWISE_CONV_2D"(%x, %w) {padding = "FULL", mlconv.absent = [2]} : (tensor<1x8x8x3xf32>, tensor<1x3x3x6xf32>) -> (tensor<1x8x8x6xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x6xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: tfl.DEPTHWISE_CONV_2D: attribute 'padding' is not enum:Padding

// -----
// CASE: a transposed convolution of another shape
// RUN: dce
^bb(%w: tensor<4x3x3x2xf32>, %x: tensor<1x4x4x2xf32>):
  %c = "core.constant"() {value = dense<[1, 9, 8, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %y = "tfl.TRANSPOSE_CONV"(%c, %w, %x) {padding = "SAME", stride_h = 2, stride_w = 2, mlconv.absent = [3]} : (tensor<4xi32>, tensor<4x3x3x2xf32>, tensor<1x4x4x2xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE_CONV (int32[4], float32[4,3,3,2], float32[1,4,4,2], -) giving float32[1,8,8,4] is malformed: the result should be [1, 9, 8, 4]
  = node: y  tfl.TRANSPOSE_CONV

// -----
// CASE: windows that do not go back
// RUN: dce
^bb(%w: tensor<4x3x3x2xf32>, %x: tensor<1x4x4x2xf32>):
  %c = "core.constant"() {value = dense<[1, 12, 8, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %y = "tfl.TRANSPOSE_CONV"(%c, %w, %x) {padding = "SAME", stride_h = 2, stride_w = 2, mlconv.absent = [3]} : (tensor<4xi32>, tensor<4x3x3x2xf32>, tensor<1x4x4x2xf32>) -> (tensor<1x12x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x12x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE_CONV (int32[4], float32[4,3,3,2], float32[1,4,4,2], -) giving float32[1,12,8,4] is malformed: windows over [1, 12, 8, 4] make [6, 4], the operand is [1, 4, 4, 2]
  = node: y  tfl.TRANSPOSE_CONV

// -----
// CASE: a window without extent
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>):
  %y = "tfl.MAX_POOL_2D"(%x) {padding = "VALID", stride_h = 2, stride_w = 2, filter_height = 2} : (tensor<1x8x8x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.MAX_POOL_2D (float32[1,8,8,3]) giving float32[1,4,4,3] is malformed: filter_width is 0, expected at least 1
  = node: y  tfl.MAX_POOL_2D

// -----
// CASE: a pool keeps its channels
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>):
  %y = "tfl.AVERAGE_POOL_2D"(%x) {padding = "VALID", stride_h = 2, stride_w = 2, filter_height = 2, filter_width = 2} : (tensor<1x8x8x3xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.AVERAGE_POOL_2D (float32[1,8,8,3]) giving float32[1,4,4,1] is malformed: the result should be [1, 4, 4, 3]
  = node: y  tfl.AVERAGE_POOL_2D

// -----
// CASE: another size than is asked for
// RUN: dce
^bb(%x: tensor<1x4x4x3xf32>):
  %c = "core.constant"() {value = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESIZE_BILINEAR"(%x, %c) : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> (tensor<1x8x9x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x9x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESIZE_BILINEAR (float32[1,4,4,3], int32[2]) giving float32[1,8,9,3] is malformed: the result should be [1, 8, 8, 3]
  = node: y  tfl.RESIZE_BILINEAR

// -----
// CASE: corners that exclude one another
// RUN: dce
^bb(%x: tensor<1x4x4x3xf32>):
  %c = "core.constant"() {value = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESIZE_BILINEAR"(%x, %c) {align_corners = true, half_pixel_centers = true} : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> (tensor<1x8x8x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESIZE_BILINEAR (float32[1,4,4,3], int32[2]) giving float32[1,8,8,3] is malformed: align_corners and half_pixel_centers exclude one another
  = node: y  tfl.RESIZE_BILINEAR

// -----
// CASE: channels that are no blocks
// RUN: dce
^bb(%x: tensor<1x4x4x3xf32>):
  %y = "tfl.DEPTH_TO_SPACE"(%x) {block_size = 2} : (tensor<1x4x4x3xf32>) -> (tensor<1x8x8x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x1xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.DEPTH_TO_SPACE (float32[1,4,4,3]) giving float32[1,8,8,1] is malformed: 3 channels are not blocks of 2 x 2
  = node: y  tfl.DEPTH_TO_SPACE

// -----
// CASE: a size that is no multiple of the block
// RUN: dce
^bb(%x: tensor<1x5x4x3xf32>):
  %y = "tfl.SPACE_TO_DEPTH"(%x) {block_size = 2} : (tensor<1x5x4x3xf32>) -> (tensor<1x2x2x12xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x12xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SPACE_TO_DEPTH (float32[1,5,4,3]) giving float32[1,2,2,12] is malformed: the size 5 is no multiple of 2
  = node: y  tfl.SPACE_TO_DEPTH

// -----
// CASE: blocks become batches
// RUN: dce
^bb(%x: tensor<1x4x4x3xf32>):
  %b = "core.constant"() {value = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %p = "core.constant"() {value = dense<0> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %y = "tfl.SPACE_TO_BATCH_ND"(%x, %b, %p) : (tensor<1x4x4x3xf32>, tensor<2xi32>, tensor<2x2xi32>) -> (tensor<1x2x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SPACE_TO_BATCH_ND (float32[1,4,4,3], int32[2], int32[2,2]) giving float32[1,2,2,3] is malformed: the result should be [4, 2, 2, 3]
  = node: y  tfl.SPACE_TO_BATCH_ND

// -----
// CASE: a product of other rows
// RUN: dce
^bb(%x: tensor<2x3xf32>, %w: tensor<4x5xf32>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w) {keep_num_dims = true, mlconv.absent = [2]} : (tensor<2x3xf32>, tensor<4x5xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.FULLY_CONNECTED (float32[2,3], float32[4,5], -) giving float32[2,4] is malformed: [2, 3] is not rows of 5
  = node: y  tfl.FULLY_CONNECTED

// -----
// CASE: a product of another shape
// RUN: dce
^bb(%x: tensor<2x3x5xf32>, %w: tensor<4x5xf32>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w) {mlconv.absent = [2]} : (tensor<2x3x5xf32>, tensor<4x5xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.FULLY_CONNECTED (float32[2,3,5], float32[4,5], -) giving float32[2,3,4] is malformed: the result should be [6, 4]
  = node: y  tfl.FULLY_CONNECTED

// -----
// CASE: weights in fewer bits
// RUN: dce
^bb(%x: tensor<2x5xf32>, %w: tensor<4x5xi8>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w) {mlconv.absent = [2]} : (tensor<2x5xf32>, tensor<4x5xi8>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>, %1: tensor<4x5xi8>):
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"mlconv.absent" = [2]} : (tensor<2x5xf32>, tensor<4x5xi8>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: matrices that do not meet
// RUN: dce
^bb(%x: tensor<2x3x4xf32>, %y: tensor<2x3x5xf32>):
  %r = "tfl.BATCH_MATMUL"(%x, %y) : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%r) : (tensor<2x3x5xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.BATCH_MATMUL (float32[2,3,4], float32[2,3,5]) giving float32[2,3,5] is malformed: [2, 3, 4] times [2, 3, 5]
  = node: r  tfl.BATCH_MATMUL

// -----
// CASE: a matrix that is transposed
// RUN: dce
^bb(%x: tensor<2x3x4xf32>, %y: tensor<2x3x5xf32>):
  %r = "tfl.BATCH_MATMUL"(%x, %y) {adj_x = true} : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> (tensor<2x4x6xf32>)
  "mlconv.yield"(%r) : (tensor<2x4x6xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.BATCH_MATMUL (float32[2,3,4], float32[2,3,5]) giving float32[2,4,6] is malformed: the result should be [2, 4, 5]
  = node: r  tfl.BATCH_MATMUL

// -----
// CASE: an LSTM of one operand
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.LSTM"(%x) : (tensor<2x3xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.LSTM (float32[2,3]) giving float32[2,4] is malformed: it has 1 operands, its kernel takes 20 or 24
  = node: y  tfl.LSTM

// -----
// CASE: a cell of other units
// RUN: dce
^bb(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x5xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>):
  %y = "tfl.RNN"(%x, %w, %r, %b, %s) : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RNN (float32[2,3], float32[4,3], float32[4,5], float32[4], float32[2,4]) giving float32[2,4] is malformed: operand 2 is [4, 5], expected [4, 4]
  = node: y  tfl.RNN

// -----
// CASE: filters of a rank
// RUN: dce
^bb(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %t: tensor<4x6xf32>, %s: tensor<2x24xf32>):
  %y = "tfl.SVDF"(%x, %w, %t, %s) {rank = 3, mlconv.absent = [3]} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x6xf32>, tensor<2x24xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SVDF (float32[2,3], float32[4,3], float32[4,6], -, float32[2,24]) giving float32[2,4] is malformed: 4 filters of rank 3
  = node: y  tfl.SVDF
