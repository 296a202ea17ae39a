// CASE: borders are QuantizeLinear and DequantizeLinear
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %i = "core.storage_cast"(%q) {element = i8} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xi8>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  "mlconv.yield"(%i, %y) : (tensor<4xi8>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %3 = "onnx.QuantizeLinear"(%0, %1, %2) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> (tensor<4xi8>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %6 = "onnx.DequantizeLinear"(%3, %4, %5) {"opset_version" = 17} : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> (tensor<4xf32>)
  "mlconv.yield"(%3, %6) : (tensor<4xi8>, tensor<4xf32>) -> ()

// -----
// CASE: integers of 16 bits need a newer operator set, and all ops are of it
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i16:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.5>>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i16:f32, 0.5>>) -> (tensor<4xf32>)
  %s = "core.reduce_max"(%y) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
  "mlconv.yield"(%s) : (tensor<f32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<0> : tensor<i16>} : () -> (tensor<i16>)
  %3 = "onnx.QuantizeLinear"(%0, %1, %2) {"opset_version" = 21} : (tensor<4xf32>, tensor<f32>, tensor<i16>) -> (tensor<4xi16>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i16>} : () -> (tensor<i16>)
  %6 = "onnx.DequantizeLinear"(%3, %4, %5) {"opset_version" = 21} : (tensor<4xi16>, tensor<f32>, tensor<i16>) -> (tensor<4xf32>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "onnx.ReduceMax"(%6, %7) {"keepdims" = 0, "opset_version" = 21} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<f32>)
  "mlconv.yield"(%8) : (tensor<f32>) -> ()

// -----
// CASE: an operator set that is asked for is not exceeded
// RUN: to-onnx{opset=18}
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i16:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.5>>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i16:f32, 0.5>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: DequantizeLinear needs opset 21, and --opset is 18
  = node: y  core.dequantize (int16{0.5}[4])
  = help: pass --opset 21, or leave it out
error[MLC0401]: QuantizeLinear needs opset 21, and --opset is 18
  = node: q  core.quantize (float32[4])
  = help: pass --opset 21, or leave it out

// -----
// CASE: weights of 4 bits in blocks
// RUN: to-onnx
^bb(%a: tensor<2x4xf32>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6], [-7, 7]]> : tensor<4x2xi4>, element = !quant.uniform<i4:f32:{0:2}, {{0.5, 0.25}, {0.125, 1.0}}>} : () -> (tensor<4x2x!quant.uniform<i4:f32:{0:2}, {{0.5, 0.25}, {0.125, 1.0}}>>)
  %n = "core.dequantize"(%w) : (tensor<4x2x!quant.uniform<i4:f32:{0:2}, {{0.5, 0.25}, {0.125, 1.0}}>>) -> (tensor<4x2xf32>)
  %y = "core.matmul"(%a, %n) : (tensor<2x4xf32>, tensor<4x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6], [-7, 7]]> : tensor<4x2xi4>} : () -> (tensor<4x2xi4>)
  %2 = "core.constant"() {"value" = dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %3 = "onnx.DequantizeLinear"(%1, %2) {"axis" = 0, "block_size" = 2, "opset_version" = 21} : (tensor<4x2xi4>, tensor<2x2xf32>) -> (tensor<4x2xf32>)
  %4 = "onnx.MatMul"(%0, %3) {"opset_version" = 21} : (tensor<2x4xf32>, tensor<4x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%4) : (tensor<2x2xf32>) -> ()

// -----
// CASE: an op over quantized tensors is one between borders, for ONNX Runtime of uint8
// RUN: onnx-borders
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %p = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %q = "core.quantize"(%z) {element = !quant.uniform<i8:f32, 0.25>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.25>>)
  %k = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %s = "core.mul"(%p, %q) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<4x!quant.uniform<i8:f32, 1.0:-5>>)
  %t = "core.reshape"(%s, %k) : (tensor<4x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2xi64>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %y = "core.dequantize"(%t) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.quantize"(%0) {"element" = !quant.uniform<u8:f32, 0.5:131>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<u8:f32, 0.5:131>>)
  %3 = "core.quantize"(%1) {"element" = !quant.uniform<u8:f32, 0.25:128>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<u8:f32, 0.25:128>>)
  %4 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.dequantize"(%2) : (tensor<4x!quant.uniform<u8:f32, 0.5:131>>) -> (tensor<4xf32>)
  %6 = "core.dequantize"(%3) : (tensor<4x!quant.uniform<u8:f32, 0.25:128>>) -> (tensor<4xf32>)
  %7 = "core.mul"(%5, %6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "core.quantize"(%7) {"element" = !quant.uniform<u8:f32, 1.0:123>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<u8:f32, 1.0:123>>)
  %9 = "core.dequantize"(%8) : (tensor<4x!quant.uniform<u8:f32, 1.0:123>>) -> (tensor<4xf32>)
  %10 = "core.reshape"(%9, %4) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<2x2xf32>)
  %11 = "core.quantize"(%10) {"element" = !quant.uniform<u8:f32, 1.0:123>} : (tensor<2x2xf32>) -> (tensor<2x2x!quant.uniform<u8:f32, 1.0:123>>)
  %12 = "core.dequantize"(%11) : (tensor<2x2x!quant.uniform<u8:f32, 1.0:123>>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%12) : (tensor<2x2xf32>) -> ()

// -----
// CASE: behind an input of int8 and in front of an output of int8, integers are moved
// RUN: onnx-borders
^bb(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %xf = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %a = "core.transpose"(%xf) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %b = "core.exp"(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>)
  %c = "core.transpose"(%b) {perm = [1, 0]} : (tensor<3x2xf32>) -> (tensor<2x3xf32>)
  %y = "core.quantize"(%c) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "core.dequantize"(%1) : (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x2xf32>)
  %3 = "core.exp"(%2) : (tensor<3x2xf32>) -> (tensor<3x2xf32>)
  %4 = "core.quantize"(%3) {"element" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<3x2xf32>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>)
  %5 = "core.transpose"(%4) {"perm" = [1, 0]} : (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%5) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> ()

// -----
// CASE: integers between ops are moved as numbers, between borders
// RUN: onnx-borders
^bb(%x: tensor<2x3xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>)
  %xf = "core.dequantize"(%q) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %a = "core.transpose"(%xf) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%a) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.quantize"(%0) {"element" = !quant.uniform<u8:f32, 0.5:131>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<u8:f32, 0.5:131>>)
  %2 = "core.dequantize"(%1) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:131>>) -> (tensor<2x3xf32>)
  %3 = "core.transpose"(%2) {"perm" = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: other runtimes take int8 as it is
// RUN: onnx-borders{profile=tensorrt}
^bb(%x: tensor<4xf32>):
  %p = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  %y = "core.dequantize"(%p) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.quantize"(%0) {"element" = !quant.uniform<i8:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>>)
  %2 = "core.dequantize"(%1) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: a bias between quantized factors is int32 with the product of their scales
// RUN: onnx-borders
^bb(%x: tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, element = !quant.uniform<i8:f32:1, {0.25, 0.125}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>)
  %xf = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %wf = "core.dequantize"(%w) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>) -> (tensor<3x2xf32>)
  %b = "core.constant"() {value = dense<[1.0, -2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.matmul"(%xf, %wf) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %y = "core.add"(%m, %b) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>):
  %1 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, "element" = !quant.uniform<i8:f32:1, {0.25, 0.125}>} : () -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>)
  %2 = "core.dequantize"(%0) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %3 = "core.dequantize"(%1) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>) -> (tensor<3x2xf32>)
  %4 = "core.matmul"(%2, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %5 = "core.constant"() {"value" = dense<[8, -32]> : tensor<2xi32>, "element" = !quant.uniform<i32:f32:0, {0.125, 0.0625}>} : () -> (tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>)
  %6 = "core.dequantize"(%5) : (tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>) -> (tensor<2xf32>)
  %7 = "core.add"(%4, %6) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%7) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a product that rounds is MatMul between borders, its limit a Clip in front of the last
// RUN: to-onnx
^bb(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>, %c: tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>):
  %y = "core.quant_matmul"(%a, %b, %c) {element = !quant.uniform<i8:f32, 1.0:-5>, lo = -5, hi = 127} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.125}>>, tensor<2x!quant.uniform<i32:f32:0, {0.125, 0.0625}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>, %1: tensor<3x2xi8>, %2: tensor<2xi32>):
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %5 = "onnx.DequantizeLinear"(%0, %3, %4) {"opset_version" = 17} : (tensor<2x3xi8>, tensor<f32>, tensor<i8>) -> (tensor<2x3xf32>)
  %6 = "core.constant"() {"value" = dense<[0.25, 0.125]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %7 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi8>} : () -> (tensor<2xi8>)
  %8 = "onnx.DequantizeLinear"(%1, %6, %7) {"axis" = 1, "opset_version" = 17} : (tensor<3x2xi8>, tensor<2xf32>, tensor<2xi8>) -> (tensor<3x2xf32>)
  %9 = "core.constant"() {"value" = dense<[0.125, 0.0625]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %10 = "onnx.DequantizeLinear"(%2, %9) {"axis" = 0, "opset_version" = 17} : (tensor<2xi32>, tensor<2xf32>) -> (tensor<2xf32>)
  %11 = "onnx.Gemm"(%5, %8, %10) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %12 = "onnx.Relu"(%11) {"opset_version" = 17} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  %13 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %14 = "core.constant"() {"value" = dense<-5> : tensor<i8>} : () -> (tensor<i8>)
  %15 = "onnx.QuantizeLinear"(%12, %13, %14) {"opset_version" = 17} : (tensor<2x2xf32>, tensor<f32>, tensor<i8>) -> (tensor<2x2xi8>)
  "mlconv.yield"(%15) : (tensor<2x2xi8>) -> ()

// -----
// CASE: a convolution that rounds
// RUN: to-onnx
^bb(%a: tensor<1x1x4x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x1x1x!quant.uniform<i8:f32, 0.25>>, %c: tensor<2x!quant.uniform<i32:f32, 0.125>>):
  %y = "core.quant_conv"(%a, %w, %c) {strides = [1], pads = [[0, 0]], dilations = [1], x_layout = "NC0", w_layout = "OI0", y_layout = "NC0", element = !quant.uniform<i8:f32, 0.5>, lo = -128, hi = 127} : (tensor<1x1x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x1x1x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<1x2x4x!quant.uniform<i8:f32, 0.5>>)
  "mlconv.yield"(%y) : (tensor<1x2x4x!quant.uniform<i8:f32, 0.5>>) -> ()
// EXPECT
^bb(%0: tensor<1x1x4xi8>, %1: tensor<2x1x1xi8>, %2: tensor<2xi32>):
  %3 = "core.constant"() {"value" = dense<0.125> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "onnx.DequantizeLinear"(%2, %3) {"opset_version" = 17} : (tensor<2xi32>, tensor<f32>) -> (tensor<2xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %7 = "onnx.DequantizeLinear"(%0, %5, %6) {"opset_version" = 17} : (tensor<1x1x4xi8>, tensor<f32>, tensor<i8>) -> (tensor<1x1x4xf32>)
  %8 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %10 = "onnx.DequantizeLinear"(%1, %8, %9) {"opset_version" = 17} : (tensor<2x1x1xi8>, tensor<f32>, tensor<i8>) -> (tensor<2x1x1xf32>)
  %11 = "onnx.Conv"(%7, %10, %4) {"group" = 1, "kernel_shape" = [1], "strides" = [1], "opset_version" = 17} : (tensor<1x1x4xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4xf32>)
  %12 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %13 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %14 = "onnx.QuantizeLinear"(%11, %12, %13) {"opset_version" = 17} : (tensor<1x2x4xf32>, tensor<f32>, tensor<i8>) -> (tensor<1x2x4xi8>)
  "mlconv.yield"(%14) : (tensor<1x2x4xi8>) -> ()

// -----
// CASE: sums, means and other scales
// RUN: to-onnx
^bb(%a: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x4x!quant.uniform<i8:f32, 0.25>>):
  %s = "core.quant_binary"(%a, %b) {kind = "add", element = !quant.uniform<i8:f32, 0.25:-10>, lo = -10, hi = 14} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x4x!quant.uniform<i8:f32, 0.25:-10>>)
  %m = "core.quant_mean"(%s) {axes = [1], element = !quant.uniform<i8:f32, 0.5>, lo = -128, hi = 127} : (tensor<2x4x!quant.uniform<i8:f32, 0.25:-10>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>)
  %r = "core.requantize"(%m) {element = !quant.uniform<i8:f32, 1.0>, lo = -128, hi = 127} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x!quant.uniform<i8:f32, 1.0>>)
  "mlconv.yield"(%r) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<2x4xi8>, %1: tensor<2x4xi8>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %4 = "onnx.DequantizeLinear"(%0, %2, %3) {"opset_version" = 17} : (tensor<2x4xi8>, tensor<f32>, tensor<i8>) -> (tensor<2x4xf32>)
  %5 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %7 = "onnx.DequantizeLinear"(%1, %5, %6) {"opset_version" = 17} : (tensor<2x4xi8>, tensor<f32>, tensor<i8>) -> (tensor<2x4xf32>)
  %8 = "onnx.Add"(%4, %7) {"opset_version" = 17} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %9 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "core.constant"() {"value" = dense<6.0> : tensor<f32>} : () -> (tensor<f32>)
  %11 = "onnx.Clip"(%8, %9, %10) {"opset_version" = 17} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x4xf32>)
  %12 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %13 = "core.constant"() {"value" = dense<-10> : tensor<i8>} : () -> (tensor<i8>)
  %14 = "onnx.QuantizeLinear"(%11, %12, %13) {"opset_version" = 17} : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> (tensor<2x4xi8>)
  %15 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %16 = "core.constant"() {"value" = dense<-10> : tensor<i8>} : () -> (tensor<i8>)
  %17 = "onnx.DequantizeLinear"(%14, %15, %16) {"opset_version" = 17} : (tensor<2x4xi8>, tensor<f32>, tensor<i8>) -> (tensor<2x4xf32>)
  %18 = "onnx.ReduceMean"(%17) {"axes" = [1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x4xf32>) -> (tensor<2xf32>)
  %19 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %20 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %21 = "onnx.QuantizeLinear"(%18, %19, %20) {"opset_version" = 17} : (tensor<2xf32>, tensor<f32>, tensor<i8>) -> (tensor<2xi8>)
  %22 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %23 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %24 = "onnx.DequantizeLinear"(%21, %22, %23) {"opset_version" = 17} : (tensor<2xi8>, tensor<f32>, tensor<i8>) -> (tensor<2xf32>)
  %25 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %26 = "core.constant"() {"value" = dense<0> : tensor<i8>} : () -> (tensor<i8>)
  %27 = "onnx.QuantizeLinear"(%24, %25, %26) {"opset_version" = 17} : (tensor<2xf32>, tensor<f32>, tensor<i8>) -> (tensor<2xi8>)
  "mlconv.yield"(%27) : (tensor<2xi8>) -> ()
