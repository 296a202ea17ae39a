// CASE: Reshape with 0 keeps a size
// RUN: from-onnx
^bb(%x: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %s = "onnx.Constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Reshape"(%x, %s) {opset_version = 17} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["a", "b"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["a", "b"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.concat"(%5, %6) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %8 = "core.reshape"(%0, %7) : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>, tensor<2xi64>) -> (tensor<?x12xf32, {dims = ["N", "12"]}>)
  "mlconv.yield"(%8) : (tensor<?x12xf32, {dims = ["N", "12"]}>) -> ()

// -----
// CASE: Reshape to another number of elements is refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %s = "onnx.Constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Reshape"(%x, %s) {opset_version = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["a", "b"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["a", "b"]}>) -> ()
// DIAGNOSTICS
error[MLC0201]: cannot reshape float32[2,3] (6 elements) to ['4', '2']
  = node: y  onnx.Reshape (float32[2,3], int64[2])

// -----
// CASE: Shape of a part
// RUN: from-onnx
^bb(%x: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %y = "onnx.Shape"(%x) {start = 1, opset_version = 17} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%5) : (tensor<2xi64>) -> ()

// -----
// CASE: Flatten of open sizes
// RUN: from-onnx
^bb(%x: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %y = "onnx.Flatten"(%x) {opset_version = 17} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>) -> (tensor<?x?xf32, {dims = ["a", "b"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["a", "b"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>, tensor<2xi64>) -> (tensor<?x12xf32, {dims = ["N", "12"]}>)
  "mlconv.yield"(%2) : (tensor<?x12xf32, {dims = ["N", "12"]}>) -> ()

// -----
// CASE: Squeeze takes its axes as an operand from opset 13
// RUN: from-onnx
^bb(%x: tensor<1x3x1xf32>):
  %a = "onnx.Constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Squeeze"(%x, %a) {opset_version = 17} : (tensor<1x3x1xf32>, tensor<2xi64>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x1xf32>):
  %1 = "core.squeeze"(%0) {"axes" = [0, 2]} : (tensor<1x3x1xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%1) : (tensor<3xf32>) -> ()

// -----
// CASE: Unsqueeze takes its axes as an attribute before opset 13
// RUN: from-onnx
^bb(%x: tensor<3xf32>):
  %y = "onnx.Unsqueeze"(%x) {axes = [0, 2], opset_version = 11} : (tensor<3xf32>) -> (tensor<1x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.expand_dims"(%0) {"axes" = [0, 2]} : (tensor<3xf32>) -> (tensor<1x3x1xf32>)
  "mlconv.yield"(%1) : (tensor<1x3x1xf32>) -> ()

// -----
// CASE: Transpose without perm turns all axes around
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>):
  %y = "onnx.Transpose"(%x) {opset_version = 17} : (tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<4x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.transpose"(%0) {"perm" = [2, 1, 0]} : (tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>)
  "mlconv.yield"(%1) : (tensor<4x3x2xf32>) -> ()

// -----
// CASE: Concat along a negative axis
// RUN: from-onnx
^bb(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>):
  %y = "onnx.Concat"(%a, %b) {axis = -1, opset_version = 17} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x1xf32>):
  %2 = "core.concat"(%0, %1) {"axis" = 1} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: Split into equal parts of which the last is smaller
// RUN: from-onnx
^bb(%x: tensor<5xf32>):
  %a, %b, %c = "onnx.Split"(%x) {axis = 0, num_outputs = 3, opset_version = 18} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>)
  "mlconv.yield"(%a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xf32>):
  %1, %2, %3 = "core.split"(%0) {"sizes" = [2, 2, 1], "axis" = 0} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>)
  "mlconv.yield"(%1, %2, %3) : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> ()

// -----
// CASE: Split by an operand
// RUN: from-onnx
^bb(%x: tensor<5xf32>):
  %s = "onnx.Constant"() {value = dense<[4, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a, %b = "onnx.Split"(%x, %s) {opset_version = 17} : (tensor<5xf32>, tensor<2xi64>) -> (tensor<4xf32>, tensor<1xf32>)
  "mlconv.yield"(%a, %b) : (tensor<4xf32>, tensor<1xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [4, 1], "axis" = 0} : (tensor<5xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  "mlconv.yield"(%1, %2) : (tensor<4xf32>, tensor<1xf32>) -> ()

// -----
// CASE: Expand of a size that stays
// RUN: from-onnx
^bb(%x: tensor<3x1xf32>):
  %s = "onnx.Constant"() {value = dense<[2, 1, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "onnx.Expand"(%x, %s) {opset_version = 17} : (tensor<3x1xf32>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.broadcast_to"(%0, %1) : (tensor<3x1xf32>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: ConstantOfShape with a computed shape
// RUN: from-onnx
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %s = "onnx.Shape"(%x) {opset_version = 17} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.ConstantOfShape"(%s) {value = dense<[7]> : tensor<1xi64>, opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<?x3xi64, {dims = ["N", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x3xi64, {dims = ["N", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<7> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.broadcast_to"(%2, %1) : (tensor<i64>, tensor<2xi64>) -> (tensor<?x3xi64, {dims = ["N", "3"]}>)
  "mlconv.yield"(%3) : (tensor<?x3xi64, {dims = ["N", "3"]}>) -> ()

// -----
// CASE: Range of computed bounds
// RUN: from-onnx
^bb(%n: tensor<i64>):
  %a = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %d = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %y = "onnx.Range"(%a, %n, %d) {opset_version = 17} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["k"]}>)
  "mlconv.yield"(%y) : (tensor<?xi64, {dims = ["k"]}>) -> ()
// EXPECT
^bb(%0: tensor<i64>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.range"(%1, %0, %2) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["?1"]}>)
  "mlconv.yield"(%3) : (tensor<?xi64, {dims = ["?1"]}>) -> ()

// -----
// CASE: Pad by reflection
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %p = "onnx.Constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Pad"(%x, %p) {mode = "reflect", opset_version = 17} : (tensor<4xf32>, tensor<2xi64>) -> (tensor<7xf32>)
  "mlconv.yield"(%y) : (tensor<7xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xi64>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.pad"(%0, %3, %4) {"mode" = "reflect"} : (tensor<4xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<7xf32>)
  "mlconv.yield"(%5) : (tensor<7xf32>) -> ()

// -----
// CASE: Pad of named axes
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %p = "onnx.Constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %v = "onnx.Constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "onnx.Pad"(%x, %p, %v, %a) {opset_version = 18} : (tensor<2x3xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %3 = "core.pad"(%0, %2, %1) {"mode" = "constant"} : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x5xf32>) -> ()

// -----
// CASE: DepthToSpace says its mode
// RUN: from-onnx
^bb(%x: tensor<1x4x2x2xf32>):
  %y = "onnx.DepthToSpace"(%x) {blocksize = 2, mode = "CRD", opset_version = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2x2xf32>):
  %1 = "core.depth_to_space"(%0) {"block_size" = 2, "layout" = "NCHW", "mode" = "crd"} : (tensor<1x4x2x2xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%1) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: Tile
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %r = "onnx.Constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Tile"(%x, %r) {opset_version = 17} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.tile"(%0, %1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()

// -----
// CASE: EyeLike off the diagonal
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.EyeLike"(%x) {k = 1, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a size that is too large is refused
// RUN: from-onnx
^bb(%x: tensor<f32>):
  %s = "onnx.Constant"() {value = dense<[1152921504606846976, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Expand"(%x, %s) {opset_version = 17} : (tensor<f32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["a", "b"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["a", "b"]}>) -> ()
// DIAGNOSTICS
error[MLC0204]: result of broadcast (Fill, Expand, ConstantOfShape) is too large: float32[1152921504606846976, 1] has a size of 1152921504606846976 elements
  = node: y  onnx.Expand (float32[], int64[2])
