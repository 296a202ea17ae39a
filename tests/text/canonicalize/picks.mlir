// CASE: elements at indices that are repeated along the last axis are rows of a batch
// RUN: canonicalize
^bb(%x: tensor<?x?x8xf32, {dims = ["B", "T", "8"]}>, %i: tensor<?x?x1xi64, {dims = ["B", "K", "1"]}>, %s: tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>):
  %shape = "core.shape_of"(%s) {dtype = i64} : (tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>) -> (tensor<3xi64>)
  %r = "core.broadcast_to"(%i, %shape) : (tensor<?x?x1xi64, {dims = ["B", "K", "1"]}>, tensor<3xi64>) -> (tensor<?x?x8xi64, {dims = ["B", "K", "8"]}>)
  %y = "core.gather_elements"(%x, %r) {axis = 1} : (tensor<?x?x8xf32, {dims = ["B", "T", "8"]}>, tensor<?x?x8xi64, {dims = ["B", "K", "8"]}>) -> (tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x8xf32, {dims = ["B", "T", "8"]}>, %1: tensor<?x?x1xi64, {dims = ["B", "K", "1"]}>, %2: tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>):
  %3 = "core.squeeze"(%1) {"axes" = [2]} : (tensor<?x?x1xi64, {dims = ["B", "K", "1"]}>) -> (tensor<?x?xi64, {dims = ["B", "K"]}>)
  %4 = "core.gather"(%0, %3) {"axis" = 1, "batch_dims" = 1, "from_start" = false} : (tensor<?x?x8xf32, {dims = ["B", "T", "8"]}>, tensor<?x?xi64, {dims = ["B", "K"]}>) -> (tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>)
  "mlconv.yield"(%4) : (tensor<?x?x8xf32, {dims = ["B", "K", "8"]}>) -> ()

// -----
// CASE: the same rows of every batch are a gather without a batch
// RUN: canonicalize
^bb(%x: tensor<3x5x8xf32>, %i: tensor<1x4x1xi64>):
  %shape = "core.constant"() {value = dense<[3, 4, 8]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.broadcast_to"(%i, %shape) : (tensor<1x4x1xi64>, tensor<3xi64>) -> (tensor<3x4x8xi64>)
  %y = "core.gather_elements"(%x, %r) {axis = 1} : (tensor<3x5x8xf32>, tensor<3x4x8xi64>) -> (tensor<3x4x8xf32>)
  "mlconv.yield"(%y) : (tensor<3x4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x5x8xf32>, %1: tensor<1x4x1xi64>):
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1x4x1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %4 = "core.gather"(%0, %3) {"axis" = 1, "batch_dims" = 0, "from_start" = false} : (tensor<3x5x8xf32>, tensor<4xi64>) -> (tensor<3x4x8xf32>)
  "mlconv.yield"(%4) : (tensor<3x4x8xf32>) -> ()

// -----
// CASE: indices that do not reach all columns, and those that are repeated along the axis itself, stay elements
// RUN: canonicalize
^bb(%x: tensor<5x8xf32>, %i: tensor<4x1xi64>, %j: tensor<1x1xi64>):
  %few = "core.constant"() {value = dense<[4, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %all = "core.constant"() {value = dense<[4, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.broadcast_to"(%i, %few) : (tensor<4x1xi64>, tensor<2xi64>) -> (tensor<4x3xi64>)
  %q = "core.broadcast_to"(%j, %all) : (tensor<1x1xi64>, tensor<2xi64>) -> (tensor<4x8xi64>)
  %y = "core.gather_elements"(%x, %r) {axis = 0} : (tensor<5x8xf32>, tensor<4x3xi64>) -> (tensor<4x3xf32>)
  %z = "core.gather_elements"(%x, %q) {axis = 0} : (tensor<5x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%y, %z) : (tensor<4x3xf32>, tensor<4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x8xf32>, %1: tensor<4x1xi64>, %2: tensor<1x1xi64>):
  %3 = "core.constant"() {"value" = dense<[4, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[4, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.broadcast_to"(%1, %3) : (tensor<4x1xi64>, tensor<2xi64>) -> (tensor<4x3xi64>)
  %6 = "core.broadcast_to"(%2, %4) : (tensor<1x1xi64>, tensor<2xi64>) -> (tensor<4x8xi64>)
  %7 = "core.gather_elements"(%0, %5) {"axis" = 0} : (tensor<5x8xf32>, tensor<4x3xi64>) -> (tensor<4x3xf32>)
  %8 = "core.gather_elements"(%0, %6) {"axis" = 0} : (tensor<5x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%7, %8) : (tensor<4x3xf32>, tensor<4x8xf32>) -> ()

// -----
// CASE: sums of messages at nodes, `zeros.scatter_add(0, i[:, None].expand(-1, n), x)`, are scattered rows
// RUN: canonicalize
^bb(%x: tensor<6x8xf32>, %i: tensor<4x1xi64>, %u: tensor<4x8xf32>):
  %shape = "core.constant"() {value = dense<[4, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.broadcast_to"(%i, %shape) : (tensor<4x1xi64>, tensor<2xi64>) -> (tensor<4x8xi64>)
  %y = "core.scatter_elements"(%x, %r, %u) {axis = 0, reduction = "add"} : (tensor<6x8xf32>, tensor<4x8xi64>, tensor<4x8xf32>) -> (tensor<6x8xf32>)
  "mlconv.yield"(%y) : (tensor<6x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<6x8xf32>, %1: tensor<4x1xi64>, %2: tensor<4x8xf32>):
  %3 = "core.scatter_nd"(%0, %1, %2) {"reduction" = "add", "from_start" = false} : (tensor<6x8xf32>, tensor<4x1xi64>, tensor<4x8xf32>) -> (tensor<6x8xf32>)
  "mlconv.yield"(%3) : (tensor<6x8xf32>) -> ()

// -----
// CASE: neighbours are looked up in what was repeated for every point
// RUN: canonicalize
^bb(%x: tensor<2x1x9x3xf32>, %i: tensor<2x9x4xi64>):
  %shape = "core.constant"() {value = dense<[2, 9, 9, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %r = "core.broadcast_to"(%x, %shape) : (tensor<2x1x9x3xf32>, tensor<4xi64>) -> (tensor<2x9x9x3xf32>)
  %y = "core.gather"(%r, %i) {axis = 2, batch_dims = 2} : (tensor<2x9x9x3xf32>, tensor<2x9x4xi64>) -> (tensor<2x9x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x9x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x9x3xf32>, %1: tensor<2x9x4xi64>):
  %2 = "core.constant"() {"value" = dense<[2, 9, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.reshape"(%0, %2) : (tensor<2x1x9x3xf32>, tensor<3xi64>) -> (tensor<2x9x3xf32>)
  %4 = "core.gather"(%3, %1) {"axis" = 1, "batch_dims" = 1, "from_start" = false} : (tensor<2x9x3xf32>, tensor<2x9x4xi64>) -> (tensor<2x9x4x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x9x4x3xf32>) -> ()

// -----
// CASE: places of a vector of ones are all there are, and how many there are is known
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x4xf32, {dims = ["n", "4"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<2xi64>)
  %0 = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %n = "core.gather"(%s, %0) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %v = "core.broadcast_to"(%1, %n) : (tensor<i64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %p = "core.nonzero"(%v) : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  %y = "core.add"(%p, %1) : (tensor<?x1xi64, {dims = ["?1", "1"]}>, tensor<i64>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  "mlconv.yield"(%y) : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["n", "4"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.gather"(%1, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %8 = "core.range"(%7, %6, %3) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %9 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<?xi64, {dims = ["n"]}>, tensor<2xi64>) -> (tensor<?x1xi64, {dims = ["n", "1"]}>)
  %11 = "core.add"(%10, %3) : (tensor<?x1xi64, {dims = ["n", "1"]}>, tensor<i64>) -> (tensor<?x1xi64, {dims = ["n", "1"]}>)
  "mlconv.yield"(%11) : (tensor<?x1xi64, {dims = ["n", "1"]}>) -> ()

// -----
// CASE: rows of a table that are split, and repeated element by element, are rows of tables
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%i: tensor<1x?xi64, {dims = ["1", "s"]}>, %x: tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>):
  %t = "core.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>} : () -> (tensor<2x4xf32>)
  %u = "core.constant"() {value = dense<[1, -1, 1, 2, 1]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %r = "core.constant"() {value = dense<[1, 1, 1, 1, 2]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %v = "core.constant"() {value = dense<[1, -1, 1, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %g = "core.gather"(%t, %i) {axis = 0} : (tensor<2x4xf32>, tensor<1x?xi64, {dims = ["1", "s"]}>) -> (tensor<1x?x4xf32, {dims = ["1", "s", "4"]}>)
  %a, %b = "core.split"(%g) {sizes = [2, 2], axis = 2} : (tensor<1x?x4xf32, {dims = ["1", "s", "4"]}>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %c = "core.reshape"(%b, %u) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<5xi64>) -> (tensor<1x?x1x2x1xf32, {dims = ["1", "s", "1", "2", "1"]}>)
  %d = "core.tile"(%c, %r) : (tensor<1x?x1x2x1xf32, {dims = ["1", "s", "1", "2", "1"]}>, tensor<5xi64>) -> (tensor<1x?x1x2x2xf32, {dims = ["1", "s", "1", "2", "2"]}>)
  %e = "core.reshape"(%d, %v) : (tensor<1x?x1x2x2xf32, {dims = ["1", "s", "1", "2", "2"]}>, tensor<4xi64>) -> (tensor<1x?x1x4xf32, {dims = ["1", "s", "1", "4"]}>)
  %y = "core.mul"(%x, %e) : (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>, tensor<1x?x1x4xf32, {dims = ["1", "s", "1", "4"]}>) -> (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?xi64, {dims = ["1", "s"]}>, %1: tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>):
  %2 = "core.constant"() {"value" = dense<[[[3.0, 3.0, 4.0, 4.0]], [[7.0, 7.0, 8.0, 8.0]]]> : tensor<2x1x4xf32>} : () -> (tensor<2x1x4xf32>)
  %3 = "core.gather"(%2, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2x1x4xf32>, tensor<1x?xi64, {dims = ["1", "s"]}>) -> (tensor<1x?x1x4xf32, {dims = ["1", "s", "1", "4"]}>)
  %4 = "core.mul"(%1, %3) : (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>, tensor<1x?x1x4xf32, {dims = ["1", "s", "1", "4"]}>) -> (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>)
  "mlconv.yield"(%4) : (tensor<1x?x3x4xf32, {dims = ["1", "s", "3", "4"]}>) -> ()

// -----
// CASE: tuples of one number are picked along one axis
// RUN: canonicalize
^bb(%x: tensor<30x4xf32>, %i: tensor<?x?x1xi64, {dims = ["b", "s", "1"]}>):
  %y = "core.gather_nd"(%x, %i) {batch_dims = 0, from_start = false} : (tensor<30x4xf32>, tensor<?x?x1xi64, {dims = ["b", "s", "1"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<30x4xf32>, %1: tensor<?x?x1xi64, {dims = ["b", "s", "1"]}>):
  %2 = "core.squeeze"(%1) {"axes" = [2]} : (tensor<?x?x1xi64, {dims = ["b", "s", "1"]}>) -> (tensor<?x?xi64, {dims = ["b", "s"]}>)
  %3 = "core.gather"(%0, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<30x4xf32>, tensor<?x?xi64, {dims = ["b", "s"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  "mlconv.yield"(%3) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> ()

// -----
// CASE: places that were made flat, whose axes come back
// RUN: canonicalize,cse,dce
^bb(%t: tensor<4x9xf32>, %i: tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, %s: tensor<4xi64>):
  %f = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %j = "core.reshape"(%i, %f) : (tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b*n*n"]}>)
  %g = "core.gather"(%t, %j) {axis = 1, batch_dims = 0, from_start = false} : (tensor<4x9xf32>, tensor<?xi64, {dims = ["b*n*n"]}>) -> (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>)
  %si = "core.shape_of"(%i) {dtype = i64} : (tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>) -> (tensor<3xi64>)
  %four = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %k = "core.concat"(%four, %si) {axis = 0} : (tensor<1xi64>, tensor<3xi64>) -> (tensor<4xi64>)
  %y = "core.reshape"(%g, %k) : (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>, tensor<4xi64>) -> (tensor<4x?x?x?xf32, {dims = ["4", "b", "n", "n"]}>)
  "mlconv.yield"(%y) : (tensor<4x?x?x?xf32, {dims = ["4", "b", "n", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<4x9xf32>, %1: tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, %2: tensor<4xi64>):
  %3 = "core.gather"(%0, %1) {"axis" = 1, "batch_dims" = 0, "from_start" = false} : (tensor<4x9xf32>, tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>) -> (tensor<4x?x?x?xf32, {dims = ["4", "b", "n", "n"]}>)
  "mlconv.yield"(%3) : (tensor<4x?x?x?xf32, {dims = ["4", "b", "n", "n"]}>) -> ()

// -----
// CASE: places that were made flat, under other axes
// RUN: canonicalize,cse,dce
^bb(%t: tensor<4x9xf32>, %i: tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, %s: tensor<4xi64>):
  %f = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %j = "core.reshape"(%i, %f) : (tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b*n*n"]}>)
  %g = "core.gather"(%t, %j) {axis = 1, batch_dims = 0, from_start = false} : (tensor<4x9xf32>, tensor<?xi64, {dims = ["b*n*n"]}>) -> (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>)
  %k = "core.constant"() {value = dense<[2, 2, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%g, %k) : (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>, tensor<3xi64>) -> (tensor<2x2x?xf32, {dims = ["2", "2", "b*n*n"]}>)
  "mlconv.yield"(%y) : (tensor<2x2x?xf32, {dims = ["2", "2", "b*n*n"]}>) -> ()
// EXPECT
^bb(%0: tensor<4x9xf32>, %1: tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, %2: tensor<4xi64>):
  %3 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.reshape"(%1, %3) : (tensor<?x?x?xi64, {dims = ["b", "n", "n"]}>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b*n*n"]}>)
  %5 = "core.gather"(%0, %4) {"axis" = 1, "batch_dims" = 0, "from_start" = false} : (tensor<4x9xf32>, tensor<?xi64, {dims = ["b*n*n"]}>) -> (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>)
  %6 = "core.constant"() {"value" = dense<[2, 2, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<4x?xf32, {dims = ["4", "b*n*n"]}>, tensor<3xi64>) -> (tensor<2x2x?xf32, {dims = ["2", "2", "b*n*n"]}>)
  "mlconv.yield"(%7) : (tensor<2x2x?xf32, {dims = ["2", "2", "b*n*n"]}>) -> ()

// -----
// CASE: places of 32 bits stay as they are
// RUN: canonicalize,cse,dce
^bb(%t: tensor<9x4xf32>, %i: tensor<?x?xi32, {dims = ["b", "n"]}>):
  %j = "core.cast"(%i) {dtype = i64, saturate = false} : (tensor<?x?xi32, {dims = ["b", "n"]}>) -> (tensor<?x?xi64, {dims = ["b", "n"]}>)
  %y = "core.gather"(%t, %j) {axis = 0, batch_dims = 0, from_start = false} : (tensor<9x4xf32>, tensor<?x?xi64, {dims = ["b", "n"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "n", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x4xf32, {dims = ["b", "n", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<9x4xf32>, %1: tensor<?x?xi32, {dims = ["b", "n"]}>):
  %2 = "core.gather"(%0, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<9x4xf32>, tensor<?x?xi32, {dims = ["b", "n"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "n", "4"]}>)
  "mlconv.yield"(%2) : (tensor<?x?x4xf32, {dims = ["b", "n", "4"]}>) -> ()
