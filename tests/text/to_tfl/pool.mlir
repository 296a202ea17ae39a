// CASE: MAX_POOL_2D
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tfl.MAX_POOL_2D"(%0) {"padding" = "VALID", "filter_height" = 2, "stride_h" = 2, "filter_width" = 2, "stride_w" = 2} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a maximum with pads of SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tfl.MAX_POOL_2D"(%0) {"padding" = "SAME", "filter_height" = 3, "stride_h" = 1, "filter_width" = 3, "stride_w" = 1} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: ceil_mode of halves is SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x5x5x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], ceil_mode = true} : (tensor<1x5x5x2xf32>) -> (tensor<1x3x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x5x5x2xf32>):
  %1 = "tfl.MAX_POOL_2D"(%0) {"padding" = "SAME", "filter_height" = 2, "stride_h" = 2, "filter_width" = 2, "stride_w" = 2} : (tensor<1x5x5x2xf32>) -> (tensor<1x3x3x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x3x3x2xf32>) -> ()

// -----
// CASE: ceil_mode pads at the end with the lowest number
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x6x6x2xf32>):
  %y = "core.max_pool"(%x) {window = [3, 3], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], ceil_mode = true} : (tensor<1x6x6x2xf32>) -> (tensor<1x3x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x6x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %3 = "tfl.PADV2"(%0, %2, %1) : (tensor<1x6x6x2xf32>, tensor<4x2xi32>, tensor<f32>) -> (tensor<1x7x7x2xf32>)
  %4 = "tfl.MAX_POOL_2D"(%3) {"padding" = "VALID", "filter_height" = 3, "stride_h" = 2, "filter_width" = 3, "stride_w" = 2} : (tensor<1x7x7x2xf32>) -> (tensor<1x3x3x2xf32>)
  "mlconv.yield"(%4) : (tensor<1x3x3x2xf32>) -> ()

// -----
// CASE: AVERAGE_POOL_2D
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tfl.AVERAGE_POOL_2D"(%0) {"padding" = "VALID", "filter_height" = 2, "stride_h" = 2, "filter_width" = 2, "stride_w" = 2} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a mean that leaves pads out is that of SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tfl.AVERAGE_POOL_2D"(%0) {"padding" = "SAME", "filter_height" = 3, "stride_h" = 1, "filter_width" = 3, "stride_w" = 1} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a mean that counts pads pads before
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], count_include_pad = true} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %2 = "tfl.PAD"(%0, %1) : (tensor<1x4x4x2xf32>, tensor<4x2xi32>) -> (tensor<1x6x6x2xf32>)
  %3 = "tfl.AVERAGE_POOL_2D"(%2) {"padding" = "VALID", "filter_height" = 3, "stride_h" = 1, "filter_width" = 3, "stride_w" = 1} : (tensor<1x6x6x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a dilated maximum is one of slices
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [2, 2]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 0, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 2, 0, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "tfl.STRIDED_SLICE"(%0, %1, %2, %3) {"begin_mask" = 13, "end_mask" = 13} : (tensor<1x4x4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x2x4x2xf32>)
  %5 = "tfl.STRIDED_SLICE"(%0, %2, %1, %3) {"begin_mask" = 13, "end_mask" = 15} : (tensor<1x4x4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x2x4x2xf32>)
  %6 = "tfl.MAXIMUM"(%4, %5) : (tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>) -> (tensor<1x2x4x2xf32>)
  %7 = "core.constant"() {"value" = dense<[0, 0, 2, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "tfl.STRIDED_SLICE"(%6, %1, %7, %3) {"begin_mask" = 11, "end_mask" = 11} : (tensor<1x2x4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x2x2x2xf32>)
  %9 = "tfl.STRIDED_SLICE"(%6, %7, %1, %3) {"begin_mask" = 11, "end_mask" = 15} : (tensor<1x2x4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x2x2x2xf32>)
  %10 = "tfl.MAXIMUM"(%8, %9) : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%10) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a pool over one axis
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2], strides = [2], pads = [[0, 0]], dilations = [1], layout = "N0C"} : (tensor<1x4x2xf32>) -> (tensor<1x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 1, 4, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 1, 4, 2]} : (tensor<1x4x2xf32>, tensor<4xi32>) -> (tensor<1x1x4x2xf32>)
  %3 = "tfl.MAX_POOL_2D"(%2) {"padding" = "VALID", "filter_height" = 1, "stride_h" = 1, "filter_width" = 2, "stride_w" = 2} : (tensor<1x1x4x2xf32>) -> (tensor<1x1x2x2xf32>)
  %4 = "core.constant"() {"value" = dense<[-1, 2, 2]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.RESHAPE"(%3, %4) {"new_shape" = [-1, 2, 2]} : (tensor<1x1x2x2xf32>, tensor<3xi32>) -> (tensor<1x2x2xf32>)
  "mlconv.yield"(%5) : (tensor<1x2x2xf32>) -> ()

// -----
// CASE: ceil_mode of open halves is SAME
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], ceil_mode = true} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %1 = "tfl.MAX_POOL_2D"(%0) {"padding" = "SAME", "filter_height" = 2, "stride_h" = 2, "filter_width" = 2, "stride_w" = 2} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1", "2"]}>)
  "mlconv.yield"(%1) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1", "2"]}>) -> ()

// -----
// CASE: ceil_mode of open sizes pads by a step less one
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %y = "core.max_pool"(%x) {window = [3, 3], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], ceil_mode = true} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi32>} : () -> (tensor<4x2xi32>)
  %3 = "tfl.PADV2"(%0, %2, %1) : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>, tensor<4x2xi32>, tensor<f32>) -> (tensor<1x?x?x2xf32, {dims = ["1", "H+1", "W+1", "2"]}>)
  %4 = "tfl.MAX_POOL_2D"(%3) {"padding" = "VALID", "filter_height" = 3, "stride_h" = 2, "filter_width" = 3, "stride_w" = 2} : (tensor<1x?x?x2xf32, {dims = ["1", "H+1", "W+1", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%4) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()
