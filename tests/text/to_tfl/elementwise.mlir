// CASE: ops that TFLite has by their names
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %neg = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %abs = "core.abs"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %exp = "core.exp"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %log = "core.log"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sqrt = "core.sqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %rsqrt = "core.rsqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sin = "core.sin"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %cos = "core.cos"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %tanh = "core.tanh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %floor = "core.floor"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %ceil = "core.ceil"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %round = "core.round"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sigmoid = "core.sigmoid"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %hardswish = "core.hard_swish"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sign = "core.sign"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%neg, %abs, %exp, %log, %sqrt, %rsqrt, %sin, %cos, %tanh, %floor, %ceil, %round, %sigmoid, %hardswish, %sign) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.NEG"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "tfl.ABS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.EXP"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tfl.LOG"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "tfl.SQRT"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %7 = "tfl.DIV"(%6, %5) : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tfl.SIN"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "tfl.COS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "tfl.TANH"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "tfl.FLOOR"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %12 = "tfl.CEIL"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "tfl.ROUND"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "tfl.LOGISTIC"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %15 = "tfl.HARD_SWISH"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "tfl.SIGN"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4, %5, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: ops of two operands that TFLite has by their names
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %add = "core.add"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %sub = "core.sub"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %mul = "core.mul"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %div = "core.div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %maximum = "core.maximum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %minimum = "core.minimum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %pow = "core.pow"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %floordiv = "core.floor_div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %floormod = "core.floor_mod"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%add, %sub, %mul, %div, %maximum, %minimum, %pow, %floordiv, %floormod) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tfl.ADD"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.SUB"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tfl.MUL"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "tfl.DIV"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "tfl.MAXIMUM"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "tfl.MINIMUM"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tfl.POW"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "tfl.FLOOR"(%5) : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "tfl.FLOOR_MOD"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7, %8, %9, %10) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: comparisons
// RUN: to-tfl,tfl-merge
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
  %2 = "tfl.EQUAL"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "tfl.NOT_EQUAL"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %4 = "tfl.LESS"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "tfl.LESS_EQUAL"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "tfl.GREATER"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "tfl.GREATER_EQUAL"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: logic of booleans
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xi1>):
  %logicalnot = "core.logical_not"(%x) : (tensor<4xi1>) -> (tensor<4xi1>)
  %a = "core.and"(%x, %x) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %o = "core.or"(%x, %logicalnot) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %q = "core.xor"(%x, %logicalnot) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%logicalnot, %a, %o, %q) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>):
  %1 = "tfl.LOGICAL_NOT"(%0) : (tensor<4xi1>) -> (tensor<4xi1>)
  %2 = "tfl.LOGICAL_AND"(%0, %0) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %3 = "tfl.LOGICAL_OR"(%0, %1) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %4 = "tfl.NOT_EQUAL"(%0, %1) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2, %3, %4) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: logic of integers' bits
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %and = "core.and"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %or = "core.or"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %xor = "core.xor"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %shiftleft = "core.shift_left"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %shiftright = "core.shift_right"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %n = "core.bitwise_not"(%x) : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%and, %or, %xor, %shiftleft, %shiftright, %n) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "tfl.STABLEHLO_AND"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "tfl.ADD"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %4 = "tfl.SUB"(%3, %2) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %5 = "tfl.BITWISE_XOR"(%0, %1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "core.constant"() {"value" = dense<32> : tensor<i32>} : () -> (tensor<i32>)
  %7 = "tfl.MINIMUM"(%1, %6) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  %8 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "tfl.MAXIMUM"(%7, %8) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  %10 = "core.constant"() {"value" = dense<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304, 8388608, 16777216, 33554432, 67108864, 134217728, 268435456, 536870912, 1073741824, -2147483648, 0]> : tensor<33xi32>} : () -> (tensor<33xi32>)
  %11 = "tfl.GATHER"(%10, %9) {"axis" = 0, "batch_dims" = 0} : (tensor<33xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %12 = "tfl.MUL"(%0, %11) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %13 = "tfl.CAST"(%1) {"in_data_type" = "INT32", "out_data_type" = "INT64"} : (tensor<4xi32>) -> (tensor<4xi64>)
  %14 = "core.constant"() {"value" = dense<31> : tensor<i64>} : () -> (tensor<i64>)
  %15 = "tfl.MINIMUM"(%13, %14) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>)
  %16 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %17 = "tfl.MAXIMUM"(%15, %16) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>)
  %18 = "tfl.CAST"(%17) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<4xi64>) -> (tensor<4xi32>)
  %19 = "tfl.RIGHT_SHIFT"(%0, %18) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %20 = "core.constant"() {"value" = dense<-1> : tensor<i32>} : () -> (tensor<i32>)
  %21 = "tfl.SUB"(%20, %0) : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2, %4, %5, %12, %19, %21) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> ()

// -----
// CASE: a tangent is composed of ops that there are
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %y = "core.tan"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.SIN"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "tfl.COS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.DIV"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: log1p is composed of ops that there are
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %y = "core.log1p"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<2.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "tfl.ADD"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "tfl.DIV"(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tfl.MUL"(%3, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0.3422757> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "tfl.MUL"(%5, %4) : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "core.constant"() {"value" = #mlconv.splat<"dense<0.3958917> : tensor<f32>">} : () -> (tensor<f32>)
  %8 = "tfl.ADD"(%6, %7) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %9 = "tfl.MUL"(%8, %4) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "core.constant"() {"value" = #mlconv.splat<"dense<0.6667602> : tensor<f32>">} : () -> (tensor<f32>)
  %11 = "tfl.ADD"(%9, %10) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %12 = "tfl.MUL"(%11, %4) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "core.constant"() {"value" = #mlconv.splat<"dense<1.9999996> : tensor<f32>">} : () -> (tensor<f32>)
  %14 = "tfl.ADD"(%12, %13) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %15 = "tfl.MUL"(%3, %14) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "tfl.ABS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %17 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %18 = "tfl.ADD"(%0, %17) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %19 = "tfl.LOG"(%18) : (tensor<4xf32>) -> (tensor<4xf32>)
  %20 = "core.constant"() {"value" = #mlconv.splat<"dense<0.4> : tensor<f32>">} : () -> (tensor<f32>)
  %21 = "tfl.LESS"(%16, %20) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %22 = "tfl.SELECT_V2"(%21, %15, %19) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%22) : (tensor<4xf32>) -> ()

// -----
// CASE: questions about NaN and infinity are comparisons
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %isnan = "core.is_nan"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isinf = "core.is_inf"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isfinite = "core.is_finite"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%isnan, %isinf, %isfinite) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.NOT_EQUAL"(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %2 = "tfl.ABS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0x7F800000> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "tfl.EQUAL"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %5 = "tfl.LESS"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %4, %5) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: activations with options
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %a = "core.gelu"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.gelu"(%x) {approximate = true} : (tensor<4xf32>) -> (tensor<4xf32>)
  %p = "core.elu"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %q = "core.leaky_relu"(%x) {alpha = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%a, %b, %p, %q) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.GELU"(%0) {"approximate" = false} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "tfl.GELU"(%0) {"approximate" = true} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.ELU"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tfl.LEAKY_RELU"(%0) {"alpha" = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: ELU with another alpha is composed
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %y = "core.elu"(%x) {alpha = 2.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "tfl.MINIMUM"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "tfl.ELU"(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<2.0> : tensor<f32>">} : () -> (tensor<f32>)
  %5 = "tfl.MUL"(%3, %4) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %6 = "tfl.RELU"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "tfl.ADD"(%6, %5) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%7) : (tensor<4xf32>) -> ()

// -----
// CASE: casts
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %a = "core.cast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  %y = "core.cast"(%a) {dtype = i1} : (tensor<4xi32>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.CAST"(%0) {"in_data_type" = "FLOAT32", "out_data_type" = "INT32"} : (tensor<4xf32>) -> (tensor<4xi32>)
  %2 = "tfl.CAST"(%1) {"in_data_type" = "INT32", "out_data_type" = "BOOL"} : (tensor<4xi32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2) : (tensor<4xi1>) -> ()

// -----
// CASE: SELECT_V2 broadcasts
// RUN: to-tfl,tfl-merge
^bb(%p: tensor<2x1xi1>, %a: tensor<3xf32>, %b: tensor<2x3xf32>):
  %y = "core.select"(%p, %a, %b) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi1>, %1: tensor<3xf32>, %2: tensor<2x3xf32>):
  %3 = "tfl.SELECT_V2"(%0, %1, %2) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: BITCAST
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %y = "core.bitcast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.BITCAST"(%0) : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%1) : (tensor<4xi32>) -> ()

// -----
// CASE: the remainder of the dividend's sign
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %rem = "core.rem"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%rem) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tfl.ABS"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.ABS"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "tfl.FLOOR_MOD"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "tfl.LESS"(%0, %5) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %7 = "tfl.NEG"(%4) : (tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "tfl.SELECT_V2"(%6, %7, %4) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%8) : (tensor<4xf32>) -> ()

// -----
// CASE: ATAN2
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %atan2 = "core.atan2"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%atan2) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tfl.ATAN2"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: the reciprocal root of what is positive is RSQRT
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %q = "core.mul"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %e = "core.constant"() {value = dense<0.001> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.add"(%q, %e) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %y = "core.rsqrt"(%s) : (tensor<4xf32>) -> (tensor<4xf32>)
  %z = "core.rsqrt"(%q) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y, %z) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.MUL"(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<0.001> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tfl.ADD"(%1, %2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "tfl.RSQRT"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "tfl.SQRT"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "tfl.DIV"(%5, %6) : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4, %7) : (tensor<4xf32>, tensor<4xf32>) -> ()
