// CASE: a sequence that is taken apart again goes
// RUN: from-onnx
^bb(%a: tensor<2xf32>, %b: tensor<2xf32>):
  %i = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %s = "onnx.SequenceConstruct"(%a, %b) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.SequenceAt"(%s, %i) {opset_version = 17} : (tensor<*x!mlconv.unknown>, tensor<i64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xf32>):
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: ConcatFromSequence with a new axis
// RUN: from-onnx
^bb(%a: tensor<2xf32>, %b: tensor<2xf32>):
  %s = "onnx.SequenceConstruct"(%a, %b) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.ConcatFromSequence"(%s) {axis = 0, new_axis = 1, opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xf32>):
  %2 = "core.expand_dims"(%0) {"axes" = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
  %3 = "core.expand_dims"(%1) {"axes" = [0]} : (tensor<2xf32>) -> (tensor<1x2xf32>)
  %4 = "core.concat"(%2, %3) {"axis" = 0} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%4) : (tensor<2x2xf32>) -> ()

// -----
// CASE: SplitToSequence and its length
// RUN: from-onnx
^bb(%x: tensor<4x2xf32>):
  %k = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %s = "onnx.SplitToSequence"(%x, %k) {opset_version = 17} : (tensor<4x2xf32>, tensor<i64>) -> (tensor<*x!mlconv.unknown>)
  %n = "onnx.SequenceLength"(%s) {opset_version = 17} : (tensor<*x!mlconv.unknown>) -> (tensor<i64>)
  "mlconv.yield"(%n) : (tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  "mlconv.yield"(%1) : (tensor<i64>) -> ()
