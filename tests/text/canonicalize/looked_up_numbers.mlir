// CASE: rows of 4 bits by scales that are looked up by the same indices are rows of a table of numbers
// RUN: canonicalize
^bb(%i: tensor<5xi32>):
  %t = "core.constant"() {value = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi4>} : () -> (tensor<3x2xi4>)
  %s = "core.constant"() {value = dense<[2.0, 4.0, 8.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %a = "core.sub"(%i, %one) : (tensor<5xi32>, tensor<i32>) -> (tensor<5xi32>)
  %b = "core.sub"(%i, %one) : (tensor<5xi32>, tensor<i32>) -> (tensor<5xi32>)
  %r = "core.gather"(%t, %a) {axis = 0} : (tensor<3x2xi4>, tensor<5xi32>) -> (tensor<5x2xi4>)
  %f = "core.cast"(%r) {dtype = f32} : (tensor<5x2xi4>) -> (tensor<5x2xf32>)
  %g = "core.gather"(%s, %b) {axis = 0} : (tensor<3xf32>, tensor<5xi32>) -> (tensor<5xf32>)
  %e = "core.expand_dims"(%g) {axes = [1]} : (tensor<5xf32>) -> (tensor<5x1xf32>)
  %y = "core.div"(%f, %e) : (tensor<5x2xf32>, tensor<5x1xf32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%y) : (tensor<5x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xi32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.sub"(%0, %1) : (tensor<5xi32>, tensor<i32>) -> (tensor<5xi32>)
  %3 = "core.constant"() {"value" = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi4>, "element" = !quant.uniform<i4:f32:0, {0.5, 0.25, 0.125}>} : () -> (tensor<3x2x!quant.uniform<i4:f32:0, {0.5, 0.25, 0.125}>>)
  %4 = "core.dequantize"(%3) : (tensor<3x2x!quant.uniform<i4:f32:0, {0.5, 0.25, 0.125}>>) -> (tensor<3x2xf32>)
  %5 = "core.gather"(%4, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x2xf32>, tensor<5xi32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%5) : (tensor<5x2xf32>) -> ()

// -----
// CASE: zero points and scales may be of groups of columns
// RUN: canonicalize
^bb(%i: tensor<5xi32>):
  %t = "core.constant"() {value = dense<1> : tensor<3x16xi4>} : () -> (tensor<3x16xi4>)
  %s = "core.constant"() {value = dense<[[2.0, 0.5], [4.0, 1.0], [8.0, 3.0]]> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %z = "core.constant"() {value = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %c = "core.constant"() {value = dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]> : tensor<16xi32>} : () -> (tensor<16xi32>)
  %r = "core.gather"(%t, %i) {axis = 0} : (tensor<3x16xi4>, tensor<5xi32>) -> (tensor<5x16xi4>)
  %f = "core.cast"(%r) {dtype = f32} : (tensor<5x16xi4>) -> (tensor<5x16xf32>)
  %zg = "core.gather"(%z, %i) {axis = 0} : (tensor<3x2xi8>, tensor<5xi32>) -> (tensor<5x2xi8>)
  %zc = "core.gather"(%zg, %c) {axis = 1} : (tensor<5x2xi8>, tensor<16xi32>) -> (tensor<5x16xi8>)
  %zf = "core.cast"(%zc) {dtype = f32} : (tensor<5x16xi8>) -> (tensor<5x16xf32>)
  %d = "core.sub"(%f, %zf) : (tensor<5x16xf32>, tensor<5x16xf32>) -> (tensor<5x16xf32>)
  %g = "core.gather"(%s, %i) {axis = 0} : (tensor<3x2xf32>, tensor<5xi32>) -> (tensor<5x2xf32>)
  %gc = "core.gather"(%g, %c) {axis = 1} : (tensor<5x2xf32>, tensor<16xi32>) -> (tensor<5x16xf32>)
  %y = "core.mul"(%d, %gc) : (tensor<5x16xf32>, tensor<5x16xf32>) -> (tensor<5x16xf32>)
  "mlconv.yield"(%y) : (tensor<5x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xi32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<3x16xi4>, "element" = !quant.uniform<i4:f32:{0:1, 1:8}, {{2.0, 0.5:1}, {4.0:2, 1.0:3}, {8.0:4, 3.0:5}}>} : () -> (tensor<3x16x!quant.uniform<i4:f32:{0:1, 1:8}, {{2.0, 0.5:1}, {4.0:2, 1.0:3}, {8.0:4, 3.0:5}}>>)
  %2 = "core.dequantize"(%1) : (tensor<3x16x!quant.uniform<i4:f32:{0:1, 1:8}, {{2.0, 0.5:1}, {4.0:2, 1.0:3}, {8.0:4, 3.0:5}}>>) -> (tensor<3x16xf32>)
  %3 = "core.gather"(%2, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x16xf32>, tensor<5xi32>) -> (tensor<5x16xf32>)
  "mlconv.yield"(%3) : (tensor<5x16xf32>) -> ()

// -----
// CASE: scales of other rows stay
// RUN: canonicalize
^bb(%i: tensor<5xi32>, %j: tensor<5xi32>):
  %t = "core.constant"() {value = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi4>} : () -> (tensor<3x2xi4>)
  %s = "core.constant"() {value = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %r = "core.gather"(%t, %i) {axis = 0} : (tensor<3x2xi4>, tensor<5xi32>) -> (tensor<5x2xi4>)
  %f = "core.cast"(%r) {dtype = f32} : (tensor<5x2xi4>) -> (tensor<5x2xf32>)
  %g = "core.gather"(%s, %j) {axis = 0} : (tensor<3x1xf32>, tensor<5xi32>) -> (tensor<5x1xf32>)
  %y = "core.mul"(%f, %g) : (tensor<5x2xf32>, tensor<5x1xf32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%y) : (tensor<5x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xi32>, %1: tensor<5xi32>):
  %2 = "core.constant"() {"value" = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi4>} : () -> (tensor<3x2xi4>)
  %3 = "core.constant"() {"value" = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %4 = "core.gather"(%2, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x2xi4>, tensor<5xi32>) -> (tensor<5x2xi4>)
  %5 = "core.cast"(%4) {"dtype" = f32, "saturate" = false} : (tensor<5x2xi4>) -> (tensor<5x2xf32>)
  %6 = "core.gather"(%3, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x1xf32>, tensor<5xi32>) -> (tensor<5x1xf32>)
  %7 = "core.mul"(%5, %6) : (tensor<5x2xf32>, tensor<5x1xf32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%7) : (tensor<5x2xf32>) -> ()

// -----
// CASE: rows of bytes stay
// RUN: canonicalize
^bb(%i: tensor<5xi32>):
  %t = "core.constant"() {value = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %s = "core.constant"() {value = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %r = "core.gather"(%t, %i) {axis = 0} : (tensor<3x2xi8>, tensor<5xi32>) -> (tensor<5x2xi8>)
  %f = "core.cast"(%r) {dtype = f32} : (tensor<5x2xi8>) -> (tensor<5x2xf32>)
  %g = "core.gather"(%s, %i) {axis = 0} : (tensor<3x1xf32>, tensor<5xi32>) -> (tensor<5x1xf32>)
  %y = "core.mul"(%f, %g) : (tensor<5x2xf32>, tensor<5x1xf32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%y) : (tensor<5x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5xi32>):
  %1 = "core.constant"() {"value" = dense<[[1, -2], [3, 4], [5, -6]]> : tensor<3x2xi8>} : () -> (tensor<3x2xi8>)
  %2 = "core.constant"() {"value" = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %3 = "core.gather"(%1, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x2xi8>, tensor<5xi32>) -> (tensor<5x2xi8>)
  %4 = "core.cast"(%3) {"dtype" = f32, "saturate" = false} : (tensor<5x2xi8>) -> (tensor<5x2xf32>)
  %5 = "core.gather"(%2, %0) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x1xf32>, tensor<5xi32>) -> (tensor<5x1xf32>)
  %6 = "core.mul"(%4, %5) : (tensor<5x2xf32>, tensor<5x1xf32>) -> (tensor<5x2xf32>)
  "mlconv.yield"(%6) : (tensor<5x2xf32>) -> ()
