// CASE: vectors of sizes are gathered from one table
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>) -> (tensor<3xi64>)
  %zero = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %four = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %eight = "core.constant"() {value = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %b = "core.gather"(%shape, %zero) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %s = "core.gather"(%shape, %one) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %heads = "core.concat"(%b, %s, %four, %eight) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %y = "core.reshape"(%x, %heads) : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>, tensor<4xi64>) -> (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>)
  %rows = "core.mul"(%b, %four) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %flat = "core.concat"(%rows, %s, %eight) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %t = "core.transpose"(%y) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>) -> (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>)
  %z = "core.reshape"(%t, %flat) : (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>, tensor<3xi64>) -> (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>)
  "mlconv.yield"(%z) : (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>):
  %1 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>) -> (tensor<3xi32>)
  %2 = "core.constant"() {"value" = dense<[-1, 4, 8]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %3 = "tfl.CONCATENATION"(%1, %2) {"axis" = 0} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<6xi32>)
  %4 = "core.constant"() {"value" = dense<[0, 1, 4, 5]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %5 = "tfl.GATHER"(%3, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<6xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "tfl.RESHAPE"(%0, %5) : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>, tensor<4xi32>) -> (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>)
  %7 = "core.constant"() {"value" = dense<[0, 2, 1, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "tfl.TRANSPOSE"(%6, %7) : (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>, tensor<4xi32>) -> (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>)
  %9 = "core.constant"() {"value" = dense<[3, 1, 5]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %10 = "tfl.GATHER"(%3, %9) {"axis" = 0, "batch_dims" = 0} : (tensor<6xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %11 = "tfl.RESHAPE"(%8, %10) : (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>, tensor<3xi32>) -> (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>)
  "mlconv.yield"(%11) : (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>) -> ()

// -----
// CASE: axes of size 1 come and go without a vector of sizes
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %y = "core.expand_dims"(%x) {axes = [1]} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %z = "core.neg"(%y) : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %s = "core.squeeze"(%z) {axes = [1]} : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x?xf32, {dims = ["b", "s"]}>)
  "mlconv.yield"(%s) : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.EXPAND_DIMS"(%0, %1) : (tensor<?x?xf32, {dims = ["b", "s"]}>, tensor<1xi32>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %3 = "tfl.NEG"(%2) : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %4 = "tfl.SQUEEZE"(%3) {"squeeze_dims" = [1]} : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x?xf32, {dims = ["b", "s"]}>)
  "mlconv.yield"(%4) : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> ()

// -----
// CASE: what is picked at its own position is the front
// RUN: simplify-indices
^bb(%x: tensor<?x4xf32, {dims = ["n", "4"]}>, %y: tensor<?x4xf32, {dims = ["s", "4"]}>):
  %shape = "core.shape_of"(%y) {dtype = i64} : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<2xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.gather"(%shape, %zero) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %r = "core.range"(%zero, %s, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %g = "core.gather"(%x, %r) {axis = 0} : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?xi64, {dims = ["s"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%g) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["n", "4"]}>, %1: tensor<?x4xf32, {dims = ["s", "4"]}>):
  %2 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%2, %3, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %8 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.concat"(%6, %8) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %10 = "core.dynamic_slice"(%0, %7, %9) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%10) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()

// -----
// CASE: positions are counted in 32 bits, and their comparison with 0 is decided
// RUN: simplify-indices
^bb(%x: tensor<?xf32, {dims = ["s"]}>, %m: tensor<?xi1, {dims = ["s"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.gather"(%shape, %zero) {axis = 0} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %r = "core.range"(%zero, %s, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %c = "core.greater_equal"(%r, %zero) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi1, {dims = ["s"]}>)
  %a = "core.and"(%c, %m) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xi1, {dims = ["s"]}>) -> (tensor<?xi1, {dims = ["s"]}>)
  %p = "core.add"(%r, %one) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %f = "core.cast"(%p) {dtype = f32} : (tensor<?xi64, {dims = ["s"]}>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%a, %f) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>, %1: tensor<?xi1, {dims = ["s"]}>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "core.cast"(%4) {"dtype" = i32, "saturate" = false} : (tensor<i64>) -> (tensor<i32>)
  %7 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "core.range"(%5, %6, %7) {"wide" = false} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %9 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "core.add"(%8, %9) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %11 = "core.cast"(%10) {"dtype" = f32, "saturate" = false} : (tensor<?xi32, {dims = ["s"]}>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%1, %11) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()

// -----
// CASE: what always must be equal is a fact, what a branch asks for is none
// RUN: size-conditions{asked=false}
^bb(%a: tensor<?x?xf32, {dims = ["b", "s"]}>, %k: tensor<?x4xf32, {dims = ["t", "4"]}>, %z: tensor<?xf32, {dims = ["u"]}>, %p: tensor<i1>):
  %y = "core.matmul"(%a, %k) : (tensor<?x?xf32, {dims = ["b", "s"]}>, tensor<?x4xf32, {dims = ["t", "4"]}>) -> (tensor<?x4xf32, {dims = ["b", "4"]}>)
  %k2 = "core.concat"(%k, %k) {axis = 1} : (tensor<?x4xf32, {dims = ["t", "4"]}>, tensor<?x4xf32, {dims = ["t", "4"]}>) -> (tensor<?x8xf32, {dims = ["t", "8"]}>)
  %r = "core.if"(%p) ({
    %w = "core.expand_dims"(%z) {axes = [1]} : (tensor<?xf32, {dims = ["u"]}>) -> (tensor<?x1xf32, {dims = ["u", "1"]}>)
    %c = "core.concat"(%k, %w) {axis = 1} : (tensor<?x4xf32, {dims = ["t", "4"]}>, tensor<?x1xf32, {dims = ["u", "1"]}>) -> (tensor<?x5xf32, {dims = ["t", "5"]}>)
    "mlconv.yield"(%c) : (tensor<?x5xf32, {dims = ["t", "5"]}>) -> ()
  }, {
    %e = "core.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<8x5xf32>} : () -> (tensor<8x5xf32>)
    %w = "core.matmul"(%k2, %e) : (tensor<?x8xf32, {dims = ["t", "8"]}>, tensor<8x5xf32>) -> (tensor<?x5xf32, {dims = ["t", "5"]}>)
    "mlconv.yield"(%w) : (tensor<?x5xf32, {dims = ["t", "5"]}>) -> ()
  }) : (tensor<i1>) -> (tensor<?x5xf32, {dims = ["t", "5"]}>)
  "mlconv.yield"(%y, %k2, %r) : (tensor<?x4xf32, {dims = ["b", "4"]}>, tensor<?x8xf32, {dims = ["t", "8"]}>, tensor<?x5xf32, {dims = ["t", "5"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>, %1: tensor<?x4xf32, {dims = ["t", "4"]}>, %2: tensor<?xf32, {dims = ["u"]}>, %3: tensor<i1>):
    %4 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<?x?xf32, {dims = ["b", "s"]}>, tensor<?x4xf32, {dims = ["t", "4"]}>) -> (tensor<?x4xf32, {dims = ["b", "4"]}>)
    %5 = "core.concat"(%1, %1) {"axis" = 1} : (tensor<?x4xf32, {dims = ["t", "4"]}>, tensor<?x4xf32, {dims = ["t", "4"]}>) -> (tensor<?x8xf32, {dims = ["s", "8"]}>)
    %6 = "core.if"(%3) ({
      %7 = "core.expand_dims"(%2) {"axes" = [1]} : (tensor<?xf32, {dims = ["u"]}>) -> (tensor<?x1xf32, {dims = ["u", "1"]}>)
      %8 = "core.concat"(%1, %7) {"axis" = 1} : (tensor<?x4xf32, {dims = ["t", "4"]}>, tensor<?x1xf32, {dims = ["u", "1"]}>) -> (tensor<?x5xf32, {dims = ["s", "5"]}>)
      "mlconv.yield"(%8) : (tensor<?x5xf32, {dims = ["s", "5"]}>) -> ()
    }, {
      %9 = "core.constant"() {"value" = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<8x5xf32>} : () -> (tensor<8x5xf32>)
      %10 = "core.matmul"(%5, %9) {"transpose_a" = false, "transpose_b" = false} : (tensor<?x8xf32, {dims = ["s", "8"]}>, tensor<8x5xf32>) -> (tensor<?x5xf32, {dims = ["s", "5"]}>)
      "mlconv.yield"(%10) : (tensor<?x5xf32, {dims = ["s", "5"]}>) -> ()
    }) : (tensor<i1>) -> (tensor<?x5xf32, {dims = ["s", "5"]}>)
    "mlconv.yield"(%4, %5, %6) : (tensor<?x4xf32, {dims = ["b", "4"]}>, tensor<?x8xf32, {dims = ["s", "8"]}>, tensor<?x5xf32, {dims = ["s", "5"]}>) -> ()
  }) {"sym_name" = "main", "input_names" = ["a", "k", "z", "p"], "output_names" = ["y0", "y1", "y2"], "signature" = "serving_default", "where" = ["s == t"]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: the front of a tensor, with more axes of size 1
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?xf32, {dims = ["c", "n"]}>, %y: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %zeros = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %shape = "core.shape_of"(%y) {dtype = i64} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi64>)
  %f = "core.dynamic_slice"(%x, %zeros, %shape) : (tensor<?x?xf32, {dims = ["c", "n"]}>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["b", "s"]}>)
  %g = "core.expand_dims"(%f) {axes = [0, 2]} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<1x?x1x?xf32, {dims = ["1", "b", "1", "s"]}>)
  "mlconv.yield"(%g) : (tensor<1x?x1x?xf32, {dims = ["1", "b", "1", "s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["c", "n"]}>, %1: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %2 = "core.constant"() {"value" = dense<[0, 0, 0, 0]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "tfl.SHAPE"(%1) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<[1, 0, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %6 = "tfl.GATHER"(%4, %5) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %7 = "tfl.STRIDED_SLICE"(%0, %2, %6, %3) {"begin_mask" = 15, "end_mask" = 5, "new_axis_mask" = 5} : (tensor<?x?xf32, {dims = ["c", "n"]}>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1x?x1x?xf32, {dims = ["1", "b", "1", "s"]}>)
  "mlconv.yield"(%7) : (tensor<1x?x1x?xf32, {dims = ["1", "b", "1", "s"]}>) -> ()

// -----
// CASE: positions behind others are counted from there
// RUN: simplify-indices
^bb(%x: tensor<?xf32, {dims = ["p"]}>, %y: tensor<?xf32, {dims = ["s"]}>):
  %scalar = "core.constant"() {value = dense<[]> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %px = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["p"]}>) -> (tensor<1xi64>)
  %sy = "core.shape_of"(%y) {dtype = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %p = "core.reshape"(%px, %scalar) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %s = "core.reshape"(%sy, %scalar) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %r = "core.range"(%zero, %s, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %q = "core.add"(%p, %r) : (tensor<i64>, tensor<?xi64, {dims = ["s"]}>) -> (tensor<?xi64, {dims = ["s"]}>)
  "mlconv.yield"(%q) : (tensor<?xi64, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["p"]}>, %1: tensor<?xf32, {dims = ["s"]}>):
  %2 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %3 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["p"]}>) -> (tensor<1xi64>)
  %5 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %6 = "core.reshape"(%4, %2) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %7 = "core.reshape"(%5, %2) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %8 = "core.add"(%6, %7) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %9 = "core.range"(%6, %8, %3) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  "mlconv.yield"(%9) : (tensor<?xi64, {dims = ["s"]}>) -> ()

// -----
// CASE: a scatter at the places of a block writes the block: from a place on, or up to the end
// RUN: simplify-indices,dce
^bb(%x: tensor<?x5xf32, {dims = ["n", "5"]}>, %u: tensor<?x3xf32, {dims = ["n", "3"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x5xf32, {dims = ["n", "5"]}>) -> (tensor<2xi64>)
  %0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %three = "core.constant"() {value = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n = "core.gather"(%s, %0) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %i = "core.range"(%0, %n, %1) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %rows = "core.expand_dims"(%i) {axes = [1]} : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x1xi64, {dims = ["n", "1"]}>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %v = "core.reshape"(%n, %one) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %grid = "core.concat"(%v, %three) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %a = "core.broadcast_to"(%rows, %grid) : (tensor<?x1xi64, {dims = ["n", "1"]}>, tensor<2xi64>) -> (tensor<?x3xi64, {dims = ["n", "3"]}>)
  %c = "core.constant"() {value = dense<[[2, 3, 4]]> : tensor<1x3xi64>} : () -> (tensor<1x3xi64>)
  %b = "core.broadcast_to"(%c, %grid) : (tensor<1x3xi64>, tensor<2xi64>) -> (tensor<?x3xi64, {dims = ["n", "3"]}>)
  %p = "core.expand_dims"(%a) {axes = [2]} : (tensor<?x3xi64, {dims = ["n", "3"]}>) -> (tensor<?x3x1xi64, {dims = ["n", "3", "1"]}>)
  %q = "core.expand_dims"(%b) {axes = [2]} : (tensor<?x3xi64, {dims = ["n", "3"]}>) -> (tensor<?x3x1xi64, {dims = ["n", "3", "1"]}>)
  %at = "core.concat"(%p, %q) {axis = 2} : (tensor<?x3x1xi64, {dims = ["n", "3", "1"]}>, tensor<?x3x1xi64, {dims = ["n", "3", "1"]}>) -> (tensor<?x3x2xi64, {dims = ["n", "3", "2"]}>)
  %y = "core.scatter_nd"(%x, %at, %u) {reduction = "none"} : (tensor<?x5xf32, {dims = ["n", "5"]}>, tensor<?x3x2xi64, {dims = ["n", "3", "2"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> (tensor<?x5xf32, {dims = ["n", "5"]}>)
  "mlconv.yield"(%y) : (tensor<?x5xf32, {dims = ["n", "5"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x5xf32, {dims = ["n", "5"]}>, %1: tensor<?x3xf32, {dims = ["n", "3"]}>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.update_slice"(%0, %1, %2, %3) : (tensor<?x5xf32, {dims = ["n", "5"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>, tensor<i64>, tensor<i64>) -> (tensor<?x5xf32, {dims = ["n", "5"]}>)
  "mlconv.yield"(%4) : (tensor<?x5xf32, {dims = ["n", "5"]}>) -> ()

// -----
// CASE: the places of a block may be a grid of constants, repeated
// RUN: simplify-indices,dce
^bb(%x: tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, %u: tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>) -> (tensor<3xi64>)
  %0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %rest = "core.constant"() {value = dense<[2, 3, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %shape = "core.constant"() {value = dense<[-1, 1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %n = "core.gather"(%s, %0) {axis = 0} : (tensor<3xi64>, tensor<i64>) -> (tensor<i64>)
  %i = "core.range"(%0, %n, %1) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %k = "core.reshape"(%i, %shape) : (tensor<?xi64, {dims = ["n"]}>, tensor<4xi64>) -> (tensor<?x1x1x1xi64, {dims = ["n", "1", "1", "1"]}>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %v = "core.reshape"(%n, %one) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %grid = "core.concat"(%v, %rest) {axis = 0} : (tensor<1xi64>, tensor<3xi64>) -> (tensor<4xi64>)
  %a = "core.broadcast_to"(%k, %grid) : (tensor<?x1x1x1xi64, {dims = ["n", "1", "1", "1"]}>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %c = "core.constant"() {value = dense<[[[0], [0], [0]], [[1], [1], [1]]]> : tensor<2x3x1xi64>} : () -> (tensor<2x3x1xi64>)
  %b = "core.broadcast_to"(%c, %grid) : (tensor<2x3x1xi64>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %d = "core.constant"() {value = dense<[[[2], [3], [4]], [[2], [3], [4]]]> : tensor<2x3x1xi64>} : () -> (tensor<2x3x1xi64>)
  %e = "core.broadcast_to"(%d, %grid) : (tensor<2x3x1xi64>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %at = "core.concat"(%a, %b, %e) {axis = 3} : (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>) -> (tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>)
  %y = "core.scatter_nd"(%x, %at, %u) {reduction = "none"} : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>, tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>) -> (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>)
  %f = "core.constant"() {value = dense<[[[2], [3], [4]], [[2], [3], [3]]]> : tensor<2x3x1xi64>} : () -> (tensor<2x3x1xi64>)
  %g = "core.broadcast_to"(%f, %grid) : (tensor<2x3x1xi64>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %uneven = "core.concat"(%a, %b, %g) {axis = 3} : (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>) -> (tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>)
  %z = "core.scatter_nd"(%x, %uneven, %u) {reduction = "none"} : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>, tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>) -> (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>)
  "mlconv.yield"(%y, %z) : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, %1: tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>) -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "core.constant"() {"value" = dense<[2, 3, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.constant"() {"value" = dense<[-1, 1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<i64>) -> (tensor<i64>)
  %8 = "core.range"(%3, %7, %4) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %9 = "core.reshape"(%8, %6) : (tensor<?xi64, {dims = ["n"]}>, tensor<4xi64>) -> (tensor<?x1x1x1xi64, {dims = ["n", "1", "1", "1"]}>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.reshape"(%7, %10) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.concat"(%11, %5) {"axis" = 0} : (tensor<1xi64>, tensor<3xi64>) -> (tensor<4xi64>)
  %13 = "core.broadcast_to"(%9, %12) : (tensor<?x1x1x1xi64, {dims = ["n", "1", "1", "1"]}>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %14 = "core.constant"() {"value" = dense<[[[0], [0], [0]], [[1], [1], [1]]]> : tensor<2x3x1xi64>} : () -> (tensor<2x3x1xi64>)
  %15 = "core.broadcast_to"(%14, %12) : (tensor<2x3x1xi64>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %16 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %17 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %18 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %19 = "core.update_slice"(%0, %1, %16, %17, %18) : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>)
  %20 = "core.constant"() {"value" = dense<[[[2], [3], [4]], [[2], [3], [3]]]> : tensor<2x3x1xi64>} : () -> (tensor<2x3x1xi64>)
  %21 = "core.broadcast_to"(%20, %12) : (tensor<2x3x1xi64>, tensor<4xi64>) -> (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>)
  %22 = "core.concat"(%13, %15, %21) {"axis" = 3} : (tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>, tensor<?x2x3x1xi64, {dims = ["n", "2", "3", "1"]}>) -> (tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>)
  %23 = "core.scatter_nd"(%0, %22, %1) {"reduction" = "none", "from_start" = false} : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x3x3xi64, {dims = ["n", "2", "3", "3"]}>, tensor<?x2x3xf32, {dims = ["n", "2", "3"]}>) -> (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>)
  "mlconv.yield"(%19, %23) : (tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>, tensor<?x2x5xf32, {dims = ["n", "2", "5"]}>) -> ()

// -----
// CASE: constant places of a block are one, at sizes that are known
// RUN: simplify-indices,dce
^bb(%x: tensor<2x5xf32>, %u: tensor<2x3xf32>):
  %i = "core.constant"() {value = dense<[[[0, 1], [0, 2], [0, 3]], [[1, 1], [1, 2], [1, 3]]]> : tensor<2x3x2xi64>} : () -> (tensor<2x3x2xi64>)
  %y = "core.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<2x5xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>, %1: tensor<2x3xf32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.update_slice"(%0, %1, %2, %3) : (tensor<2x5xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%4) : (tensor<2x5xf32>) -> ()

// -----
// CASE: places with a gap are scattered to
// RUN: simplify-indices,dce
^bb(%x: tensor<2x5xf32>, %u: tensor<2x3xf32>):
  %i = "core.constant"() {value = dense<[[[0, 1], [0, 2], [0, 4]], [[1, 1], [1, 2], [1, 3]]]> : tensor<2x3x2xi64>} : () -> (tensor<2x3x2xi64>)
  %y = "core.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<2x5xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>, %1: tensor<2x3xf32>):
  %2 = "core.constant"() {"value" = dense<[[[0, 1], [0, 2], [0, 4]], [[1, 1], [1, 2], [1, 3]]]> : tensor<2x3x2xi64>} : () -> (tensor<2x3x2xi64>)
  %3 = "core.scatter_nd"(%0, %2, %1) {"reduction" = "none", "from_start" = false} : (tensor<2x5xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x5xf32>) -> ()

// -----
// CASE: what positions that are not negative choose everywhere is a number, and one that changes nothing
// RUN: simplify-indices
^bb(%x: tensor<?x?xf32, {dims = ["n", "n"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> (tensor<2xi64>)
  %0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %n = "core.gather"(%s, %0) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %r = "core.range"(%0, %n, %1) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %p = "core.expand_dims"(%r) {axes = [1]} : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x1xi64, {dims = ["n", "1"]}>)
  %c = "core.greater_equal"(%p, %0) : (tensor<?x1xi64, {dims = ["n", "1"]}>, tensor<i64>) -> (tensor<?x1xi1, {dims = ["n", "1"]}>)
  %a = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "core.constant"() {value = dense<-30.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.select"(%c, %a, %b) : (tensor<?x1xi1, {dims = ["n", "1"]}>, tensor<f32>, tensor<f32>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %y = "core.add"(%x, %m) : (tensor<?x?xf32, {dims = ["n", "n"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x?xf32, {dims = ["n", "n"]}>)
  %z = "core.exp"(%y) : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> (tensor<?x?xf32, {dims = ["n", "n"]}>)
  "mlconv.yield"(%z) : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "n"]}>):
  %1 = "core.exp"(%0) : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> (tensor<?x?xf32, {dims = ["n", "n"]}>)
  "mlconv.yield"(%1) : (tensor<?x?xf32, {dims = ["n", "n"]}>) -> ()

// -----
// CASE: equal parts of an axis are a split
// RUN: simplify-indices,dce
^bb(%x: tensor<2x6xf32>):
  %0 = "core.constant"() {value = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %m = "core.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %f = "core.constant"() {value = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %b = "core.slice"(%x, %m, %f, %1) {} : (tensor<2x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %a = "core.slice"(%x, %0, %e, %1) {} : (tensor<2x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.sub"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [3, 3], "axis" = 1} : (tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %3 = "core.sub"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: parts that leave something are slices
// RUN: simplify-indices,dce
^bb(%x: tensor<2x7xf32>):
  %0 = "core.constant"() {value = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %m = "core.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %f = "core.constant"() {value = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.slice"(%x, %0, %e, %1) {} : (tensor<2x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %b = "core.slice"(%x, %m, %f, %1) {} : (tensor<2x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.sub"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x7xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.constant"() {"value" = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.slice"(%0, %1, %3, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %7 = "core.slice"(%0, %2, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %8 = "core.sub"(%6, %7) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%8) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a slice of one place along an axis is a row that is gathered
// RUN: simplify-indices,dce
^bb(%x: tensor<5x2xf32>, %i: tensor<1xi64>):
  %z = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %b = "core.concat"(%i, %z) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %f = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %f) : (tensor<5x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x2xf32>, %1: tensor<1xi64>):
  %2 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %4 = "core.gather"(%0, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = true} : (tensor<5x2xf32>, tensor<i64>) -> (tensor<2xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<1x2xf32>)
  "mlconv.yield"(%6) : (tensor<1x2xf32>) -> ()

// -----
// CASE: axes of size 1 that go and come back elsewhere are moved, and several that come are one op
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x1x?x4xf32, {dims = ["b", "1", "s", "4"]}>):
  %q = "core.squeeze"(%x) {axes = [1]} : (tensor<?x1x?x4xf32, {dims = ["b", "1", "s", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  %m = "core.neg"(%q) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  %y = "core.expand_dims"(%q) {axes = [2]} : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> (tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>)
  %z = "core.expand_dims"(%y) {axes = [1]} : (tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>) -> (tensor<?x1x?x1x4xf32, {dims = ["b", "1", "s", "1", "4"]}>)
  "mlconv.yield"(%m, %y, %z) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>, tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>, tensor<?x1x?x1x4xf32, {dims = ["b", "1", "s", "1", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x?x4xf32, {dims = ["b", "1", "s", "4"]}>):
  %1 = "tfl.SQUEEZE"(%0) {"squeeze_dims" = [1]} : (tensor<?x1x?x4xf32, {dims = ["b", "1", "s", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  %2 = "tfl.NEG"(%1) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  %3 = "core.constant"() {"value" = dense<[0, 2, 1, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "tfl.TRANSPOSE"(%0, %3) : (tensor<?x1x?x4xf32, {dims = ["b", "1", "s", "4"]}>, tensor<4xi32>) -> (tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "tfl.EXPAND_DIMS"(%4, %5) : (tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>, tensor<1xi32>) -> (tensor<?x1x?x1x4xf32, {dims = ["b", "1", "s", "1", "4"]}>)
  "mlconv.yield"(%2, %4, %6) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>, tensor<?x?x1x4xf32, {dims = ["b", "s", "1", "4"]}>, tensor<?x1x?x1x4xf32, {dims = ["b", "1", "s", "1", "4"]}>) -> ()

// -----
// CASE: a size that another one divides is read from what has it, whose shape needs no table
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?xi64, {dims = ["b", "s"]}>, %m: tensor<?x?xi64, {dims = ["c", "t"]}>):
  %e = "core.constant"() {value = dense<[]> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %o = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %z = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %z1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %o1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %t1 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %mi = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %sx = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xi64, {dims = ["b", "s"]}>) -> (tensor<2xi64>)
  %sm = "core.shape_of"(%m) {dtype = i64} : (tensor<?x?xi64, {dims = ["c", "t"]}>) -> (tensor<2xi64>)
  %b1 = "core.slice"(%sx, %z1, %o1, %o1) {begin_mask = 0, end_mask = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %b = "core.reshape"(%b1, %e) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %c1 = "core.slice"(%sm, %z1, %o1, %o1) {begin_mask = 0, end_mask = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %cc = "core.reshape"(%c1, %e) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %t2 = "core.slice"(%sm, %o1, %t1, %o1) {begin_mask = 0, end_mask = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %tt = "core.reshape"(%t2, %e) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %ct = "core.mul"(%cc, %tt) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %n = "core.floor_div"(%ct, %b) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %k = "core.concat"(%b1, %mi) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %v = "core.reshape"(%m, %k) : (tensor<?x?xi64, {dims = ["c", "t"]}>, tensor<2xi64>) -> (tensor<?x?xi64, {dims = ["b", "floordiv(c*t,b)"]}>)
  %r = "core.range"(%z, %n, %o) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["floordiv(c*t,b)"]}>)
  %y = "core.add"(%v, %r) : (tensor<?x?xi64, {dims = ["b", "floordiv(c*t,b)"]}>, tensor<?xi64, {dims = ["floordiv(c*t,b)"]}>) -> (tensor<?x?xi64, {dims = ["b", "floordiv(c*t,b)"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xi64, {dims = ["b", "floordiv(c*t,b)"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xi64, {dims = ["b", "s"]}>, %1: tensor<?x?xi64, {dims = ["c", "t"]}>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xi64, {dims = ["b", "s"]}>) -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "tfl.CONCATENATION"(%4, %5) {"axis" = 0} : (tensor<2xi32>, tensor<1xi32>) -> (tensor<3xi32>)
  %7 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %8 = "tfl.GATHER"(%6, %7) {"axis" = 0, "batch_dims" = 0} : (tensor<3xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %9 = "tfl.RESHAPE"(%1, %8) : (tensor<?x?xi64, {dims = ["c", "t"]}>, tensor<2xi32>) -> (tensor<?x?xi64, {dims = ["b", "floordiv(c*t, b)"]}>)
  %10 = "tfl.SHAPE"(%9) {"out_type" = "INT64"} : (tensor<?x?xi64, {dims = ["b", "floordiv(c*t, b)"]}>) -> (tensor<2xi64>)
  %11 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %12 = "tfl.GATHER"(%10, %11) {"axis" = 0, "batch_dims" = 0} : (tensor<2xi64>, tensor<i32>) -> (tensor<i64>)
  %13 = "tfl.RANGE"(%3, %12, %2) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["floordiv(c*t, b)"]}>)
  %14 = "tfl.ADD"(%9, %13) : (tensor<?x?xi64, {dims = ["b", "floordiv(c*t, b)"]}>, tensor<?xi64, {dims = ["floordiv(c*t, b)"]}>) -> (tensor<?x?xi64, {dims = ["b", "floordiv(c*t, b)"]}>)
  "mlconv.yield"(%14) : (tensor<?x?xi64, {dims = ["b", "floordiv(c*t, b)"]}>) -> ()

// -----
// CASE: a block between places from the end is written at once: `x[-4:-2] = y`
// RUN: simplify-indices,dce
^bb(%x: tensor<?xf32, {dims = ["n+4"]}>, %u: tensor<2xf32>):
  %none = "core.constant"() {value = dense<[]> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %a = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %m4 = "core.constant"() {value = dense<[-4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %m2 = "core.constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %col = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["n+4"]}>) -> (tensor<1xi64>)
  %l = "core.reshape"(%n, %none) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %r = "core.range"(%a, %l, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n+4"]}>)
  %p = "core.slice"(%r, %m4, %m2, %one) {begin_mask = 0, end_mask = 0} : (tensor<?xi64, {dims = ["n+4"]}>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %i = "core.reshape"(%p, %col) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2x1xi64>)
  %y = "core.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<?xf32, {dims = ["n+4"]}>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["n+4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["n+4"]}>, %1: tensor<2xf32>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["n+4"]}>) -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%2, %3, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<-4> : tensor<i64>} : () -> (tensor<i64>)
  %8 = "core.add"(%6, %7) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %11 = "core.update_slice"(%0, %1, %10) : (tensor<?xf32, {dims = ["n+4"]}>, tensor<2xf32>, tensor<i64>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  "mlconv.yield"(%11) : (tensor<?xf32, {dims = ["n+4"]}>) -> ()

// -----
// CASE: what is written piece by piece, with one number each, is looked up
// RUN: simplify-indices,dce
^bb(%x: tensor<?xf32, {dims = ["n+4"]}>, %u: tensor<2xf32>):
  %none = "core.constant"() {value = dense<[]> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %a = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %m4 = "core.constant"() {value = dense<[-4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %m2 = "core.constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %col = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["n+4"]}>) -> (tensor<1xi64>)
  %l = "core.reshape"(%n, %none) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %r = "core.range"(%a, %l, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["n+4"]}>)
  %p = "core.slice"(%r, %m4, %m2, %one) {begin_mask = 0, end_mask = 0} : (tensor<?xi64, {dims = ["n+4"]}>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %i = "core.reshape"(%p, %col) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2x1xi64>)
  %q = "core.slice"(%r, %m2, %m2, %one) {begin_mask = 0, end_mask = 1} : (tensor<?xi64, {dims = ["n+4"]}>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %j = "core.reshape"(%q, %col) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2x1xi64>)
  %zero = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %o = "core.constant"() {value = dense<[1.0, 1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %t = "core.constant"() {value = dense<[2.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %f = "core.broadcast_to"(%zero, %n) : (tensor<f32>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  %v = "core.scatter_nd"(%f, %i, %o) {reduction = "none"} : (tensor<?xf32, {dims = ["n+4"]}>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  %y = "core.scatter_nd"(%v, %j, %t) {reduction = "none"} : (tensor<?xf32, {dims = ["n+4"]}>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["n+4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["n+4"]}>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %3 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["n+4"]}>) -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.slice"(%3, %4, %5, %6) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.slice"(%7, %8, %9, %10) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.constant"() {"value" = dense<-4> : tensor<i64>} : () -> (tensor<i64>)
  %13 = "core.add"(%11, %12) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %15 = "core.broadcast_to"(%14, %13) : (tensor<i64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %16 = "core.constant"() {"value" = dense<[1, 1, 2, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %17 = "core.concat"(%15, %16) {"axis" = 0} : (tensor<?xi64, {dims = ["n"]}>, tensor<4xi64>) -> (tensor<?xi64, {dims = ["n+4"]}>)
  %18 = "core.gather"(%2, %17) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xf32>, tensor<?xi64, {dims = ["n+4"]}>) -> (tensor<?xf32, {dims = ["n+4"]}>)
  "mlconv.yield"(%18) : (tensor<?xf32, {dims = ["n+4"]}>) -> ()

// -----
// CASE: what is made for its shape alone is not made
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?xf32, {dims = ["h+1", "w"]}>):
  %b = "core.constant"() {value = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.constant"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %st = "core.constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.exp"(%x) : (tensor<?x?xf32, {dims = ["h+1", "w"]}>) -> (tensor<?x?xf32, {dims = ["h+1", "w"]}>)
  %p = "core.slice"(%t, %b, %e, %st) {begin_mask = 2, end_mask = 3} : (tensor<?x?xf32, {dims = ["h+1", "w"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["h", "w"]}>)
  %n = "core.shape_of"(%p) {dtype = i64} : (tensor<?x?xf32, {dims = ["h", "w"]}>) -> (tensor<2xi64>)
  %c = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.broadcast_to"(%c, %n) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["h+1", "w"]}>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["h+1", "w"]}>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[-1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.ADD"(%2, %3) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
  %5 = "tfl.FILL"(%4, %1) : (tensor<2xi32>, tensor<f32>) -> (tensor<?x?xf32, {dims = ["h", "w"]}>)
  "mlconv.yield"(%5) : (tensor<?x?xf32, {dims = ["h", "w"]}>) -> ()
