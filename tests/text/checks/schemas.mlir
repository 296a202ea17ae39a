// CASE: an op that fits its schema
// RUN: check-schemas
^bb(%x: tensor<2xf32>, %lo: tensor<f32>):
  %y = "onnx.Clip"(%x, %lo) {opset_version = 13} : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<f32>):
  %2 = "onnx.Clip"(%0, %1) {"opset_version" = 13} : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: the version of the operator set counts
// RUN: check-schemas
^bb(%x: tensor<2xf32>, %lo: tensor<f32>):
  %y = "onnx.Clip"(%x, %lo) {opset_version = 6} : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
note[MLC0105]: onnx.Clip has 2 inputs, ai.onnx 6 takes 1
  = node: y  onnx.Clip (float32[2], float32[])
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<f32>):
  %2 = "onnx.Clip"(%0, %1) {"opset_version" = 6} : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: element types that differ, or that an op does not take
// RUN: check-schemas
^bb(%x: tensor<2xf32>, %i: tensor<2xi32>, %s: tensor<2x!mlconv.string>):
  %y = "onnx.Add"(%x, %i) {opset_version = 14} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>)
  %z = "onnx.Relu"(%s) {opset_version = 14} : (tensor<2x!mlconv.string>) -> (tensor<2x!mlconv.string>)
  "mlconv.yield"(%y, %z) : (tensor<2xf32>, tensor<2x!mlconv.string>) -> ()
// DIAGNOSTICS
note[MLC0202]: inputs A and B of onnx.Add are float32 and int32, not of one type
  = node: y  onnx.Add (float32[2], int32[2])
note[MLC0202]: input X of onnx.Relu is string, ai.onnx 14 allows bfloat16, float16, float32, float64, int16, int32, int64, int8
  = node: z  onnx.Relu (string[2])
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xi32>, %2: tensor<2x!mlconv.string>):
  %3 = "onnx.Add"(%0, %1) {"opset_version" = 14} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>)
  %4 = "onnx.Relu"(%2) {"opset_version" = 14} : (tensor<2x!mlconv.string>) -> (tensor<2x!mlconv.string>)
  "mlconv.yield"(%3, %4) : (tensor<2xf32>, tensor<2x!mlconv.string>) -> ()

// -----
// CASE: attributes that are unknown, missing, or of another kind
// RUN: check-schemas
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Concat"(%x, %x) {opset_version = 13} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  %z = "onnx.Softmax"(%y) {opset_version = 13, axis = "last", beta = 2.0} : (tensor<4x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%z) : (tensor<4x3xf32>) -> ()
// DIAGNOSTICS
note[MLC0106]: onnx.Concat lacks its attribute 'axis'
  = node: y  onnx.Concat (float32[2,3], float32[2,3])
note[MLC0106]: attribute 'axis' of onnx.Softmax is not int
  = node: z  onnx.Softmax (float32[4,3])
note[MLC0106]: onnx.Softmax has no attribute 'beta'; it has axis
  = node: z  onnx.Softmax (float32[4,3])
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.Concat"(%0, %0) {"opset_version" = 13} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  %2 = "onnx.Softmax"(%1) {"opset_version" = 13, "axis" = "last", "beta" = 2.0 : f64} : (tensor<4x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%2) : (tensor<4x3xf32>) -> ()

// -----
// CASE: ops of TensorFlow, and ops that nobody has a schema of
// RUN: check-schemas
^bb(%x: tensor<2x3xf32>):
  %y = "tf.Relu"(%x, %x) {T = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %z = "onnx.my.domain.Op"(%y) {beta = 2.0} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%z) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
note[MLC0105]: tf.Relu has 2 inputs, TensorFlow 2.21.0 takes 1
  = node: y  tf.Relu (float32[2,3], float32[2,3])
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tf.Relu"(%0, %0) {"T" = f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "onnx.my.domain.Op"(%1) {"beta" = 2.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()
