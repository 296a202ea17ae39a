// CASE: a reduction has a neutral number and a computation
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %reducesum = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemax = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%reducesum, %reducemax) : (tensor<2xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.add"(%3, %4) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_sum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %7 = "hlo.reduce"(%0, %6) ({
  ^bb(%8: tensor<f32>, %9: tensor<f32>):
    %10 = "hlo.maximum"(%8, %9) {"op_type" = "core.reduce_max"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%10) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_max"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2, %7) : (tensor<2xf32>, tensor<2xf32>) -> ()

// -----
// CASE: a mean is a sum, divided; axes that are kept are a reshape
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.reduce_mean"(%x) {axes = [0, 1], keepdims = true} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.add"(%3, %4) {"op_type" = "core.reduce_mean"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"dimensions" = [0, 1], "op_type" = "core.reduce_mean"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<f32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<6.0> : tensor<f32>">} : () -> (tensor<f32>)
  %7 = "hlo.divide"(%2, %6) {"op_type" = "core.reduce_mean"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %8 = "hlo.reshape"(%7) {"op_type" = "core.reduce_mean"} : (tensor<f32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%8) : (tensor<1x1xf32>) -> ()

// -----
// CASE: reductions of booleans
// RUN: to-hlo
^bb(%x: tensor<2x3xi1>):
  %reduceany = "core.reduce_any"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  %reduceall = "core.reduce_all"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  "mlconv.yield"(%reduceany, %reduceall) : (tensor<i1>, tensor<i1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<false> : tensor<i1>">} : () -> (tensor<i1>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<i1>, %4: tensor<i1>):
    %5 = "hlo.or"(%3, %4) {"op_type" = "core.reduce_any"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%5) : (tensor<i1>) -> ()
  }) {"dimensions" = [0, 1], "op_type" = "core.reduce_any"} : (tensor<2x3xi1>, tensor<i1>) -> (tensor<i1>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<true> : tensor<i1>">} : () -> (tensor<i1>)
  %7 = "hlo.reduce"(%0, %6) ({
  ^bb(%8: tensor<i1>, %9: tensor<i1>):
    %10 = "hlo.and"(%8, %9) {"op_type" = "core.reduce_all"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%10) : (tensor<i1>) -> ()
  }) {"dimensions" = [0, 1], "op_type" = "core.reduce_all"} : (tensor<2x3xi1>, tensor<i1>) -> (tensor<i1>)
  "mlconv.yield"(%2, %7) : (tensor<i1>, tensor<i1>) -> ()

// -----
// CASE: the neutral number of a minimum is the largest of its type
// RUN: to-hlo
^bb(%x: tensor<2x3xi32>):
  %reducemin = "core.reduce_min"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %reduceprod = "core.reduce_prod"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%reducemin, %reduceprod) : (tensor<2xi32>, tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<2147483647> : tensor<i32>">} : () -> (tensor<i32>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<i32>, %4: tensor<i32>):
    %5 = "hlo.minimum"(%3, %4) {"op_type" = "core.reduce_min"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%5) : (tensor<i32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_min"} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2xi32>)
  %6 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %7 = "hlo.reduce"(%0, %6) ({
  ^bb(%8: tensor<i32>, %9: tensor<i32>):
    %10 = "hlo.multiply"(%8, %9) {"op_type" = "core.reduce_prod"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%10) : (tensor<i32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_prod"} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2xi32>)
  "mlconv.yield"(%2, %7) : (tensor<2xi32>, tensor<2xi32>) -> ()

// -----
// CASE: places of the smallest and of the largest are reductions of pairs
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_min"(%x) {axis = 1, dtype = i32} : (tensor<2x3xf32>) -> (tensor<2xi32>)
  %z = "core.arg_max"(%y) {axis = 0} : (tensor<2xi32>) -> (tensor<i64>)
  "mlconv.yield"(%y, %z) : (tensor<2xi32>, tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.arg_min"} : () -> (tensor<2x3xi32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0x7F800000> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %4, %5 = "hlo.reduce"(%0, %1, %2, %3) ({
  ^bb(%6: tensor<f32>, %7: tensor<i32>, %8: tensor<f32>, %9: tensor<i32>):
    %10 = "hlo.compare"(%6, %8) {"direction" = "LT", "op_type" = "core.arg_min"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %11 = "hlo.compare"(%6, %8) {"direction" = "EQ", "op_type" = "core.arg_min"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %12 = "hlo.compare"(%6, %6) {"direction" = "NE", "op_type" = "core.arg_min"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %13 = "hlo.compare"(%8, %8) {"direction" = "NE", "op_type" = "core.arg_min"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    %14 = "hlo.not"(%13) {"op_type" = "core.arg_min"} : (tensor<i1>) -> (tensor<i1>)
    %15 = "hlo.and"(%12, %14) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %16 = "hlo.or"(%10, %15) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %17 = "hlo.and"(%12, %13) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %18 = "hlo.or"(%11, %17) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %19 = "hlo.compare"(%7, %9) {"direction" = "LT", "op_type" = "core.arg_min"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %20 = "hlo.and"(%18, %19) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %21 = "hlo.or"(%16, %20) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %22 = "hlo.select"(%21, %6, %8) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %23 = "hlo.select"(%21, %7, %9) {"op_type" = "core.arg_min"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%22, %23) : (tensor<f32>, tensor<i32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.arg_min"} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  %24 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.arg_max"} : () -> (tensor<2xi64>)
  %25 = "core.constant"() {"value" = #mlconv.splat<"dense<-2147483648> : tensor<i32>">} : () -> (tensor<i32>)
  %26 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %27, %28 = "hlo.reduce"(%5, %24, %25, %26) ({
  ^bb(%29: tensor<i32>, %30: tensor<i64>, %31: tensor<i32>, %32: tensor<i64>):
    %33 = "hlo.compare"(%29, %31) {"direction" = "GT", "op_type" = "core.arg_max"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %34 = "hlo.compare"(%29, %31) {"direction" = "EQ", "op_type" = "core.arg_max"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %35 = "hlo.compare"(%30, %32) {"direction" = "LT", "op_type" = "core.arg_max"} : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    %36 = "hlo.and"(%34, %35) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %37 = "hlo.or"(%33, %36) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    %38 = "hlo.select"(%37, %29, %31) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %39 = "hlo.select"(%37, %30, %32) {"op_type" = "core.arg_max"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
    "mlconv.yield"(%38, %39) : (tensor<i32>, tensor<i64>) -> ()
  }) {"dimensions" = [0], "op_type" = "core.arg_max"} : (tensor<2xi32>, tensor<2xi64>, tensor<i32>, tensor<i64>) -> (tensor<i32>, tensor<i64>)
  "mlconv.yield"(%5, %28) : (tensor<2xi32>, tensor<i64>) -> ()

// -----
// CASE: a running sum doubles its steps, on pads that cut
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumsum"(%x) {axis = 1, exclusive = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.pad"(%0, %1) {"padding" = [[0, 0, 0], [1, -1, 0]], "op_type" = "core.cumsum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "hlo.pad"(%2, %1) {"padding" = [[0, 0, 0], [1, -1, 0]], "op_type" = "core.cumsum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %4 = "hlo.add"(%2, %3) {"op_type" = "core.cumsum"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %5 = "hlo.pad"(%4, %1) {"padding" = [[0, 0, 0], [2, -2, 0]], "op_type" = "core.cumsum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "hlo.add"(%4, %5) {"op_type" = "core.cumsum"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a softmax is written out
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.maximum"(%3, %4) {"op_type" = "core.reduce_max"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_max"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  %6 = "hlo.reshape"(%2) {"op_type" = "core.reduce_max"} : (tensor<2xf32>) -> (tensor<2x1xf32>)
  %7 = "hlo.reshape"(%6) {"op_type" = "core.softmax"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %8 = "hlo.broadcast"(%7) {"dimensions" = [0], "op_type" = "core.softmax"} : (tensor<2xf32>) -> (tensor<2x3xf32>)
  %9 = "hlo.subtract"(%0, %8) {"op_type" = "core.softmax"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %10 = "hlo.exponential"(%9) {"op_type" = "core.softmax"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %12 = "hlo.reduce"(%10, %11) ({
  ^bb(%13: tensor<f32>, %14: tensor<f32>):
    %15 = "hlo.add"(%13, %14) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%15) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_sum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  %16 = "hlo.reshape"(%12) {"op_type" = "core.reduce_sum"} : (tensor<2xf32>) -> (tensor<2x1xf32>)
  %17 = "hlo.reshape"(%16) {"op_type" = "core.softmax"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %18 = "hlo.broadcast"(%17) {"dimensions" = [0], "op_type" = "core.softmax"} : (tensor<2xf32>) -> (tensor<2x3xf32>)
  %19 = "hlo.divide"(%10, %18) {"op_type" = "core.softmax"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%19) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a response normalization sums over a window of channels
// RUN: to-hlo
^bb(%x: tensor<1x2x2x4xf32>):
  %y = "core.lrn"(%x) {radius = 1, radius_after = 1, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64, axis = 3} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "hlo.multiply"(%0, %0) {"op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.reduce-window"(%1, %2) ({
  ^bb(%4: tensor<f32>, %5: tensor<f32>):
    %6 = "hlo.add"(%4, %5) {"op_type" = "core.lrn"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%6) : (tensor<f32>) -> ()
  }) {"window" = [[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 1], [3, 1, 1, 1, 1, 1]], "op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<f32>) -> (tensor<1x2x2x4xf32>)
  %7 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %8 = "hlo.broadcast"(%7) {"dimensions" = [], "op_type" = "core.lrn"} : (tensor<f32>) -> (tensor<1x2x2x4xf32>)
  %9 = "hlo.multiply"(%3, %8) {"op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  %10 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %11 = "hlo.broadcast"(%10) {"dimensions" = [], "op_type" = "core.lrn"} : (tensor<f32>) -> (tensor<1x2x2x4xf32>)
  %12 = "hlo.add"(%9, %11) {"op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  %13 = "core.constant"() {"value" = #mlconv.splat<"dense<0.75> : tensor<f32>">} : () -> (tensor<f32>)
  %14 = "hlo.broadcast"(%13) {"dimensions" = [], "op_type" = "core.lrn"} : (tensor<f32>) -> (tensor<1x2x2x4xf32>)
  %15 = "hlo.power"(%12, %14) {"op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  %16 = "hlo.divide"(%0, %15) {"op_type" = "core.lrn"} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%16) : (tensor<1x2x2x4xf32>) -> ()

// -----
// CASE: a running product of integers
// RUN: to-hlo
^bb(%x: tensor<2x3xi32>):
  %y = "core.cumprod"(%x) {axis = 1} : (tensor<2x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%y) : (tensor<2x3xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %2 = "hlo.pad"(%0, %1) {"padding" = [[0, 0, 0], [1, -1, 0]], "op_type" = "core.cumprod"} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  %3 = "hlo.multiply"(%0, %2) {"op_type" = "core.cumprod"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %4 = "hlo.pad"(%3, %1) {"padding" = [[0, 0, 0], [2, -2, 0]], "op_type" = "core.cumprod"} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  %5 = "hlo.multiply"(%3, %4) {"op_type" = "core.cumprod"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%5) : (tensor<2x3xi32>) -> ()

// -----
// CASE: a logarithm of softmax subtracts
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.log_softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.maximum"(%3, %4) {"op_type" = "core.reduce_max"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_max"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  %6 = "hlo.reshape"(%2) {"op_type" = "core.reduce_max"} : (tensor<2xf32>) -> (tensor<2x1xf32>)
  %7 = "hlo.reshape"(%6) {"op_type" = "core.log_softmax"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %8 = "hlo.broadcast"(%7) {"dimensions" = [0], "op_type" = "core.log_softmax"} : (tensor<2xf32>) -> (tensor<2x3xf32>)
  %9 = "hlo.subtract"(%0, %8) {"op_type" = "core.log_softmax"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %10 = "hlo.exponential"(%9) {"op_type" = "core.log_softmax"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %12 = "hlo.reduce"(%10, %11) ({
  ^bb(%13: tensor<f32>, %14: tensor<f32>):
    %15 = "hlo.add"(%13, %14) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%15) : (tensor<f32>) -> ()
  }) {"dimensions" = [1], "op_type" = "core.reduce_sum"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
  %16 = "hlo.reshape"(%12) {"op_type" = "core.reduce_sum"} : (tensor<2xf32>) -> (tensor<2x1xf32>)
  %17 = "hlo.log"(%16) {"op_type" = "core.log_softmax"} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %18 = "hlo.reshape"(%17) {"op_type" = "core.log_softmax"} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %19 = "hlo.broadcast"(%18) {"dimensions" = [0], "op_type" = "core.log_softmax"} : (tensor<2xf32>) -> (tensor<2x3xf32>)
  %20 = "hlo.subtract"(%9, %19) {"op_type" = "core.log_softmax"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%20) : (tensor<2x3xf32>) -> ()
