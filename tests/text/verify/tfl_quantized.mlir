// CASE: an op that moves integers keeps their scale
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>):
  %c = "core.constant"() {value = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.RESHAPE"(%x, %c) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<2xi32>) -> (tensor<2x2x!quant.uniform<i8:f32, 7.0>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 7.0>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.RESHAPE (int8{0.1}[4], int32[2]) giving int8{7.0}[2,2] is malformed: scales or zero points differ: int8{0.1} and int8{7.0}
  = node: y  tfl.RESHAPE

// -----
// CASE: operands that are joined have one scale
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>, %y: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %r = "tfl.CONCATENATION"(%x, %y) {axis = 0} : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<8x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%r) : (tensor<8x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.CONCATENATION (int8{0.1}[4], int8{7.0}[4]) giving int8{0.1}[8] is malformed: scales or zero points differ: int8{0.1} and int8{7.0}
  = node: r  tfl.CONCATENATION

// -----
// CASE: the larger of two has the scale of both
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>, %y: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %r = "tfl.MAXIMUM"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%r) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.MAXIMUM (int8{0.1}[4], int8{7.0}[4]) giving int8{0.1}[4] is malformed: scales or zero points differ: int8{0.1} and int8{7.0}
  = node: r  tfl.MAXIMUM

// -----
// CASE: a sum has any scale
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>, %y: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %r = "tfl.ADD"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 7.0>>)
  "mlconv.yield"(%r) : (tensor<4x!quant.uniform<i8:f32, 7.0>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.1>>, %1: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %2 = "tfl.ADD"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 7.0>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 7.0>>) -> ()

// -----
// CASE: a sum of quantized and plain integers
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>, %y: tensor<4xi8>):
  %r = "tfl.ADD"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4xi8>) -> (tensor<4x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%r) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.ADD (int8{0.1}[4], int8[4]) giving int8{0.1}[4] is malformed: int8[4] is not quantized, int8{0.1}[4] is
  = node: r  tfl.ADD

// -----
// CASE: the kernel has a scale of its own
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>):
  %y = "tfl.LOGISTIC"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> (tensor<4x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.LOGISTIC (int8{0.1}[4]) giving int8{0.1}[4] is malformed: its kernel gives scale 0.00390625 and zero point -128, the result has int8{0.1}
  = node: y  tfl.LOGISTIC

// -----
// CASE: the scale that the kernel has
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>):
  %y = "tfl.LOGISTIC"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.1>>):
  %1 = "tfl.LOGISTIC"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()

// -----
// CASE: scales along an axis are those of weights
// RUN: dce
^bb(%x: tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>):
  %c = "core.constant"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "tfl.TRANSPOSE"(%x, %c) : (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>, tensor<2xi32>) -> (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>)
  "mlconv.yield"(%y) : (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.TRANSPOSE (int8{0.1, ... along 0}[3,3], int32[2]) giving int8{0.1, ... along 0}[3,3] is malformed: operand 0 has scales along an axis: int8{0.1, ... along 0}
  = node: y  tfl.TRANSPOSE

// -----
// CASE: weights with scales along an axis
// RUN: dce
^bb(%x: tensor<2x5x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, %b: tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.25}>>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w, %b) : (tensor<2x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 0.1>>) -> ()
// EXPECT
^bb(%0: tensor<2x5x!quant.uniform<i8:f32, 0.5>>, %1: tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, %2: tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.25}>>):
  %3 = "tfl.FULLY_CONNECTED"(%0, %1, %2) : (tensor<2x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%3) : (tensor<2x2x!quant.uniform<i8:f32, 0.1>>) -> ()

// -----
// CASE: scales of a bias that are no products
// RUN: dce
^bb(%x: tensor<2x5x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, %b: tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.5}>>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w, %b) : (tensor<2x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.FULLY_CONNECTED (int8{0.5}[2,5], int8{0.25, ... along 0}[2,5], int32{0.125, ... along 0}[2]) giving int8{0.1}[2,2] is malformed: scales of the bias, int32{0.125, ... along 0}, are not products of int8{0.5} and int8{0.25, ... along 0}
  = node: y  tfl.FULLY_CONNECTED

// -----
// CASE: weights with a zero point
// RUN: dce
^bb(%x: tensor<2x5x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32, 0.25:3>>):
  %y = "tfl.FULLY_CONNECTED"(%x, %w) {mlconv.absent = [2]} : (tensor<2x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32, 0.25:3>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.FULLY_CONNECTED (int8{0.5}[2,5], int8{0.25:3}[2,5], -) giving int8{0.1}[2,2] is malformed: weights have a zero point: int8{0.25:3}
  = node: y  tfl.FULLY_CONNECTED
