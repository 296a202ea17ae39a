// CASE: rows that a loop collects have room from the start, as many as there are turns, up to the first limit
// RUN: unroll{lean=true},fold,cse,dce
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>, %y: tensor<?xf32, {dims = ["M"]}>):
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %none = "core.constant"() {value = dense<> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  %sx = "core.shape_of"(%x) {dtype = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %n = "core.gather"(%sx, %zero) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %sy = "core.shape_of"(%y) {dtype = i64} : (tensor<?xf32, {dims = ["M"]}>) -> (tensor<1xi64>)
  %m = "core.gather"(%sy, %zero) {axis = 0} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %w, %w1 = "core.while"(%zero, %none) ({
  ^bb(%a: tensor<i64>, %l: tensor<?x3xf32, {dims = ["?1", "3"]}>):
    %p = "core.less"(%a, %n) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    %q = "core.less"(%a, %m) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    %t = "core.and"(%p, %q) : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%t) : (tensor<i1>) -> ()
  }, {
  ^bb(%a: tensor<i64>, %l: tensor<?x3xf32, {dims = ["?1", "3"]}>):
    %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %b = "core.add"(%a, %one) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %row = "core.gather"(%x, %a) {axis = 0} : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<i64>) -> (tensor<3xf32>)
    %r = "core.expand_dims"(%row) {axes = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
    %k = "core.concat"(%l, %r) {axis = 0} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3xf32>) -> (tensor<?x3xf32, {dims = ["?1+1", "3"]}>)
    "mlconv.yield"(%b, %k) : (tensor<i64>, tensor<?x3xf32, {dims = ["?1+1", "3"]}>) -> ()
  }) : (tensor<i64>, tensor<0x3xf32>) -> (tensor<i64>, tensor<?x3xf32, {dims = ["?1", "3"]}>)
  "mlconv.yield"(%w1) : (tensor<?x3xf32, {dims = ["?1", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>, %1: tensor<?xf32, {dims = ["M"]}>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %4 = "core.gather"(%3, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %5 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?xf32, {dims = ["M"]}>) -> (tensor<1xi64>)
  %6 = "core.gather"(%5, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %7 = "core.sub"(%4, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %8 = "core.maximum"(%7, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %9 = "core.sub"(%6, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %10 = "core.maximum"(%9, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %11 = "core.minimum"(%8, %10) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "core.reshape"(%11, %12) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %15 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.concat"(%13, %15) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %17 = "core.broadcast_to"(%14, %16) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>)
  %18, %19 = "core.while"(%2, %17) ({
  ^bb(%20: tensor<i64>, %21: tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>):
    %22 = "core.less"(%20, %4) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    %23 = "core.less"(%20, %6) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    %24 = "core.and"(%22, %23) : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%24) : (tensor<i1>) -> ()
  }, {
  ^bb(%25: tensor<i64>, %26: tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>):
    %27 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %28 = "core.add"(%25, %27) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %29 = "core.gather"(%0, %25) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<i64>) -> (tensor<3xf32>)
    %30 = "core.expand_dims"(%29) {"axes" = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
    %31 = "core.update_slice"(%26, %30, %25, %2) : (tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>, tensor<1x3xf32>, tensor<i64>, tensor<i64>) -> (tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>)
    "mlconv.yield"(%28, %31) : (tensor<i64>, tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>) -> ()
  }) : (tensor<i64>, tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>) -> (tensor<i64>, tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>)
  "mlconv.yield"(%19) : (tensor<?x3xf32, {dims = ["min(M, N)", "3"]}>) -> ()

// -----
// CASE: rows that the loop reads are collected as they were
// RUN: unroll{lean=true},fold,cse,dce
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %none = "core.constant"() {value = dense<> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  %s0 = "core.constant"() {value = dense<0.0> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %sx = "core.shape_of"(%x) {dtype = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %n = "core.gather"(%sx, %zero) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %w, %w1, %w2 = "core.while"(%zero, %none, %s0) ({
  ^bb(%a: tensor<i64>, %l: tensor<?x3xf32, {dims = ["?1", "3"]}>, %s: tensor<3xf32>):
    %p = "core.less"(%a, %n) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb(%a: tensor<i64>, %l: tensor<?x3xf32, {dims = ["?1", "3"]}>, %s: tensor<3xf32>):
    %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %b = "core.add"(%a, %one) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %row = "core.gather"(%x, %a) {axis = 0} : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<i64>) -> (tensor<3xf32>)
    %r = "core.expand_dims"(%row) {axes = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
    %u = "core.reduce_sum"(%l) {axes = [0], keepdims = false} : (tensor<?x3xf32, {dims = ["?1", "3"]}>) -> (tensor<3xf32>)
    %k = "core.concat"(%l, %r) {axis = 0} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3xf32>) -> (tensor<?x3xf32, {dims = ["?1+1", "3"]}>)
    "mlconv.yield"(%b, %k, %u) : (tensor<i64>, tensor<?x3xf32, {dims = ["?1+1", "3"]}>, tensor<3xf32>) -> ()
  }) : (tensor<i64>, tensor<0x3xf32>, tensor<3xf32>) -> (tensor<i64>, tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<3xf32>)
  "mlconv.yield"(%w1, %w2) : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %4 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %5 = "core.gather"(%4, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %6, %7, %8 = "core.while"(%1, %2, %3) ({
  ^bb(%9: tensor<i64>, %10: tensor<?x3xf32, {dims = ["?1", "3"]}>, %11: tensor<3xf32>):
    %12 = "core.less"(%9, %5) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%12) : (tensor<i1>) -> ()
  }, {
  ^bb(%13: tensor<i64>, %14: tensor<?x3xf32, {dims = ["?1", "3"]}>, %15: tensor<3xf32>):
    %16 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %17 = "core.add"(%13, %16) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %18 = "core.gather"(%0, %13) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<i64>) -> (tensor<3xf32>)
    %19 = "core.expand_dims"(%18) {"axes" = [0]} : (tensor<3xf32>) -> (tensor<1x3xf32>)
    %20 = "core.reduce_sum"(%14) {"axes" = [0], "keepdims" = false} : (tensor<?x3xf32, {dims = ["?1", "3"]}>) -> (tensor<3xf32>)
    %21 = "core.concat"(%14, %19) {"axis" = 0} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3xf32>) -> (tensor<?x3xf32, {dims = ["?1+1", "3"]}>)
    "mlconv.yield"(%17, %21, %20) : (tensor<i64>, tensor<?x3xf32, {dims = ["?1+1", "3"]}>, tensor<3xf32>) -> ()
  }) : (tensor<i64>, tensor<0x3xf32>, tensor<3xf32>) -> (tensor<i64>, tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<3xf32>)
  "mlconv.yield"(%7, %8) : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<3xf32>) -> ()
