// CASE: functions are one instruction, or a few
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %log = "core.log"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %log1p = "core.log1p"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %expm1 = "core.expm1"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sqrt = "core.sqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %rsqrt = "core.rsqrt"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sin = "core.sin"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %cos = "core.cos"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %tan = "core.tan"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %asin = "core.asin"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %acos = "core.acos"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %atan = "core.atan"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sinh = "core.sinh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %cosh = "core.cosh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %tanh = "core.tanh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %asinh = "core.asinh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %acosh = "core.acosh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %atanh = "core.atanh"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %erf = "core.erf"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %erfc = "core.erfc"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %lgamma = "core.lgamma"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %digamma = "core.digamma"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %floor = "core.floor"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %ceil = "core.ceil"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %round = "core.round"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sigmoid = "core.sigmoid"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %softplus = "core.softplus"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %sign = "core.sign"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%log, %log1p, %expm1, %sqrt, %rsqrt, %sin, %cos, %tan, %asin, %acos, %atan, %sinh, %cosh, %tanh, %asinh, %acosh, %atanh, %erf, %erfc, %lgamma, %digamma, %floor, %ceil, %round, %sigmoid, %softplus, %sign) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "log", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "log1p", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "expm1", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "sqrt", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "sqrt", dtype = f32, args = [0]>, #kernel.instr<opcode = "div", dtype = f32, args = [1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "sin", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cos", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "tan", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "asin", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %10 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "acos", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %11 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "atan", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %12 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "sinh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %13 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cosh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %14 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "tanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %15 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "asinh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %16 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "acosh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %17 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "atanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %18 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "erf", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %19 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "erfc", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %20 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "lgamma", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %21 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "digamma", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %22 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "floor", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %23 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "ceil", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %24 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "round", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %25 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "sigmoid", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %26 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "abs", dtype = f32, args = [0]>, #kernel.instr<opcode = "neg", dtype = f32, args = [1]>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [2]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 4]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "sub", dtype = f32, args = [5, 6]>, #kernel.instr<opcode = "sub", dtype = f32, args = [3, 7]>, #kernel.instr<opcode = "log", dtype = f32, args = [5]>, #kernel.instr<opcode = "div", dtype = f32, args = [8, 5]>, #kernel.instr<opcode = "add", dtype = f32, args = [9, 10]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "maximum", dtype = f32, args = [0, 12]>, #kernel.instr<opcode = "add", dtype = f32, args = [11, 13]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %27 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 0>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = -1>, #kernel.instr<opcode = "select", dtype = f32, args = [2, 3, 0]>, #kernel.instr<opcode = "greater", dtype = i1, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 1>, #kernel.instr<opcode = "select", dtype = f32, args = [5, 6, 4]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: activations are expressions
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %a = "core.gelu"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.gelu"(%x) {approximate = true} : (tensor<4xf32>) -> (tensor<4xf32>)
  %p = "core.elu"(%x) {alpha = 2.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %q = "core.leaky_relu"(%x) {alpha = 0.25 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  %h = "core.hard_swish"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%a, %b, %p, %q, %h) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 0.7071067811865476 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "erf", dtype = f32, args = [2]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 4]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 6]>, #kernel.instr<opcode = "mul", dtype = f32, args = [5, 7]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 0]>, #kernel.instr<opcode = "mul", dtype = f32, args = [1, 0]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.044715 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [2, 3]>, #kernel.instr<opcode = "add", dtype = f32, args = [4, 0]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.7978845608028654 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [5, 6]>, #kernel.instr<opcode = "tanh", dtype = f32, args = [7]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 9]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [8, 11]>, #kernel.instr<opcode = "mul", dtype = f32, args = [10, 12]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [0]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "sub", dtype = f32, args = [1, 2]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "greater", dtype = i1, args = [0, 4]>, #kernel.instr<opcode = "const", dtype = f32, value = 2.0 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [3, 6]>, #kernel.instr<opcode = "select", dtype = f32, args = [5, 0, 7]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 0.25 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "greater", dtype = i1, args = [0, 3]>, #kernel.instr<opcode = "select", dtype = f32, args = [4, 0, 2]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 3.0 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "maximum", dtype = f32, args = [2, 3]>, #kernel.instr<opcode = "const", dtype = f32, value = 6.0 : f64>, #kernel.instr<opcode = "minimum", dtype = f32, args = [4, 5]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.16666666666666666 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [6, 7]>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 8]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1, %2, %3, %4, %5) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: arithmetic of two operands
// RUN: to-kernel
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %sub = "core.sub"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %maximum = "core.maximum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %minimum = "core.minimum"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %pow = "core.pow"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %floordiv = "core.floor_div"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %floormod = "core.floor_mod"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %rem = "core.rem"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %atan2 = "core.atan2"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%sub, %maximum, %minimum, %pow, %floordiv, %floormod, %rem, %atan2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "maximum", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "minimum", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "pow", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %6 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "floor_div", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %7 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "floor_mod", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "rem", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "atan2", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7, %8, %9) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: comparisons give booleans
// RUN: to-kernel
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
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "not_equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %4 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %5 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "less_equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %6 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "greater", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "greater_equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: bits of integers
// RUN: to-kernel
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
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "and", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "or", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %4 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "xor", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %5 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "shl", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "shr", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "not", dtype = i32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2, %3, %4, %5, %6, %7) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> ()

// -----
// CASE: logic of booleans
// RUN: to-kernel
^bb(%x: tensor<4xi1>):
  %y = "core.logical_not"(%x) : (tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%y) : (tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xi1>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "not", dtype = i1, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi1>) -> (tensor<4xi1>)
  "mlconv.yield"(%1) : (tensor<4xi1>) -> ()

// -----
// CASE: questions about NaN and infinity
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %isnan = "core.is_nan"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isinf = "core.is_inf"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  %isfinite = "core.is_finite"(%x) : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%isnan, %isinf, %isfinite) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "not_equal", dtype = i1, args = [0, 0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xi1>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "abs", dtype = f32, args = [0]>, #kernel.instr<opcode = "const", dtype = f32, value = 0x7FF0000000000000 : f64>, #kernel.instr<opcode = "equal", dtype = i1, args = [1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xi1>)
  %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "abs", dtype = f32, args = [0]>, #kernel.instr<opcode = "const", dtype = f32, value = 0x7FF0000000000000 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xi1>)
  "mlconv.yield"(%1, %2, %3) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> ()

// -----
// CASE: a choice broadcasts all of its operands
// RUN: to-kernel
^bb(%p: tensor<2x1xi1>, %a: tensor<3xf32>, %b: tensor<2x3xf32>):
  %y = "core.select"(%p, %a, %b) : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi1>, %1: tensor<3xf32>, %2: tensor<2x3xf32>):
  %3 = "kernel.loop_nest"(%0, %1, %2) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "select", dtype = f32, args = [0, 1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x1xi1>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a bitcast reads the same bits as another type
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %y = "core.bitcast"(%x) {dtype = i32} : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.alias"(%0) : (tensor<4xf32>) -> (tensor<4xi32>)
  "mlconv.yield"(%1) : (tensor<4xi32>) -> ()

// -----
// CASE: quantization is a map
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %q = "core.to_integers"(%x) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %y = "core.from_integers"(%q) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "round", dtype = f32, args = [2]>, #kernel.instr<opcode = "const", dtype = f32, value = 10>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 4]>, #kernel.instr<opcode = "const", dtype = f32, value = 0>, #kernel.instr<opcode = "less", dtype = i1, args = [5, 6]>, #kernel.instr<opcode = "select", dtype = f32, args = [7, 6, 5]>, #kernel.instr<opcode = "const", dtype = f32, value = 255>, #kernel.instr<opcode = "greater", dtype = i1, args = [8, 9]>, #kernel.instr<opcode = "select", dtype = f32, args = [10, 9, 8]>, #kernel.instr<opcode = "nearest", dtype = ui8, args = [11]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = ui8, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "cast", dtype = i32, args = [0]>, #kernel.instr<opcode = "const", dtype = i32, value = 10>, #kernel.instr<opcode = "sub", dtype = i32, args = [1, 2]>, #kernel.instr<opcode = "cast", dtype = f32, args = [3]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [4, 5]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: fake quantization is a map
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.fake_quant"(%x) {quant = !quant.uniform<u8:f32, 0.0078431377:128>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "const", dtype = f32, value = -1.003921627998352 : f64>, #kernel.instr<opcode = "const", dtype = f32, value = 0.9960784912109375 : f64>, #kernel.instr<opcode = "const", dtype = f32, value = 0.007843137718737125 : f64>, #kernel.instr<opcode = "const", dtype = f32, value = 128.0 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>, #kernel.instr<opcode = "select", dtype = f32, args = [5, 1, 0]>, #kernel.instr<opcode = "greater", dtype = i1, args = [6, 2]>, #kernel.instr<opcode = "select", dtype = f32, args = [7, 2, 6]>, #kernel.instr<opcode = "sub", dtype = f32, args = [8, 1]>, #kernel.instr<opcode = "div", dtype = f32, args = [9, 3]>, #kernel.instr<opcode = "sub", dtype = f32, args = [10, 4]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [11, 12]>, #kernel.instr<opcode = "floor", dtype = f32, args = [13]>, #kernel.instr<opcode = "mul", dtype = f32, args = [14, 3]>, #kernel.instr<opcode = "cast", dtype = f32, args = [15]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: complex numbers and their parts
// RUN: to-kernel
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %k = "core.complex"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %r = "core.real"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %m = "core.imag"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%r, %m) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "complex", dtype = complex<f32>, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = complex<f32>, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "real", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %4 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = complex<f32>, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "imag", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%3, %4) : (tensor<4xf32>, tensor<4xf32>) -> ()
