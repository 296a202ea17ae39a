"""Element types that TensorFlow 2.21.0 has kernels for, on CPUs.  Written by tools/tf_kernels.py.

A line is an op, and for each of its attributes that is an element type the letters of the types: f d h e float32,
float64, float16, bfloat16; b s i l signed and B S I L unsigned integers of 8 to 64 bits; ? bool; c strings; F D
complex64 and complex128.
"""

from __future__ import annotations

KERNELS = """
Abs T=fdhebsil
Acos T=fdheFD
Acosh T=fdheFD
AddV2 T=fdhebBsSiIlLFD
All Tidx=il
Any Tidx=il
ArgMax T=fdhebBsSiIlL? Tidx=sil output_type=sSil
ArgMin T=fdhebBsSiIlL? Tidx=il output_type=il
Asin T=fdheFD
Asinh T=fdheFD
AssignVariableOp dtype=fdhebBsSiIlL?cFD
Atan T=fdheFD
Atan2 T=fdhe
Atanh T=fdheFD
AvgPool T=fdhe
AvgPool3D T=fe
BatchMatMulV2 T=fdhesilFD
BatchToSpaceND T=fdhebBsSiIlL Tblock_shape=il Tcrops=il
BiasAdd T=fdhebBsSiIlLFD
Bitcast T=fdhebBsSiIlLFD type=fdhebBsSiIlLFD
BitwiseAnd T=bBsSiIlL
BitwiseOr T=bBsSiIlL
BitwiseXor T=bBsSiIlL
BroadcastTo T=fdhebBsSiIlL?cFD Tidx=il
Cast SrcT=fdhebBsSiIlL?cFD DstT=fdhebBsSiIlL?cFD
Ceil T=fdhe
Complex T=fd Tout=FD
ComplexAbs T=FD Tout=fd
ConcatV2 T=fdhebBsSiIlL?cFD Tidx=il
Conv2D T=fdhei
Conv2DBackpropInput T=fdhei
Conv3D T=fdhe
Conv3DBackpropInputV2 T=fdhe Tshape=il
Cos T=fdheFD
Cosh T=fdheFD
Cumprod T=fdhebBsSiIlLFD Tidx=il
Cumsum T=fdhebBsSiIlLFD Tidx=il
DepthToSpace T=fdhebBsSiIlL?cFD
DepthwiseConv2dNative T=fdhe
Digamma T=fdh
Elu T=fdhe
Equal T=fdhebBsSiIlL?cFD
Erf T=fdhe
Erfc T=fdhe
Exp T=fdheFD
ExpandDims T=fdhebBsSiIlL?cFD Tdim=il
Expm1 T=fdheFD
FFT Tcomplex=FD
FakeQuantWithMinMaxVars
FakeQuantWithMinMaxVarsPerChannel
Fill T=fdhebBsSiIlL?cFD index_type=il
Floor T=fdhe
FloorDiv T=fdhebBsSiIlL
FloorMod T=fdhebBsSiIlL
GatherNd Tparams=fdhebBsSiIlL?cFD Tindices=sil
GatherV2 Tparams=fdhebBsSiIlL?cFD Tindices=sil Taxis=il
Greater T=fdhebBsSiIlL
GreaterEqual T=fdhebBsSiIlL
IFFT Tcomplex=FD
IRFFT Treal=fd Tcomplex=FD
Identity T=fdhebBsSiIlL?cFD
If Tcond=fdhebBsSiIlL?cFD
Imag T=FD Tout=fd
Invert T=bBsSiIlL
InvertPermutation T=il
IsFinite T=fdhe
IsInf T=fdhe
IsNan T=fdhe
LRN T=fh
LeakyRelu T=fdhe
LeftShift T=bBsSiIlL
Less T=fdhebBsSiIlL
LessEqual T=fdhebBsSiIlL
Lgamma T=fdh
Log T=fdheFD
Log1p T=fdheFD
LogSoftmax T=fdhe
LogicalAnd
LogicalNot
LogicalOr
MatMul T=fdheilFD
Max T=fdhebBsSiIlL Tidx=il
MaxPool T=fdhebBsSil
MaxPool3D T=fe
Maximum T=fdhebBsSiIlL
Mean T=fdhebBsSiIlLFD Tidx=il
Min T=fdhebBsSiIlL Tidx=il
Minimum T=fdhebBsSiIlL
MirrorPad T=fdhebBsSiIlL?cFD Tpaddings=il
Mul T=fdhebBsSiIlLFD
Neg T=fdhebsilFD
NonMaxSuppressionV5 T=fh
NotEqual T=fdhebBsSiIlL?cFD
OneHot T=fdhebBsSiIlL?cFD TI=bBil
Pad T=fdhebBsSiIlL?cFD Tpaddings=il
PadV2 T=fdhebBsSiIlL?cFD Tpaddings=il
Pow T=fdhebsilFD
Prod T=fdhebBsSiIlLFD Tidx=il
RFFT Treal=fd Tcomplex=FD
RandomStandardNormal dtype=fdhe T=il
RandomUniform dtype=fdhe T=il
Range Tidx=fdheil
ReadVariableOp dtype=fdhebBsSiIlL?cFD
Real T=FD Tout=fd
RealDiv T=fdheFD
Relu T=fdhebBsSiIlL
Relu6 T=fdhebBsSiIlL
Reshape T=fdhebBsSiIlL?cFD Tshape=il
ResizeBilinear T=fdhebBsSil
ResizeNearestNeighbor T=fdhebBsSil
ReverseSequence T=fdhebBsSiIlL?cFD Tlen=il
ReverseV2 Tidx=il T=fdhebBsSiIlL?cFD
RightShift T=bBsSiIlL
Round T=fdheil
Rsqrt T=fdheFD
ScatterNd T=fdhebBsSiIlL?cFD Tindices=il
SelectV2 T=fdhebBsSiIlL?cFD
Shape T=fdhebBsSiIlL?cFD out_type=il
Sigmoid T=fdheFD
Sign T=fdhebsilFD
Sin T=fdheFD
Sinh T=fdheFD
Slice T=fdhebBsSiIlL?cFD Index=il
Softmax T=fdhe
Softplus T=fdhe
SpaceToBatchND T=fdhebBsSiIlL Tblock_shape=il Tpaddings=il
SpaceToDepth T=fdhebBsSiIlL?cFD
Split T=fdhebBsSiIlL?cFD
SplitV T=fdhebBsSiIlL?cFD Tlen=bil
Sqrt T=fdheFD
Squeeze T=fdhebBsSiIlL?cFD
StridedSlice T=fdhebBsSiIlL?cFD Index=sil
Sub T=fdhebBsSiIlLFD
Sum T=fdhebBsSiIlLFD Tidx=il
Tan T=fdheFD
Tanh T=fdheFD
TensorScatterAdd T=fdhebBsSiIlLFD Tindices=il
TensorScatterMax T=fdhebBsSiIlL Tindices=il
TensorScatterMin T=fdhebBsSiIlL Tindices=il
TensorScatterSub T=fdhebBsSiIlLFD Tindices=il
TensorScatterUpdate T=fdhebBsSiIlL?cFD Tindices=il
Tile T=fdhebBsSiIlL?cFD Tmultiples=il
TopKV2 T=fdhebBsSiIlL Tk=sil index_type=sil
Transpose T=fdhebBsSiIlL?cFD Tperm=il
TruncateDiv T=fdhebBsSiIlL
TruncateMod T=fdil
UniqueWithCountsV2 T=fdhebBsSiIlL?c Taxis=il out_idx=il
UnsortedSegmentMax T=fdhebBsSiIlL Tindices=il Tnumsegments=il
UnsortedSegmentMin T=fdhebBsSiIlL Tindices=il Tnumsegments=il
UnsortedSegmentProd T=fdhebBsSiIlLFD Tindices=il Tnumsegments=il
UnsortedSegmentSum T=fdhebBsSiIlLFD Tindices=sil Tnumsegments=il
Where T=fdhebBsSiIlL?FD
While
"""
