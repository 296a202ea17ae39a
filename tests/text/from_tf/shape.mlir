// CASE: Reshape of an open batch
// RUN: from-tf
^bb(%x_0: tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>):
  %s = "tf.Const"() {dtype = i32, value = dense<[-1, 12]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Reshape"(%x_0, %s) {T = f32, Tshape = i32} : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 12]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>, tensor<2xi32>) -> (tensor<?x12xf32, {dims = ["x_0", "12"]}>)
  "mlconv.yield"(%2) : (tensor<?x12xf32, {dims = ["x_0", "12"]}>) -> ()

// -----
// CASE: Shape, Pack and StridedSlice follow an open size
// RUN: from-tf
^bb(%x_0: tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>):
  %sh = "tf.Shape"(%x_0) {T = f32, out_type = i32} : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>) -> (tensor<*xi32>)
  %b = "tf.Const"() {dtype = i32, value = dense<[0]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %e = "tf.Const"() {dtype = i32, value = dense<[1]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %o = "tf.Const"() {dtype = i32, value = dense<[1]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %n = "tf.StridedSlice"(%sh, %b, %e, %o) {Index = i32, T = i32, shrink_axis_mask = 1, begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0} : (tensor<*xi32>, tensor<*xi32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xi32>)
  %k = "tf.Const"() {dtype = i32, value = dense<12> : tensor<i32>} : () -> (tensor<*xi32>)
  %p = "tf.Pack"(%n, %k) {N = 2, T = i32, axis = 0} : (tensor<*xi32>, tensor<*xi32>) -> (tensor<*xi32>)
  %y = "tf.Reshape"(%x_0, %p) {T = f32, Tshape = i32} : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i32} : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>) -> (tensor<3xi32>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %6 = "core.squeeze"(%5) {"axes" = [0]} : (tensor<1xi32>) -> (tensor<i32>)
  %7 = "core.constant"() {"value" = dense<12> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "core.expand_dims"(%6) {"axes" = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %9 = "core.expand_dims"(%7) {"axes" = [0]} : (tensor<i32>) -> (tensor<1xi32>)
  %10 = "core.concat"(%8, %9) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %11 = "core.reshape"(%0, %10) : (tensor<?x3x4xf32, {dims = ["x_0", "3", "4"]}>, tensor<2xi32>) -> (tensor<?x12xf32, {dims = ["x_0", "12"]}>)
  "mlconv.yield"(%11) : (tensor<?x12xf32, {dims = ["x_0", "12"]}>) -> ()

// -----
// CASE: Transpose by a constant
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %p = "tf.Const"() {dtype = i32, value = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Transpose"(%x_0, %p) {T = f32, Tperm = i32} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%1) : (tensor<3x2xf32>) -> ()

// -----
// CASE: Transpose by a computed order gathers from the flat operand
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %p_0: tensor<2xi32>):
  %y = "tf.Transpose"(%x_0, %p_0) {T = f32, Tperm = i32} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "core.cast"(%1) {"dtype" = i64, "saturate" = false} : (tensor<2xi32>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.floor_mod"(%2, %3) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>)
  %5 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %7 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %8 = "core.gather"(%7, %6) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %9 = "core.cumprod"(%7) {"axis" = 0, "exclusive" = true, "reverse" = true} : (tensor<2xi64>) -> (tensor<2xi64>)
  %10 = "core.gather"(%9, %6) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %11 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %12 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %13 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %14 = "core.gather"(%8, %13) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %15 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %16 = "core.range"(%12, %14, %15) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %17 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %18 = "core.gather"(%10, %17) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %19 = "core.mul"(%16, %18) : (tensor<?xi64, {dims = ["?1"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %20 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %21 = "core.reshape"(%19, %20) : (tensor<?xi64, {dims = ["?1"]}>, tensor<2xi64>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  %22 = "core.add"(%11, %21) : (tensor<i64>, tensor<?x1xi64, {dims = ["?1", "1"]}>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  %23 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %24 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %25 = "core.gather"(%8, %24) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %26 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %27 = "core.range"(%23, %25, %26) {"wide" = false} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["?2"]}>)
  %28 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %29 = "core.gather"(%10, %28) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %30 = "core.mul"(%27, %29) : (tensor<?xi64, {dims = ["?2"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["?2"]}>)
  %31 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %32 = "core.reshape"(%30, %31) : (tensor<?xi64, {dims = ["?2"]}>, tensor<2xi64>) -> (tensor<1x?xi64, {dims = ["1", "?2"]}>)
  %33 = "core.add"(%22, %32) : (tensor<?x1xi64, {dims = ["?1", "1"]}>, tensor<1x?xi64, {dims = ["1", "?2"]}>) -> (tensor<?x?xi64, {dims = ["?1", "?2"]}>)
  %34 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %35 = "core.reshape"(%0, %34) : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<6xf32>)
  %36 = "core.gather"(%35, %33) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<6xf32>, tensor<?x?xi64, {dims = ["?1", "?2"]}>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  "mlconv.yield"(%36) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> ()

// -----
// CASE: ConcatV2 has its axis last
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %z_0: tensor<2x3xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
  %y = "tf.ConcatV2"(%x_0, %z_0, %a) {N = 2, T = f32, Tidx = i32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "core.concat"(%0, %1) {"axis" = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()

// -----
// CASE: Split has its axis first
// RUN: from-tf
^bb(%x_0: tensor<2x4xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
  %y, %y_1 = "tf.Split"(%a, %x_0) {T = f32, num_split = 2} : (tensor<*xi32>, tensor<2x4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  %r = "tf.Relu"(%y_1) {T = f32} : (tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y, %r) : (tensor<*xf32>, tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [2, 2], "axis" = 1} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %3 = "core.clamp"(%2) {"lo" = 0.0 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%1, %3) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: SplitV with a size that is left open
// RUN: from-tf
^bb(%x_0: tensor<5xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[2, -1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %a = "tf.Const"() {dtype = i32, value = dense<0> : tensor<i32>} : () -> (tensor<*xi32>)
  %y, %y_1 = "tf.SplitV"(%x_0, %s, %a) {T = f32, Tlen = i32, num_split = 2} : (tensor<5xf32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  "mlconv.yield"(%y, %y_1) : (tensor<*xf32>, tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [2, 3], "axis" = 0} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  "mlconv.yield"(%1, %2) : (tensor<2xf32>, tensor<3xf32>) -> ()

// -----
// CASE: Unpack gives slices without the axis
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y, %y_1 = "tf.Unpack"(%x_0) {T = f32, axis = 0, num = 2} : (tensor<2x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  "mlconv.yield"(%y, %y_1) : (tensor<*xf32>, tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1, %2 = "core.split"(%0) {"sizes" = [1, 1], "axis" = 0} : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %3 = "core.squeeze"(%1) {"axes" = [0]} : (tensor<1x3xf32>) -> (tensor<3xf32>)
  %4 = "core.squeeze"(%2) {"axes" = [0]} : (tensor<1x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%3, %4) : (tensor<3xf32>, tensor<3xf32>) -> ()

// -----
// CASE: ExpandDims and Squeeze
// RUN: from-tf
^bb(%x_0: tensor<1x3xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<-1> : tensor<i32>} : () -> (tensor<*xi32>)
  %e = "tf.ExpandDims"(%x_0, %a) {T = f32, Tdim = i32} : (tensor<1x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  %y = "tf.Squeeze"(%e) {T = f32, squeeze_dims = [0]} : (tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>):
  %1 = "core.expand_dims"(%0) {"axes" = [2]} : (tensor<1x3xf32>) -> (tensor<1x3x1xf32>)
  %2 = "core.squeeze"(%1) {"axes" = [0]} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%2) : (tensor<3x1xf32>) -> ()

// -----
// CASE: Tile, Fill and BroadcastTo
// RUN: from-tf
^bb(%x_0: tensor<1x3xf32>):
  %r = "tf.Const"() {dtype = i32, value = dense<[2, 1]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %t = "tf.Tile"(%x_0, %r) {T = f32, Tmultiples = i32} : (tensor<1x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  %s = "tf.Const"() {dtype = i32, value = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %v = "tf.Const"() {dtype = f32, value = dense<7.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %q = "tf.Fill"(%s, %v) {T = f32, index_type = i32} : (tensor<*xi32>, tensor<*xf32>) -> (tensor<*xf32>)
  %y = "tf.AddV2"(%t, %q) {T = f32} : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.tile"(%0, %1) : (tensor<1x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "core.constant"() {"value" = dense<7.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.broadcast_to"(%4, %3) : (tensor<f32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %6 = "core.add"(%2, %5) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: PadV2 with another number than 0
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %p = "tf.Const"() {dtype = i32, value = dense<[[0, 0], [1, 2]]> : tensor<2x2xi32>} : () -> (tensor<*xi32>)
  %v = "tf.Const"() {dtype = f32, value = dense<9.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.PadV2"(%x_0, %p, %v) {T = f32, Tpaddings = i32} : (tensor<2x3xf32>, tensor<*xi32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [1, 2]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %2 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.pad"(%0, %1, %2) {"mode" = "constant"} : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%3) : (tensor<2x6xf32>) -> ()

// -----
// CASE: MirrorPad keeps its mode
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %p = "tf.Const"() {dtype = i32, value = dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.MirrorPad"(%x_0, %p) {T = f32, Tpaddings = i32, mode = "SYMMETRIC"} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.pad"(%0, %1, %2) {"mode" = "symmetric"} : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x5xf32>) -> ()

// -----
// CASE: SpaceToDepth
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %y = "tf.SpaceToDepth"(%x_0) {T = f32, block_size = 2, data_format = "NHWC"} : (tensor<1x4x4x2xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.space_to_depth"(%0) {"block_size" = 2, "layout" = "NHWC"} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x8xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x8xf32>) -> ()

// -----
// CASE: a place that is not there is refused
// RUN: from-tf
^bb(%x_0: tensor<4xi32>):
  %i = "tf.Const"() {dtype = i32, value = dense<[4]> : tensor<1xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Gather"(%x_0, %i) {Tindices = i32, Tparams = i32, validate_indices = true} : (tensor<4xi32>, tensor<*xi32>) -> (tensor<*xi32>)
  "mlconv.yield"(%y) : (tensor<*xi32>) -> ()
// DIAGNOSTICS
error[MLC0201]: gather: index 4 is out of bounds for an axis of size 4
  = node: y  tf.Gather (int32[4], int32[1])

// -----
// CASE: a reshape to another number of elements is refused
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[4, 2]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Reshape"(%x_0, %s) {T = f32, Tshape = i32} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: cannot reshape float32[2,3] (6 elements) to ['4', '2']
  = node: y  tf.Reshape (float32[2,3], int32[2])
