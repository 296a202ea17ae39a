// CASE: the part of an axis that a mask of ones counts is 1
// RUN: simplify-indices
^bb(%x: tensor<?x?xf32, {dims = ["n", "h+1"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "h+1"]}>) -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %ones = "core.broadcast_to"(%one, %shape) : (tensor<i64>, tensor<2xi64>) -> (tensor<?x?xi64, {dims = ["n", "h+1"]}>)
  %count = "core.reduce_sum"(%ones) {axes = [1], keepdims = false} : (tensor<?x?xi64, {dims = ["n", "h+1"]}>) -> (tensor<?xi64, {dims = ["n"]}>)
  %floats = "core.cast"(%count) {dtype = f32, saturate = false} : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
  %last = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %h = "core.gather"(%shape, %last) : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %all = "core.cast"(%h) {dtype = f32, saturate = false} : (tensor<i64>) -> (tensor<f32>)
  %part = "core.div"(%floats, %all) : (tensor<?xf32, {dims = ["n"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%part) : (tensor<?xf32, {dims = ["n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "h+1"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["n", "h+1"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.broadcast_to"(%6, %5) : (tensor<f32>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%7) : (tensor<?xf32, {dims = ["n"]}>) -> ()

// -----
// CASE: masks that are true everywhere are so when they are joined, and choose nothing
// RUN: simplify-indices
^bb(%x: tensor<?x?xf32, {dims = ["n", "h"]}>, %y: tensor<?x?xf32, {dims = ["n", "w"]}>):
  %sx = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<2xi64>)
  %sy = "core.shape_of"(%y) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "w"]}>) -> (tensor<2xi64>)
  %true = "core.constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %mx = "core.broadcast_to"(%true, %sx) : (tensor<i1>, tensor<2xi64>) -> (tensor<?x?xi1, {dims = ["n", "h"]}>)
  %my = "core.broadcast_to"(%true, %sy) : (tensor<i1>, tensor<2xi64>) -> (tensor<?x?xi1, {dims = ["n", "w"]}>)
  %m = "core.concat"(%mx, %my) {axis = 1} : (tensor<?x?xi1, {dims = ["n", "h"]}>, tensor<?x?xi1, {dims = ["n", "w"]}>) -> (tensor<?x?xi1, {dims = ["n", "h+w"]}>)
  %z = "core.concat"(%x, %y) {axis = 1} : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "w"]}>) -> (tensor<?x?xf32, {dims = ["n", "h+w"]}>)
  %none = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.select"(%m, %z, %none) : (tensor<?x?xi1, {dims = ["n", "h+w"]}>, tensor<?x?xf32, {dims = ["n", "h+w"]}>, tensor<f32>) -> (tensor<?x?xf32, {dims = ["n", "h+w"]}>)
  "mlconv.yield"(%s) : (tensor<?x?xf32, {dims = ["n", "h+w"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "h"]}>, %1: tensor<?x?xf32, {dims = ["n", "w"]}>):
  %2 = "core.concat"(%0, %1) {"axis" = 1} : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "w"]}>) -> (tensor<?x?xf32, {dims = ["n", "h+w"]}>)
  "mlconv.yield"(%2) : (tensor<?x?xf32, {dims = ["n", "h+w"]}>) -> ()

// -----
// CASE: numbers that are repeated are joined, picked and computed with once; what multiplies with 1 is left out
// RUN: simplify-indices
^bb(%x: tensor<?x?xf32, {dims = ["n", "h"]}>, %c: tensor<f32>, %i: tensor<?xi64, {dims = ["k"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<2xi64>)
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %ones = "core.broadcast_to"(%one, %shape) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "h"]}>)
  %same = "core.mul"(%x, %ones) : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<?x?xf32, {dims = ["n", "h"]}>)
  %cs = "core.broadcast_to"(%c, %shape) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "h"]}>)
  %two = "core.concat"(%cs, %cs) {axis = 1} : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<?x?xf32, {dims = ["n", "2*h"]}>)
  %root = "core.sqrt"(%two) : (tensor<?x?xf32, {dims = ["n", "2*h"]}>) -> (tensor<?x?xf32, {dims = ["n", "2*h"]}>)
  %picked = "core.gather"(%root, %i) {axis = 1} : (tensor<?x?xf32, {dims = ["n", "2*h"]}>, tensor<?xi64, {dims = ["k"]}>) -> (tensor<?x?xf32, {dims = ["n", "k"]}>)
  "mlconv.yield"(%same, %picked) : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "k"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "h"]}>, %1: tensor<f32>, %2: tensor<?xi64, {dims = ["k"]}>):
  %3 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.slice"(%3, %4, %5, %6) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.slice"(%3, %8, %9, %10) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.add"(%11, %7) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %13 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.slice"(%3, %13, %14, %15) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %17 = "core.concat"(%16, %12) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %18 = "core.sqrt"(%1) : (tensor<f32>) -> (tensor<f32>)
  %19 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %20 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %21 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %22 = "core.slice"(%17, %19, %20, %21) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %23 = "core.shape_of"(%2) {"dtype" = i64} : (tensor<?xi64, {dims = ["k"]}>) -> (tensor<1xi64>)
  %24 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %25 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %26 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %27 = "core.slice"(%23, %24, %25, %26) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %28 = "core.concat"(%22, %27) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %29 = "core.broadcast_to"(%18, %28) : (tensor<f32>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["n", "k"]}>)
  "mlconv.yield"(%0, %29) : (tensor<?x?xf32, {dims = ["n", "h"]}>, tensor<?x?xf32, {dims = ["n", "k"]}>) -> ()

// -----
// CASE: a table that is repeated is normalized, and what is made of constants alone is one
// RUN: simplify-indices
^bb(%x: tensor<?x4xf32, {dims = ["n", "4"]}>):
  %table = "core.constant"() {value = dense<[[0.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32>} : () -> (tensor<1x4xf32>)
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<2xi64>)
  %r = "core.broadcast_to"(%table, %shape) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %mean = "core.reduce_mean"(%r) {axes = [1], keepdims = true} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x1xf32, {dims = ["n", "1"]}>)
  %d = "core.sub"(%r, %mean) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %s = "core.softmax"(%d) {axis = 1} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %y = "core.add"(%x, %s) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["n", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[[0.032058604, 0.08714432, 0.2368828, 0.6439143]]> : tensor<1x4xf32>} : () -> (tensor<1x4xf32>)
  %2 = "core.add"(%0, %1) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<1x4xf32>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%2) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()

// -----
// CASE: what is computed along the axis that is repeated stays repeated
// RUN: simplify-indices
^bb(%x: tensor<?x4xf32, {dims = ["n", "4"]}>, %c: tensor<1x4xf32>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<2xi64>)
  %r = "core.broadcast_to"(%c, %shape) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %s = "core.softmax"(%r) {axis = 0} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %y = "core.add"(%x, %s) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["n", "4"]}>, %1: tensor<1x4xf32>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<2xi64>)
  %3 = "core.broadcast_to"(%1, %2) : (tensor<1x4xf32>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %4 = "core.softmax"(%3) {"axis" = 0} : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  %5 = "core.add"(%0, %4) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?x4xf32, {dims = ["n", "4"]}>) -> (tensor<?x4xf32, {dims = ["n", "4"]}>)
  "mlconv.yield"(%5) : (tensor<?x4xf32, {dims = ["n", "4"]}>) -> ()

// -----
// CASE: sizes of 32 bits, as TensorFlow has them, become those of 64
// RUN: simplify-indices
^bb(%x: tensor<?x?xf32, {dims = ["n", "h"]}>):
  %shape = "core.shape_of"(%x) {dtype = i32} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<2xi32>)
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %ones = "core.broadcast_to"(%one, %shape) : (tensor<f32>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["n", "h"]}>)
  %turned = "core.transpose"(%ones) {perm = [1, 0]} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<?x?xf32, {dims = ["h", "n"]}>)
  %lifted = "core.expand_dims"(%turned) {axes = [0]} : (tensor<?x?xf32, {dims = ["h", "n"]}>) -> (tensor<1x?x?xf32, {dims = ["1", "h", "n"]}>)
  "mlconv.yield"(%lifted) : (tensor<1x?x?xf32, {dims = ["1", "h", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["n", "h"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i32} : (tensor<?x?xf32, {dims = ["n", "h"]}>) -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%1, %3, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi32>)
  %7 = "core.cast"(%6) {"dtype" = i64, "saturate" = false} : (tensor<1xi32>) -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.slice"(%1, %8, %9, %10) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi32>)
  %12 = "core.cast"(%11) {"dtype" = i64, "saturate" = false} : (tensor<1xi32>) -> (tensor<1xi64>)
  %13 = "core.concat"(%7, %12) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %14 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %17 = "core.slice"(%13, %14, %15, %16) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %18 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %19 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %20 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %21 = "core.slice"(%13, %18, %19, %20) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %22 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %23 = "core.concat"(%22, %17, %21) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %24 = "core.broadcast_to"(%2, %23) : (tensor<f32>, tensor<3xi64>) -> (tensor<1x?x?xf32, {dims = ["1", "h", "n"]}>)
  "mlconv.yield"(%24) : (tensor<1x?x?xf32, {dims = ["1", "h", "n"]}>) -> ()
