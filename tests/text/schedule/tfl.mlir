// CASE: branches run one after the other, each op at its place in the source
// RUN: to-tfl,tfl-schedule
// OPTIONS: locations
^bb(%x: tensor<1x4xf32>):
  %s = "core.constant"() {value = dense<[64, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.broadcast_to"(%x, %s) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
  %b = "core.tanh"(%x) : (tensor<1x4xf32>) -> (tensor<1x4xf32>)
  %t = "core.broadcast_to"(%b, %s) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
  %c = "core.cumsum"(%a) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %d = "core.cumsum"(%t) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %e = "core.reduce_sum"(%c) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
  %f = "core.reduce_sum"(%d) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
  %y = "core.add"(%e, %f) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4xf32>):
  %1 = "core.constant"() {"value" = dense<[64, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>) loc("a")
  %2 = "core.constant"() {"value" = dense<[64, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>) loc("t")
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>) loc("c")
  %4 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>) loc("d")
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>) loc("e")
  %6 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>) loc("f")
  %7 = "tfl.TANH"(%0) : (tensor<1x4xf32>) -> (tensor<1x4xf32>) loc("b")
  %8 = "tfl.BROADCAST_TO"(%7, %2) : (tensor<1x4xf32>, tensor<2xi32>) -> (tensor<64x4xf32>) loc("t")
  %9 = "tfl.CUMSUM"(%8, %4) {"exclusive" = false, "reverse" = false} : (tensor<64x4xf32>, tensor<i32>) -> (tensor<64x4xf32>) loc("d")
  %10 = "tfl.SUM"(%9, %6) {"keep_dims" = false} : (tensor<64x4xf32>, tensor<1xi32>) -> (tensor<4xf32>) loc("f")
  %11 = "tfl.BROADCAST_TO"(%0, %1) : (tensor<1x4xf32>, tensor<2xi32>) -> (tensor<64x4xf32>) loc("a")
  %12 = "tfl.CUMSUM"(%11, %3) {"exclusive" = false, "reverse" = false} : (tensor<64x4xf32>, tensor<i32>) -> (tensor<64x4xf32>) loc("c")
  %13 = "tfl.SUM"(%12, %5) {"keep_dims" = false} : (tensor<64x4xf32>, tensor<1xi32>) -> (tensor<4xf32>) loc("e")
  %14 = "tfl.ADD"(%13, %10) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) loc("y")
  "mlconv.yield"(%14) : (tensor<4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: what takes no less keeps its order
// RUN: to-tfl,tfl-schedule
^bb(%x: tensor<64x4xf32>, %z: tensor<64x4xf32>):
  %a = "core.tanh"(%x) : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %b = "core.tanh"(%z) : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %y = "core.add"(%b, %a) : (tensor<64x4xf32>, tensor<64x4xf32>) -> (tensor<64x4xf32>)
  "mlconv.yield"(%y) : (tensor<64x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<64x4xf32>, %1: tensor<64x4xf32>):
  %2 = "tfl.TANH"(%0) : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %3 = "tfl.TANH"(%1) : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %4 = "tfl.ADD"(%3, %2) : (tensor<64x4xf32>, tensor<64x4xf32>) -> (tensor<64x4xf32>)
  "mlconv.yield"(%4) : (tensor<64x4xf32>) -> ()

// -----
// CASE: a variable is read before it is assigned, though its value is needed late
// RUN: to-tfl,tfl-schedule
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<1x4xf32>):
    %s = "core.constant"() {value = dense<[64, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %v = "core.read_variable"() {variable = "v", of = tensor<4xf32>} : () -> (tensor<4xf32>)
    %a = "core.broadcast_to"(%x, %s) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
    %b = "core.tanh"(%x) : (tensor<1x4xf32>) -> (tensor<1x4xf32>)
    %t = "core.broadcast_to"(%b, %s) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
    %c = "core.cumsum"(%a) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %d = "core.cumsum"(%t) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %e = "core.reduce_sum"(%c) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    "core.assign_variable"(%e) {variable = "v"} : (tensor<4xf32>) -> ()
    %f = "core.reduce_sum"(%d) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    %w = "core.read_variable"() {variable = "v", of = tensor<4xf32>} : () -> (tensor<4xf32>)
    %g = "core.add"(%f, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %y = "core.add"(%g, %v) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x4xf32>):
    %1 = "core.constant"() {"value" = dense<[64, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
    %2 = "core.constant"() {"value" = dense<[64, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
    %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %4 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %6 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %7 = "tfl.BROADCAST_TO"(%0, %1) : (tensor<1x4xf32>, tensor<2xi32>) -> (tensor<64x4xf32>)
    %8 = "tfl.CUMSUM"(%7, %3) {"exclusive" = false, "reverse" = false} : (tensor<64x4xf32>, tensor<i32>) -> (tensor<64x4xf32>)
    %9 = "tfl.SUM"(%8, %5) {"keep_dims" = false} : (tensor<64x4xf32>, tensor<1xi32>) -> (tensor<4xf32>)
    %10 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
    %11 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
    %12 = "tfl.TANH"(%0) : (tensor<1x4xf32>) -> (tensor<1x4xf32>)
    %13 = "tfl.READ_VARIABLE"(%10) : (!mlconv.opaque<"tfl.resource">) -> (tensor<4xf32>)
    "tfl.ASSIGN_VARIABLE"(%11, %9) : (!mlconv.opaque<"tfl.resource">, tensor<4xf32>) -> ()
    %14 = "tfl.BROADCAST_TO"(%12, %2) : (tensor<1x4xf32>, tensor<2xi32>) -> (tensor<64x4xf32>)
    %15 = "tfl.CUMSUM"(%14, %4) {"exclusive" = false, "reverse" = false} : (tensor<64x4xf32>, tensor<i32>) -> (tensor<64x4xf32>)
    %16 = "tfl.SUM"(%15, %6) {"keep_dims" = false} : (tensor<64x4xf32>, tensor<1xi32>) -> (tensor<4xf32>)
    %17 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
    %18 = "tfl.READ_VARIABLE"(%17) : (!mlconv.opaque<"tfl.resource">) -> (tensor<4xf32>)
    %19 = "tfl.ADD"(%16, %18) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %20 = "tfl.ADD"(%19, %13) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%20) : (tensor<4xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
