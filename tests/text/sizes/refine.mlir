// CASE: what folding made a constant reaches the types behind it
// RUN: refine-shapes
^bb(%x: tensor<2x3xf32>):
  %s = "core.constant"() {value = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  %z = "core.neg"(%y) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  "mlconv.yield"(%z) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %3 = "core.neg"(%2) : (tensor<3x2xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: the scan output of a loop whose turns are known has its size from the start
// RUN: refine-shapes
^bb(%x: tensor<2xf32>):
  %i0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %n = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %none = "core.constant"() {value = dense<[]> : tensor<0x2xf32>} : () -> (tensor<0x2xf32>)
  %i, %v, %scan = "core.while"(%i0, %x, %none) ({
  ^bb(%a: tensor<i32>, %b: tensor<2xf32>, %c: tensor<?x2xf32, {dims = ["k", "2"]}>):
    %go = "core.less"(%a, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%go) : (tensor<i1>) -> ()
  }, {
  ^bb(%a: tensor<i32>, %b: tensor<2xf32>, %c: tensor<?x2xf32, {dims = ["k", "2"]}>):
    %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %next = "core.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %sum = "core.add"(%b, %b) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %row = "core.expand_dims"(%sum) {axes = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
    %grown = "core.concat"(%c, %row) {axis = 0} : (tensor<?x2xf32, {dims = ["k", "2"]}>, tensor<1x2xf32>) -> (tensor<?x2xf32, {dims = ["k + 1", "2"]}>)
    "mlconv.yield"(%next, %sum, %grown) : (tensor<i32>, tensor<2xf32>, tensor<?x2xf32, {dims = ["k + 1", "2"]}>) -> ()
  }) : (tensor<i32>, tensor<2xf32>, tensor<0x2xf32>) -> (tensor<i32>, tensor<2xf32>, tensor<?x2xf32, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%scan) : (tensor<?x2xf32, {dims = ["?1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<> : tensor<0x2xf32>} : () -> (tensor<0x2xf32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %6, %7, %8, %9 = "core.while"(%1, %0, %5, %4) ({
  ^bb(%10: tensor<i32>, %11: tensor<2xf32>, %12: tensor<3x2xf32>, %13: tensor<i32>):
    %14 = "core.less"(%10, %2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%14) : (tensor<i1>) -> ()
  }, {
  ^bb(%15: tensor<i32>, %16: tensor<2xf32>, %17: tensor<3x2xf32>, %18: tensor<i32>):
    %19 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %20 = "core.add"(%15, %19) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %21 = "core.add"(%16, %16) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
    %22 = "core.expand_dims"(%21) {"axes" = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
    %23 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %24 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %25 = "core.mul"(%18, %24) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %26 = "core.update_slice"(%17, %22, %25, %23) : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> (tensor<3x2xf32>)
    %27 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %28 = "core.add"(%18, %27) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%20, %21, %26, %28) : (tensor<i32>, tensor<2xf32>, tensor<3x2xf32>, tensor<i32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>, tensor<3x2xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>, tensor<3x2xf32>, tensor<i32>)
  "mlconv.yield"(%8) : (tensor<3x2xf32>) -> ()
