// CASE: one scale; integers in a part of their type
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1>>):
  %y = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1>>):
  %1 = "core.dequantize"(%0) : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1>>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: a scale for each slice
// RUN: dce
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 1.0:-8}>>):
  %y = "core.dequantize"(%a) : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 1.0:-8}>>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 1.0:-8}>>):
  %1 = "core.dequantize"(%0) : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 1.0:-8}>>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a scale for each block of two, of integers of four bits
// RUN: dce
^bb(%a: tensor<2x4x!quant.uniform<u4:f16:{0:1, 1:2}, {{0.5, 0.25:4}, {1.0:8, 2.0}}>>):
  %y = "core.dequantize"(%a) : (tensor<2x4x!quant.uniform<u4:f16:{0:1, 1:2}, {{0.5, 0.25:4}, {1.0:8, 2.0}}>>) -> (tensor<2x4xf16>)
  "mlconv.yield"(%y) : (tensor<2x4xf16>) -> ()
// EXPECT
^bb(%0: tensor<2x4x!quant.uniform<u4:f16:{0:1, 1:2}, {{0.5, 0.25:4}, {1.0:8, 2.0}}>>):
  %1 = "core.dequantize"(%0) : (tensor<2x4x!quant.uniform<u4:f16:{0:1, 1:2}, {{0.5, 0.25:4}, {1.0:8, 2.0}}>>) -> (tensor<2x4xf16>)
  "mlconv.yield"(%1) : (tensor<2x4xf16>) -> ()

// -----
// CASE: no rank
// RUN: dce
^bb(%a: tensor<*x!quant.uniform<u16:f32, 0.1:700>>):
  %y = "core.dequantize"(%a) : (tensor<*x!quant.uniform<u16:f32, 0.1:700>>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<*x!quant.uniform<u16:f32, 0.1:700>>):
  %1 = "core.dequantize"(%0) : (tensor<*x!quant.uniform<u16:f32, 0.1:700>>) -> (tensor<*xf32>)
  "mlconv.yield"(%1) : (tensor<*xf32>) -> ()

// -----
// CASE: numbers that are equal make types that are equal: a zero point of 0 need not be said
// RUN: dce
^bb(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>):
  %y = "core.dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>):
  %1 = "core.dequantize"(%0) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: a scale of 0 is none
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.0>>):
  %y = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.0>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: a scale is 0.0, expected a finite positive number

// -----
// CASE: a zero point outside of the range
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1:-128>>):
  %y = "core.dequantize"(%a) : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.1:-128>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: the zero point -128 is not within [-127, 127]

// -----
// CASE: a range outside of the storage
// RUN: dce
^bb(%a: tensor<4x!quant.uniform<u8<-1:255>:f32, 0.1>>):
  %y = "core.dequantize"(%a) : (tensor<4x!quant.uniform<u8<-1:255>:f32, 0.1>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: the range [-1, 255] is not one of uint8, [0, 255]

// -----
// CASE: an axis that the tensor has not
// RUN: dce
^bb(%a: tensor<2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>):
  %y = "core.dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: scales along axis 1 of a tensor of rank 1

// -----
// CASE: fewer scales than slices
// RUN: dce
^bb(%a: tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>):
  %y = "core.dequantize"(%a) : (tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: 2 scales for the size 3 of axis 0 of [3]

// -----
// CASE: blocks that do not divide the axis
// RUN: dce
^bb(%a: tensor<5x!quant.uniform<i4:f32:{0:2}, {0.5, 0.25}>>):
  %y = "core.dequantize"(%a) : (tensor<5x!quant.uniform<i4:f32:{0:2}, {0.5, 0.25}>>) -> (tensor<5xf32>)
  "mlconv.yield"(%y) : (tensor<5xf32>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: 2 blocks of 2 along axis 0, whose size is 5

// -----
// CASE: integers that stand for integers
// RUN: dce
^bb(%a: tensor<5x!quant.uniform<i4:i8, 0.5>>):
  %y = "core.dequantize"(%a) : (tensor<5x!quant.uniform<i4:i8, 0.5>>) -> (tensor<5xi8>)
  "mlconv.yield"(%y) : (tensor<5xi8>) -> ()
// DIAGNOSTICS
error[MLC0503]: quantization: int4 integers that stand for int8: expected integers and floats

// -----
// CASE: plain integers are not dequantized
// RUN: dce
^bb(%a: tensor<5xi8>):
  %y = "core.dequantize"(%a) : (tensor<5xi8>) -> (tensor<5xf32>)
  "mlconv.yield"(%y) : (tensor<5xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.dequantize (int8[5]): MLC0202: int8[5] is not quantized
  = node: y  core.dequantize

// -----
// CASE: a quantized tensor in another storage
// RUN: dce
^bb(%a: tensor<5xi8>):
  %y = "core.storage_cast"(%a) {element = !quant.uniform<u8:f32, 0.5>} : (tensor<5xi8>) -> (tensor<5x!quant.uniform<u8:f32, 0.5>>)
  "mlconv.yield"(%y) : (tensor<5x!quant.uniform<u8:f32, 0.5>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.storage_cast (int8[5]): MLC0202: the integers of int8[5] are not uint8, which uint8{0.5}[5] is stored in
  = node: y  core.storage_cast
