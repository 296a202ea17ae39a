// CASE: a choice by the sign is PRELU
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %c1 = "core.less"(%x, %z) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xi1>)
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %m = "core.mul"(%x, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %y = "core.select"(%c1, %m, %x) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "tfl.PRELU"(%0, %1) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a difference times itself is SQUARED_DIFFERENCE
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
// OPTIONS: locations
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %d = "core.sub"(%x, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %y = "core.mul"(%d, %d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>) loc("a")
  %2 = "tfl.SQUARED_DIFFERENCE"(%0, %1) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>) loc("#fused squared-difference"(fused["y", "d"]))
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a difference that is used again stays
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %d = "core.sub"(%x, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %m = "core.mul"(%d, %d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %y = "core.add"(%m, %d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "tfl.SUB"(%0, %1) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %3 = "tfl.MUL"(%2, %2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %4 = "tfl.ADD"(%3, %2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x4xf32>) -> ()

// -----
// CASE: tensors with an axis more, one behind the other, are a PACK
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %e = "core.exp"(%x) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %c1 = "core.constant"() {value = dense<[2, 1, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %c1) : (tensor<2x4xf32>, tensor<3xi64>) -> (tensor<2x1x4xf32>)
  %b = "core.reshape"(%e, %c1) : (tensor<2x4xf32>, tensor<3xi64>) -> (tensor<2x1x4xf32>)
  %y = "core.concat"(%a, %b) {axis = 1} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> (tensor<2x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "tfl.EXP"(%0) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %2 = "tfl.PACK"(%0, %1) {"values_count" = 2, "axis" = 1} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x2x4xf32>) -> ()

// -----
// CASE: parts of one that lose their axis are an UNPACK
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %p, %q = "core.split"(%x) {sizes = [1, 1], axis = 0} : (tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %a = "core.reshape"(%p, %c1) : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<4xf32>)
  %b = "core.reshape"(%q, %c1) : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<4xf32>)
  %y = "core.div"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1, %2 = "tfl.UNPACK"(%0) {"num" = 2, "axis" = 0} : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %3 = "tfl.DIV"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: parts that lose their axis behind a transpose are an UNPACK too
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x2x4xf32>):
  %p, %q = "core.split"(%x) {sizes = [1, 1], axis = 1} : (tensor<2x2x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>)
  %t = "core.transpose"(%p) {perm = [1, 2, 0]} : (tensor<2x1x4xf32>) -> (tensor<1x4x2xf32>)
  %c1 = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.reshape"(%t, %c1) : (tensor<1x4x2xf32>, tensor<2xi64>) -> (tensor<4x2xf32>)
  %b = "core.reshape"(%q, %c2) : (tensor<2x1x4xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%a, %b) : (tensor<4x2xf32>, tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x4xf32>):
  %1, %2 = "tfl.UNPACK"(%0) {"num" = 2, "axis" = 1} : (tensor<2x2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.TRANSPOSE"(%1, %3) : (tensor<2x4xf32>, tensor<2xi32>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%4, %2) : (tensor<4x2xf32>, tensor<2x4xf32>) -> ()

// -----
// CASE: elements of an axis, all of them, are an UNPACK
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %c0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %c1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %a = "core.gather"(%x, %c1) {axis = 0} : (tensor<2x4xf32>, tensor<i64>) -> (tensor<4xf32>)
  %b = "core.gather"(%x, %c0) {axis = 0} : (tensor<2x4xf32>, tensor<i64>) -> (tensor<4xf32>)
  %y = "core.div"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1, %2 = "tfl.UNPACK"(%0) {"num" = 2, "axis" = 0} : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %3 = "tfl.DIV"(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: nothing stands between convolutions of signals
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-separate-views
^bb(%x: tensor<1x4x2xf32>):
  %k = "core.constant"() {value = dense<0.5> : tensor<3x2x2xf32>} : () -> (tensor<3x2x2xf32>)
  %a = "core.conv"(%x, %k) {strides = [1], pads = [[0, 0]], dilations = [1], x_layout = "N0C", w_layout = "0IO", y_layout = "N0C", mlconv.absent = [2]} : (tensor<1x4x2xf32>, tensor<3x2x2xf32>) -> (tensor<1x2x2xf32>)
  %r = "core.clamp"(%a) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<1x2x2xf32>) -> (tensor<1x2x2xf32>)
  %k1 = "core.constant"() {value = dense<0.25> : tensor<1x2x2xf32>} : () -> (tensor<1x2x2xf32>)
  %y = "core.conv"(%r, %k1) {strides = [1], pads = [[0, 0]], dilations = [1], x_layout = "N0C", w_layout = "0IO", y_layout = "N0C", mlconv.absent = [2]} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<1x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 1, 4, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 1, 4, 2]} : (tensor<1x4x2xf32>, tensor<4xi32>) -> (tensor<1x1x4x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<2x1x3x2xf32>} : () -> (tensor<2x1x3x2xf32>)
  %5 = "tfl.CONV_2D"(%2, %4, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU"} : (tensor<1x1x4x2xf32>, tensor<2x1x3x2xf32>, tensor<2xf32>) -> (tensor<1x1x2x2xf32>)
  %6 = "core.constant"() {"value" = dense<[-1, 2, 2]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %7 = "core.constant"() {"value" = dense<[-1, 1, 2, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "core.constant"() {"value" = dense<0.25> : tensor<2x1x1x2xf32>} : () -> (tensor<2x1x1x2xf32>)
  %9 = "tfl.CONV_2D"(%5, %8, %3) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x1x2x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>) -> (tensor<1x1x2x2xf32>)
  %10 = "tfl.RESHAPE"(%9, %6) {"new_shape" = [-1, 2, 2]} : (tensor<1x1x2x2xf32>, tensor<3xi32>) -> (tensor<1x2x2xf32>)
  "mlconv.yield"(%10) : (tensor<1x2x2xf32>) -> ()

// -----
// CASE: RELU goes into the convolution before it, which has both places
// RUN: to-tfl,tfl-merge,tfl-fuse
// OPTIONS: locations
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>) loc("a")
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>) loc("a")
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU"} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>) loc("#fused activation"(fused["a", "y"]))
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> () loc("mlconv.yield")

// -----
// CASE: RELU6 goes into the convolution before it
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU6"} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: RELU_N1_TO_1 goes into the convolution before it
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  %y = "core.clamp"(%a) {lo = -1.0 : f64, hi = 1.0 : f64} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU_N1_TO_1"} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: of a clamp that is no activation, the lower bound is one
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 2.0 : f64} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1, "fused_activation_function" = "RELU"} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  %4 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tfl.MINIMUM"(%3, %4) : (tensor<1x4x4x1xf32>, tensor<f32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%5) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: an activation stays where the convolution has another use
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y, %a) : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
  %3 = "tfl.CONV_2D"(%0, %2, %1) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>) -> (tensor<1x4x4x1xf32>)
  %4 = "tfl.RELU6"(%3) : (tensor<1x4x4x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%4, %3) : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: bias and RELU go into FULLY_CONNECTED
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %a = "core.matmul"(%x, %c1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %b = "core.add"(%a, %c2) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %y = "core.clamp"(%b) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "tfl.FULLY_CONNECTED"(%0, %1, %2) {"keep_num_dims" = false, "fused_activation_function" = "RELU"} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %4 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: RELU goes into ADD
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>):
  %a = "core.add"(%x, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "tfl.ADD"(%0, %1) {"fused_activation_function" = "RELU"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: RELU stays behind TANH
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<4xf32>):
  %a = "core.tanh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.clamp"(%a) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.TANH"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "tfl.RELU"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: an addition along the rows is no bias
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %a = "core.matmul"(%x, %c1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %y = "core.add"(%a, %c2) : (tensor<2x2xf32>, tensor<2x1xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>)
  %3 = "core.constant"() {"value" = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %4 = "tfl.ADD"(%2, %3) : (tensor<2x2xf32>, tensor<2x1xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%4) : (tensor<2x2xf32>) -> ()

// -----
// CASE: equal constants become one
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3xf32>):
  %a = "core.reduce_sum"(%x) {axes = [1], keepdims = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %b = "core.reduce_max"(%x) {axes = [1], keepdims = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %y = "core.sub"(%a, %b) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.SUM"(%0, %1) {"keep_dims" = true} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x1xf32>)
  %3 = "tfl.REDUCE_MAX"(%0, %1) {"keep_dims" = true} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x1xf32>)
  %4 = "tfl.SUB"(%2, %3) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%4) : (tensor<2x1xf32>) -> ()

// -----
// CASE: a large constant of one number is a FILL
// RUN: to-tfl,tfl-fill-splats
^bb(%x: tensor<524288xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<524288xf32>} : () -> (tensor<524288xf32>)
  %y = "core.add"(%x, %c1) : (tensor<524288xf32>, tensor<524288xf32>) -> (tensor<524288xf32>)
  "mlconv.yield"(%y) : (tensor<524288xf32>) -> ()
// EXPECT
^bb(%0: tensor<524288xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<524288xf32>} : () -> (tensor<524288xf32>)
  %2 = "core.constant"() {"value" = dense<[524288]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.FILL"(%2, %3) : (tensor<1xi32>, tensor<f32>) -> (tensor<524288xf32>)
  %5 = "tfl.ADD"(%0, %4) : (tensor<524288xf32>, tensor<524288xf32>) -> (tensor<524288xf32>)
  "mlconv.yield"(%5) : (tensor<524288xf32>) -> ()

// -----
// CASE: a loop begins with a FILL in place of zeros
// RUN: to-tfl,tfl-fill-splats
^bb(%n: tensor<i32>):
  %c = "core.constant"() {value = dense<0.0> : tensor<400xf32>} : () -> (tensor<400xf32>)
  %d = "core.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %i, %x, %y = "core.while"(%n, %c, %d) ({
  ^bb(%a1: tensor<i32>, %a2: tensor<400xf32>, %a3: tensor<4xf32>):
    %k = "core.constant"() {value = dense<9> : tensor<i32>} : () -> (tensor<i32>)
    %p = "core.less"(%a1, %k) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb(%b1: tensor<i32>, %b2: tensor<400xf32>, %b3: tensor<4xf32>):
    %o = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %q = "core.add"(%b1, %o) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%q, %b2, %b3) : (tensor<i32>, tensor<400xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<400xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<400xf32>, tensor<4xf32>)
  "mlconv.yield"(%x, %y) : (tensor<400xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<400xf32>} : () -> (tensor<400xf32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<[400]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tfl.FILL"(%3, %4) : (tensor<1xi32>, tensor<f32>) -> (tensor<400xf32>)
  %6, %7, %8 = "tfl.WHILE"(%0, %5, %2) ({
  ^bb(%9: tensor<i32>, %10: tensor<400xf32>, %11: tensor<4xf32>):
    %12 = "core.constant"() {"value" = dense<9> : tensor<i32>} : () -> (tensor<i32>)
    %13 = "tfl.LESS"(%9, %12) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%13) : (tensor<i1>) -> ()
  }, {
  ^bb(%14: tensor<i32>, %15: tensor<400xf32>, %16: tensor<4xf32>):
    %17 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %18 = "tfl.ADD"(%14, %17) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%18, %15, %16) : (tensor<i32>, tensor<400xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<400xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<400xf32>, tensor<4xf32>)
  "mlconv.yield"(%7, %8) : (tensor<400xf32>, tensor<4xf32>) -> ()

// -----
// CASE: a view of a view looks at what the first one looks at
// RUN: to-tfl,tfl-separate-views
^bb(%x: tensor<2x3xf32>):
  %a = "core.neg"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %c1 = "core.constant"() {value = dense<[6]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %r = "core.reshape"(%a, %c1) : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<6xf32>)
  %c2 = "core.constant"() {value = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %s = "core.reshape"(%r, %c2) : (tensor<6xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %c3 = "core.constant"() {value = dense<[1, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.reshape"(%r, %c3) : (tensor<6xf32>, tensor<2xi64>) -> (tensor<1x6xf32>)
  %c4 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.add"(%s, %c4) : (tensor<3x2xf32>, tensor<f32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y, %t) : (tensor<3x2xf32>, tensor<1x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tfl.NEG"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<[6]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<[3, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.RESHAPE"(%1, %3) {"new_shape" = [3, 2]} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
  %5 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %6 = "tfl.RESHAPE"(%1, %5) {"new_shape" = [1, -1]} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<1x6xf32>)
  %7 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "tfl.ADD"(%4, %7) : (tensor<3x2xf32>, tensor<f32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%8, %6) : (tensor<3x2xf32>, tensor<1x6xf32>) -> ()

// -----
// CASE: what a product could write over while it is still needed is copied before
// RUN: to-tfl,tfl-separate-views
^bb(%x: tensor<2x3xf32>):
  %a = "core.neg"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %c1 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "core.add"(%a, %c1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %c2 = "core.constant"() {value = dense<[6]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %r = "core.reshape"(%b, %c2) : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<6xf32>)
  %c3 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%r, %c3) : (tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>)
  %y = "core.exp"(%m) : (tensor<6xf32>) -> (tensor<6xf32>)
  %z = "core.abs"(%b) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<6xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tfl.NEG"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tfl.ADD"(%1, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "core.constant"() {"value" = dense<[6]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "tfl.RESHAPE"(%3, %4) {"new_shape" = [6]} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<6xf32>)
  %6 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "tfl.MAXIMUM"(%5, %5) : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>)
  %8 = "tfl.MUL"(%7, %6) : (tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>)
  %9 = "tfl.EXP"(%8) : (tensor<6xf32>) -> (tensor<6xf32>)
  %10 = "tfl.ABS"(%3) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%9, %10) : (tensor<6xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a product whose bias is not even named takes one
// RUN: tfl-fuse
^bb(%x: tensor<2x3xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<4x3xf32>} : () -> (tensor<4x3xf32>)
  %b = "core.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %y = "tfl.FULLY_CONNECTED"(%x, %w) : (tensor<2x3xf32>, tensor<4x3xf32>) -> (tensor<2x4xf32>)
  %z = "tfl.ADD"(%y, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%z) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x3xf32>} : () -> (tensor<4x3xf32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<1.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %4 = "tfl.FULLY_CONNECTED"(%0, %1, %3) : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x4xf32>) -> ()

// -----
// CASE: one by the root of squares along the last axis is L2_NORMALIZATION
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %q = "core.mul"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %s = "core.reduce_sum"(%q) {axes = [1], keepdims = true} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %m = "core.clamp"(%s) {lo = 1.0e-12 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %r = "core.rsqrt"(%m) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %y = "core.mul"(%x, %r) : (tensor<2x4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "tfl.L2_NORMALIZATION"(%0) {"fused_activation_function" = "NONE"} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: another least number is not the kernel's
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %q = "core.mul"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %s = "core.reduce_sum"(%q) {axes = [1], keepdims = true} : (tensor<2x4xf32>) -> (tensor<2x1xf32>)
  %m = "core.clamp"(%s) {lo = 1.0e-10 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %r = "core.rsqrt"(%m) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %y = "core.mul"(%x, %r) : (tensor<2x4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "tfl.MUL"(%0, %0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %2 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "tfl.SUM"(%1, %2) {"keep_dims" = true} : (tensor<2x4xf32>, tensor<1xi32>) -> (tensor<2x1xf32>)
  %4 = "core.constant"() {"value" = dense<1.0e-10> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tfl.MAXIMUM"(%3, %4) : (tensor<2x1xf32>, tensor<f32>) -> (tensor<2x1xf32>)
  %6 = "tfl.RSQRT"(%5) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %7 = "tfl.MUL"(%0, %6) : (tensor<2x4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%7) : (tensor<2x4xf32>) -> ()

// -----
// CASE: an activation behind another shape goes into the op that makes the numbers
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %d = "core.sub"(%x, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %s = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %v = "core.reshape"(%d, %s) : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<4x2xf32>)
  %y = "core.clamp"(%v) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4x2xf32>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%y) : (tensor<4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "tfl.SUB"(%0, %1) {"fused_activation_function" = "RELU"} : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %3 = "core.constant"() {"value" = dense<[4, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.RESHAPE"(%2, %3) {"new_shape" = [4, 2]} : (tensor<2x4xf32>, tensor<2xi32>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%4) : (tensor<4x2xf32>) -> ()

// -----
// CASE: numbers that are limited to a type need no way round
// RUN: to-tfl
^bb(%x: tensor<4xf32>):
  %c = "core.clamp"(%x) {lo = -128.0, hi = 127.0} : (tensor<4xf32>) -> (tensor<4xf32>)
  %r = "core.round"(%c) : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.cast"(%r) {dtype = i8} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<-128.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tfl.MAXIMUM"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.MINIMUM"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %5 = "tfl.ROUND"(%4) : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "tfl.CAST"(%5) {"in_data_type" = "FLOAT32", "out_data_type" = "INT8"} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%6) : (tensor<4xi8>) -> ()

// -----
// CASE: one element along an axis, fixed or open, is STRIDED_SLICE alone
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<?x3x4xf32, {dims = ["n", "3", "4"]}>):
  %b = "core.constant"() {value = dense<[0, 1, 0]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %e = "core.constant"() {value = dense<[0, 2, 0]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %s = "core.constant"() {value = dense<1> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %y = "core.slice"(%x, %b, %e, %s) {begin_mask = 5, end_mask = 5} : (tensor<?x3x4xf32, {dims = ["n", "3", "4"]}>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<?x1x4xf32, {dims = ["n", "1", "4"]}>)
  %z = "core.squeeze"(%y) {axes = [1]} : (tensor<?x1x4xf32, {dims = ["n", "1", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%z) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["n", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[0, 1, 0]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 2, 0]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %4 = "tfl.STRIDED_SLICE"(%0, %1, %2, %3) {"begin_mask" = 5, "end_mask" = 5, "shrink_axis_mask" = 2} : (tensor<?x3x4xf32, {dims = ["n", "3", "4"]}>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%4) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()

// -----
// CASE: vectors along the diagonals of matrices are MATRIX_DIAG, with another matrix beside them MATRIX_SET_DIAG
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<2x2xf32>, %m: tensor<2x2x2xf32>):
  %i = "core.constant"() {value = dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %k = "core.constant"() {value = dense<[[true, false], [false, true]]> : tensor<2x2xi1>} : () -> (tensor<2x2xi1>)
  %c = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %g = "core.gather"(%x, %i) {axis = 1} : (tensor<2x2xf32>, tensor<2x2xi32>) -> (tensor<2x2x2xf32>)
  %y = "core.select"(%k, %g, %c) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> (tensor<2x2x2xf32>)
  %z = "core.select"(%k, %g, %m) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2xf32>, %1: tensor<2x2x2xf32>):
  %2 = "tfl.MATRIX_DIAG"(%0) : (tensor<2x2xf32>) -> (tensor<2x2x2xf32>)
  %3 = "tfl.MATRIX_SET_DIAG"(%1, %0) : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2x2xf32>)
  "mlconv.yield"(%2, %3) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()

// -----
// CASE: how many bounds in order a number is not below is BUCKETIZE; bounds in another order stay
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<4xf32>):
  %u = "core.expand_dims"(%x) {axes = [1]} : (tensor<4xf32>) -> (tensor<4x1xf32>)
  %b = "core.constant"() {value = dense<[-1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %d = "core.constant"() {value = dense<[0.5, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %l = "core.less"(%u, %b) : (tensor<4x1xf32>, tensor<2xf32>) -> (tensor<4x2xi1>)
  %m = "core.less"(%u, %d) : (tensor<4x1xf32>, tensor<2xf32>) -> (tensor<4x2xi1>)
  %n = "core.logical_not"(%l) : (tensor<4x2xi1>) -> (tensor<4x2xi1>)
  %o = "core.logical_not"(%m) : (tensor<4x2xi1>) -> (tensor<4x2xi1>)
  %p = "core.cast"(%n) {dtype = i32} : (tensor<4x2xi1>) -> (tensor<4x2xi32>)
  %q = "core.cast"(%o) {dtype = i32} : (tensor<4x2xi1>) -> (tensor<4x2xi32>)
  %y = "core.reduce_sum"(%p) {axes = [1]} : (tensor<4x2xi32>) -> (tensor<4xi32>)
  %z = "core.reduce_sum"(%q) {axes = [1]} : (tensor<4x2xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y, %z) : (tensor<4xi32>, tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 1]} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4x1xf32>)
  %3 = "core.constant"() {"value" = dense<[0.5, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "tfl.LESS"(%2, %3) : (tensor<4x1xf32>, tensor<2xf32>) -> (tensor<4x2xi1>)
  %5 = "tfl.LOGICAL_NOT"(%4) : (tensor<4x2xi1>) -> (tensor<4x2xi1>)
  %6 = "tfl.CAST"(%5) {"in_data_type" = "BOOL", "out_data_type" = "INT32"} : (tensor<4x2xi1>) -> (tensor<4x2xi32>)
  %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "tfl.BUCKETIZE"(%0) {"boundaries" = [-1.0 : f64, 0.5 : f64]} : (tensor<4xf32>) -> (tensor<4xi32>)
  %9 = "tfl.SUM"(%6, %7) {"keep_dims" = false} : (tensor<4x2xi32>, tensor<1xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%8, %9) : (tensor<4xi32>, tensor<4xi32>) -> ()

// -----
// CASE: integers of a vector that are no sizes are packed, with numbers between them
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%n: tensor<i32>):
  %v = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %r = "core.reshape"(%n, %v) : (tensor<i32>, tensor<1xi64>) -> (tensor<1xi32>)
  %c = "core.constant"() {value = dense<[3, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "core.concat"(%r, %c) {axis = 0} : (tensor<1xi32>, tensor<2xi32>) -> (tensor<3xi32>)
  "mlconv.yield"(%y) : (tensor<3xi32>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %3 = "tfl.PACK"(%0, %1, %2) {"values_count" = 3, "axis" = 0} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>)
  "mlconv.yield"(%3) : (tensor<3xi32>) -> ()

// -----
// CASE: the real part of a transform of real numbers is one product, one number is a bias of its columns
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-sizes,tfl-contract
^bb(%x: tensor<3x2xf32>):
  %u = "core.cast"(%x) {dtype = complex<f32>} : (tensor<3x2xf32>) -> (tensor<3x2xcomplex<f32>>)
  %f = "core.fft"(%u) {axes = [1], inverse = false} : (tensor<3x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>)
  %r = "core.real"(%f) : (tensor<3x2xcomplex<f32>>) -> (tensor<3x2xf32>)
  %c = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.add"(%r, %c) : (tensor<3x2xf32>, tensor<f32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 2], [2, 2], \"transpose\", [1, 0], [dense<[[1.0, 1.0], [1.0, -1.0]]> : tensor<2x2xf32>]]">} : () -> (tensor<2x2xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x2xf32>, tensor<2x2xf32>) -> (tensor<3x2xf32>)
  %3 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.ADD"(%2, %3) : (tensor<3x2xf32>, tensor<f32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%4) : (tensor<3x2xf32>) -> ()

// -----
// CASE: the front of a table is gathered where something counts its rows, before it or behind
// RUN: tfl-contract
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %t = "core.constant"() {value = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %sh = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %i0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %o1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %ii = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %zz = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %oo = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %n = "tfl.GATHER"(%sh, %o1) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %r = "tfl.RANGE"(%i0, %n, %o1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %e = "tfl.GATHER"(%sh, %ii) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %f = "tfl.STRIDED_SLICE"(%t, %zz, %e, %oo) {begin_mask = 3, end_mask = 2, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0, offset = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%r, %f) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %2 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tfl.GATHER"(%2, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %6 = "tfl.RANGE"(%3, %5, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %7 = "tfl.GATHER"(%1, %6) {"axis" = 0, "batch_dims" = 0} : (tensor<8x2xf32>, tensor<?xi32, {dims = ["s"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%6, %7) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()

// -----
// CASE: the front of a table that may end before what is counted stays
// RUN: tfl-contract
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %t = "core.constant"() {value = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %sh = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %i0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %o1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %ii = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %zz = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %oo = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %n = "tfl.GATHER"(%sh, %o1) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %r = "tfl.RANGE"(%i0, %n, %o1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %e = "tfl.GATHER"(%sh, %ii) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %f = "tfl.STRIDED_SLICE"(%t, %zz, %e, %oo) {begin_mask = 3, end_mask = 2, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0, offset = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["min(s, 8)", "2"]}>)
  "mlconv.yield"(%r, %f) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["min(s, 8)", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %2 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %6 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %7 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %8 = "tfl.GATHER"(%2, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %9 = "tfl.RANGE"(%3, %8, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %10 = "tfl.GATHER"(%2, %5) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %11 = "tfl.STRIDED_SLICE"(%1, %6, %10, %7) {"begin_mask" = 3, "end_mask" = 2, "ellipsis_mask" = 0, "new_axis_mask" = 0, "shrink_axis_mask" = 0, "offset" = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["min(8, s)", "2"]}>)
  "mlconv.yield"(%9, %11) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["min(8, s)", "2"]}>) -> ()

// -----
// CASE: rows that are counted behind the front that is cut, once more
// RUN: tfl-contract
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %t = "core.constant"() {value = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %sh = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %i0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %o1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %ii = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %zz = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %oo = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %e = "tfl.GATHER"(%sh, %ii) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %f = "tfl.STRIDED_SLICE"(%t, %zz, %e, %oo) {begin_mask = 3, end_mask = 2, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0, offset = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %n = "tfl.GATHER"(%sh, %o1) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %r = "tfl.RANGE"(%i0, %n, %o1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%r, %f) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %2 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tfl.GATHER"(%2, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %6 = "tfl.RANGE"(%3, %5, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %7 = "tfl.GATHER"(%1, %6) {"axis" = 0, "batch_dims" = 0} : (tensor<8x2xf32>, tensor<?xi32, {dims = ["s"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%6, %7) : (tensor<?xi32, {dims = ["s"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()

// -----
// CASE: what counts the other size counts no rows
// RUN: tfl-contract
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %t = "core.constant"() {value = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %sh = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %i0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %o1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %ii = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %zz = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %oo = "core.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %n = "tfl.GATHER"(%sh, %i0) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %r = "tfl.RANGE"(%i0, %n, %o1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["b"]}>)
  %e = "tfl.GATHER"(%sh, %ii) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %f = "tfl.STRIDED_SLICE"(%t, %zz, %e, %oo) {begin_mask = 3, end_mask = 2, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0, offset = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%r, %f) : (tensor<?xi32, {dims = ["b"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [6.0, 0.0], [7.0, 0.0]]> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %2 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %6 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %7 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %8 = "tfl.GATHER"(%2, %3) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<i32>) -> (tensor<i32>)
  %9 = "tfl.RANGE"(%3, %8, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["b"]}>)
  %10 = "tfl.GATHER"(%2, %5) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %11 = "tfl.STRIDED_SLICE"(%1, %6, %10, %7) {"begin_mask" = 3, "end_mask" = 2, "ellipsis_mask" = 0, "new_axis_mask" = 0, "shrink_axis_mask" = 0, "offset" = false} : (tensor<8x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%9, %11) : (tensor<?xi32, {dims = ["b"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()

// -----
// CASE: integers that were made wider and narrow again: nothing is left of it
// RUN: tfl-contract
^bb(%x: tensor<?xi32, {dims = ["s"]}>):
  %w = "tfl.CAST"(%x) {in_data_type = "INT32", out_data_type = "INT64"} : (tensor<?xi32, {dims = ["s"]}>) -> (tensor<?xi64, {dims = ["s"]}>)
  %n = "tfl.CAST"(%w) {in_data_type = "INT64", out_data_type = "INT32"} : (tensor<?xi64, {dims = ["s"]}>) -> (tensor<?xi32, {dims = ["s"]}>)
  %y = "tfl.NEG"(%n) : (tensor<?xi32, {dims = ["s"]}>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi32, {dims = ["s"]}>):
  %1 = "tfl.NEG"(%0) : (tensor<?xi32, {dims = ["s"]}>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%1) : (tensor<?xi32, {dims = ["s"]}>) -> ()

// -----
// CASE: limits of places that count from 0 are taken by what moves them there
// RUN: tfl-contract
^bb(%x: tensor<?xi32, {dims = ["s"]}>):
  %lo = "core.constant"() {value = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %hi = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %a = "tfl.MINIMUM"(%x, %hi) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %b = "tfl.MAXIMUM"(%a, %lo) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %y = "tfl.SUB"(%b, %lo) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tfl.MINIMUM"(%0, %2) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %4 = "tfl.SUB"(%3, %1) {"fused_activation_function" = "RELU", "pot_scale_int16" = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%4) : (tensor<?xi32, {dims = ["s"]}>) -> ()

// -----
// CASE: the other limit may come behind
// RUN: tfl-contract
^bb(%x: tensor<?xi64, {dims = ["s"]}>):
  %lo = "core.constant"() {value = dense<-4> : tensor<i64>} : () -> (tensor<i64>)
  %hi = "core.constant"() {value = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %b = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %a = "tfl.MINIMUM"(%b, %hi) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %y = "tfl.ADD"(%a, %hi) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  "mlconv.yield"(%y) : (tensor<?xi64, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi64, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "tfl.MINIMUM"(%0, %1) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %3 = "tfl.ADD"(%2, %1) {"fused_activation_function" = "RELU", "pot_scale_int16" = true} : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  "mlconv.yield"(%3) : (tensor<?xi64, {dims = ["s"]}>) -> ()

// -----
// CASE: without a limit to the other side, or with one that is far, the sum might wrap
// RUN: tfl-contract
^bb(%x: tensor<?xi32, {dims = ["s"]}>):
  %lo = "core.constant"() {value = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %hi = "core.constant"() {value = dense<2147483646> : tensor<i32>} : () -> (tensor<i32>)
  %a = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %y = "tfl.SUB"(%a, %lo) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %b = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %c = "tfl.MINIMUM"(%b, %hi) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %z = "tfl.SUB"(%c, %lo) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%y, %z) : (tensor<?xi32, {dims = ["s"]}>, tensor<?xi32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<2147483646> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tfl.MAXIMUM"(%0, %1) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %4 = "tfl.SUB"(%3, %1) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %5 = "tfl.MAXIMUM"(%0, %1) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %6 = "tfl.MINIMUM"(%5, %2) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %7 = "tfl.SUB"(%6, %1) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%4, %7) : (tensor<?xi32, {dims = ["s"]}>, tensor<?xi32, {dims = ["s"]}>) -> ()

// -----
// CASE: limits that cross, or do not begin where is counted from, stay
// RUN: tfl-contract
^bb(%x: tensor<?xi32, {dims = ["s"]}>):
  %lo = "core.constant"() {value = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %hi = "core.constant"() {value = dense<-6> : tensor<i32>} : () -> (tensor<i32>)
  %by = "core.constant"() {value = dense<5> : tensor<i32>} : () -> (tensor<i32>)
  %b = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %a = "tfl.MINIMUM"(%b, %hi) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %y = "tfl.SUB"(%a, %lo) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %c = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %w = "tfl.ADD"(%c, %by) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%y, %w) : (tensor<?xi32, {dims = ["s"]}>, tensor<?xi32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<-4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<-6> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<5> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "tfl.MAXIMUM"(%0, %1) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %5 = "tfl.MINIMUM"(%4, %2) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %6 = "tfl.SUB"(%5, %1) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %7 = "tfl.MAXIMUM"(%0, %1) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %8 = "tfl.ADD"(%7, %3) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  "mlconv.yield"(%6, %8) : (tensor<?xi32, {dims = ["s"]}>, tensor<?xi32, {dims = ["s"]}>) -> ()

// -----
// CASE: numbers that are added to floats are no limits of places
// RUN: tfl-contract
^bb(%x: tensor<?xf32, {dims = ["s"]}>):
  %m = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %lo = "core.constant"() {value = dense<-4.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "tfl.MAXIMUM"(%x, %lo) : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  %y = "tfl.ADD"(%b, %m) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  %z = "tfl.SUB"(%b, %lo) {fused_activation_function = "NONE", pot_scale_int16 = true} : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%y, %z) : (tensor<?xf32, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<-4.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tfl.MAXIMUM"(%0, %2) : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  %4 = "tfl.ADD"(%3, %1) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  %5 = "tfl.SUB"(%3, %2) {"fused_activation_function" = "NONE", "pot_scale_int16" = true} : (tensor<?xf32, {dims = ["s"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%4, %5) : (tensor<?xf32, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()

// -----
// CASE: an axis that the last one is split into, and that is unpacked, is a split of the last one
// RUN: tfl-contract
^bb(%x: tensor<?x?x6xf32, {dims = ["s", "b", "6"]}>):
  %sh = "tfl.SHAPE"(%x) {out_type = "INT32"} : (tensor<?x?x6xf32, {dims = ["s", "b", "6"]}>) -> (tensor<3xi32>)
  %n = "core.constant"() {value = dense<[3, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %k = "tfl.CONCATENATION"(%sh, %n) {axis = 0} : (tensor<3xi32>, tensor<2xi32>) -> (tensor<5xi32>)
  %at = "core.constant"() {value = dense<[0, 1, 3, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %v = "tfl.GATHER"(%k, %at) {axis = 0, batch_dims = 0} : (tensor<5xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %r = "tfl.RESHAPE"(%x, %v) : (tensor<?x?x6xf32, {dims = ["s", "b", "6"]}>, tensor<4xi32>) -> (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>)
  %ia = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %a = "tfl.GATHER"(%r, %ia) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  %ib = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %b = "tfl.GATHER"(%r, %ib) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  %ic = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %c = "tfl.GATHER"(%r, %ic) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  "mlconv.yield"(%a, %b, %c) : (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x6xf32, {dims = ["s", "b", "6"]}>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3, %4 = "tfl.SPLIT"(%1, %0) {"num_splits" = 3} : (tensor<i32>, tensor<?x?x6xf32, {dims = ["s", "b", "6"]}>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  "mlconv.yield"(%2, %3, %4) : (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>) -> ()

// -----
// CASE: an axis that was there before is unpacked
// RUN: tfl-contract
^bb(%x: tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>):
  %ia = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %a = "tfl.GATHER"(%x, %ia) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  %ib = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %b = "tfl.GATHER"(%x, %ib) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  %ic = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %c = "tfl.GATHER"(%x, %ic) {axis = 2, batch_dims = 0} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>, tensor<i32>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  "mlconv.yield"(%a, %b, %c) : (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>):
  %1, %2, %3 = "tfl.UNPACK"(%0) {"num" = 3, "axis" = 2} : (tensor<?x?x3x2xf32, {dims = ["s", "b", "3", "2"]}>) -> (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>)
  "mlconv.yield"(%1, %2, %3) : (tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>, tensor<?x?x2xf32, {dims = ["s", "b", "2"]}>) -> ()

// -----
// CASE: a bias goes in front of a transpose, where it is one for each column
// RUN: to-tfl,tfl-fuse
^bb(%x: tensor<4x3x8xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %p = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<4x3x8xf32>, tensor<8x2xf32>) -> (tensor<4x3x2xf32>)
  %t = "core.transpose"(%p) {perm = [2, 0, 1]} : (tensor<4x3x2xf32>) -> (tensor<2x4x3xf32>)
  %b = "core.constant"() {value = dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %a = "core.add"(%t, %b) : (tensor<2x4x3xf32>, tensor<2x1x1xf32>) -> (tensor<2x4x3xf32>)
  "mlconv.yield"(%a) : (tensor<2x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3x8xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x8xf32>} : () -> (tensor<2x8xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "tfl.FULLY_CONNECTED"(%0, %1, %2) {"keep_num_dims" = true} : (tensor<4x3x8xf32>, tensor<2x8xf32>, tensor<2xf32>) -> (tensor<4x3x2xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 0, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.TRANSPOSE"(%3, %4) : (tensor<4x3x2xf32>, tensor<3xi32>) -> (tensor<2x4x3xf32>)
  %6 = "core.constant"() {"value" = dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  "mlconv.yield"(%5) : (tensor<2x4x3xf32>) -> ()

// -----
// CASE: what differs along the rows of a product is no bias behind its transpose
// RUN: to-tfl,tfl-fuse
^bb(%x: tensor<2x3x8xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %p = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x3x8xf32>, tensor<8x2xf32>) -> (tensor<2x3x2xf32>)
  %t = "core.transpose"(%p) {perm = [2, 1, 0]} : (tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>)
  %b = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %a = "core.add"(%t, %b) : (tensor<2x3x2xf32>, tensor<2xf32>) -> (tensor<2x3x2xf32>)
  "mlconv.yield"(%a) : (tensor<2x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x8xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x8xf32>} : () -> (tensor<2x8xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = true, "mlconv.absent" = [2]} : (tensor<2x3x8xf32>, tensor<2x8xf32>) -> (tensor<2x3x2xf32>)
  %3 = "core.constant"() {"value" = dense<[2, 1, 0]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %4 = "tfl.TRANSPOSE"(%2, %3) : (tensor<2x3x2xf32>, tensor<3xi32>) -> (tensor<2x3x2xf32>)
  %5 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %6 = "tfl.ADD"(%4, %5) : (tensor<2x3x2xf32>, tensor<2xf32>) -> (tensor<2x3x2xf32>)
  "mlconv.yield"(%6) : (tensor<2x3x2xf32>) -> ()
