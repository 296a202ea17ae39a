// CASE: quantization is arithmetic
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %q = "core.to_integers"(%x) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %y = "core.from_integers"(%q) {quant = !quant.uniform<u8:f32, 0.5:10>} : (tensor<2x3xui8>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tf.RealDiv"(%0, %1) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "tf.Round"(%2) {"T" = f32} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "core.constant"() {"value" = dense<10.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tf.AddV2"(%3, %4) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %6 = "tf.IsNan"(%5) {"T" = f32} : (tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %7 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "tf.SelectV2"(%6, %7, %5) {"T" = f32} : (tensor<2x3xi1>, tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %9 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "tf.Maximum"(%8, %9) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %11 = "core.constant"() {"value" = dense<255.0> : tensor<f32>} : () -> (tensor<f32>)
  %12 = "tf.Minimum"(%10, %11) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %13 = "tf.Cast"(%12) {"SrcT" = f32, "DstT" = ui8} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  %14 = "tf.Cast"(%13) {"SrcT" = ui8, "DstT" = i32} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  %15 = "core.constant"() {"value" = dense<10> : tensor<i32>} : () -> (tensor<i32>)
  %16 = "tf.Sub"(%14, %15) {"T" = i32} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  %17 = "tf.Cast"(%16) {"SrcT" = i32, "DstT" = f32} : (tensor<2x3xi32>) -> (tensor<2x3xf32>)
  %18 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %19 = "tf.Mul"(%17, %18) {"T" = f32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%19) : (tensor<2x3xf32>) -> ()

// -----
// CASE: complex numbers
// RUN: to-tf
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %k = "core.complex"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %f = "core.fft"(%k) {axes = [0]} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  %r = "core.real"(%f) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %m = "core.imag"(%k) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%r, %m) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tf.Complex"(%0, %1) {"T" = f32, "Tout" = complex<f32>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  %3 = "tf.FFT"(%2) {"Tcomplex" = complex<f32>} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  %4 = "tf.Real"(%3) {"T" = complex<f32>, "Tout" = f32} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  %5 = "tf.Imag"(%2) {"T" = complex<f32>, "Tout" = f32} : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  "mlconv.yield"(%4, %5) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: complex results
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %k = "core.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%k) : (tensor<4xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "tf.Complex"(%0, %0) {"T" = f32, "Tout" = complex<f32>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  "mlconv.yield"(%1) : (tensor<4xcomplex<f32>>) -> ()

// -----
// CASE: a transform of real numbers says its length
// RUN: to-tf
^bb(%x: tensor<2x8xf32>):
  %a = "core.rfft"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>)
  %y = "core.irfft"(%a) {axes = [1], length = 8} : (tensor<2x5xcomplex<f32>>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.constant"() {"value" = dense<[8]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tf.RFFT"(%0, %1) {"Treal" = f32, "Tcomplex" = complex<f32>} : (tensor<2x8xf32>, tensor<1xi32>) -> (tensor<2x5xcomplex<f32>>)
  %3 = "core.constant"() {"value" = dense<[8]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tf.IRFFT"(%2, %3) {"Tcomplex" = complex<f32>, "Treal" = f32} : (tensor<2x5xcomplex<f32>>, tensor<1xi32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%4) : (tensor<2x8xf32>) -> ()

// -----
// CASE: random numbers
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_uniform"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.RandomUniform"(%1) {"T" = i32, "dtype" = f32, "seed" = 1, "seed2" = 0} : (tensor<2xi32>) -> (tensor<2x3xf32>)
  %3 = "tf.AddV2"(%0, %2) {"T" = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a custom op has no form
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.custom"(%x) {code = "Wobble", options = #mlconv.bytes<"">, types = [tensor<2x3xf32>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: TensorFlow has no form for core.custom
  = node: y  core.custom (float32[2,3])

// -----
// CASE: a nearest resize
// RUN: to-tf
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "asymmetric", nearest_mode = "floor"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.ResizeNearestNeighbor"(%0, %1) {"T" = f32, "align_corners" = false, "half_pixel_centers" = false} : (tensor<1x2x2x1xf32>, tensor<2xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a linear resize
// RUN: to-tf
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.ResizeBilinear"(%0, %1) {"T" = f32, "align_corners" = false, "half_pixel_centers" = true} : (tensor<1x2x2x1xf32>, tensor<2xi32>) -> (tensor<1x4x2x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x2x1xf32>) -> ()

// -----
// CASE: fake quantization has the ends of its range
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.fake_quant"(%x) {quant = !quant.uniform<u8:f32, 0.007843138:127>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<-0.9960785> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<1.0039216> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "tf.FakeQuantWithMinMaxVars"(%0, %1, %2) {"num_bits" = 8, "narrow_range" = false} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: normal random numbers
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_normal"(%c1) {seed = 1} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.RandomStandardNormal"(%1) {"T" = i32, "dtype" = f32, "seed" = 1, "seed2" = 0} : (tensor<2xi32>) -> (tensor<2x3xf32>)
  %3 = "tf.AddV2"(%0, %2) {"T" = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: suppression of boxes
// RUN: to-tf
^bb(%b: tensor<2x4xf32>, %s: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) {padded = true} : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<1xi32>, tensor<1xf32>, tensor<i32>)
  "mlconv.yield"(%n, %n1, %n2) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6, %7, %8 = "tf.NonMaxSuppressionV5"(%0, %1, %2, %3, %4, %5) {"T" = f32, "pad_to_max_output_size" = true} : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<1xi32>, tensor<1xf32>, tensor<i32>)
  "mlconv.yield"(%6, %7, %8) : (tensor<1xi32>, tensor<1xf32>, tensor<i32>) -> ()

// -----
// CASE: a table is looked up by comparing with all keys
// RUN: to-tf
^bb(%x: tensor<3xi64>):
  %c1 = "core.constant"() {value = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %c2 = "core.constant"() {value = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.lookup"(%x, %c1, %c2, %c3) : (tensor<3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<3xi64>)
  "mlconv.yield"(%y) : (tensor<3xi64>) -> ()
// EXPECT
^bb(%0: tensor<3xi64>):
  %1 = "core.constant"() {"value" = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<[3, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[30, 50]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tf.ExpandDims"(%0, %4) {"Tdim" = i32, "T" = i64} : (tensor<3xi64>, tensor<i32>) -> (tensor<3x1xi64>)
  %6 = "tf.Equal"(%5, %2) {"T" = i64} : (tensor<3x1xi64>, tensor<2xi64>) -> (tensor<3x2xi1>)
  %7 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %8 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "tf.SelectV2"(%6, %7, %8) {"T" = i32} : (tensor<3x2xi1>, tensor<2xi32>, tensor<i32>) -> (tensor<3x2xi32>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %11 = "tf.Max"(%9, %10) {"T" = i32, "Tidx" = i32, "keep_dims" = false} : (tensor<3x2xi32>, tensor<1xi32>) -> (tensor<3xi32>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %13 = "tf.Reshape"(%1, %12) {"Tshape" = i32, "T" = i64} : (tensor<i64>, tensor<1xi32>) -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %15 = "tf.ConcatV2"(%13, %3, %14) {"Tidx" = i32, "N" = 2, "T" = i64} : (tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> (tensor<3xi64>)
  %16 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %17 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %18 = "tf.Reshape"(%16, %17) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %19 = "tf.Cast"(%18) {"SrcT" = i64, "DstT" = i32} : (tensor<i64>) -> (tensor<i32>)
  %20 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %21 = "tf.Less"(%11, %20) {"T" = i32} : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi1>)
  %22 = "tf.AddV2"(%11, %19) {"T" = i32} : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>)
  %23 = "tf.SelectV2"(%21, %22, %11) {"T" = i32} : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %24 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %25 = "tf.GatherV2"(%15, %23, %24) {"Tindices" = i32, "Taxis" = i32, "Tparams" = i64, "batch_dims" = 0} : (tensor<3xi64>, tensor<3xi32>, tensor<i32>) -> (tensor<3xi64>)
  "mlconv.yield"(%25) : (tensor<3xi64>) -> ()
