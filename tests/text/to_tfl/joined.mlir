// CASE: rows and columns of a grid are cast and moved behind their join, and the shape of a part is read as before
// RUN: tfl-contract
^bb(%n: tensor<i32>, %s: tensor<2xi32>, %x: tensor<?xf32, {dims = ["n"]}>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %half = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %down = "core.constant"() {value = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %r = "tfl.RANGE"(%zero, %n, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %q = "tfl.RANGE"(%zero, %n, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %rf = "tfl.CAST"(%r) {in_data_type = "INT32", out_data_type = "FLOAT32"} : (tensor<?xi32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
  %qf = "tfl.CAST"(%q) {in_data_type = "INT32", out_data_type = "FLOAT32"} : (tensor<?xi32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
  %rh = "tfl.ADD"(%rf, %half) {fused_activation_function = "NONE"} : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["n"]}>)
  %qh = "tfl.ADD"(%qf, %half) {fused_activation_function = "NONE"} : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["n"]}>)
  %rd = "tfl.RESHAPE"(%rh, %down) : (tensor<?xf32, {dims = ["n"]}>, tensor<2xi32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %rb = "tfl.BROADCAST_TO"(%rd, %s) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "n"]}>)
  %qb = "tfl.BROADCAST_TO"(%qh, %s) : (tensor<?xf32, {dims = ["n"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "n"]}>)
  %sh = "tfl.SHAPE"(%qb) {out_type = "INT32"} : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> (tensor<2xi32>)
  %g = "tfl.PACK"(%qb, %rb) {values_count = 2, axis = 2} : (tensor<?x?xf32, {dims = ["n", "n"]}>, tensor<?x?xf32, {dims = ["n", "n"]}>) -> (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>)
  "mlconv.yield"(%g, %sh) : (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>, tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<i32>, %1: tensor<2xi32>, %2: tensor<?xf32, {dims = ["n"]}>):
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %7 = "tfl.RANGE"(%3, %0, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %8 = "tfl.RANGE"(%3, %0, %4) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %9 = "tfl.RESHAPE"(%7, %6) : (tensor<?xi32, {dims = ["n"]}>, tensor<2xi32>) -> (tensor<?x1xi32, {dims = ["n", "1"]}>)
  %10 = "tfl.BROADCAST_TO"(%9, %1) : (tensor<?x1xi32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xi32, {dims = ["n", "n"]}>)
  %11 = "tfl.BROADCAST_TO"(%8, %1) : (tensor<?xi32, {dims = ["n"]}>, tensor<2xi32>) -> (tensor<?x?xi32, {dims = ["n", "n"]}>)
  %12 = "tfl.SHAPE"(%11) {"out_type" = "INT32"} : (tensor<?x?xi32, {dims = ["n", "n"]}>) -> (tensor<2xi32>)
  %13 = "tfl.PACK"(%11, %10) {"values_count" = 2, "axis" = 2} : (tensor<?x?xi32, {dims = ["n", "n"]}>, tensor<?x?xi32, {dims = ["n", "n"]}>) -> (tensor<?x?x2xi32, {dims = ["n", "n", "2"]}>)
  %14 = "tfl.CAST"(%13) {"in_data_type" = "INT32", "out_data_type" = "FLOAT32"} : (tensor<?x?x2xi32, {dims = ["n", "n", "2"]}>) -> (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>)
  %15 = "tfl.ADD"(%14, %5) {"fused_activation_function" = "NONE"} : (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>, tensor<f32>) -> (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>)
  "mlconv.yield"(%15, %12) : (tensor<?x?x2xf32, {dims = ["n", "n", "2"]}>, tensor<2xi32>) -> ()

// -----
// CASE: what is repeated along an axis is no larger where it is multiplied, and parts with other numbers stay
// RUN: tfl-contract
^bb(%x: tensor<?x1xf32, {dims = ["n", "1"]}>, %y: tensor<?x1xf32, {dims = ["n", "1"]}>, %s: tensor<2xi32>, %z: tensor<?xf32, {dims = ["m"]}>):
  %two = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %three = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "tfl.MUL"(%x, %two) {fused_activation_function = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %b = "tfl.MUL"(%y, %two) {fused_activation_function = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %ab = "tfl.BROADCAST_TO"(%a, %s) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "m"]}>)
  %bb = "tfl.BROADCAST_TO"(%b, %s) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "m"]}>)
  %c = "tfl.CONCATENATION"(%ab, %bb) {axis = 0} : (tensor<?x?xf32, {dims = ["n", "m"]}>, tensor<?x?xf32, {dims = ["n", "m"]}>) -> (tensor<?x?xf32, {dims = ["2*n", "m"]}>)
  %d = "tfl.ADD"(%x, %two) {fused_activation_function = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %e = "tfl.ADD"(%y, %three) {fused_activation_function = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %f = "tfl.CONCATENATION"(%d, %e) {axis = 1} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%c, %f) : (tensor<?x?xf32, {dims = ["2*n", "m"]}>, tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["n", "1"]}>, %1: tensor<?x1xf32, {dims = ["n", "1"]}>, %2: tensor<2xi32>, %3: tensor<?xf32, {dims = ["m"]}>):
  %4 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "tfl.MUL"(%0, %4) {"fused_activation_function" = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %7 = "tfl.MUL"(%1, %4) {"fused_activation_function" = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %8 = "tfl.BROADCAST_TO"(%6, %2) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "m"]}>)
  %9 = "tfl.BROADCAST_TO"(%7, %2) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "m"]}>)
  %10 = "tfl.CONCATENATION"(%8, %9) {"axis" = 0} : (tensor<?x?xf32, {dims = ["n", "m"]}>, tensor<?x?xf32, {dims = ["n", "m"]}>) -> (tensor<?x?xf32, {dims = ["2*n", "m"]}>)
  %11 = "tfl.ADD"(%0, %4) {"fused_activation_function" = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %12 = "tfl.ADD"(%1, %5) {"fused_activation_function" = "NONE"} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %13 = "tfl.CONCATENATION"(%11, %12) {"axis" = 1} : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%10, %13) : (tensor<?x?xf32, {dims = ["2*n", "m"]}>, tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()
