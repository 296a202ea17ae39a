// RUN: --pipeline=canonicalize
// CHECK: "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<?x4xf32, {dims = ["N", "4"]}>)
// CHECK: loc("#fused merge-clamps"(fused["b", "a"]))
// CHECK-NOT: "core.reshape"
// CHECK-NOT: "core.transpose"
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x4xf32, {dims = ["N", "4"]}>):
    %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<4x?xf32, {dims = ["4", "N"]}>) loc("t")
    %u = "core.transpose"(%t) {perm = [1, 0]} : (tensor<4x?xf32, {dims = ["4", "N"]}>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>) loc("u")
    %a = "core.clamp"(%u) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>) loc("a")
    %b = "core.clamp"(%a) {lo = -1.0 : f64, hi = 6.0 : f64} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>) loc("b")
    %s = "core.shape_of"(%b) {dtype = i64} : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<2xi64>) loc("s")
    %r = "core.reshape"(%b, %s) : (tensor<?x4xf32, {dims = ["N", "4"]}>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>) loc("r")
    "mlconv.yield"(%r) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> () loc("out")
  }) {sym_name = "main", input_names = ["x"], output_names = ["y"]} : () -> () loc("g")
}) : () -> ()
