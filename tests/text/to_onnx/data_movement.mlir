// CASE: reshape has the sizes in its type
// RUN: to-onnx
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[6, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%y) : (tensor<6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[6, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "onnx.Reshape"(%0, %1) {"opset_version" = 17} : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%2) : (tensor<6x4xf32>) -> ()

// -----
// CASE: changes of rank are reshapes
// RUN: to-onnx
^bb(%x: tensor<1x3xf32>):
  %a = "core.expand_dims"(%x) {axes = [2]} : (tensor<1x3xf32>) -> (tensor<1x3x1xf32>)
  %y = "core.squeeze"(%a) {axes = [0]} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "onnx.Unsqueeze"(%0, %1) {"opset_version" = 17} : (tensor<1x3xf32>, tensor<1xi64>) -> (tensor<1x3x1xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Squeeze"(%2, %3) {"opset_version" = 17} : (tensor<1x3x1xf32>, tensor<1xi64>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%4) : (tensor<3x1xf32>) -> ()

// -----
// CASE: transpose
// RUN: to-onnx
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [2, 0, 1]} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [2, 0, 1], "opset_version" = 17} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%1) : (tensor<4x2x3xf32>) -> ()

// -----
// CASE: concatenate
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.concat"(%x, %x) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.Concat"(%0, %0) {"axis" = 1, "opset_version" = 17} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%1) : (tensor<2x6xf32>) -> ()

// -----
// CASE: a split is slices
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %p, %p1 = "core.split"(%x) {sizes = [1, 2], axis = 1} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%p, %p1) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2, %3 = "onnx.Split"(%0, %1) {"axis" = 1, "opset_version" = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%2, %3) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: a slice backwards is turned around before
// RUN: to-onnx
^bb(%x: tensor<4x5xf32>):
  %c1 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[1, -2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1, -2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "onnx.Slice"(%0, %1, %2, %3, %4) {"opset_version" = 17} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%5) : (tensor<2x2xf32>) -> ()

// -----
// CASE: dynamic-slice takes its places one by one
// RUN: to-onnx
^bb(%x: tensor<4x5xf32>, %b: tensor<2xi64>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %c1) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "onnx.Add"(%1, %2) {"opset_version" = 17} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "onnx.Slice"(%0, %1, %3, %4) {"opset_version" = 17} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%5) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a slice of a computed size is refused
// RUN: to-onnx
^bb(%x: tensor<4xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>):
  %c1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.slice"(%x, %b, %e, %c1) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<1xi64>, %2: tensor<1xi64>):
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "onnx.Slice"(%1, %3, %4, %5) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "onnx.Slice"(%2, %7, %8, %9) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %11 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "onnx.Slice"(%0, %6, %10, %11) {"opset_version" = 17} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%12) : (tensor<?xf32, {dims = ["?1"]}>) -> ()

// -----
// CASE: pad takes negative numbers
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [-1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[0, -1, 0, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "onnx.Pad"(%0, %2, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<4xi64>, tensor<f32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%3) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a pad by reflection turns slices around
// RUN: to-onnx
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[[2, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "reflect"} : (tensor<4xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<7xf32>)
  "mlconv.yield"(%y) : (tensor<7xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "onnx.Pad"(%0, %1) {"mode" = "reflect", "opset_version" = 17} : (tensor<4xf32>, tensor<2xi64>) -> (tensor<7xf32>)
  "mlconv.yield"(%2) : (tensor<7xf32>) -> ()

// -----
// CASE: tile, broadcast and reverse
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.tile"(%x, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %b = "core.broadcast_to"(%x, %c2) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %r = "core.reverse"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%t, %b, %r) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "onnx.Tile"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %3 = "core.constant"() {"value" = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "onnx.Expand"(%0, %3) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %5 = "core.constant"() {"value" = dense<[9223372036854775807]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<[-9223372036854775808]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "onnx.Slice"(%0, %5, %6, %7, %8) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2, %4, %9) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a sequence is reversed by places
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi32>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "onnx.Cast"(%1) {"to" = 7, "opset_version" = 17} : (tensor<2xi32>) -> (tensor<2xi64>)
  %3 = "onnx.ReverseSequence"(%0, %2) {"time_axis" = 1, "batch_axis" = 0, "opset_version" = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: blocks are reshapes around a transpose
// RUN: to-onnx
^bb(%x: tensor<1x2x2x4xf32>):
  %d = "core.depth_to_space"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %s = "core.space_to_depth"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%d, %s) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x2x2xf32>)
  %2 = "onnx.DepthToSpace"(%1) {"blocksize" = 2, "mode" = "DCR", "opset_version" = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x1x4x4xf32>)
  %3 = "onnx.Transpose"(%2) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x1x4x4xf32>) -> (tensor<1x4x4x1xf32>)
  %4 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x2x2xf32>)
  %5 = "onnx.SpaceToDepth"(%4) {"blocksize" = 2, "opset_version" = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x16x1x1xf32>)
  %6 = "onnx.Transpose"(%5) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x16x1x1xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%3, %6) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()

// -----
// CASE: space to batch and back
// RUN: to-onnx
^bb(%x: tensor<1x4x4x1xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %s = "core.space_to_batch"(%x, %c1) {block_size = [2, 2]} : (tensor<1x4x4x1xf32>, tensor<2x2xi64>) -> (tensor<4x2x2x1xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %y = "core.batch_to_space"(%s, %c2) {block_size = [2, 2]} : (tensor<4x2x2x1xf32>, tensor<2x2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %2 = "core.constant"() {"value" = dense<[[0, 0]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %3 = "core.constant"() {"value" = dense<[[0, 0]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %4 = "onnx.Concat"(%2, %1, %3) {"axis" = 0, "opset_version" = 17} : (tensor<1x2xi64>, tensor<2x2xi64>, tensor<1x2xi64>) -> (tensor<4x2xi64>)
  %5 = "onnx.Transpose"(%4) {"perm" = [1, 0], "opset_version" = 17} : (tensor<4x2xi64>) -> (tensor<2x4xi64>)
  %6 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "onnx.Reshape"(%5, %6) {"opset_version" = 17} : (tensor<2x4xi64>, tensor<1xi64>) -> (tensor<8xi64>)
  %8 = "onnx.Pad"(%0, %7) {"opset_version" = 17} : (tensor<1x4x4x1xf32>, tensor<8xi64>) -> (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>)
  %9 = "onnx.Shape"(%8) {"opset_version" = 17} : (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>) -> (tensor<4xi64>)
  %10 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "onnx.Slice"(%9, %10, %11, %12) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %14 = "onnx.Shape"(%8) {"opset_version" = 17} : (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>) -> (tensor<4xi64>)
  %15 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %17 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %18 = "onnx.Slice"(%14, %15, %16, %17) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %19 = "onnx.Shape"(%8) {"opset_version" = 17} : (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>) -> (tensor<4xi64>)
  %20 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %21 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %22 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %23 = "onnx.Slice"(%19, %20, %21, %22) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %24 = "onnx.Shape"(%8) {"opset_version" = 17} : (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>) -> (tensor<4xi64>)
  %25 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %26 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %27 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %28 = "onnx.Slice"(%24, %25, %26, %27) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %29 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %30 = "onnx.Div"(%18, %29) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %31 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %32 = "onnx.Div"(%23, %31) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %33 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %34 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %35 = "onnx.Concat"(%13, %30, %33, %32, %34, %28) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<6xi64>)
  %36 = "onnx.Reshape"(%8, %35) {"allowzero" = 1, "opset_version" = 17} : (tensor<?x?x?x?xf32, {dims = ["?1", "?2", "?3", "?4"]}>, tensor<6xi64>) -> (tensor<?x?x2x?x2x?xf32, {dims = ["?1", "floordiv(?2, 2)", "2", "floordiv(?3, 2)", "2", "?4"]}>)
  %37 = "onnx.Transpose"(%36) {"perm" = [2, 4, 0, 1, 3, 5], "opset_version" = 17} : (tensor<?x?x2x?x2x?xf32, {dims = ["?1", "floordiv(?2, 2)", "2", "floordiv(?3, 2)", "2", "?4"]}>) -> (tensor<2x2x?x?x?x?xf32, {dims = ["2", "2", "?1", "floordiv(?2, 2)", "floordiv(?3, 2)", "?4"]}>)
  %38 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %39 = "onnx.Mul"(%13, %38) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %40 = "onnx.Concat"(%39, %30, %32, %28) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %41 = "onnx.Reshape"(%37, %40) {"allowzero" = 1, "opset_version" = 17} : (tensor<2x2x?x?x?x?xf32, {dims = ["2", "2", "?1", "floordiv(?2, 2)", "floordiv(?3, 2)", "?4"]}>, tensor<4xi64>) -> (tensor<4x2x2x1xf32>)
  %42 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %43 = "core.constant"() {"value" = dense<[2, 2, 1, 2, 2, 1]> : tensor<6xi64>} : () -> (tensor<6xi64>)
  %44 = "onnx.Reshape"(%41, %43) {"opset_version" = 17} : (tensor<4x2x2x1xf32>, tensor<6xi64>) -> (tensor<2x2x1x2x2x1xf32>)
  %45 = "onnx.Transpose"(%44) {"perm" = [2, 3, 0, 4, 1, 5], "opset_version" = 17} : (tensor<2x2x1x2x2x1xf32>) -> (tensor<1x2x2x2x2x1xf32>)
  %46 = "core.constant"() {"value" = dense<[1, 4, 4, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %47 = "onnx.Reshape"(%45, %46) {"opset_version" = 17} : (tensor<1x2x2x2x2x1xf32>, tensor<4xi64>) -> (tensor<1x4x4x1xf32>)
  %48 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %49 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %50 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %51 = "onnx.Slice"(%42, %48, %49, %50) {"opset_version" = 17} : (tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x1xi64>)
  %52 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %53 = "onnx.Reshape"(%51, %52) {"opset_version" = 17} : (tensor<1x1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %54 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %55 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %56 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %57 = "onnx.Slice"(%42, %54, %55, %56) {"opset_version" = 17} : (tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x1xi64>)
  %58 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %59 = "onnx.Reshape"(%57, %58) {"opset_version" = 17} : (tensor<1x1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %60 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %61 = "onnx.Sub"(%60, %59) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %62 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %63 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %64 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %65 = "onnx.Slice"(%42, %62, %63, %64) {"opset_version" = 17} : (tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x1xi64>)
  %66 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %67 = "onnx.Reshape"(%65, %66) {"opset_version" = 17} : (tensor<1x1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %68 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %69 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %70 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %71 = "onnx.Slice"(%42, %68, %69, %70) {"opset_version" = 17} : (tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x1xi64>)
  %72 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %73 = "onnx.Reshape"(%71, %72) {"opset_version" = 17} : (tensor<1x1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %74 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %75 = "onnx.Sub"(%74, %73) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %76 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %77 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %78 = "onnx.Concat"(%76, %53, %67, %77) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %79 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %80 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %81 = "onnx.Concat"(%79, %61, %75, %80) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %82 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %83 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %84 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %85 = "onnx.Slice"(%78, %82, %83, %84) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %86 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %87 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %88 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %89 = "onnx.Slice"(%78, %86, %87, %88) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %90 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %91 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %92 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %93 = "onnx.Slice"(%81, %90, %91, %92) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %94 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %95 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %96 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %97 = "onnx.Slice"(%81, %94, %95, %96) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %98 = "onnx.Concat"(%85, %89) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %99 = "onnx.Concat"(%93, %97) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %100 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %101 = "onnx.Slice"(%47, %98, %99, %100) {"opset_version" = 17} : (tensor<1x4x4x1xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%101) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: range is an iota
// RUN: to-onnx
^bb(%x: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<6> : tensor<i32>} : () -> (tensor<i32>)
  %c3 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %v4 = "core.range"(%c1, %c2, %c3) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>)
  %v5 = "core.cast"(%v4) {dtype = f32} : (tensor<3xi32>) -> (tensor<3xf32>)
  %y = "core.add"(%x, %v5) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<6> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "onnx.Range"(%1, %2, %3) {"opset_version" = 17} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>)
  %5 = "onnx.Cast"(%4) {"to" = 1, "opset_version" = 17} : (tensor<3xi32>) -> (tensor<3xf32>)
  %6 = "onnx.Add"(%0, %5) {"opset_version" = 17} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%6) : (tensor<3xf32>) -> ()

// -----
// CASE: a range of a computed size is refused
// RUN: to-onnx
^bb(%n: tensor<i32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.range"(%c1, %n, %c2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "onnx.Range"(%1, %0, %2) {"opset_version" = 17} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%3) : (tensor<?xi32, {dims = ["?1"]}>) -> ()

// -----
// CASE: a shape is a literal
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %v1 = "core.shape_of"(%x) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %v1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %s = "core.shape_of"(%y) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "onnx.Reshape"(%0, %1) {"opset_version" = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %3 = "onnx.Shape"(%2) {"opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%2, %3) : (tensor<2x3xf32>, tensor<2xi64>) -> ()

// -----
// CASE: a piece is written at computed places
// RUN: to-onnx
^bb(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.update_slice"(%x, %u, %i, %zero) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "onnx.Cast"(%2) {"to" = 7, "opset_version" = 17} : (tensor<i32>) -> (tensor<i64>)
  %6 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "onnx.Reshape"(%5, %6) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %9 = "onnx.Max"(%7, %8) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %10 = "onnx.Min"(%9, %4) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %11 = "onnx.Sub"(%4, %10) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "onnx.Cast"(%3) {"to" = 7, "opset_version" = 17} : (tensor<i32>) -> (tensor<i64>)
  %14 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "onnx.Reshape"(%13, %14) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %17 = "onnx.Max"(%15, %16) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %18 = "onnx.Min"(%17, %12) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %19 = "onnx.Sub"(%12, %18) {"opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %20 = "onnx.Concat"(%10, %18, %11, %19) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %21 = "onnx.Pad"(%1, %20) {"opset_version" = 17} : (tensor<1x3xf32>, tensor<4xi64>) -> (tensor<4x3xf32>)
  %22 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %23 = "core.constant"() {"value" = dense<[1, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %24 = "onnx.Expand"(%22, %23) {"opset_version" = 17} : (tensor<i32>, tensor<2xi64>) -> (tensor<1x3xi32>)
  %25 = "onnx.Pad"(%24, %20) {"opset_version" = 17} : (tensor<1x3xi32>, tensor<4xi64>) -> (tensor<4x3xi32>)
  %26 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %27 = "onnx.Equal"(%25, %26) {"opset_version" = 17} : (tensor<4x3xi32>, tensor<i32>) -> (tensor<4x3xi1>)
  %28 = "onnx.Where"(%27, %21, %0) {"opset_version" = 17} : (tensor<4x3xi1>, tensor<4x3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%28) : (tensor<4x3xf32>) -> ()
