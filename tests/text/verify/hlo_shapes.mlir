// CASE: an axis of a broadcast that is not there
// RUN: dce
^bb(%x: tensor<3xf32>):
  %y = "hlo.broadcast"(%x) {dimensions = [2]} : (tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.broadcast (float32[3]) giving float32[2,3] is malformed: dimensions has the axis 2 of a tensor of rank 2
  = node: y  hlo.broadcast

// -----
// CASE: a reshape keeps its elements
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.reshape"(%x) : (tensor<4xf32>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%y) : (tensor<2x2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reshape (float32[4]) giving int32[2,2] is malformed: the result should be float32[2,2]
  = node: y  hlo.reshape

// -----
// CASE: a permutation that is too short
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "hlo.transpose"(%x) {dimensions = [1]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.transpose (float32[2,3]) giving float32[3,2] is malformed: [1] is not a permutation
  = node: y  hlo.transpose

// -----
// CASE: a concatenation along no axis
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.concatenate"(%x, %y) {dimensions = []} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.concatenate (float32[2], float32[2]) giving float32[4] is malformed: dimensions has 0 axes, expected one
  = node: r  hlo.concatenate

// -----
// CASE: a concatenation along an axis that is not there
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.concatenate"(%x, %y) {dimensions = [1]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.concatenate (float32[2], float32[2]) giving float32[4] is malformed: dimensions has the axis 1 of a tensor of rank 1
  = node: r  hlo.concatenate

// -----
// CASE: a concatenation of two element types
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xi32>):
  %r = "hlo.concatenate"(%x, %y) {dimensions = [0]} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.concatenate (float32[2], int32[2]) giving float32[4] is malformed: operands have different element types: float32 and int32
  = node: r  hlo.concatenate

// -----
// CASE: lists that are too short
// RUN: dce
^bb(%x: tensor<4x4xf32>):
  %y = "hlo.slice"(%x) {starts = [0], limits = [2], strides = [1]} : (tensor<4x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.slice (float32[4,4]) giving float32[2,4] is malformed: starts has 1 entries, expected 2
  = node: y  hlo.slice

// -----
// CASE: a list that is not numbers
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.slice"(%x) {starts = ["a"], limits = [2], strides = [1]} : (tensor<4xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: hlo.slice: attribute 'starts' is not tuple[int, ...]

// -----
// CASE: padding of another rank
// RUN: dce
^bb(%x: tensor<4x4xf32>, %v: tensor<f32>):
  %y = "hlo.pad"(%x, %v) {padding = [[1, 1, 0]]} : (tensor<4x4xf32>, tensor<f32>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%y) : (tensor<6x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.pad (float32[4,4], float32[]) giving float32[6,4] is malformed: padding has 1 entries, expected 2
  = node: y  hlo.pad

// -----
// CASE: padding with a vector
// RUN: dce
^bb(%x: tensor<4xf32>, %v: tensor<1xf32>):
  %y = "hlo.pad"(%x, %v) {padding = [[1, 1, 0]]} : (tensor<4xf32>, tensor<1xf32>) -> (tensor<6xf32>)
  "mlconv.yield"(%y) : (tensor<6xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.pad (float32[4], float32[1]) giving float32[6] is malformed: the value is float32[1], not a scalar
  = node: y  hlo.pad

// -----
// CASE: an axis to count along that is not there
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.iota"() {dimensions = [9]} : () -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.iota () giving int32[4] is malformed: dimensions has the axis 9 of a tensor of rank 1
  = node: y  hlo.iota

// -----
// CASE: an axis that is reversed twice
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.reverse"(%x) {dimensions = [0, 0]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reverse (float32[4]) giving float32[4] is malformed: dimensions has an axis twice: [0, 0]
  = node: y  hlo.reverse

// -----
// CASE: a slice that is too large
// RUN: dce
^bb(%x: tensor<4xf32>, %i: tensor<i32>):
  %y = "hlo.dynamic-slice"(%x, %i) {sizes = [5]} : (tensor<4xf32>, tensor<i32>) -> (tensor<5xf32>)
  "mlconv.yield"(%y) : (tensor<5xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dynamic-slice (float32[4], int32[]) giving float32[5] is malformed: a slice of [5] does not fit
  = node: hlo.dynamic-slice  hlo.dynamic-slice

// -----
// CASE: an index too few
// RUN: dce
^bb(%x: tensor<4x4xf32>, %i: tensor<i32>):
  %y = "hlo.dynamic-slice"(%x, %i) {sizes = [1, 4]} : (tensor<4x4xf32>, tensor<i32>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dynamic-slice (float32[4,4], int32[]) giving float32[1,4] is malformed: it has 1 indices for 2 axes
  = node: hlo.dynamic-slice  hlo.dynamic-slice

// -----
// CASE: an index that is no integer
// RUN: dce
^bb(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<f32>):
  %y = "hlo.dynamic-update-slice"(%x, %u, %i) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dynamic-update-slice (float32[4], float32[2], float32[]) giving float32[4] is malformed: an index is not an integer scalar of one type
  = node: hlo.dynamic-update-slice  hlo.dynamic-update-slice

// -----
// CASE: a size along no axis
// RUN: dce
^bb(%x: tensor<4xf32>, %n: tensor<i32>):
  %y = "hlo.set-dimension-size"(%x, %n) {dimensions = [1]} : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.set-dimension-size (float32[4], int32[]) giving float32[4] is malformed: dimensions has the axis 1 of a tensor of rank 1
  = node: hlo.set-dimension-size  hlo.set-dimension-size

// -----
// CASE: a distribution that there is not
// RUN: dce
^bb(%a: tensor<f32>, %b: tensor<f32>):
  %y = "hlo.rng"(%a, %b) {distribution = "RNG_BETA"} : (tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: hlo.rng: attribute 'distribution' is not one of RNG_UNIFORM, RNG_NORMAL

// -----
// CASE: random numbers of other elements
// RUN: dce
^bb(%a: tensor<f32>, %b: tensor<f32>):
  %y = "hlo.rng"(%a, %b) {distribution = "RNG_UNIFORM"} : (tensor<f32>, tensor<f32>) -> (tensor<4xf64>)
  "mlconv.yield"(%y) : (tensor<4xf64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.rng (float32[], float32[]) giving float64[4] is malformed: the result should be float32[4]
  = node: y  hlo.rng
