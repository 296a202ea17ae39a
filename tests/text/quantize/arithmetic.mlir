// CASE: borders are arithmetic on integers
// RUN: quant-to-arithmetic
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %y = "core.dequantize"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<4xf32>):
    %1 = "core.to_integers"(%0) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4xi8>)
    %2 = "core.from_integers"(%1) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xi8>) -> (tensor<4xf32>)
    "mlconv.yield"(%2) : (tensor<4xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "grids" = {"x" = !quant.uniform<i8:f32, 0.5:3>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: casts go away
// RUN: quant-to-arithmetic
^bb(%x: tensor<4xi8>):
  %q = "core.storage_cast"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xi8>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %y = "core.storage_cast"(%q) {element = i8} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xi8>):
  "mlconv.yield"(%0) : (tensor<4xi8>) -> ()

// -----
// CASE: integers are moved
// RUN: quant-to-arithmetic
^bb(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>):
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:4}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>)
  "mlconv.yield"(%y) : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:4}>>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3xi8>) -> (tensor<3x2xi8>)
  "mlconv.yield"(%1) : (tensor<3x2xi8>) -> ()

// -----
// CASE: a product is one of numbers
// RUN: quant-to-arithmetic
^bb(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %c: tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>):
  %y = "core.conv"(%a, %b, %c) {strides = [1], pads = [[0, 0]], dilations = [1], groups = 1, x_layout = "N0C", w_layout = "O0I", y_layout = "N0C"} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>)
  "mlconv.yield"(%y) : (tensor<1x4x2x!quant.uniform<i8:f32, 4.0:1>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2xi8>, %1: tensor<2x1x2xi8>, %2: tensor<2xi32>):
  %3 = "core.from_integers"(%0) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<1x4x2xi8>) -> (tensor<1x4x2xf32>)
  %4 = "core.from_integers"(%1) {"quant" = !quant.uniform<i8:f32:0, {0.5, 0.25}>} : (tensor<2x1x2xi8>) -> (tensor<2x1x2xf32>)
  %5 = "core.from_integers"(%2) {"quant" = !quant.uniform<i32:f32:0, {0.25, 0.125}>} : (tensor<2xi32>) -> (tensor<2xf32>)
  %6 = "core.conv"(%3, %4, %5) {"strides" = [1], "pads" = [[0, 0]], "dilations" = [1], "groups" = 1, "x_layout" = "N0C", "w_layout" = "O0I", "y_layout" = "N0C"} : (tensor<1x4x2xf32>, tensor<2x1x2xf32>, tensor<2xf32>) -> (tensor<1x4x2xf32>)
  %7 = "core.to_integers"(%6) {"quant" = !quant.uniform<i8:f32, 4.0:1>} : (tensor<1x4x2xf32>) -> (tensor<1x4x2xi8>)
  "mlconv.yield"(%7) : (tensor<1x4x2xi8>) -> ()

// -----
// CASE: a mean of windows is one of numbers
// RUN: quant-to-arithmetic
^bb(%a: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.avg_pool"(%a) {layout = "N01C", window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], count_include_pad = false} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%y) : (tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xi8>):
  %1 = "core.from_integers"(%0) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<1x4x4x1xi8>) -> (tensor<1x4x4x1xf32>)
  %2 = "core.avg_pool"(%1) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "N01C"} : (tensor<1x4x4x1xf32>) -> (tensor<1x2x2x1xf32>)
  %3 = "core.to_integers"(%2) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<1x2x2x1xf32>) -> (tensor<1x2x2x1xi8>)
  "mlconv.yield"(%3) : (tensor<1x2x2x1xi8>) -> ()

// -----
// CASE: a result that is a number stays one
// RUN: quant-to-arithmetic
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %b: tensor<4x!quant.uniform<i8:f32, 7.0>>):
  %y = "core.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<4x!quant.uniform<i8:f32, 7.0>>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xi8>, %1: tensor<4xi8>):
  %2 = "core.from_integers"(%0) {"quant" = !quant.uniform<i8:f32, 0.1>} : (tensor<4xi8>) -> (tensor<4xf32>)
  %3 = "core.from_integers"(%1) {"quant" = !quant.uniform<i8:f32, 7.0>} : (tensor<4xi8>) -> (tensor<4xf32>)
  %4 = "core.add"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: sigmoid has its own scale
// RUN: quant-to-arithmetic
^bb(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %y = "core.sigmoid"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>)
  "mlconv.yield"(%y) : (tensor<4x!quant.uniform<i8:f32, 0.00390625:-128>>) -> ()
// EXPECT
^bb(%0: tensor<4xi8>):
  %1 = "core.from_integers"(%0) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xi8>) -> (tensor<4xf32>)
  %2 = "core.sigmoid"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.to_integers"(%2) {"quant" = !quant.uniform<i8:f32, 0.00390625:-128>} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%3) : (tensor<4xi8>) -> ()

// -----
// CASE: blocks are spelled out
// RUN: quant-to-arithmetic
^bb(%x: tensor<2x4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i4<-7:7>:f32:{0:1, 1:2}, {{0.5, 0.25:1}, {1.0, 2.0}}>} : (tensor<2x4xf32>) -> (tensor<2x4x!quant.uniform<i4<-7:7>:f32:{0:1, 1:2}, {{0.5, 0.25:1}, {1.0, 2.0}}>>)
  %y = "core.dequantize"(%q) : (tensor<2x4x!quant.uniform<i4<-7:7>:f32:{0:1, 1:2}, {{0.5, 0.25:1}, {1.0, 2.0}}>>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[[0.5, 0.5, 0.25, 0.25], [1.0, 1.0, 2.0, 2.0]]> : tensor<2x4xf32>} : () -> (tensor<2x4xf32>)
  %2 = "core.div"(%0, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %3 = "core.round"(%2) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %4 = "core.constant"() {"value" = dense<[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>} : () -> (tensor<2x4xf32>)
  %5 = "core.add"(%3, %4) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %6 = "core.clamp"(%5) {"lo" = -7.0 : f64, "hi" = 7.0 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %7 = "core.cast"(%6) {"dtype" = i4, "saturate" = false} : (tensor<2x4xf32>) -> (tensor<2x4xi4>)
  %8 = "core.constant"() {"value" = dense<[2, 2, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<2x4xi4>, tensor<3xi64>) -> (tensor<2x2x2xi4>)
  %10 = "core.cast"(%9) {"dtype" = f32, "saturate" = false} : (tensor<2x2x2xi4>) -> (tensor<2x2x2xf32>)
  %11 = "core.constant"() {"value" = dense<[[[0.0], [1.0]], [[0.0], [0.0]]]> : tensor<2x2x1xf32>} : () -> (tensor<2x2x1xf32>)
  %12 = "core.sub"(%10, %11) : (tensor<2x2x2xf32>, tensor<2x2x1xf32>) -> (tensor<2x2x2xf32>)
  %13 = "core.constant"() {"value" = dense<[[[0.5], [0.25]], [[1.0], [2.0]]]> : tensor<2x2x1xf32>} : () -> (tensor<2x2x1xf32>)
  %14 = "core.mul"(%12, %13) : (tensor<2x2x2xf32>, tensor<2x2x1xf32>) -> (tensor<2x2x2xf32>)
  %15 = "core.constant"() {"value" = dense<[2, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %16 = "core.reshape"(%14, %15) : (tensor<2x2x2xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%16) : (tensor<2x4xf32>) -> ()

// -----
// CASE: branches give integers
// RUN: quant-to-arithmetic
^bb(%p: tensor<i1>, %x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>):
  %r = "core.if"(%p) ({
    "mlconv.yield"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
  }, {
    %n = "core.neg"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
    "mlconv.yield"(%n) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
  }) : (tensor<i1>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  "mlconv.yield"(%r) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> ()
// EXPECT
^bb(%0: tensor<i1>, %1: tensor<4xi8>):
  %2 = "core.if"(%0) ({
    "mlconv.yield"(%1) : (tensor<4xi8>) -> ()
  }, {
    %3 = "core.from_integers"(%1) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xi8>) -> (tensor<4xf32>)
    %4 = "core.neg"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
    %5 = "core.to_integers"(%4) {"quant" = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4xi8>)
    "mlconv.yield"(%5) : (tensor<4xi8>) -> ()
  }) : (tensor<i1>) -> (tensor<4xi8>)
  "mlconv.yield"(%2) : (tensor<4xi8>) -> ()

// -----
// CASE: numbers that are rounded to integers which nothing else reads stay floats between shifted limits
// RUN: quant-to-arithmetic{int8=true,weights=true},dce
^bb(%x: tensor<5x3xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<u16:f32, 0.5:3>} : (tensor<5x3xf32>) -> (tensor<5x3x!quant.uniform<u16:f32, 0.5:3>>)
  %d = "core.dequantize"(%q) : (tensor<5x3x!quant.uniform<u16:f32, 0.5:3>>) -> (tensor<5x3xf32>)
  "mlconv.yield"(%d) : (tensor<5x3xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<5x3xf32>):
    %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
    %2 = "core.div"(%0, %1) : (tensor<5x3xf32>, tensor<f32>) -> (tensor<5x3xf32>)
    %3 = "core.round"(%2) : (tensor<5x3xf32>) -> (tensor<5x3xf32>)
    %4 = "core.clamp"(%3) {"lo" = -3.0 : f64, "hi" = 65532.0 : f64} : (tensor<5x3xf32>) -> (tensor<5x3xf32>)
    %5 = "core.mul"(%4, %1) : (tensor<5x3xf32>, tensor<f32>) -> (tensor<5x3xf32>)
    "mlconv.yield"(%5) : (tensor<5x3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "grids" = {"x" = !quant.uniform<u16:f32, 0.5:3>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
