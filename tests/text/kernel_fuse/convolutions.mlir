// CASE: two convolutions of a large image are done a tile of rows at a time
// RUN: to-kernel,kernel-fuse-maps,kernel-elide-copies,kernel-fuse-rows,kernel-fuse-attention,kernel-fuse-convs
^bb(%x: tensor<1x128x128x16xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x16x16xf32>} : () -> (tensor<1x1x16x16xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x128x128x16xf32>, tensor<1x1x16x16xf32>) -> (tensor<1x128x128x16xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x1x16x8xf32>} : () -> (tensor<1x1x16x8xf32>)
  %y = "core.conv"(%a, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x128x128x16xf32>, tensor<1x1x16x8xf32>) -> (tensor<1x128x128x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x128x128x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x128x128x16xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<1x16x16xf32>} : () -> (tensor<1x16x16xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<128xf32>} : () -> (tensor<128xf32>)
  %3 = "kernel.conv_chain"(%0, %1, %2) {"problem" = #kernel.conv_chain<stages = [#kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [262144, 2048, 16, 1]>>, run = 16>, #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [131072, 1024, 8, 1]>>, run = 16, dense = true>], numbers = [[0, 1], [-1, 2]], buffers = [#kernel.row_buffer<pitch = 2048, top = 0, lines = 128, left = 0, right = 2048, start = 0, step = 1, reach = 1, held = 16>], height = 16, slots = 4>} : (tensor<1x128x128x16xf32>, tensor<1x16x16xf32>, tensor<128xf32>) -> (tensor<1x128x128x8xf32>)
  "mlconv.yield"(%3) : (tensor<1x128x128x8xf32>) -> ()

// -----
// CASE: what stays in a cache is not fused
// RUN: to-kernel,kernel-fuse-maps,kernel-elide-copies,kernel-fuse-rows,kernel-fuse-attention,kernel-fuse-convs
^bb(%x: tensor<1x8x8x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x2xf32>} : () -> (tensor<1x1x2x2xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x8x8x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x8x8x2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x2xf32>} : () -> (tensor<1x1x2x2xf32>)
  %y = "core.conv"(%a, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x8x8x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x8x8x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x8x8x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 8, 8], x = #kernel.view<offset = 0, strides = [128, 16, 2]>, window = [1, 1], window_strides = [16, 2], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [128, 16, 2, 1]>>, run = 2, dense = true>} : (tensor<1x8x8x2xf32>, tensor<4xf32>) -> (tensor<1x8x8x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %4 = "kernel.gemm"(%2, %3) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 8, 8], x = #kernel.view<offset = 0, strides = [128, 16, 2]>, window = [1, 1], window_strides = [16, 2], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [128, 16, 2, 1]>>, run = 2, dense = true>} : (tensor<1x8x8x2xf32>, tensor<4xf32>) -> (tensor<1x8x8x2xf32>)
  "mlconv.yield"(%4) : (tensor<1x8x8x2xf32>) -> ()

// -----
// CASE: where memory is scarce, rows between stages are all that is kept, and the result lies over what is read
// RUN: to-kernel,kernel-fuse-maps,kernel-elide-copies,kernel-fuse-rows,kernel-fuse-attention,kernel-fuse-convs{memory=true}
^bb(%x: tensor<1x6x5x16xf32>):
  %n = "core.neg"(%x) : (tensor<1x6x5x16xf32>) -> (tensor<1x6x5x16xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x16x16xf32>} : () -> (tensor<1x1x16x16xf32>)
  %a = "core.conv"(%n, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x6x5x16xf32>, tensor<1x1x16x16xf32>) -> (tensor<1x6x5x16xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<3x3x1x16xf32>} : () -> (tensor<3x3x1x16xf32>)
  %y = "core.conv"(%a, %c2) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], groups = 16, mlconv.absent = [2]} : (tensor<1x6x5x16xf32>, tensor<3x3x1x16xf32>) -> (tensor<1x6x5x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x5x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x5x16xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 6, 5, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 80, 16, 1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [480, 80, 16, 1]>>]} : (tensor<1x6x5x16xf32>) -> (tensor<1x6x5x16xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x16x16xf32>} : () -> (tensor<1x16x16xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<9x16xf32>} : () -> (tensor<9x16xf32>)
  %4 = "kernel.conv_chain"(%1, %2, %3) {"problem" = #kernel.conv_chain<stages = [#kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 6, 5], x = #kernel.view<offset = 0, strides = [480, 80, 16]>, window = [1, 1], window_strides = [80, 16], channels = 16, after = [], out = #kernel.view<offset = 128, strides = [0, 112, 16, 1]>, borders = [#kernel.step<extents = [1, 1, 7, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [896, 112, 16, 1]>>, #kernel.step<extents = [1, 1, 7, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 784, strides = [896, 112, 16, 1]>>, #kernel.step<extents = [1, 6, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 112, strides = [896, 112, 16, 1]>>, #kernel.step<extents = [1, 6, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 208, strides = [896, 112, 16, 1]>>]>, run = 16>, #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 6, 5], x = #kernel.view<offset = 0, strides = [896, 112, 16]>, window = [3, 3], window_strides = [112, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [480, 80, 16, 1]>>>], numbers = [[0, 1], [-1, 2]], buffers = [#kernel.row_buffer<pitch = 112, top = 1, lines = 6, left = 16, right = 96, start = 0, step = 1, reach = 3, held = 3>], height = 1, slots = 1, alone = true>} : (tensor<1x6x5x16xf32>, tensor<1x16x16xf32>, tensor<9x16xf32>) -> (tensor<1x6x5x16xf32>)
  "mlconv.yield"(%4) : (tensor<1x6x5x16xf32>) -> ()
