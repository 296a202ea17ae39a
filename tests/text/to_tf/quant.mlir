// CASE: integers are rounded and limited by arithmetic
// RUN: to-tf
^bb(%x: tensor<4xf32>):
  %q = "core.quantize"(%x) {element = !quant.uniform<i8:f32, 0.5:3>} : (tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %i = "core.storage_cast"(%q) {element = i8} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xi8>)
  "mlconv.yield"(%i) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "tf.RealDiv"(%0, %1) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "tf.Round"(%2) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "tf.AddV2"(%3, %4) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %6 = "tf.IsNan"(%5) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xi1>)
  %7 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "tf.SelectV2"(%6, %7, %5) {"T" = f32} : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>)
  %9 = "core.constant"() {"value" = dense<-128.0> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "tf.Maximum"(%8, %9) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %11 = "core.constant"() {"value" = dense<127.0> : tensor<f32>} : () -> (tensor<f32>)
  %12 = "tf.Minimum"(%10, %11) {"T" = f32} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %13 = "tf.Cast"(%12) {"SrcT" = f32, "DstT" = i8} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%13) : (tensor<4xi8>) -> ()
