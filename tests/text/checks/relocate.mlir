// CASE: lines of source go, names of nodes stay
// RUN: relocate{strip=true}
// OPTIONS: locations
^bb(%x: tensor<2xf32>):
  %y = "core.neg"(%x) : (tensor<2xf32>) -> (tensor<2xf32>) loc("/net/Neg"("@forward"("/home/me/net.py":12:4)))
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.neg"(%0) : (tensor<2xf32>) -> (tensor<2xf32>) loc("/net/Neg")
  "mlconv.yield"(%1) : (tensor<2xf32>) -> () loc("mlconv.yield")

// -----
// CASE: prefixes of paths are replaced, the first that fits
// RUN: relocate{path-map="[[\"/home/me\", \"src\"], [\"/home\", \"other\"]]"}
// OPTIONS: locations
^bb(%x: tensor<2xf32>):
  %y = "core.neg"(%x) : (tensor<2xf32>) -> (tensor<2xf32>) loc("/net/Neg"("@forward"("/home/me/net.py":12:4)))
  %z = "core.abs"(%y) : (tensor<2xf32>) -> (tensor<2xf32>) loc(fused["/net/Abs"("/home/you/net.py":1:0), "/tmp/net.py":2:0])
  "mlconv.yield"(%z) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.neg"(%0) : (tensor<2xf32>) -> (tensor<2xf32>) loc("/net/Neg"("@forward"("src/net.py":12:4)))
  %2 = "core.abs"(%1) : (tensor<2xf32>) -> (tensor<2xf32>) loc(fused["/net/Abs"("other/you/net.py":1:0), "/tmp/net.py":2:0])
  "mlconv.yield"(%2) : (tensor<2xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a map that is no list of pairs is refused
// RUN: relocate{path-map="[1]"}
^bb(%x: tensor<2xf32>):
  "mlconv.yield"(%x) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0602]: relocate{path-map} is no list of pairs: [1]
