// CASE: rows and columns that are picked at all places of a grid
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, %i: tensor<2x?xi64, {dims = ["2", "a"]}>, %j: tensor<?xi64, {dims = ["b"]}>):
  %m = "core.shape_of"(%i) : (tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2xi64>)
  %n = "core.shape_of"(%j) : (tensor<?xi64, {dims = ["b"]}>) -> (tensor<1xi64>)
  %s = "core.concat"(%m, %n) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %e = "core.expand_dims"(%i) {axes = [2]} : (tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>)
  %p = "core.broadcast_to"(%e, %s) : (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %q = "core.broadcast_to"(%j, %s) : (tensor<?xi64, {dims = ["b"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %u = "core.expand_dims"(%p) {axes = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %v = "core.expand_dims"(%q) {axes = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %t = "core.concat"(%u, %v) {axis = 3} : (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>, tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>) -> (tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>)
  %y = "core.gather_nd"(%x, %t) : (tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>) -> (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>)
  "mlconv.yield"(%y) : (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, %1: tensor<2x?xi64, {dims = ["2", "a"]}>, %2: tensor<?xi64, {dims = ["b"]}>):
  %3 = "core.gather"(%0, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2x?x?x3xf32, {dims = ["2", "a", "w", "3"]}>)
  %4 = "core.gather"(%3, %2) {"axis" = 2, "batch_dims" = 0, "from_start" = false} : (tensor<2x?x?x3xf32, {dims = ["2", "a", "w", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>)
  "mlconv.yield"(%4) : (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>) -> ()

// -----
// CASE: a grid of columns and rows is no grid in order
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, %i: tensor<2x?xi64, {dims = ["2", "a"]}>, %j: tensor<?xi64, {dims = ["b"]}>):
  %m = "core.shape_of"(%i) : (tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2xi64>)
  %n = "core.shape_of"(%j) : (tensor<?xi64, {dims = ["b"]}>) -> (tensor<1xi64>)
  %s = "core.concat"(%m, %n) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %e = "core.expand_dims"(%i) {axes = [2]} : (tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>)
  %p = "core.broadcast_to"(%e, %s) : (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %q = "core.broadcast_to"(%j, %s) : (tensor<?xi64, {dims = ["b"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %u = "core.expand_dims"(%p) {axes = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %v = "core.expand_dims"(%q) {axes = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %t = "core.concat"(%v, %u) {axis = 3} : (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>, tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>) -> (tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>)
  %y = "core.gather_nd"(%x, %t) : (tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>) -> (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>)
  "mlconv.yield"(%y) : (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, %1: tensor<2x?xi64, {dims = ["2", "a"]}>, %2: tensor<?xi64, {dims = ["b"]}>):
  %3 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<2x?xi64, {dims = ["2", "a"]}>) -> (tensor<2xi64>)
  %4 = "core.shape_of"(%2) {"dtype" = i64} : (tensor<?xi64, {dims = ["b"]}>) -> (tensor<1xi64>)
  %5 = "core.concat"(%3, %4) {"axis" = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %6 = "core.constant"() {"value" = dense<[2, -1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %7 = "core.reshape"(%1, %6) : (tensor<2x?xi64, {dims = ["2", "a"]}>, tensor<3xi64>) -> (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>)
  %8 = "core.broadcast_to"(%7, %5) : (tensor<2x?x1xi64, {dims = ["2", "a", "1"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %9 = "core.broadcast_to"(%2, %5) : (tensor<?xi64, {dims = ["b"]}>, tensor<3xi64>) -> (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>)
  %10 = "core.expand_dims"(%8) {"axes" = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %11 = "core.expand_dims"(%9) {"axes" = [3]} : (tensor<2x?x?xi64, {dims = ["2", "a", "b"]}>) -> (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>)
  %12 = "core.concat"(%11, %10) {"axis" = 3} : (tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>, tensor<2x?x?x1xi64, {dims = ["2", "a", "b", "1"]}>) -> (tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>)
  %13 = "core.gather_nd"(%0, %12) {"batch_dims" = 0, "from_start" = false} : (tensor<?x?x3xf32, {dims = ["h", "w", "3"]}>, tensor<2x?x?x2xi64, {dims = ["2", "a", "b", "2"]}>) -> (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>)
  "mlconv.yield"(%13) : (tensor<2x?x?x3xf32, {dims = ["2", "a", "b", "3"]}>) -> ()
