// CASE: a loop of TFLite
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "tfl.EQUAL"(%a, %a) : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "tfl.WHILE"(%0) ({
  ^bb(%2: tensor<i32>):
    %3 = "tfl.EQUAL"(%2, %2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%3) : (tensor<i1>) -> ()
  }, {
  ^bb(%4: tensor<i32>):
    "mlconv.yield"(%4) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> (tensor<i32>)
  "mlconv.yield"(%1) : (tensor<i32>) -> ()

// -----
// CASE: a loop of TFLite whose body gives other types
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "tfl.EQUAL"(%a, %a) : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    %c = "tfl.CAST"(%b) : (tensor<i32>) -> (tensor<f32>) loc("c")
    "mlconv.yield"(%c) : (tensor<f32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.WHILE (int32[]) giving int32[] is malformed: what the body gives: value 0 is float32[], expected int32[]
  = node: y  tfl.WHILE

// -----
// CASE: a loop of TFLite whose condition is no bool
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "tfl.EQUAL"(%a, %a) : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%a) : (tensor<i32>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.WHILE (int32[]) giving int32[] is malformed: the condition is not a bool
  = node: y  tfl.WHILE

// -----
// CASE: a loop of TFLite that starts with other types
// RUN: dce
^bb(%x: tensor<f32>):
  %y = "tfl.WHILE"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "tfl.EQUAL"(%a, %a) : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<f32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: tfl.WHILE (float32[]) giving int32[] is malformed: what the condition takes: value 0 is float32[], expected int32[]
  = node: y  tfl.WHILE

// -----
// CASE: a loop of HLO
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "hlo.while"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "hlo.compare"(%a, %a) {direction = "EQ"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "hlo.while"(%0) ({
  ^bb(%2: tensor<i32>):
    %3 = "hlo.compare"(%2, %2) {"direction" = "EQ"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%3) : (tensor<i1>) -> ()
  }, {
  ^bb(%4: tensor<i32>):
    "mlconv.yield"(%4) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> (tensor<i32>)
  "mlconv.yield"(%1) : (tensor<i32>) -> ()

// -----
// CASE: a loop of HLO whose body gives other types
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "hlo.while"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "hlo.compare"(%a, %a) {direction = "EQ"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    %c = "hlo.convert"(%b) : (tensor<i32>) -> (tensor<f32>) loc("c")
    "mlconv.yield"(%c) : (tensor<f32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.while (int32[]) giving int32[] is malformed: the body gives float32[], expected int32[]
  = node: y  hlo.while

// -----
// CASE: a loop of HLO whose condition is no bool
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "hlo.while"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "hlo.compare"(%a, %a) {direction = "EQ"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%a) : (tensor<i32>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<i32>) loc("y")
  "mlconv.yield"(%y) : (tensor<i32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.while (int32[]) giving int32[] is malformed: the condition gives int32[], expected bool[]
  = node: y  hlo.while

// -----
// CASE: a loop of HLO that gives other types
// RUN: dce
^bb(%x: tensor<i32>):
  %y = "hlo.while"(%x) ({
  ^bb(%a: tensor<i32>):
    %t = "hlo.compare"(%a, %a) {direction = "EQ"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>) loc("t")
    "mlconv.yield"(%t) : (tensor<i1>) -> () loc("end")
  }, {
  ^bb(%b: tensor<i32>):
    "mlconv.yield"(%b) : (tensor<i32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<f32>) loc("y")
  "mlconv.yield"(%y) : (tensor<f32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.while (int32[]) giving float32[] is malformed: the loop's variables change their types
  = node: y  hlo.while

// -----
// CASE: a branch for each index
// RUN: dce
^bb(%p: tensor<i32>, %x: tensor<2xf32>):
  %y = "hlo.conditional"(%p) ({
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }, {
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }, {
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }) : (tensor<i32>) -> (tensor<2xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<i32>, %1: tensor<2xf32>):
  %2 = "hlo.conditional"(%0) ({
    "mlconv.yield"(%1) : (tensor<2xf32>) -> ()
  }, {
    "mlconv.yield"(%1) : (tensor<2xf32>) -> ()
  }, {
    "mlconv.yield"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: a bool that selects one of three
// RUN: dce
^bb(%p: tensor<i1>, %x: tensor<2xf32>):
  %y = "hlo.conditional"(%p) ({
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }, {
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }, {
    "mlconv.yield"(%x) : (tensor<2xf32>) -> () loc("end")
  }) : (tensor<i1>) -> (tensor<2xf32>) loc("y")
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: hlo.conditional (bool[]) giving float32[2] is malformed: it has 3 branches for bool[]: expected two for a bool, or some for an int32 scalar
  = node: y  hlo.conditional
