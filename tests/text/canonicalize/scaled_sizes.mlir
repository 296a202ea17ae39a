// CASE: a size times a factor is a size
// RUN: canonicalize
^bb(%x: tensor<2x?xf32, {dims = ["2", "w"]}>):
  %s = "core.shape_of"(%x) : (tensor<2x?xf32, {dims = ["2", "w"]}>) -> (tensor<2xi64>)
  %c = "core.cast"(%s) {"dtype" = f64} : (tensor<2xi64>) -> (tensor<2xf64>)
  %k = "core.constant"() {value = dense<[1.7, 0.6]> : tensor<2xf64>} : () -> (tensor<2xf64>)
  %m = "core.mul"(%c, %k) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>)
  %f = "core.floor"(%m) : (tensor<2xf64>) -> (tensor<2xf64>)
  %i = "core.cast"(%f) {"dtype" = i64} : (tensor<2xf64>) -> (tensor<2xi64>)
  "mlconv.yield"(%i) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x?xf32, {dims = ["2", "w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<2x?xf32, {dims = ["2", "w"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[17, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[10, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.mul"(%1, %2) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %5 = "core.floor_div"(%4, %3) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%5) : (tensor<2xi64>) -> ()

// -----
// CASE: of a factor for which floats round up and down no fraction gives the same sizes
// RUN: canonicalize
^bb(%x: tensor<?xf32, {dims = ["w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %k = "core.constant"() {value = dense<1.3> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%c, %k) : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  %i = "core.cast"(%m) {"dtype" = i32} : (tensor<1xf32>) -> (tensor<1xi32>)
  "mlconv.yield"(%i) : (tensor<1xi32>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<1xi64>) -> (tensor<1xf32>)
  %3 = "core.constant"() {"value" = dense<1.3> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%2, %3) : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  %5 = "core.cast"(%4) {"dtype" = i32, "saturate" = false} : (tensor<1xf32>) -> (tensor<1xi32>)
  "mlconv.yield"(%5) : (tensor<1xi32>) -> ()
