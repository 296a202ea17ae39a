// CASE: branches of a conditional see what is around
// RUN: to-hlo
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
  %2 = "hlo.conditional"(%1) ({
    %3 = "hlo.negate"(%0) {"op_type" = "core.neg"} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    %4 = "hlo.abs"(%0) {"op_type" = "core.abs"} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }) {"op_type" = "core.if"} : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: the body of a while sees what is around
// RUN: to-hlo
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
  %2 = "hlo.while"(%0) ({
  ^bb(%3: tensor<4xf32>):
    %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %5 = "hlo.reduce"(%3, %4) ({
    ^bb(%6: tensor<f32>, %7: tensor<f32>):
      %8 = "hlo.add"(%6, %7) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
      "mlconv.yield"(%8) : (tensor<f32>) -> ()
    }) {"dimensions" = [0], "op_type" = "core.reduce_sum"} : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>)
    %9 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %10 = "hlo.compare"(%5, %9) {"direction" = "LT", "op_type" = "core.less"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%10) : (tensor<i1>) -> ()
  }, {
  ^bb(%11: tensor<4xf32>):
    %12 = "hlo.add"(%11, %1) {"op_type" = "core.add"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%12) : (tensor<4xf32>) -> ()
  }) {"op_type" = "core.while"} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()
