// CASE: constant weights are turned and make FULLY_CONNECTED
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %y = "core.matmul"(%x, %c1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 3], [2, 3], \"transpose\", [1, 0], [dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]> : tensor<3x2xf32>]]">} : () -> (tensor<2x3xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x2xf32>) -> ()

// -----
// CASE: weights that are turned already stay
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %y = "core.matmul"(%x, %c1) {transpose_b = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x2xf32>) -> ()

// -----
// CASE: two values make BATCH_MATMUL
// RUN: to-tfl,tfl-merge
^bb(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x4x5xf32>):
  %2 = "tfl.BATCH_MATMUL"(%0, %1) {"adj_x" = false, "adj_y" = false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: transposed values are options of BATCH_MATMUL
// RUN: to-tfl,tfl-merge
^bb(%a: tensor<2x4x3xf32>, %b: tensor<2x5x4xf32>):
  %y = "core.matmul"(%a, %b) {transpose_a = true, transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4x3xf32>, %1: tensor<2x5x4xf32>):
  %2 = "tfl.BATCH_MATMUL"(%0, %1) {"adj_x" = true, "adj_y" = true} : (tensor<2x4x3xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: more batch axes than the kernel takes are merged
// RUN: to-tfl,tfl-merge
^bb(%a: tensor<2x2x2x2x3x4xf32>, %b: tensor<2x2x2x2x4x5xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x2x2x2x3x4xf32>, tensor<2x2x2x2x4x5xf32>) -> (tensor<2x2x2x2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x2x2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x2x2x3x4xf32>, %1: tensor<2x2x2x2x4x5xf32>):
  %2 = "core.constant"() {"value" = dense<[16, 3, 4]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %3 = "tfl.RESHAPE"(%0, %2) {"new_shape" = [16, 3, 4]} : (tensor<2x2x2x2x3x4xf32>, tensor<3xi32>) -> (tensor<16x3x4xf32>)
  %4 = "core.constant"() {"value" = dense<[16, 4, 5]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.RESHAPE"(%1, %4) {"new_shape" = [16, 4, 5]} : (tensor<2x2x2x2x4x5xf32>, tensor<3xi32>) -> (tensor<16x4x5xf32>)
  %6 = "tfl.BATCH_MATMUL"(%3, %5) {"adj_x" = false, "adj_y" = false} : (tensor<16x3x4xf32>, tensor<16x4x5xf32>) -> (tensor<16x3x5xf32>)
  %7 = "core.constant"() {"value" = dense<[2, 2, 2, 2, 3, 5]> : tensor<6xi32>} : () -> (tensor<6xi32>)
  %8 = "tfl.RESHAPE"(%6, %7) {"new_shape" = [2, 2, 2, 2, 3, 5]} : (tensor<16x3x5xf32>, tensor<6xi32>) -> (tensor<2x2x2x2x3x5xf32>)
  "mlconv.yield"(%8) : (tensor<2x2x2x2x3x5xf32>) -> ()

// -----
// CASE: integers are products and a sum
// RUN: to-tfl,tfl-merge
^bb(%a: tensor<2x3xi32>, %b: tensor<3x4xi32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3xi32>, tensor<3x4xi32>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%y) : (tensor<2x4xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>, %1: tensor<3x4xi32>):
  %2 = "core.constant"() {"value" = dense<[-1, 3, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %3 = "tfl.RESHAPE"(%0, %2) {"new_shape" = [-1, 3, 1]} : (tensor<2x3xi32>, tensor<3xi32>) -> (tensor<2x3x1xi32>)
  %4 = "core.constant"() {"value" = dense<[1, -1, 4]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.RESHAPE"(%1, %4) {"new_shape" = [1, -1, 4]} : (tensor<3x4xi32>, tensor<3xi32>) -> (tensor<1x3x4xi32>)
  %6 = "tfl.MUL"(%3, %5) : (tensor<2x3x1xi32>, tensor<1x3x4xi32>) -> (tensor<2x3x4xi32>)
  %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "tfl.SUM"(%6, %7) {"keep_dims" = false} : (tensor<2x3x4xi32>, tensor<1xi32>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%8) : (tensor<2x4xi32>) -> ()

// -----
// CASE: a product reads and writes rows of other axes where these are merged again behind it
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[3, 2, 1, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %r = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<4xi64>) -> (tensor<3x2x1x4xf32>)
  %w = "core.constant"() {value = dense<0.5> : tensor<4x5xf32>} : () -> (tensor<4x5xf32>)
  %m = "core.matmul"(%r, %w) {transpose_a = false, transpose_b = false} : (tensor<3x2x1x4xf32>, tensor<4x5xf32>) -> (tensor<3x2x1x5xf32>)
  %c2 = "core.constant"() {value = dense<[3, 10]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %c2) : (tensor<3x2x1x5xf32>, tensor<2xi64>) -> (tensor<3x10xf32>)
  "mlconv.yield"(%y) : (tensor<3x10xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 2, 1, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<5x4xf32>} : () -> (tensor<5x4xf32>)
  %3 = "tfl.FULLY_CONNECTED"(%0, %2) {"keep_num_dims" = true, "mlconv.absent" = [2]} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> (tensor<2x3x5xf32>)
  %4 = "core.constant"() {"value" = dense<[-1, 10]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "tfl.RESHAPE"(%3, %4) {"new_shape" = [-1, 10]} : (tensor<2x3x5xf32>, tensor<2xi32>) -> (tensor<3x10xf32>)
  "mlconv.yield"(%5) : (tensor<3x10xf32>) -> ()

// -----
// CASE: the kernel merges the rows that a reshape behind it would merge
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3x4xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<4x5xf32>} : () -> (tensor<4x5xf32>)
  %m = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  %c2 = "core.constant"() {value = dense<[6, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %c2) : (tensor<2x3x5xf32>, tensor<2xi64>) -> (tensor<6x5xf32>)
  %e = "core.exp"(%y) : (tensor<6x5xf32>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%e) : (tensor<6x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<5x4xf32>} : () -> (tensor<5x4xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> (tensor<6x5xf32>)
  %3 = "core.constant"() {"value" = dense<[6, 5]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.EXP"(%2) : (tensor<6x5xf32>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%4) : (tensor<6x5xf32>) -> ()

// -----
// CASE: a product whose rows something else reads keeps their axes
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<2x3x4xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<4x5xf32>} : () -> (tensor<4x5xf32>)
  %m = "core.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  %c2 = "core.constant"() {value = dense<[6, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %c2) : (tensor<2x3x5xf32>, tensor<2xi64>) -> (tensor<6x5xf32>)
  %e = "core.exp"(%m) : (tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y, %e) : (tensor<6x5xf32>, tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<5x4xf32>} : () -> (tensor<5x4xf32>)
  %2 = "tfl.FULLY_CONNECTED"(%0, %1) {"keep_num_dims" = true, "mlconv.absent" = [2]} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> (tensor<2x3x5xf32>)
  %3 = "core.constant"() {"value" = dense<[6, 5]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.RESHAPE"(%2, %3) {"new_shape" = [6, 5]} : (tensor<2x3x5xf32>, tensor<2xi32>) -> (tensor<6x5xf32>)
  %5 = "tfl.EXP"(%2) : (tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%4, %5) : (tensor<6x5xf32>, tensor<2x3x5xf32>) -> ()
