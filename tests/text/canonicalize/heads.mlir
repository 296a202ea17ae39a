// CASE: queries, keys and values are divided into heads before they are parted
// RUN: canonicalize,dce
^bb(%x: tensor<?x5x24xf32, {dims = ["b", "5", "24"]}>):
  %q, %k, %v = "core.split"(%x) {sizes = [8, 8, 8], axis = 2} : (tensor<?x5x24xf32, {dims = ["b", "5", "24"]}>) -> (tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>, tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>, tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>)
  %s = "core.constant"() {value = dense<[-1, 5, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %a = "core.reshape"(%q, %s) : (tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>, tensor<4xi64>) -> (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>)
  %b = "core.reshape"(%k, %s) : (tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>, tensor<4xi64>) -> (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>)
  %c = "core.reshape"(%v, %s) : (tensor<?x5x8xf32, {dims = ["b", "5", "8"]}>, tensor<4xi64>) -> (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>)
  "mlconv.yield"(%a, %b, %c) : (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x5x24xf32, {dims = ["b", "5", "24"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 5, 6, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x5x24xf32, {dims = ["b", "5", "24"]}>, tensor<4xi64>) -> (tensor<?x5x6x4xf32, {dims = ["b", "5", "6", "4"]}>)
  %3, %4, %5 = "core.split"(%2) {"sizes" = [2, 2, 2], "axis" = 2} : (tensor<?x5x6x4xf32, {dims = ["b", "5", "6", "4"]}>) -> (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>)
  "mlconv.yield"(%3, %4, %5) : (tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>, tensor<?x5x2x4xf32, {dims = ["b", "5", "2", "4"]}>) -> ()

// -----
// CASE: as many heads as each has, in channels first
// RUN: canonicalize,dce
^bb(%x: tensor<1x16x3x3xf32>):
  %q, %k, %v = "core.split"(%x) {sizes = [8, 4, 4], axis = 1} : (tensor<1x16x3x3xf32>) -> (tensor<1x8x3x3xf32>, tensor<1x4x3x3xf32>, tensor<1x4x3x3xf32>)
  %s = "core.constant"() {value = dense<[4, 2, 9]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %t = "core.constant"() {value = dense<[2, 2, 9]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%q, %s) : (tensor<1x8x3x3xf32>, tensor<3xi64>) -> (tensor<4x2x9xf32>)
  %b = "core.reshape"(%k, %t) : (tensor<1x4x3x3xf32>, tensor<3xi64>) -> (tensor<2x2x9xf32>)
  %c = "core.reshape"(%v, %t) : (tensor<1x4x3x3xf32>, tensor<3xi64>) -> (tensor<2x2x9xf32>)
  "mlconv.yield"(%a, %b, %c) : (tensor<4x2x9xf32>, tensor<2x2x9xf32>, tensor<2x2x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16x3x3xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 2, 9]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x16x3x3xf32>, tensor<3xi64>) -> (tensor<8x2x9xf32>)
  %3, %4, %5 = "core.split"(%2) {"sizes" = [4, 2, 2], "axis" = 0} : (tensor<8x2x9xf32>) -> (tensor<4x2x9xf32>, tensor<2x2x9xf32>, tensor<2x2x9xf32>)
  "mlconv.yield"(%3, %4, %5) : (tensor<4x2x9xf32>, tensor<2x2x9xf32>, tensor<2x2x9xf32>) -> ()

// -----
// CASE: heads of other sizes, and parts that are used whole too, stay
// RUN: canonicalize,dce
^bb(%x: tensor<5x16xf32>):
  %q, %k = "core.split"(%x) {sizes = [8, 8], axis = 1} : (tensor<5x16xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>)
  %s = "core.constant"() {value = dense<[5, 2, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %t = "core.constant"() {value = dense<[5, 4, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%q, %s) : (tensor<5x8xf32>, tensor<3xi64>) -> (tensor<5x2x4xf32>)
  %b = "core.reshape"(%k, %t) : (tensor<5x8xf32>, tensor<3xi64>) -> (tensor<5x4x2xf32>)
  %r, %u = "core.split"(%x) {sizes = [4, 12], axis = 1} : (tensor<5x16xf32>) -> (tensor<5x4xf32>, tensor<5x12xf32>)
  %v = "core.constant"() {value = dense<[5, 1, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c = "core.reshape"(%r, %v) : (tensor<5x4xf32>, tensor<3xi64>) -> (tensor<5x1x4xf32>)
  "mlconv.yield"(%a, %b, %c, %u) : (tensor<5x2x4xf32>, tensor<5x4x2xf32>, tensor<5x1x4xf32>, tensor<5x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x16xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [8, 8], "axis" = 1} : (tensor<5x16xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>)
  %3 = "core.constant"() {"value" = dense<[5, 2, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.constant"() {"value" = dense<[5, 4, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %5 = "core.reshape"(%1, %3) : (tensor<5x8xf32>, tensor<3xi64>) -> (tensor<5x2x4xf32>)
  %6 = "core.reshape"(%2, %4) : (tensor<5x8xf32>, tensor<3xi64>) -> (tensor<5x4x2xf32>)
  %7, %8 = "core.split"(%0) {"sizes" = [4, 12], "axis" = 1} : (tensor<5x16xf32>) -> (tensor<5x4xf32>, tensor<5x12xf32>)
  %9 = "core.constant"() {"value" = dense<[5, 1, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %10 = "core.reshape"(%7, %9) : (tensor<5x4xf32>, tensor<3xi64>) -> (tensor<5x1x4xf32>)
  "mlconv.yield"(%5, %6, %10, %8) : (tensor<5x2x4xf32>, tensor<5x4x2xf32>, tensor<5x1x4xf32>, tensor<5x12xf32>) -> ()

// -----
// CASE: heads of a whole with two open sizes, which it is asked for by a part of it
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>):
  %q, %k = "core.split"(%x) {sizes = [4, 4], axis = 2} : (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>) -> (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>, tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>)
  %n = "core.shape_of"(%k) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>) -> (tensor<3xi64>)
  %p = "core.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %m = "core.gather"(%n, %p) {axis = 0} : (tensor<3xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %h = "core.constant"() {value = dense<2> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %s = "core.concat"(%m, %h) {axis = 0} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %a = "core.reshape"(%q, %s) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>, tensor<4xi64>) -> (tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>)
  %b = "core.reshape"(%k, %s) : (tensor<?x?x4xf32, {dims = ["b", "s", "4"]}>, tensor<4xi64>) -> (tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>)
  "mlconv.yield"(%a, %b) : (tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>, tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.slice"(%1, %2, %3, %3) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%1, %3, %5, %3) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %8 = "core.concat"(%4, %6, %7) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %9 = "core.reshape"(%0, %8) : (tensor<?x?x8xf32, {dims = ["b", "s", "8"]}>, tensor<4xi64>) -> (tensor<?x?x4x2xf32, {dims = ["b", "s", "4", "2"]}>)
  %10, %11 = "core.split"(%9) {"sizes" = [2, 2], "axis" = 2} : (tensor<?x?x4x2xf32, {dims = ["b", "s", "4", "2"]}>) -> (tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>, tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>)
  "mlconv.yield"(%10, %11) : (tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>, tensor<?x?x2x2xf32, {dims = ["b", "s", "2", "2"]}>) -> ()
