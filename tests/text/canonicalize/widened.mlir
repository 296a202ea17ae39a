// CASE: torch asks for infinity in float64
// RUN: canonicalize
^bb(%x: tensor<2xf32>):
  %w = "core.cast"(%x) {dtype = f64, saturate = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %y = "core.is_inf"(%w) {positive = true, negative = false} : (tensor<2xf64>) -> (tensor<2xi1>)
  "mlconv.yield"(%y) : (tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.is_inf"(%0) {"positive" = true, "negative" = false} : (tensor<2xf32>) -> (tensor<2xi1>)
  "mlconv.yield"(%1) : (tensor<2xi1>) -> ()

// -----
// CASE: the larger of two that were widened is compared with a number that float32 has
// RUN: canonicalize
^bb(%a: tensor<2xf32>, %b: tensor<2xf32>):
  %half = "core.constant"() {value = dense<0.5> : tensor<f64>} : () -> (tensor<f64>)
  %v = "core.cast"(%a) {dtype = f64, saturate = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %w = "core.cast"(%b) {dtype = f64, saturate = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %m = "core.maximum"(%v, %w) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>)
  %y = "core.less"(%half, %m) : (tensor<f64>, tensor<2xf64>) -> (tensor<2xi1>)
  "mlconv.yield"(%y) : (tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xf32>):
  %2 = "core.maximum"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.less"(%3, %2) : (tensor<f32>, tensor<2xf32>) -> (tensor<2xi1>)
  "mlconv.yield"(%4) : (tensor<2xi1>) -> ()

// -----
// CASE: a whole part between two numbers is widened at the end
// RUN: canonicalize
^bb(%x: tensor<2xf32>):
  %w = "core.cast"(%x) {dtype = f64, saturate = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %f = "core.floor"(%w) : (tensor<2xf64>) -> (tensor<2xf64>)
  %y = "core.clamp"(%f) {lo = 0.0, hi = 6.0} : (tensor<2xf64>) -> (tensor<2xf64>)
  "mlconv.yield"(%y) : (tensor<2xf64>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.floor"(%0) : (tensor<2xf32>) -> (tensor<2xf32>)
  %2 = "core.clamp"(%1) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<2xf32>) -> (tensor<2xf32>)
  %3 = "core.cast"(%2) {"dtype" = f64, "saturate" = false} : (tensor<2xf32>) -> (tensor<2xf64>)
  "mlconv.yield"(%3) : (tensor<2xf64>) -> ()

// -----
// CASE: float32 has no 0.1, which lies between two of its numbers
// RUN: canonicalize
^bb(%x: tensor<2xf32>):
  %tenth = "core.constant"() {value = dense<0.1> : tensor<f64>} : () -> (tensor<f64>)
  %w = "core.cast"(%x) {dtype = f64, saturate = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %y = "core.less"(%w, %tenth) : (tensor<2xf64>, tensor<f64>) -> (tensor<2xi1>)
  %z = "core.clamp"(%w) {lo = 0.1, hi = 6.0} : (tensor<2xf64>) -> (tensor<2xf64>)
  "mlconv.yield"(%y, %z) : (tensor<2xi1>, tensor<2xf64>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<0.1> : tensor<f64>} : () -> (tensor<f64>)
  %2 = "core.cast"(%0) {"dtype" = f64, "saturate" = true} : (tensor<2xf32>) -> (tensor<2xf64>)
  %3 = "core.less"(%2, %1) : (tensor<2xf64>, tensor<f64>) -> (tensor<2xi1>)
  %4 = "core.clamp"(%2) {"lo" = 0.1 : f64, "hi" = 6.0 : f64} : (tensor<2xf64>) -> (tensor<2xf64>)
  "mlconv.yield"(%3, %4) : (tensor<2xi1>, tensor<2xf64>) -> ()
