// CASE: a reshape to another number of elements
// RUN: dce
^bb(%x: tensor<4xf32>):
  %c = "core.constant"() {value = dense<[7, 9]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESHAPE"(%x, %c) : (tensor<4xf32>, tensor<2xi32>) -> (tensor<7x9xf32>)
  "mlconv.yield"(%y) : (tensor<7x9xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESHAPE (float32[4], int32[2]) giving float32[7,9] is malformed: [4] and [7, 9] have different numbers of elements
  = node: y  tfl.RESHAPE

// -----
// CASE: a reshape keeps its element type
// RUN: dce
^bb(%x: tensor<4xf32>):
  %c = "core.constant"() {value = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESHAPE"(%x, %c) : (tensor<4xf32>, tensor<2xi32>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%y) : (tensor<2x2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESHAPE (float32[4], int32[2]) giving int32[2,2] is malformed: its elements should be float32
  = node: y  tfl.RESHAPE

// -----
// CASE: a reshape to another shape than it is told
// RUN: dce
^bb(%x: tensor<6xf32>):
  %c = "core.constant"() {value = dense<[2, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESHAPE"(%x, %c) : (tensor<6xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESHAPE (float32[6], int32[2]) giving float32[3,2] is malformed: the result should be [2, ?]
  = node: y  tfl.RESHAPE

// -----
// CASE: a reshape with two open sizes
// RUN: dce
^bb(%x: tensor<6xf32>):
  %c = "core.constant"() {value = dense<[-1, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESHAPE"(%x, %c) : (tensor<6xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESHAPE (float32[6], int32[2]) giving float32[3,2] is malformed: the shape is [-1, -1]
  = node: y  tfl.RESHAPE

// -----
// CASE: a shape that is not numbers
// RUN: dce
^bb(%x: tensor<6xf32>):
  %y = "tfl.RESHAPE"(%x) {mlconv.absent = [1], new_shape = ["x", "y"]} : (tensor<6xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: tfl.RESHAPE: attribute 'new_shape' is not [int32]

// -----
// CASE: a shape of numbers that its field does not hold
// RUN: dce
^bb(%x: tensor<6xf32>):
  %y = "tfl.RESHAPE"(%x) {mlconv.absent = [1], new_shape = [4294967296]} : (tensor<6xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: tfl.RESHAPE: attribute 'new_shape' is not [int32]

// -----
// CASE: a squeeze of an axis that is not 1
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.SQUEEZE"(%x) {squeeze_dims = [0]} : (tensor<2x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SQUEEZE (float32[2,3]) giving float32[3] is malformed: squeeze_dims [0] are not of size 1
  = node: y  tfl.SQUEEZE

// -----
// CASE: an axis is put in between
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %y = "tfl.EXPAND_DIMS"(%x, %c) : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x1xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.EXPAND_DIMS (float32[2,3], int32[]) giving float32[2,3,1] is malformed: the result should be [2, 1, 3]
  = node: y  tfl.EXPAND_DIMS

// -----
// CASE: a transpose keeps its rank
// RUN: dce
^bb(%x: tensor<2x3xf32>, %p: tensor<2xi32>):
  %y = "tfl.TRANSPOSE"(%x, %p) : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<6xf32>)
  "mlconv.yield"(%y) : (tensor<6xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE (float32[2,3], int32[2]) giving float32[6] is malformed: the result should be [?, ?]
  = node: y  tfl.TRANSPOSE

// -----
// CASE: a transpose by its permutation
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.TRANSPOSE"(%x, %c) : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE (float32[2,3], int32[2]) giving float32[2,3] is malformed: the result should be [3, 2]
  = node: y  tfl.TRANSPOSE

// -----
// CASE: a transpose by no permutation
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.TRANSPOSE"(%x, %c) : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE (float32[2,3], int32[2]) giving float32[2,2] is malformed: [0, 0] is not a permutation
  = node: y  tfl.TRANSPOSE

// -----
// CASE: a concatenation of two element types
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xi8>):
  %r = "tfl.CONCATENATION"(%x, %y) {axis = 0} : (tensor<2xf32>, tensor<2xi8>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONCATENATION (float32[2], int8[2]) giving float32[4] is malformed: element types differ: float32 and int8
  = node: r  tfl.CONCATENATION

// -----
// CASE: a concatenation along an axis that is not there
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "tfl.CONCATENATION"(%x, %y) {axis = 99} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONCATENATION (float32[2], float32[2]) giving float32[4] is malformed: axis 99 of a tensor of rank 1
  = node: r  tfl.CONCATENATION

// -----
// CASE: a concatenation of shapes that differ
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>):
  %r = "tfl.CONCATENATION"(%x, %y) {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%r) : (tensor<4x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONCATENATION (float32[2,3], float32[2,4]) giving float32[4,3] is malformed: shapes differ: [2, 3] and [2, 4]
  = node: r  tfl.CONCATENATION

// -----
// CASE: a concatenation adds up sizes
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>):
  %r = "tfl.CONCATENATION"(%x, %y) {axis = -1} : (tensor<2x3xf32>, tensor<2x4xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%r) : (tensor<2x8xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONCATENATION (float32[2,3], float32[2,4]) giving float32[2,8] is malformed: the result should be [2, 7]
  = node: r  tfl.CONCATENATION

// -----
// CASE: a pack says how many
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "tfl.PACK"(%x, %y) {values_count = 3, axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%r) : (tensor<2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.PACK (float32[2], float32[2]) giving float32[2,2] is malformed: values_count is 3, it has 2 operands
  = node: r  tfl.PACK

// -----
// CASE: an unpack along an axis of another size
// RUN: dce
^bb(%x: tensor<3x2xf32>):
  %y0, %y1 = "tfl.UNPACK"(%x) {num = 2, axis = 0} : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  "mlconv.yield"(%y0, %y1) : (tensor<2xf32>, tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.UNPACK (float32[3,2]) giving float32[2], float32[2] is malformed: 2 results of [3, 2] along axis 0
  = node: y0  tfl.UNPACK

// -----
// CASE: a size that does not split
// RUN: dce
^bb(%x: tensor<2x5xf32>):
  %c = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %y0, %y1 = "tfl.SPLIT"(%c, %x) {num_splits = 2} : (tensor<i32>, tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%y0, %y1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SPLIT (int32[], float32[2,5]) giving float32[2,2], float32[2,2] is malformed: 5 does not split into 2
  = node: y0  tfl.SPLIT

// -----
// CASE: parts that do not add up
// RUN: dce
^bb(%x: tensor<5xf32>):
  %c = "core.constant"() {value = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %d = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y0, %y1 = "tfl.SPLIT_V"(%x, %c, %d) {num_splits = 2} : (tensor<5xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
  "mlconv.yield"(%y0, %y1) : (tensor<2xf32>, tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SPLIT_V (float32[5], int32[2], int32[]) giving float32[2], float32[2] is malformed: parts [2, 2] of the size 5
  = node: y0  tfl.SPLIT_V

// -----
// CASE: padding of another rank
// RUN: dce
^bb(%x: tensor<2x3xf32>, %p: tensor<1x2xi32>):
  %y = "tfl.PAD"(%x, %p) : (tensor<2x3xf32>, tensor<1x2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.PAD (float32[2,3], int32[1,2]) giving float32[2,3] is malformed: padding is [1, 2] for [2, 3]
  = node: y  tfl.PAD

// -----
// CASE: padding adds up
// RUN: dce
^bb(%x: tensor<2xf32>, %v: tensor<f32>):
  %c = "core.constant"() {value = dense<[[1, 2]]> : tensor<1x2xi32>} : () -> (tensor<1x2xi32>)
  %y = "tfl.PADV2"(%x, %c, %v) : (tensor<2xf32>, tensor<1x2xi32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.PADV2 (float32[2], int32[1,2], float32[]) giving float32[4] is malformed: the result should be [5]
  = node: y  tfl.PADV2

// -----
// CASE: a tensor is repeated
// RUN: dce
^bb(%x: tensor<2xf32>):
  %c = "core.constant"() {value = dense<[2]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.TILE"(%x, %c) : (tensor<2xf32>, tensor<1xi32>) -> (tensor<5xf32>)
  "mlconv.yield"(%y) : (tensor<5xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TILE (float32[2], int32[1]) giving float32[5] is malformed: the result should be [4]
  = node: y  tfl.TILE

// -----
// CASE: a shape that does not broadcast
// RUN: dce
^bb(%x: tensor<2xf32>):
  %c = "core.constant"() {value = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.BROADCAST_TO"(%x, %c) : (tensor<2xf32>, tensor<1xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.BROADCAST_TO (float32[2], int32[1]) giving float32[3] is malformed: shapes do not broadcast: [2] and [3]
  = node: y  tfl.BROADCAST_TO

// -----
// CASE: a tensor is filled
// RUN: dce
^bb(%v: tensor<f32>):
  %c = "core.constant"() {value = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.FILL"(%c, %v) : (tensor<2xi32>, tensor<f32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%y) : (tensor<2x3xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.FILL (int32[2], float32[]) giving int32[2,3] is malformed: its elements should be float32
  = node: y  tfl.FILL

// -----
// CASE: a shape is told by rank
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<2x3xf32>) -> (tensor<3xi32>)
  "mlconv.yield"(%y) : (tensor<3xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SHAPE (float32[2,3]) giving int32[3] is malformed: the result should be [2]
  = node: y  tfl.SHAPE

// -----
// CASE: a shape of integers that the kernel does not give
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.SHAPE"(%x) : (tensor<2x3xf32>) -> (tensor<2xi32>)
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SHAPE (float32[2,3]) giving int32[2] is malformed: out_type is FLOAT32, expected INT32 or INT64
  = node: y  tfl.SHAPE

// -----
// CASE: a shape of StableHLO
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.STABLEHLO_TRANSPOSE"(%x) {permutation = [0, 2]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.STABLEHLO_TRANSPOSE (float32[2,3]) giving float32[2,3] is malformed: permutation is [0, 2] for a tensor of rank 2
  = node: y  tfl.STABLEHLO_TRANSPOSE

// -----
// CASE: bounds of StableHLO
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.STABLEHLO_SLICE"(%x) {start_indices = [1], limit_indices = [9], strides = [1]} : (tensor<4xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.STABLEHLO_SLICE (float32[4]) giving float32[3] is malformed: [1:9:1] leaves the size 4
  = node: y  tfl.STABLEHLO_SLICE
