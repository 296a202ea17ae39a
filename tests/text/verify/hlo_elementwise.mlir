// CASE: two element types
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xi32>):
  %r = "hlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.add (float32[2], int32[2]): element types differ: float32 and int32
  = node: r  hlo.add

// -----
// CASE: operands do not broadcast
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
  %r = "hlo.add"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.add (float32[2,3], float32[3]) giving float32[2,3] is malformed: the result should be float32[3]
  = node: r  hlo.add

// -----
// CASE: bits are of integers
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.and"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.and (float32[2], float32[2]) giving float32[2] is malformed: it works on integers
  = node: r  hlo.and

// -----
// CASE: a sine is of floats
// RUN: dce
^bb(%x: tensor<2xi32>):
  %y = "hlo.sine"(%x) : (tensor<2xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.sine (int32[2]) giving int32[2] is malformed: it works on floats and complex numbers
  = node: y  hlo.sine

// -----
// CASE: rounding is of real floats
// RUN: dce
^bb(%x: tensor<2xcomplex<f32>>):
  %y = "hlo.floor"(%x) : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<2xcomplex<f32>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.floor (complex64[2]) giving complex64[2] is malformed: it works on floats
  = node: y  hlo.floor

// -----
// CASE: a comparison gives bools
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.compare"(%x, %y) {direction = "LT"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.compare (float32[2], float32[2]) giving float32[2] is malformed: the result should be bool[2]
  = node: r  hlo.compare

// -----
// CASE: a comparison of two element types
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xi64>):
  %r = "hlo.compare"(%x, %y) {direction = "LT"} : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2xi1>)
  "mlconv.yield"(%r) : (tensor<2xi1>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.compare (float32[2], int64[2]) giving bool[2] is malformed: operands have different element types: float32 and int64
  = node: r  hlo.compare

// -----
// CASE: a direction that there is not
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.compare"(%x, %y) {direction = "FOO"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  "mlconv.yield"(%r) : (tensor<2xi1>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: hlo.compare: attribute 'direction' is not one of EQ, NE, LT, LE, GT, GE

// -----
// CASE: complex numbers have no order
// RUN: dce
^bb(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>):
  %r = "hlo.compare"(%x, %y) {direction = "LT"} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> (tensor<2xi1>)
  "mlconv.yield"(%r) : (tensor<2xi1>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.compare (complex64[2], complex64[2]) giving bool[2] is malformed: complex numbers have no order: LT
  = node: r  hlo.compare

// -----
// CASE: a copy is what it copies
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.copy"(%x) : (tensor<4xf32>) -> (tensor<7x9xi32>)
  "mlconv.yield"(%y) : (tensor<7x9xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.copy (float32[4]) giving int32[7,9] is malformed: the result should be float32[4]
  = node: y  hlo.copy

// -----
// CASE: bounds of other elements
// RUN: dce
^bb(%l: tensor<f32>, %x: tensor<4xi8>, %h: tensor<f32>):
  %y = "hlo.clamp"(%l, %x, %h) : (tensor<f32>, tensor<4xi8>, tensor<f32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.clamp (float32[], int8[4], float32[]) giving int32[4] is malformed: operands have different element types: float32 and int8
  = node: y  hlo.clamp

// -----
// CASE: a bound of another shape
// RUN: dce
^bb(%l: tensor<3xf32>, %x: tensor<4xf32>, %h: tensor<f32>):
  %y = "hlo.clamp"(%l, %x, %h) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.clamp (float32[3], float32[4], float32[]) giving float32[4] is malformed: a bound is [3], expected a scalar or [4]
  = node: y  hlo.clamp

// -----
// CASE: elements read as narrower ones make an axis
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.bitcast-convert"(%x) : (tensor<4xf32>) -> (tensor<7xi8>)
  "mlconv.yield"(%y) : (tensor<7xi8>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.bitcast-convert (float32[4]) giving int8[7] is malformed: the result should be [4, 4]
  = node: hlo.bitcast-convert  hlo.bitcast-convert

// -----
// CASE: elements read as wider ones take one up
// RUN: dce
^bb(%x: tensor<4x3xi8>):
  %y = "hlo.bitcast-convert"(%x) : (tensor<4x3xi8>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.bitcast-convert (int8[4,3]) giving int32[4] is malformed: the last axis of the operand is not 4
  = node: hlo.bitcast-convert  hlo.bitcast-convert

// -----
// CASE: a complex number is not converted to a real one
// RUN: dce
^bb(%x: tensor<4xcomplex<f32>>):
  %y = "hlo.convert"(%x) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.convert (complex64[4]) giving float32[4] is malformed: complex64 does not become float32 but by `real`
  = node: y  hlo.convert

// -----
// CASE: a predicate that is not bool
// RUN: dce
^bb(%c: tensor<2xi32>, %x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.select"(%c, %x, %y) : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.select (int32[2], float32[2], float32[2]) giving float32[2] is malformed: the predicate is not bool
  = node: r  hlo.select

// -----
// CASE: parts of complex numbers
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %r = "hlo.complex"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xcomplex<f64>>)
  "mlconv.yield"(%r) : (tensor<2xcomplex<f64>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.complex (float32[2], float32[2]) giving complex128[2] is malformed: the result should be complex64[2]
  = node: r  hlo.complex

// -----
// CASE: whether numbers are finite
// RUN: dce
^bb(%x: tensor<2xi32>):
  %y = "hlo.is-finite"(%x) : (tensor<2xi32>) -> (tensor<2xi1>)
  "mlconv.yield"(%y) : (tensor<2xi1>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.is-finite (int32[2]) giving bool[2] is malformed: it works on floats
  = node: hlo.is-finite  hlo.is-finite
