// CASE: scales follow their axis through a transpose
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  "mlconv.yield"(%1) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> ()

// -----
// CASE: a transpose that keeps the old axis is not valid
// RUN: dce
^bb(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: result 0 of core.transpose (int8{0.5, ... along 0}[2,2]) is int8{0.5, ... along 0}[2,2], it infers int8{0.5, ... along 1}[2,2]
  = node: y  core.transpose

// -----
// CASE: blocks follow their axis through a transpose
// RUN: dce
^bb(%a: tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.5, 0.25}, {1.0, 2.0}}>>):
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.5, 0.25}, {1.0, 2.0}}>>) -> (tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 1.0}, {0.25, 2.0}}>>)
  "mlconv.yield"(%y) : (tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 1.0}, {0.25, 2.0}}>>) -> ()
// EXPECT
^bb(%0: tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.5, 0.25}, {1.0, 2.0}}>>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.5, 0.25}, {1.0, 2.0}}>>) -> (tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 1.0}, {0.25, 2.0}}>>)
  "mlconv.yield"(%1) : (tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 1.0}, {0.25, 2.0}}>>) -> ()

// -----
// CASE: scales follow an axis that is put before
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %y = "core.expand_dims"(%a) {axes = [0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %1 = "core.expand_dims"(%0) {"axes" = [0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  "mlconv.yield"(%1) : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> ()

// -----
// CASE: the sum of two quantizations is a number
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %b: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %y = "core.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.1>>, %1: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %2 = "core.add"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: the sum may be stored in any way
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %b: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %y = "core.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.1>>, %1: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %2 = "core.add"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>) -> ()

// -----
// CASE: the sum is not one of its integers
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %b: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %y = "core.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: result 0 of core.add (int8{0.1}[4], int8{7.0}[4]) is int8[4], it infers float32[4]
  = node: y  core.add

// -----
// CASE: a quantized number and a plain one
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %b: tensor<f32>):
  %y = "core.mul"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<f32>) -> (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.1>>, %1: tensor<f32>):
  %2 = "core.mul"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<f32>) -> (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 8.0:-5>>) -> ()

// -----
// CASE: the larger of two keeps their quantization
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.maximum"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %2 = "core.maximum"(%0, %1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%2) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: the larger of two that are stored differently
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25:3>>):
  %y = "core.maximum"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.maximum (int8{0.5:3}[4], int8{0.25:3}[4]): MLC0202: quantization: the operands of core.maximum have different scales or zero points: int8{0.5:3} and int8{0.25:3}; dequantize the operand before it
  = node: y  core.maximum

// -----
// CASE: the larger of a quantized number and a plain one
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4xf32>):
  %y = "core.maximum"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.maximum (int8{0.5:3}[4], float32[4]): MLC0202: core.maximum: an operand is float32[4] while others are quantized
  = node: y  core.maximum

// -----
// CASE: parts are joined along the axis of their scales
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, %b: tensor<1x3x!quant.uniform<i8:f32:0, {8.0}>>):
  %y = "core.concat"(%a, %b) {axis = 0} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<1x3x!quant.uniform<i8:f32:0, {8.0}>>) -> (tensor<3x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 8.0}>>)
  "mlconv.yield"(%y) : (tensor<3x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 8.0}>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, %1: tensor<1x3x!quant.uniform<i8:f32:0, {8.0}>>):
  %2 = "core.concat"(%0, %1) {"axis" = 0} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<1x3x!quant.uniform<i8:f32:0, {8.0}>>) -> (tensor<3x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 8.0}>>)
  "mlconv.yield"(%2) : (tensor<3x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 8.0}>>) -> ()

// -----
// CASE: parts with other scales are not joined along another axis
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, %b: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.75:4}>>):
  %y = "core.concat"(%a, %b) {axis = 1} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.75:4}>>) -> (tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.concat (int8{0.5, ... along 0}[2,3], int8{0.5, ... along 0}[2,3]): MLC0202: quantization: the operands have different scales or zero points: int8{0.5, ... along 0} and int8{0.5, ... along 0}; dequantize the operand before it
  = node: y  core.concat

// -----
// CASE: sigmoid has one form
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.sigmoid"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.sigmoid"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()

// -----
// CASE: sigmoid has no other form
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.sigmoid"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: result 0 of core.sigmoid (int8{0.5:3}[4]) is int8{0.5:3}[4], it infers int8{0.00390625:-128}[4]
  = node: y  core.sigmoid

// -----
// CASE: log_softmax has no form for int16
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i16:f32, 0.5:3>>):
  %y = "core.log_softmax"(%a) {axis = 0} : (tensor<4x!quant.uniform<i16:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i16:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i16:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.log_softmax (int16{0.5:3}[4]): MLC0202: quantization: core.log_softmax has no form for int16; dequantize the operand before it
  = node: y  core.log_softmax

// -----
// CASE: a mean of windows keeps its quantization
// RUN: dce
^bb(%a: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.avg_pool"(%a) {layout = "N01C", window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], count_include_pad = false} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.avg_pool"(%0) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "N01C"} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%1) : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: the largest ones keep their quantization, their places are integers
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.arg_max"(%a) {axis = 1, select_last = false, keepdims = false, dtype = i32} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xi32>)
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.arg_max"(%0) {"axis" = 1, "keepdims" = false, "select_last" = false, "dtype" = i32} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xi32>)
  "mlconv.yield"(%1) : (tensor<2xi32>) -> ()

// -----
// CASE: an op without a rule takes no quantized operands
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.sign"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.sign (int8{0.5:3}[4]): MLC0202: core.sign has no rule for quantized operands: int8{0.5:3}[4]; dequantize them, or cast them to their integers
  = node: y  core.sign

// -----
// CASE: a cast to floats is no dequantization
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.cast"(%a) {dtype = f32} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.cast (int8{0.5:3}[4]): MLC0202: core.cast has no rule for quantized operands: int8{0.5:3}[4]; dequantize them, or cast them to their integers
  = node: y  core.cast

// -----
// CASE: a bias with the product of the scales
// RUN: dce
^bb(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %c: tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>):
  %y = "core.conv"(%a, %b, %c) {strides = [1], pads = [[0, 0]], dilations = [1], groups = 1, x_layout = "N0C", w_layout = "O0I", y_layout = "N0C"} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>)
  "mlconv.yield"(%y) : (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %2: tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>):
  %3 = "core.conv"(%0, %1, %2) {"strides" = [1], "pads" = [[0, 0]], "dilations" = [1], "groups" = 1, "x_layout" = "N0C", "w_layout" = "O0I", "y_layout" = "N0C"} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>)
  "mlconv.yield"(%3) : (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>) -> ()

// -----
// CASE: a bias with other scales
// RUN: dce
^bb(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %c: tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.25}>>):
  %y = "core.conv"(%a, %b, %c) {strides = [1], pads = [[0, 0]], dilations = [1], groups = 1, x_layout = "N0C", w_layout = "O0I", y_layout = "N0C"} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.25}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>)
  "mlconv.yield"(%y) : (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.conv (int8{0.5:3}[1,4,2], int8{0.5, ... along 0}[2,1,2], int32{0.25, ... along 0}[2]): MLC0202: core.conv: the scales of the bias (int32{0.25, ... along 0}) are not products of those of input and weights (int8{0.5:3} and int8{0.5, ... along 0}), with zero point 0
  = node: y  core.conv

// -----
// CASE: a reshape keeps scales of an axis that stays
// RUN: dce
^bb(%x: tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %s = "core.constant"() {value = dense<[2, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%x, %s) : (tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<3xi64>) -> (tensor<2x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<2x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()
// EXPECT
^bb(%0: tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %1 = "core.constant"() {"value" = dense<[2, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<3xi64>) -> (tensor<2x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>)
  "mlconv.yield"(%2) : (tensor<2x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> ()

// -----
// CASE: a reshape does not keep scales of an axis that goes
// RUN: dce
^bb(%x: tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %s = "core.constant"() {value = dense<[3, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %s) : (tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>, tensor<2xi64>) -> (tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.reshape (int8{0.5, ... along 0}[2,6], int64[2]): MLC0202: quantization: a reshape of [2, 6] to [3, 4] does not keep the scales of int8{0.5, ... along 0}; dequantize the operand before it
  = node: y  core.reshape

// -----
// CASE: a slice takes its part of the scales
// RUN: dce
^bb(%x: tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 1.0}>>):
  %b = "core.constant"() {value = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %s = "core.constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %b, %e, %s) {begin_mask = 0, end_mask = 0} : (tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 1.0}>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.25:4, 1.0}>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.25:4, 1.0}>>) -> ()
// EXPECT
^bb(%0: tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 1.0}>>):
  %1 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25:4, 1.0}>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.25:4, 1.0}>>)
  "mlconv.yield"(%4) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.25:4, 1.0}>>) -> ()
