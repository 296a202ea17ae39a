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
  %r = "hlo.multiplay"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
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
  %r = "tfll.ADD"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%r) : (tensor<2xf32>) -> ()
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

// -----
// CASE: a size that no input has
// RUN: dce
^bb(%x: tensor<4xf32>):
  %y = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["n"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.neg (float32[4]) makes the size n, which no input has

// -----
// CASE: another size than that of the input
// RUN: dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>):
  %y = "core.neg"(%x) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["m"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["m"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.neg (float32[n]) makes the size m, which no input has

// -----
// CASE: the body of a loop may have sizes of its own
// RUN: dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<?xf32, {dims = ["m"]}>):
    %t = "core.constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<?xf32, {dims = ["m"]}>):
    %c = "tfl.NEG"(%b) : (tensor<?xf32, {dims = ["m"]}>) -> (tensor<?xf32, {dims = ["m"]}>) loc("c")
    "mlconv.yield"(%c) : (tensor<?xf32, {dims = ["m"]}>) -> () loc("end")
  }) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>) loc("y")
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["n"]}>):
  %1 = "tfl.WHILE"(%0) ({
  ^bb(%2: tensor<?xf32, {dims = ["m"]}>):
    %3 = "core.constant"() {"value" = dense<true> : tensor<i1>} : () -> (tensor<i1>)
    "mlconv.yield"(%3) : (tensor<i1>) -> ()
  }, {
  ^bb(%4: tensor<?xf32, {dims = ["m"]}>):
    %5 = "tfl.NEG"(%4) : (tensor<?xf32, {dims = ["m"]}>) -> (tensor<?xf32, {dims = ["m"]}>)
    "mlconv.yield"(%5) : (tensor<?xf32, {dims = ["m"]}>) -> ()
  }) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%1) : (tensor<?xf32, {dims = ["n"]}>) -> ()

// -----
// CASE: the sizes of a body end with it
// RUN: dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<?xf32, {dims = ["m"]}>):
    %t = "core.constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<?xf32, {dims = ["m"]}>):
    "mlconv.yield"(%b) : (tensor<?xf32, {dims = ["m"]}>) -> () loc("end")
  }) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["m"]}>) loc("y")
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["m"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.WHILE (float32[n]) makes the size m, which no input has

// -----
// CASE: a size that only the type of a source op names
// RUN: dce
^bb(%x: tensor<4xf32>):
  %i = "onnx.NonZero"(%x) {opset_version = 13} : (tensor<4xf32>) -> (tensor<1x?xi64, {dims = ["1", "found"]}>)
  %y = "core.neg"(%i) : (tensor<1x?xi64, {dims = ["1", "found"]}>) -> (tensor<1x?xi64, {dims = ["1", "found"]}>)
  "mlconv.yield"(%y) : (tensor<1x?xi64, {dims = ["1", "found"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.neg (int64[1,found]) makes the size found, which no input has

// -----
// CASE: more elements than are followed
// RUN: dce
^bb(%x: tensor<1xi64>, %y: tensor<99999999999xi64>):
  %z = "core.concat"(%x, %y) {axis = 0} : (tensor<1xi64>, tensor<99999999999xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%z) : (tensor<2xi64>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: result 0 of core.concat (int64[1], int64[99999999999]) is int64[2], it infers int64[100000000000]
  = node: z  core.concat

// -----
// CASE: a size that the operand has only sometimes
// RUN: dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>):
  %y = "core.neg"(%x) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.neg (float32[n]) has a result of the size 2, it infers n: not where n = 1
  = node: y  core.neg

// -----
// CASE: a size that is known in another way
// RUN: dce
^bb(%x: tensor<?x2xf32, {dims = ["n", "2"]}>):
  %s = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.reshape"(%x, %s) : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["n + n"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["2*n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x2xf32, {dims = ["n", "2"]}>):
  %1 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x2xf32, {dims = ["n", "2"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["2*n"]}>)
  "mlconv.yield"(%2) : (tensor<?xf32, {dims = ["2*n"]}>) -> ()

// -----
// CASE: a constant is of its own shape
// RUN: dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>):
  %c = "core.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%c) : (tensor<?xf32, {dims = ["n"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: result 0 of core.constant () is float32[n], it infers float32[3]
  = node: c  core.constant

// -----
// CASE: axes that a tensor does not have
// RUN: dce
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi64>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 7, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.reverse_sequence (float32[2,3], int64[2]): MLC0201: axis 7 is out of range for rank 2
  = node: y  core.reverse_sequence
