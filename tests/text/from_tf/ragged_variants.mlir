// CASE: ragged rows as one value are refused
// RUN: from-tf
^bb(%x: tensor<5xf32>, %s: tensor<4xi64>):
  %v = "tf.RaggedTensorToVariant"(%s, %x) {RAGGED_RANK = 1, batched_input = true} : (tensor<4xi64>, tensor<5xf32>) -> (!mlconv.opaque<"tf.variant">)
  "mlconv.yield"(%x) : (tensor<5xf32>) -> ()
// DIAGNOSTICS
error[MLC0301]: operator RaggedTensorToVariant is not supported: it holds ragged rows as one value
  = node: v  tf.RaggedTensorToVariant (int64[4], float32[5])
  = help: compute with the flat values: tf.ragged.map_flat_values in place of tf.map_fn over a RaggedTensor
