// CASE: what is not zero is counted, the places are as many as there can be, and the output has its shape beside it
// RUN: data-sizes,refine-shapes
^bb(%x: tensor<5xi1>):
  %p = "core.nonzero"(%x) : (tensor<5xi1>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  "mlconv.yield"(%p) : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<5xi1>):
    %1 = "core.cast"(%0) {"dtype" = i64, "saturate" = false} : (tensor<5xi1>) -> (tensor<5xi64>)
    %2 = "core.reduce_sum"(%1) {"axes" = [0], "keepdims" = false} : (tensor<5xi64>) -> (tensor<i64>)
    %3 = "core.nonzero"(%0) {"padded" = true} : (tensor<5xi1>) -> (tensor<5x1xi64>)
    %4 = "core.define_size"(%2) {"symbol" = "count0", "bound" = 5, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
    %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %6 = "core.reshape"(%4, %5) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %7 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %8 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %9 = "core.concat"(%6, %8) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
    %10 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %11 = "core.slice"(%3, %7, %9, %10) {"begin_mask" = 2, "end_mask" = 2} : (tensor<5x1xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x1xi64, {dims = ["count0", "1"]}>)
    %12 = "core.shape_of"(%11) {"dtype" = i64} : (tensor<?x1xi64, {dims = ["count0", "1"]}>) -> (tensor<2xi64>)
    "mlconv.yield"(%11, %12) : (tensor<?x1xi64, {dims = ["count0", "1"]}>, tensor<2xi64>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0", "y0:shape"], "signature" = "serving_default", "where" = ["0 <= count0 <= 5"]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: the best of as many as a number says
// RUN: data-sizes,refine-shapes
^bb(%x: tensor<9xf32>, %k: tensor<i64>):
  %v, %i = "core.top_k"(%x, %k) {index_dtype = i64} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32, {dims = ["?1"]}>, tensor<?xi64, {dims = ["?1"]}>)
  "mlconv.yield"(%v) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<9xf32>, %1: tensor<i64>):
    %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
    %3 = "core.maximum"(%1, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %4 = "core.constant"() {"value" = dense<9> : tensor<i64>} : () -> (tensor<i64>)
    %5 = "core.minimum"(%3, %4) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %6 = "core.define_size"(%5) {"symbol" = "count0", "bound" = 9, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
    %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %8 = "core.reshape"(%6, %7) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %9 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
    %10 = "core.reshape"(%8, %9) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
    %11, %12 = "core.top_k"(%0, %10) {"axis" = -1, "largest" = true, "index_dtype" = i64} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32, {dims = ["count0"]}>, tensor<?xi64, {dims = ["count0"]}>)
    %13 = "core.shape_of"(%11) {"dtype" = i64} : (tensor<?xf32, {dims = ["count0"]}>) -> (tensor<1xi64>)
    "mlconv.yield"(%11, %13) : (tensor<?xf32, {dims = ["count0"]}>, tensor<1xi64>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "k"], "output_names" = ["y0", "y0:shape"], "signature" = "serving_default", "where" = ["0 <= count0 <= 9"]} : () -> ()
}) {mlconv.source = {}} : () -> ()
