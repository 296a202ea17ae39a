// CASE: ops of one operand that HLO has by their names
// RUN: to-onnx
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
  %1 = "onnx.Exp"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "onnx.Mul"(%0, %2) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "onnx.Tanh"(%3) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "onnx.Exp"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "onnx.Add"(%5, %6) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %8 = "onnx.Mul"(%4, %7) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "onnx.Log"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %11 = "onnx.Add"(%0, %10) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %12 = "onnx.Div"(%0, %11) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "onnx.Mul"(%12, %12) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "core.constant"() {"value" = dense<0.3422757> : tensor<f32>} : () -> (tensor<f32>)
  %15 = "onnx.Mul"(%14, %13) {"opset_version" = 17} : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "core.constant"() {"value" = dense<0.3958917> : tensor<f32>} : () -> (tensor<f32>)
  %17 = "onnx.Add"(%15, %16) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %18 = "onnx.Mul"(%17, %13) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %19 = "core.constant"() {"value" = dense<0.6667602> : tensor<f32>} : () -> (tensor<f32>)
  %20 = "onnx.Add"(%18, %19) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %21 = "onnx.Mul"(%20, %13) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %22 = "core.constant"() {"value" = dense<1.9999996> : tensor<f32>} : () -> (tensor<f32>)
  %23 = "onnx.Add"(%21, %22) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %24 = "onnx.Mul"(%12, %23) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %25 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %26 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %27 = "onnx.Add"(%0, %26) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %28 = "onnx.Log"(%27) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %29 = "core.constant"() {"value" = dense<0.4> : tensor<f32>} : () -> (tensor<f32>)
  %30 = "onnx.Less"(%25, %29) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %31 = "onnx.Where"(%30, %24, %28) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %32 = "onnx.Sqrt"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %33 = "onnx.Sqrt"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %34 = "onnx.Reciprocal"(%33) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %35 = "onnx.Sin"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %36 = "onnx.Cos"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %37 = "onnx.Tan"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %38 = "onnx.Tanh"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %39 = "onnx.Erf"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %40 = "onnx.Floor"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %41 = "onnx.Ceil"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %42 = "onnx.Round"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %43 = "onnx.Sigmoid"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %44 = "onnx.Neg"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %45 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %46 = "onnx.Sign"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %8, %9, %31, %32, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: ops of two operands that HLO has by their names
// RUN: to-onnx
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
  %2 = "onnx.Add"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "onnx.Sub"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "onnx.Mul"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "onnx.Div"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "onnx.Max"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "onnx.Min"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "onnx.Pow"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "onnx.Mod"(%0, %1) {"fmod" = 1, "opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "onnx.Abs"(%1) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %12 = "onnx.Max"(%10, %11) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "onnx.Abs"(%1) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %15 = "onnx.Min"(%13, %14) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %17 = "onnx.Equal"(%12, %16) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %18 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %19 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %20 = "onnx.Where"(%17, %18, %19) {"opset_version" = 17} : (tensor<4xi1>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  %21 = "onnx.Div"(%15, %12) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %22 = "onnx.Equal"(%12, %15) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %23 = "onnx.Where"(%22, %20, %21) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %24 = "onnx.Atan"(%23) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %25 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %26 = "onnx.Abs"(%1) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %27 = "core.constant"() {"value" = dense<1.5707964> : tensor<f32>} : () -> (tensor<f32>)
  %28 = "onnx.Sub"(%27, %24) {"opset_version" = 17} : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %29 = "onnx.Greater"(%25, %26) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %30 = "onnx.Where"(%29, %28, %24) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %31 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %32 = "onnx.Less"(%1, %31) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %33 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %34 = "onnx.Div"(%33, %1) {"opset_version" = 17} : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %35 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %36 = "onnx.Less"(%34, %35) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %37 = "onnx.Or"(%32, %36) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %38 = "core.constant"() {"value" = dense<3.1415927> : tensor<f32>} : () -> (tensor<f32>)
  %39 = "onnx.Sub"(%38, %30) {"opset_version" = 17} : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %40 = "onnx.Where"(%37, %39, %30) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %41 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %42 = "onnx.Less"(%0, %41) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %43 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %44 = "onnx.Div"(%43, %0) {"opset_version" = 17} : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %45 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %46 = "onnx.Less"(%44, %45) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %47 = "onnx.Or"(%42, %46) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %48 = "onnx.Neg"(%40) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %49 = "onnx.Where"(%47, %48, %40) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7, %8, %9, %49) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: comparisons are one opcode with a direction
// RUN: to-onnx
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
  %2 = "onnx.Equal"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "onnx.Equal"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %4 = "onnx.Not"(%3) {"opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi1>)
  %5 = "onnx.Less"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "onnx.LessOrEqual"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "onnx.Greater"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %8 = "onnx.GreaterOrEqual"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2, %4, %5, %6, %7, %8) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: a broadcast is written out
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %y = "core.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "onnx.Add"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a broadcast of an axis of size one drops it before
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>, %w: tensor<2x1xf32>):
  %y = "core.mul"(%x, %w) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x1xf32>):
  %2 = "onnx.Mul"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a scalar is broadcast to the shape
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%x, %c1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "onnx.Mul"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: integers are divided by another number than 0
// RUN: to-onnx
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.div"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "onnx.Equal"(%1, %2) {"opset_version" = 17} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %4 = "onnx.Cast"(%3) {"to" = 6, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi32>)
  %5 = "onnx.Add"(%1, %4) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "onnx.Div"(%0, %5) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "onnx.Sub"(%7, %4) {"opset_version" = 17} : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %9 = "onnx.Mul"(%6, %8) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%9) : (tensor<4xi32>) -> ()

// -----
// CASE: a floored remainder corrects the one that has the sign of the dividend
// RUN: to-onnx
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.floor_mod"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "onnx.Equal"(%1, %2) {"opset_version" = 17} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %4 = "onnx.Cast"(%3) {"to" = 6, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi32>)
  %5 = "onnx.Add"(%1, %4) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "onnx.Mod"(%0, %5) {"fmod" = 0, "opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%6) : (tensor<4xi32>) -> ()

// -----
// CASE: logic
// RUN: to-onnx
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %a = "core.and"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %b = "core.logical_not"(%a) : (tensor<4xi1>) -> (tensor<4xi1>)
  %y = "core.xor"(%b, %x) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "onnx.And"(%0, %1) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %3 = "onnx.Not"(%2) {"opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi1>)
  %4 = "onnx.Xor"(%3, %0) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%4) : (tensor<4xi1>) -> ()

// -----
// CASE: shifts of signed integers keep the sign
// RUN: to-onnx
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %a = "core.shift_left"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %b = "core.shift_right"(%a, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %y = "core.bitwise_not"(%b) : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "onnx.Cast"(%0) {"to" = 12, "opset_version" = 17} : (tensor<4xi32>) -> (tensor<4xui32>)
  %3 = "core.constant"() {"value" = dense<32> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "onnx.Less"(%1, %3) {"opset_version" = 17} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %5 = "onnx.Cast"(%4) {"to" = 6, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi32>)
  %6 = "onnx.Mul"(%1, %5) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "onnx.Cast"(%6) {"to" = 12, "opset_version" = 17} : (tensor<4xi32>) -> (tensor<4xui32>)
  %8 = "onnx.BitShift"(%2, %7) {"direction" = "LEFT", "opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %9 = "onnx.Cast"(%4) {"to" = 12, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xui32>)
  %10 = "onnx.Mul"(%8, %9) {"opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %11 = "onnx.Cast"(%10) {"to" = 6, "opset_version" = 17} : (tensor<4xui32>) -> (tensor<4xi32>)
  %12 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %13 = "onnx.Less"(%11, %12) {"opset_version" = 17} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %14 = "core.constant"() {"value" = dense<-1> : tensor<i32>} : () -> (tensor<i32>)
  %15 = "onnx.Sub"(%14, %11) {"opset_version" = 17} : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %16 = "onnx.Where"(%13, %15, %11) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %17 = "onnx.Cast"(%16) {"to" = 12, "opset_version" = 17} : (tensor<4xi32>) -> (tensor<4xui32>)
  %18 = "core.constant"() {"value" = dense<32> : tensor<i32>} : () -> (tensor<i32>)
  %19 = "onnx.Less"(%1, %18) {"opset_version" = 17} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi1>)
  %20 = "onnx.Cast"(%19) {"to" = 6, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xi32>)
  %21 = "onnx.Mul"(%1, %20) {"opset_version" = 17} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %22 = "onnx.Cast"(%21) {"to" = 12, "opset_version" = 17} : (tensor<4xi32>) -> (tensor<4xui32>)
  %23 = "onnx.BitShift"(%17, %22) {"direction" = "RIGHT", "opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %24 = "onnx.Cast"(%19) {"to" = 12, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xui32>)
  %25 = "onnx.Mul"(%23, %24) {"opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %26 = "onnx.Cast"(%25) {"to" = 6, "opset_version" = 17} : (tensor<4xui32>) -> (tensor<4xi32>)
  %27 = "core.constant"() {"value" = dense<-1> : tensor<i32>} : () -> (tensor<i32>)
  %28 = "onnx.Sub"(%27, %26) {"opset_version" = 17} : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %29 = "onnx.Where"(%13, %28, %26) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %30 = "core.constant"() {"value" = dense<-1> : tensor<i32>} : () -> (tensor<i32>)
  %31 = "onnx.Sub"(%30, %29) {"opset_version" = 17} : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%31) : (tensor<4xi32>) -> ()

// -----
// CASE: shifts of unsigned integers are logical
// RUN: to-onnx
^bb(%x: tensor<4xui32>, %z: tensor<4xui32>):
  %y = "core.shift_right"(%x, %z) : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%y) : (tensor<4xui32>) -> ()
// EXPECT
^bb(%0: tensor<4xui32>, %1: tensor<4xui32>):
  %2 = "core.constant"() {"value" = dense<32> : tensor<ui32>} : () -> (tensor<ui32>)
  %3 = "onnx.Less"(%1, %2) {"opset_version" = 17} : (tensor<4xui32>, tensor<ui32>) -> (tensor<4xi1>)
  %4 = "onnx.Cast"(%3) {"to" = 12, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xui32>)
  %5 = "onnx.Mul"(%1, %4) {"opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %6 = "onnx.BitShift"(%0, %5) {"direction" = "RIGHT", "opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  %7 = "onnx.Cast"(%3) {"to" = 12, "opset_version" = 17} : (tensor<4xi1>) -> (tensor<4xui32>)
  %8 = "onnx.Mul"(%6, %7) {"opset_version" = 17} : (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>)
  "mlconv.yield"(%8) : (tensor<4xui32>) -> ()

// -----
// CASE: a cast to booleans is a comparison with 0
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %a = "core.cast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  %b = "core.cast"(%x) {dtype = i1} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%a, %b) : (tensor<4xi32>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "onnx.Cast"(%0) {"to" = 6, "opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi32>)
  %2 = "onnx.Cast"(%0) {"to" = 9, "opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2) : (tensor<4xi32>, tensor<4xi1>) -> ()

// -----
// CASE: a cast that saturates clamps before
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %y = "core.cast"(%x) {dtype = i8, saturate = true} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<-128.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "onnx.Clip"(%0, %1, %2) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "onnx.IsNaN"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "onnx.Where"(%4, %5, %3) {"opset_version" = 17} : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "onnx.Cast"(%6) {"to" = 3, "opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%7) : (tensor<4xi8>) -> ()

// -----
// CASE: bitcast-convert
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %y = "core.bitcast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "onnx.BitCast"(%0) {"to" = 6, "opset_version" = 26} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%1) : (tensor<4xi32>) -> ()

// -----
// CASE: a bound of a clamp is a maximum or a minimum
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %a = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.clamp"(%a) {lo = -1.0 : f64, hi = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "onnx.Relu"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<-1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<6.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "onnx.Clip"(%1, %2, %3) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: select broadcasts all of its operands
// RUN: to-onnx
^bb(%p: tensor<2x1xi1>, %a: tensor<3xf32>, %b: tensor<2x3xf32>):
  %y = "core.select"(%p, %a, %b) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi1>, %1: tensor<3xf32>, %2: tensor<2x3xf32>):
  %3 = "onnx.Where"(%0, %1, %2) {"opset_version" = 17} : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: is-finite, and what is made of comparisons
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %isnan = "core.is_nan"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isinf = "core.is_inf"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isfinite = "core.is_finite"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%isnan, %isinf, %isfinite) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "onnx.IsNaN"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi1>)
  %2 = "onnx.IsInf"(%0) {"detect_positive" = 1, "detect_negative" = 1, "opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = dense<0x7F800000> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "onnx.Less"(%3, %4) {"opset_version" = 17} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2, %5) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: activations are composed of what there is
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %a = "core.leaky_relu"(%x) {alpha = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.hard_swish"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "onnx.LeakyRelu"(%0) {"alpha" = 0.25 : f64, "opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "onnx.HardSwish"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: what has no elements is a literal without elements
// RUN: to-onnx
^bb(%x: tensor<0x3xf32>):
  %y = "core.neg"(%x) : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%y) : (tensor<0x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<0x3xf32>):
  %1 = "onnx.Neg"(%0) {"opset_version" = 17} : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%1) : (tensor<0x3xf32>) -> ()

// -----
// CASE: a floored division of floats is the floor of one
// RUN: to-onnx
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %y = "core.floor_div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "onnx.Div"(%0, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "onnx.Floor"(%2) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: or
// RUN: to-onnx
^bb(%x: tensor<4xi1>, %z: tensor<4xi1>):
  %y = "core.or"(%x, %z) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>, %1: tensor<4xi1>):
  %2 = "onnx.Or"(%0, %1) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%2) : (tensor<4xi1>) -> ()
