// CASE: If becomes core.if, its branches see what is around
// RUN: from-onnx
^bb(%c: tensor<i1>, %x: tensor<2xf32>):
  %y = "onnx.If"(%c) ({
    %a = "onnx.Neg"(%x) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%a) : (tensor<2xf32>) -> ()
  }, {
    %b = "onnx.Abs"(%x) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%b) : (tensor<2xf32>) -> ()
  }) {region_names = ["then_branch", "else_branch"], opset_version = 17} : (tensor<i1>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<i1>, %1: tensor<2xf32>):
  %2 = "core.if"(%0) ({
    %3 = "core.neg"(%1) : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%3) : (tensor<2xf32>) -> ()
  }, {
    %4 = "core.abs"(%1) : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%4) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: If with branches of two element types is refused
// RUN: from-onnx
^bb(%c: tensor<i1>, %x: tensor<2xf32>):
  %y = "onnx.If"(%c) ({
    %a = "onnx.Neg"(%x) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%a) : (tensor<2xf32>) -> ()
  }, {
    %b = "onnx.Cast"(%x) {to = 7, opset_version = 17} : (tensor<2xf32>) -> (tensor<2xi64>)
    "mlconv.yield"(%b) : (tensor<2xi64>) -> ()
  }) {region_names = ["then_branch", "else_branch"], opset_version = 17} : (tensor<i1>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0202]: result 0 differs between the branches: float32 and int64
  = node: onnx.If  onnx.If (bool[])

// -----
// CASE: Loop with a fixed number of turns
// RUN: from-onnx
^bb(%x: tensor<2xf32>):
  %n = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %c = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %y = "onnx.Loop"(%n, %c, %x) ({
  ^bb(%i: tensor<i64>, %k: tensor<i1>, %s: tensor<2xf32>):
    %k2 = "onnx.Identity"(%k) {opset_version = 17} : (tensor<i1>) -> (tensor<i1>)
    %t = "onnx.Add"(%s, %s) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%k2, %t) : (tensor<i1>, tensor<2xf32>) -> ()
  }) {region_names = ["body"], opset_version = 17} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %3, %4 = "core.while"(%2, %0) ({
  ^bb(%5: tensor<i64>, %6: tensor<2xf32>):
    %7 = "core.less"(%5, %1) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i64>, %9: tensor<2xf32>):
    %10 = "core.add"(%9, %9) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %11 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %12 = "core.add"(%8, %11) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    "mlconv.yield"(%12, %10) : (tensor<i64>, tensor<2xf32>) -> ()
  }) : (tensor<i64>, tensor<2xf32>) -> (tensor<i64>, tensor<2xf32>)
  "mlconv.yield"(%4) : (tensor<2xf32>) -> ()

// -----
// CASE: Loop that gives out what it makes in each turn
// RUN: from-onnx
^bb(%x: tensor<2xf32>):
  %n = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %c = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %y, %z = "onnx.Loop"(%n, %c, %x) ({
  ^bb(%i: tensor<i64>, %k: tensor<i1>, %s: tensor<2xf32>):
    %k2 = "onnx.Identity"(%k) {opset_version = 17} : (tensor<i1>) -> (tensor<i1>)
    %t = "onnx.Add"(%s, %s) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %u = "onnx.Neg"(%s) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%k2, %t, %u) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> ()
  }) {region_names = ["body"], opset_version = 17} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2xf32>, tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.broadcast_to"(%3, %4) : (tensor<f32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %6, %7, %8 = "core.while"(%2, %0, %5) ({
  ^bb(%9: tensor<i64>, %10: tensor<2xf32>, %11: tensor<3x2xf32>):
    %12 = "core.less"(%9, %1) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%12) : (tensor<i1>) -> ()
  }, {
  ^bb(%13: tensor<i64>, %14: tensor<2xf32>, %15: tensor<3x2xf32>):
    %16 = "core.add"(%14, %14) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %17 = "core.neg"(%14) : (tensor<2xf32>) -> (tensor<2xf32>)
    %18 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %19 = "core.add"(%13, %18) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %20 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %21 = "core.reshape"(%13, %20) : (tensor<i64>, tensor<2xi64>) -> (tensor<1x1xi64>)
    %22 = "core.expand_dims"(%17) {"axes" = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
    %23 = "core.scatter_nd"(%15, %21, %22) {"reduction" = "none", "from_start" = false} : (tensor<3x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> (tensor<3x2xf32>)
    "mlconv.yield"(%19, %16, %23) : (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>) -> ()
  }) : (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>) -> (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>)
  "mlconv.yield"(%7, %8) : (tensor<2xf32>, tensor<3x2xf32>) -> ()

// -----
// CASE: Scan over the first axis
// RUN: from-onnx
^bb(%s: tensor<2xf32>, %x: tensor<3x2xf32>):
  %y, %z = "onnx.Scan"(%s, %x) ({
  ^bb(%a: tensor<2xf32>, %e: tensor<2xf32>):
    %n = "onnx.Add"(%a, %e) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %o = "onnx.Identity"(%n) {opset_version = 17} : (tensor<2xf32>) -> (tensor<2xf32>)
    "mlconv.yield"(%n, %o) : (tensor<2xf32>, tensor<2xf32>) -> ()
  }) {num_scan_inputs = 1, region_names = ["body"], opset_version = 17} : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2xf32>, tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<3x2xf32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.broadcast_to"(%4, %5) : (tensor<f32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %7, %8, %9 = "core.while"(%3, %0, %6) ({
  ^bb(%10: tensor<i64>, %11: tensor<2xf32>, %12: tensor<3x2xf32>):
    %13 = "core.less"(%10, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%13) : (tensor<i1>) -> ()
  }, {
  ^bb(%14: tensor<i64>, %15: tensor<2xf32>, %16: tensor<3x2xf32>):
    %17 = "core.gather"(%1, %14) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x2xf32>, tensor<i64>) -> (tensor<2xf32>)
    %18 = "core.add"(%15, %17) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %19 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %20 = "core.add"(%14, %19) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %21 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %22 = "core.reshape"(%14, %21) : (tensor<i64>, tensor<2xi64>) -> (tensor<1x1xi64>)
    %23 = "core.expand_dims"(%18) {"axes" = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
    %24 = "core.scatter_nd"(%16, %22, %23) {"reduction" = "none", "from_start" = false} : (tensor<3x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> (tensor<3x2xf32>)
    "mlconv.yield"(%20, %18, %24) : (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>) -> ()
  }) : (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>) -> (tensor<i64>, tensor<2xf32>, tensor<3x2xf32>)
  "mlconv.yield"(%8, %9) : (tensor<2xf32>, tensor<3x2xf32>) -> ()
