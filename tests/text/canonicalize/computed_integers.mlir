// CASE: integers of 4 bits that are taken out of bytes are weights of 4 bits
// RUN: canonicalize
^bb(%x: tensor<2x32xf32>):
  %b = "core.constant"() {value = dense<[[-128, -115, -102, -89, -76, -63, -50, -37], [-121, -108, -95, -82, -69, -56, -43, -30], [-114, -101, -88, -75, -62, -49, -36, -23], [-107, -94, -81, -68, -55, -42, -29, -16], [-100, -87, -74, -61, -48, -35, -22, -9], [-93, -80, -67, -54, -41, -28, -15, -2], [-86, -73, -60, -47, -34, -21, -8, 5], [-79, -66, -53, -40, -27, -14, -1, 12], [-72, -59, -46, -33, -20, -7, 6, 19], [-65, -52, -39, -26, -13, 0, 13, 26], [-58, -45, -32, -19, -6, 7, 20, 33], [-51, -38, -25, -12, 1, 14, 27, 40], [-44, -31, -18, -5, 8, 21, 34, 47], [-37, -24, -11, 2, 15, 28, 41, 54], [-30, -17, -4, 9, 22, 35, 48, 61], [-23, -10, 3, 16, 29, 42, 55, 68]]> : tensor<16x8xi8>} : () -> (tensor<16x8xi8>)
  %m = "core.constant"() {value = dense<15> : tensor<i8>} : () -> (tensor<i8>)
  %e = "core.constant"() {value = dense<8> : tensor<i8>} : () -> (tensor<i8>)
  %k = "core.constant"() {value = dense<4> : tensor<i8>} : () -> (tensor<i8>)
  %la = "core.and"(%b, %m) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %lx = "core.xor"(%la, %e) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %l = "core.sub"(%lx, %e) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %h = "core.shift_right"(%b, %k) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %q = "core.concat"(%l, %h) {axis = 0} : (tensor<16x8xi8>, tensor<16x8xi8>) -> (tensor<32x8xi8>)
  %f = "core.cast"(%q) {dtype = f32} : (tensor<32x8xi8>) -> (tensor<32x8xf32>)
  %p = "core.matmul"(%x, %f) {transpose_a = false, transpose_b = false} : (tensor<2x32xf32>, tensor<32x8xf32>) -> (tensor<2x8xf32>)
  %s = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.div"(%p, %s) : (tensor<2x8xf32>, tensor<f32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x32xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, -3, -6, 7, 4, 1, -2, -5], [7, 4, 1, -2, -5, -8, 5, 2], [-2, -5, -8, 5, 2, -1, -4, -7], [5, 2, -1, -4, -7, 6, 3, 0], [-4, -7, 6, 3, 0, -3, -6, 7], [3, 0, -3, -6, 7, 4, 1, -2], [-6, 7, 4, 1, -2, -5, -8, 5], [1, -2, -5, -8, 5, 2, -1, -4], [-8, 5, 2, -1, -4, -7, 6, 3], [-1, -4, -7, 6, 3, 0, -3, -6], [6, 3, 0, -3, -6, 7, 4, 1], [-3, -6, 7, 4, 1, -2, -5, -8], [4, 1, -2, -5, -8, 5, 2, -1], [-5, -8, 5, 2, -1, -4, -7, 6], [2, -1, -4, -7, 6, 3, 0, -3], [-7, 6, 3, 0, -3, -6, 7, 4], [-8, -8, -7, -6, -5, -4, -4, -3], [-8, -7, -6, -6, -5, -4, -3, -2], [-8, -7, -6, -5, -4, -4, -3, -2], [-7, -6, -6, -5, -4, -3, -2, -1], [-7, -6, -5, -4, -3, -3, -2, -1], [-6, -5, -5, -4, -3, -2, -1, -1], [-6, -5, -4, -3, -3, -2, -1, 0], [-5, -5, -4, -3, -2, -1, -1, 0], [-5, -4, -3, -3, -2, -1, 0, 1], [-5, -4, -3, -2, -1, 0, 0, 1], [-4, -3, -2, -2, -1, 0, 1, 2], [-4, -3, -2, -1, 0, 0, 1, 2], [-3, -2, -2, -1, 0, 1, 2, 2], [-3, -2, -1, 0, 0, 1, 2, 3], [-2, -2, -1, 0, 1, 2, 3, 3], [-2, -1, 0, 1, 1, 2, 3, 4]]> : tensor<32x8xi4>, "element" = !quant.uniform<i4:f32, 0.5>} : () -> (tensor<32x8x!quant.uniform<i4:f32, 0.5>>)
  %2 = "core.dequantize"(%1) : (tensor<32x8x!quant.uniform<i4:f32, 0.5>>) -> (tensor<32x8xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x32xf32>, tensor<32x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%3) : (tensor<2x8xf32>) -> ()

// -----
// CASE: integers that need more bits stay
// RUN: canonicalize
^bb(%x: tensor<2x32xf32>):
  %b = "core.constant"() {value = dense<[[-128, -115, -102, -89, -76, -63, -50, -37], [-121, -108, -95, -82, -69, -56, -43, -30], [-114, -101, -88, -75, -62, -49, -36, -23], [-107, -94, -81, -68, -55, -42, -29, -16], [-100, -87, -74, -61, -48, -35, -22, -9], [-93, -80, -67, -54, -41, -28, -15, -2], [-86, -73, -60, -47, -34, -21, -8, 5], [-79, -66, -53, -40, -27, -14, -1, 12], [-72, -59, -46, -33, -20, -7, 6, 19], [-65, -52, -39, -26, -13, 0, 13, 26], [-58, -45, -32, -19, -6, 7, 20, 33], [-51, -38, -25, -12, 1, 14, 27, 40], [-44, -31, -18, -5, 8, 21, 34, 47], [-37, -24, -11, 2, 15, 28, 41, 54], [-30, -17, -4, 9, 22, 35, 48, 61], [-23, -10, 3, 16, 29, 42, 55, 68]]> : tensor<16x8xi8>} : () -> (tensor<16x8xi8>)
  %m = "core.constant"() {value = dense<15> : tensor<i8>} : () -> (tensor<i8>)
  %e = "core.constant"() {value = dense<8> : tensor<i8>} : () -> (tensor<i8>)
  %k = "core.constant"() {value = dense<4> : tensor<i8>} : () -> (tensor<i8>)
  %la = "core.and"(%b, %m) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %lx = "core.xor"(%la, %e) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %l = "core.sub"(%lx, %e) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %h = "core.shift_right"(%b, %k) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %q = "core.concat"(%l, %h) {axis = 0} : (tensor<16x8xi8>, tensor<16x8xi8>) -> (tensor<32x8xi8>)
  %t = "core.constant"() {value = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %r = "core.mul"(%q, %t) : (tensor<32x8xi8>, tensor<i8>) -> (tensor<32x8xi8>)
  %f = "core.cast"(%r) {dtype = f32} : (tensor<32x8xi8>) -> (tensor<32x8xf32>)
  %y = "core.matmul"(%x, %f) {transpose_a = false, transpose_b = false} : (tensor<2x32xf32>, tensor<32x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x32xf32>):
  %1 = "core.constant"() {"value" = dense<[[-128, -115, -102, -89, -76, -63, -50, -37], [-121, -108, -95, -82, -69, -56, -43, -30], [-114, -101, -88, -75, -62, -49, -36, -23], [-107, -94, -81, -68, -55, -42, -29, -16], [-100, -87, -74, -61, -48, -35, -22, -9], [-93, -80, -67, -54, -41, -28, -15, -2], [-86, -73, -60, -47, -34, -21, -8, 5], [-79, -66, -53, -40, -27, -14, -1, 12], [-72, -59, -46, -33, -20, -7, 6, 19], [-65, -52, -39, -26, -13, 0, 13, 26], [-58, -45, -32, -19, -6, 7, 20, 33], [-51, -38, -25, -12, 1, 14, 27, 40], [-44, -31, -18, -5, 8, 21, 34, 47], [-37, -24, -11, 2, 15, 28, 41, 54], [-30, -17, -4, 9, 22, 35, 48, 61], [-23, -10, 3, 16, 29, 42, 55, 68]]> : tensor<16x8xi8>} : () -> (tensor<16x8xi8>)
  %2 = "core.constant"() {"value" = dense<15> : tensor<i8>} : () -> (tensor<i8>)
  %3 = "core.constant"() {"value" = dense<8> : tensor<i8>} : () -> (tensor<i8>)
  %4 = "core.constant"() {"value" = dense<4> : tensor<i8>} : () -> (tensor<i8>)
  %5 = "core.and"(%1, %2) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %6 = "core.xor"(%5, %3) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %7 = "core.sub"(%6, %3) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %8 = "core.shift_right"(%1, %4) : (tensor<16x8xi8>, tensor<i8>) -> (tensor<16x8xi8>)
  %9 = "core.concat"(%7, %8) {"axis" = 0} : (tensor<16x8xi8>, tensor<16x8xi8>) -> (tensor<32x8xi8>)
  %10 = "core.constant"() {"value" = dense<3> : tensor<i8>} : () -> (tensor<i8>)
  %11 = "core.mul"(%9, %10) : (tensor<32x8xi8>, tensor<i8>) -> (tensor<32x8xi8>)
  %12 = "core.cast"(%11) {"dtype" = f32, "saturate" = false} : (tensor<32x8xi8>) -> (tensor<32x8xf32>)
  %13 = "core.matmul"(%0, %12) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x32xf32>, tensor<32x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%13) : (tensor<2x8xf32>) -> ()
