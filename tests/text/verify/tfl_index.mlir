// CASE: a slice that leaves its operand
// RUN: dce
^bb(%x: tensor<4xf32>):
  %b = "core.constant"() {value = dense<[2]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %s = "core.constant"() {value = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.SLICE"(%x, %b, %s) : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SLICE (float32[4], int32[1], int32[1]) giving float32[3] is malformed: 3 elements from 2 leave the size 4
  = node: y  tfl.SLICE

// -----
// CASE: a slice of what is left
// RUN: dce
^bb(%x: tensor<4xf32>):
  %b = "core.constant"() {value = dense<[2]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %s = "core.constant"() {value = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.SLICE"(%x, %b, %s) : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SLICE (float32[4], int32[1], int32[1]) giving float32[3] is malformed: the result should be [2]
  = node: y  tfl.SLICE

// -----
// CASE: a stride of 0
// RUN: dce
^bb(%x: tensor<4xf32>):
  %b = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %e = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %s = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.STRIDED_SLICE"(%x, %b, %e, %s) : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.STRIDED_SLICE (float32[4], int32[1], int32[1], int32[1]) giving float32[3] is malformed: a stride is 0
  = node: y  tfl.STRIDED_SLICE

// -----
// CASE: bounds that are masked
// RUN: dce
^bb(%x: tensor<4x5xf32>):
  %b = "core.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %e = "core.constant"() {value = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %s = "core.constant"() {value = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.STRIDED_SLICE"(%x, %b, %e, %s) {begin_mask = 1, end_mask = 1, shrink_axis_mask = 2} : (tensor<4x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.STRIDED_SLICE (float32[4,5], int32[2], int32[2], int32[2]) giving float32[3] is malformed: the result should be [4]
  = node: y  tfl.STRIDED_SLICE

// -----
// CASE: an axis that is not there
// RUN: dce
^bb(%x: tensor<4xf32>, %i: tensor<2xi32>):
  %y = "tfl.GATHER"(%x, %i) {axis = 1} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.GATHER (float32[4], int32[2]) giving float32[2] is malformed: axis 1 of a tensor of rank 1
  = node: y  tfl.GATHER

// -----
// CASE: indices that are floats
// RUN: dce
^bb(%x: tensor<4xf32>, %i: tensor<2xf32>):
  %y = "tfl.GATHER"(%x, %i) {axis = 0} : (tensor<4xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.GATHER (float32[4], float32[2]) giving float32[2] is malformed: operand 1 is float32, expected int16 or int32 or int64
  = node: y  tfl.GATHER

// -----
// CASE: rows of a table
// RUN: dce
^bb(%x: tensor<4x3xf32>, %i: tensor<2x5xi32>):
  %y = "tfl.GATHER"(%x, %i) {axis = 0} : (tensor<4x3xf32>, tensor<2x5xi32>) -> (tensor<2x5x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x5x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.GATHER (float32[4,3], int32[2,5]) giving float32[2,5,4] is malformed: the result should be [2, 5, 3]
  = node: y  tfl.GATHER

// -----
// CASE: indices longer than the rank
// RUN: dce
^bb(%x: tensor<4xf32>, %i: tensor<2x3xi32>):
  %y = "tfl.GATHER_ND"(%x, %i) : (tensor<4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.GATHER_ND (float32[4], int32[2,3]) giving float32[2] is malformed: indices are [2, 3] into [4]
  = node: y  tfl.GATHER_ND

// -----
// CASE: updates of another shape
// RUN: dce
^bb(%i: tensor<2x1xi32>, %u: tensor<3x4xf32>):
  %c = "core.constant"() {value = dense<[5, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.SCATTER_ND"(%i, %u, %c) : (tensor<2x1xi32>, tensor<3x4xf32>, tensor<2xi32>) -> (tensor<5x4xf32>)
  "mlconv.yield"(%y) : (tensor<5x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SCATTER_ND (int32[2,1], float32[3,4], int32[2]) giving float32[5,4] is malformed: updates are [3, 4], expected [2, 4]
  = node: y  tfl.SCATTER_ND

// -----
// CASE: an update that is larger
// RUN: dce
^bb(%x: tensor<4xf32>, %u: tensor<5xf32>, %s: tensor<1xi32>):
  %y = "tfl.DYNAMIC_UPDATE_SLICE"(%x, %u, %s) : (tensor<4xf32>, tensor<5xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.DYNAMIC_UPDATE_SLICE (float32[4], float32[5], int32[1]) giving float32[4] is malformed: an update of [5] in [4]
  = node: y  tfl.DYNAMIC_UPDATE_SLICE

// -----
// CASE: another number of classes
// RUN: dce
^bb(%i: tensor<3xi32>, %n: tensor<f32>, %f: tensor<f32>):
  %c = "core.constant"() {value = dense<5> : tensor<i32>} : () -> (tensor<i32>)
  %y = "tfl.ONE_HOT"(%i, %c, %n, %f) {axis = -1} : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ONE_HOT (int32[3], int32[], float32[], float32[]) giving float32[3,4] is malformed: the result should be [3, 5]
  = node: y  tfl.ONE_HOT

// -----
// CASE: a sum that keeps its axis
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.SUM"(%x, %c) {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SUM (float32[2,3], int32[1]) giving float32[2] is malformed: the result should be [2, 1]
  = node: y  tfl.SUM

// -----
// CASE: an axis twice the rank
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.MEAN"(%x, %c) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.MEAN (float32[2,3], int32[1]) giving float32[2] is malformed: axis 4 of a tensor of rank 2
  = node: y  tfl.MEAN

// -----
// CASE: a reduction of bools
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.REDUCE_ANY"(%x, %c) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.REDUCE_ANY (float32[2,3], int32[1]) giving float32[2] is malformed: operand 0 is float32, expected bool
  = node: y  tfl.REDUCE_ANY

// -----
// CASE: a reduction keeps its elements
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "tfl.REDUCE_MAX"(%x, %c) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.REDUCE_MAX (float32[2,3], int32[1]) giving int32[2] is malformed: its elements should be float32
  = node: y  tfl.REDUCE_MAX

// -----
// CASE: an index of the largest
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %c = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %y = "tfl.ARG_MAX"(%x, %c) {output_type = "INT64"} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2xi32>)
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ARG_MAX (float32[2,3], int32[]) giving int32[2] is malformed: its elements should be int64
  = node: y  tfl.ARG_MAX

// -----
// CASE: other than the k largest
// RUN: dce
^bb(%x: tensor<2x9xf32>):
  %c = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y0, %y1 = "tfl.TOPK_V2"(%x, %c) : (tensor<2x9xf32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  "mlconv.yield"(%y0, %y1) : (tensor<2x4xf32>, tensor<2x4xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TOPK_V2 (float32[2,9], int32[]) giving float32[2,4], int32[2,4] is malformed: the result should be [2, 3]
  = node: y0  tfl.TOPK_V2

// -----
// CASE: places of what is true
// RUN: dce
^bb(%x: tensor<2x9xi1>):
  %y = "tfl.WHERE"(%x) : (tensor<2x9xi1>) -> (tensor<?x1xi64>)
  "mlconv.yield"(%y) : (tensor<?x1xi64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.WHERE (bool[2,9]) giving int64[?,1] is malformed: the result should be [?, 2]
  = node: y  tfl.WHERE

// -----
// CASE: segments of another length
// RUN: dce
^bb(%x: tensor<4x2xf32>, %s: tensor<3xi32>):
  %y = "tfl.SEGMENT_SUM"(%x, %s) : (tensor<4x2xf32>, tensor<3xi32>) -> (tensor<?x2xf32>)
  "mlconv.yield"(%y) : (tensor<?x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SEGMENT_SUM (float32[4,2], int32[3]) giving float32[?,2] is malformed: segments are [3] of [4, 2]
  = node: y  tfl.SEGMENT_SUM

// -----
// CASE: half of a spectrum
// RUN: dce
^bb(%x: tensor<4x8xf32>):
  %c = "core.constant"() {value = dense<[4, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RFFT2D"(%x, %c) : (tensor<4x8xf32>, tensor<2xi32>) -> (tensor<4x8xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<4x8xcomplex<f32>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RFFT2D (float32[4,8], int32[2]) giving complex64[4,8] is malformed: the result should be [4, 5]
  = node: y  tfl.RFFT2D

// -----
// CASE: boxes of three numbers
// RUN: dce
^bb(%b: tensor<9x3xf32>, %s: tensor<9xf32>, %n: tensor<i32>, %i: tensor<f32>, %t: tensor<f32>):
  %y0, %y1 = "tfl.NON_MAX_SUPPRESSION_V4"(%b, %s, %n, %i, %t) : (tensor<9x3xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<i32>)
  "mlconv.yield"(%y0, %y1) : (tensor<?xi32>, tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.NON_MAX_SUPPRESSION_V4 (float32[9,3], float32[9], int32[], float32[], float32[]) giving int32[?], int32[] is malformed: boxes are [9, 3], scores [9]
  = node: y0  tfl.NON_MAX_SUPPRESSION_V4

// -----
// CASE: a variable that is no resource
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.READ_VARIABLE"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.READ_VARIABLE (float32[4]) giving float32[4] is malformed: operand 0 is float32[4], expected tfl.resource
  = node: y  tfl.READ_VARIABLE

// -----
// CASE: a code that no file has
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.DELEGATE"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.DELEGATE (float32[4]) giving float32[4] is malformed: files have no such operator
  = node: y  tfl.DELEGATE
