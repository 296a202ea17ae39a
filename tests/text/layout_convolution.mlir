// RUN: --pipeline=layout,canonicalize --no-locations
// The convolution of a channels-first model runs channels last; transposes stay at the borders alone.
// CHECK: "core.transpose"({{%\d+}}) {"perm" = [0, 2, 3, 1]}
// CHECK: "core.conv"({{.*}} "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C"
// CHECK: "core.transpose"({{%\d+}}) {"perm" = [0, 3, 1, 2]}
// CHECK: "core.tanh"
// CHECK-NOT: "x_layout" = "NC01"
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<1x3x8x8xf32>):
    %w = "core.constant"() {value = #mlconv.splat<"[f32, [4, 3, 3, 3], #mlconv.bytes<\"0000803f\">]">} : () -> (tensor<4x3x3x3xf32>) loc("w")
    %y = "core.conv"(%x, %w) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<1x4x8x8xf32>) loc("conv")
    %z = "core.tanh"(%y) : (tensor<1x4x8x8xf32>) -> (tensor<1x4x8x8xf32>) loc("tanh")
    "mlconv.yield"(%z) : (tensor<1x4x8x8xf32>) -> () loc("out")
  }) {sym_name = "main", input_names = ["x"], output_names = ["y"]} : () -> () loc("g")
}) : () -> ()
