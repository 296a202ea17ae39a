// CASE: ops of one operand that HLO has by their names
// RUN: to-hlo
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
  %1 = "hlo.exponential"(%0) {"op_type" = "core.exp"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "hlo.exponential-minus-one"(%0) {"op_type" = "core.expm1"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "hlo.log"(%0) {"op_type" = "core.log"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "hlo.log-plus-one"(%0) {"op_type" = "core.log1p"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "hlo.sqrt"(%0) {"op_type" = "core.sqrt"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "hlo.rsqrt"(%0) {"op_type" = "core.rsqrt"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "hlo.sine"(%0) {"op_type" = "core.sin"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "hlo.cosine"(%0) {"op_type" = "core.cos"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "hlo.tan"(%0) {"op_type" = "core.tan"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "hlo.tanh"(%0) {"op_type" = "core.tanh"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "hlo.erf"(%0) {"op_type" = "core.erf"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %12 = "hlo.floor"(%0) {"op_type" = "core.floor"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "hlo.ceil"(%0) {"op_type" = "core.ceil"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "hlo.round-nearest-even"(%0) {"op_type" = "core.round"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %15 = "hlo.logistic"(%0) {"op_type" = "core.sigmoid"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "hlo.negate"(%0) {"op_type" = "core.neg"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %17 = "hlo.abs"(%0) {"op_type" = "core.abs"} : (tensor<4xf32>) -> (tensor<4xf32>)
  %18 = "hlo.sign"(%0) {"op_type" = "core.sign"} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: ops of two operands that HLO has by their names
// RUN: to-hlo
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
  %2 = "hlo.add"(%0, %1) {"op_type" = "core.add"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "hlo.subtract"(%0, %1) {"op_type" = "core.sub"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "hlo.multiply"(%0, %1) {"op_type" = "core.mul"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "hlo.divide"(%0, %1) {"op_type" = "core.div"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "hlo.maximum"(%0, %1) {"op_type" = "core.maximum"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "hlo.minimum"(%0, %1) {"op_type" = "core.minimum"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "hlo.power"(%0, %1) {"op_type" = "core.pow"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "hlo.remainder"(%0, %1) {"op_type" = "core.rem"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "hlo.atan2"(%0, %1) {"op_type" = "core.atan2"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7, %8, %9, %10) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: comparisons are one opcode with a direction
// RUN: to-hlo
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
  %2 = "hlo.compare"(%0, %1) {"direction" = "EQ", "op_type" = "core.equal"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "hlo.compare"(%0, %1) {"direction" = "NE", "op_type" = "core.not_equal"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %4 = "hlo.compare"(%0, %1) {"direction" = "LT", "op_type" = "core.less"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "hlo.compare"(%0, %1) {"direction" = "LE", "op_type" = "core.less_equal"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "hlo.compare"(%0, %1) {"direction" = "GT", "op_type" = "core.greater"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "hlo.compare"(%0, %1) {"direction" = "GE", "op_type" = "core.greater_equal"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: a broadcast is written out
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %y = "core.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "hlo.broadcast"(%1) {"dimensions" = [1], "op_type" = "core.add"} : (tensor<3xf32>) -> (tensor<2x3xf32>)
  %3 = "hlo.add"(%0, %2) {"op_type" = "core.add"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a broadcast of an axis of size one drops it before
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>, %w: tensor<2x1xf32>):
  %y = "core.mul"(%x, %w) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x1xf32>):
  %2 = "hlo.reshape"(%1) {"op_type" = "core.mul"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [0], "op_type" = "core.mul"} : (tensor<2xf32>) -> (tensor<2x3xf32>)
  %4 = "hlo.multiply"(%0, %3) {"op_type" = "core.mul"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a scalar is broadcast to the shape
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%x, %c1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.mul"} : (tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "hlo.multiply"(%0, %2) {"op_type" = "core.mul"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: integers are divided by another number than 0
// RUN: to-hlo
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.div"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.div"} : (tensor<i32>) -> (tensor<4xi32>)
  %4 = "hlo.compare"(%1, %3) {"direction" = "EQ", "op_type" = "core.div"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.div"} : (tensor<i32>) -> (tensor<4xi32>)
  %7 = "hlo.select"(%4, %6, %1) {"op_type" = "core.div"} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %8 = "hlo.divide"(%0, %7) {"op_type" = "core.div"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.div"} : (tensor<i32>) -> (tensor<4xi32>)
  %11 = "hlo.select"(%4, %10, %8) {"op_type" = "core.div"} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%11) : (tensor<4xi32>) -> ()

// -----
// CASE: a floored remainder corrects the one that has the sign of the dividend
// RUN: to-hlo
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.floor_mod"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %4 = "hlo.compare"(%1, %3) {"direction" = "EQ", "op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %7 = "hlo.select"(%4, %6, %1) {"op_type" = "core.floor_mod"} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %8 = "hlo.remainder"(%0, %7) {"op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %10 = "hlo.broadcast"(%9) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %11 = "hlo.select"(%4, %10, %8) {"op_type" = "core.floor_mod"} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %12 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %13 = "hlo.broadcast"(%12) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %14 = "hlo.compare"(%11, %13) {"direction" = "NE", "op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi1>)
  %15 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %16 = "hlo.broadcast"(%15) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %17 = "hlo.compare"(%11, %16) {"direction" = "LT", "op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi1>)
  %18 = "hlo.broadcast"(%15) {"dimensions" = [], "op_type" = "core.floor_mod"} : (tensor<i32>) -> (tensor<4xi32>)
  %19 = "hlo.compare"(%1, %18) {"direction" = "LT", "op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi1>)
  %20 = "hlo.compare"(%17, %19) {"direction" = "NE", "op_type" = "core.floor_mod"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %21 = "hlo.and"(%14, %20) {"op_type" = "core.floor_mod"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %22 = "hlo.add"(%11, %1) {"op_type" = "core.floor_mod"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %23 = "hlo.select"(%21, %22, %11) {"op_type" = "core.floor_mod"} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%23) : (tensor<4xi32>) -> ()

// -----
// CASE: logic
// RUN: to-hlo
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %a = "core.and"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %b = "core.logical_not"(%a) : (tensor<4xi1>) -> (tensor<4xi1>)
  %y = "core.xor"(%b, %x) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "hlo.and"(%0, %1) {"op_type" = "core.and"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %3 = "hlo.not"(%2) {"op_type" = "core.logical_not"} : (tensor<4xi1>) -> (tensor<4xi1>)
  %4 = "hlo.xor"(%3, %0) {"op_type" = "core.xor"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%4) : (tensor<4xi1>) -> ()

// -----
// CASE: shifts of signed integers keep the sign
// RUN: to-hlo
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %a = "core.shift_left"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %b = "core.shift_right"(%a, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %y = "core.bitwise_not"(%b) : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "hlo.shift-left"(%0, %1) {"op_type" = "core.shift_left"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "hlo.shift-right-arithmetic"(%2, %1) {"op_type" = "core.shift_right"} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %4 = "hlo.not"(%3) {"op_type" = "core.bitwise_not"} : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%4) : (tensor<4xi32>) -> ()

// -----
// CASE: shifts of unsigned integers are logical
// RUN: to-hlo
^bb(%x: tensor<4xui32>, %z: tensor<4xui32>):
  %y = "core.shift_right"(%x, %z) : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%y) : (tensor<4xui32>) -> ()
// EXPECT
^bb(%0: tensor<4xui32>, %1: tensor<4xui32>):
  %2 = "hlo.shift-right-logical"(%0, %1) {"op_type" = "core.shift_right"} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%2) : (tensor<4xui32>) -> ()

// -----
// CASE: a cast to booleans is a comparison with 0
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %a = "core.cast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  %b = "core.cast"(%x) {dtype = i1} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%a, %b) : (tensor<4xi32>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "hlo.convert"(%0) {"op_type" = "core.cast"} : (tensor<4xf32>) -> (tensor<4xi32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.cast"} : (tensor<f32>) -> (tensor<4xf32>)
  %4 = "hlo.compare"(%0, %3) {"direction" = "NE", "op_type" = "core.cast"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %4) : (tensor<4xi32>, tensor<4xi1>) -> ()

// -----
// CASE: a cast that saturates clamps before
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %y = "core.cast"(%x) {dtype = i8, saturate = true} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<127.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.cast"} : (tensor<f32>) -> (tensor<4xf32>)
  %3 = "hlo.minimum"(%0, %2) {"op_type" = "core.cast"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<-128.0> : tensor<f32>">} : () -> (tensor<f32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.cast"} : (tensor<f32>) -> (tensor<4xf32>)
  %6 = "hlo.maximum"(%3, %5) {"op_type" = "core.cast"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "hlo.compare"(%6, %6) {"direction" = "EQ", "op_type" = "core.cast"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %8 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %9 = "hlo.broadcast"(%8) {"dimensions" = [], "op_type" = "core.cast"} : (tensor<f32>) -> (tensor<4xf32>)
  %10 = "hlo.select"(%7, %6, %9) {"op_type" = "core.cast"} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "hlo.convert"(%10) {"op_type" = "core.cast"} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%11) : (tensor<4xi8>) -> ()

// -----
// CASE: bitcast-convert
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %y = "core.bitcast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "hlo.bitcast-convert"(%0) {"op_type" = "core.bitcast"} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%1) : (tensor<4xi32>) -> ()

// -----
// CASE: a bound of a clamp is a maximum or a minimum
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %a = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.clamp"(%a) {lo = -1.0 : f64, hi = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.clamp"} : (tensor<f32>) -> (tensor<4xf32>)
  %3 = "hlo.maximum"(%0, %2) {"op_type" = "core.clamp"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<-1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.clamp"} : (tensor<f32>) -> (tensor<4xf32>)
  %6 = "hlo.maximum"(%3, %5) {"op_type" = "core.clamp"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "core.constant"() {"value" = #mlconv.splat<"dense<6.0> : tensor<f32>">} : () -> (tensor<f32>)
  %8 = "hlo.broadcast"(%7) {"dimensions" = [], "op_type" = "core.clamp"} : (tensor<f32>) -> (tensor<4xf32>)
  %9 = "hlo.minimum"(%6, %8) {"op_type" = "core.clamp"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%9) : (tensor<4xf32>) -> ()

// -----
// CASE: select broadcasts all of its operands
// RUN: to-hlo
^bb(%p: tensor<2x1xi1>, %a: tensor<3xf32>, %b: tensor<2x3xf32>):
  %y = "core.select"(%p, %a, %b) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi1>, %1: tensor<3xf32>, %2: tensor<2x3xf32>):
  %3 = "hlo.reshape"(%0) {"op_type" = "core.select"} : (tensor<2x1xi1>) -> (tensor<2xi1>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [0], "op_type" = "core.select"} : (tensor<2xi1>) -> (tensor<2x3xi1>)
  %5 = "hlo.broadcast"(%1) {"dimensions" = [1], "op_type" = "core.select"} : (tensor<3xf32>) -> (tensor<2x3xf32>)
  %6 = "hlo.select"(%4, %5, %2) {"op_type" = "core.select"} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: is-finite, and what is made of comparisons
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %isnan = "core.is_nan"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isinf = "core.is_inf"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isfinite = "core.is_finite"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%isnan, %isinf, %isfinite) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "hlo.compare"(%0, %0) {"direction" = "NE", "op_type" = "core.is_nan"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0x7F800000> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.is_inf"} : (tensor<f32>) -> (tensor<4xf32>)
  %4 = "hlo.compare"(%0, %3) {"direction" = "EQ", "op_type" = "core.is_inf"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.is_inf"} : (tensor<f32>) -> (tensor<4xf32>)
  %7 = "hlo.compare"(%0, %6) {"direction" = "EQ", "op_type" = "core.is_inf"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %8 = "hlo.or"(%4, %7) {"op_type" = "core.is_inf"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %9 = "hlo.is-finite"(%0) {"op_type" = "core.is_finite"} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %8, %9) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: activations are composed of what there is
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %a = "core.leaky_relu"(%x) {alpha = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.hard_swish"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.25> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.leaky_relu"} : (tensor<f32>) -> (tensor<4xf32>)
  %3 = "hlo.multiply"(%0, %2) {"op_type" = "core.leaky_relu"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.leaky_relu"} : (tensor<f32>) -> (tensor<4xf32>)
  %6 = "hlo.compare"(%0, %5) {"direction" = "GE", "op_type" = "core.leaky_relu"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "hlo.select"(%6, %0, %3) {"op_type" = "core.leaky_relu"} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "core.constant"() {"value" = #mlconv.splat<"dense<6.0> : tensor<f32>">} : () -> (tensor<f32>)
  %9 = "hlo.broadcast"(%8) {"dimensions" = [], "op_type" = "core.hard_swish"} : (tensor<f32>) -> (tensor<4xf32>)
  %10 = "hlo.divide"(%0, %9) {"op_type" = "core.hard_swish"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %12 = "hlo.broadcast"(%11) {"dimensions" = [], "op_type" = "core.hard_swish"} : (tensor<f32>) -> (tensor<4xf32>)
  %13 = "hlo.add"(%10, %12) {"op_type" = "core.hard_swish"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %15 = "hlo.broadcast"(%14) {"dimensions" = [], "op_type" = "core.hard_swish"} : (tensor<f32>) -> (tensor<4xf32>)
  %16 = "hlo.maximum"(%13, %15) {"op_type" = "core.hard_swish"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %17 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %18 = "hlo.broadcast"(%17) {"dimensions" = [], "op_type" = "core.hard_swish"} : (tensor<f32>) -> (tensor<4xf32>)
  %19 = "hlo.minimum"(%16, %18) {"op_type" = "core.hard_swish"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %20 = "hlo.multiply"(%0, %19) {"op_type" = "core.hard_swish"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%7, %20) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: what has no elements is a literal without elements
// RUN: to-hlo
^bb(%x: tensor<0x3xf32>):
  %y = "core.neg"(%x) : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%y) : (tensor<0x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<0x3xf32>):
  %1 = "core.constant"() {"value" = dense<> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  "mlconv.yield"(%1) : (tensor<0x3xf32>) -> ()

// -----
// CASE: a floored division of floats is the floor of one
// RUN: to-hlo
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %y = "core.floor_div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "hlo.divide"(%0, %1) {"op_type" = "core.floor_div"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "hlo.floor"(%2) {"op_type" = "core.floor_div"} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: or
// RUN: to-hlo
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %y = "core.or"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "hlo.or"(%0, %1) {"op_type" = "core.or"} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%2) : (tensor<4xi1>) -> ()
