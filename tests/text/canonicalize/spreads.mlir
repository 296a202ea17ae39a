// CASE: angles of positions, twice behind themselves, are those of frequencies that are
// RUN: canonicalize,fold,canonicalize,dce
^bb(%x: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %r = "core.constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.mul"(%x, %r) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<2xf32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %c = "core.concat"(%m, %m) {axis = 1} : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  %y = "core.cos"(%c) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 0.5, 1.0, 0.5]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<4xf32>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  %3 = "core.cos"(%2) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%3) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()

// -----
// CASE: angles that something else reads stay apart
// RUN: canonicalize,fold,canonicalize,dce
^bb(%x: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %r = "core.constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.mul"(%x, %r) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<2xf32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %c = "core.concat"(%m, %m) {axis = 1} : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%c, %m) : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["s", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<?x1xf32, {dims = ["s", "1"]}>, tensor<2xf32>) -> (tensor<?x2xf32, {dims = ["s", "2"]}>)
  %3 = "core.concat"(%2, %2) {"axis" = 1} : (tensor<?x2xf32, {dims = ["s", "2"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%3, %2) : (tensor<?x4xf32, {dims = ["s", "4"]}>, tensor<?x2xf32, {dims = ["s", "2"]}>) -> ()

// -----
// CASE: sines and cosines for all heads get the axis of the heads with their positions
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?xf32, {dims = ["s"]}>):
  %k = "core.constant"() {value = dense<[1, -1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %p = "core.reshape"(%x, %k) : (tensor<?xf32, {dims = ["s"]}>, tensor<3xi64>) -> (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>)
  %r = "core.constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.mul"(%p, %r) : (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>, tensor<2xf32>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %c = "core.cos"(%m) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %s = "core.sin"(%m) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %h = "core.constant"() {value = dense<[1, -1, 1, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %a = "core.reshape"(%c, %h) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<4xi64>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  %b = "core.reshape"(%s, %h) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<4xi64>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  "mlconv.yield"(%a, %b) : (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>, tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, -1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%0, %2) : (tensor<?xf32, {dims = ["s"]}>, tensor<4xi64>) -> (tensor<1x?x1x1xf32, {dims = ["1", "s", "1", "1"]}>)
  %4 = "core.mul"(%3, %1) : (tensor<1x?x1x1xf32, {dims = ["1", "s", "1", "1"]}>, tensor<2xf32>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  %5 = "core.cos"(%4) : (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  %6 = "core.sin"(%4) : (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  "mlconv.yield"(%5, %6) : (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>, tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> ()

// -----
// CASE: sines that are read without the axis too are given it behind
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?xf32, {dims = ["s"]}>):
  %k = "core.constant"() {value = dense<[1, -1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %p = "core.reshape"(%x, %k) : (tensor<?xf32, {dims = ["s"]}>, tensor<3xi64>) -> (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>)
  %r = "core.constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.mul"(%p, %r) : (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>, tensor<2xf32>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %s = "core.sin"(%m) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %h = "core.constant"() {value = dense<[1, -1, 1, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %b = "core.reshape"(%s, %h) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<4xi64>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  "mlconv.yield"(%s, %b) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>):
  %1 = "core.constant"() {"value" = dense<[1, -1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?xf32, {dims = ["s"]}>, tensor<3xi64>) -> (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>)
  %3 = "core.constant"() {"value" = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<1x?x1xf32, {dims = ["1", "s", "1"]}>, tensor<2xf32>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %5 = "core.sin"(%4) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>) -> (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>)
  %6 = "core.constant"() {"value" = dense<[1, -1, 1, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<4xi64>) -> (tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>)
  "mlconv.yield"(%5, %7) : (tensor<1x?x2xf32, {dims = ["1", "s", "2"]}>, tensor<1x?x1x2xf32, {dims = ["1", "s", "1", "2"]}>) -> ()

// -----
// CASE: sizes of which two are open are not asked for again
// RUN: canonicalize,fold,canonicalize,cse,dce
^bb(%x: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %sh = "core.shape_of"(%x) : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %o = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %t = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %k = "core.concat"(%sh, %o) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %p = "core.reshape"(%x, %k) : (tensor<?x?xf32, {dims = ["n", "s"]}>, tensor<3xi64>) -> (tensor<?x?x1xf32, {dims = ["n", "s", "1"]}>)
  %r = "core.constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.mul"(%p, %r) : (tensor<?x?x1xf32, {dims = ["n", "s", "1"]}>, tensor<2xf32>) -> (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>)
  %c = "core.cos"(%m) : (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>) -> (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>)
  %h = "core.concat"(%sh, %o, %t) {axis = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %a = "core.reshape"(%c, %h) : (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>, tensor<4xi64>) -> (tensor<?x?x1x2xf32, {dims = ["n", "s", "1", "2"]}>)
  "mlconv.yield"(%a) : (tensor<?x?x1x2xf32, {dims = ["n", "s", "1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "s"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["n", "s"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.concat"(%1, %2) {"axis" = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %5 = "core.reshape"(%0, %4) : (tensor<?x?xf32, {dims = ["n", "s"]}>, tensor<3xi64>) -> (tensor<?x?x1xf32, {dims = ["n", "s", "1"]}>)
  %6 = "core.constant"() {"value" = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %7 = "core.mul"(%5, %6) : (tensor<?x?x1xf32, {dims = ["n", "s", "1"]}>, tensor<2xf32>) -> (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>)
  %8 = "core.cos"(%7) : (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>) -> (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>)
  %9 = "core.concat"(%1, %2, %3) {"axis" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<?x?x2xf32, {dims = ["n", "s", "2"]}>, tensor<4xi64>) -> (tensor<?x?x1x2xf32, {dims = ["n", "s", "1", "2"]}>)
  "mlconv.yield"(%10) : (tensor<?x?x1x2xf32, {dims = ["n", "s", "1", "2"]}>) -> ()
