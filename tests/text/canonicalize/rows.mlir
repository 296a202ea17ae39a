// CASE: rows that are written one after another are put together, the later one wins
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %a: tensor<1x3xf32>, %b: tensor<1x3xf32>, %c: tensor<1x3xf32>):
  %i0 = "core.constant"() {value = dense<0> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %i1 = "core.constant"() {value = dense<-1> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %p = "core.scatter_nd"(%x, %i0, %a) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  %q = "core.scatter_nd"(%p, %i1, %b) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  %r = "core.scatter_nd"(%q, %i0, %c) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<1x3xf32>, %2: tensor<1x3xf32>, %3: tensor<1x3xf32>):
  %4 = "core.concat"(%3, %2) {"axis" = 0} : (tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a row that is left out, or read in between, keeps the scatters
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %a: tensor<1x3xf32>, %b: tensor<1x3xf32>):
  %i0 = "core.constant"() {value = dense<0> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %i1 = "core.constant"() {value = dense<1> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %p = "core.scatter_nd"(%x, %i0, %a) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  %q = "core.scatter_nd"(%p, %i1, %b) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%p, %q) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<1x3xf32>, %2: tensor<1x3xf32>):
  %3 = "core.constant"() {"value" = dense<0> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %5 = "core.scatter_nd"(%0, %3, %1) {"reduction" = "none", "from_start" = false} : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  %6 = "core.scatter_nd"(%5, %4, %2) {"reduction" = "none", "from_start" = false} : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5, %6) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a row behind a pad is appended, and appended rows are one concat
// RUN: canonicalize
^bb(%x: tensor<1x3xf32>, %a: tensor<1x3xf32>, %b: tensor<1x3xf32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %w = "core.constant"() {value = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %i1 = "core.constant"() {value = dense<1> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %i2 = "core.constant"() {value = dense<2> : tensor<1x1xi32>} : () -> (tensor<1x1xi32>)
  %p = "core.pad"(%x, %w, %z) {mode = "constant"} : (tensor<1x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x3xf32>)
  %q = "core.scatter_nd"(%p, %i1, %a) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<2x3xf32>)
  %r = "core.pad"(%q, %w, %z) {mode = "constant"} : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<3x3xf32>)
  %s = "core.scatter_nd"(%r, %i2, %b) : (tensor<3x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%s) : (tensor<3x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>, %1: tensor<1x3xf32>, %2: tensor<1x3xf32>):
  %3 = "core.concat"(%0, %1, %2) {"axis" = 0} : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%3) : (tensor<3x3xf32>) -> ()

// -----
// CASE: a constant matrix times a column is a row times the matrix; an only row is a reshape
// RUN: canonicalize
^bb(%x: tensor<3x1xf32>, %v: tensor<1x5xf32>):
  %w = "core.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %y = "core.matmul"(%w, %x) : (tensor<2x3xf32>, tensor<3x1xf32>) -> (tensor<2x1xf32>)
  %i = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %r = "core.gather"(%v, %i) {axis = 0} : (tensor<1x5xf32>, tensor<i32>) -> (tensor<5xf32>)
  "mlconv.yield"(%y, %r) : (tensor<2x1xf32>, tensor<5xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1xf32>, %1: tensor<1x5xf32>):
  %2 = "core.constant"() {"value" = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.reshape"(%0, %3) : (tensor<3x1xf32>, tensor<2xi64>) -> (tensor<1x3xf32>)
  %5 = "core.matmul"(%4, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<1x2xf32>)
  %6 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<1x2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %8 = "core.constant"() {"value" = dense<[5]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.reshape"(%1, %8) : (tensor<1x5xf32>, tensor<1xi64>) -> (tensor<5xf32>)
  "mlconv.yield"(%7, %9) : (tensor<2x1xf32>, tensor<5xf32>) -> ()

// -----
// CASE: what is in front of a row and what is behind it, around another one, is the row written
// RUN: canonicalize,dce
^bb(%x: tensor<4x3xf32>, %r: tensor<1x3xf32>, %n: tensor<i32>):
  %0 = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %rest = "core.constant"() {value = dense<[-1, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %three = "core.constant"() {value = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %none = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %at = "core.maximum"(%n, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %a = "core.expand_dims"(%at) {axes = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %size = "core.concat"(%a, %three) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %next = "core.add"(%at, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %b = "core.expand_dims"(%next) {axes = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %begin = "core.concat"(%b, %none) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %head = "core.dynamic_slice"(%x, %0, %size) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32>)
  %tail = "core.dynamic_slice"(%x, %begin, %rest) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32>)
  %y = "core.concat"(%head, %r, %tail) {axis = 0} : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>)
  "mlconv.yield"(%y) : (tensor<?x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.maximum"(%2, %3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<i32>, tensor<2xi64>) -> (tensor<1x1xi32>)
  %7 = "core.scatter_nd"(%0, %6, %1) {"reduction" = "none", "from_start" = false} : (tensor<4x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%7) : (tensor<4x3xf32>) -> ()

// -----
// CASE: a place that may be below 0 is no row
// RUN: canonicalize,dce
^bb(%x: tensor<4x3xf32>, %r: tensor<1x3xf32>, %at: tensor<i32>):
  %0 = "core.constant"() {value = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %rest = "core.constant"() {value = dense<[-1, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %three = "core.constant"() {value = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %none = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %a = "core.expand_dims"(%at) {axes = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %size = "core.concat"(%a, %three) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %next = "core.add"(%at, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %b = "core.expand_dims"(%next) {axes = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %begin = "core.concat"(%b, %none) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %head = "core.dynamic_slice"(%x, %0, %size) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32>)
  %tail = "core.dynamic_slice"(%x, %begin, %rest) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32>)
  %y = "core.concat"(%head, %r, %tail) {axis = 0} : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>)
  "mlconv.yield"(%y) : (tensor<?x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "core.constant"() {"value" = dense<[-1, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.reshape"(%2, %8) : (tensor<i32>, tensor<1xi64>) -> (tensor<1xi32>)
  %10 = "core.concat"(%9, %6) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %11 = "core.add"(%2, %5) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "core.reshape"(%11, %12) : (tensor<i32>, tensor<1xi64>) -> (tensor<1xi32>)
  %14 = "core.concat"(%13, %7) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %15 = "core.dynamic_slice"(%0, %3, %10) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32, {dims = ["?1", "3"]}>)
  %16 = "core.dynamic_slice"(%0, %14, %4) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32, {dims = ["?2", "3"]}>)
  %17 = "core.concat"(%15, %1, %16) {"axis" = 0} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3xf32>, tensor<?x3xf32, {dims = ["?2", "3"]}>) -> (tensor<?x3xf32, {dims = ["?3", "3"]}>)
  "mlconv.yield"(%17) : (tensor<?x3xf32, {dims = ["?3", "3"]}>) -> ()
