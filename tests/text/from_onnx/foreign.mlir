// CASE: an op that a C function computes
// RUN: from-onnx{foreign="[{\"name\": \"com.acme::Scale\", \"symbol\": \"acme_scale\", \"types\": \"T[n, c] -> T[c, n]\", \"attributes\": {\"mode\": \"fast\"}}]"}
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.com.acme.Scale"(%x) {alpha = 2.5 : f64, opset_version = 1} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.foreign"(%0) {"source" = "com.acme::Scale", "symbol" = "acme_scale", "arguments" = [["alpha", 2.5 : f64], ["mode", "fast"]], "types" = [], "signature" = "T[n, c] -> T[c, n]", "scratch" = "0", "library" = ""} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%1) : (tensor<3x2xf32>) -> ()

// -----
// CASE: one that is declared with too few inputs
// RUN: from-onnx{foreign="[{\"name\": \"com.acme::Scale\", \"symbol\": \"acme_scale\", \"types\": \"T[n, c], T[n] -> T[c, n]\"}]"}
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.com.acme.Scale"(%x) {opset_version = 1} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0105]: it has 1 inputs, its declaration 'T[n, c], T[n] -> T[c, n]' has 2
  = node: y  onnx.com.acme.Scale (float32[2,3])
