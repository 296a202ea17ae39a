// CASE: an op of core that there is not
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "core.negg"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: the dialect core has no op 'negg'
  = help: did you mean 'neg'?

// -----
// CASE: an op of core that resembles none
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "core.nosuch"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: the dialect core has no op 'nosuch'

// -----
// CASE: an op of TFLite that there is not
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "tfl.RESHAP"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: the dialect tfl has no op 'RESHAP'
  = help: did you mean 'RESHAPE' or 'SHAPE'?

// -----
// CASE: an op of HLO that there is not
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %y = "hlo.multiplay"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: the dialect hlo has no op 'multiplay'
  = help: did you mean 'multiply'?

// -----
// CASE: an op of HLO that is read and not written stays as it is
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "hlo.cbrt"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "hlo.cbrt"(%0) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: a kernel that there is not
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "kernel.gem"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: the dialect kernel has no op 'gem'
  = help: did you mean 'gemm'?

// -----
// CASE: a dialect that there is not
// RUN: dce
^bb(%x: tensor<2xf32>, %y: tensor<2xf32>):
  %y = "tfll.ADD"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 8: there is no dialect 'tfll'
  = help: did you mean 'tfl' or 'tf'?

// -----
// CASE: a source may have any op
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "onnx.NoSuch"(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "onnx.NoSuch"(%0) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: an attribute that an op does not have
// RUN: dce
^bb(%x: tensor<2xf32>):
  %y = "tfl.SOFTMAX"(%x) {betta = 1.0} : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 5 column 3: tfl.SOFTMAX: there is no attribute 'betta'
