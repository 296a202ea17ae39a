// CASE: IF takes what its branches use
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r = "core.if"(%p) ({
    %b = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%b) : (tensor<4xf32>) -> ()
  }, {
    %b_1 = "core.abs"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%b_1) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "tfl.IF"(%1, %0) ({
  ^bb(%3: tensor<4xf32>):
    %4 = "tfl.NEG"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }, {
  ^bb(%5: tensor<4xf32>):
    %6 = "tfl.ABS"(%5) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%6) : (tensor<4xf32>) -> ()
  }) {"mlconv.arguments" = [["x"], ["x"]]} : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: WHILE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a5: tensor<4xf32>):
    %d = "core.add"(%a5, %a5) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tfl.WHILE"(%0) ({
  ^bb(%2: tensor<4xf32>):
    %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %4 = "tfl.SUM"(%2, %3) {"keep_dims" = false} : (tensor<4xf32>, tensor<1xi32>) -> (tensor<f32>)
    %5 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %6 = "tfl.LESS"(%4, %5) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%6) : (tensor<i1>) -> ()
  }, {
  ^bb(%7: tensor<4xf32>):
    %8 = "tfl.ADD"(%7, %7) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%8) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: WHILE carries what its body reads from outside
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %k: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a2) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<4xf32>):
    %d = "core.add"(%a6, %k) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2, %3 = "tfl.WHILE"(%0, %1) ({
  ^bb(%4: tensor<4xf32>, %5: tensor<4xf32>):
    %6 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %7 = "tfl.SUM"(%4, %6) {"keep_dims" = false} : (tensor<4xf32>, tensor<1xi32>) -> (tensor<f32>)
    %8 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %9 = "tfl.LESS"(%7, %8) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%9) : (tensor<i1>) -> ()
  }, {
  ^bb(%10: tensor<4xf32>, %11: tensor<4xf32>):
    %12 = "tfl.ADD"(%10, %11) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%12, %11) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) {"mlconv.arguments" = [["", "k"], ["", "k"]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: variables are read and assigned, and filled once
// RUN: to-tfl,tfl-initialize
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %r = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%r, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%s) {variable = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%s) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    "tfl.CALL_ONCE"() ({
      %1 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
      %2 = "core.constant"() {"value" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "mlconv.names" = ["v/initial"]} : () -> (tensor<3xf32>)
      "tfl.ASSIGN_VARIABLE"(%1, %2) : (!mlconv.opaque<"tfl.resource">, tensor<3xf32>) -> ()
      "mlconv.yield"() : () -> ()
    }) : () -> ()
    %3 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
    %4 = "tfl.READ_VARIABLE"(%3) : (!mlconv.opaque<"tfl.resource">) -> (tensor<3xf32>)
    %5 = "tfl.ADD"(%4, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    %6 = "tfl.VAR_HANDLE"() {"container" = "", "shared_name" = "v"} : () -> (!mlconv.opaque<"tfl.resource">)
    "tfl.ASSIGN_VARIABLE"(%6, %5) : (!mlconv.opaque<"tfl.resource">, tensor<3xf32>) -> ()
    "mlconv.yield"(%5) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
