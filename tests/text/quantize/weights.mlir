// CASE: stored weights stay, and are moved as they are; vectors become numbers
// RUN: fold{stored=true}
^bb(%x: tensor<2x64xf32>):
  %w = "core.constant"() {value = dense<1> : tensor<8x64xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<8x64x!quant.uniform<i8:f32, 0.25>>)
  %v = "core.dequantize"(%w) : (tensor<8x64x!quant.uniform<i8:f32, 0.25>>) -> (tensor<8x64xf32>)
  %t = "core.transpose"(%v) {perm = [1, 0]} : (tensor<8x64xf32>) -> (tensor<64x8xf32>)
  %y = "core.matmul"(%x, %t) : (tensor<2x64xf32>, tensor<64x8xf32>) -> (tensor<2x8xf32>)
  %h = "core.constant"() {value = dense<1.0> : tensor<8x64xf16>} : () -> (tensor<8x64xf16>)
  %f = "core.cast"(%h) {dtype = f32} : (tensor<8x64xf16>) -> (tensor<8x64xf32>)
  %z = "core.matmul"(%x, %f) {transpose_b = true} : (tensor<2x64xf32>, tensor<8x64xf32>) -> (tensor<2x8xf32>)
  %b = "core.constant"() {value = dense<1> : tensor<8xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<8x!quant.uniform<i8:f32, 0.25>>)
  %c = "core.dequantize"(%b) : (tensor<8x!quant.uniform<i8:f32, 0.25>>) -> (tensor<8xf32>)
  %s = "core.add"(%z, %c) : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y, %s) : (tensor<2x8xf32>, tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x64xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<8x64xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<8x64x!quant.uniform<i8:f32, 0.25>>)
  %2 = "core.dequantize"(%1) : (tensor<8x64x!quant.uniform<i8:f32, 0.25>>) -> (tensor<8x64xf32>)
  %3 = "core.constant"() {"value" = dense<1> : tensor<64x8xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<64x8x!quant.uniform<i8:f32, 0.25>>)
  %4 = "core.dequantize"(%3) : (tensor<64x8x!quant.uniform<i8:f32, 0.25>>) -> (tensor<64x8xf32>)
  %5 = "core.matmul"(%0, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x64xf32>, tensor<64x8xf32>) -> (tensor<2x8xf32>)
  %6 = "core.constant"() {"value" = dense<1.0> : tensor<8x64xf16>} : () -> (tensor<8x64xf16>)
  %7 = "core.cast"(%6) {"dtype" = f32, "saturate" = false} : (tensor<8x64xf16>) -> (tensor<8x64xf32>)
  %8 = "core.matmul"(%0, %7) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x64xf32>, tensor<8x64xf32>) -> (tensor<2x8xf32>)
  %9 = "core.constant"() {"value" = dense<1> : tensor<8xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<8x!quant.uniform<i8:f32, 0.25>>)
  %10 = "core.constant"() {"value" = dense<[0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %11 = "core.add"(%8, %10) : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%5, %11) : (tensor<2x8xf32>, tensor<2x8xf32>) -> ()

// -----
// CASE: weights of 4 bits, each channel and each block with a scale
// RUN: quant-to-arithmetic{weights=true}
^bb(%x: tensor<2x4xf32>):
  %w = "core.constant"() {value = dense<1> : tensor<2x4xi4>, element = !quant.uniform<i4:f32:0, {0.25, 0.5}>} : () -> (tensor<2x4x!quant.uniform<i4:f32:0, {0.25, 0.5}>>)
  %v = "core.dequantize"(%w) : (tensor<2x4x!quant.uniform<i4:f32:0, {0.25, 0.5}>>) -> (tensor<2x4xf32>)
  %b = "core.constant"() {value = dense<1> : tensor<2x4xi4>, element = !quant.uniform<i4:f32:{0:1, 1:2}, {{0.25, 0.5}, {0.125, 1.0}}>} : () -> (tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.25, 0.5}, {0.125, 1.0}}>>)
  %u = "core.dequantize"(%b) : (tensor<2x4x!quant.uniform<i4:f32:{0:1, 1:2}, {{0.25, 0.5}, {0.125, 1.0}}>>) -> (tensor<2x4xf32>)
  %s = "core.add"(%v, %u) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%s) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<2x4xi4>, "element" = !quant.uniform<i4:f32:0, {0.25, 0.5}>} : () -> (tensor<2x4x!quant.uniform<i4:f32:0, {0.25, 0.5}>>)
  %2 = "core.dequantize"(%1) : (tensor<2x4x!quant.uniform<i4:f32:0, {0.25, 0.5}>>) -> (tensor<2x4xf32>)
  %3 = "core.constant"() {"value" = dense<1> : tensor<2x4xi4>} : () -> (tensor<2x4xi4>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<4x2xi4>, "element" = !quant.uniform<i4:f32:0, {0.25, 0.5, 0.125, 1.0}>} : () -> (tensor<4x2x!quant.uniform<i4:f32:0, {0.25, 0.5, 0.125, 1.0}>>)
  %5 = "core.dequantize"(%4) : (tensor<4x2x!quant.uniform<i4:f32:0, {0.25, 0.5, 0.125, 1.0}>>) -> (tensor<4x2xf32>)
  %6 = "core.constant"() {"value" = dense<[2, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<4x2xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  %8 = "core.add"(%2, %7) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%8) : (tensor<2x4xf32>) -> ()

// -----
// CASE: floats of 16 bits are numbers where they are to be quantized; weights that moved integers are multiplied with stay, however small
// RUN: fold{stored=true,halves=true},dce
^bb(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %z: tensor<2x16xf32>):
  %n = "core.dequantize"(%x) : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<1x4x4x2xf32>)
  %t = "core.transpose"(%n) {perm = [0, 3, 1, 2]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  %w = "core.constant"() {value = dense<1> : tensor<3x2x1x1xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x2x1x1x!quant.uniform<i8:f32, 0.25>>)
  %v = "core.dequantize"(%w) : (tensor<3x2x1x1x!quant.uniform<i8:f32, 0.25>>) -> (tensor<3x2x1x1xf32>)
  %c = "core.conv"(%t, %v) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x3x4x4xf32>)
  %h = "core.constant"() {value = dense<1.0> : tensor<16x9xf16>} : () -> (tensor<16x9xf16>)
  %f = "core.cast"(%h) {dtype = f32} : (tensor<16x9xf16>) -> (tensor<16x9xf32>)
  %m = "core.matmul"(%z, %f) : (tensor<2x16xf32>, tensor<16x9xf32>) -> (tensor<2x9xf32>)
  "mlconv.yield"(%c, %m) : (tensor<1x3x4x4xf32>, tensor<2x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %1: tensor<2x16xf32>):
  %2 = "core.dequantize"(%0) : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.transpose"(%2) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<3x2x1x1xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x2x1x1x!quant.uniform<i8:f32, 0.25>>)
  %5 = "core.dequantize"(%4) : (tensor<3x2x1x1x!quant.uniform<i8:f32, 0.25>>) -> (tensor<3x2x1x1xf32>)
  %6 = "core.conv"(%3, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x3x4x4xf32>)
  %7 = "core.constant"() {"value" = dense<1.0> : tensor<16x9xf32>} : () -> (tensor<16x9xf32>)
  %8 = "core.matmul"(%1, %7) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x16xf32>, tensor<16x9xf32>) -> (tensor<2x9xf32>)
  "mlconv.yield"(%6, %8) : (tensor<1x3x4x4xf32>, tensor<2x9xf32>) -> ()

// -----
// CASE: a table of 16 bits that is moved, and rounded to the same integers, is read as it lies, once
// RUN: quant-lower,dce
^bb(%x: tensor<5x16xf32>, %i: tensor<2xi64>):
  %w = "core.constant"() {value = dense<7> : tensor<64x16xui16>, element = !quant.uniform<u16:f32, 0.5:3>} : () -> (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>)
  %n = "core.dequantize"(%w) : (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>) -> (tensor<64x16xf32>)
  %g = "core.gather"(%n, %i) {axis = 0} : (tensor<64x16xf32>, tensor<2xi64>) -> (tensor<2x16xf32>)
  %t = "core.transpose"(%n) {perm = [1, 0]} : (tensor<64x16xf32>) -> (tensor<16x64xf32>)
  %q = "core.quantize"(%t) {element = !quant.uniform<u16:f32, 0.5:3>} : (tensor<16x64xf32>) -> (tensor<16x64x!quant.uniform<u16:f32, 0.5:3>>)
  %d = "core.dequantize"(%q) : (tensor<16x64x!quant.uniform<u16:f32, 0.5:3>>) -> (tensor<16x64xf32>)
  %m = "core.matmul"(%x, %d) : (tensor<5x16xf32>, tensor<16x64xf32>) -> (tensor<5x64xf32>)
  "mlconv.yield"(%g, %m) : (tensor<2x16xf32>, tensor<5x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x16xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<7> : tensor<64x16xui16>, "element" = !quant.uniform<u16:f32, 0.5:3>} : () -> (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>)
  %3 = "core.dequantize"(%2) : (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>) -> (tensor<64x16xf32>)
  %4 = "core.gather"(%3, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<64x16xf32>, tensor<2xi64>) -> (tensor<2x16xf32>)
  %5 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = true} : (tensor<5x16xf32>, tensor<64x16xf32>) -> (tensor<5x64xf32>)
  "mlconv.yield"(%4, %5) : (tensor<2x16xf32>, tensor<5x64xf32>) -> ()

// -----
// CASE: tables that are looked up stay as they are stored, and where products take them, too
// RUN: fold{stored=true,products=true},quant-to-arithmetic{apart=true},dce
^bb(%x: tensor<5x16xf32>, %i: tensor<2xi64>):
  %w = "core.constant"() {value = dense<7> : tensor<64x16xui16>, element = !quant.uniform<u16:f32, 0.5:3>} : () -> (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>)
  %n = "core.dequantize"(%w) : (tensor<64x16x!quant.uniform<u16:f32, 0.5:3>>) -> (tensor<64x16xf32>)
  %g = "core.gather"(%n, %i) {axis = 0} : (tensor<64x16xf32>, tensor<2xi64>) -> (tensor<2x16xf32>)
  %m = "core.matmul"(%x, %n) {transpose_b = true} : (tensor<5x16xf32>, tensor<64x16xf32>) -> (tensor<5x64xf32>)
  "mlconv.yield"(%g, %m) : (tensor<2x16xf32>, tensor<5x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x16xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<7> : tensor<64x16xui16>} : () -> (tensor<64x16xui16>)
  %3 = "core.from_integers"(%2) {"quant" = !quant.uniform<u16:f32, 0.5:3>} : (tensor<64x16xui16>) -> (tensor<64x16xf32>)
  %4 = "core.gather"(%2, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<64x16xui16>, tensor<2xi64>) -> (tensor<2x16xui16>)
  %5 = "core.cast"(%4) {"dtype" = f32, "saturate" = false} : (tensor<2x16xui16>) -> (tensor<2x16xf32>)
  %6 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.sub"(%5, %6) : (tensor<2x16xf32>, tensor<f32>) -> (tensor<2x16xf32>)
  %8 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.mul"(%7, %8) : (tensor<2x16xf32>, tensor<f32>) -> (tensor<2x16xf32>)
  %10 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = true} : (tensor<5x16xf32>, tensor<64x16xf32>) -> (tensor<5x64xf32>)
  "mlconv.yield"(%9, %10) : (tensor<2x16xf32>, tensor<5x64xf32>) -> ()
