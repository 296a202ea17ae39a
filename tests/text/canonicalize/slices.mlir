// CASE: slices along two axes, `x[:, :2][..., 1:]`, are one
// RUN: canonicalize
^bb(%x: tensor<3x4x5xf32>):
  %0 = "core.constant"() {value = dense<0> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {value = dense<2> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.slice"(%x, %0, %2, %1) {begin_mask = 7, end_mask = 5} : (tensor<3x4x5xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3x2x5xf32>)
  %y = "core.slice"(%a, %1, %0, %1) {begin_mask = 3, end_mask = 7} : (tensor<3x2x5xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4x5xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.concat"(%1, %2) {"axis" = 0} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<6xi64>)
  %5 = "core.constant"() {"value" = dense<[0, 1, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.gather"(%4, %5) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<6xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %7 = "core.concat"(%3, %1) {"axis" = 0} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<6xi64>)
  %8 = "core.constant"() {"value" = dense<[0, 1, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %9 = "core.gather"(%7, %8) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<6xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %10 = "core.concat"(%2, %2) {"axis" = 0} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<6xi64>)
  %11 = "core.constant"() {"value" = dense<[0, 1, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %12 = "core.gather"(%10, %11) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<6xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %13 = "core.slice"(%0, %6, %9, %12) {"begin_mask" = 3, "end_mask" = 5} : (tensor<3x4x5xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3x2x4xf32>)
  "mlconv.yield"(%13) : (tensor<3x2x4xf32>) -> ()

// -----
// CASE: slices along the same axis stay two
// RUN: canonicalize
^bb(%x: tensor<6xf32>):
  %1 = "core.constant"() {value = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {value = dense<4> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %a = "core.slice"(%x, %1, %4, %1) {begin_mask = 0, end_mask = 0} : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>)
  %y = "core.slice"(%a, %1, %4, %1) {begin_mask = 0, end_mask = 1} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<6xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<4> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.slice"(%0, %1, %2, %1) {"begin_mask" = 0, "end_mask" = 0} : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>)
  %4 = "core.slice"(%3, %1, %2, %1) {"begin_mask" = 0, "end_mask" = 1} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%4) : (tensor<2xf32>) -> ()

// -----
// CASE: the state of one direction, of zeros for all, is zeros of its size
// RUN: canonicalize
^bb(%x: tensor<?x8xf32, {dims = ["B", "8"]}>):
  %zero = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x8xf32, {dims = ["B", "8"]}>) -> (tensor<2xi64>)
  %two = "core.constant"() {value = dense<2> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %all = "core.concat"(%two, %shape) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  %h = "core.broadcast_to"(%zero, %all) : (tensor<f32>, tensor<3xi64>) -> (tensor<2x?x8xf32, {dims = ["2", "B", "8"]}>)
  %0 = "core.constant"() {value = dense<0> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.slice"(%h, %0, %1, %1) {begin_mask = 6, end_mask = 6} : (tensor<2x?x8xf32, {dims = ["2", "B", "8"]}>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x?x8xf32, {dims = ["1", "B", "8"]}>)
  %y = "core.reshape"(%a, %shape) : (tensor<1x?x8xf32, {dims = ["1", "B", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["B", "8"]}>)
  "mlconv.yield"(%y) : (tensor<?x8xf32, {dims = ["B", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x8xf32, {dims = ["B", "8"]}>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x8xf32, {dims = ["B", "8"]}>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.concat"(%3, %2) {"axis" = 0} : (tensor<1xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.gather"(%4, %5) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.concat"(%6, %7) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %9 = "core.broadcast_to"(%1, %8) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["B", "8"]}>)
  "mlconv.yield"(%9) : (tensor<?x8xf32, {dims = ["B", "8"]}>) -> ()

// -----
// CASE: what is computed of a repeated number is computed once: the mask of a model that is given none
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>) -> (tensor<3xi64>)
  %i = "core.constant"() {value = dense<[0, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %big = "core.constant"() {value = dense<-9.0> : tensor<f32>} : () -> (tensor<f32>)
  %t = "core.gather"(%s, %i) {axis = 0} : (tensor<3xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %m = "core.broadcast_to"(%one, %t) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x5xf32, {dims = ["n", "5"]}>)
  %u = "core.expand_dims"(%m) {axes = [1]} : (tensor<?x5xf32, {dims = ["n", "5"]}>) -> (tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>)
  %a = "core.sub"(%one, %u) : (tensor<f32>, tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>) -> (tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>)
  %b = "core.mul"(%a, %big) : (tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>, tensor<f32>) -> (tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>)
  %y = "core.add"(%x, %b) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>, tensor<?x1x5xf32, {dims = ["n", "1", "5"]}>) -> (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>)
  %z = "core.exp"(%y) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>) -> (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>)
  "mlconv.yield"(%z) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>):
  %1 = "core.exp"(%0) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>) -> (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>)
  "mlconv.yield"(%1) : (tensor<?x4x5xf32, {dims = ["n", "4", "5"]}>) -> ()

// -----
// CASE: ones times a constant are the constant, repeated
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>) -> (tensor<3xi64>)
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c = "core.constant"() {value = dense<[[[2.0], [3.0], [4.0]]]> : tensor<1x3x1xf32>} : () -> (tensor<1x3x1xf32>)
  %m = "core.broadcast_to"(%one, %s) : (tensor<f32>, tensor<3xi64>) -> (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>)
  %y = "core.mul"(%c, %m) : (tensor<1x3x1xf32>, tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>) -> (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[[[2.0], [3.0], [4.0]]]> : tensor<1x3x1xf32>} : () -> (tensor<1x3x1xf32>)
  %3 = "core.broadcast_to"(%2, %1) : (tensor<1x3x1xf32>, tensor<3xi64>) -> (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>)
  "mlconv.yield"(%3) : (tensor<?x3x2xf32, {dims = ["n", "3", "2"]}>) -> ()

// -----
// CASE: the nearest elements of ones are ones, whatever their shape: the mask of images that are whole
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>, %z: tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>):
  %s = "core.shape_of"(%x) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>) -> (tensor<4xi64>)
  %t = "core.shape_of"(%z) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> (tensor<4xi64>)
  %i = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %pq = "core.gather"(%t, %i) {axis = 0} : (tensor<4xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.broadcast_to"(%one, %s) : (tensor<f32>, tensor<4xi64>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>)
  %r = "core.resize"(%m, %pq) {axes = [2, 3], mode = "nearest"} : (tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>, tensor<2xi64>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>)
  %y = "core.mul"(%z, %r) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>, tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>)
  %e = "core.exp"(%y) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>)
  "mlconv.yield"(%e) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>, %1: tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>):
  %2 = "core.exp"(%1) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>)
  "mlconv.yield"(%2) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "p", "q"]}>) -> ()

// -----
// CASE: rows of zeros that are merged and looked up are zeros
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>, %at: tensor<?x1xi64, {dims = ["n", "1"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>) -> (tensor<3xi64>)
  %zero = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.broadcast_to"(%zero, %s) : (tensor<f32>, tensor<3xi64>) -> (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>)
  %v = "core.constant"() {value = dense<[-1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %f = "core.reshape"(%m, %v) : (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["b*s", "8"]}>)
  %g = "core.gather"(%f, %at) {axis = 0} : (tensor<?x8xf32, {dims = ["b*s", "8"]}>, tensor<?x1xi64, {dims = ["n", "1"]}>) -> (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>)
  %y = "core.exp"(%g) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>) -> (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>)
  "mlconv.yield"(%y) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>, %1: tensor<?x1xi64, {dims = ["n", "1"]}>):
  %2 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?x1xi64, {dims = ["n", "1"]}>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.concat"(%4, %5) {"axis" = 0} : (tensor<1xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  %7 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "core.broadcast_to"(%7, %6) : (tensor<f32>, tensor<3xi64>) -> (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>)
  "mlconv.yield"(%8) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>) -> ()

// -----
// CASE: what is written to all places, in order, is the value: `x[:, 0:] = y`
// RUN: canonicalize
^bb(%x: tensor<1x2x3xf32>, %u: tensor<2x3xf32>):
  %i = "core.constant"() {value = dense<[[[0, 0], [0, 1]]]> : tensor<1x2x2xi64>} : () -> (tensor<1x2x2xi64>)
  %v = "core.expand_dims"(%u) {axes = [0]} : (tensor<2x3xf32>) -> (tensor<1x2x3xf32>)
  %y = "core.scatter_nd"(%x, %i, %v) {reduction = "none"} : (tensor<1x2x3xf32>, tensor<1x2x2xi64>, tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "core.constant"() {"value" = dense<[1, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<1x2x3xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x3xf32>) -> ()

// -----
// CASE: what is written to no places changes nothing: `x[-4:0] = y`
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %i: tensor<0x1xi64>, %u: tensor<0x3xf32>):
  %y = "core.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<2x3xf32>, tensor<0x1xi64>, tensor<0x3xf32>) -> (tensor<2x3xf32>)
  %z = "core.exp"(%y) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%z) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<0x1xi64>, %2: tensor<0x3xf32>):
  %3 = "core.exp"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: what is written to all places in another order, or to some of them, is scattered
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>, %w: tensor<1x3xf32>):
  %i = "core.constant"() {value = dense<[[1], [0]]> : tensor<2x1xi64>} : () -> (tensor<2x1xi64>)
  %j = "core.constant"() {value = dense<[[1]]> : tensor<1x1xi64>} : () -> (tensor<1x1xi64>)
  %y = "core.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %z = "core.scatter_nd"(%x, %j, %w) {reduction = "none"} : (tensor<2x3xf32>, tensor<1x1xi64>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>, %2: tensor<1x3xf32>):
  %3 = "core.constant"() {"value" = dense<[[1], [0]]> : tensor<2x1xi64>} : () -> (tensor<2x1xi64>)
  %4 = "core.constant"() {"value" = dense<[[1]]> : tensor<1x1xi64>} : () -> (tensor<1x1xi64>)
  %5 = "core.scatter_nd"(%0, %3, %1) {"reduction" = "none", "from_start" = false} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %6 = "core.scatter_nd"(%0, %4, %2) {"reduction" = "none", "from_start" = false} : (tensor<2x3xf32>, tensor<1x1xi64>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5, %6) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: every other one of what positions and frequencies give is computed of every other frequency
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%p: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %f = "core.constant"() {value = dense<[1.0, 1.0, 10.0, 10.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %d = "core.div"(%p, %f) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<4xf32>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  %z = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %st = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.slice"(%d, %z, %e, %st) {begin_mask = 3, end_mask = 3} : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %b = "core.slice"(%d, %one, %e, %st) {begin_mask = 1, end_mask = 3} : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %s = "core.sin"(%a) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %c = "core.cos"(%b) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%s, %c) : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 10.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.div"(%0, %1) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<2xf32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %3 = "core.sin"(%2) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %4 = "core.cos"(%2) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  "mlconv.yield"(%3, %4) : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()

// -----
// CASE: what else reads the whole keeps it whole
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%p: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %f = "core.constant"() {value = dense<[1.0, 1.0, 10.0, 10.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %d = "core.div"(%p, %f) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<4xf32>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  %z = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %st = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.slice"(%d, %z, %e, %st) {begin_mask = 3, end_mask = 3} : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %s = "core.sin"(%a) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %c = "core.cos"(%d) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%s, %c) : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 1.0, 10.0, 10.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.div"(%0, %1) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<4xf32>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  %3 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.slice"(%2, %3, %3, %4) {"begin_mask" = 3, "end_mask" = 3} : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %6 = "core.sin"(%5) : (tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %7 = "core.cos"(%2) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%6, %7) : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()

// -----
// CASE: sequences as long as their axis are reversed along it; others may be shorter
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, %l: tensor<?xi64, {dims = ["b"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>) -> (tensor<3xi64>)
  %0 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %t = "core.gather"(%s, %0) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %b = "core.gather"(%s, %1) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %n = "core.broadcast_to"(%t, %b) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b"]}>)
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 0, batch_axis = 1} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  %z = "core.reverse_sequence"(%x, %l) {time_axis = 0, batch_axis = 1} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  %m = "core.broadcast_to"(%b, %b) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b"]}>)
  %w = "core.reverse_sequence"(%x, %m) {time_axis = 0, batch_axis = 1} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  "mlconv.yield"(%y, %z, %w) : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, %1: tensor<?xi64, {dims = ["b"]}>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>) -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.reverse"(%0) {"axes" = [0]} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  %6 = "core.reverse_sequence"(%0, %1) {"time_axis" = 0, "batch_axis" = 1} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  %7 = "core.broadcast_to"(%4, %4) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["b"]}>)
  %8 = "core.reverse_sequence"(%0, %7) {"time_axis" = 0, "batch_axis" = 1} : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?xi64, {dims = ["b"]}>) -> (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>)
  "mlconv.yield"(%5, %6, %8) : (tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>, tensor<?x?x3xf32, {dims = ["t", "b", "3"]}>) -> ()

// -----
// CASE: parts of joined tensors whose sizes are open are what was joined; one that ends elsewhere is cut
// RUN: canonicalize,dce
^bb(%a: tensor<?x2xf32, {dims = ["n", "2"]}>, %b: tensor<?x2xf32, {dims = ["m", "2"]}>, %c: tensor<3x2xf32>):
  %x = "core.concat"(%a, %b, %c) {axis = 0} : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<?x2xf32, {dims = ["m", "2"]}>, tensor<3x2xf32>) -> (tensor<?x2xf32, {dims = ["m+n+3", "2"]}>)
  %zero = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %sa = "core.shape_of"(%a) {dtype = i64} : (tensor<?x2xf32, {dims = ["n", "2"]}>) -> (tensor<2xi64>)
  %sb = "core.shape_of"(%b) {dtype = i64} : (tensor<?x2xf32, {dims = ["m", "2"]}>) -> (tensor<2xi64>)
  %n = "core.gather"(%sa, %zero) {axis = 0, batch_dims = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %m = "core.gather"(%sb, %zero) {axis = 0, batch_dims = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %e = "core.add"(%n, %m) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %f = "core.add"(%e, %one) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %p0 = "core.concat"(%zero, %zero) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %p1 = "core.concat"(%n, %zero) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %p2 = "core.concat"(%e, %zero) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %p3 = "core.concat"(%f, %zero) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %st = "core.concat"(%one, %one) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %u = "core.slice"(%x, %p0, %p1, %st) {begin_mask = 3, end_mask = 2} : (tensor<?x2xf32, {dims = ["m+n+3", "2"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  %v = "core.slice"(%x, %p1, %p2, %st) {begin_mask = 2, end_mask = 2} : (tensor<?x2xf32, {dims = ["m+n+3", "2"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["m", "2"]}>)
  %w = "core.slice"(%x, %p2, %p3, %st) {begin_mask = 2, end_mask = 2} : (tensor<?x2xf32, {dims = ["m+n+3", "2"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
  "mlconv.yield"(%u, %v, %w) : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<?x2xf32, {dims = ["m", "2"]}>, tensor<1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x2xf32, {dims = ["n", "2"]}>, %1: tensor<?x2xf32, {dims = ["m", "2"]}>, %2: tensor<3x2xf32>):
  %3 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.slice"(%2, %3, %4, %5) {"begin_mask" = 2, "end_mask" = 2} : (tensor<3x2xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
  "mlconv.yield"(%0, %1, %6) : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<?x2xf32, {dims = ["m", "2"]}>, tensor<1x2xf32>) -> ()

// -----
// CASE: parts that follow one another are what they were cut from, in that order
// RUN: canonicalize,dce
^bb(%x: tensor<3x5xf32>):
  %0 = "core.constant"() {value = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {value = dense<[0, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.slice"(%x, %0, %2, %1) {begin_mask = 3, end_mask = 1} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %b = "core.slice"(%x, %2, %3, %1) {begin_mask = 1, end_mask = 1} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %c = "core.slice"(%x, %3, %0, %1) {begin_mask = 1, end_mask = 3} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x1xf32>)
  %whole = "core.concat"(%a, %b, %c) {axis = 1} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>) -> (tensor<3x5xf32>)
  %turned = "core.concat"(%c, %a, %b) {axis = 1} : (tensor<3x1xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x5xf32>)
  %crossed = "core.concat"(%b, %a, %c) {axis = 1} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>) -> (tensor<3x5xf32>)
  %less = "core.concat"(%a, %b) {axis = 1} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%whole, %turned, %crossed, %less) : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x5xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.slice"(%0, %1, %3, %2) {"begin_mask" = 3, "end_mask" = 1} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %6 = "core.slice"(%0, %3, %4, %2) {"begin_mask" = 1, "end_mask" = 1} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x2xf32>)
  %7 = "core.slice"(%0, %4, %1, %2) {"begin_mask" = 1, "end_mask" = 3} : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3x1xf32>)
  %8 = "core.concat"(%7, %5, %6) {"axis" = 1} : (tensor<3x1xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x5xf32>)
  %9 = "core.concat"(%6, %5, %7) {"axis" = 1} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>) -> (tensor<3x5xf32>)
  %10 = "core.concat"(%5, %6) {"axis" = 1} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%0, %8, %9, %10) : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x4xf32>) -> ()
