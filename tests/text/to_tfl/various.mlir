// CASE: a transform of complex numbers is products with tables, here of one point
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x1xcomplex<f32>>):
  %y = "core.fft"(%x) {axes = [1]} : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<3x1xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<3x1xcomplex<f32>>):
  %1 = "tfl.REAL"(%0) : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xf32>)
  %2 = "tfl.IMAG"(%0) : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xf32>)
  %3 = "core.constant"() {"value" = dense<[[1.0]]> : tensor<1x1xf32>} : () -> (tensor<1x1xf32>)
  %4 = "tfl.FULLY_CONNECTED"(%1, %3) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %5 = "core.constant"() {"value" = dense<[[-0.0]]> : tensor<1x1xf32>} : () -> (tensor<1x1xf32>)
  %6 = "tfl.FULLY_CONNECTED"(%2, %5) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %7 = "tfl.SUB"(%4, %6) : (tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x1xf32>)
  %8 = "tfl.FULLY_CONNECTED"(%1, %5) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %9 = "tfl.FULLY_CONNECTED"(%2, %3) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %10 = "tfl.ADD"(%8, %9) : (tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x1xf32>)
  %11 = "core.constant"() {"value" = dense<[-1, 1, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %12 = "tfl.RESHAPE"(%7, %11) {"new_shape" = [-1, 1, 1]} : (tensor<3x1xf32>, tensor<3xi32>) -> (tensor<3x1x1xf32>)
  %13 = "tfl.RESHAPE"(%10, %11) {"new_shape" = [-1, 1, 1]} : (tensor<3x1xf32>, tensor<3xi32>) -> (tensor<3x1x1xf32>)
  %14 = "tfl.CONCATENATION"(%12, %13) {"axis" = 2} : (tensor<3x1x1xf32>, tensor<3x1x1xf32>) -> (tensor<3x1x2xf32>)
  %15 = "tfl.BITCAST"(%14) : (tensor<3x1x2xf32>) -> (tensor<3x1xcomplex<f32>>)
  "mlconv.yield"(%15) : (tensor<3x1xcomplex<f32>>) -> ()

// -----
// CASE: an inverse transform to real numbers is products with tables, here of one point
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x1xcomplex<f32>>):
  %y = "core.irfft"(%x) {axes = [1], length = 1} : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1xcomplex<f32>>):
  %1 = "tfl.REAL"(%0) : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xf32>)
  %2 = "tfl.IMAG"(%0) : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xf32>)
  %3 = "core.constant"() {"value" = dense<[[1.0]]> : tensor<1x1xf32>} : () -> (tensor<1x1xf32>)
  %4 = "tfl.FULLY_CONNECTED"(%1, %3) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %5 = "core.constant"() {"value" = dense<[[0.0]]> : tensor<1x1xf32>} : () -> (tensor<1x1xf32>)
  %6 = "tfl.FULLY_CONNECTED"(%2, %5) {"keep_num_dims" = false, "mlconv.absent" = [2]} : (tensor<3x1xf32>, tensor<1x1xf32>) -> (tensor<3x1xf32>)
  %7 = "tfl.SUB"(%4, %6) : (tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x1xf32>)
  "mlconv.yield"(%7) : (tensor<3x1xf32>) -> ()

// -----
// CASE: a change of rank of fixed sizes is a RESHAPE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %t = "core.expand_dims"(%x) {axes = [0]} : (tensor<2x3xf32>) -> (tensor<1x2x3xf32>)
  %y = "core.neg"(%t) : (tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, -1, 3]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [1, -1, 3]} : (tensor<2x3xf32>, tensor<3xi32>) -> (tensor<1x2x3xf32>)
  %3 = "tfl.NEG"(%2) : (tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x3xf32>) -> ()

// -----
// CASE: RFFT2D of a power of two
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x8xf32>):
  %y = "core.rfft"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  %r = "core.real"(%y) : (tensor<2x5xcomplex<f32>>) -> (tensor<2x5xf32>)
  %m = "core.imag"(%y) : (tensor<2x5xcomplex<f32>>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%r, %m) : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 1, 8]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 1, 8]} : (tensor<2x8xf32>, tensor<3xi32>) -> (tensor<2x1x8xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.RFFT2D"(%2, %3) : (tensor<2x1x8xf32>, tensor<2xi32>) -> (tensor<2x1x5xcomplex<f32>>)
  %5 = "core.constant"() {"value" = dense<[-1, 5]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %6 = "tfl.RESHAPE"(%4, %5) {"new_shape" = [-1, 5]} : (tensor<2x1x5xcomplex<f32>>, tensor<2xi32>) -> (tensor<2x5xcomplex<f32>>)
  %7 = "tfl.REAL"(%6) : (tensor<2x5xcomplex<f32>>) -> (tensor<2x5xf32>)
  %8 = "tfl.IMAG"(%6) : (tensor<2x5xcomplex<f32>>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%7, %8) : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()

// -----
// CASE: a complex number is its parts side by side
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %c1 = "core.complex"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %y = "core.mul"(%c1, %c1) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<4xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.RESHAPE"(%0, %2) {"new_shape" = [-1, 1]} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4x1xf32>)
  %4 = "tfl.RESHAPE"(%1, %2) {"new_shape" = [-1, 1]} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4x1xf32>)
  %5 = "tfl.CONCATENATION"(%3, %4) {"axis" = 1} : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x2xf32>)
  %6 = "tfl.BITCAST"(%5) : (tensor<4x2xf32>) -> (tensor<4xcomplex<f32>>)
  %7 = "tfl.MUL"(%6, %6) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%7) : (tensor<4xcomplex<f32>>) -> ()

// -----
// CASE: quantization is spelled out in float32, since QUANTIZE rounds otherwise
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %q = "core.to_integers"(%x) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %y = "core.from_integers"(%q) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tfl.DIV"(%0, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "tfl.ROUND"(%2) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "core.constant"() {"value" = dense<10.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tfl.ADD"(%3, %4) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "tfl.RELU"(%5) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %7 = "core.constant"() {"value" = dense<255.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "tfl.MINIMUM"(%6, %7) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %9 = "tfl.CAST"(%8) {"in_data_type" = "FLOAT32", "out_data_type" = "UINT8"} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %10 = "tfl.CAST"(%9) {"in_data_type" = "UINT8", "out_data_type" = "FLOAT32"} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  %11 = "tfl.SUB"(%10, %4) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %12 = "tfl.MUL"(%11, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%12) : (tensor<2x3xf32>) -> ()

// -----
// CASE: fake quantization is spelled out
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.fake_quant"(%x) {quant = !quant.uniform<u8:f32, 0.007843138:127>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<-0.9960785> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tfl.MAXIMUM"(%0, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<1.0039216> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.MINIMUM"(%2, %3) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %5 = "tfl.SUB"(%4, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "core.constant"() {"value" = dense<0.007843138> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "tfl.DIV"(%5, %6) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %8 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "tfl.SUB"(%7, %8) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %10 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %11 = "tfl.ADD"(%9, %10) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %12 = "tfl.FLOOR"(%11) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %13 = "tfl.MUL"(%12, %6) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%13) : (tensor<2x3xf32>) -> ()

// -----
// CASE: random numbers keep their seeds in the file
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_normal"(%c1) {seed = 1, seed2 = 2} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %c2 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %u = "core.random_uniform"(%c2) {seed = 3} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %a = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.add"(%a, %u) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.RANDOM_STANDARD_NORMAL"(%2) {"seed" = 1, "seed2" = 2} : (tensor<2xi32>) -> (tensor<2x3xf32>)
  %4 = "tfl.RANDOM_UNIFORM"(%2) {"seed" = 3, "seed2" = 0} : (tensor<2xi32>) -> (tensor<2x3xf32>)
  %5 = "tfl.ADD"(%0, %3) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %6 = "tfl.ADD"(%5, %4) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a custom op keeps its code and its options
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %k = "core.custom"(%x) {code = "Wobble", options = #mlconv.bytes<"01">, types = [tensor<2x3xf32>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%k) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tfl.CUSTOM"(%0) {"custom_code" = "Wobble", "custom_options" = #mlconv.bytes<"01">} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: suppression of boxes that have areas is the kernel's, at the next threshold
// RUN: to-tfl,tfl-merge
^bb(%b: tensor<5x4xf32>, %s: tensor<5xf32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) {plain = true} : (tensor<5x4xf32>, tensor<5xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  %r = "core.gather"(%b, %n) {axis = 0} : (tensor<5x4xf32>, tensor<?xi32>) -> (tensor<?x4xf32>)
  "mlconv.yield"(%r) : (tensor<?x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x4xf32>, %1: tensor<5xf32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<0.50000006> : tensor<f32>} : () -> (tensor<f32>)
  %5, %6 = "tfl.NON_MAX_SUPPRESSION_V4"(%0, %1, %2, %4, %3) : (tensor<5x4xf32>, tensor<5xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3xi32>, tensor<i32>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %9 = "tfl.RESHAPE"(%6, %8) {"new_shape" = [1]} : (tensor<i32>, tensor<1xi32>) -> (tensor<1xi32>)
  %10 = "tfl.SLICE"(%5, %7, %9) : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  %11 = "tfl.GATHER"(%0, %10) {"axis" = 0, "batch_dims" = 0} : (tensor<5x4xf32>, tensor<?xi32, {dims = ["?1"]}>) -> (tensor<?x4xf32, {dims = ["?2", "4"]}>)
  "mlconv.yield"(%11) : (tensor<?x4xf32, {dims = ["?2", "4"]}>) -> ()
