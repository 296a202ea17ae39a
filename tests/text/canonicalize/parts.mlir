// CASE: the imaginary part of complex numbers that are stored as pairs is the second of what was joined
// RUN: canonicalize
^bb(%re: tensor<3x4x1xf32>, %im: tensor<3x4x1xf32>):
  %0 = "core.constant"() {value = dense<0> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {value = dense<2> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %pair = "core.concat"(%re, %im) {axis = 2} : (tensor<3x4x1xf32>, tensor<3x4x1xf32>) -> (tensor<3x4x2xf32>)
  %y = "core.slice"(%pair, %1, %2, %1) {begin_mask = 3, end_mask = 3} : (tensor<3x4x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4x1xf32>, %1: tensor<3x4x1xf32>):
  "mlconv.yield"(%1) : (tensor<3x4x1xf32>) -> ()

// -----
// CASE: a part of one of them, and a part of both
// RUN: canonicalize
^bb(%a: tensor<?x2xf32, {dims = ["n", "2"]}>, %b: tensor<?x3xf32, {dims = ["n", "3"]}>):
  %first = "core.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %other = "core.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %last = "core.constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %both = "core.concat"(%a, %b) {axis = 1} : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> (tensor<?x5xf32, {dims = ["n", "5"]}>)
  %y = "core.slice"(%both, %first, %last, %1) {begin_mask = 1, end_mask = 1} : (tensor<?x5xf32, {dims = ["n", "5"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %z = "core.slice"(%both, %other, %last, %1) {begin_mask = 1, end_mask = 1} : (tensor<?x5xf32, {dims = ["n", "5"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["n", "3"]}>)
  "mlconv.yield"(%y, %z) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x2xf32, {dims = ["n", "2"]}>, %1: tensor<?x3xf32, {dims = ["n", "3"]}>):
  %2 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.concat"(%0, %1) {"axis" = 1} : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> (tensor<?x5xf32, {dims = ["n", "5"]}>)
  %6 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %8 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %9 = "core.slice"(%1, %6, %7, %8) {"begin_mask" = 1, "end_mask" = 1} : (tensor<?x3xf32, {dims = ["n", "3"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %10 = "core.slice"(%5, %2, %3, %4) {"begin_mask" = 1, "end_mask" = 1} : (tensor<?x5xf32, {dims = ["n", "5"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["n", "3"]}>)
  "mlconv.yield"(%9, %10) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> ()

// -----
// CASE: an element of a pair, counted from the end
// RUN: canonicalize
^bb(%re: tensor<3x1xf32>, %im: tensor<3x1xf32>):
  %pair = "core.concat"(%re, %im) {axis = 1} : (tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x2xf32>)
  %at = "core.constant"() {value = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %y = "core.gather"(%pair, %at) {axis = 1} : (tensor<3x2xf32>, tensor<i64>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1xf32>, %1: tensor<3x1xf32>):
  %2 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<3x1xf32>, tensor<1xi64>) -> (tensor<3xf32>)
  "mlconv.yield"(%3) : (tensor<3xf32>) -> ()

// -----
// CASE: halves of complex numbers, and one that is a number for all
// RUN: canonicalize
^bb(%a: tensor<3xf32>, %b: tensor<f32>):
  %c = "core.complex"(%a, %b) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xcomplex<f32>>)
  %re = "core.real"(%c) : (tensor<3xcomplex<f32>>) -> (tensor<3xf32>)
  %im = "core.imag"(%c) : (tensor<3xcomplex<f32>>) -> (tensor<3xf32>)
  "mlconv.yield"(%re, %im) : (tensor<3xf32>, tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>, %1: tensor<f32>):
  %2 = "core.complex"(%0, %1) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xcomplex<f32>>)
  %3 = "core.imag"(%2) : (tensor<3xcomplex<f32>>) -> (tensor<3xf32>)
  "mlconv.yield"(%0, %3) : (tensor<3xf32>, tensor<3xf32>) -> ()

// -----
// CASE: what is behind the first element of running sums, of open size
// RUN: canonicalize
^bb(%sums: tensor<?xi64, {dims = ["n"]}>):
  %zero = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %splits = "core.concat"(%zero, %sums) {axis = 0} : (tensor<1xi64>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?xi64, {dims = ["n + 1"]}>)
  %y = "core.slice"(%splits, %1, %zero, %1) {begin_mask = 0, end_mask = 1} : (tensor<?xi64, {dims = ["n + 1"]}>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["n"]}>)
  "mlconv.yield"(%y) : (tensor<?xi64, {dims = ["n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi64, {dims = ["n"]}>):
  "mlconv.yield"(%0) : (tensor<?xi64, {dims = ["n"]}>) -> ()

// -----
// CASE: parts that are repeated for each of a batch are joined, and repeated together
// RUN: canonicalize,cse,dce
^bb(%a: tensor<?xf32, {dims = ["s"]}>, %b: tensor<1x3xf32>, %x: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %sh = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %p = "core.broadcast_to"(%a, %sh) : (tensor<?xf32, {dims = ["s"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "s"]}>)
  %z1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %o1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n1 = "core.slice"(%sh, %z1, %o1, %o1) {begin_mask = 0, end_mask = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %k = "core.concat"(%n1, %o1) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %q = "core.tile"(%b, %k) : (tensor<1x3xf32>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["n", "3"]}>)
  %y = "core.concat"(%p, %q) {axis = 1} : (tensor<?x?xf32, {dims = ["n", "s"]}>, tensor<?x3xf32, {dims = ["n", "3"]}>) -> (tensor<?x?xf32, {dims = ["n", "s+3"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["n", "s+3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>, %1: tensor<1x3xf32>, %2: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %3 = "core.shape_of"(%2) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.reshape"(%0, %4) : (tensor<?xf32, {dims = ["s"]}>, tensor<2xi64>) -> (tensor<1x?xf32, {dims = ["1", "s"]}>)
  %6 = "core.concat"(%5, %1) {"axis" = 1} : (tensor<1x?xf32, {dims = ["1", "s"]}>, tensor<1x3xf32>) -> (tensor<1x?xf32, {dims = ["1", "s+3"]}>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.slice"(%3, %7, %8, %8) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %10 = "core.shape_of"(%6) {"dtype" = i64} : (tensor<1x?xf32, {dims = ["1", "s+3"]}>) -> (tensor<2xi64>)
  %11 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "core.slice"(%10, %8, %11, %8) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %13 = "core.concat"(%9, %12) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %14 = "core.broadcast_to"(%6, %13) : (tensor<1x?xf32, {dims = ["1", "s+3"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "s+3"]}>)
  "mlconv.yield"(%14) : (tensor<?x?xf32, {dims = ["n", "s+3"]}>) -> ()

// -----
// CASE: a part that is there for each of a batch is joined to what is repeated
// RUN: canonicalize,cse,dce
^bb(%a: tensor<?xf32, {dims = ["s"]}>, %x: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %sh = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %p = "core.broadcast_to"(%a, %sh) : (tensor<?xf32, {dims = ["s"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "s"]}>)
  %y = "core.concat"(%p, %x) {axis = 1} : (tensor<?x?xf32, {dims = ["n", "s"]}>, tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<?x?xf32, {dims = ["n", "2*s"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["n", "2*s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>, %1: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %2 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %3 = "core.broadcast_to"(%0, %2) : (tensor<?xf32, {dims = ["s"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "s"]}>)
  %4 = "core.concat"(%3, %1) {"axis" = 1} : (tensor<?x?xf32, {dims = ["n", "s"]}>, tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<?x?xf32, {dims = ["n", "2*s"]}>)
  "mlconv.yield"(%4) : (tensor<?x?xf32, {dims = ["n", "2*s"]}>) -> ()

// -----
// CASE: a number of a vector of positions is the one that was put there
// RUN: canonicalize
^bb(%x: tensor<4x5xf32>, %update: tensor<1x5xf32>, %turn: tensor<i32>):
  %0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %none = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %row = "core.expand_dims"(%turn) {axes = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %places = "core.concat"(%row, %none) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %first = "core.gather"(%places, %0) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i64>) -> (tensor<i32>)
  %second = "core.gather"(%places, %1) {axis = 0, batch_dims = 0} : (tensor<2xi32>, tensor<i64>) -> (tensor<i32>)
  %y = "core.update_slice"(%x, %update, %first, %second) : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x5xf32>)
  "mlconv.yield"(%y) : (tensor<4x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>, %1: tensor<1x5xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.reshape"(%2, %5) : (tensor<i32>, tensor<1xi64>) -> (tensor<1xi32>)
  %7 = "core.concat"(%6, %4) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %8 = "core.gather"(%7, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi32>, tensor<i64>) -> (tensor<i32>)
  %9 = "core.update_slice"(%0, %1, %2, %8) : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x5xf32>)
  "mlconv.yield"(%9) : (tensor<4x5xf32>) -> ()
