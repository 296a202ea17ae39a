// CASE: a broadcast that repeats nothing in front of a loop goes, and the loop stays as it is
// RUN: simplify-indices
^bb(%x: tensor<?xf32, {dims = ["n"]}>, %k: tensor<f32>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<1xi64>)
  %t = "core.broadcast_to"(%x, %shape) : (tensor<?xf32, {dims = ["n"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["n"]}>)
  %w, %v = "core.while"(%t, %k) ({
  ^bb(%m: tensor<?xf32, {dims = ["n"]}>, %a: tensor<f32>):
    %c9 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%a, %c9) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%m2: tensor<?xf32, {dims = ["n"]}>, %a2: tensor<f32>):
    %c1 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
    %d = "core.add"(%a2, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %n = "core.neg"(%m2) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
    "mlconv.yield"(%n, %d) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> ()
  }) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["n"]}>, tensor<f32>)
  "mlconv.yield"(%w, %v) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["n"]}>, %1: tensor<f32>):
  %2, %3 = "core.while"(%0, %1) ({
  ^bb(%4: tensor<?xf32, {dims = ["n"]}>, %5: tensor<f32>):
    %6 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %7 = "core.less"(%5, %6) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<?xf32, {dims = ["n"]}>, %9: tensor<f32>):
    %10 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
    %11 = "core.add"(%9, %10) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    %12 = "core.neg"(%8) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
    "mlconv.yield"(%12, %11) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> ()
  }) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["n"]}>, tensor<f32>)
  "mlconv.yield"(%2, %3) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> ()
