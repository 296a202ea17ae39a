// CASE: a reshape that splits channels, and one that merges them, leave images with channels last
// RUN: layout
^bb(%x: tensor<1x4x8x6xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %a = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "O01I", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x8x6xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x6x4x8xf32>)
  %s = "core.constant"() {value = dense<[1, 2, 3, 4, 8]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %b = "core.reshape"(%a, %s) : (tensor<1x6x4x8xf32>, tensor<5xi64>) -> (tensor<1x2x3x4x8xf32>)
  %c = "core.transpose"(%b) {perm = [0, 2, 1, 3, 4]} : (tensor<1x2x3x4x8xf32>) -> (tensor<1x3x2x4x8xf32>)
  %t = "core.constant"() {value = dense<[1, 6, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %d = "core.reshape"(%c, %t) : (tensor<1x3x2x4x8xf32>, tensor<4xi64>) -> (tensor<1x6x4x8xf32>)
  %y = "core.conv"(%d, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "O01I", y_layout = "N01C", mlconv.absent = [2]} : (tensor<1x6x4x8xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x4x8x6xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x8x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x8x6xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x8x6xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x4x8x6xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 4, 8, 2, 3]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<1x4x8x6xf32>, tensor<5xi64>) -> (tensor<1x4x8x2x3xf32>)
  %5 = "core.transpose"(%4) {"perm" = [0, 1, 2, 4, 3]} : (tensor<1x4x8x2x3xf32>) -> (tensor<1x4x8x3x2xf32>)
  %6 = "core.constant"() {"value" = dense<[1, 4, 8, 6]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<1x4x8x3x2xf32>, tensor<4xi64>) -> (tensor<1x4x8x6xf32>)
  %8 = "core.conv"(%7, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x8x6xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x4x8x6xf32>)
  "mlconv.yield"(%8) : (tensor<1x4x8x6xf32>) -> ()

// -----
// CASE: a head of a detector, split and brought in order, moves nothing
// RUN: layout
^bb(%x: tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %a = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "O01I", y_layout = "NC01", mlconv.absent = [2]} : (tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>, tensor<6x1x1x6xf32>) -> (tensor<?x6x4x8xf32, {dims = ["n", "6", "4", "8"]}>)
  %s = "core.constant"() {value = dense<[-1, 2, 3, 4, 8]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %b = "core.reshape"(%a, %s) : (tensor<?x6x4x8xf32, {dims = ["n", "6", "4", "8"]}>, tensor<5xi64>) -> (tensor<?x2x3x4x8xf32, {dims = ["n", "2", "3", "4", "8"]}>)
  %c = "core.transpose"(%b) {perm = [0, 3, 4, 1, 2]} : (tensor<?x2x3x4x8xf32, {dims = ["n", "2", "3", "4", "8"]}>) -> (tensor<?x4x8x2x3xf32, {dims = ["n", "4", "8", "2", "3"]}>)
  %t = "core.constant"() {value = dense<[-1, 64, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%c, %t) : (tensor<?x4x8x2x3xf32, {dims = ["n", "4", "8", "2", "3"]}>, tensor<3xi64>) -> (tensor<?x64x3xf32, {dims = ["n", "64", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x64x3xf32, {dims = ["n", "64", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>, tensor<6x1x1x6xf32>) -> (tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>)
  %3 = "core.constant"() {"value" = dense<[-1, 4, 8, 2, 3]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<?x4x8x6xf32, {dims = ["n", "4", "8", "6"]}>, tensor<5xi64>) -> (tensor<?x4x8x2x3xf32, {dims = ["n", "4", "8", "2", "3"]}>)
  %5 = "core.constant"() {"value" = dense<[-1, 64, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<?x4x8x2x3xf32, {dims = ["n", "4", "8", "2", "3"]}>, tensor<3xi64>) -> (tensor<?x64x3xf32, {dims = ["n", "64", "3"]}>)
  "mlconv.yield"(%6) : (tensor<?x64x3xf32, {dims = ["n", "64", "3"]}>) -> ()

// -----
// CASE: a reshape that merges what channels last keep apart has its operand as it is
// RUN: layout
^bb(%x: tensor<1x4x8x6xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %a = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "O01I", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x8x6xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x6x4x8xf32>)
  %s = "core.constant"() {value = dense<[1, 192]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%a, %s) : (tensor<1x6x4x8xf32>, tensor<2xi64>) -> (tensor<1x192xf32>)
  "mlconv.yield"(%y) : (tensor<1x192xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x8x6xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6x1x1x6xf32>} : () -> (tensor<6x1x1x6xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x8x6xf32>, tensor<6x1x1x6xf32>) -> (tensor<1x4x8x6xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 192]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.transpose"(%2) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x8x6xf32>) -> (tensor<1x6x4x8xf32>)
  %5 = "core.reshape"(%4, %3) : (tensor<1x6x4x8xf32>, tensor<2xi64>) -> (tensor<1x192xf32>)
  "mlconv.yield"(%5) : (tensor<1x192xf32>) -> ()

// -----
// CASE: groups that are normalized keep their axes apart
// RUN: split-groups
^bb(%x: tensor<1x6x4x8xf32>):
  %s = "core.constant"() {value = dense<[1, 2, 96]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %s) : (tensor<1x6x4x8xf32>, tensor<3xi64>) -> (tensor<1x2x96xf32>)
  %m = "core.reduce_mean"(%a) {axes = [2], keepdims = true} : (tensor<1x2x96xf32>) -> (tensor<1x2x1xf32>)
  %c = "core.sub"(%a, %m) : (tensor<1x2x96xf32>, tensor<1x2x1xf32>) -> (tensor<1x2x96xf32>)
  %g = "core.constant"() {value = dense<[[3.0], [4.0]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %p = "core.mul"(%c, %g) : (tensor<1x2x96xf32>, tensor<2x1xf32>) -> (tensor<1x2x96xf32>)
  %t = "core.constant"() {value = dense<[1, 6, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%p, %t) : (tensor<1x2x96xf32>, tensor<4xi64>) -> (tensor<1x6x4x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 3, 4, 8]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x6x4x8xf32>, tensor<5xi64>) -> (tensor<1x2x3x4x8xf32>)
  %3 = "core.reduce_mean"(%2) {"axes" = [2, 3, 4], "keepdims" = true} : (tensor<1x2x3x4x8xf32>) -> (tensor<1x2x1x1x1xf32>)
  %4 = "core.sub"(%2, %3) : (tensor<1x2x3x4x8xf32>, tensor<1x2x1x1x1xf32>) -> (tensor<1x2x3x4x8xf32>)
  %5 = "core.constant"() {"value" = dense<[[3.0], [4.0]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %6 = "core.constant"() {"value" = dense<[2, 1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<2x1xf32>, tensor<4xi64>) -> (tensor<2x1x1x1xf32>)
  %8 = "core.mul"(%4, %7) : (tensor<1x2x3x4x8xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x2x3x4x8xf32>)
  %9 = "core.constant"() {"value" = dense<[1, 6, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<1x2x3x4x8xf32>, tensor<4xi64>) -> (tensor<1x6x4x8xf32>)
  "mlconv.yield"(%10) : (tensor<1x6x4x8xf32>) -> ()

// -----
// CASE: one group, of a signal, is what it is of
// RUN: split-groups
^bb(%x: tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>, %s: tensor<3xi64>, %t: tensor<3xi64>):
  %a = "core.reshape"(%x, %s) : (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>, tensor<3xi64>) -> (tensor<1x1x?xf32, {dims = ["1", "1", "6*t"]}>)
  %m = "core.reduce_mean"(%a) {axes = [2], keepdims = true} : (tensor<1x1x?xf32, {dims = ["1", "1", "6*t"]}>) -> (tensor<1x1x1xf32>)
  %c = "core.sub"(%a, %m) : (tensor<1x1x?xf32, {dims = ["1", "1", "6*t"]}>, tensor<1x1x1xf32>) -> (tensor<1x1x?xf32, {dims = ["1", "1", "6*t"]}>)
  %y = "core.reshape"(%c, %t) : (tensor<1x1x?xf32, {dims = ["1", "1", "6*t"]}>, tensor<3xi64>) -> (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>)
  "mlconv.yield"(%y) : (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>, %1: tensor<3xi64>, %2: tensor<3xi64>):
  %3 = "core.reduce_mean"(%0) {"axes" = [1, 2], "keepdims" = true} : (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>) -> (tensor<1x1x1xf32>)
  %4 = "core.sub"(%0, %3) : (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>, tensor<1x1x1xf32>) -> (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>)
  "mlconv.yield"(%4) : (tensor<1x6x?xf32, {dims = ["1", "6", "t"]}>) -> ()

// -----
// CASE: groups of one channel need no axes more
// RUN: split-groups
^bb(%x: tensor<1x6x2x2xf32>):
  %s = "core.constant"() {value = dense<[1, 6, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %s) : (tensor<1x6x2x2xf32>, tensor<3xi64>) -> (tensor<1x6x4xf32>)
  %m = "core.reduce_mean"(%a) {axes = [2], keepdims = true} : (tensor<1x6x4xf32>) -> (tensor<1x6x1xf32>)
  %c = "core.sub"(%a, %m) : (tensor<1x6x4xf32>, tensor<1x6x1xf32>) -> (tensor<1x6x4xf32>)
  %t = "core.constant"() {value = dense<[1, 6, 2, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%c, %t) : (tensor<1x6x4xf32>, tensor<4xi64>) -> (tensor<1x6x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x2x2xf32>):
  %1 = "core.reduce_mean"(%0) {"axes" = [2, 3], "keepdims" = true} : (tensor<1x6x2x2xf32>) -> (tensor<1x6x1x1xf32>)
  %2 = "core.sub"(%0, %1) : (tensor<1x6x2x2xf32>, tensor<1x6x1x1xf32>) -> (tensor<1x6x2x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x6x2x2xf32>) -> ()

// -----
// CASE: groups of a signal keep their axes apart
// RUN: split-groups
^bb(%x: tensor<1x6x4xf32>):
  %s = "core.constant"() {value = dense<[1, 2, 12]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %s) : (tensor<1x6x4xf32>, tensor<3xi64>) -> (tensor<1x2x12xf32>)
  %m = "core.reduce_mean"(%a) {axes = [2], keepdims = true} : (tensor<1x2x12xf32>) -> (tensor<1x2x1xf32>)
  %c = "core.sub"(%a, %m) : (tensor<1x2x12xf32>, tensor<1x2x1xf32>) -> (tensor<1x2x12xf32>)
  %t = "core.constant"() {value = dense<[1, 6, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%c, %t) : (tensor<1x2x12xf32>, tensor<3xi64>) -> (tensor<1x6x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 3, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x6x4xf32>, tensor<4xi64>) -> (tensor<1x2x3x4xf32>)
  %3 = "core.reduce_mean"(%2) {"axes" = [2, 3], "keepdims" = true} : (tensor<1x2x3x4xf32>) -> (tensor<1x2x1x1xf32>)
  %4 = "core.sub"(%2, %3) : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x2x3x4xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 6, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1x2x3x4xf32>, tensor<3xi64>) -> (tensor<1x6x4xf32>)
  "mlconv.yield"(%6) : (tensor<1x6x4xf32>) -> ()

// -----
// CASE: groups whose pixels are merged behind them keep their axes apart
// RUN: split-groups
^bb(%x: tensor<1x6x4x8xf32>):
  %s = "core.constant"() {value = dense<[1, 2, 96]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %s) : (tensor<1x6x4x8xf32>, tensor<3xi64>) -> (tensor<1x2x96xf32>)
  %m = "core.reduce_mean"(%a) {axes = [2], keepdims = true} : (tensor<1x2x96xf32>) -> (tensor<1x2x1xf32>)
  %c = "core.sub"(%a, %m) : (tensor<1x2x96xf32>, tensor<1x2x1xf32>) -> (tensor<1x2x96xf32>)
  %t = "core.constant"() {value = dense<[1, 6, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%c, %t) : (tensor<1x2x96xf32>, tensor<3xi64>) -> (tensor<1x6x32xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 3, 4, 8]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x6x4x8xf32>, tensor<5xi64>) -> (tensor<1x2x3x4x8xf32>)
  %3 = "core.reduce_mean"(%2) {"axes" = [2, 3, 4], "keepdims" = true} : (tensor<1x2x3x4x8xf32>) -> (tensor<1x2x1x1x1xf32>)
  %4 = "core.sub"(%2, %3) : (tensor<1x2x3x4x8xf32>, tensor<1x2x1x1x1xf32>) -> (tensor<1x2x3x4x8xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 6, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1x2x3x4x8xf32>, tensor<3xi64>) -> (tensor<1x6x32xf32>)
  "mlconv.yield"(%6) : (tensor<1x6x32xf32>) -> ()

// -----
// CASE: groups whose order of pixels matters stay merged
// RUN: split-groups
^bb(%x: tensor<1x6x4x8xf32>):
  %s = "core.constant"() {value = dense<[1, 2, 96]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %s) : (tensor<1x6x4x8xf32>, tensor<3xi64>) -> (tensor<1x2x96xf32>)
  %c = "core.cumsum"(%a) {axis = 2} : (tensor<1x2x96xf32>) -> (tensor<1x2x96xf32>)
  %t = "core.constant"() {value = dense<[1, 6, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%c, %t) : (tensor<1x2x96xf32>, tensor<4xi64>) -> (tensor<1x6x4x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x6x4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 96]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x6x4x8xf32>, tensor<3xi64>) -> (tensor<1x2x96xf32>)
  %3 = "core.cumsum"(%2) {"axis" = 2, "exclusive" = false, "reverse" = false} : (tensor<1x2x96xf32>) -> (tensor<1x2x96xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 6, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.reshape"(%3, %4) : (tensor<1x2x96xf32>, tensor<4xi64>) -> (tensor<1x6x4x8xf32>)
  "mlconv.yield"(%5) : (tensor<1x6x4x8xf32>) -> ()

// -----
// CASE: axes that are known at run time are merged under any layout that keeps them together: patches of an image
// RUN: layout
^bb(%x: tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>, %k: tensor<4x3x1x1xf32>, %s: tensor<3xi64>):
  %c = "core.conv"(%x, %k) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>, tensor<4x3x1x1xf32>) -> (tensor<1x4x?x?xf32, {dims = ["1", "4", "h", "w"]}>)
  %r = "core.reshape"(%c, %s) : (tensor<1x4x?x?xf32, {dims = ["1", "4", "h", "w"]}>, tensor<3xi64>) -> (tensor<1x4x?xf32, {dims = ["1", "4", "h*w"]}>)
  %t = "core.transpose"(%r) {perm = [0, 2, 1]} : (tensor<1x4x?xf32, {dims = ["1", "4", "h*w"]}>) -> (tensor<1x?x4xf32, {dims = ["1", "h*w", "4"]}>)
  "mlconv.yield"(%t) : (tensor<1x?x4xf32, {dims = ["1", "h*w", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>, %1: tensor<4x3x1x1xf32>, %2: tensor<3xi64>):
  %3 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>) -> (tensor<1x?x?x3xf32, {dims = ["1", "h", "w", "3"]}>)
  %4 = "core.conv"(%3, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x?x?x3xf32, {dims = ["1", "h", "w", "3"]}>, tensor<4x3x1x1xf32>) -> (tensor<1x?x?x4xf32, {dims = ["1", "h", "w", "4"]}>)
  %5 = "core.constant"() {"value" = dense<[0, 2, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.gather"(%2, %5) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %7 = "core.reshape"(%4, %6) : (tensor<1x?x?x4xf32, {dims = ["1", "h", "w", "4"]}>, tensor<3xi64>) -> (tensor<1x?x4xf32, {dims = ["1", "h*w", "4"]}>)
  "mlconv.yield"(%7) : (tensor<1x?x4xf32, {dims = ["1", "h*w", "4"]}>) -> ()

// -----
// CASE: an axis of size 1 that is split off and dropped stands anywhere
// Parts of one product: what is added as it is moves nothing; the other one is moved for its product alone.
// RUN: layout,dce
^bb(%x: tensor<1x10x3x2x4xf32>, %k: tensor<1x2x10x10xf32>):
  %t = "core.transpose"(%x) {perm = [2, 0, 3, 1, 4]} : (tensor<1x10x3x2x4xf32>) -> (tensor<3x1x2x10x4xf32>)
  %one, %two, %three = "core.split"(%t) {sizes = [1, 1, 1], axis = 0} : (tensor<3x1x2x10x4xf32>) -> (tensor<1x1x2x10x4xf32>, tensor<1x1x2x10x4xf32>, tensor<1x1x2x10x4xf32>)
  %s = "core.constant"() {value = dense<[1, 2, 10, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %q = "core.reshape"(%one, %s) : (tensor<1x1x2x10x4xf32>, tensor<4xi64>) -> (tensor<1x2x10x4xf32>)
  %v = "core.reshape"(%three, %s) : (tensor<1x1x2x10x4xf32>, tensor<4xi64>) -> (tensor<1x2x10x4xf32>)
  %m = "core.matmul"(%k, %q) : (tensor<1x2x10x10xf32>, tensor<1x2x10x4xf32>) -> (tensor<1x2x10x4xf32>)
  %a = "core.add"(%m, %v) : (tensor<1x2x10x4xf32>, tensor<1x2x10x4xf32>) -> (tensor<1x2x10x4xf32>)
  %u = "core.transpose"(%a) {perm = [0, 2, 1, 3]} : (tensor<1x2x10x4xf32>) -> (tensor<1x10x2x4xf32>)
  %r = "core.constant"() {value = dense<[1, 10, 8]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%u, %r) : (tensor<1x10x2x4xf32>, tensor<3xi64>) -> (tensor<1x10x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x10x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x10x3x2x4xf32>, %1: tensor<1x2x10x10xf32>):
  %2, %3, %4 = "core.split"(%0) {"sizes" = [1, 1, 1], "axis" = 2} : (tensor<1x10x3x2x4xf32>) -> (tensor<1x10x1x2x4xf32>, tensor<1x10x1x2x4xf32>, tensor<1x10x1x2x4xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 10, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %6 = "core.reshape"(%2, %5) : (tensor<1x10x1x2x4xf32>, tensor<4xi64>) -> (tensor<1x10x2x4xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 10, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%4, %7) : (tensor<1x10x1x2x4xf32>, tensor<4xi64>) -> (tensor<1x10x2x4xf32>)
  %9 = "core.transpose"(%6) {"perm" = [0, 2, 1, 3]} : (tensor<1x10x2x4xf32>) -> (tensor<1x2x10x4xf32>)
  %10 = "core.matmul"(%1, %9) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2x10x10xf32>, tensor<1x2x10x4xf32>) -> (tensor<1x2x10x4xf32>)
  %11 = "core.transpose"(%10) {"perm" = [0, 2, 1, 3]} : (tensor<1x2x10x4xf32>) -> (tensor<1x10x2x4xf32>)
  %12 = "core.add"(%11, %8) : (tensor<1x10x2x4xf32>, tensor<1x10x2x4xf32>) -> (tensor<1x10x2x4xf32>)
  %13 = "core.constant"() {"value" = dense<[1, 10, 8]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %14 = "core.reshape"(%12, %13) : (tensor<1x10x2x4xf32>, tensor<3xi64>) -> (tensor<1x10x8xf32>)
  "mlconv.yield"(%14) : (tensor<1x10x8xf32>) -> ()

// -----
// CASE: places of an image that are merged move nothing, however their number is told
// RUN: layout
^bb(%x: tensor<?x4x?x?xf32, {dims = ["n", "4", "h", "w"]}>, %k: tensor<3xi64>, %q: tensor<?xf32, {dims = ["p"]}>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x4x1x1xf32>} : () -> (tensor<6x4x1x1xf32>)
  %i = "core.transpose"(%x) {perm = [0, 2, 3, 1]} : (tensor<?x4x?x?xf32, {dims = ["n", "4", "h", "w"]}>) -> (tensor<?x?x?x4xf32, {dims = ["n", "h", "w", "4"]}>)
  %a = "core.conv"(%i, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<?x?x?x4xf32, {dims = ["n", "h", "w", "4"]}>, tensor<6x4x1x1xf32>) -> (tensor<?x6x?x?xf32, {dims = ["n", "6", "h", "w"]}>)
  %b = "core.reshape"(%a, %k) : (tensor<?x6x?x?xf32, {dims = ["n", "6", "h", "w"]}>, tensor<3xi64>) -> (tensor<?x6x?xf32, {dims = ["n", "6", "p"]}>)
  %y = "core.transpose"(%b) {perm = [0, 2, 1]} : (tensor<?x6x?xf32, {dims = ["n", "6", "p"]}>) -> (tensor<?x?x6xf32, {dims = ["n", "p", "6"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x6xf32, {dims = ["n", "p", "6"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4x?x?xf32, {dims = ["n", "4", "h", "w"]}>, %1: tensor<3xi64>, %2: tensor<?xf32, {dims = ["p"]}>):
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<6x4x1x1xf32>} : () -> (tensor<6x4x1x1xf32>)
  %4 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<?x4x?x?xf32, {dims = ["n", "4", "h", "w"]}>) -> (tensor<?x?x?x4xf32, {dims = ["n", "h", "w", "4"]}>)
  %5 = "core.conv"(%4, %3) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<?x?x?x4xf32, {dims = ["n", "h", "w", "4"]}>, tensor<6x4x1x1xf32>) -> (tensor<?x?x?x6xf32, {dims = ["n", "h", "w", "6"]}>)
  %6 = "core.constant"() {"value" = dense<[0, 2, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %7 = "core.gather"(%1, %6) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %8 = "core.reshape"(%5, %7) : (tensor<?x?x?x6xf32, {dims = ["n", "h", "w", "6"]}>, tensor<3xi64>) -> (tensor<?x?x6xf32, {dims = ["n", "p", "6"]}>)
  "mlconv.yield"(%8) : (tensor<?x?x6xf32, {dims = ["n", "p", "6"]}>) -> ()
