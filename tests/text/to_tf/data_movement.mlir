// CASE: reshape has the sizes in its type
// RUN: to-tf
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[6, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%y) : (tensor<6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[6, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.Reshape"(%0, %1) {"Tshape" = i32, "T" = f32} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%2) : (tensor<6x4xf32>) -> ()

// -----
// CASE: axes of size 1 come and go
// RUN: to-tf
^bb(%x: tensor<1x3xf32>):
  %a = "core.expand_dims"(%x) {axes = [2]} : (tensor<1x3xf32>) -> (tensor<1x3x1xf32>)
  %y = "core.squeeze"(%a) {axes = [0]} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tf.ExpandDims"(%0, %1) {"Tdim" = i32, "T" = f32} : (tensor<1x3xf32>, tensor<i32>) -> (tensor<1x3x1xf32>)
  %3 = "tf.Squeeze"(%2) {"T" = f32, "squeeze_dims" = [0]} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%3) : (tensor<3x1xf32>) -> ()

// -----
// CASE: transpose
// RUN: to-tf
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [2, 0, 1]} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 0, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tf.Transpose"(%0, %1) {"Tperm" = i32, "T" = f32} : (tensor<2x3x4xf32>, tensor<3xi32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%2) : (tensor<4x2x3xf32>) -> ()

// -----
// CASE: concatenate
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.concat"(%x, %x) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tf.ConcatV2"(%0, %0, %1) {"Tidx" = i32, "N" = 2, "T" = f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()

// -----
// CASE: equal parts, and parts of given sizes
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %p, %p1 = "core.split"(%x) {sizes = [1, 2], axis = 1} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%p, %p1) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3, %4 = "tf.SplitV"(%0, %2, %1) {"Tlen" = i32, "num_split" = 2, "T" = f32} : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%3, %4) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: a slice has masks for its open bounds
// RUN: to-tf
^bb(%x: tensor<4x5xf32>):
  %c1 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[1, -2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[3, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, -2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tf.StridedSlice"(%0, %1, %2, %3) {"Index" = i32, "T" = f32, "begin_mask" = 0, "end_mask" = 0} : (tensor<4x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%4) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a slice by begin and size
// RUN: to-tf
^bb(%x: tensor<4x5xf32>, %b: tensor<2xi64>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %c1) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "tf.Slice"(%0, %1, %2) {"Index" = i64, "T" = f32} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: sizes that are computed stay computed
// RUN: to-tf
^bb(%x: tensor<4xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>):
  %c1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.slice"(%x, %b, %e, %c1) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<1xi64>, %2: tensor<1xi64>):
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "tf.StridedSlice"(%0, %1, %2, %3) {"Index" = i64, "T" = f32, "begin_mask" = 0, "end_mask" = 0} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%4) : (tensor<?xf32, {dims = ["?1"]}>) -> ()

// -----
// CASE: negative pads are cut off behind the others
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [-1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [0, 2]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %3 = "tf.PadV2"(%0, %2, %1) {"T" = f32, "Tpaddings" = i32} : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x5xf32>)
  %4 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %6 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %7 = "tf.StridedSlice"(%3, %4, %5, %6) {"Index" = i32, "T" = f32, "begin_mask" = 1, "end_mask" = 3} : (tensor<2x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%7) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a pad by reflection
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[[2, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "reflect"} : (tensor<4xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<7xf32>)
  "mlconv.yield"(%y) : (tensor<7xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[[2, 1]]> : tensor<1x2xi32>} : () -> (tensor<1x2xi32>)
  %2 = "tf.MirrorPad"(%0, %1) {"Tpaddings" = i32, "T" = f32, "mode" = "REFLECT"} : (tensor<4xf32>, tensor<1x2xi32>) -> (tensor<7xf32>)
  "mlconv.yield"(%2) : (tensor<7xf32>) -> ()

// -----
// CASE: tile, broadcast and reverse
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.tile"(%x, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %b = "core.broadcast_to"(%x, %c2) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %r = "core.reverse"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%t, %b, %r) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.Tile"(%0, %1) {"T" = f32, "Tmultiples" = i32} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x6xf32>)
  %3 = "core.constant"() {"value" = dense<[4, 2, 3]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %4 = "tf.BroadcastTo"(%0, %3) {"T" = f32, "Tidx" = i32} : (tensor<2x3xf32>, tensor<3xi32>) -> (tensor<4x2x3xf32>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "tf.ReverseV2"(%0, %5) {"T" = f32, "Tidx" = i32} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2, %4, %6) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: sequences are reversed
// RUN: to-tf
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi32>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "tf.ReverseSequence"(%0, %1) {"Tlen" = i32, "T" = f32, "seq_dim" = 1, "batch_dim" = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: blocks of channels and of space
// RUN: to-tf
^bb(%x: tensor<1x2x2x4xf32>):
  %d = "core.depth_to_space"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %s = "core.space_to_depth"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%d, %s) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "tf.DepthToSpace"(%0) {"T" = f32, "block_size" = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %2 = "tf.SpaceToDepth"(%0) {"T" = f32, "block_size" = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%1, %2) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()

// -----
// CASE: space to batch and back
// RUN: to-tf
^bb(%x: tensor<1x4x4x1xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %s = "core.space_to_batch"(%x, %c1) {block_size = [2, 2]} : (tensor<1x4x4x1xf32>, tensor<2x2xi64>) -> (tensor<4x2x2x1xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %y = "core.batch_to_space"(%s, %c2) {block_size = [2, 2]} : (tensor<4x2x2x1xf32>, tensor<2x2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %3 = "tf.SpaceToBatchND"(%0, %1, %2) {"T" = f32, "Tblock_shape" = i32, "Tpaddings" = i32} : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> (tensor<4x2x2x1xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %6 = "tf.BatchToSpaceND"(%3, %4, %5) {"T" = f32, "Tblock_shape" = i32, "Tcrops" = i32} : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%6) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: range
// RUN: to-tf
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
  %4 = "tf.Range"(%1, %2, %3) {"Tidx" = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>)
  %5 = "tf.Cast"(%4) {"SrcT" = i32, "DstT" = f32} : (tensor<3xi32>) -> (tensor<3xf32>)
  %6 = "tf.AddV2"(%0, %5) {"T" = f32} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%6) : (tensor<3xf32>) -> ()

// -----
// CASE: range up to a computed limit
// RUN: to-tf
^bb(%n: tensor<i32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.range"(%c1, %n, %c2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tf.Range"(%1, %0, %2) {"Tidx" = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%3) : (tensor<?xi32, {dims = ["?1"]}>) -> ()

// -----
// CASE: shapes
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %v1 = "core.shape_of"(%x) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %v1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %s = "core.shape_of"(%y) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tf.Shape"(%0) {"out_type" = i64, "T" = f32} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %2 = "tf.Cast"(%1) {"SrcT" = i64, "DstT" = i32} : (tensor<2xi64>) -> (tensor<2xi32>)
  %3 = "tf.Reshape"(%0, %2) {"Tshape" = i32, "T" = f32} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %4 = "tf.Shape"(%3) {"out_type" = i64, "T" = f32} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%3, %4) : (tensor<2x3xf32>, tensor<2xi64>) -> ()

// -----
// CASE: a piece is written between what lies around it, or by a mask
// RUN: to-tf
^bb(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.update_slice"(%x, %u, %i, %zero) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "tf.Sub"(%3, %4) {"T" = i64} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "tf.Cast"(%2) {"SrcT" = i32, "DstT" = i64} : (tensor<i32>) -> (tensor<i64>)
  %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "tf.Reshape"(%6, %7) {"Tshape" = i32, "T" = i64} : (tensor<i64>, tensor<1xi32>) -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %10 = "tf.Maximum"(%8, %9) {"T" = i64} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %11 = "tf.Minimum"(%10, %5) {"T" = i64} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "tf.AddV2"(%11, %12) {"T" = i64} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %15 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %17 = "tf.ConcatV2"(%11, %15, %16) {"Tidx" = i32, "N" = 2, "T" = i64} : (tensor<1xi64>, tensor<1xi64>, tensor<i32>) -> (tensor<2xi64>)
  %18 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %19 = "tf.StridedSlice"(%0, %14, %17, %18) {"Index" = i64, "T" = f32, "begin_mask" = 2, "end_mask" = 2} : (tensor<4x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["?1", "3"]}>)
  %20 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %21 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %22 = "tf.ConcatV2"(%13, %20, %21) {"Tidx" = i32, "N" = 2, "T" = i64} : (tensor<1xi64>, tensor<1xi64>, tensor<i32>) -> (tensor<2xi64>)
  %23 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %24 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %25 = "tf.StridedSlice"(%0, %22, %23, %24) {"Index" = i64, "T" = f32, "begin_mask" = 2, "end_mask" = 3} : (tensor<4x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["?2", "3"]}>)
  %26 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %27 = "tf.ConcatV2"(%19, %1, %25, %26) {"Tidx" = i32, "N" = 3, "T" = f32} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3xf32>, tensor<?x3xf32, {dims = ["?2", "3"]}>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%27) : (tensor<4x3xf32>) -> ()

// -----
// CASE: an axis of size 1 goes in front of a transpose
// RUN: to-tf
^bb(%x: tensor<2x1x3xf32>):
  %t = "core.transpose"(%x) {perm = [2, 1, 0]} : (tensor<2x1x3xf32>) -> (tensor<3x1x2xf32>)
  %y = "core.squeeze"(%t) {axes = [1]} : (tensor<3x1x2xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x3xf32>):
  %1 = "tf.Squeeze"(%0) {"T" = f32, "squeeze_dims" = [1]} : (tensor<2x1x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tf.Transpose"(%1, %2) {"Tperm" = i32, "T" = f32} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()
