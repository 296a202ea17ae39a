"""Element types that ONNX Runtime 1.31.1 has kernels for, on CPUs.  Written by tools/onnx_kernels.py.

A line is an operator, the versions that a kernel is for, and for each type variable of its schema the letters of the
types: f d h e float32, float64, float16, bfloat16; b s i l signed and B S I L unsigned integers of 8 to 64 bits;
? bool; c strings.
"""

from __future__ import annotations

KERNELS = """
Abs 13 28 T=fdbBsSiIlL
Acos 7 21 T=f
Acos 22 28 T=f
Acosh 9 21 T=f
Acosh 22 28 T=f
Add 14 28 T=fdbBsSiIlL
Affine 1 28 T=f
AffineGrid 20 28 T1=fd T2=l
And 7 28 T=? T1=?
ArgMax 13 28 T=fdbBil
ArgMin 13 28 T=fdbBil
Asin 7 21 T=f
Asin 22 28 T=f
Asinh 9 21 T=f
Asinh 22 28 T=f
Atan 7 21 T=f
Atan 22 28 T=f
Atanh 9 21 T=f
Atanh 22 28 T=f
Attention 23 23 T1=fh T2=fh U=fh?
Attention 24 28 T1=fh T2=fh U=fh?
AveragePool 11 18 T=f
AveragePool 19 21 T=f
AveragePool 22 28 T=f
BatchNormalization 15 28 T=fd T1=fd T2=fd
BitCast 26 28 T1=fdhebBsSiIlL T2=fdhebBsSiIlL
BitShift 11 28 T=BIL
BitwiseAnd 18 28 T=bBsSiIlL
BitwiseNot 18 28 T=bBsSiIlL
BitwiseOr 18 28 T=bBsSiIlL
BitwiseXor 18 28 T=bBsSiIlL
BlackmanWindow 17 28 T1=il T2=fdbBsSiIlL
Cast 13 18 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Cast 19 20 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Cast 21 22 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Cast 23 23 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Cast 24 24 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Cast 25 28 T1=fdhebBsSiIlL?c T2=fdhebBsSiIlL?c
Ceil 13 28 T=fd
Celu 12 28 T=f
Clip 13 28 T=fdhbBiIlL
Col2Im 18 28 T=f
Compress 11 28 T=fdhebBsSiIlL?c T1=?
Concat 13 28 T=fdhebBsSiIlL?c
ConstantOfShape 9 19 T1=l T2=fdhebBsSiIlL?
ConstantOfShape 20 20 T1=l T2=fdhebBsSiIlL?
ConstantOfShape 21 22 T1=l T2=fdhebBsSiIlL?
ConstantOfShape 23 23 T1=l T2=fdhebBsSiIlL?
ConstantOfShape 24 24 T1=l T2=fdhebBsSiIlL?
ConstantOfShape 25 28 T1=l T2=fdhebBsSiIlL?
Conv 11 21 T=f
Conv 22 28 T=f
ConvInteger 10 28 T1=bB T2=bB T3=i
ConvTranspose 11 21 T=f
ConvTranspose 22 28 T=f
Cos 7 21 T=fd
Cos 22 28 T=fd
Cosh 9 21 T=f
Cosh 22 28 T=f
Crop 1 28 T=f
CumProd 26 28 T=fdiIlL T2=il
CumSum 14 28 T=fdil T2=il
DFT 17 19 T1=fd T2=il
DFT 20 28 T1=fd T2=il
DeformConv 19 21 T=fd
DeformConv 22 28 T=fd
DepthToSpace 13 28 T=fdbB
DequantizeLinear 13 18 T=bBi
DequantizeLinear 19 20 T1=bBi T2=fh
DequantizeLinear 21 22 T1=bBsSi T2=fh
DequantizeLinear 23 23 T1=bBsSi T2=fh T3=fh
DequantizeLinear 24 24 T1=bBsSi T2=fh T3=fh
DequantizeLinear 25 28 T1=bBsSi T2=fh T3=fh
Det 11 21 T=f
Det 22 28 T=f
Div 14 28 T=fdbBsSiIlL
Dropout 13 21 T=fd T1=fd T2=?
Dropout 22 28 T=fd T1=fd T2=?
DynamicQuantizeLinear 11 28 T2=B
DynamicSlice 1 28 T=fdhebBsSiIlL?c Tind=il
Einsum 12 28 T=fdil
Elu 6 21 T=f
Elu 22 28 T=f
Equal 13 18 T=fdbBsSiIlL? T1=?
Equal 19 28 T=fdbBsSiIlL?c T1=?
Erf 13 28 T=f
Exp 13 28 T=fd
Expand 13 28 T=fdhbBsSiIlL?c
EyeLike 9 21 T1=fdilL T2=fdilL
EyeLike 22 28 T1=fdilL T2=fdilL
Flatten 13 20 T=fdhebBsSiIlL?c
Flatten 21 22 T=fdhebBsSiIlL?c
Flatten 23 23 T=fdhebBsSiIlL?c
Flatten 24 24 T=fdhebBsSiIlL?c
Flatten 25 28 T=fdhebBsSiIlL?c
Floor 13 28 T=fd
GRU 14 21 T=fd T1=i
GRU 22 28 T=fd T1=i
Gather 13 28 T=fdhebBsSiIlL?c Tind=il
GatherElements 13 28 T=fdhebBsSiIlL?c Tind=il
GatherND 13 28 T=fdhebBsSiIlL?c indices=l
Gelu 20 28 T=f
Gemm 13 28 T=fd
GlobalAveragePool 1 21 T=f
GlobalAveragePool 22 28 T=f
GlobalLpPool 2 28 T=f
GlobalMaxPool 1 21 T=f
GlobalMaxPool 22 28 T=f
Greater 13 28 T=fdbBsSiIlL T1=?
GreaterOrEqual 16 28 T=fdbBsSiIlL T1=?
GridSample 16 19 T1=f T2=f
GridSample 20 21 T1=fd T2=fd
GridSample 22 28 T1=fd T2=fd
HammingWindow 17 28 T1=il T2=fdbBsSiIlL
HannWindow 17 28 T1=il T2=fdbBsSiIlL
HardSigmoid 6 21 T=f
HardSigmoid 22 28 T=f
Hardmax 13 28 T=f
Identity 16 18 V=fdhebBsSiIlL?c
Identity 19 20 V=fdhebBsSiIlL?c
Identity 21 22 V=fdhebBsSiIlL?c
Identity 23 23 V=fdhebBsSiIlL?c
Identity 24 24 V=fdhebBsSiIlL?c
Identity 25 28 V=fdhebBsSiIlL?c
If 16 18 B=? V=fdhebBsSiIlL?c
If 19 20 B=? V=fdhebBsSiIlL?c
If 21 22 B=? V=fdhebBsSiIlL?c
If 23 23 B=? V=fdhebBsSiIlL?c
If 24 24 B=? V=fdhebBsSiIlL?c
If 25 28 B=? V=fdhebBsSiIlL?c
ImageScaler 1 28 T=f
InstanceNormalization 6 21 T=f
InstanceNormalization 22 28 T=f
IsInf 10 19 T1=fd T2=?
IsInf 20 28 T1=fdhe T2=?
IsNaN 13 19 T1=fdh T2=?
IsNaN 20 28 T1=fdhe T2=?
LRN 13 28 T=f
LSTM 14 21 T=fd T1=i
LSTM 22 28 T=fd T1=i
LayerNormalization 17 28 T=fdhe U=f
LeakyRelu 16 28 T=f
Less 13 28 T=fdbBsSiIlL T1=?
LessOrEqual 16 28 T=fdbBsSiIlL T1=?
Log 13 28 T=fd
LogSoftmax 13 28 T=fd
Loop 16 18 B=? I=l V=fdhebBsSiIlL?c
Loop 19 20 B=? I=l V=fdhebBsSiIlL?c
Loop 21 22 B=? I=l V=fdhebBsSiIlL?c
Loop 23 23 B=? I=l V=fdhebBsSiIlL?c
Loop 24 24 B=? I=l V=fdhebBsSiIlL?c
Loop 25 28 B=? I=l V=fdhebBsSiIlL?c
LpNormalization 1 21 T=fd
LpNormalization 22 28 T=fd
LpPool 11 17 T=f
LpPool 18 21 T=f
LpPool 22 28 T=f
MatMul 13 28 T=fdiIlL
MatMulInteger 10 28 T1=bB T2=bB T3=i
Max 13 28 T=fdhbBiIlL
MaxPool 12 21 I=l T=fdbB
MaxPool 22 28 I=l T=fdbB
MaxRoiPool 1 28 T=f
MaxUnpool 11 21 T1=f T2=l
MaxUnpool 22 28 T1=f T2=l
Mean 13 28 T=f
MeanVarianceNormalization 13 28 T=f
MelWeightMatrix 17 28 T1=il T2=f T3=fdbBsSiIlL
MemcpyFromHost 1 28 T=fdhebBsSiIlL?
MemcpyToHost 1 28 T=fdhebBsSiIlL?
Min 13 28 T=fdhbBiIlL
Mod 13 28 T=fdhbBsSiIlL
Mul 14 28 T=fdbBsSiIlL
Multinomial 7 28 T1=f T2=il
Neg 13 28 T=fdbsil
NonZero 13 28 T=fBil?
Not 1 28 T=?
OneHot 11 28 T1=fil T2=fil T3=filc
Optional 15 28 V=fdhebBsSiIlL?c
OptionalGetElement 15 17 V=fdhebBsSiIlL?c
OptionalGetElement 18 28 O=fdhebBsSiIlL?c V=fdhebBsSiIlL?c
OptionalHasElement 15 17 B=?
OptionalHasElement 18 28 B=? O=fdhebBsSiIlL?c
Or 7 28 T=? T1=?
PRelu 16 28 T=f
Pad 13 17 T=fdbBiIlL?
Pad 18 18 T=fdbBiIlL?
Pad 19 20 T=fdbBiIlL?
Pad 21 22 T=fdbBiIlL?
Pad 23 23 T=fdbBiIlL?
Pad 24 24 T=fdbBiIlL?
Pad 25 28 T=fdbBiIlL?
ParametricSoftplus 1 28 T=f
Pow 15 28 T=fdil T1=fdil
QLinearConv 10 28 T1=bB T2=bB T3=bB T4=i
QLinearMatMul 10 20 T1=bB T2=bB T3=bB
QLinearMatMul 21 28 T1=bB T2=bB T3=bB TS=f
QuantizeLinear 13 18 T1=f T2=bB
QuantizeLinear 19 20 T1=fh T2=bB
QuantizeLinear 21 22 T1=fh T2=bBsS
QuantizeLinear 23 23 T1=fh T2=fh T3=bBsS
QuantizeLinear 24 24 T1=fh T2=fh T3=bBsS
QuantizeLinear 25 28 T1=fh T2=fh T3=bBsS
RMSNormalization 23 28 T=fdh V=fdh
RNN 14 21 T=f T1=i
RNN 22 28 T=f T1=i
RandomNormal 1 28 T=fd
RandomNormalLike 1 28 T1=fdhebBsSiIlL?c T2=fd
RandomUniform 1 28 T=fd
RandomUniformLike 1 28 T1=fdhebBsSiIlL?c T2=fd
Range 11 26 T=fdsil
Range 27 28 T=fdsil
Reciprocal 13 28 T=fd
ReduceL1 13 17 T=fdil
ReduceL1 18 28 T=fdil
ReduceL2 13 17 T=fdil
ReduceL2 18 28 T=fdil
ReduceLogSum 13 17 T=fdil
ReduceLogSum 18 28 T=fdil
ReduceLogSumExp 13 17 T=fdil
ReduceLogSumExp 18 28 T=fdil
ReduceMax 13 17 T=fdbBil
ReduceMax 18 19 T=fdbBil
ReduceMax 20 28 T=fdbBil?
ReduceMean 13 17 T=fdil
ReduceMean 18 28 T=fdil
ReduceMin 13 17 T=fdbBil
ReduceMin 18 19 T=fdbBil
ReduceMin 20 28 T=fdbBil?
ReduceProd 13 17 T=fdil
ReduceProd 18 28 T=fdil
ReduceSum 13 28 T=fdil
ReduceSumSquare 13 17 T=fdil
ReduceSumSquare 18 28 T=fdil
RegexFullMatch 20 28 T1=c T2=?
Relu 14 28 T=fdbi
Reshape 14 18 T=fdhebBsSiIlL?c shape=l
Reshape 19 20 T=fdhebBsSiIlL?c shape=l
Reshape 21 22 T=fdhebBsSiIlL?c shape=l
Reshape 23 23 T=fdhebBsSiIlL?c shape=l
Reshape 24 24 T=fdhebBsSiIlL?c shape=l
Reshape 25 28 T=fdhebBsSiIlL?c shape=l
Resize 13 17 T1=fbBi
Resize 18 18 T1=fbBi
Resize 19 28 T1=fbBi
ReverseSequence 10 28 T=fdhebBsSiIlL?c
RoiAlign 16 28 T1=fd T2=l
RotaryEmbedding 23 28 M=l T=fh
Round 11 21 T=fdh
Round 22 28 T=fdh
STFT 17 28 T1=fd T2=il
Scale 1 28 T=f
ScaledTanh 1 28 T=f
Scan 16 18 V=fdhebBsSiIlL?c
Scan 19 20 V=fdhebBsSiIlL?c
Scan 21 22 V=fdhebBsSiIlL?c
Scan 23 23 V=fdhebBsSiIlL?c
Scan 24 24 V=fdhebBsSiIlL?c
Scan 25 28 V=fdhebBsSiIlL?c
ScatterElements 16 17 T=fdhebBsSiIlL?c Tind=il
ScatterElements 18 28 T=fdhebBsSiIlL?c Tind=il
ScatterND 16 17 T=fdhebBsSiIlL?c
ScatterND 18 28 T=fdhebBsSiIlL?c
Selu 6 21 T=f
Selu 22 28 T=f
SequenceAt 11 28 I=il T=fdhebBsSiIlL?c
SequenceConstruct 11 28 T=fdhebBsSiIlL?c
SequenceErase 11 28 I=il
SequenceInsert 11 28 I=il
SequenceLength 11 28 I=l
Shape 15 18 T=fdhebBsSiIlL?c T1=l
Shape 19 20 T=fdhebBsSiIlL?c T1=l
Shape 21 22 T=fdhebBsSiIlL?c T1=l
Shape 23 23 T=fdhebBsSiIlL?c T1=l
Shape 24 24 T=fdhebBsSiIlL?c T1=l
Shape 25 28 T=fdhebBsSiIlL?c T1=l
Shrink 9 28 T=fdhebBsSiIlL
Sigmoid 13 28 T=fd
Sign 13 28 T=fdhebBsSiIlL
SimplifiedLayerNormalization 1 28 T=fdhe U=f V=fdhe
Sin 7 21 T=fd
Sin 22 28 T=fd
Sinh 9 21 T=f
Sinh 22 28 T=f
Size 13 18 T=fdbBsSiIlL?c T1=l
Size 19 20 T=fdbBsSiIlL?c T1=l
Size 21 22 T=fdbBsSiIlL?c T1=l
Size 23 23 T=fdbBsSiIlL?c T1=l
Size 24 24 T=fdbBsSiIlL?c T1=l
Size 25 28 T=fdbBsSiIlL?c T1=l
Slice 13 28 T=fdhebBsSiIlL?c Tind=il
Softmax 13 28 T=fd
Softplus 1 21 T=f
Softplus 22 28 T=f
Softsign 1 21 T=f
Softsign 22 28 T=f
SpaceToDepth 13 28 T=fdbB
Split 13 17 T=fdhebBsSiIlL?c
Split 18 28 T=fdhebBsSiIlL?c
SplitToSequence 11 23 I=il T=fdhil?c
SplitToSequence 24 28 I=il T=fdhil?c
Sqrt 13 28 T=fd
Squeeze 13 20 T=fdhebBsSiIlL?c
Squeeze 21 22 T=fdhebBsSiIlL?c
Squeeze 23 23 T=fdhebBsSiIlL?c
Squeeze 24 24 T=fdhebBsSiIlL?c
Squeeze 25 28 T=fdhebBsSiIlL?c
StringConcat 20 28 T=c
StringNormalizer 10 28 X=c
StringSplit 20 28 T1=c T2=c T3=l
Sub 14 28 T=fdbBsSiIlL
Sum 13 28 T=fd
Tan 7 21 T=f
Tan 22 28 T=f
Tanh 13 28 T=fd
TensorScatter 24 28 T=fdhebBsSiIlL?
TfIdfVectorizer 9 28 T=ilc T1=f
ThresholdedRelu 10 21 T=f
ThresholdedRelu 22 28 T=f
Tile 13 28 T=fdbBsSiIlL?c T1=l
TopK 11 23 I=l T=fdbBsil
TopK 24 28 I=l T=fdbBsil
Transpose 13 20 T=fdhebBsSiIlL?c
Transpose 21 22 T=fdhebBsSiIlL?c
Transpose 23 23 T=fdhebBsSiIlL?c
Transpose 24 24 T=fdhebBsSiIlL?c
Transpose 25 28 T=fdhebBsSiIlL?c
Trilu 14 28 T=fdil?
Unique 11 28 T=fdblc
Unsqueeze 13 20 T=fdhebBsSiIlL?c
Unsqueeze 21 22 T=fdhebBsSiIlL?c
Unsqueeze 23 23 T=fdhebBsSiIlL?c
Unsqueeze 24 24 T=fdhebBsSiIlL?c
Unsqueeze 25 28 T=fdhebBsSiIlL?c
Where 16 28 T=fdbBiIlc
Xor 7 28 T=? T1=?
"""
