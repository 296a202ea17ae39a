// RUN: --pipeline=canonicalize,dce --no-locations
// The computed shape [N, 4 * 6] is followed symbolically: a constant with one -1 is enough.
// CHECK: "core.constant"() {"value" = dense<[-1, 24]> : tensor<2xi64>}
// CHECK: "core.reshape"({{.*}} -> (tensor<?x24xf32, {dims = ["N", "24"]}>)
// CHECK-NOT: "core.shape_of"
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>):
    %s = "core.shape_of"(%x) {dtype = i64} : (tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>) -> (tensor<3xi64>) loc("s")
    %i = "core.constant"() {value = #mlconv.inline<"[i64, [1], #mlconv.bytes<\"0000000000000000\">]">} : () -> (tensor<1xi64>) loc("i")
    %n = "core.gather"(%s, %i) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>) loc("n")
    %f = "core.constant"() {value = #mlconv.inline<"[i64, [1], #mlconv.bytes<\"1800000000000000\">]">} : () -> (tensor<1xi64>) loc("f")
    %k = "core.concat"(%n, %f) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>) loc("k")
    %r = "core.reshape"(%x, %k) : (tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>, tensor<2xi64>) -> (tensor<?x24xf32, {dims = ["N", "24"]}>) loc("r")
    "mlconv.yield"(%r) : (tensor<?x24xf32, {dims = ["N", "24"]}>) -> () loc("out")
  }) {sym_name = "main", input_names = ["x"], output_names = ["y"]} : () -> () loc("g")
}) : () -> ()
