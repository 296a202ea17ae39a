// CASE: a variable that is given what it holds is a constant
// RUN: unchanged-variables
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %rv = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%rv, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%rv) {variable = "v"} : (tensor<3xf32>) -> ()
    %w = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    "core.assign_variable"(%s) {variable = "w"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%w) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    %1 = "core.constant"() {"value" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
    %2 = "core.add"(%1, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    %3 = "core.read_variable"() {"variable" = "w", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    "core.assign_variable"(%2) {"variable" = "w"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%3) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a variable that another function changes stays
// RUN: unchanged-variables
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %rv = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%rv, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%s) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    "core.assign_variable"(%x) {variable = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%x) : (tensor<3xf32>) -> ()
  }) {sym_name = "set", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    %1 = "core.read_variable"() {"variable" = "v", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    %2 = "core.add"(%1, %0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "mlconv.yield"(%2) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
  "mlconv.func"() ({
  ^bb(%3: tensor<3xf32>):
    "core.assign_variable"(%3) {"variable" = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%3) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "set", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: two variables that change places are no constants
// RUN: unchanged-variables
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %a = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %b = "core.read_variable"() {variable = "w", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    "core.assign_variable"(%b) {variable = "v"} : (tensor<3xf32>) -> ()
    "core.assign_variable"(%a) {variable = "w"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%a) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    %1 = "core.read_variable"() {"variable" = "v", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    %2 = "core.read_variable"() {"variable" = "w", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    "core.assign_variable"(%2) {"variable" = "v"} : (tensor<3xf32>) -> ()
    "core.assign_variable"(%1) {"variable" = "w"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%1) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>, "w" = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()
