// CASE: an axis to contract that is not there
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>):
  %r = "hlo.dot"(%x, %y) {lhs_contracting = [5], rhs_contracting = [0], lhs_batch = [], rhs_batch = []} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%r) : (tensor<2x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dot (float32[2,3], float32[3,4]) giving float32[2,4] is malformed: lhs_contracting has the axis 5 of a tensor of rank 2
  = node: r  hlo.dot

// -----
// CASE: a product of floats and integers
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<3x4xi8>):
  %r = "hlo.dot"(%x, %y) {lhs_contracting = [1], rhs_contracting = [0], lhs_batch = [], rhs_batch = []} : (tensor<2x3xf32>, tensor<3x4xi8>) -> (tensor<2x4xi1>)
  "mlconv.yield"(%r) : (tensor<2x4xi1>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dot (float32[2,3], int8[3,4]) giving bool[2,4] is malformed: element types do not fit: float and integer numbers
  = node: r  hlo.dot

// -----
// CASE: a sum in more bits
// RUN: dce
^bb(%x: tensor<2x3xi8>, %y: tensor<3x4xi8>):
  %r = "hlo.dot"(%x, %y) {lhs_contracting = [1], rhs_contracting = [0], lhs_batch = [], rhs_batch = []} : (tensor<2x3xi8>, tensor<3x4xi8>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%r) : (tensor<2x4xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi8>, %1: tensor<3x4xi8>):
  %2 = "hlo.dot"(%0, %1) {"lhs_contracting" = [1], "rhs_contracting" = [0], "lhs_batch" = [], "rhs_batch" = []} : (tensor<2x3xi8>, tensor<3x4xi8>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%2) : (tensor<2x4xi32>) -> ()

// -----
// CASE: an axis that is contracted and of the batch
// RUN: dce
^bb(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>):
  %r = "hlo.dot"(%x, %y) {lhs_contracting = [0], rhs_contracting = [0], lhs_batch = [0], rhs_batch = [0]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3x3xf32>)
  "mlconv.yield"(%r) : (tensor<2x3x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.dot (float32[2,3], float32[2,3]) giving float32[2,3,3] is malformed: an axis is contracted and of the batch
  = node: r  hlo.dot

// -----
// CASE: a layout that is none
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>):
  %y = "hlo.convolution"(%x, %w) {window = [[3, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1]], x_layout = "foo", w_layout = "01IO", y_layout = "N01C", groups = 1} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.convolution (float32[1,8,8,3], float32[3,3,3,4]) giving float32[1,8,8,4] is malformed: x_layout is 'foo': expected N, C and the numbers of the other axes
  = node: y  hlo.convolution

// -----
// CASE: no groups
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>):
  %y = "hlo.convolution"(%x, %w) {window = [[3, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1]], x_layout = "N01C", w_layout = "01IO", y_layout = "N01C", groups = 0} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.convolution (float32[1,8,8,3], float32[3,3,3,4]) giving float32[1,8,8,4] is malformed: 3 channels in 0 groups, and 1 batches in 1, against a kernel of 3 x 4
  = node: y  hlo.convolution

// -----
// CASE: a window of another rank
// RUN: dce
^bb(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>):
  %y = "hlo.convolution"(%x, %w) {window = [[3, 1, 1, 1, 1, 1]], x_layout = "N01C", w_layout = "01IO", y_layout = "N01C", groups = 1} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.convolution (float32[1,8,8,3], float32[3,3,3,4]) giving float32[1,8,8,4] is malformed: the window is not [3, 3]
  = node: y  hlo.convolution

// -----
// CASE: a transform that there is not
// RUN: dce
^bb(%x: tensor<4xcomplex<f32>>):
  %y = "hlo.fft"(%x) {fft_type = "NOPE", fft_length = [4]} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<4xcomplex<f32>>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: hlo.fft: attribute 'fft_type' is not one of FFT, IFFT, RFFT, IRFFT

// -----
// CASE: half of a spectrum
// RUN: dce
^bb(%x: tensor<8xf32>):
  %y = "hlo.fft"(%x) {fft_type = "RFFT", fft_length = [8]} : (tensor<8xf32>) -> (tensor<8xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<8xcomplex<f32>>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.fft (float32[8]) giving complex64[8] is malformed: the result should be complex64[5]
  = node: y  hlo.fft

// -----
// CASE: a transform of real numbers
// RUN: dce
^bb(%x: tensor<8xf32>):
  %y = "hlo.fft"(%x) {fft_type = "FFT", fft_length = [8]} : (tensor<8xf32>) -> (tensor<8xf32>)
  "mlconv.yield"(%y) : (tensor<8xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.fft (float32[8]) giving float32[8] is malformed: FFT does not work on float32
  = node: y  hlo.fft

// -----
// CASE: a reduction over an axis that is not there
// RUN: dce
^bb(%x: tensor<2x3xf32>, %i: tensor<f32>):
  %y = "hlo.reduce"(%x, %i) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {dimensions = [2]} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reduce (float32[2,3], float32[]) giving float32[2] is malformed: dimensions has the axis 2 of a tensor of rank 2
  = node: y  hlo.reduce

// -----
// CASE: a reduction that starts with a vector
// RUN: dce
^bb(%x: tensor<2x3xf32>, %i: tensor<2xf32>):
  %y = "hlo.reduce"(%x, %i) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {dimensions = [1]} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reduce (float32[2,3], float32[2]) giving float32[2] is malformed: operand 0 starts with float32[2]
  = node: y  hlo.reduce

// -----
// CASE: a reduction of other elements than it combines
// RUN: dce
^bb(%x: tensor<2x3xi32>, %i: tensor<i32>):
  %y = "hlo.reduce"(%x, %i) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {dimensions = [1]} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2xi32>) loc("y")
  "mlconv.yield"(%y) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reduce (int32[2,3], int32[]) giving int32[2] is malformed: the computation takes float32[], float32[], expected int32[], int32[]
  = node: y  hlo.reduce

// -----
// CASE: windows of another rank
// RUN: dce
^bb(%x: tensor<2x3xf32>, %i: tensor<f32>):
  %y = "hlo.reduce-window"(%x, %i) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {window = [[2, 1, 0, 0, 1, 1]]} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<1x3xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<1x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.reduce-window (float32[2,3], float32[]) giving float32[1,3] is malformed: the window has 1 axes, expected 2
  = node: y  hlo.reduce-window

// -----
// CASE: a comparison that gives numbers
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "hlo.sort"(%x) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {dimensions = [0], is_stable = true} : (tensor<4xf32>) -> (tensor<4xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.sort (float32[4]) giving float32[4] is malformed: the comparison gives float32[], expected bool[]
  = node: y  hlo.sort

// -----
// CASE: an index vector along no axis
// RUN: dce
^bb(%x: tensor<4x3xf32>, %i: tensor<5x1xi32>):
  %y = "hlo.gather"(%x, %i) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], operand_batching_dims = [], start_indices_batching_dims = [], index_vector_dim = 3, slice_sizes = [1, 3]} : (tensor<4x3xf32>, tensor<5x1xi32>) -> (tensor<5x3xf32>)
  "mlconv.yield"(%y) : (tensor<5x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.gather (float32[4,3], int32[5,1]) giving float32[5,3] is malformed: indices are int32[5,1], with vectors along axis 3
  = node: y  hlo.gather

// -----
// CASE: an index for an axis that is not there
// RUN: dce
^bb(%x: tensor<4x3xf32>, %i: tensor<5x1xi32>):
  %y = "hlo.gather"(%x, %i) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], operand_batching_dims = [], start_indices_batching_dims = [], index_vector_dim = 1, slice_sizes = [1, 3]} : (tensor<4x3xf32>, tensor<5x1xi32>) -> (tensor<5x3xf32>)
  "mlconv.yield"(%y) : (tensor<5x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.gather (float32[4,3], int32[5,1]) giving float32[5,3] is malformed: start_index_map has the axis 2 of a tensor of rank 2
  = node: y  hlo.gather

// -----
// CASE: an offset that is not there
// RUN: dce
^bb(%x: tensor<4x3xf32>, %i: tensor<5x1xi32>):
  %y = "hlo.gather"(%x, %i) {offset_dims = [7], collapsed_slice_dims = [0], start_index_map = [0], operand_batching_dims = [], start_indices_batching_dims = [], index_vector_dim = 1, slice_sizes = [1, 3]} : (tensor<4x3xf32>, tensor<5x1xi32>) -> (tensor<5x3xf32>)
  "mlconv.yield"(%y) : (tensor<5x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.gather (float32[4,3], int32[5,1]) giving float32[5,3] is malformed: offset_dims has the axis 7 of a tensor of rank 2
  = node: y  hlo.gather

// -----
// CASE: updates of other elements
// RUN: dce
^bb(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>, %u: tensor<2x3xi32>):
  %y = "hlo.scatter"(%x, %i, %u) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "hlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<f32>) loc("s")
    "mlconv.yield"(%s) : (tensor<f32>) -> () loc("end")
  }) {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xi32>) -> (tensor<4x3xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.scatter (float32[4,3], int32[2,1], int32[2,3]) giving float32[4,3] is malformed: updates of float32[4,3] are int32[2,3]
  = node: y  hlo.scatter
