// CASE: a C function is called with the sizes of its tensors
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>, %b: tensor<3xf32>):
  %y = "core.foreign"(%x, %b) {source = "com.acme::Scale", symbol = "acme_scale", arguments = [["alpha", 2.5 : f64], ["pads", [1, 2]]], signature = "T[n, c], T[c] -> T[n, 2*c]", scratch = "4*c"} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "kernel.foreign"(%0, %1) {"problem" = #kernel.foreign<symbol = "acme_scale", source = "com.acme::Scale", inputs = [#kernel.room<dtype = f32, sizes = [2, 3]>, #kernel.room<dtype = f32, sizes = [3]>], outputs = [#kernel.room<dtype = f32, sizes = [2, 6]>], arguments = [["alpha", 2.5 : f64], ["pads", [1, 2]]], scratch = 12>} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()
