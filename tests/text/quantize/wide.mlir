// CASE: 16 bits times 8 bits, with a bias of 64 bits
// RUN: quant-lower{int16=true}
^bb(%x: tensor<2x3x!quant.uniform<i16:f32, 0.5>>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, element = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x2x!quant.uniform<i8:f32, 0.25>>)
  %b = "core.constant"() {value = dense<[7, 8]> : tensor<2xi32>, element = !quant.uniform<i32:f32, 0.125>} : () -> (tensor<2x!quant.uniform<i32:f32, 0.125>>)
  %xf = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>) -> (tensor<2x3xf32>)
  %wf = "core.dequantize"(%w) : (tensor<3x2x!quant.uniform<i8:f32, 0.25>>) -> (tensor<3x2xf32>)
  %bf = "core.dequantize"(%b) : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<2xf32>)
  %m = "core.matmul"(%xf, %wf) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %s = "core.add"(%m, %bf) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i16:f32, 1.0>} : (tensor<2x2xf32>) -> (tensor<2x2x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%y) : (tensor<2x2x!quant.uniform<i16:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i16:f32, 0.5>>):
  %1 = "core.constant"() {"value" = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, "element" = !quant.uniform<i8:f32, 0.25>} : () -> (tensor<3x2x!quant.uniform<i8:f32, 0.25>>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[i64, [2], [2], \"cast\", [i64], [dense<[7, 8]> : tensor<2xi32>]]">, "element" = !quant.uniform<i64:f32, 0.125>} : () -> (tensor<2x!quant.uniform<i64:f32, 0.125>>)
  %3 = "core.quant_matmul"(%0, %1, %2) {"transpose_a" = false, "transpose_b" = false, "element" = !quant.uniform<i16:f32, 1.0>, "lo" = -32768, "hi" = 32767} : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>, tensor<3x2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i64:f32, 0.125>>) -> (tensor<2x2x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%3) : (tensor<2x2x!quant.uniform<i16:f32, 1.0>>) -> ()

// -----
// CASE: 16 bits are numbers where they are not asked for, and where they have a zero point
// RUN: quant-lower
^bb(%x: tensor<2x3x!quant.uniform<i16:f32, 0.5>>):
  %a = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>) -> (tensor<2x3xf32>)
  %s = "core.add"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i16:f32, 1.0>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%y) : (tensor<2x3x!quant.uniform<i16:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i16:f32, 0.5>>):
  %1 = "core.dequantize"(%0) : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>) -> (tensor<2x3xf32>)
  %2 = "core.add"(%1, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<i16:f32, 1.0>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%3) : (tensor<2x3x!quant.uniform<i16:f32, 1.0>>) -> ()

// -----
// CASE: a zero point of 16 bits
// RUN: quant-lower{int16=true}
^bb(%x: tensor<2x3x!quant.uniform<i16:f32, 0.5:3>>):
  %a = "core.dequantize"(%x) : (tensor<2x3x!quant.uniform<i16:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %s = "core.add"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i16:f32, 1.0>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%y) : (tensor<2x3x!quant.uniform<i16:f32, 1.0>>) -> ()
// EXPECT
^bb(%0: tensor<2x3x!quant.uniform<i16:f32, 0.5:3>>):
  %1 = "core.dequantize"(%0) : (tensor<2x3x!quant.uniform<i16:f32, 0.5:3>>) -> (tensor<2x3xf32>)
  %2 = "core.add"(%1, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "core.quantize"(%2) {"element" = !quant.uniform<i16:f32, 1.0>} : (tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i16:f32, 1.0>>)
  "mlconv.yield"(%3) : (tensor<2x3x!quant.uniform<i16:f32, 1.0>>) -> ()

// -----
// CASE: 8 bits become 16, which are added
// RUN: quant-lower{int16=true}
^bb(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<4x!quant.uniform<i16:f32, 0.25>>):
  %a = "core.dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  %q = "core.quantize"(%a) {element = !quant.uniform<i16:f32, 0.25>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.25>>)
  %b = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i16:f32, 0.25>>) -> (tensor<4xf32>)
  %c = "core.dequantize"(%z) : (tensor<4x!quant.uniform<i16:f32, 0.25>>) -> (tensor<4xf32>)
  %s = "core.add"(%b, %c) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.quantize"(%s) {element = !quant.uniform<i16:f32, 0.5>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.5>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i16:f32, 0.5>>) -> ()
// EXPECT
^bb(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i16:f32, 0.25>>):
  %2 = "core.requantize"(%0) {"element" = !quant.uniform<i16:f32, 0.25>, "lo" = -32768, "hi" = 32767} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i16:f32, 0.25>>)
  %3 = "core.quant_binary"(%2, %1) {"kind" = "add", "element" = !quant.uniform<i16:f32, 0.5>, "lo" = -32768, "hi" = 32767} : (tensor<4x!quant.uniform<i16:f32, 0.25>>, tensor<4x!quant.uniform<i16:f32, 0.25>>) -> (tensor<4x!quant.uniform<i16:f32, 0.5>>)
  "mlconv.yield"(%3) : (tensor<4x!quant.uniform<i16:f32, 0.5>>) -> ()

// -----
// CASE: tensors of 16 bits stay what they are, where the target has them
// RUN: quant-to-arithmetic{int8=true,int16=true}
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i16:f32, 0.25>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.25>>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i16:f32, 0.25>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<4xf32>):
    %1 = "core.quantize"(%0) {"element" = !quant.uniform<i16:f32, 0.25>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i16:f32, 0.25>>)
    %2 = "core.dequantize"(%1) : (tensor<4x!quant.uniform<i16:f32, 0.25>>) -> (tensor<4xf32>)
    "mlconv.yield"(%2) : (tensor<4xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "grids" = {"x" = !quant.uniform<i16:f32, 0.25>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
