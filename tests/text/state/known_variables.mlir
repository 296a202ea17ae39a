// CASE: a variable is read once before it changes, and what it is given is known
// RUN: known-variables
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %a = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %w = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%w, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%s) {variable = "w"} : (tensor<3xf32>) -> ()
    %b = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %c = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    "mlconv.yield"(%a, %b, %c) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0", "y1", "y2"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    %1 = "core.read_variable"() {"variable" = "v", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    %2 = "core.read_variable"() {"variable" = "w", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    %3 = "core.add"(%2, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%3) {"variable" = "w"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%1, %1, %3) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0", "y1", "y2"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a branch changes one variable: that one is read again behind it, and each branch reads what it needs
// RUN: known-variables
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>, %c: tensor<i1>):
    %a = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %b = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %r = "core.if"(%c) ({
    ^bb:
      %i = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
      %n = "core.neg"(%i) : (tensor<3xf32>) -> (tensor<3xf32>)
      "core.assign_variable"(%n) {variable = "v"} : (tensor<3xf32>) -> ()
      "mlconv.yield"(%n) : (tensor<3xf32>) -> ()
    }, {
    ^bb:
      "mlconv.yield"(%x) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> (tensor<3xf32>)
    %d = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %e = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    "mlconv.yield"(%a, %b, %r, %d, %e) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x", "c"], output_names = ["y0", "y1", "y2", "y3", "y4"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 7 column 8: expected '(', found ':'
