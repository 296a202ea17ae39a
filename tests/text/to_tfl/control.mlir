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

// -----
// CASE: integers of a quantized constant that regions read stay those of one
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, %p: tensor<i1>):
  %w = "core.constant"() {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, element = !quant.uniform<i8:f32:1, {0.25, 0.5}>} : () -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>)
  %y = "core.quant_matmul"(%x, %w) {element = !quant.uniform<i8:f32, 1.0:-5>, lo = -128, hi = 127, mlconv.absent = [2]} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %z_0, %z = "core.while"(%p, %y) ({
  ^bb(%q: tensor<i1>, %a: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
    "mlconv.yield"(%q) : (tensor<i1>) -> ()
  }, {
  ^bb(%q_1: tensor<i1>, %a_1: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
    %r = "core.if"(%q_1) ({
      %b = "core.quant_matmul"(%a_1, %w) {element = !quant.uniform<i8:f32, 1.0:-5>, lo = -128, hi = 127, mlconv.absent = [2]} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
      "mlconv.yield"(%b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
    }, {
      "mlconv.yield"(%a_1) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
    }) : (tensor<i1>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
    "mlconv.yield"(%q_1, %r) : (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
  }) : (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%z) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
// EXPECT
^bb(%0: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, %1: tensor<i1>):
  %2 = "core.constant"() {"value" = #mlconv.derived<"[i8, [2, 2], [2, 2], \"transpose\", [1, 0], [dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>]]">, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5}>} : () -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.25, 0.5}>>)
  %3 = "tfl.FULLY_CONNECTED"(%0, %2) {"keep_num_dims" = false, "fused_activation_function" = "NONE", "mlconv.absent" = [2]} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  %4, %5 = "tfl.WHILE"(%1, %3) ({
  ^bb(%6: tensor<i1>, %7: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
    "mlconv.yield"(%6) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i1>, %9: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
    %10 = "tfl.IF"(%8, %9) ({
    ^bb(%11: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
      %12 = "core.constant"() {"value" = #mlconv.derived<"[i8, [2, 2], [2, 2], \"transpose\", [1, 0], [dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>]]">, "element" = !quant.uniform<i8:f32:0, {0.25, 0.5}>} : () -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.25, 0.5}>>)
      %13 = "tfl.FULLY_CONNECTED"(%11, %12) {"keep_num_dims" = false, "fused_activation_function" = "NONE", "mlconv.absent" = [2]} : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.25, 0.5}>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
      "mlconv.yield"(%13) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
    }, {
    ^bb(%14: tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>):
      "mlconv.yield"(%14) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
    }) : (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
    "mlconv.yield"(%8, %10) : (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
  }) : (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> (tensor<i1>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>)
  "mlconv.yield"(%5) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:-5>>) -> ()
