// CASE: what is not zero is counted, the places are as many as there can be, and the output has its shape beside it
// RUN: data-sizes,refine-shapes
^bb(%x: tensor<5xi1>):
  %p = "core.nonzero"(%x) : (tensor<5xi1>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  "mlconv.yield"(%p) : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<5xi1>):
    %1 = "core.cast"(%0) {"dtype" = i64, "saturate" = false} : (tensor<5xi1>) -> (tensor<5xi64>)
    %2 = "core.reduce_sum"(%1) {"axes" = [0], "keepdims" = false} : (tensor<5xi64>) -> (tensor<i64>)
    %3 = "core.nonzero"(%0) {"padded" = true} : (tensor<5xi1>) -> (tensor<5x1xi64>)
    %4 = "core.define_size"(%2) {"symbol" = "count0", "bound" = 5, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
    %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %6 = "core.reshape"(%4, %5) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %7 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %8 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %9 = "core.concat"(%6, %8) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
    %10 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %11 = "core.slice"(%3, %7, %9, %10) {"begin_mask" = 2, "end_mask" = 2} : (tensor<5x1xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x1xi64, {dims = ["count0", "1"]}>)
    %12 = "core.shape_of"(%11) {"dtype" = i64} : (tensor<?x1xi64, {dims = ["count0", "1"]}>) -> (tensor<2xi64>)
    "mlconv.yield"(%11, %12) : (tensor<?x1xi64, {dims = ["count0", "1"]}>, tensor<2xi64>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0", "y0:shape"], "signature" = "serving_default", "where" = ["0 <= count0 <= 5"]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: the best of as many as a number says
// RUN: data-sizes,refine-shapes
^bb(%x: tensor<9xf32>, %k: tensor<i64>):
  %v, %i = "core.top_k"(%x, %k) {index_dtype = i64} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32, {dims = ["?1"]}>, tensor<?xi64, {dims = ["?1"]}>)
  "mlconv.yield"(%v) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<9xf32>, %1: tensor<i64>):
    %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
    %3 = "core.maximum"(%1, %2) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %4 = "core.constant"() {"value" = dense<9> : tensor<i64>} : () -> (tensor<i64>)
    %5 = "core.minimum"(%3, %4) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %6 = "core.define_size"(%5) {"symbol" = "count0", "bound" = 9, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
    %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %8 = "core.reshape"(%6, %7) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %9 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
    %10 = "core.reshape"(%8, %9) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
    %11, %12 = "core.top_k"(%0, %10) {"axis" = -1, "largest" = true, "index_dtype" = i64} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32, {dims = ["count0"]}>, tensor<?xi64, {dims = ["count0"]}>)
    %13 = "core.shape_of"(%11) {"dtype" = i64} : (tensor<?xf32, {dims = ["count0"]}>) -> (tensor<1xi64>)
    "mlconv.yield"(%11, %13) : (tensor<?xf32, {dims = ["count0"]}>, tensor<1xi64>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "k"], "output_names" = ["y0", "y0:shape"], "signature" = "serving_default", "where" = ["0 <= count0 <= 9"]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a variable that is joined with something of another open size keeps that of the start, which a run asks for
// RUN: data-sizes,refine-shapes
^bb(%x: tensor<?xf32, {dims = ["n"]}>, %m: tensor<?xf32, {dims = ["m"]}>):
  %w = "core.while"(%x) ({
  ^bb(%a: tensor<?xf32, {dims = ["?1"]}>):
    %s = "core.reduce_sum"(%a) {axes = [0]} : (tensor<?xf32, {dims = ["?1"]}>) -> (tensor<f32>)
    %c9 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c9) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%b: tensor<?xf32, {dims = ["?1"]}>):
    %p = "core.add"(%b, %m) : (tensor<?xf32, {dims = ["?1"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<?xf32, {dims = ["max(?1, m)"]}>)
    "mlconv.yield"(%p) : (tensor<?xf32, {dims = ["max(?1, m)"]}>) -> ()
  }) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%w) : (tensor<?xf32, {dims = ["?1"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<?xf32, {dims = ["n"]}>, %1: tensor<?xf32, {dims = ["m"]}>):
    %2 = "core.while"(%0) ({
    ^bb(%3: tensor<?xf32, {dims = ["n"]}>):
      %4 = "core.reduce_sum"(%3) {"axes" = [0], "keepdims" = false} : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<f32>)
      %5 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
      %6 = "core.less"(%4, %5) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
      "mlconv.yield"(%6) : (tensor<i1>) -> ()
    }, {
    ^bb(%7: tensor<?xf32, {dims = ["n"]}>):
      %8 = "core.add"(%7, %1) : (tensor<?xf32, {dims = ["n"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<?xf32, {dims = ["max(m, n)"]}>)
      "mlconv.yield"(%8) : (tensor<?xf32, {dims = ["max(m, n)"]}>) -> ()
    }) : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<?xf32, {dims = ["n"]}>)
    "mlconv.yield"(%2) : (tensor<?xf32, {dims = ["n"]}>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "m"], "output_names" = ["y0"], "signature" = "serving_default", "conditions" = [#fact.condition<kind = "spread", a = #mlconv.dim<"m">, b = #mlconv.dim<"n">, asked_by = "core.while">, #fact.condition<kind = "least", a = #mlconv.dim<"n">, b = #mlconv.dim<"m">, asked_by = "core.while">]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: of two axes one is kept, along the other the variable grows
// RUN: data-sizes{shapes=false},refine-shapes
^bb(%x: tensor<1x?xf32, {dims = ["1", "n"]}>, %m: tensor<?xf32, {dims = ["m"]}>):
  %c0 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %w, %k = "core.while"(%x, %c0) ({
  ^bb(%a: tensor<?x?xf32, {dims = ["?1", "?2"]}>, %i: tensor<i64>):
    %c9 = "core.constant"() {value = dense<9> : tensor<i64>} : () -> (tensor<i64>)
    %l = "core.less"(%i, %c9) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%b: tensor<?x?xf32, {dims = ["?1", "?2"]}>, %j: tensor<i64>):
    %c1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %j1 = "core.add"(%j, %c1) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %p = "core.add"(%x, %m) : (tensor<1x?xf32, {dims = ["1", "n"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<1x?xf32, {dims = ["1", "max(n, m)"]}>)
    %q = "core.add"(%b, %m) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<?x?xf32, {dims = ["?1", "max(?2, m)"]}>)
    %r = "core.concat"(%q, %p) {axis = 0} : (tensor<?x?xf32, {dims = ["?1", "max(?2, m)"]}>, tensor<1x?xf32, {dims = ["1", "max(n, m)"]}>) -> (tensor<?x?xf32, {dims = ["1+?1", "max(?2, m)"]}>)
    "mlconv.yield"(%r, %j1) : (tensor<?x?xf32, {dims = ["1+?1", "max(?2, m)"]}>, tensor<i64>) -> ()
  }) : (tensor<1x?xf32, {dims = ["1", "n"]}>, tensor<i64>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>, tensor<i64>)
  "mlconv.yield"(%w) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x?xf32, {dims = ["1", "n"]}>, %1: tensor<?xf32, {dims = ["m"]}>):
    %2 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
    %3 = "core.constant"() {"value" = dense<9> : tensor<i64>} : () -> (tensor<i64>)
    %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %5 = "core.reshape"(%3, %4) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %6 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %7 = "core.add"(%5, %6) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
    %8 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<1x?xf32, {dims = ["1", "n"]}>) -> (tensor<2xi64>)
    %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %10 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %11 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %12 = "core.slice"(%8, %9, %10, %11) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
    %13 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
    %14 = "core.concat"(%7, %12) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
    %15 = "core.broadcast_to"(%13, %14) : (tensor<f32>, tensor<2xi64>) -> (tensor<10x?xf32, {dims = ["10", "n"]}>)
    %16 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
    %17 = "core.update_slice"(%15, %0, %16, %16) : (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<1x?xf32, {dims = ["1", "n"]}>, tensor<i64>, tensor<i64>) -> (tensor<10x?xf32, {dims = ["10", "n"]}>)
    %18 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
    %19, %20, %21 = "core.while"(%17, %2, %18) ({
    ^bb(%22: tensor<10x?xf32, {dims = ["10", "n"]}>, %23: tensor<i64>, %24: tensor<i64>):
      %25 = "core.constant"() {"value" = dense<9> : tensor<i64>} : () -> (tensor<i64>)
      %26 = "core.less"(%23, %25) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
      "mlconv.yield"(%26) : (tensor<i1>) -> ()
    }, {
    ^bb(%27: tensor<10x?xf32, {dims = ["10", "n"]}>, %28: tensor<i64>, %29: tensor<i64>):
      %30 = "core.define_size"(%29) {"symbol" = "count0", "bound" = 8, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
      %31 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
      %32 = "core.reshape"(%30, %31) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
      %33 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
      %34 = "core.add"(%32, %33) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
      %35 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
      %36 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
      %37 = "core.concat"(%34, %36) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
      %38 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
      %39 = "core.slice"(%27, %35, %37, %38) {"begin_mask" = 2, "end_mask" = 2} : (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["count0+1", "n"]}>)
      %40 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
      %41 = "core.add"(%28, %40) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
      %42 = "core.add"(%0, %1) : (tensor<1x?xf32, {dims = ["1", "n"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<1x?xf32, {dims = ["1", "max(m, n)"]}>)
      %43 = "core.add"(%39, %1) : (tensor<?x?xf32, {dims = ["count0+1", "n"]}>, tensor<?xf32, {dims = ["m"]}>) -> (tensor<?x?xf32, {dims = ["count0+1", "max(m, n)"]}>)
      %44 = "core.concat"(%43, %42) {"axis" = 0} : (tensor<?x?xf32, {dims = ["count0+1", "max(m, n)"]}>, tensor<1x?xf32, {dims = ["1", "max(m, n)"]}>) -> (tensor<?x?xf32, {dims = ["count0+2", "max(m, n)"]}>)
      %45 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i64>">} : () -> (tensor<i64>)
      %46 = "core.add"(%29, %45) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
      %47 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
      %48 = "core.update_slice"(%27, %44, %47, %47) : (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<?x?xf32, {dims = ["count0+2", "max(m, n)"]}>, tensor<i64>, tensor<i64>) -> (tensor<10x?xf32, {dims = ["10", "n"]}>)
      "mlconv.yield"(%48, %41, %46) : (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<i64>, tensor<i64>) -> ()
    }) : (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<i64>, tensor<i64>) -> (tensor<10x?xf32, {dims = ["10", "n"]}>, tensor<i64>, tensor<i64>)
    "mlconv.yield"(%19) : (tensor<10x?xf32, {dims = ["10", "n"]}>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "m"], "output_names" = ["y0"], "signature" = "serving_default", "where" = ["0 <= count0 <= 8"], "conditions" = [#fact.condition<kind = "spread", a = #mlconv.dim<"m">, b = #mlconv.dim<"n">, asked_by = "core.while">, #fact.condition<kind = "least", a = #mlconv.dim<"n">, b = #mlconv.dim<"m">, asked_by = "core.while">]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: of rows that are repeated, as many as what they number, their number is a size of an input
// RUN: data-sizes,refine-shapes
^bb(%v: tensor<3x1xi32>, %times: tensor<3xi32>, %x: tensor<?xf32, {dims = ["N"]}>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %four = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %ones = "core.constant"() {value = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %column = "core.constant"() {value = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %flat = "core.constant"() {value = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %largest = "core.reduce_max"(%times) {axes = [0]} : (tensor<3xi32>) -> (tensor<i32>)
  %most = "core.maximum"(%zero, %largest) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %m = "core.reshape"(%most, %flat) : (tensor<i32>, tensor<1xi32>) -> (tensor<1xi32>)
  %r = "core.concat"(%ones, %m) {axis = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %tiled = "core.tile"(%v, %r) : (tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x?xi32, {dims = ["3", "?1"]}>)
  %all = "core.reshape"(%tiled, %flat) : (tensor<3x?xi32, {dims = ["3", "?1"]}>, tensor<1xi32>) -> (tensor<?xi32, {dims = ["3*?1"]}>)
  %steps = "core.range"(%zero, %most, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?2"]}>)
  %c = "core.reshape"(%times, %column) : (tensor<3xi32>, tensor<2xi32>) -> (tensor<3x1xi32>)
  %mask = "core.less"(%steps, %c) : (tensor<?xi32, {dims = ["?2"]}>, tensor<3x1xi32>) -> (tensor<3x?xi1, {dims = ["3", "?2"]}>)
  %f = "core.reshape"(%mask, %flat) : (tensor<3x?xi1, {dims = ["3", "?2"]}>, tensor<1xi32>) -> (tensor<?xi1, {dims = ["3*?2"]}>)
  %nz = "core.nonzero"(%f) : (tensor<?xi1, {dims = ["3*?2"]}>) -> (tensor<?x1xi64, {dims = ["?3", "1"]}>)
  %at = "core.reshape"(%nz, %flat) : (tensor<?x1xi64, {dims = ["?3", "1"]}>, tensor<1xi32>) -> (tensor<?xi64, {dims = ["?3"]}>)
  %ids = "core.gather"(%all, %at) {axis = 0} : (tensor<?xi32, {dims = ["3*?1"]}>, tensor<?xi64, {dims = ["?3"]}>) -> (tensor<?xi32, {dims = ["?3"]}>)
  %y = "core.segment_reduce"(%x, %ids, %four) {reduction = "add", empty = 0.0 : f64} : (tensor<?xf32, {dims = ["N"]}>, tensor<?xi32, {dims = ["?3"]}>, tensor<i32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x1xi32>, %1: tensor<3xi32>, %2: tensor<?xf32, {dims = ["N"]}>):
  %3 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.reshape"(%1, %4) : (tensor<3xi32>, tensor<2xi32>) -> (tensor<3x1xi32>)
  %6 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<3x1xi32>, tensor<1xi64>) -> (tensor<3xi32>)
  %8 = "core.cast"(%7) {"dtype" = i64, "saturate" = false} : (tensor<3xi32>) -> (tensor<3xi64>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %10 = "core.maximum"(%8, %9) : (tensor<3xi64>, tensor<i64>) -> (tensor<3xi64>)
  %11 = "core.reduce_sum"(%10) {"axes" = [0], "keepdims" = false} : (tensor<3xi64>) -> (tensor<i64>)
  %12 = "core.define_size"(%11) {"symbol" = "count0", "bound" = #mlconv.dim<"N">, "conditions" = [#fact.condition<kind = "equal", a = #mlconv.dim<"count0">, b = #mlconv.dim<"N">>]} : (tensor<i64>) -> (tensor<i64>)
  %13 = "core.shape_of"(%2) {"dtype" = i64} : (tensor<?xf32, {dims = ["N"]}>) -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %17 = "core.slice"(%13, %14, %15, %16) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %18 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %19 = "core.reshape"(%17, %18) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %20 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %21 = "core.reshape"(%19, %20) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %22 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %23 = "core.reshape"(%21, %22) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %24 = "core.cumsum"(%10) {"axis" = 0, "exclusive" = false, "reverse" = false} : (tensor<3xi64>) -> (tensor<3xi64>)
  %25 = "core.expand_dims"(%24) {"axes" = [1]} : (tensor<3xi64>) -> (tensor<3x1xi64>)
  %26 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %27 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %28 = "core.add"(%23, %27) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %29 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %30 = "core.reshape"(%28, %29) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %31 = "core.broadcast_to"(%26, %30) : (tensor<i64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["N+1"]}>)
  %32 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %33 = "core.shape_of"(%10) {"dtype" = i64} : (tensor<3xi64>) -> (tensor<1xi64>)
  %34 = "core.broadcast_to"(%32, %33) : (tensor<i64>, tensor<1xi64>) -> (tensor<3xi64>)
  %35 = "core.scatter_nd"(%31, %25, %34) {"reduction" = "add", "from_start" = true} : (tensor<?xi64, {dims = ["N+1"]}>, tensor<3x1xi64>, tensor<3xi64>) -> (tensor<?xi64, {dims = ["N+1"]}>)
  %36 = "core.cumsum"(%35) {"axis" = 0, "exclusive" = false, "reverse" = false} : (tensor<?xi64, {dims = ["N+1"]}>) -> (tensor<?xi64, {dims = ["N+1"]}>)
  %37 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %38 = "core.reshape"(%23, %37) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %39 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %40 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %41 = "core.slice"(%36, %39, %38, %40) {"begin_mask" = 0, "end_mask" = 0} : (tensor<?xi64, {dims = ["N+1"]}>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xi64, {dims = ["N"]}>)
  %42 = "core.squeeze"(%0) {"axes" = [1]} : (tensor<3x1xi32>) -> (tensor<3xi32>)
  %43 = "core.gather"(%42, %41) {"axis" = 0, "batch_dims" = 0, "from_start" = true} : (tensor<3xi32>, tensor<?xi64, {dims = ["N"]}>) -> (tensor<?xi32, {dims = ["N"]}>)
  %44 = "core.segment_reduce"(%2, %43, %3) {"reduction" = "add", "empty" = 0.0 : f64} : (tensor<?xf32, {dims = ["N"]}>, tensor<?xi32, {dims = ["N"]}>, tensor<i32>) -> (tensor<4xf32>)
  "mlconv.yield"(%44) : (tensor<4xf32>) -> ()
