// CASE: ops of one operand
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %exp = "core.exp"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %expm1 = "core.expm1"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %log = "core.log"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %log1p = "core.log1p"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sqrt = "core.sqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %rsqrt = "core.rsqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sin = "core.sin"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %cos = "core.cos"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %tan = "core.tan"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %tanh = "core.tanh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %erf = "core.erf"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %floor = "core.floor"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %ceil = "core.ceil"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %round = "core.round"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sigmoid = "core.sigmoid"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %neg = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %abs = "core.abs"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sign = "core.sign"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%exp, %expm1, %log, %log1p, %sqrt, %rsqrt, %sin, %cos, %tan, %tanh, %erf, %floor, %ceil, %round, %sigmoid, %neg, %abs, %sign) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.Exp"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "tf.Expm1"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tf.Log"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tf.Log1p"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "tf.Sqrt"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "tf.Rsqrt"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "tf.Sin"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tf.Cos"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "tf.Tan"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "tf.Tanh"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "tf.Erf"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %12 = "tf.Floor"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "tf.Ceil"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "tf.Round"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %15 = "tf.Sigmoid"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "tf.Neg"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %17 = "tf.Abs"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %18 = "tf.Sign"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: ops of two operands
// RUN: to-tf
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %add = "core.add"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %sub = "core.sub"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %mul = "core.mul"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %div = "core.div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %maximum = "core.maximum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %minimum = "core.minimum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %pow = "core.pow"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %rem = "core.rem"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %atan2 = "core.atan2"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%add, %sub, %mul, %div, %maximum, %minimum, %pow, %rem, %atan2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tf.AddV2"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tf.Sub"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tf.Mul"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "tf.RealDiv"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "tf.Maximum"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "tf.Minimum"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tf.Pow"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "tf.TruncateMod"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "tf.Atan2"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7, %8, %9, %10) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: comparisons
// RUN: to-tf
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %equal = "core.equal"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %notequal = "core.not_equal"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %less = "core.less"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %lessequal = "core.less_equal"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %greater = "core.greater"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %greaterequal = "core.greater_equal"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%equal, %notequal, %less, %lessequal, %greater, %greaterequal) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tf.Equal"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "tf.NotEqual"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %4 = "tf.Less"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "tf.LessEqual"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "tf.Greater"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "tf.GreaterEqual"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: operands broadcast
// RUN: to-tf
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %y = "core.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "tf.AddV2"(%0, %1) {"T" = f32} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an axis of size one is broadcast
// RUN: to-tf
^bb(%x: tensor<2x3xf32>, %w: tensor<2x1xf32>):
  %y = "core.mul"(%x, %w) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x1xf32>):
  %2 = "tf.Mul"(%0, %1) {"T" = f32} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a scalar is broadcast
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%x, %c1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tf.Mul"(%0, %1) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: what an integer divided by 0 gives is chosen
// RUN: to-tf
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.div"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tf.Equal"(%1, %2) {"T" = i32} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tf.SelectV2"(%3, %4, %1) {"T" = i32} : (tensor<4xi1>, tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "tf.TruncateDiv"(%0, %5) {"T" = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "tf.SelectV2"(%3, %7, %6) {"T" = i32} : (tensor<4xi1>, tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%8) : (tensor<4xi32>) -> ()

// -----
// CASE: floored remainders
// RUN: to-tf
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.floor_mod"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tf.Equal"(%1, %2) {"T" = i32} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tf.SelectV2"(%3, %4, %1) {"T" = i32} : (tensor<4xi1>, tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "tf.FloorMod"(%0, %5) {"T" = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "tf.SelectV2"(%3, %7, %6) {"T" = i32} : (tensor<4xi1>, tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%8) : (tensor<4xi32>) -> ()

// -----
// CASE: logic
// RUN: to-tf
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %a = "core.and"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %b = "core.logical_not"(%a) : (tensor<4xi1>) -> (tensor<4xi1>)
  %y = "core.xor"(%b, %x) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "tf.LogicalAnd"(%0, %1) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %3 = "tf.LogicalNot"(%2) : (tensor<4xi1>) -> (tensor<4xi1>)
  %4 = "tf.NotEqual"(%3, %0) {"T" = i1} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%4) : (tensor<4xi1>) -> ()

// -----
// CASE: shifts of signed integers keep the sign
// RUN: to-tf
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %a = "core.shift_left"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %b = "core.shift_right"(%a, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %y = "core.bitwise_not"(%b) : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "tf.LeftShift"(%0, %1) {"T" = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<32> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "tf.Less"(%1, %3) {"T" = i32} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "tf.SelectV2"(%4, %2, %5) {"T" = i32} : (tensor<4xi1>, tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  %7 = "tf.RightShift"(%6, %1) {"T" = i32} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %8 = "tf.Invert"(%7) {"T" = i32} : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%8) : (tensor<4xi32>) -> ()

// -----
// CASE: shifts of unsigned integers are logical
// RUN: to-tf
^bb(%x: tensor<4xui32>, %z: tensor<4xui32>):
  %y = "core.shift_right"(%x, %z) : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%y) : (tensor<4xui32>) -> ()
// EXPECT
^bb(%0: tensor<4xui32>, %1: tensor<4xui32>):
  %2 = "tf.RightShift"(%0, %1) {"T" = ui32} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %3 = "core.constant"() {"value" = dense<32> : tensor<ui32>} : () -> (tensor<ui32>)
  %4 = "tf.Less"(%1, %3) {"T" = ui32} : (tensor<4xui32>, tensor<ui32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<ui32>} : () -> (tensor<ui32>)
  %6 = "tf.SelectV2"(%4, %2, %5) {"T" = ui32} : (tensor<4xi1>, tensor<4xui32>, tensor<ui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%6) : (tensor<4xui32>) -> ()

// -----
// CASE: casts to booleans
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %a = "core.cast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  %b = "core.cast"(%x) {dtype = i1} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%a, %b) : (tensor<4xi32>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.Cast"(%0) {"SrcT" = f32, "DstT" = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  %2 = "tf.Cast"(%0) {"SrcT" = f32, "DstT" = i1} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2) : (tensor<4xi32>, tensor<4xi1>) -> ()

// -----
// CASE: a cast that saturates clamps before
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %y = "core.cast"(%x) {dtype = i8, saturate = true} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<-128.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tf.Maximum"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tf.Minimum"(%2, %3) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %5 = "tf.IsNan"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "tf.SelectV2"(%5, %6, %4) {"T" = f32} : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tf.Cast"(%7) {"SrcT" = f32, "DstT" = i8} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%8) : (tensor<4xi8>) -> ()

// -----
// CASE: bits under another type
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %y = "core.bitcast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.Bitcast"(%0) {"T" = f32, "type" = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%1) : (tensor<4xi32>) -> ()

// -----
// CASE: a bound of a clamp is a maximum or a minimum
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %a = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.clamp"(%a) {lo = -1.0 : f64, hi = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.Relu"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<-1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tf.Maximum"(%1, %2) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = dense<6.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tf.Minimum"(%3, %4) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%5) : (tensor<4xf32>) -> ()

// -----
// CASE: select broadcasts all of its operands
// RUN: to-tf
^bb(%p: tensor<2x1xi1>, %a: tensor<3xf32>, %b: tensor<2x3xf32>):
  %y = "core.select"(%p, %a, %b) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi1>, %1: tensor<3xf32>, %2: tensor<2x3xf32>):
  %3 = "tf.SelectV2"(%0, %1, %2) {"T" = f32} : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: is-finite, and what is made of comparisons
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %isnan = "core.is_nan"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isinf = "core.is_inf"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isfinite = "core.is_finite"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%isnan, %isinf, %isfinite) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.IsNan"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xi1>)
  %2 = "tf.IsInf"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "tf.IsFinite"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2, %3) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: activations, and those that are composed
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %a = "core.leaky_relu"(%x) {alpha = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.hard_swish"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.LeakyRelu"(%0) {"T" = f32, "alpha" = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tf.AddV2"(%0, %2) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "tf.Relu6"(%3) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = dense<0.16666667> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "tf.Mul"(%4, %5) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %7 = "tf.Mul"(%0, %6) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %7) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: tensors without elements
// RUN: to-tf
^bb(%x: tensor<0x3xf32>):
  %y = "core.neg"(%x) : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%y) : (tensor<0x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<0x3xf32>):
  %1 = "tf.Neg"(%0) {"T" = f32} : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%1) : (tensor<0x3xf32>) -> ()

// -----
// CASE: floored division
// RUN: to-tf
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %y = "core.floor_div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tf.FloorDiv"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: bits and truths
// RUN: to-tf
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %y = "core.or"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "tf.LogicalOr"(%0, %1) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%2) : (tensor<4xi1>) -> ()
