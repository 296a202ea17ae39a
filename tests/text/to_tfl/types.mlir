// CASE: float16 is computed in float32
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf16>, %z: tensor<4xf16>):
  %add = "core.add"(%x, %z) : (tensor<4xf16>, tensor<4xf16>) -> (tensor<4xf16>)
  "mlconv.yield"(%add) : (tensor<4xf16>) -> ()
// EXPECT
^bb(%0: tensor<4xf16>, %1: tensor<4xf16>):
  %2 = "tfl.CAST"(%0) {"in_data_type" = "FLOAT16", "out_data_type" = "FLOAT32"} : (tensor<4xf16>) -> (tensor<4xf32>)
  %3 = "tfl.CAST"(%1) {"in_data_type" = "FLOAT16", "out_data_type" = "FLOAT32"} : (tensor<4xf16>) -> (tensor<4xf32>)
  %4 = "tfl.ADD"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "tfl.CAST"(%4) {"in_data_type" = "FLOAT32", "out_data_type" = "FLOAT16"} : (tensor<4xf32>) -> (tensor<4xf16>)
  "mlconv.yield"(%5) : (tensor<4xf16>) -> ()

// -----
// CASE: small integers are computed in wider ones
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xi8>, %z: tensor<4xi8>):
  %mul = "core.mul"(%x, %z) : (tensor<4xi8>, tensor<4xi8>) -> (tensor<4xi8>)
  "mlconv.yield"(%mul) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xi8>, %1: tensor<4xi8>):
  %2 = "tfl.CAST"(%0) {"in_data_type" = "INT8", "out_data_type" = "INT32"} : (tensor<4xi8>) -> (tensor<4xi32>)
  %3 = "tfl.CAST"(%1) {"in_data_type" = "INT8", "out_data_type" = "INT32"} : (tensor<4xi8>) -> (tensor<4xi32>)
  %4 = "tfl.MUL"(%2, %3) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %5 = "tfl.CAST"(%4) {"in_data_type" = "INT32", "out_data_type" = "INT8"} : (tensor<4xi32>) -> (tensor<4xi8>)
  "mlconv.yield"(%5) : (tensor<4xi8>) -> ()

// -----
// CASE: the order of unsigned 64 bit integers is that of signed ones with the top bit flipped
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xui64>, %z: tensor<4xui64>):
  %maximum = "core.maximum"(%x, %z) : (tensor<4xui64>, tensor<4xui64>) -> (tensor<4xui64>)
  "mlconv.yield"(%maximum) : (tensor<4xui64>) -> ()
// EXPECT
^bb(%0: tensor<4xui64>, %1: tensor<4xui64>):
  %2 = "tfl.BITCAST"(%0) : (tensor<4xui64>) -> (tensor<4xi64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<-9223372036854775808> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "tfl.ADD"(%2, %3) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>)
  %5 = "tfl.BITCAST"(%1) : (tensor<4xui64>) -> (tensor<4xi64>)
  %6 = "tfl.ADD"(%5, %3) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>)
  %7 = "tfl.MAXIMUM"(%4, %6) : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>)
  %8 = "tfl.ADD"(%7, %3) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>)
  %9 = "tfl.BITCAST"(%8) : (tensor<4xi64>) -> (tensor<4xui64>)
  "mlconv.yield"(%9) : (tensor<4xui64>) -> ()

// -----
// CASE: sums of float64 are exact
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf64>, %z: tensor<4xf64>):
  %add = "core.add"(%x, %z) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%add) : (tensor<4xf64>) -> ()
// EXPECT
^bb(%0: tensor<4xf64>, %1: tensor<4xf64>):
  %2 = "tfl.STABLEHLO_ADD"(%0, %1) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%2) : (tensor<4xf64>) -> ()

// -----
// CASE: a sine of float64 is refused, with what to do
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf64>):
  %sin = "core.sin"(%x) : (tensor<4xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%sin) : (tensor<4xf64>) -> ()
// DIAGNOSTICS
error[MLC0402]: TFLite computes core.sin on float32, not on float64
  = node: sin  core.sin (float64[4])
  = help: --reduce-float64 computes float64 in float32

// -----
// CASE: a sine of float64 is one of float32 when that is allowed
// RUN: to-tfl{reduce-float64=true},tfl-merge
^bb(%x: tensor<4xf64>):
  %sin = "core.sin"(%x) : (tensor<4xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%sin) : (tensor<4xf64>) -> ()
// EXPECT
^bb(%0: tensor<4xf64>):
  %1 = "tfl.CAST"(%0) {"in_data_type" = "FLOAT64", "out_data_type" = "FLOAT32"} : (tensor<4xf64>) -> (tensor<4xf32>)
  %2 = "tfl.SIN"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "tfl.CAST"(%2) {"in_data_type" = "FLOAT32", "out_data_type" = "FLOAT64"} : (tensor<4xf32>) -> (tensor<4xf64>)
  "mlconv.yield"(%3) : (tensor<4xf64>) -> ()

// -----
// CASE: float64 is compared by its bits
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf64>):
  %c1 = "core.constant"() {value = dense<1.0> : tensor<f64>} : () -> (tensor<f64>)
  %y = "core.less"(%x, %c1) : (tensor<2x3xf64>, tensor<f64>) -> (tensor<2x3xi1>)
  "mlconv.yield"(%y) : (tensor<2x3xi1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf64>):
  %1 = "core.constant"() {"value" = dense<1.0> : tensor<f64>} : () -> (tensor<f64>)
  %2 = "tfl.BITCAST"(%0) : (tensor<2x3xf64>) -> (tensor<2x3xi64>)
  %3 = "core.constant"() {"value" = dense<-9223372036854775808> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "tfl.SUB"(%3, %2) : (tensor<i64>, tensor<2x3xi64>) -> (tensor<2x3xi64>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %6 = "tfl.LESS"(%2, %5) : (tensor<2x3xi64>, tensor<i64>) -> (tensor<2x3xi1>)
  %7 = "tfl.SELECT_V2"(%6, %4, %2) : (tensor<2x3xi1>, tensor<2x3xi64>, tensor<2x3xi64>) -> (tensor<2x3xi64>)
  %8 = "core.constant"() {"value" = dense<9218868437227405312> : tensor<i64>} : () -> (tensor<i64>)
  %9 = "tfl.LESS_EQUAL"(%7, %8) : (tensor<2x3xi64>, tensor<i64>) -> (tensor<2x3xi1>)
  %10 = "core.constant"() {"value" = dense<-9218868437227405312> : tensor<i64>} : () -> (tensor<i64>)
  %11 = "tfl.GREATER_EQUAL"(%7, %10) : (tensor<2x3xi64>, tensor<i64>) -> (tensor<2x3xi1>)
  %12 = "tfl.LOGICAL_AND"(%9, %11) : (tensor<2x3xi1>, tensor<2x3xi1>) -> (tensor<2x3xi1>)
  %13 = "tfl.BITCAST"(%1) : (tensor<f64>) -> (tensor<i64>)
  %14 = "tfl.SUB"(%3, %13) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %15 = "tfl.LESS"(%13, %5) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
  %16 = "tfl.SELECT_V2"(%15, %14, %13) : (tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %17 = "tfl.LESS_EQUAL"(%16, %8) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
  %18 = "tfl.GREATER_EQUAL"(%16, %10) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
  %19 = "tfl.LOGICAL_AND"(%17, %18) : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
  %20 = "tfl.LOGICAL_AND"(%12, %19) : (tensor<2x3xi1>, tensor<i1>) -> (tensor<2x3xi1>)
  %21 = "tfl.LESS"(%7, %16) : (tensor<2x3xi64>, tensor<i64>) -> (tensor<2x3xi1>)
  %22 = "tfl.LOGICAL_AND"(%21, %20) : (tensor<2x3xi1>, tensor<2x3xi1>) -> (tensor<2x3xi1>)
  "mlconv.yield"(%22) : (tensor<2x3xi1>) -> ()

// -----
// CASE: a reduction of more axes than the kernel takes, none of which merge, is refused
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x2x2x2x2x2x2xf32>):
  %y = "core.reduce_sum"(%x) {axes = [0, 2, 4, 6]} : (tensor<2x2x2x2x2x2x2xf32>) -> (tensor<2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: reduction of float32[2,2,2,2,2,2,2] over [0, 2, 4, 6] needs more than 6 dimensions
  = node: y  core.reduce_sum (float32[2,2,2,2,2,2,2])

// -----
// CASE: a reduction of more axes than the kernel takes merges neighbours
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x2x2x2x2x2x2xf32>):
  %y = "core.reduce_sum"(%x) {axes = [0, 1, 2]} : (tensor<2x2x2x2x2x2x2xf32>) -> (tensor<2x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x2x2x2x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 16]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [8, 16]} : (tensor<2x2x2x2x2x2x2xf32>, tensor<2xi32>) -> (tensor<8x16xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tfl.SUM"(%2, %3) {"keep_dims" = false} : (tensor<8x16xf32>, tensor<1xi32>) -> (tensor<16xf32>)
  %5 = "core.constant"() {"value" = dense<[2, 2, 2, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %6 = "tfl.RESHAPE"(%4, %5) {"new_shape" = [2, 2, 2, 2]} : (tensor<16xf32>, tensor<4xi32>) -> (tensor<2x2x2x2xf32>)
  "mlconv.yield"(%6) : (tensor<2x2x2x2xf32>) -> ()

// -----
// CASE: a broadcast of more axes than the kernel takes is refused, with both numbers
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x2x2x2x2x2x2xf32>, %z: tensor<2x1x2x1x2x1x2xf32>):
  %y = "core.add"(%x, %z) : (tensor<2x2x2x2x2x2x2xf32>, tensor<2x1x2x1x2x1x2xf32>) -> (tensor<2x2x2x2x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2x2x2x2x2x2xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: ADD of float32[2,2,2,2,2,2,2] and float32[2,1,2,1,2,1,2] needs 7 dimensions, TFLite broadcasts 6
  = node: y  core.add (float32[2,2,2,2,2,2,2], float32[2,1,2,1,2,1,2])

// -----
// CASE: what has no elements is a constant
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<0x3xf32>):
  %y = "core.neg"(%x) : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%y) : (tensor<0x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<0x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  "mlconv.yield"(%1) : (tensor<0x3xf32>) -> ()
