"""Names of operands and results of TFLite ops, which the schema does not have.

`x?` may be absent, `*xs` stands for all that follow.  Source: tensorflow/compiler/mlir/lite/ir/tfl_ops.td.
"""

from __future__ import annotations

_UNARY = """
    ABS CAST CEIL COS ELU EXP FLOOR GELU HARD_SWISH L2_NORMALIZATION LEAKY_RELU LOG LOG_SOFTMAX LOGICAL_NOT LOGISTIC
    NEG RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT SIGN SIN SOFTMAX SQRT SQUARE TANH AVERAGE_POOL_2D MAX_POOL_2D
    L2_POOL_2D DEPTH_TO_SPACE SPACE_TO_DEPTH LOCAL_RESPONSE_NORMALIZATION DEQUANTIZE QUANTIZE FAKE_QUANT SHAPE RANK
    SQUEEZE IMAG REAL COMPLEX_ABS BITCAST ZEROS_LIKE BUCKETIZE MATRIX_DIAG WHERE DENSIFY SKIP_GRAM STABLEHLO_ABS
    STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CBRT STABLEHLO_CONVERT STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR
    STABLEHLO_LOG STABLEHLO_LOGISTIC STABLEHLO_NEGATE STABLEHLO_RESHAPE STABLEHLO_RSQRT STABLEHLO_SLICE STABLEHLO_TANH
    STABLEHLO_TRANSPOSE"""
_BINARY = """
    ADD SUB MUL DIV POW MAXIMUM MINIMUM FLOOR_DIV FLOOR_MOD SQUARED_DIFFERENCE EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER
    GREATER_EQUAL LOGICAL_AND LOGICAL_OR ATAN2 BITWISE_XOR RIGHT_SHIFT BATCH_MATMUL STABLEHLO_ADD STABLEHLO_AND
    STABLEHLO_COMPARE STABLEHLO_CONVOLUTION STABLEHLO_DIVIDE STABLEHLO_DOT_GENERAL STABLEHLO_MAXIMUM STABLEHLO_MINIMUM
    STABLEHLO_MULTIPLY STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_SHIFT_LEFT STABLEHLO_SUBTRACT"""
_REDUCTIONS = "SUM MEAN REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PROD ARG_MAX ARG_MIN CUMSUM REVERSE_V2"
_ANY = "CALL CUSTOM DELEGATE PLACEHOLDER_FOR_GREATER_OP_CODES STABLEHLO_COMPOSITE STABLEHLO_CUSTOM_CALL"
_GATES = ("input", "forget", "cell", "output")


def _recurrent(way: str = "") -> str:
    """Weights, peepholes, biases and the projection of the gates of an LSTM."""
    parts = [f"{way}input_to_{g}{'?' if g == 'input' else ''}" for g in _GATES]
    parts += [f"{way}recurrent_to_{g}{'?' if g == 'input' else ''}" for g in _GATES]
    parts += [f"{way}cell_to_{g}?" for g in _GATES if g != "cell"]
    parts += [f"{way}{g}_bias{'?' if g == 'input' else ''}" for g in _GATES]
    return " ".join([*parts, f"{way}projection?", f"{way}projection_bias?"])


_NORMS = " ".join(f"{g}_norm?" for g in _GATES)
_AUXILIARY = " ".join(f"{way}_aux_{g}?" for way in ("fw", "bw") for g in _GATES)
OPERANDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_UNARY.split(), ("x", "y")),
    **dict.fromkeys(_BINARY.split(), ("lhs rhs", "y")),
    **dict.fromkeys(_REDUCTIONS.split(), ("x axes", "y")),
    **dict.fromkeys(
        ("UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN", "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_SUM"),
        ("data segment_ids num_segments", "y"),
    ),
    "ADD_N": ("*xs", "y"),
    "ASSIGN_VARIABLE": ("resource value", ""),
    "BATCH_TO_SPACE_ND": ("x block_shape crops", "y"),
    "BROADCAST_ARGS": ("s0 s1", "r0"),
    "BROADCAST_TO": ("x shape", "y"),
    "CALL_ONCE": ("", ""),
    "CONCATENATION": ("*values", "y"),
    "CONV_2D": ("x filter bias?", "y"),
    "CONV_3D": ("x filter bias?", "y"),
    "CONV_3D_TRANSPOSE": ("output_shape filter x bias?", "y"),
    **dict.fromkeys(_ANY.split(), ("*xs", "*ys")),
    **dict.fromkeys(
        ("STABLEHLO_REDUCE", "STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SORT", "STABLEHLO_WHILE"), ("*xs", "*ys")
    ),
    "BIDIRECTIONAL_SEQUENCE_LSTM": (
        f"x {_recurrent('fw_')} {_recurrent('bw_')} fw_state fw_cell_state bw_state bw_cell_state aux_x? {_AUXILIARY}",
        "y *backward",
    ),
    "BIDIRECTIONAL_SEQUENCE_RNN": (
        "x fw_weights fw_recurrent fw_bias fw_state bw_weights bw_recurrent bw_bias bw_state aux_x? fw_aux? bw_aux?",
        "y *backward",
    ),
    "CONCAT_EMBEDDINGS": ("*xs", "y"),
    "DILATE": ("x dilations value", "y"),
    "EMBEDDING_LOOKUP_SPARSE": ("ids indices dense_shape weights value", "y"),
    "HASHTABLE_LOOKUP": ("lookup keys values", "y hits"),
    "LSH_PROJECTION": ("hash x weight?", "y"),
    "LSTM": ("x *parts", "y *states"),
    "MATRIX_SET_DIAG": ("x diagonal", "y"),
    "REDUCE_WINDOW": ("x initial window_shape window_strides window_dilations", "y"),
    "RNN": ("x weights recurrent bias state", "y"),
    "STABLEHLO_CASE": ("index *xs", "*ys"),
    "STABLEHLO_CLAMP": ("low x high", "y"),
    "STABLEHLO_CONCATENATE": ("*values", "y"),
    "STABLEHLO_DYNAMIC_SLICE": ("x *starts", "y"),
    "STABLEHLO_DYNAMIC_UPDATE_SLICE": ("x update *starts", "y"),
    "STABLEHLO_GATHER": ("x indices", "y"),
    "STABLEHLO_IOTA": ("", "y"),
    "STABLEHLO_PAD": ("x value", "y"),
    "STABLEHLO_RNG_BIT_GENERATOR": ("state", "next y"),
    "STABLEHLO_SCATTER": ("x indices updates", "y"),
    "STABLEHLO_SELECT": ("cond x y", "z"),
    "SVDF": ("x weights_feature weights_time bias? state", "y"),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (f"x {_recurrent()} state cell_state {_NORMS}", "y"),
    "UNIDIRECTIONAL_SEQUENCE_RNN": ("x weights recurrent bias state", "y"),
    "DEPTHWISE_CONV_2D": ("x filter bias?", "y"),
    "DYNAMIC_UPDATE_SLICE": ("x update start_indices", "y"),
    "EMBEDDING_LOOKUP": ("lookup value", "y"),
    "EXPAND_DIMS": ("x axis", "y"),
    "FILL": ("dims value", "y"),
    "FULLY_CONNECTED": ("x filter bias?", "*ys"),
    "GATHER": ("params indices", "y"),
    "GATHER_ND": ("params indices", "y"),
    "HASHTABLE": ("", "resource"),
    "HASHTABLE_FIND": ("resource keys default", "y"),
    "HASHTABLE_IMPORT": ("resource keys values", ""),
    "HASHTABLE_SIZE": ("resource", "y"),
    "IF": ("cond *xs", "*ys"),
    "MIRROR_PAD": ("x pads", "y"),
    "NON_MAX_SUPPRESSION_V4": (
        "boxes scores max_output_size iou_threshold score_threshold",
        "selected_indices valid_outputs",
    ),
    "NON_MAX_SUPPRESSION_V5": (
        "boxes scores max_output_size iou_threshold score_threshold soft_nms_sigma",
        "selected_indices selected_scores valid_outputs",
    ),
    "ONE_HOT": ("indices depth on_value off_value", "y"),
    "PACK": ("*values", "y"),
    "PAD": ("x pads", "y"),
    "PADV2": ("x pads value", "y"),
    "PRELU": ("x alpha", "y"),
    "RANDOM_STANDARD_NORMAL": ("shape", "y"),
    "RANDOM_UNIFORM": ("shape", "y"),
    "MULTINOMIAL": ("logits num_samples", "y"),
    "RANGE": ("start limit delta", "y"),
    "READ_VARIABLE": ("resource", "y"),
    "RESHAPE": ("x shape?", "y"),
    "RESIZE_BILINEAR": ("x size", "y"),
    "RESIZE_NEAREST_NEIGHBOR": ("x size", "y"),
    "REVERSE_SEQUENCE": ("x seq_lengths", "y"),
    "RFFT2D": ("x fft_length", "y"),
    "SCATTER_ND": ("indices updates shape", "y"),
    "SEGMENT_SUM": ("data segment_ids", "y"),
    "SELECT": ("cond x y", "z"),
    "SELECT_V2": ("cond x y", "z"),
    "SLICE": ("x begin size", "y"),
    "SPACE_TO_BATCH_ND": ("x block_shape pads", "y"),
    "SPARSE_TO_DENSE": ("indices shape values default", "y"),
    "SPLIT": ("split_dim value", "*ys"),
    "SPLIT_V": ("value size_splits split_dim", "*ys"),
    "STRIDED_SLICE": ("x begin end strides", "y"),
    "TILE": ("x multiples", "y"),
    "TOPK_V2": ("x k", "values indices"),
    "TRANSPOSE": ("x perm", "y"),
    "TRANSPOSE_CONV": ("output_shape weights x bias?", "y"),
    "UNPACK": ("x", "*ys"),
    "UNIQUE": ("x", "y idx"),
    "VAR_HANDLE": ("", "resource"),
    "WHILE": ("*xs", "*ys"),
}
