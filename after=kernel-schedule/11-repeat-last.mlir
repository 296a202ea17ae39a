"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x500x64xf32>):
    %1 = "core.cumsum"(%0) {"axis" = 1, "exclusive" = false, "reverse" = false, "mlconv.names" = ["y0"]} : (tensor<8x500x64xf32>) -> (tensor<8x500x64xf32>) loc("CumSum(y0)")
    "mlconv.yield"(%1) : (tensor<8x500x64xf32>) -> () loc("g")
  }) {"sym_name" = "main", "input_names" = ["x0"], "output_names" = ["y0"], "signature" = "serving_default"} : () -> () loc("g")
}) {mlconv.source = {"path" = "/work/w-B-tmp/one.onnx", "format" = "onnx", "producer" = "", "ir_version" = 10, "opset" = 20, "opsets" = {"" = 20}}, mlconv.passes = ["from-onnx", "unchanged-variables", "quant-lower", "state", "canonicalize", "fold", "loops", "unroll", "canonicalize", "cse", "keep-batch-axes", "repeat-last"]} : () -> ()
