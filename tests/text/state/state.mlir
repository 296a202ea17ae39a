// CASE: a variable becomes an input and an output
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %rv = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%rv, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%s) {variable = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%s) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
    %2 = "core.add"(%1, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%2, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "v"], "output_names" = ["y0", "v"], "signature" = "serving_default", "state" = {"v" = #fact.state<input = "v", output = "v", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: reads see the assignment before them
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %rv = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %m = "core.mul"(%rv, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%m) {variable = "v"} : (tensor<3xf32>) -> ()
    %rv_1 = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %n = "core.neg"(%rv_1) : (tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%n) {variable = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%rv, %rv_1) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0", "y1"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
    %2 = "core.mul"(%1, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    %3 = "core.neg"(%2) : (tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%1, %2, %3) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "v"], "output_names" = ["y0", "y1", "v"], "signature" = "serving_default", "state" = {"v" = #fact.state<input = "v", output = "v", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: an if that assigns gives the variable as a result
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>, %p: tensor<i1>):
    %i = "core.if"(%p) ({
      %n = "core.neg"(%x) : (tensor<3xf32>) -> (tensor<3xf32>)
      "core.assign_variable"(%n) {variable = "v"} : (tensor<3xf32>) -> ()
      "mlconv.yield"(%x) : (tensor<3xf32>) -> ()
    }, {
      %rw = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
      "mlconv.yield"(%rw) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> (tensor<3xf32>)
    "mlconv.yield"(%i) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x", "p"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>, %1: tensor<i1>, %2: tensor<3xf32>, %3: tensor<3xf32>):
    %4, %5 = "core.if"(%1) ({
      %6 = "core.neg"(%0) : (tensor<3xf32>) -> (tensor<3xf32>)
      "mlconv.yield"(%0, %6) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }, {
      "mlconv.yield"(%3, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    "mlconv.yield"(%4, %5, %3) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "p", "v", "w"], "output_names" = ["y0", "v", "w"], "signature" = "serving_default", "state" = {"v" = #fact.state<input = "v", output = "v", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>, "w" = #fact.state<input = "w", output = "w", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a loop that assigns carries the variable
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %w = "core.while"(%x) ({
    ^bb(%a1: tensor<3xf32>):
      %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<3xf32>) -> (tensor<f32>)
      %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
      %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      "mlconv.yield"(%l) : (tensor<i1>) -> ()
    }, {
    ^bb(%a5: tensor<3xf32>):
      %rv = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
      %s_1 = "core.add"(%rv, %a5) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
      "core.assign_variable"(%s_1) {variable = "v"} : (tensor<3xf32>) -> ()
      %d = "core.add"(%a5, %a5) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
      "mlconv.yield"(%d) : (tensor<3xf32>) -> ()
    }) : (tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%w) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
    %2, %3 = "core.while"(%0, %1) ({
    ^bb(%4: tensor<3xf32>, %5: tensor<3xf32>):
      %6 = "core.reduce_sum"(%4) {"axes" = [0], "keepdims" = false} : (tensor<3xf32>) -> (tensor<f32>)
      %7 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
      %8 = "core.less"(%6, %7) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      "mlconv.yield"(%8) : (tensor<i1>) -> ()
    }, {
    ^bb(%9: tensor<3xf32>, %10: tensor<3xf32>):
      %11 = "core.add"(%10, %9) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
      %12 = "core.add"(%9, %9) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
      "mlconv.yield"(%12, %11) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    "mlconv.yield"(%2, %3) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "v"], "output_names" = ["y0", "v"], "signature" = "serving_default", "state" = {"v" = #fact.state<input = "v", output = "v", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a condition that assigns is refused
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %w = "core.while"(%x) ({
    ^bb(%a1: tensor<3xf32>):
      "core.assign_variable"(%a1) {variable = "v"} : (tensor<3xf32>) -> ()
      %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<3xf32>) -> (tensor<f32>)
      %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
      %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      "mlconv.yield"(%l) : (tensor<i1>) -> ()
    }, {
    ^bb(%a5: tensor<3xf32>):
      %d = "core.add"(%a5, %a5) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
      "mlconv.yield"(%d) : (tensor<3xf32>) -> ()
    }) : (tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%w) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0302]: the condition of a loop assigns v, which only targets with variables can do
  = node: core.while  core.while (float32[3])

// -----
// CASE: an assignment of another shape is refused
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<4xf32>):
    "core.assign_variable"(%x) {variable = "v"} : (tensor<4xf32>) -> ()
    "mlconv.yield"(%x) : (tensor<4xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0201]: variable 'v' is float32[3] and is given float32[4]: as an input and output it keeps its type
  = node: core.assign_variable  core.assign_variable (float32[4])

// -----
// CASE: a variable with the name of an input gets another one
// RUN: state
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    "core.assign_variable"(%x) {variable = "x"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%x) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"x" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
    "mlconv.yield"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "x_1"], "output_names" = ["y0", "x"], "signature" = "serving_default", "state" = {"x" = #fact.state<input = "x_1", output = "x", initial = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
