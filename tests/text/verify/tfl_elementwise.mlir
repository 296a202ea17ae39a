// CASE: two element types
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>):
  %r = "tfl.ADD"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD (float32[2,3], int32[2,3]): element types differ: float32 and int32
  = node: r  tfl.ADD

// -----
// CASE: a result of another element type
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
  %r = "tfl.ADD"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf64>)
  "mlconv.yield"(%r) : (tensor<2x3xf64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD (float32[2,3], float32[3]): element types differ: float32 and float64
  = node: r  tfl.ADD

// -----
// CASE: shapes that do not broadcast
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<5xf32>):
  %r = "tfl.ADD"(%x, %y) : (tensor<2x3xf32>, tensor<5xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD (float32[2,3], float32[5]) giving float32[2,3] is malformed: shapes do not broadcast: [2, 3] and [5]
  = node: r  tfl.ADD

// -----
// CASE: a result of another shape
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
  %r = "tfl.MUL"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<7x7xf32>)
  "mlconv.yield"(%r) : (tensor<7x7xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.MUL (float32[2,3], float32[3]) giving float32[7,7] is malformed: the result should be [2, 3]
  = node: r  tfl.MUL

// -----
// CASE: sizes that are known at run time only agree with any
// RUN: dce
^bb(%x: tensor<?x3xf32>, %y: tensor<2x1xf32>):
  %r = "tfl.ADD"(%x, %y) : (tensor<?x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["?1", "3"]}>, %1: tensor<2x1xf32>):
  %2 = "tfl.ADD"(%0, %1) : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a unary op keeps its shape
// RUN: dce
^bb(%x: tensor<2x3xf32>):
  %y = "tfl.SOFTMAX"(%x) {beta = 1.0} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SOFTMAX (float32[2,3]) giving float32[3,2] is malformed: the result should be [2, 3]
  = node: y  tfl.SOFTMAX

// -----
// CASE: a comparison gives bools
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "tfl.LESS"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.LESS (float32[2], float32[2]) giving float32[2] is malformed: its elements should be bool
  = node: r  tfl.LESS

// -----
// CASE: a comparison of two element types
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xi64>):
  %r = "tfl.EQUAL"(%x, %y) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2xi1>)
  "mlconv.yield"(%r) : (tensor<2xi1>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.EQUAL (float32[2], int64[2]) giving bool[2] is malformed: element types differ: float32 and int64
  = node: r  tfl.EQUAL

// -----
// CASE: logic is of bools
// RUN: dce
^bb(%x: tensor<2xi32>, %y: tensor<2xi32>):
  %r = "tfl.LOGICAL_AND"(%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%r) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.LOGICAL_AND (int32[2], int32[2]) giving int32[2] is malformed: operand 0 is int32, expected bool
  = node: r  tfl.LOGICAL_AND

// -----
// CASE: bits are of integers
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "tfl.BITWISE_XOR"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.BITWISE_XOR (float32[2], float32[2]) giving float32[2] is malformed: it works on integers, not float32
  = node: r  tfl.BITWISE_XOR

// -----
// CASE: a cast keeps its shape
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.CAST"(%x) : (tensor<4xf32>) -> (tensor<7xi32>)
  "mlconv.yield"(%y) : (tensor<7xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CAST (float32[4]) giving int32[7] is malformed: the result should be [4]
  = node: y  tfl.CAST

// -----
// CASE: a condition that is not bool
// RUN: dce
^bb(%c: tensor<2xi32>, %x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "tfl.SELECT_V2"(%c, %x, %y) : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SELECT_V2 (int32[2], float32[2], float32[2]) giving float32[2] is malformed: operand 0 is int32, expected bool
  = node: r  tfl.SELECT_V2

// -----
// CASE: a selection from two element types
// RUN: dce
^bb(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xi32>):
  %r = "tfl.SELECT_V2"(%c, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SELECT_V2 (bool[2], float32[2], int32[2]) giving float32[2] is malformed: element types differ: float32 and int32
  = node: r  tfl.SELECT_V2

// -----
// CASE: a condition of another shape
// RUN: dce
^bb(%c: tensor<3xi1>, %x: tensor<2x2xf32>, %y: tensor<2x2xf32>):
  %r = "tfl.SELECT"(%c, %x, %y) : (tensor<3xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%r) : (tensor<2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.SELECT (bool[3], float32[2,2], float32[2,2]) giving float32[2,2] is malformed: the condition is [3] for [2, 2]
  = node: r  tfl.SELECT

// -----
// CASE: the part of a complex number is a float
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "tfl.REAL"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.REAL (float32[2]) giving float32[2] is malformed: it works on complex numbers, not float32
  = node: y  tfl.REAL

// -----
// CASE: elements read as wider ones take up an axis
// RUN: dce
^bb(%x: tensor<4x2xi32>):
  %y = "tfl.BITCAST"(%x) : (tensor<4x2xi32>) -> (tensor<4x2xi64>)
  "mlconv.yield"(%y) : (tensor<4x2xi64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.BITCAST (int32[4,2]) giving int64[4,2] is malformed: the result should be [4]
  = node: y  tfl.BITCAST

// -----
// CASE: quantizing gives integers
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.QUANTIZE"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.QUANTIZE (float32[4]) giving float32[4] is malformed: it gives integers
  = node: y  tfl.QUANTIZE

// -----
// CASE: a sum of no tensors
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "tfl.ADD_N"() : () -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD_N () giving float32[4] is malformed: it has no operands
  = node: y  tfl.ADD_N

// -----
// CASE: StableHLO's ops do not broadcast
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
  %r = "tfl.STABLEHLO_ADD"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.STABLEHLO_ADD (float32[2,3], float32[3]) giving float32[2,3] is malformed: the result should be [3]
  = node: r  tfl.STABLEHLO_ADD

// -----
// CASE: an operand too few
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "tfl.ADD"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD (float32[2]): it has 1 operands, declared are lhs, rhs
  = node: y  tfl.ADD
