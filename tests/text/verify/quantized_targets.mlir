// CASE: a sum of HLO takes numbers
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>, %y: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %r = "hlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4x!quant.uniform<i8:f32, 9.0>>)
  "mlconv.yield"(%r) : (tensor<4x!quant.uniform<i8:f32, 9.0>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.add (int8{0.1}[4], int8{7.0}[4]) giving int8{9.0}[4] is malformed: int8{0.1}[4] is quantized; hlo ops take numbers
  = node: r  hlo.add

// -----
// CASE: a transpose of HLO that keeps an axis of scales
// RUN: dce
^bb(%x: tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>):
  %y = "hlo.transpose"(%x) {dimensions = [1, 0]} : (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>) -> (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>)
  "mlconv.yield"(%y) : (tensor<3x3x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.transpose (int8{0.1, ... along 0}[3,3]) giving int8{0.1, ... along 0}[3,3] is malformed: int8{0.1, ... along 0}[3,3] is quantized; hlo ops take numbers
  = node: y  hlo.transpose

// -----
// CASE: an alias of a kernel takes numbers
// RUN: dce
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>):
  %y = "kernel.alias"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.1>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 0.1>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: kernel.alias (int8{0.1}[4]) giving int8{0.1}[2,2] is malformed: int8{0.1}[4] is quantized; kernel ops take numbers
  = node: y  kernel.alias
