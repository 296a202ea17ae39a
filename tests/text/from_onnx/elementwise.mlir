// CASE: unary ops become those of core
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %a = "onnx.Abs"(%x) {opset_version = 17} : (tensor<4xf32>) -> (tensor<*x!mlconv.unknown>)
  %b = "onnx.Neg"(%a) {opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<*x!mlconv.unknown>)
  %c = "onnx.Exp"(%b) {opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<*x!mlconv.unknown>)
  %d = "onnx.Erf"(%c) {opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<*x!mlconv.unknown>)
  %e = "onnx.Tanh"(%d) {opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<4xf32>)
  "mlconv.yield"(%e) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.abs"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.neg"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.exp"(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.erf"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.tanh"(%4) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%5) : (tensor<4xf32>) -> ()

// -----
// CASE: operands broadcast as numpy's do
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %y = "onnx.Sub"(%x, %w) {opset_version = 17} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "core.sub"(%0, %1) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: division of integers cuts
// RUN: from-onnx
^bb(%a: tensor<4xi32>, %b: tensor<4xi32>):
  %y = "onnx.Div"(%a, %b) {opset_version = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.div"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2) : (tensor<4xi32>) -> ()

// -----
// CASE: Mod of integers has the sign of the divisor, with fmod that of the dividend
// RUN: from-onnx
^bb(%a: tensor<4xi32>, %b: tensor<4xi32>):
  %y = "onnx.Mod"(%a, %b) {opset_version = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %z = "onnx.Mod"(%a, %b) {fmod = 1, opset_version = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y, %z) : (tensor<4xi32>, tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.floor_mod"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "core.rem"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2, %3) : (tensor<4xi32>, tensor<4xi32>) -> ()

// -----
// CASE: Pow has the type of its base
// RUN: from-onnx
^bb(%a: tensor<4xf32>, %b: tensor<4xi32>):
  %y = "onnx.Pow"(%a, %b) {opset_version = 17} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xi32>):
  %2 = "core.pow"(%0, %1) {"natural" = false} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: a sum of three is two additions
// RUN: from-onnx
^bb(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
  %y = "onnx.Sum"(%a, %b, %c) {opset_version = 17} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>):
  %3 = "core.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.add"(%3, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: Mean divides by the number of operands
// RUN: from-onnx
^bb(%a: tensor<4xf32>, %b: tensor<4xf32>):
  %y = "onnx.Mean"(%a, %b) {opset_version = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.div"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: Add of before opset 7 lines up its operand by axis
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>):
  %y = "onnx.Add"(%x, %w) {axis = 1, broadcast = 1, opset_version = 6} : (tensor<2x3x4xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<3xf32>):
  %2 = "core.expand_dims"(%1) {"axes" = [1]} : (tensor<3xf32>) -> (tensor<3x1xf32>)
  %3 = "core.add"(%0, %2) : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%3) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: Clip takes its bounds as attributes before opset 11
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %y = "onnx.Clip"(%x) {max = 6.0 : f64, opset_version = 9} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.clamp"(%0) {"lo" = -3.4028234663852886e+38 : f64, "hi" = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: Clip takes its bounds as operands from opset 11
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %lo = "onnx.Constant"() {value = dense<-1.0> : tensor<f32>} : () -> (tensor<f32>)
  %hi = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "onnx.Clip"(%x, %lo, %hi) {opset_version = 17} : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.clamp"(%0) {"lo" = -1.0 : f64, "hi" = 1.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: Clip with a bound that is computed is a minimum
// RUN: from-onnx
^bb(%x: tensor<4xf32>, %hi: tensor<f32>):
  %y = "onnx.Clip"(%x, %hi) {opset_version = 17, mlconv.absent = [1]} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<f32>):
  %2 = "core.constant"() {"value" = dense<-3.4028235e+38> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.maximum"(%0, %2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "core.minimum"(%3, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: Cast to int8 of a float
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %y = "onnx.Cast"(%x) {to = 3, opset_version = 17} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.cast"(%0) {"dtype" = i8, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%1) : (tensor<4xi8>) -> ()

// -----
// CASE: Cast to float8 goes to the largest number
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %y = "onnx.Cast"(%x) {to = 17, opset_version = 19} : (tensor<4xf32>) -> (tensor<4xf8E4M3FN>)
  "mlconv.yield"(%y) : (tensor<4xf8E4M3FN>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.clamp"(%0) {"lo" = -448.0 : f64, "hi" = 448.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.cast"(%1) {"dtype" = f8E4M3FN, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xf8E4M3FN>)
  "mlconv.yield"(%2) : (tensor<4xf8E4M3FN>) -> ()

// -----
// CASE: Cast of strings is refused
// RUN: from-onnx
^bb(%x: tensor<2x!mlconv.string>):
  %y = "onnx.Cast"(%x) {to = 1, opset_version = 17} : (tensor<2x!mlconv.string>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0205]: Cast between string and float32: strings are not supported
  = node: y  onnx.Cast (string[2])

// -----
// CASE: Where selects
// RUN: from-onnx
^bb(%c: tensor<2x3xi1>, %a: tensor<3xf32>, %b: tensor<2x1xf32>):
  %y = "onnx.Where"(%c, %a, %b) {opset_version = 17} : (tensor<2x3xi1>, tensor<3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>, %1: tensor<3xf32>, %2: tensor<2x1xf32>):
  %3 = "core.select"(%0, %1, %2) : (tensor<2x3xi1>, tensor<3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: BitShift takes its direction from an attribute
// RUN: from-onnx
^bb(%a: tensor<4xui8>, %b: tensor<4xui8>):
  %y = "onnx.BitShift"(%a, %b) {direction = "RIGHT", opset_version = 17} : (tensor<4xui8>, tensor<4xui8>) -> (tensor<4xui8>)
  "mlconv.yield"(%y) : (tensor<4xui8>) -> ()
// EXPECT
^bb(%0: tensor<4xui8>, %1: tensor<4xui8>):
  %2 = "core.shift_right"(%0, %1) : (tensor<4xui8>, tensor<4xui8>) -> (tensor<4xui8>)
  "mlconv.yield"(%2) : (tensor<4xui8>) -> ()

// -----
// CASE: Dropout is its operand, and its mask says so
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %y, %m = "onnx.Dropout"(%x) {opset_version = 13} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  "mlconv.yield"(%y, %m) : (tensor<4xf32>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.broadcast_to"(%1, %2) : (tensor<i1>, tensor<1xi64>) -> (tensor<4xi1>)
  "mlconv.yield"(%0, %3) : (tensor<4xf32>, tensor<4xi1>) -> ()

// -----
// CASE: Dropout in training mode is refused
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %r = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %t = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %y = "onnx.Dropout"(%x, %r, %t) {opset_version = 13} : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0302]: Dropout: training_mode is not false, and only inference is supported
  = node: y  onnx.Dropout (float32[4], float32[], bool[])
  = help: export the model in evaluation mode

// -----
// CASE: random numbers are refused
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %n = "onnx.RandomNormalLike"(%x) {opset_version = 17} : (tensor<4xf32>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.Add"(%x, %n) {opset_version = 17} : (tensor<4xf32>, tensor<*x!mlconv.unknown>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0302]: RandomNormalLike: random numbers are not supported: two runs would differ, and no target can be verified
  = node: n  onnx.RandomNormalLike (float32[4])
  = help: take the random values as a model input

// -----
// CASE: element types that differ are refused, with both
// RUN: from-onnx
^bb(%a: tensor<2xf32>, %b: tensor<2xi64>):
  %y = "onnx.Add"(%a, %b) {opset_version = 17} : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0202]: operands have different element types: float32 and int64
  = node: y  onnx.Add (float32[2], int64[2])

// -----
// CASE: shapes that do not broadcast are refused, with both
// RUN: from-onnx
^bb(%a: tensor<2x3xf32>, %b: tensor<4xf32>):
  %y = "onnx.Add"(%a, %b) {opset_version = 17} : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: shapes do not broadcast: [2, 3] and [4] (3 against 4)
  = node: y  onnx.Add (float32[2,3], float32[4])

// -----
// CASE: an operator that nobody knows is named, and the one that is near it
// RUN: from-onnx
^bb(%x: tensor<2xf32>):
  %y = "onnx.relu"(%x) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0301]: operator relu is not supported
  = node: y  onnx.relu (float32[2])
  = help: did you mean 'Relu'?

// -----
// CASE: two refusals are both reported
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %a = "onnx.RandomNormalLike"(%x) {opset_version = 17} : (tensor<4xf32>) -> (tensor<*x!mlconv.unknown>)
  %b = "onnx.RandomUniformLike"(%x) {opset_version = 17} : (tensor<4xf32>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.Add"(%a, %b) {opset_version = 17} : (tensor<*x!mlconv.unknown>, tensor<*x!mlconv.unknown>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0302]: RandomNormalLike: random numbers are not supported: two runs would differ, and no target can be verified
  = node: a  onnx.RandomNormalLike (float32[4])
  = help: take the random values as a model input
error[MLC0302]: RandomUniformLike: random numbers are not supported: two runs would differ, and no target can be verified
  = node: b  onnx.RandomUniformLike (float32[4])
  = help: take the random values as a model input
