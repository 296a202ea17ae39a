// CASE: a run that leaves x and the weights
// RUN: canonicalize
^bb(%x: tensor<8x32xf32>, %w: tensor<1x32x16xf32>):
  %y = "kernel.gemm"(%x, %w) {problem = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 8], x = #kernel.view<offset = 0, strides = [0, 0, 32]>, window = [], window_strides = [], channels = 10, after = [], out = #kernel.view<offset = 0, strides = [80, 80, 10, 1]>>, run = 4000000>} : (tensor<8x32xf32>, tensor<1x32x16xf32>) -> (tensor<8x10xf32>)
  "mlconv.yield"(%y) : (tensor<8x10xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.gemm (float32[8,32], float32[1,32,16]) is malformed: a view reaches from element 0 to 4000223 of 256
  = node: y  kernel.gemm

// -----
// CASE: weights that are not packed
// RUN: canonicalize
^bb(%x: tensor<8x32xf32>, %w: tensor<32x10xf32>):
  %y = "kernel.gemm"(%x, %w) {problem = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 8], x = #kernel.view<offset = 0, strides = [0, 0, 32]>, window = [], window_strides = [], channels = 10, after = [], out = #kernel.view<offset = 0, strides = [80, 80, 10, 1]>>, run = 32>} : (tensor<8x32xf32>, tensor<32x10xf32>) -> (tensor<8x10xf32>)
  "mlconv.yield"(%y) : (tensor<8x10xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.gemm (float32[8,32], float32[32,10]) is malformed: a view reaches from element 0 to 511 of 320
  = node: y  kernel.gemm

// -----
// CASE: weights of each batch
// RUN: canonicalize
^bb(%x: tensor<2x8x32xf32>, %w: tensor<1x32x16xf32>):
  %y = "kernel.gemm"(%x, %w) {problem = #kernel.gemm<indexing = #kernel.output_indexing<rows = [2, 1, 8], x = #kernel.view<offset = 0, strides = [256, 0, 32]>, window = [], window_strides = [], channels = 10, after = [], out = #kernel.view<offset = 0, strides = [80, 80, 10, 1]>>, run = 32, weight_strides = [512, 0]>} : (tensor<2x8x32xf32>, tensor<1x32x16xf32>) -> (tensor<2x8x10xf32>)
  "mlconv.yield"(%y) : (tensor<2x8x10xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.gemm (float32[2,8,32], float32[1,32,16]) is malformed: a view reaches from element 0 to 1023 of 512
  = node: y  kernel.gemm

// -----
// CASE: a product of another type
// RUN: canonicalize
^bb(%x: tensor<8x32xf64>, %w: tensor<1x32x16xf32>):
  %y = "kernel.gemm"(%x, %w) {problem = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 8], x = #kernel.view<offset = 0, strides = [0, 0, 32]>, window = [], window_strides = [], channels = 10, after = [], out = #kernel.view<offset = 0, strides = [80, 80, 10, 1]>>, run = 32>} : (tensor<8x32xf64>, tensor<1x32x16xf32>) -> (tensor<8x10xf32>)
  "mlconv.yield"(%y) : (tensor<8x10xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.gemm (float64[8,32], float32[1,32,16]) is malformed: x is float64, not float32
  = node: y  kernel.gemm

// -----
// CASE: a window of a depthwise convolution that has more places than weights
// RUN: canonicalize
^bb(%x: tensor<1x10x10x4xf32>, %w: tensor<9x4xf32>):
  %y = "kernel.depthwise"(%x, %w) {problem = #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 7, 7], x = #kernel.view<offset = 0, strides = [400, 40, 4]>, window = [4, 3], window_strides = [40, 4], channels = 4, after = [], out = #kernel.view<offset = 0, strides = [196, 28, 4, 1]>>>} : (tensor<1x10x10x4xf32>, tensor<9x4xf32>) -> (tensor<1x7x7x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x7x7x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.depthwise (float32[1,10,10,4], float32[9,4]) is malformed: a view reaches from element 0 to 47 of 36
  = node: y  kernel.depthwise

// -----
// CASE: groups of three channels, whose members are no power of two
// RUN: canonicalize
^bb(%x: tensor<1x10x10x4xf32>, %w: tensor<9x4xf32>):
  %y = "kernel.depthwise"(%x, %w) {problem = #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 7, 7], x = #kernel.view<offset = 0, strides = [400, 40, 4]>, window = [3, 3], window_strides = [40, 4], channels = 4, after = [], out = #kernel.view<offset = 0, strides = [196, 28, 4, 1]>>, members = 3>} : (tensor<1x10x10x4xf32>, tensor<9x4xf32>) -> (tensor<1x7x7x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x7x7x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.depthwise (float32[1,10,10,4], float32[9,4]) is malformed: it makes its 4 channels of groups of 3
  = node: y  kernel.depthwise

// -----
// CASE: an epilogue that loads beyond its operand
// RUN: canonicalize
^bb(%x: tensor<8x32xf32>, %w: tensor<1x32x16xf32>, %b: tensor<8xf32>):
  %y = "kernel.gemm"(%x, %w, %b) {problem = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 8], x = #kernel.view<offset = 0, strides = [0, 0, 32]>, window = [], window_strides = [], channels = 10, after = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [80, 80, 10, 1]>>, run = 32>} : (tensor<8x32xf32>, tensor<1x32x16xf32>, tensor<8xf32>) -> (tensor<8x10xf32>)
  "mlconv.yield"(%y) : (tensor<8x10xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.gemm (float32[8,32], float32[1,32,16], float32[8]) is malformed: a view reaches from element 0 to 9 of 8
  = node: y  kernel.gemm

// -----
// CASE: Winograd's algorithm for more channels than x has
// RUN: canonicalize
^bb(%x: tensor<1x10x10x16xf32>, %w: tensor<36x1x16x16xf32>, %d: tensor<1x144x16xf32>):
  %y = "kernel.winograd"(%x, %w, %d) {problem = #kernel.winograd<indexing = #kernel.output_indexing<rows = [1, 8, 8], x = #kernel.view<offset = 0, strides = [1600, 160, 16]>, window = [3, 3], window_strides = [160, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [1024, 128, 16, 1]>>, depth = 32, block_rows = 1, slots = 2>} : (tensor<1x10x10x16xf32>, tensor<36x1x16x16xf32>, tensor<1x144x16xf32>) -> (tensor<1x8x8x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x16xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.winograd (float32[1,10,10,16], float32[36,1,16,16], float32[1,144,16]) is malformed: the strides of its image are [160, 16]
  = node: y  kernel.winograd

// -----
// CASE: an opcode that there is not
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "frobnicate", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[4]) is malformed: value 1 of an expression: there is no function 'frobnicate'
  = node: y  kernel.loop_nest

// -----
// CASE: a function of too few values
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[4]) is malformed: value 1 of an expression: add takes 2 arguments, not 1
  = node: y  kernel.loop_nest

// -----
// CASE: a function of a type that it has no code for
// RUN: canonicalize
^bb(%x: tensor<4xi32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "tanh", dtype = i32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (int32[4]) is malformed: value 1 of an expression: there is no tanh of int32
  = node: y  kernel.loop_nest

// -----
// CASE: a constant that is no number
// RUN: canonicalize
^bb():
  %y = "kernel.loop_nest"() {problem = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = "x">], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : () -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest () is malformed: value 0 of an expression is const 'x', which is no float32
  = node: y  kernel.loop_nest

// -----
// CASE: an expression of another type than the result
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf16>)
  "mlconv.yield"(%y) : (tensor<4xf16>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[4]) is malformed: an expression gives float32 where float16 is written
  = node: y  kernel.loop_nest

// -----
// CASE: a reduction by no function
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [4], reduced = 1, combine = "frobnicate", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<4xf32>) -> (tensor<f32>)
  "mlconv.yield"(%y) : (tensor<f32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[4]) is malformed: float32 is reduced by 'frobnicate'
  = node: y  kernel.loop_nest

// -----
// CASE: an index that is limited to more than there is
// RUN: canonicalize
^bb(%x: tensor<4xf32>, %i: tensor<i64>):
  %y = "kernel.loop_nest"(%i, %x) {problem = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [0]>>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "maximum", dtype = i64, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = i64, value = 3>, #kernel.instr<opcode = "minimum", dtype = i64, args = [2, 3]>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 4], value = [#kernel.view<offset = 0, strides = [1]>, 1, 4]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (int64[], float32[4]) is malformed: a view reaches from element 0 to 4 of 4
  = node: y  kernel.loop_nest

// -----
// CASE: more between two stages than the stack has
// RUN: canonicalize
^bb(%x: tensor<2x40000xf32>):
  %y = "kernel.row_reduce"(%x) {problem = #kernel.row_reduce<rows = [2], stages = [#kernel.step<extents = [2, 40000], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [40000, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.step<extents = [2, 40000], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>], temporaries = [f32]>} : (tensor<2x40000xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.row_reduce (float32[2,40000]) is malformed: 160000 bytes between stages are more than the stack has
  = node: y  kernel.row_reduce

// -----
// CASE: a part of rows that goes beyond the result
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %y = "kernel.row_parts"(%x) {problem = [#kernel.row_reduce<rows = [2], stages = [#kernel.step<extents = [2, 4], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 1]>>], after = [], out = #kernel.view<offset = 1, strides = [1]>>], temporaries = []>]} : (tensor<2x4xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.row_parts (float32[2,4]) is malformed: a view reaches from element 1 to 2 of 2
  = node: y  kernel.row_parts

// -----
// CASE: a routine that there is not
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.routine"(%x) {problem = #kernel.routine<name = "nosuch", params = []>} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.routine (float32[4]) is malformed: there is no routine 'nosuch'
  = node: y  kernel.routine

// -----
// CASE: a routine with a parameter too few
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.routine"(%x) {problem = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, 4, 1, false]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.routine (float32[4]) is malformed: scan takes 8 parameters (opcode, dtype, wide, outer, n, inner, exclusive, reverse), not 7
  = node: y  kernel.routine

// -----
// CASE: a routine that goes over more than there is
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.routine"(%x) {problem = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, 5, 1, false, false]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.routine (float32[4]) is malformed: operand 0 has 4 elements, not 5
  = node: y  kernel.routine

// -----
// CASE: a routine with too little scratch memory
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %v, %i = "kernel.routine"(%x) {problem = #kernel.routine<name = "top_k", params = [f32, i64, 1, 4, 1, 2, true], scratch = 8>} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  "mlconv.yield"(%v, %i) : (tensor<2xf32>, tensor<2xi64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.routine (float32[4]) is malformed: top_k needs 192 bytes, not 8
  = node: v  kernel.routine

// -----
// CASE: a view that leaves its buffer for some sizes
// RUN: canonicalize
^bb(%x: tensor<?x4xf32, {dims = ["N", "4"]}>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [#mlconv.dim<"N">, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 1, strides = [4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[N,4]) is malformed for N = 1: a view reaches from element 1 to 4 of 4
  = node: y  kernel.loop_nest

// -----
// CASE: a size that no input tells
// RUN: canonicalize
^bb(%x: tensor<?x4xf32, {dims = ["N", "4"]}>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [#mlconv.dim<"M">, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[N,4]) is malformed: no input tells the size M
  = node: y  kernel.loop_nest

// -----
// CASE: an alias of another length
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %y = "kernel.alias"(%x) : (tensor<4xf32>) -> (tensor<4xf64>)
  "mlconv.yield"(%y) : (tensor<4xf64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.alias (float32[4]) is malformed: it gives float64[4]
  = node: y  kernel.alias

// -----
// CASE: a condition that is no truth
// RUN: canonicalize
^bb(%x: tensor<2xi1>, %y: tensor<4xf32>):
  %z = "kernel.if"(%x) ({
    "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
  }, {
    "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
  }) : (tensor<2xi1>) -> (tensor<4xf32>)
  "mlconv.yield"(%z) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.if (bool[2]) is malformed: the test gives no bool
  = node: kernel.if  kernel.if

// -----
// CASE: a tensor that no machine holds
// RUN: canonicalize
^bb(%x: tensor<f32>):
  %y = "kernel.loop_nest"(%x) {problem = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<f32>) -> (tensor<99999999999999999999xf32>)
  "mlconv.yield"(%y) : (tensor<99999999999999999999xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.loop_nest (float32[]) is malformed: no machine holds float32[99999999999999999999]
  = node: y  kernel.loop_nest

// -----
// CASE: channels of a stage of a chain that lie apart
// RUN: canonicalize
^bb(%0: tensor<1x128x128x16xf32>, %1: tensor<1x16x16xf32>, %2: tensor<1x16x16xf32>):
  %3 = "kernel.conv_chain"(%0, %1, %2) {"problem" = #kernel.conv_chain<stages = [#kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [262144, 2048, 16, 1099511627776]>>, run = 16>, #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [131072, 1024, 8, 1]>>, run = 16>], numbers = [[0, 1], [-1, 2]], buffers = [#kernel.row_buffer<pitch = 2048, top = 0, lines = 128, left = 0, right = 2048, start = 0, step = 1, reach = 1, held = 16>], height = 16, slots = 4>} : (tensor<1x128x128x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> (tensor<1x128x128x8xf32>)
  "mlconv.yield"(%3) : (tensor<1x128x128x8xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.conv_chain (float32[1,128,128,16], float32[1,16,16], float32[1,16,16]) is malformed: its channels are 1099511627776 elements apart
  = node: 3  kernel.conv_chain

// -----
// CASE: a chain that holds fewer rows than it needs
// RUN: canonicalize
^bb(%0: tensor<1x128x128x16xf32>, %1: tensor<1x16x16xf32>, %2: tensor<1x16x16xf32>):
  %3 = "kernel.conv_chain"(%0, %1, %2) {"problem" = #kernel.conv_chain<stages = [#kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [262144, 2048, 16, 1]>>, run = 16>, #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [131072, 1024, 8, 1]>>, run = 16>], numbers = [[0, 1], [-1, 2]], buffers = [#kernel.row_buffer<pitch = 2048, top = 0, lines = 128, left = 0, right = 2048, start = 0, step = 1, reach = 1, held = 1>], height = 16, slots = 4>} : (tensor<1x128x128x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> (tensor<1x128x128x8xf32>)
  "mlconv.yield"(%3) : (tensor<1x128x128x8xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.conv_chain (float32[1,128,128,16], float32[1,16,16], float32[1,16,16]) is malformed: it does not hold what 16 lines need
  = node: 3  kernel.conv_chain

// -----
// CASE: a buffer of a chain that is no row of what it reads
// RUN: canonicalize
^bb(%0: tensor<1x128x128x16xf32>, %1: tensor<1x16x16xf32>, %2: tensor<1x16x16xf32>):
  %3 = "kernel.conv_chain"(%0, %1, %2) {"problem" = #kernel.conv_chain<stages = [#kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [262144, 2048, 16, 1]>>, run = 16>, #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 128, 128], x = #kernel.view<offset = 0, strides = [262144, 2048, 16]>, window = [1, 1], window_strides = [2048, 16], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [131072, 1024, 8, 1]>>, run = 16>], numbers = [[0, 1], [-1, 2]], buffers = [#kernel.row_buffer<pitch = 16, top = 0, lines = 128, left = 0, right = 2048, start = 0, step = 1, reach = 1, held = 16>], height = 16, slots = 4>} : (tensor<1x128x128x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> (tensor<1x128x128x8xf32>)
  "mlconv.yield"(%3) : (tensor<1x128x128x8xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.conv_chain (float32[1,128,128,16], float32[1,16,16], float32[1,16,16]) is malformed: the buffer behind stage 0 is not what stage 1 reads
  = node: 3  kernel.conv_chain
