// CASE: QuantizeLinear has a quantized element type
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %z = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> (tensor<ui8>)
  %y = "onnx.QuantizeLinear"(%x, %s, %z) {opset_version = 17} : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> (tensor<2x3xui8>)
  "mlconv.yield"(%y) : (tensor<2x3xui8>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.quantize"(%0) {"element" = !quant.uniform<u8:f32, 0.5:128>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>)
  %2 = "core.storage_cast"(%1) {"element" = ui8} : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> (tensor<2x3xui8>)
  "mlconv.yield"(%2) : (tensor<2x3xui8>) -> ()

// -----
// CASE: DequantizeLinear along an axis
// RUN: from-onnx
^bb(%x: tensor<2x3xi8>):
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %z = "onnx.Constant"() {value = dense<[0, 0]> : tensor<2xi8>} : () -> (tensor<2xi8>)
  %y = "onnx.DequantizeLinear"(%x, %s, %z) {axis = 0, opset_version = 17} : (tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>):
  %1 = "core.storage_cast"(%0) {"element" = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : (tensor<2x3xi8>) -> (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  %2 = "core.dequantize"(%1) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: DequantizeLinear with a computed scale is arithmetic
// RUN: from-onnx
^bb(%x: tensor<2x3xi8>, %s: tensor<f32>):
  %y = "onnx.DequantizeLinear"(%x, %s) {opset_version = 17} : (tensor<2x3xi8>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>, %1: tensor<f32>):
  %2 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<2x3xi8>) -> (tensor<2x3xf32>)
  %3 = "core.mul"(%2, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: QLinearMatMul computes with real numbers
// RUN: from-onnx
^bb(%a: tensor<2x3xui8>, %b: tensor<3x4xui8>):
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %z = "onnx.Constant"() {value = dense<10> : tensor<ui8>} : () -> (tensor<ui8>)
  %y = "onnx.QLinearMatMul"(%a, %s, %z, %b, %s, %z, %s, %z) {opset_version = 17} : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> (tensor<2x4xui8>)
  "mlconv.yield"(%y) : (tensor<2x4xui8>) -> ()
// EXPECT
^bb(%0: tensor<2x3xui8>, %1: tensor<3x4xui8>):
  %2 = "core.storage_cast"(%0) {"element" = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3x!quant.uniform<u8:f32, 0.5:10>>)
  %3 = "core.dequantize"(%2) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:10>>) -> (tensor<2x3xf32>)
  %4 = "core.storage_cast"(%1) {"element" = !quant.uniform<u8:f32, 0.5:10>} : (tensor<3x4xui8>) -> (tensor<3x4x!quant.uniform<u8:f32, 0.5:10>>)
  %5 = "core.dequantize"(%4) : (tensor<3x4x!quant.uniform<u8:f32, 0.5:10>>) -> (tensor<3x4xf32>)
  %6 = "core.matmul"(%3, %5) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %7 = "core.quantize"(%6) {"element" = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x4xf32>) -> (tensor<2x4x!quant.uniform<u8:f32, 0.5:10>>)
  %8 = "core.storage_cast"(%7) {"element" = ui8} : (tensor<2x4x!quant.uniform<u8:f32, 0.5:10>>) -> (tensor<2x4xui8>)
  "mlconv.yield"(%8) : (tensor<2x4xui8>) -> ()

// -----
// CASE: DynamicQuantizeLinear takes its scale from the data
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %y, %s, %z = "onnx.DynamicQuantizeLinear"(%x) {opset_version = 17} : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
  "mlconv.yield"(%y, %s, %z) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.maximum"(%1, %2) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %4 = "core.reduce_min"(%0) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.minimum"(%4, %5) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %7 = "core.sub"(%3, %6) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %8 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.equal"(%7, %8) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
  %10 = "core.constant"() {"value" = dense<255.0> : tensor<f32>} : () -> (tensor<f32>)
  %11 = "core.div"(%7, %10) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %12 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %13 = "core.select"(%9, %12, %11) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %14 = "core.neg"(%6) : (tensor<f32>) -> (tensor<f32>)
  %15 = "core.div"(%14, %13) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %16 = "core.round"(%15) : (tensor<f32>) -> (tensor<f32>)
  %17 = "core.div"(%0, %13) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %18 = "core.round"(%17) : (tensor<4xf32>) -> (tensor<4xf32>)
  %19 = "core.add"(%18, %16) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %20 = "core.constant"() {"value" = dense<255.0> : tensor<f32>} : () -> (tensor<f32>)
  %21 = "core.minimum"(%19, %20) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %22 = "core.cast"(%21) {"dtype" = ui8, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xui8>)
  %23 = "core.cast"(%16) {"dtype" = ui8, "saturate" = false} : (tensor<f32>) -> (tensor<ui8>)
  "mlconv.yield"(%22, %13, %23) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> ()
