// CASE: a small quantized constant becomes numbers
// RUN: fold,dce
^bb():
  %c = "core.constant"() {value = dense<[3, 5]> : tensor<2xi8>} : () -> (tensor<2xi8>)
  %q = "core.storage_cast"(%c) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<2xi8>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:3>>)
  %y = "core.dequantize"(%q) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
  %0 = "core.constant"() {"value" = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  "mlconv.yield"(%0) : (tensor<2xf32>) -> ()

// -----
// CASE: what is made of a constant keeps its quantization
// RUN: fold,dce
^bb():
  %c = "core.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %q = "core.quantize"(%c) {element = !quant.uniform<i8:f32:1, {0.5, 0.25}>} : (tensor<1x2xf32>) -> (tensor<1x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  %y = "core.transpose"(%q) {perm = [1, 0]} : (tensor<1x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  "mlconv.yield"(%y) : (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> ()
// EXPECT
  %0 = "core.constant"() {"value" = dense<[[2], [8]]> : tensor<2x1xi8>} : () -> (tensor<2x1xi8>)
  %1 = "core.storage_cast"(%0) {"element" = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : (tensor<2x1xi8>) -> (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  "mlconv.yield"(%1) : (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> ()

// -----
// CASE: equal ops with other results stay apart
// RUN: cse
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %a = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %b = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %c = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%a, %b, %c) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.neg"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "core.neg"(%0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  "mlconv.yield"(%1, %2, %1) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
