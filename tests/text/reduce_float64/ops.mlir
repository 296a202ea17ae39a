// CASE: ops over float64 are computed in float32, what is handed from one to the next is not widened
// RUN: reduce-float64,canonicalize
^bb(%x: tensor<4xf64>, %k: tensor<4xf32>):
  %w = "core.cast"(%k) {"dtype" = f64} : (tensor<4xf32>) -> (tensor<4xf64>)
  %m = "core.mul"(%x, %w) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>)
  %e = "core.exp"(%m) : (tensor<4xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%e) : (tensor<4xf64>) -> ()
// EXPECT
^bb(%0: tensor<4xf64>, %1: tensor<4xf32>):
  %2 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<4xf64>) -> (tensor<4xf32>)
  %3 = "core.mul"(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.exp"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.cast"(%4) {"dtype" = f64, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xf64>)
  "mlconv.yield"(%5) : (tensor<4xf64>) -> ()
