// CASE: reshape has the sizes in its type
// RUN: to-hlo
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[6, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%y) : (tensor<6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "hlo.reshape"(%0) {"op_type" = "core.reshape"} : (tensor<2x3x4xf32>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%1) : (tensor<6x4xf32>) -> ()

// -----
// CASE: changes of rank are reshapes
// RUN: to-hlo
^bb(%x: tensor<1x3xf32>):
  %a = "core.expand_dims"(%x) {axes = [2]} : (tensor<1x3xf32>) -> (tensor<1x3x1xf32>)
  %y = "core.squeeze"(%a) {axes = [0]} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>):
  %1 = "hlo.reshape"(%0) {"op_type" = "core.expand_dims"} : (tensor<1x3xf32>) -> (tensor<1x3x1xf32>)
  %2 = "hlo.reshape"(%1) {"op_type" = "core.squeeze"} : (tensor<1x3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%2) : (tensor<3x1xf32>) -> ()

// -----
// CASE: transpose
// RUN: to-hlo
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [2, 0, 1]} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "hlo.transpose"(%0) {"dimensions" = [2, 0, 1], "op_type" = "core.transpose"} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%1) : (tensor<4x2x3xf32>) -> ()

// -----
// CASE: concatenate
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %y = "core.concat"(%x, %x) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "hlo.concatenate"(%0, %0) {"dimensions" = [1], "op_type" = "core.concat"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%1) : (tensor<2x6xf32>) -> ()

// -----
// CASE: a split is slices
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %p, %p1 = "core.split"(%x) {sizes = [1, 2], axis = 1} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%p, %p1) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "hlo.slice"(%0) {"starts" = [0, 0], "limits" = [2, 1], "strides" = [1, 1], "op_type" = "core.split"} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "hlo.slice"(%0) {"starts" = [0, 1], "limits" = [2, 3], "strides" = [1, 1], "op_type" = "core.split"} : (tensor<2x3xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%1, %2) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: a slice backwards is turned around before
// RUN: to-hlo
^bb(%x: tensor<4x5xf32>):
  %c1 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[1, -2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "hlo.reverse"(%0) {"dimensions" = [1], "op_type" = "core.slice"} : (tensor<4x5xf32>) -> (tensor<4x5xf32>)
  %2 = "hlo.slice"(%1) {"starts" = [1, 0], "limits" = [3, 4], "strides" = [1, 2], "op_type" = "core.slice"} : (tensor<4x5xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x2xf32>) -> ()

// -----
// CASE: dynamic-slice takes its places one by one
// RUN: to-hlo
^bb(%x: tensor<4x5xf32>, %b: tensor<2xi64>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %c1) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>, %1: tensor<2xi64>):
  %2 = "hlo.slice"(%1) {"starts" = [0], "limits" = [1], "strides" = [1], "op_type" = "core.dynamic_slice"} : (tensor<2xi64>) -> (tensor<1xi64>)
  %3 = "hlo.reshape"(%2) {"op_type" = "core.dynamic_slice"} : (tensor<1xi64>) -> (tensor<i64>)
  %4 = "hlo.slice"(%1) {"starts" = [1], "limits" = [2], "strides" = [1], "op_type" = "core.dynamic_slice"} : (tensor<2xi64>) -> (tensor<1xi64>)
  %5 = "hlo.reshape"(%4) {"op_type" = "core.dynamic_slice"} : (tensor<1xi64>) -> (tensor<i64>)
  %6 = "hlo.dynamic-slice"(%0, %3, %5) {"sizes" = [2, 2], "op_type" = "core.dynamic_slice"} : (tensor<4x5xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%6) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a slice of a computed size is refused
// RUN: to-hlo
^bb(%x: tensor<4xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>):
  %c1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.slice"(%x, %b, %e, %c1) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// DIAGNOSTICS
error[MLC0203]: HLO needs every size, or a range that it follows from, and the shape is float32[?]
  = node: y  core.slice (float32[4], int64[1], int64[1], int64[1])
  = help: give the shapes of inputs with --shape NAME=D,D,...

// -----
// CASE: pad takes negative numbers
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [-1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "hlo.pad"(%0, %1) {"padding" = [[0, 0, 0], [-1, 2, 0]], "op_type" = "core.pad"} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a pad by reflection turns slices around
// RUN: to-hlo
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[[2, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "reflect"} : (tensor<4xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<7xf32>)
  "mlconv.yield"(%y) : (tensor<7xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "hlo.slice"(%0) {"starts" = [0], "limits" = [3], "strides" = [1], "op_type" = "core.pad"} : (tensor<4xf32>) -> (tensor<3xf32>)
  %2 = "hlo.reverse"(%1) {"dimensions" = [0], "op_type" = "core.pad"} : (tensor<3xf32>) -> (tensor<3xf32>)
  %3 = "hlo.slice"(%0) {"starts" = [1], "limits" = [4], "strides" = [1], "op_type" = "core.pad"} : (tensor<4xf32>) -> (tensor<3xf32>)
  %4 = "hlo.slice"(%0) {"starts" = [2], "limits" = [3], "strides" = [1], "op_type" = "core.pad"} : (tensor<4xf32>) -> (tensor<1xf32>)
  %5 = "hlo.concatenate"(%2, %3, %4) {"dimensions" = [0], "op_type" = "core.pad"} : (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) -> (tensor<7xf32>)
  "mlconv.yield"(%5) : (tensor<7xf32>) -> ()

// -----
// CASE: tile, broadcast and reverse
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.tile"(%x, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %b = "core.broadcast_to"(%x, %c2) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %r = "core.reverse"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%t, %b, %r) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "hlo.reshape"(%0) {"op_type" = "core.tile"} : (tensor<2x3xf32>) -> (tensor<1x2x1x3xf32>)
  %2 = "hlo.reshape"(%1) {"op_type" = "core.tile"} : (tensor<1x2x1x3xf32>) -> (tensor<1x2x3xf32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [0, 1, 3], "op_type" = "core.tile"} : (tensor<1x2x3xf32>) -> (tensor<1x2x2x3xf32>)
  %4 = "hlo.reshape"(%3) {"op_type" = "core.tile"} : (tensor<1x2x2x3xf32>) -> (tensor<2x6xf32>)
  %5 = "hlo.broadcast"(%0) {"dimensions" = [1, 2], "op_type" = "core.broadcast_to"} : (tensor<2x3xf32>) -> (tensor<4x2x3xf32>)
  %6 = "hlo.reverse"(%0) {"dimensions" = [1], "op_type" = "core.reverse"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4, %5, %6) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a sequence is reversed by places
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi32>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.reverse_sequence"} : () -> (tensor<2x3xi32>)
  %3 = "hlo.broadcast"(%1) {"dimensions" = [0], "op_type" = "core.reverse_sequence"} : (tensor<2xi32>) -> (tensor<2x3xi32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.reverse_sequence"} : (tensor<i32>) -> (tensor<2x3xi32>)
  %6 = "hlo.subtract"(%3, %5) {"op_type" = "core.reverse_sequence"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %7 = "hlo.subtract"(%6, %2) {"op_type" = "core.reverse_sequence"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %8 = "hlo.compare"(%2, %3) {"direction" = "LT", "op_type" = "core.reverse_sequence"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi1>)
  %9 = "hlo.select"(%8, %7, %2) {"op_type" = "core.reverse_sequence"} : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %10 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %12 = "hlo.broadcast"(%11) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i32>) -> (tensor<2x3xi32>)
  %13 = "hlo.compare"(%9, %12) {"direction" = "LT", "op_type" = "core.gather"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi1>)
  %14 = "hlo.broadcast"(%10) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i32>) -> (tensor<2x3xi32>)
  %15 = "hlo.add"(%9, %14) {"op_type" = "core.gather"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %16 = "hlo.select"(%13, %15, %9) {"op_type" = "core.gather"} : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %17 = "hlo.gather"(%0, %16) {"offset_dims" = [], "collapsed_slice_dims" = [1], "start_index_map" = [1], "operand_batching_dims" = [0], "start_indices_batching_dims" = [0], "index_vector_dim" = 2, "slice_sizes" = [1, 1], "op_type" = "core.gather"} : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%17) : (tensor<2x3xf32>) -> ()

// -----
// CASE: blocks are reshapes around a transpose
// RUN: to-hlo
^bb(%x: tensor<1x2x2x4xf32>):
  %d = "core.depth_to_space"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %s = "core.space_to_depth"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%d, %s) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "hlo.transpose"(%0) {"dimensions" = [0, 3, 1, 2], "op_type" = "core.depth_to_space"} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x2x2xf32>)
  %2 = "hlo.reshape"(%1) {"op_type" = "core.depth_to_space"} : (tensor<1x4x2x2xf32>) -> (tensor<1x2x2x1x2x2xf32>)
  %3 = "hlo.transpose"(%2) {"dimensions" = [0, 3, 4, 1, 5, 2], "op_type" = "core.depth_to_space"} : (tensor<1x2x2x1x2x2xf32>) -> (tensor<1x1x2x2x2x2xf32>)
  %4 = "hlo.reshape"(%3) {"op_type" = "core.depth_to_space"} : (tensor<1x1x2x2x2x2xf32>) -> (tensor<1x1x4x4xf32>)
  %5 = "hlo.transpose"(%4) {"dimensions" = [0, 2, 3, 1], "op_type" = "core.depth_to_space"} : (tensor<1x1x4x4xf32>) -> (tensor<1x4x4x1xf32>)
  %6 = "hlo.transpose"(%0) {"dimensions" = [0, 3, 1, 2], "op_type" = "core.space_to_depth"} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x2x2xf32>)
  %7 = "hlo.reshape"(%6) {"op_type" = "core.space_to_depth"} : (tensor<1x4x2x2xf32>) -> (tensor<1x4x1x2x1x2xf32>)
  %8 = "hlo.transpose"(%7) {"dimensions" = [0, 3, 5, 1, 2, 4], "op_type" = "core.space_to_depth"} : (tensor<1x4x1x2x1x2xf32>) -> (tensor<1x2x2x4x1x1xf32>)
  %9 = "hlo.reshape"(%8) {"op_type" = "core.space_to_depth"} : (tensor<1x2x2x4x1x1xf32>) -> (tensor<1x16x1x1xf32>)
  %10 = "hlo.transpose"(%9) {"dimensions" = [0, 2, 3, 1], "op_type" = "core.space_to_depth"} : (tensor<1x16x1x1xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%5, %10) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()

// -----
// CASE: space to batch and back
// RUN: to-hlo
^bb(%x: tensor<1x4x4x1xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %s = "core.space_to_batch"(%x, %c1) {block_size = [2, 2]} : (tensor<1x4x4x1xf32>, tensor<2x2xi64>) -> (tensor<4x2x2x1xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %y = "core.batch_to_space"(%s, %c2) {block_size = [2, 2]} : (tensor<4x2x2x1xf32>, tensor<2x2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>):
  %1 = "hlo.reshape"(%0) {"op_type" = "core.space_to_batch"} : (tensor<1x4x4x1xf32>) -> (tensor<1x2x2x2x2x1xf32>)
  %2 = "hlo.transpose"(%1) {"dimensions" = [2, 4, 0, 1, 3, 5], "op_type" = "core.space_to_batch"} : (tensor<1x2x2x2x2x1xf32>) -> (tensor<2x2x1x2x2x1xf32>)
  %3 = "hlo.reshape"(%2) {"op_type" = "core.space_to_batch"} : (tensor<2x2x1x2x2x1xf32>) -> (tensor<4x2x2x1xf32>)
  %4 = "hlo.reshape"(%3) {"op_type" = "core.batch_to_space"} : (tensor<4x2x2x1xf32>) -> (tensor<2x2x1x2x2x1xf32>)
  %5 = "hlo.transpose"(%4) {"dimensions" = [2, 3, 0, 4, 1, 5], "op_type" = "core.batch_to_space"} : (tensor<2x2x1x2x2x1xf32>) -> (tensor<1x2x2x2x2x1xf32>)
  %6 = "hlo.reshape"(%5) {"op_type" = "core.batch_to_space"} : (tensor<1x2x2x2x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%6) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: range is an iota
// RUN: to-hlo
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
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.range"} : () -> (tensor<3xi32>)
  %4 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.range"} : (tensor<i32>) -> (tensor<3xi32>)
  %5 = "hlo.multiply"(%3, %4) {"op_type" = "core.range"} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %6 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.range"} : (tensor<i32>) -> (tensor<3xi32>)
  %7 = "hlo.add"(%5, %6) {"op_type" = "core.range"} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %8 = "hlo.convert"(%7) {"op_type" = "core.cast"} : (tensor<3xi32>) -> (tensor<3xf32>)
  %9 = "hlo.add"(%0, %8) {"op_type" = "core.add"} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%9) : (tensor<3xf32>) -> ()

// -----
// CASE: a range of a computed size is refused
// RUN: to-hlo
^bb(%n: tensor<i32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.range"(%c1, %n, %c2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["?1"]}>) -> ()
// DIAGNOSTICS
error[MLC0203]: HLO needs every size, or a range that it follows from, and the shape is int32[?]
  = node: y  core.range (int32[], int32[], int32[])
  = help: give the shapes of inputs with --shape NAME=D,D,...

// -----
// CASE: a shape is a literal
// RUN: to-hlo
^bb(%x: tensor<2x3xf32>):
  %v1 = "core.shape_of"(%x) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %v1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %s = "core.shape_of"(%y) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  "mlconv.yield"(%0, %1) : (tensor<2x3xf32>, tensor<2xi64>) -> ()

// -----
// CASE: a piece is written at computed places
// RUN: to-hlo
^bb(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.update_slice"(%x, %u, %i, %zero) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "hlo.dynamic-update-slice"(%0, %1, %2, %3) {"op_type" = "core.update_slice"} : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%4) : (tensor<4x3xf32>) -> ()
