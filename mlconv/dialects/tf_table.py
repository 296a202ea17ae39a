# ruff: noqa: E501
"""Signatures of TensorFlow's registered ops: a pure table, written by tools/gen_tf_op_table.py (TensorFlow 2.21.0).

name -> (input arguments, output arguments, attributes), each a list separated by blanks.
Argument: `name:T` has the type of attribute T, `name:N*T` is N tensors of type T, `name:*Tin` has one tensor per type of the list Tin,
`name:DT_INT32` has a fixed type; a leading `&` marks a reference type.
Attribute: `name:kind` is required, `name:kind=json` has a default.  Parsed by `tf.py`.
"""
from __future__ import annotations

from typing import Final

RELEASE: Final = 'TensorFlow 2.21.0'

SIGNATURES: Final[dict[str, tuple[str, str, str]]] = {
    'A': (
        '',
        'out:DT_FLOAT',
        ''),
    'Abort': (
        '',
        '',
        'error_msg:string="" exit_without_error:bool=false'),
    'Abs': (
        'x:T',
        'y:T',
        'T:type'),
    'AccumulateNV2': (
        'inputs:N*T',
        'sum:T',
        'N:int T:type shape:shape'),
    'AccumulatorApplyGradient': (
        '&handle:DT_STRING local_step:DT_INT64 gradient:dtype',
        '',
        'dtype:type'),
    'AccumulatorNumAccumulated': (
        '&handle:DT_STRING',
        'num_accumulated:DT_INT32',
        ''),
    'AccumulatorSetGlobalStep': (
        '&handle:DT_STRING new_global_step:DT_INT64',
        '',
        ''),
    'AccumulatorTakeGradient': (
        '&handle:DT_STRING num_required:DT_INT32',
        'average:dtype',
        'dtype:type'),
    'Acos': (
        'x:T',
        'y:T',
        'T:type'),
    'Acosh': (
        'x:T',
        'y:T',
        'T:type'),
    'Add': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'AddManySparseToTensorsMap': (
        'sparse_indices:DT_INT64 sparse_values:T sparse_shape:DT_INT64',
        'sparse_handles:DT_INT64',
        'T:type container:string="" shared_name:string=""'),
    'AddN': (
        'inputs:N*T',
        'sum:T',
        'N:int T:type'),
    'AddSparseToTensorsMap': (
        'sparse_indices:DT_INT64 sparse_values:T sparse_shape:DT_INT64',
        'sparse_handle:DT_INT64',
        'T:type container:string="" shared_name:string=""'),
    'AddV2': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'AdjustContrast': (
        'images:T contrast_factor:DT_FLOAT min_value:DT_FLOAT max_value:DT_FLOAT',
        'output:DT_FLOAT',
        'T:type'),
    'AdjustContrastv2': (
        'images:T contrast_factor:DT_FLOAT',
        'output:T',
        'T:type="DT_FLOAT"'),
    'AdjustHue': (
        'images:T delta:DT_FLOAT',
        'output:T',
        'T:type="DT_FLOAT"'),
    'AdjustSaturation': (
        'images:T scale:DT_FLOAT',
        'output:T',
        'T:type="DT_FLOAT"'),
    'All': (
        'input:DT_BOOL reduction_indices:Tidx',
        'output:DT_BOOL',
        'keep_dims:bool=false Tidx:type="DT_INT32"'),
    'AllCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool seed:int=0 seed2:int=0'),
    'AllToAll': (
        'input:T group_assignment:DT_INT32',
        'output:T',
        'T:type concat_dimension:int split_dimension:int split_count:int'),
    'Angle': (
        'input:T',
        'output:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'AnonymousHashTable': (
        '',
        'table_handle:DT_RESOURCE',
        'key_dtype:type value_dtype:type'),
    'AnonymousIterator': (
        '',
        'handle:DT_RESOURCE',
        'output_types:list(type) output_shapes:list(shape)'),
    'AnonymousIteratorV2': (
        '',
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'AnonymousIteratorV3': (
        '',
        'handle:DT_RESOURCE',
        'output_types:list(type) output_shapes:list(shape)'),
    'AnonymousMemoryCache': (
        '',
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        ''),
    'AnonymousMultiDeviceIterator': (
        '',
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        'devices:list(string) output_types:list(type) output_shapes:list(shape)'),
    'AnonymousMultiDeviceIteratorV3': (
        '',
        'handle:DT_RESOURCE',
        'devices:list(string) output_types:list(type) output_shapes:list(shape)'),
    'AnonymousMutableDenseHashTable': (
        'empty_key:key_dtype deleted_key:key_dtype',
        'table_handle:DT_RESOURCE',
        'key_dtype:type value_dtype:type value_shape:shape=[] initial_num_buckets:int=131072 max_load_factor:float=0.800000011920929'),
    'AnonymousMutableHashTable': (
        '',
        'table_handle:DT_RESOURCE',
        'key_dtype:type value_dtype:type'),
    'AnonymousMutableHashTableOfTensors': (
        '',
        'table_handle:DT_RESOURCE',
        'key_dtype:type value_dtype:type value_shape:shape=[]'),
    'AnonymousRandomSeedGenerator': (
        'seed:DT_INT64 seed2:DT_INT64',
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        ''),
    'AnonymousSeedGenerator': (
        'seed:DT_INT64 seed2:DT_INT64 reshuffle:DT_BOOL',
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        ''),
    'Any': (
        'input:DT_BOOL reduction_indices:Tidx',
        'output:DT_BOOL',
        'keep_dims:bool=false Tidx:type="DT_INT32"'),
    'ApplyAdaMax': (
        '&var:T &m:T &v:T beta1_power:T lr:T beta1:T beta2:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyAdadelta': (
        '&var:T &accum:T &accum_update:T lr:T rho:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyAdagrad': (
        '&var:T &accum:T lr:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false update_slots:bool=true'),
    'ApplyAdagradDA': (
        '&var:T &gradient_accumulator:T &gradient_squared_accumulator:T grad:T lr:T l1:T l2:T global_step:DT_INT64',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyAdagradV2': (
        '&var:T &accum:T lr:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false update_slots:bool=true'),
    'ApplyAdam': (
        '&var:T &m:T &v:T beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false use_nesterov:bool=false'),
    'ApplyAddSign': (
        '&var:T &m:T lr:T alpha:T sign_decay:T beta:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyCenteredRMSProp': (
        '&var:T &mg:T &ms:T &mom:T lr:T rho:T momentum:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyFtrl': (
        '&var:T &accum:T &linear:T grad:T lr:T l1:T l2:T lr_power:T',
        '&out:T',
        'T:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ApplyFtrlV2': (
        '&var:T &accum:T &linear:T grad:T lr:T l1:T l2:T l2_shrinkage:T lr_power:T',
        '&out:T',
        'T:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ApplyGradientDescent': (
        '&var:T alpha:T delta:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyMomentum': (
        '&var:T &accum:T lr:T grad:T momentum:T',
        '&out:T',
        'T:type use_locking:bool=false use_nesterov:bool=false'),
    'ApplyPowerSign': (
        '&var:T &m:T lr:T logbase:T sign_decay:T beta:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyProximalAdagrad': (
        '&var:T &accum:T lr:T l1:T l2:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyProximalGradientDescent': (
        '&var:T alpha:T l1:T l2:T delta:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApplyRMSProp': (
        '&var:T &ms:T &mom:T lr:T rho:T momentum:T epsilon:T grad:T',
        '&out:T',
        'T:type use_locking:bool=false'),
    'ApproxTopK': (
        'input:T',
        'values:T indices:DT_INT32',
        'k:int reduction_dimension:int=-1 recall_target:float=0.949999988079071 is_max_k:bool=true reduction_input_size_override:int=-1 aggregate_to_topk:bool=true T:type'),
    'ApproximateEqual': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type tolerance:float=9.999999747378752e-06'),
    'ArgMax': (
        'input:T dimension:Tidx',
        'output:output_type',
        'T:type Tidx:type="DT_INT32" output_type:type="DT_INT64"'),
    'ArgMin': (
        'input:T dimension:Tidx',
        'output:output_type',
        'T:type Tidx:type="DT_INT32" output_type:type="DT_INT64"'),
    'AsString': (
        'input:T',
        'output:DT_STRING',
        'T:type precision:int=-1 scientific:bool=false shortest:bool=false width:int=-1 fill:string=""'),
    'Asin': (
        'x:T',
        'y:T',
        'T:type'),
    'Asinh': (
        'x:T',
        'y:T',
        'T:type'),
    'Assert': (
        'condition:DT_BOOL data:*T',
        '',
        'T:list(type) summarize:int=3'),
    'AssertCardinalityDataset': (
        'input_dataset:DT_VARIANT cardinality:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'AssertNextDataset': (
        'input_dataset:DT_VARIANT transformations:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'AssertPrevDataset': (
        'input_dataset:DT_VARIANT transformations:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Assign': (
        '&ref:T value:T',
        '&output_ref:T',
        'T:type validate_shape:bool=true use_locking:bool=true'),
    'AssignAdd': (
        '&ref:T value:T',
        '&output_ref:T',
        'T:type use_locking:bool=false'),
    'AssignAddVariableOp': (
        'resource:DT_RESOURCE value:dtype',
        '',
        'dtype:type'),
    'AssignSub': (
        '&ref:T value:T',
        '&output_ref:T',
        'T:type use_locking:bool=false'),
    'AssignSubVariableOp': (
        'resource:DT_RESOURCE value:dtype',
        '',
        'dtype:type'),
    'AssignVariableOp': (
        'resource:DT_RESOURCE value:dtype',
        '',
        'dtype:type validate_shape:bool=false'),
    'AssignVariableXlaConcatND': (
        'resource:DT_RESOURCE inputs:N*T',
        '',
        'T:type N:int num_concats:list(int) paddings:list(int)=[]'),
    'Atan': (
        'x:T',
        'y:T',
        'T:type'),
    'Atan2': (
        'y:T x:T',
        'z:T',
        'T:type'),
    'Atanh': (
        'x:T',
        'y:T',
        'T:type'),
    'Attr': (
        '',
        '',
        'a:int'),
    'AttrBool': (
        '',
        '',
        'a:bool'),
    'AttrBoolList': (
        '',
        '',
        'a:list(bool)'),
    'AttrDefault': (
        '',
        '',
        'a:string="banana"'),
    'AttrEmptyListDefault': (
        '',
        '',
        'a:list(float)=[]'),
    'AttrEnum': (
        '',
        '',
        'a:string'),
    'AttrEnumList': (
        '',
        '',
        'a:list(string)'),
    'AttrFloat': (
        '',
        '',
        'a:float'),
    'AttrListDefault': (
        '',
        '',
        'a:list(int)=[5,15]'),
    'AttrListMin': (
        '',
        '',
        'a:list(int)'),
    'AttrListTypeDefault': (
        'a:N*T b:N*T',
        '',
        'T:type="DT_INT32" N:int'),
    'AttrMin': (
        '',
        '',
        'a:int'),
    'AttrPartialShape': (
        '',
        '',
        'a:shape'),
    'AttrPartialShapeList': (
        '',
        '',
        'a:list(shape)'),
    'AttrShape': (
        '',
        '',
        'a:shape'),
    'AttrShapeList': (
        '',
        '',
        'a:list(shape)'),
    'AttrTypeDefault': (
        'a:T',
        '',
        'T:type="DT_INT32"'),
    'AudioMicrofrontend': (
        'audio:DT_INT16',
        'filterbanks:out_type',
        'sample_rate:int=16000 window_size:int=25 window_step:int=10 num_channels:int=32 upper_band_limit:float=7500.0 lower_band_limit:float=125.0 smoothing_bits:int=10 even_smoothing:float=0.02500000037252903 odd_smoothing:float=0.05999999865889549 min_signal_remaining:float=0.05000000074505806 enable_pcan:bool=false pcan_strength:float=0.949999988079071 pcan_offset:float=80.0 gain_bits:int=21 enable_log:bool=true scale_shift:int=6 left_context:int=0 right_context:int=0 frame_stride:int=1 zero_padding:bool=false out_scale:int=1 out_type:type="DT_UINT16"'),
    'AudioSpectrogram': (
        'input:DT_FLOAT',
        'spectrogram:DT_FLOAT',
        'window_size:int stride:int magnitude_squared:bool=false'),
    'AudioSummary': (
        'tag:DT_STRING tensor:DT_FLOAT',
        'summary:DT_STRING',
        'sample_rate:float max_outputs:int=3'),
    'AudioSummaryV2': (
        'tag:DT_STRING tensor:DT_FLOAT sample_rate:DT_FLOAT',
        'summary:DT_STRING',
        'max_outputs:int=3'),
    'AutoShardDataset': (
        'input_dataset:DT_VARIANT num_workers:DT_INT64 index:DT_INT64',
        'handle:DT_VARIANT',
        'auto_shard_policy:int=0 output_types:list(type) output_shapes:list(shape) num_replicas:int=0'),
    'AvgPool': (
        'value:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NHWC" T:type'),
    'AvgPool3D': (
        'input:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NDHWC" T:type'),
    'AvgPool3DGrad': (
        'orig_input_shape:DT_INT32 grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NDHWC" T:type'),
    'AvgPoolGrad': (
        'orig_input_shape:DT_INT32 grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NHWC" T:type'),
    'B': (
        '',
        'out:DT_FLOAT',
        ''),
    'BandedTriangularSolve': (
        'matrix:T rhs:T',
        'output:T',
        'lower:bool=true adjoint:bool=false T:type'),
    'Barrier': (
        '',
        '&handle:DT_STRING',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 container:string="" shared_name:string=""'),
    'BarrierClose': (
        '&handle:DT_STRING',
        '',
        'cancel_pending_enqueues:bool=false'),
    'BarrierIncompleteSize': (
        '&handle:DT_STRING',
        'size:DT_INT32',
        ''),
    'BarrierInsertMany': (
        '&handle:DT_STRING keys:DT_STRING values:T',
        '',
        'T:type component_index:int'),
    'BarrierReadySize': (
        '&handle:DT_STRING',
        'size:DT_INT32',
        ''),
    'BarrierTakeMany': (
        '&handle:DT_STRING num_elements:DT_INT32',
        'indices:DT_INT64 keys:DT_STRING values:*component_types',
        'component_types:list(type) allow_small_batch:bool=false wait_for_incomplete:bool=false timeout_ms:int=-1'),
    'Batch': (
        'in_tensors:*T',
        'batched_tensors:*T batch_index:DT_INT64 id:DT_INT64',
        'num_batch_threads:int max_batch_size:int max_enqueued_batches:int=10 batch_timeout_micros:int allowed_batch_sizes:list(int)=[] grad_timeout_micros:int container:string="" shared_name:string="" batching_queue:string="" T:list(type)'),
    'BatchCholesky': (
        'input:T',
        'output:T',
        'T:type'),
    'BatchCholeskyGrad': (
        'l:T grad:T',
        'output:T',
        'T:type'),
    'BatchDataset': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'BatchDatasetV2': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'parallel_copy:bool=false output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'BatchFFT': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchFFT2D': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchFFT3D': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchFunction': (
        'in_tensors:*Tin captured_tensors:*Tcaptured',
        'out_tensors:*Tout',
        'f:func num_batch_threads:int max_batch_size:int batch_timeout_micros:int max_enqueued_batches:int=10 allowed_batch_sizes:list(int)=[] container:string="" shared_name:string="" batching_queue:string="" low_priority_max_batch_size:int=0 low_priority_batch_timeout_micros:int=0 low_priority_allowed_batch_sizes:list(int)=[] low_priority_max_enqueued_batches:int=0 mixed_priority_policy:string="low_priority_padding_with_max_batch_size" batch_padding_policy:string="PAD_UP" Tin:list(type) Tcaptured:list(type) Tout:list(type) enable_large_batch_splitting:bool=false'),
    'BatchIFFT': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchIFFT2D': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchIFFT3D': (
        'input:DT_COMPLEX64',
        'output:DT_COMPLEX64',
        ''),
    'BatchMatMul': (
        'x:T y:T',
        'output:T',
        'T:type adj_x:bool=false adj_y:bool=false grad_x:bool=false grad_y:bool=false'),
    'BatchMatMulV2': (
        'x:T y:T',
        'output:T',
        'T:type adj_x:bool=false adj_y:bool=false grad_x:bool=false grad_y:bool=false'),
    'BatchMatMulV3': (
        'x:Ta y:Tb',
        'output:Tout',
        'Ta:type Tb:type Tout:type adj_x:bool=false adj_y:bool=false grad_x:bool=false grad_y:bool=false'),
    'BatchMatrixBandPart': (
        'input:T num_lower:DT_INT64 num_upper:DT_INT64',
        'band:T',
        'T:type'),
    'BatchMatrixDeterminant': (
        'input:T',
        'output:T',
        'T:type'),
    'BatchMatrixDiag': (
        'diagonal:T',
        'output:T',
        'T:type'),
    'BatchMatrixDiagPart': (
        'input:T',
        'diagonal:T',
        'T:type'),
    'BatchMatrixInverse': (
        'input:T',
        'output:T',
        'adjoint:bool=false T:type'),
    'BatchMatrixSetDiag': (
        'input:T diagonal:T',
        'output:T',
        'T:type'),
    'BatchMatrixSolve': (
        'matrix:T rhs:T',
        'output:T',
        'adjoint:bool=false T:type'),
    'BatchMatrixSolveLs': (
        'matrix:T rhs:T l2_regularizer:DT_DOUBLE',
        'output:T',
        'T:type fast:bool=true'),
    'BatchMatrixTriangularSolve': (
        'matrix:T rhs:T',
        'output:T',
        'lower:bool=true adjoint:bool=false T:type'),
    'BatchNormWithGlobalNormalization': (
        't:T m:T v:T beta:T gamma:T',
        'result:T',
        'T:type variance_epsilon:float scale_after_normalization:bool'),
    'BatchNormWithGlobalNormalizationGrad': (
        't:T m:T v:T gamma:T backprop:T',
        'dx:T dm:T dv:T db:T dg:T',
        'T:type variance_epsilon:float scale_after_normalization:bool'),
    'BatchSelfAdjointEig': (
        'input:T',
        'output:T',
        'T:type'),
    'BatchSelfAdjointEigV2': (
        'input:T',
        'e:T v:T',
        'compute_v:bool=true T:type'),
    'BatchSvd': (
        'input:T',
        's:T u:T v:T',
        'compute_uv:bool=true full_matrices:bool=false T:type'),
    'BatchToSpace': (
        'input:T crops:Tidx',
        'output:T',
        'T:type block_size:int Tidx:type="DT_INT32"'),
    'BatchToSpaceND': (
        'input:T block_shape:Tblock_shape crops:Tcrops',
        'output:T',
        'T:type Tblock_shape:type="DT_INT32" Tcrops:type="DT_INT32"'),
    'BesselI0': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselI0e': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselI1': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselI1e': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselJ0': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselJ1': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselK0': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselK0e': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselK1': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselK1e': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselY0': (
        'x:T',
        'y:T',
        'T:type'),
    'BesselY1': (
        'x:T',
        'y:T',
        'T:type'),
    'Betainc': (
        'a:T b:T x:T',
        'z:T',
        'T:type'),
    'BiasAdd': (
        'value:T bias:T',
        'output:T',
        'T:type data_format:string="NHWC"'),
    'BiasAddGrad': (
        'out_backprop:T',
        'output:T',
        'T:type data_format:string="NHWC"'),
    'BiasAddV1': (
        'value:T bias:T',
        'output:T',
        'T:type'),
    'Binary': (
        'a:T b:T',
        'out:T',
        'T:type'),
    'Bincount': (
        'arr:DT_INT32 size:DT_INT32 weights:T',
        'bins:T',
        'T:type'),
    'Bitcast': (
        'input:T',
        'output:type',
        'T:type type:type'),
    'BitwiseAnd': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'BitwiseOr': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'BitwiseXor': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'BlockLSTM': (
        'seq_len_max:DT_INT64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T',
        'i:T cs:T f:T o:T ci:T co:T h:T',
        'forget_bias:float=1.0 cell_clip:float=3.0 use_peephole:bool=false T:type'),
    'BlockLSTMGrad': (
        'seq_len_max:DT_INT64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T h:T cs_grad:T h_grad:T',
        'x_grad:T cs_prev_grad:T h_prev_grad:T w_grad:T wci_grad:T wcf_grad:T wco_grad:T b_grad:T',
        'use_peephole:bool T:type'),
    'BlockLSTMGradV2': (
        'seq_len_max:DT_INT64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T h:T cs_grad:T h_grad:T',
        'x_grad:T cs_prev_grad:T h_prev_grad:T w_grad:T wci_grad:T wcf_grad:T wco_grad:T b_grad:T',
        'use_peephole:bool T:type'),
    'BlockLSTMV2': (
        'seq_len_max:DT_INT64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T',
        'i:T cs:T f:T o:T ci:T co:T h:T',
        'cell_clip:float=0.0 use_peephole:bool=false T:type'),
    'BoostedTreesAggregateStats': (
        'node_ids:DT_INT32 gradients:DT_FLOAT hessians:DT_FLOAT feature:DT_INT32',
        'stats_summary:DT_FLOAT',
        'max_splits:int num_buckets:int'),
    'BoostedTreesBucketize': (
        'float_values:num_features*DT_FLOAT bucket_boundaries:num_features*DT_FLOAT',
        'buckets:num_features*DT_INT32',
        'num_features:int'),
    'BoostedTreesCalculateBestFeatureSplit': (
        'node_id_range:DT_INT32 stats_summary:DT_FLOAT l1:DT_FLOAT l2:DT_FLOAT tree_complexity:DT_FLOAT min_node_weight:DT_FLOAT',
        'node_ids:DT_INT32 gains:DT_FLOAT feature_dimensions:DT_INT32 thresholds:DT_INT32 left_node_contribs:DT_FLOAT right_node_contribs:DT_FLOAT split_with_default_directions:DT_STRING',
        'logits_dimension:int split_type:string="inequality"'),
    'BoostedTreesCalculateBestFeatureSplitV2': (
        'node_id_range:DT_INT32 stats_summaries_list:num_features*DT_FLOAT split_types:DT_STRING candidate_feature_ids:DT_INT32 l1:DT_FLOAT l2:DT_FLOAT tree_complexity:DT_FLOAT min_node_weight:DT_FLOAT',
        'node_ids:DT_INT32 gains:DT_FLOAT feature_ids:DT_INT32 feature_dimensions:DT_INT32 thresholds:DT_INT32 left_node_contribs:DT_FLOAT right_node_contribs:DT_FLOAT split_with_default_directions:DT_STRING',
        'num_features:int logits_dimension:int'),
    'BoostedTreesCalculateBestGainsPerFeature': (
        'node_id_range:DT_INT32 stats_summary_list:num_features*DT_FLOAT l1:DT_FLOAT l2:DT_FLOAT tree_complexity:DT_FLOAT min_node_weight:DT_FLOAT',
        'node_ids_list:num_features*DT_INT32 gains_list:num_features*DT_FLOAT thresholds_list:num_features*DT_INT32 left_node_contribs_list:num_features*DT_FLOAT right_node_contribs_list:num_features*DT_FLOAT',
        'max_splits:int num_features:int'),
    'BoostedTreesCenterBias': (
        'tree_ensemble_handle:DT_RESOURCE mean_gradients:DT_FLOAT mean_hessians:DT_FLOAT l1:DT_FLOAT l2:DT_FLOAT',
        'continue_centering:DT_BOOL',
        ''),
    'BoostedTreesCreateEnsemble': (
        'tree_ensemble_handle:DT_RESOURCE stamp_token:DT_INT64 tree_ensemble_serialized:DT_STRING',
        '',
        ''),
    'BoostedTreesCreateQuantileStreamResource': (
        'quantile_stream_resource_handle:DT_RESOURCE epsilon:DT_FLOAT num_streams:DT_INT64',
        '',
        'max_elements:int=1099511627776'),
    'BoostedTreesDeserializeEnsemble': (
        'tree_ensemble_handle:DT_RESOURCE stamp_token:DT_INT64 tree_ensemble_serialized:DT_STRING',
        '',
        ''),
    'BoostedTreesEnsembleResourceHandleOp': (
        '',
        'resource:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'BoostedTreesExampleDebugOutputs': (
        'tree_ensemble_handle:DT_RESOURCE bucketized_features:num_bucketized_features*DT_INT32',
        'examples_debug_outputs_serialized:DT_STRING',
        'num_bucketized_features:int logits_dimension:int'),
    'BoostedTreesFlushQuantileSummaries': (
        'quantile_stream_resource_handle:DT_RESOURCE',
        'summaries:num_features*DT_FLOAT',
        'num_features:int'),
    'BoostedTreesGetEnsembleStates': (
        'tree_ensemble_handle:DT_RESOURCE',
        'stamp_token:DT_INT64 num_trees:DT_INT32 num_finalized_trees:DT_INT32 num_attempted_layers:DT_INT32 last_layer_nodes_range:DT_INT32',
        ''),
    'BoostedTreesMakeQuantileSummaries': (
        'float_values:num_features*DT_FLOAT example_weights:DT_FLOAT epsilon:DT_FLOAT',
        'summaries:num_features*DT_FLOAT',
        'num_features:int'),
    'BoostedTreesMakeStatsSummary': (
        'node_ids:DT_INT32 gradients:DT_FLOAT hessians:DT_FLOAT bucketized_features_list:num_features*DT_INT32',
        'stats_summary:DT_FLOAT',
        'max_splits:int num_buckets:int num_features:int'),
    'BoostedTreesPredict': (
        'tree_ensemble_handle:DT_RESOURCE bucketized_features:num_bucketized_features*DT_INT32',
        'logits:DT_FLOAT',
        'num_bucketized_features:int logits_dimension:int'),
    'BoostedTreesQuantileStreamResourceAddSummaries': (
        'quantile_stream_resource_handle:DT_RESOURCE summaries:num_features*DT_FLOAT',
        '',
        'num_features:int'),
    'BoostedTreesQuantileStreamResourceDeserialize': (
        'quantile_stream_resource_handle:DT_RESOURCE bucket_boundaries:num_streams*DT_FLOAT',
        '',
        'num_streams:int'),
    'BoostedTreesQuantileStreamResourceFlush': (
        'quantile_stream_resource_handle:DT_RESOURCE num_buckets:DT_INT64',
        '',
        'generate_quantiles:bool=false'),
    'BoostedTreesQuantileStreamResourceGetBucketBoundaries': (
        'quantile_stream_resource_handle:DT_RESOURCE',
        'bucket_boundaries:num_features*DT_FLOAT',
        'num_features:int'),
    'BoostedTreesQuantileStreamResourceHandleOp': (
        '',
        'resource:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'BoostedTreesSerializeEnsemble': (
        'tree_ensemble_handle:DT_RESOURCE',
        'stamp_token:DT_INT64 tree_ensemble_serialized:DT_STRING',
        ''),
    'BoostedTreesSparseAggregateStats': (
        'node_ids:DT_INT32 gradients:DT_FLOAT hessians:DT_FLOAT feature_indices:DT_INT32 feature_values:DT_INT32 feature_shape:DT_INT32',
        'stats_summary_indices:DT_INT32 stats_summary_values:DT_FLOAT stats_summary_shape:DT_INT32',
        'max_splits:int num_buckets:int'),
    'BoostedTreesSparseCalculateBestFeatureSplit': (
        'node_id_range:DT_INT32 stats_summary_indices:DT_INT32 stats_summary_values:DT_FLOAT stats_summary_shape:DT_INT32 l1:DT_FLOAT l2:DT_FLOAT tree_complexity:DT_FLOAT min_node_weight:DT_FLOAT',
        'node_ids:DT_INT32 gains:DT_FLOAT feature_dimensions:DT_INT32 thresholds:DT_INT32 left_node_contribs:DT_FLOAT right_node_contribs:DT_FLOAT split_with_default_directions:DT_STRING',
        'logits_dimension:int split_type:string="inequality"'),
    'BoostedTreesTrainingPredict': (
        'tree_ensemble_handle:DT_RESOURCE cached_tree_ids:DT_INT32 cached_node_ids:DT_INT32 bucketized_features:num_bucketized_features*DT_INT32',
        'partial_logits:DT_FLOAT tree_ids:DT_INT32 node_ids:DT_INT32',
        'num_bucketized_features:int logits_dimension:int'),
    'BoostedTreesUpdateEnsemble': (
        'tree_ensemble_handle:DT_RESOURCE feature_ids:DT_INT32 node_ids:num_features*DT_INT32 gains:num_features*DT_FLOAT thresholds:num_features*DT_INT32 left_node_contribs:num_features*DT_FLOAT right_node_contribs:num_features*DT_FLOAT max_depth:DT_INT32 learning_rate:DT_FLOAT',
        '',
        'pruning_mode:int num_features:int'),
    'BoostedTreesUpdateEnsembleV2': (
        'tree_ensemble_handle:DT_RESOURCE feature_ids:num_groups*DT_INT32 dimension_ids:num_features*DT_INT32 node_ids:num_features*DT_INT32 gains:num_features*DT_FLOAT thresholds:num_features*DT_INT32 left_node_contribs:num_features*DT_FLOAT right_node_contribs:num_features*DT_FLOAT split_types:num_features*DT_STRING max_depth:DT_INT32 learning_rate:DT_FLOAT pruning_mode:DT_INT32',
        '',
        'num_features:int logits_dimension:int=1 num_groups:int=1'),
    'BroadcastArgs': (
        's0:T s1:T',
        'r0:T',
        'T:type="DT_INT32"'),
    'BroadcastGradientArgs': (
        's0:T s1:T',
        'r0:T r1:T',
        'T:type="DT_INT32"'),
    'BroadcastTo': (
        'input:T shape:Tidx',
        'output:T',
        'T:type Tidx:type="DT_INT32"'),
    'Bucketize': (
        'input:T',
        'output:DT_INT32',
        'T:type boundaries:list(float)'),
    'BytesProducedStatsDataset': (
        'input_dataset:DT_VARIANT tag:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'CSRSparseMatrixComponents': (
        'csr_sparse_matrix:DT_VARIANT index:DT_INT32',
        'row_ptrs:DT_INT32 col_inds:DT_INT32 values:type',
        'type:type'),
    'CSRSparseMatrixToDense': (
        'sparse_input:DT_VARIANT',
        'dense_output:type',
        'type:type'),
    'CSRSparseMatrixToSparseTensor': (
        'sparse_matrix:DT_VARIANT',
        'indices:DT_INT64 values:type dense_shape:DT_INT64',
        'type:type'),
    'CSVDataset': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64 header:DT_BOOL field_delim:DT_STRING use_quote_delim:DT_BOOL na_value:DT_STRING select_cols:DT_INT64 record_defaults:*output_types',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'CSVDatasetV2': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64 header:DT_BOOL field_delim:DT_STRING use_quote_delim:DT_BOOL na_value:DT_STRING select_cols:DT_INT64 record_defaults:*output_types exclude_cols:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'CTCBeamSearchDecoder': (
        'inputs:T sequence_length:DT_INT32',
        'decoded_indices:top_paths*DT_INT64 decoded_values:top_paths*DT_INT64 decoded_shape:top_paths*DT_INT64 log_probability:T',
        'beam_width:int top_paths:int merge_repeated:bool=true T:type="DT_FLOAT"'),
    'CTCGreedyDecoder': (
        'inputs:T sequence_length:DT_INT32',
        'decoded_indices:DT_INT64 decoded_values:DT_INT64 decoded_shape:DT_INT64 log_probability:T',
        'merge_repeated:bool=false blank_index:int=-1 T:type="DT_FLOAT"'),
    'CTCLoss': (
        'inputs:T labels_indices:DT_INT64 labels_values:DT_INT32 sequence_length:DT_INT32',
        'loss:T gradient:T',
        'preprocess_collapse_repeated:bool=false ctc_merge_repeated:bool=true ignore_longer_outputs_than_inputs:bool=false T:type="DT_FLOAT"'),
    'CTCLossV2': (
        'inputs:DT_FLOAT labels_indices:DT_INT64 labels_values:DT_INT32 sequence_length:DT_INT32',
        'loss:DT_FLOAT gradient:DT_FLOAT',
        'preprocess_collapse_repeated:bool=false ctc_merge_repeated:bool=true ignore_longer_outputs_than_inputs:bool=false'),
    'CacheDataset': (
        'input_dataset:DT_VARIANT filename:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'CacheDatasetV2': (
        'input_dataset:DT_VARIANT filename:DT_STRING cache:DT_RESOURCE',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'CalibrationStatisticsSaver': (
        'args:*Tin',
        '',
        'Tin:list(type) ids:list(string) calibration_methods:list(int) output_file_path:string'),
    'Case': (
        'branch_index:DT_INT32 input:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) branches:list(func) output_shapes:list(shape)=[]'),
    'Cast': (
        'x:SrcT',
        'y:DstT',
        'SrcT:type DstT:type Truncate:bool=false'),
    'Ceil': (
        'x:T',
        'y:T',
        'T:type'),
    'CheckNumerics': (
        'tensor:T',
        'output:T',
        'T:type message:string'),
    'CheckNumericsV2': (
        'tensor:T',
        'output:T',
        'T:type message:string'),
    'CheckPinned': (
        'tensor:T',
        'output:T',
        'T:type'),
    'Cholesky': (
        'input:T',
        'output:T',
        'T:type'),
    'CholeskyGrad': (
        'l:T grad:T',
        'output:T',
        'T:type'),
    'ChooseFastestBranchDataset': (
        'input_dataset:DT_VARIANT ratio_numerator:DT_INT64 ratio_denominator:DT_INT64 other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'Targuments:list(type) num_elements_per_branch:int branches:list(func) other_arguments_lengths:list(int) output_types:list(type) output_shapes:list(shape)'),
    'ChooseFastestDataset': (
        'input_datasets:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'N:int num_experiments:int output_types:list(type) output_shapes:list(shape)'),
    'ClipByValue': (
        't:T clip_value_min:T clip_value_max:T',
        'output:T',
        'T:type'),
    'CloseSummaryWriter': (
        'writer:DT_RESOURCE',
        '',
        ''),
    'CollateTPUEmbeddingMemory': (
        'memory_configs:N*DT_STRING',
        'merged_memory_config:DT_STRING',
        'N:int'),
    'CollectiveAllToAllV2': (
        'input:T group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32 ordering_token:Nordering_token*DT_RESOURCE',
        'data:T',
        'T:type communication_hint:string="auto" timeout_seconds:float=0.0 is_stateless:bool=false Nordering_token:int=0'),
    'CollectiveAllToAllV3': (
        'input:T communicator:DT_RESOURCE group_assignment:DT_INT32',
        'data:T',
        'T:type timeout_seconds:float=0.0'),
    'CollectiveAssignGroupV2': (
        'group_assignment:DT_INT32 device_index:DT_INT32 base_key:DT_INT32',
        'group_size:DT_INT32 group_key:DT_INT32',
        ''),
    'CollectiveBcastRecv': (
        '',
        'data:T',
        'T:type group_size:int group_key:int instance_key:int shape:shape communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveBcastRecvV2': (
        'group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32 shape:Tshape',
        'data:T',
        'T:type Tshape:type="DT_INT32" communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveBcastSend': (
        'input:T',
        'data:T',
        'T:type group_size:int group_key:int instance_key:int shape:shape communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveBcastSendV2': (
        'input:T group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32',
        'data:T',
        'T:type communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveGather': (
        'input:T',
        'data:T',
        'T:type group_size:int group_key:int instance_key:int shape:shape communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveGatherV2': (
        'input:T group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32 ordering_token:Nordering_token*DT_RESOURCE',
        'data:T',
        'T:type communication_hint:string="auto" timeout_seconds:float=0.0 is_stateless:bool=false Nordering_token:int=0'),
    'CollectiveInitializeCommunicator': (
        'group_key:DT_INT32 rank:DT_INT32 group_size:DT_INT32',
        'communicator:DT_RESOURCE',
        'communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectivePermute': (
        'input:T source_target_pairs:DT_INT32',
        'output:T',
        'T:type'),
    'CollectiveReduce': (
        'input:T',
        'data:T',
        'T:type group_size:int group_key:int instance_key:int merge_op:string final_op:string subdiv_offsets:list(int) wait_for:list(int)=[] communication_hint:string="auto" timeout_seconds:float=0.0'),
    'CollectiveReduceScatterV2': (
        'input:T group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32 ordering_token:Nordering_token*DT_RESOURCE',
        'data:T',
        'T:type merge_op:string final_op:string communication_hint:string="auto" timeout_seconds:float=0.0 is_stateless:bool=false Nordering_token:int=0 max_subdivs_per_device:int=-1'),
    'CollectiveReduceV2': (
        'input:T group_size:DT_INT32 group_key:DT_INT32 instance_key:DT_INT32 ordering_token:Nordering_token*DT_RESOURCE',
        'data:T',
        'T:type merge_op:string final_op:string communication_hint:string="auto" timeout_seconds:float=0.0 is_stateless:bool=false Nordering_token:int=0 max_subdivs_per_device:int=-1'),
    'CollectiveReduceV3': (
        'input:T communicator:DT_RESOURCE group_assignment:DT_INT32',
        'data:T',
        'T:type reduction:string timeout_seconds:float=0.0'),
    'CombinedNonMaxSuppression': (
        'boxes:DT_FLOAT scores:DT_FLOAT max_output_size_per_class:DT_INT32 max_total_size:DT_INT32 iou_threshold:DT_FLOAT score_threshold:DT_FLOAT',
        'nmsed_boxes:DT_FLOAT nmsed_scores:DT_FLOAT nmsed_classes:DT_FLOAT valid_detections:DT_INT32',
        'pad_per_class:bool=false clip_boxes:bool=true'),
    'Complex': (
        'real:T imag:T',
        'out:Tout',
        'T:type="DT_FLOAT" Tout:type="DT_COMPLEX64"'),
    'ComplexAbs': (
        'x:T',
        'y:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'ComplexStruct': (
        '',
        'a:n_a*DT_INT32 b:n_b*DT_INT64 c:*t_c',
        'n_a:int n_b:int t_c:list(type)'),
    'CompositeTensorVariantFromComponents': (
        'components:*Tcomponents',
        'encoded:DT_VARIANT',
        'metadata:string Tcomponents:list(type)'),
    'CompositeTensorVariantToComponents': (
        'encoded:DT_VARIANT',
        'components:*Tcomponents',
        'metadata:string Tcomponents:list(type)'),
    'CompressElement': (
        'components:*input_types',
        'compressed:DT_VARIANT',
        'input_types:list(type)'),
    'ComputeAccidentalHits': (
        'true_classes:DT_INT64 sampled_candidates:DT_INT64',
        'indices:DT_INT32 ids:DT_INT64 weights:DT_FLOAT',
        'num_true:int seed:int=0 seed2:int=0'),
    'ComputeBatchSize': (
        'input_dataset:DT_VARIANT',
        'batch_size:DT_INT64',
        ''),
    'ComputeDedupDataSize': (
        '',
        'num_elements:DT_INT32',
        'config:string'),
    'ComputeDedupDataSizeV2': (
        '',
        'num_elements:DT_INT32',
        'config:string embedding_partitions:string hbm_buffers_config:string tpu_topology:string'),
    'ComputeDedupDataTupleMask': (
        '',
        'output_shape:DT_INT32',
        'config:string'),
    'ComputeDedupDataTupleMaskV2': (
        '',
        'output_shape:DT_INT32',
        'config:string embedding_partitions:string hbm_buffers_config:string tpu_topology:string'),
    'Concat': (
        'concat_dim:DT_INT32 values:N*T',
        'output:T',
        'N:int T:type'),
    'ConcatOffset': (
        'concat_dim:DT_INT32 shape:N*shape_type',
        'offset:N*shape_type',
        'N:int shape_type:type="DT_INT32"'),
    'ConcatV2': (
        'values:N*T axis:Tidx',
        'output:T',
        'N:int T:type Tidx:type="DT_INT32"'),
    'ConcatenateDataset': (
        'input_dataset:DT_VARIANT another_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ConditionalAccumulator': (
        '',
        '&handle:DT_STRING',
        'dtype:type shape:shape container:string="" shared_name:string="" reduction_type:string="MEAN"'),
    'ConfigureAndInitializeGlobalTPU': (
        '',
        'output:DT_INT32',
        'use_tfrt_host_runtime:bool=true'),
    'ConfigureDistributedTPU': (
        '',
        'topology:DT_STRING',
        'embedding_config:string="" tpu_embedding_config:string="" is_global_init:bool=false enable_whole_mesh_compilations:bool=false compilation_failure_closes_chips:bool=true tpu_cancellation_closes_chips:int=0'),
    'ConfigureTPUEmbedding': (
        '',
        '',
        'config:string'),
    'ConfigureTPUEmbeddingHost': (
        'common_config:DT_STRING memory_config:DT_STRING',
        'network_config:DT_STRING',
        'config:string'),
    'ConfigureTPUEmbeddingMemory': (
        'common_config:DT_STRING',
        'memory_config:DT_STRING',
        ''),
    'Conj': (
        'input:T',
        'output:T',
        'T:type="DT_COMPLEX64"'),
    'ConjugateTranspose': (
        'x:T perm:Tperm',
        'y:T',
        'T:type Tperm:type="DT_INT32"'),
    'ConnectTPUEmbeddingHosts': (
        'network_configs:N*DT_STRING',
        '',
        'N:int'),
    'Const': (
        '',
        'output:dtype',
        'value:tensor dtype:type'),
    'ConstructionFails': (
        '',
        '',
        ''),
    'ConsumeMutexLock': (
        'mutex_lock:DT_VARIANT',
        '',
        ''),
    'ControlTrigger': (
        '',
        '',
        ''),
    'Conv': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="CHANNELS_LAST" dilations:list(int)=[] batch_dims:int=1 groups:int=1'),
    'Conv2D': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) use_cudnn_on_gpu:bool=true padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Conv2DBackpropFilter': (
        'input:T filter_sizes:DT_INT32 out_backprop:T',
        'output:T',
        'T:type strides:list(int) use_cudnn_on_gpu:bool=true padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Conv2DBackpropFilterV2': (
        'input:T filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) use_cudnn_on_gpu:bool=true padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Conv2DBackpropInput': (
        'input_sizes:DT_INT32 filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) use_cudnn_on_gpu:bool=true padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Conv2DBackpropInputV2': (
        'input:T filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) use_cudnn_on_gpu:bool=true padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Conv3D': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) padding:string data_format:string="NDHWC" dilations:list(int)=[1,1,1,1,1]'),
    'Conv3DBackpropFilter': (
        'input:T filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string dilations:list(int)=[1,1,1,1,1]'),
    'Conv3DBackpropFilterV2': (
        'input:T filter_sizes:DT_INT32 out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string data_format:string="NDHWC" dilations:list(int)=[1,1,1,1,1]'),
    'Conv3DBackpropInput': (
        'input:T filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string dilations:list(int)=[1,1,1,1,1]'),
    'Conv3DBackpropInputV2': (
        'input_sizes:Tshape filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string data_format:string="NDHWC" dilations:list(int)=[1,1,1,1,1] Tshape:type="DT_INT32"'),
    'ConvertToCooTensor': (
        'indices_or_row_splits:DT_INT32 values:DT_INT32 weights:DT_FLOAT',
        'row_ids:DT_INT32 col_ids:DT_INT32 gains:DT_FLOAT',
        'sample_count:int combiner:string'),
    'ConvertToListOfSparseCoreCooTensors': (
        'indices_or_row_splits:DT_INT32 values:DT_INT32 weights:DT_FLOAT',
        'row_ids_list:num_sc_per_chip*DT_INT32 col_ids_list:num_sc_per_chip*DT_INT32 gains_list:num_sc_per_chip*DT_FLOAT',
        'sample_count:int num_sc_per_chip:int row_offset:int col_offset:int col_shift:int num_sc_shards:int stacked_table_sample_count:int combiner:string'),
    'ConvertToSparseCoreCsrWrappedCooTensor': (
        'sorted_row_ids_list:num_sc_per_chip*DT_INT32 sorted_col_ids_list:num_sc_per_chip*DT_INT32 sorted_gains_list:num_sc_per_chip*DT_FLOAT id_counts_list:num_sc_per_chip*DT_INT32 splits:DT_INT64',
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT row_pointers_unpadded_size:DT_INT32 ids_unpadded_size:DT_INT32 num_minibatches_per_sc:DT_INT32',
        'sample_count_per_sc:int num_replica:int max_minibatches_per_sc:int max_ids_per_chip_per_sample:int table_vocab_size:int feature_width:int num_sc_per_chip:int table_name:string allow_id_dropping:bool'),
    'Copy': (
        'input:T',
        'output:T',
        'T:type tensor_name:string="" debug_ops_spec:list(string)=[]'),
    'CopyHost': (
        'input:T',
        'output:T',
        'T:type tensor_name:string="" debug_ops_spec:list(string)=[]'),
    'CopyOp': (
        'a:T',
        'b:T',
        'T:type'),
    'CopyToMesh': (
        'input:T',
        'output:T',
        'mesh:string T:type'),
    'CopyToMeshGrad': (
        'input:T forward_input:T',
        'output:T',
        'T:type'),
    'Cos': (
        'x:T',
        'y:T',
        'T:type'),
    'Cosh': (
        'x:T',
        'y:T',
        'T:type'),
    'CountUpTo': (
        '&ref:T',
        'output:T',
        'limit:int T:type'),
    'CreateSummaryDbWriter': (
        'writer:DT_RESOURCE db_uri:DT_STRING experiment_name:DT_STRING run_name:DT_STRING user_name:DT_STRING',
        '',
        ''),
    'CreateSummaryFileWriter': (
        'writer:DT_RESOURCE logdir:DT_STRING max_queue:DT_INT32 flush_millis:DT_INT32 filename_suffix:DT_STRING',
        '',
        ''),
    'CropAndResize': (
        'image:T boxes:DT_FLOAT box_ind:DT_INT32 crop_size:DT_INT32',
        'crops:DT_FLOAT',
        'T:type method:string="bilinear" extrapolation_value:float=0.0'),
    'CropAndResizeGradBoxes': (
        'grads:DT_FLOAT image:T boxes:DT_FLOAT box_ind:DT_INT32',
        'output:DT_FLOAT',
        'T:type method:string="bilinear"'),
    'CropAndResizeGradImage': (
        'grads:DT_FLOAT boxes:DT_FLOAT box_ind:DT_INT32 image_size:DT_INT32',
        'output:T',
        'T:type method:string="bilinear"'),
    'Cross': (
        'a:T b:T',
        'product:T',
        'T:type'),
    'CrossReplicaSum': (
        'input:T group_assignment:DT_INT32',
        'output:T',
        'T:type'),
    'CudnnRNN': (
        'input:T input_h:T input_c:T params:T',
        'output:T output_h:T output_c:T reserve_space:T',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 is_training:bool=true'),
    'CudnnRNNBackprop': (
        'input:T input_h:T input_c:T params:T output:T output_h:T output_c:T output_backprop:T output_h_backprop:T output_c_backprop:T reserve_space:T',
        'input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0'),
    'CudnnRNNBackpropV2': (
        'input:T input_h:T input_c:T params:T output:T output_h:T output_c:T output_backprop:T output_h_backprop:T output_c_backprop:T reserve_space:T host_reserved:DT_INT8',
        'input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0'),
    'CudnnRNNBackpropV3': (
        'input:T input_h:T input_c:T params:T sequence_lengths:DT_INT32 output:T output_h:T output_c:T output_backprop:T output_h_backprop:T output_c_backprop:T reserve_space:T host_reserved:DT_INT8',
        'input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 num_proj:int=0 time_major:bool=true'),
    'CudnnRNNCanonicalToParams': (
        'num_layers:DT_INT32 num_units:DT_INT32 input_size:DT_INT32 weights:num_params*T biases:num_params*T',
        'params:T',
        'T:type num_params:int rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0'),
    'CudnnRNNCanonicalToParamsV2': (
        'num_layers:DT_INT32 num_units:DT_INT32 input_size:DT_INT32 weights:num_params_weights*T biases:num_params_biases*T',
        'params:T',
        'T:type num_params_weights:int num_params_biases:int rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 num_proj:int=0'),
    'CudnnRNNParamsSize': (
        'num_layers:DT_INT32 num_units:DT_INT32 input_size:DT_INT32',
        'params_size:S',
        'T:type S:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 num_proj:int=0'),
    'CudnnRNNParamsToCanonical': (
        'num_layers:DT_INT32 num_units:DT_INT32 input_size:DT_INT32 params:T',
        'weights:num_params*T biases:num_params*T',
        'T:type num_params:int rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0'),
    'CudnnRNNParamsToCanonicalV2': (
        'num_layers:DT_INT32 num_units:DT_INT32 input_size:DT_INT32 params:T',
        'weights:num_params_weights*T biases:num_params_biases*T',
        'T:type num_params_weights:int num_params_biases:int rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 num_proj:int=0'),
    'CudnnRNNV2': (
        'input:T input_h:T input_c:T params:T',
        'output:T output_h:T output_c:T reserve_space:T host_reserved:DT_INT8',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 is_training:bool=true'),
    'CudnnRNNV3': (
        'input:T input_h:T input_c:T params:T sequence_lengths:DT_INT32',
        'output:T output_h:T output_c:T reserve_space:T host_reserved:DT_INT8',
        'T:type rnn_mode:string="lstm" input_mode:string="linear_input" direction:string="unidirectional" dropout:float=0.0 seed:int=0 seed2:int=0 num_proj:int=0 is_training:bool=true time_major:bool=true'),
    'Cumprod': (
        'x:T axis:Tidx',
        'out:T',
        'exclusive:bool=false reverse:bool=false T:type Tidx:type="DT_INT32"'),
    'Cumsum': (
        'x:T axis:Tidx',
        'out:T',
        'exclusive:bool=false reverse:bool=false T:type Tidx:type="DT_INT32"'),
    'CumulativeLogsumexp': (
        'x:T axis:Tidx',
        'out:T',
        'exclusive:bool=false reverse:bool=false T:type Tidx:type="DT_INT32"'),
    'CustomAggregator': (
        'input:DT_FLOAT',
        'output:DT_FLOAT min:DT_FLOAT max:DT_FLOAT histogram:DT_INT64',
        'id:string calibration_method:int=0 num_bins:int=0 min_percentile:float=0.0 max_percentile:float=0.0'),
    'DTensorAllGather': (
        'input:T',
        'output:T',
        'T:type input_layout:string output_layout:string'),
    'DTensorAllReduce': (
        'input:T group_assignment:DT_INT32',
        'output:T',
        'T:type reduce_op:string device_type:string'),
    'DTensorAllScatter': (
        'input:T',
        'output:T',
        'T:type input_layout:string output_layout:string'),
    'DTensorAllToAll': (
        'input:T',
        'output:T',
        'T:type input_layout:string output_layout:string'),
    'DTensorReduceScatter': (
        'input:T group_assignment:DT_INT32 scatter_dimension:DT_INT32',
        'output:T',
        'T:type reduce_op:string device_type:string'),
    'DTensorRestoreV2': (
        'prefix:DT_STRING tensor_names:DT_STRING shape_and_slices:DT_STRING',
        'tensors:*dtypes',
        'input_shapes:list(shape) input_layouts:list(string) dtypes:list(type)'),
    'DTensorSetGlobalTPUArray': (
        'topology:DT_STRING',
        '',
        ''),
    'DataFormatDimMap': (
        'x:T',
        'y:T',
        'T:type="DT_INT32" src_format:string="NHWC" dst_format:string="NCHW"'),
    'DataFormatVecPermute': (
        'x:T',
        'y:T',
        'T:type="DT_INT32" src_format:string="NHWC" dst_format:string="NCHW"'),
    'DataServiceDataset': (
        'dataset_id:DT_INT64 processing_mode:DT_STRING address:DT_STRING protocol:DT_STRING job_name:DT_STRING max_outstanding_requests:DT_INT64 iteration_counter:DT_RESOURCE',
        'handle:DT_VARIANT',
        'task_refresh_interval_hint_ms:int=-1 output_types:list(type) output_shapes:list(shape) data_transfer_protocol:string="" target_workers:string="AUTO" cross_trainer_cache_options:string=""'),
    'DataServiceDatasetV2': (
        'dataset_id:DT_INT64 processing_mode:DT_STRING address:DT_STRING protocol:DT_STRING job_name:DT_STRING consumer_index:DT_INT64 num_consumers:DT_INT64 max_outstanding_requests:DT_INT64 iteration_counter:DT_RESOURCE',
        'handle:DT_VARIANT',
        'task_refresh_interval_hint_ms:int=-1 output_types:list(type) output_shapes:list(shape) data_transfer_protocol:string="" target_workers:string="AUTO" cross_trainer_cache_options:string=""'),
    'DataServiceDatasetV3': (
        'dataset_id:DT_INT64 processing_mode:DT_STRING address:DT_STRING protocol:DT_STRING job_name:DT_STRING consumer_index:DT_INT64 num_consumers:DT_INT64 max_outstanding_requests:DT_INT64 iteration_counter:DT_RESOURCE',
        'handle:DT_VARIANT',
        'task_refresh_interval_hint_ms:int=-1 output_types:list(type) output_shapes:list(shape) data_transfer_protocol:string="" target_workers:string="AUTO" uncompress:bool=false uncompress_fn:func cross_trainer_cache_options:string=""'),
    'DataServiceDatasetV4': (
        'dataset_id:DT_STRING processing_mode:DT_STRING address:DT_STRING protocol:DT_STRING job_name:DT_STRING consumer_index:DT_INT64 num_consumers:DT_INT64 max_outstanding_requests:DT_INT64 iteration_counter:DT_RESOURCE',
        'handle:DT_VARIANT',
        'task_refresh_interval_hint_ms:int=-1 output_types:list(type) output_shapes:list(shape) data_transfer_protocol:string="" target_workers:string="AUTO" uncompress:bool=false uncompress_fn:func cross_trainer_cache_options:string=""'),
    'DatasetCardinality': (
        'input_dataset:DT_VARIANT',
        'cardinality:DT_INT64',
        'cardinality_options:string=""'),
    'DatasetFingerprint': (
        'input_dataset:DT_VARIANT',
        'fingerprint:DT_UINT64',
        ''),
    'DatasetFromGraph': (
        'graph_def:DT_STRING',
        'handle:DT_VARIANT',
        ''),
    'DatasetToGraph': (
        'input_dataset:DT_VARIANT',
        'graph:DT_STRING',
        'stateful_whitelist:list(string)=[] allow_stateful:bool=false strip_device_assignment:bool=false'),
    'DatasetToGraphV2': (
        'input_dataset:DT_VARIANT',
        'graph:DT_STRING',
        'external_state_policy:int=0 strip_device_assignment:bool=false'),
    'DatasetToSingleElement': (
        'dataset:DT_VARIANT',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'DatasetToTFRecord': (
        'input_dataset:DT_VARIANT filename:DT_STRING compression_type:DT_STRING',
        '',
        ''),
    'Dawsn': (
        'x:T',
        'y:T',
        'T:type'),
    'DebugGradientIdentity': (
        'input:T',
        'output:T',
        'T:type'),
    'DebugGradientRefIdentity': (
        '&input:T',
        '&output:T',
        'T:type'),
    'DebugIdentity': (
        'input:T',
        'output:T',
        'T:type device_name:string="" tensor_name:string="" debug_urls:list(string)=[] gated_grpc:bool=false'),
    'DebugIdentityV2': (
        'input:T',
        'output:T',
        'T:type tfdbg_context_id:string="" op_name:string="" output_slot:int=-1 tensor_debug_mode:int=-1 debug_urls:list(string)=[] circular_buffer_size:int=1000 tfdbg_run_id:string=""'),
    'DebugIdentityV3': (
        'input:T',
        'output:T',
        'T:type device_name:string="" tensor_name:string="" io_of_node:string="" is_input:bool=false io_index:int=-1 debug_urls:list(string)=[] gated_grpc:bool=false'),
    'DebugNanCount': (
        'input:T',
        'output:DT_INT64',
        'T:type device_name:string="" tensor_name:string="" debug_urls:list(string)=[] gated_grpc:bool=false'),
    'DebugNumericSummary': (
        'input:T',
        'output:DT_DOUBLE',
        'T:type device_name:string="" tensor_name:string="" debug_urls:list(string)=[] lower_bound:float=-Infinity upper_bound:float=Infinity mute_if_healthy:bool=false gated_grpc:bool=false'),
    'DebugNumericSummaryV2': (
        'input:T',
        'output:output_dtype',
        'output_dtype:type="DT_FLOAT" T:type tensor_debug_mode:int=-1 tensor_id:int=-1'),
    'DecodeAndCropJpeg': (
        'contents:DT_STRING crop_window:DT_INT32',
        'image:DT_UINT8',
        'channels:int=0 ratio:int=1 fancy_upscaling:bool=true try_recover_truncated:bool=false acceptable_fraction:float=1.0 dct_method:string=""'),
    'DecodeBase64': (
        'input:DT_STRING',
        'output:DT_STRING',
        ''),
    'DecodeBmp': (
        'contents:DT_STRING',
        'image:DT_UINT8',
        'channels:int=0'),
    'DecodeCSV': (
        'records:DT_STRING record_defaults:*OUT_TYPE',
        'output:*OUT_TYPE',
        'OUT_TYPE:list(type) field_delim:string="," use_quote_delim:bool=true na_value:string="" select_cols:list(int)=[]'),
    'DecodeCompressed': (
        'bytes:DT_STRING',
        'output:DT_STRING',
        'compression_type:string=""'),
    'DecodeGif': (
        'contents:DT_STRING',
        'image:DT_UINT8',
        ''),
    'DecodeImage': (
        'contents:DT_STRING',
        'image:dtype',
        'channels:int=0 dtype:type="DT_UINT8" expand_animations:bool=true'),
    'DecodeJSONExample': (
        'json_examples:DT_STRING',
        'binary_examples:DT_STRING',
        ''),
    'DecodeJpeg': (
        'contents:DT_STRING',
        'image:DT_UINT8',
        'channels:int=0 ratio:int=1 fancy_upscaling:bool=true try_recover_truncated:bool=false acceptable_fraction:float=1.0 dct_method:string=""'),
    'DecodeJxl': (
        'contents:DT_STRING',
        'image:dtype',
        'channels:int=0 dtype:type="DT_UINT8"'),
    'DecodePaddedRaw': (
        'input_bytes:DT_STRING fixed_length:DT_INT32',
        'output:out_type',
        'out_type:type little_endian:bool=true'),
    'DecodePng': (
        'contents:DT_STRING',
        'image:dtype',
        'channels:int=0 dtype:type="DT_UINT8"'),
    'DecodeProtoV2': (
        'bytes:DT_STRING',
        'sizes:DT_INT32 values:*output_types',
        'message_type:string field_names:list(string) output_types:list(type) descriptor_source:string="local://" message_format:string="binary" sanitize:bool=false'),
    'DecodeRaw': (
        'bytes:DT_STRING',
        'output:out_type',
        'out_type:type little_endian:bool=true'),
    'DecodeWav': (
        'contents:DT_STRING',
        'audio:DT_FLOAT sample_rate:DT_INT32',
        'desired_channels:int=-1 desired_samples:int=-1'),
    'DecodeWebP': (
        'contents:DT_STRING',
        'image:dtype',
        'channels:int=0 dtype:type="DT_UINT8"'),
    'DeepCopy': (
        'x:T',
        'y:T',
        'T:type'),
    'DefaultAttrs': (
        '',
        '',
        'string_val:string="abc" string_list_val:list(string)=["abc",""] int_val:int=123 int_list_val:list(int)=[1,2,3] float_val:float=10.0 float_list_val:list(float)=[10.0] bool_val:bool=true bool_list_val:list(bool)=[true,false] type_val:type="DT_INT32" type_list_val:list(type)=["DT_INT32","DT_FLOAT"] shape_val:shape=[2,1] shape_list_val:list(shape)=[[],[1]] tensor_val:tensor=null tensor_list_val:list(tensor)=[]'),
    'DeleteIterator': (
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        '',
        ''),
    'DeleteMemoryCache': (
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        '',
        ''),
    'DeleteMultiDeviceIterator': (
        'multi_device_iterator:DT_RESOURCE iterators:N*DT_RESOURCE deleter:DT_VARIANT',
        '',
        'N:int'),
    'DeleteRandomSeedGenerator': (
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        '',
        ''),
    'DeleteRpcFutureResource': (
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        '',
        ''),
    'DeleteSeedGenerator': (
        'handle:DT_RESOURCE deleter:DT_VARIANT',
        '',
        ''),
    'DeleteSessionTensor': (
        'handle:DT_STRING',
        '',
        ''),
    'DenseBincount': (
        'input:Tidx size:Tidx weights:T',
        'output:T',
        'Tidx:type T:type binary_output:bool=false'),
    'DenseCountSparseOutput': (
        'values:T weights:output_type',
        'output_indices:DT_INT64 output_values:output_type output_dense_shape:DT_INT64',
        'T:type minlength:int=-1 maxlength:int=-1 binary_output:bool output_type:type'),
    'DenseToCSRSparseMatrix': (
        'dense_input:T indices:DT_INT64',
        'sparse_output:DT_VARIANT',
        'T:type'),
    'DenseToDenseSetOperation': (
        'set1:T set2:T',
        'result_indices:DT_INT64 result_values:T result_shape:DT_INT64',
        'set_operation:string validate_indices:bool=true T:type'),
    'DenseToSparseBatchDataset': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 row_shape:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'DenseToSparseSetOperation': (
        'set1:T set2_indices:DT_INT64 set2_values:T set2_shape:DT_INT64',
        'result_indices:DT_INT64 result_values:T result_shape:DT_INT64',
        'set_operation:string validate_indices:bool=true T:type'),
    'DepthToSpace': (
        'input:T',
        'output:T',
        'T:type block_size:int data_format:string="NHWC"'),
    'DepthwiseConv2dNative': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'DepthwiseConv2dNativeBackpropFilter': (
        'input:T filter_sizes:DT_INT32 out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'DepthwiseConv2dNativeBackpropInput': (
        'input_sizes:DT_INT32 filter:T out_backprop:T',
        'output:T',
        'T:type strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'Dequantize': (
        'input:T min_range:DT_FLOAT max_range:DT_FLOAT',
        'output:dtype',
        'T:type mode:string="MIN_COMBINED" narrow_range:bool=false axis:int=-1 dtype:type="DT_FLOAT"'),
    'DeserializeIterator': (
        'resource_handle:DT_RESOURCE serialized:DT_VARIANT',
        '',
        ''),
    'DeserializeManySparse': (
        'serialized_sparse:DT_STRING',
        'sparse_indices:DT_INT64 sparse_values:dtype sparse_shape:DT_INT64',
        'dtype:type'),
    'DeserializeSparse': (
        'serialized_sparse:Tserialized',
        'sparse_indices:DT_INT64 sparse_values:dtype sparse_shape:DT_INT64',
        'dtype:type Tserialized:type="DT_STRING"'),
    'DestroyResourceOp': (
        'resource:DT_RESOURCE',
        '',
        'ignore_lookup_error:bool=true'),
    'DestroyTemporaryVariable': (
        '&ref:T',
        'value:T',
        'T:type var_name:string'),
    'DeviceIndex': (
        '',
        'index:DT_INT32',
        'device_names:list(string)'),
    'DevicePlacementOp': (
        '',
        'device:DT_STRING',
        ''),
    'Diag': (
        'diagonal:T',
        'output:T',
        'T:type'),
    'DiagPart': (
        'input:T',
        'diagonal:T',
        'T:type'),
    'Digamma': (
        'x:T',
        'y:T',
        'T:type'),
    'Dilation2D': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) rates:list(int) padding:string'),
    'Dilation2DBackpropFilter': (
        'input:T filter:T out_backprop:T',
        'filter_backprop:T',
        'T:type strides:list(int) rates:list(int) padding:string'),
    'Dilation2DBackpropInput': (
        'input:T filter:T out_backprop:T',
        'in_backprop:T',
        'T:type strides:list(int) rates:list(int) padding:string'),
    'DirectedInterleaveDataset': (
        'selector_input_dataset:DT_VARIANT data_input_datasets:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) N:int stop_on_empty_dataset:bool=false'),
    'DisableCopyOnRead': (
        'resource:DT_RESOURCE',
        '',
        ''),
    'DistributedSave': (
        'dataset:DT_VARIANT directory:DT_STRING address:DT_STRING',
        '',
        'metadata:string=""'),
    'Div': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'DivNoNan': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'DrawBoundingBoxes': (
        'images:T boxes:DT_FLOAT',
        'output:T',
        'T:type="DT_FLOAT"'),
    'DrawBoundingBoxesV2': (
        'images:T boxes:DT_FLOAT colors:DT_FLOAT',
        'output:T',
        'T:type="DT_FLOAT"'),
    'DtypeWithDefaultOp': (
        'in:T',
        'dtype:DT_STRING',
        'T:type="DT_UINT8"'),
    'DummyIterationCounter': (
        '',
        'handle:DT_RESOURCE',
        ''),
    'DummyMemoryCache': (
        '',
        'handle:DT_RESOURCE',
        ''),
    'DummySeedGenerator': (
        '',
        'handle:DT_RESOURCE',
        ''),
    'DumpTensor': (
        'tensor_data:T',
        '',
        'log_dir_path:string file_name:string T:type enabled:bool func_name:string node_name:string'),
    'DynamicEnqueueTPUEmbeddingArbitraryTensorBatch': (
        'sample_indices_or_row_splits:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING device_ordinal:DT_INT32',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int combiners:list(string)=[]'),
    'DynamicEnqueueTPUEmbeddingRaggedTensorBatch': (
        'sample_splits:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING device_ordinal:DT_INT32',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int combiners:list(string)=[] table_ids:list(int) max_sequence_lengths:list(int)=[] num_features:list(int)=[]'),
    'DynamicPartition': (
        'data:T partitions:DT_INT32',
        'outputs:num_partitions*T',
        'num_partitions:int T:type'),
    'DynamicStitch': (
        'indices:N*DT_INT32 data:N*T',
        'merged:T',
        'N:int T:type'),
    'EagerPyFunc': (
        'input:*Tin',
        'output:*Tout',
        'token:string is_async:bool=false Tin:list(type) Tout:list(type)'),
    'EditDistance': (
        'hypothesis_indices:DT_INT64 hypothesis_values:T hypothesis_shape:DT_INT64 truth_indices:DT_INT64 truth_values:T truth_shape:DT_INT64',
        'output:DT_FLOAT',
        'normalize:bool=true T:type'),
    'Eig': (
        'input:T',
        'e:Tout v:Tout',
        'compute_v:bool=true T:type Tout:type'),
    'Einsum': (
        'inputs:N*T',
        'output:T',
        'equation:string N:int T:type'),
    'Elu': (
        'features:T',
        'activations:T',
        'T:type'),
    'EluGrad': (
        'gradients:T outputs:T',
        'backprops:T',
        'T:type'),
    'Empty': (
        'shape:DT_INT32',
        'output:dtype',
        'dtype:type init:bool=false'),
    'EmptyTensorList': (
        'element_shape:shape_type max_num_elements:DT_INT32',
        'handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'EmptyTensorMap': (
        '',
        'handle:DT_VARIANT',
        ''),
    'EncodeBase64': (
        'input:DT_STRING',
        'output:DT_STRING',
        'pad:bool=false'),
    'EncodeJpeg': (
        'image:DT_UINT8',
        'contents:DT_STRING',
        'format:string="" quality:int=95 progressive:bool=false optimize_size:bool=false chroma_downsampling:bool=true density_unit:string="in" x_density:int=300 y_density:int=300 xmp_metadata:string=""'),
    'EncodeJpegVariableQuality': (
        'images:DT_UINT8 quality:DT_INT32',
        'contents:DT_STRING',
        ''),
    'EncodePng': (
        'image:T',
        'contents:DT_STRING',
        'compression:int=-1 T:type="DT_UINT8"'),
    'EncodeProto': (
        'sizes:DT_INT32 values:*Tinput_types',
        'bytes:DT_STRING',
        'field_names:list(string) message_type:string descriptor_source:string="local://" Tinput_types:list(type)'),
    'EncodeWav': (
        'audio:DT_FLOAT sample_rate:DT_INT32',
        'contents:DT_STRING',
        ''),
    'EnqueueTPUEmbeddingArbitraryTensorBatch': (
        'sample_indices_or_row_splits:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int device_ordinal:int=-1 combiners:list(string)=[]'),
    'EnqueueTPUEmbeddingBatch': (
        'batch:N*DT_STRING mode_override:DT_STRING',
        '',
        'N:int device_ordinal:int=-1 combiners:list(string)=[]'),
    'EnqueueTPUEmbeddingIntegerBatch': (
        'batch:N*DT_INT32 mode_override:DT_STRING',
        '',
        'N:int device_ordinal:int=-1'),
    'EnqueueTPUEmbeddingRaggedTensorBatch': (
        'sample_splits:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int device_ordinal:int=-1 combiners:list(string)=[] table_ids:list(int) max_sequence_lengths:list(int)=[] num_features:list(int)=[]'),
    'EnqueueTPUEmbeddingSparseBatch': (
        'sample_indices:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int device_ordinal:int=-1 combiners:list(string)=[]'),
    'EnqueueTPUEmbeddingSparseTensorBatch': (
        'sample_indices:N*T1 embedding_indices:N*T2 aggregation_weights:N*T3 mode_override:DT_STRING',
        '',
        'T1:type="DT_INT32" T2:type="DT_INT32" T3:type="DT_FLOAT" N:int device_ordinal:int=-1 combiners:list(string)=[] table_ids:list(int) max_sequence_lengths:list(int)=[] num_features:list(int)=[]'),
    'EnsureShape': (
        'input:T',
        'output:T',
        'shape:shape T:type'),
    'Enter': (
        'data:T',
        'output:T',
        'T:type frame_name:string is_constant:bool=false parallel_iterations:int=10'),
    'Equal': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type incompatible_shape_error:bool=true'),
    'Erf': (
        'x:T',
        'y:T',
        'T:type'),
    'Erfc': (
        'x:T',
        'y:T',
        'T:type'),
    'Erfinv': (
        'x:T',
        'y:T',
        'T:type'),
    'EuclideanNorm': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'ExecuteTPUEmbeddingPartitioner': (
        '',
        'common_config:DT_STRING',
        'config:string'),
    'Exit': (
        'data:T',
        'output:T',
        'T:type'),
    'Exp': (
        'x:T',
        'y:T',
        'T:type'),
    'ExpandDims': (
        'input:T dim:Tdim',
        'output:T',
        'T:type Tdim:type="DT_INT32"'),
    'ExperimentalAssertNextDataset': (
        'input_dataset:DT_VARIANT transformations:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalAutoShardDataset': (
        'input_dataset:DT_VARIANT num_workers:DT_INT64 index:DT_INT64',
        'handle:DT_VARIANT',
        'auto_shard_policy:int=0 output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalBytesProducedStatsDataset': (
        'input_dataset:DT_VARIANT tag:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalCSVDataset': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64 header:DT_BOOL field_delim:DT_STRING use_quote_delim:DT_BOOL na_value:DT_STRING select_cols:DT_INT64 record_defaults:*output_types',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalChooseFastestDataset': (
        'input_datasets:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'N:int num_experiments:int output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalDatasetCardinality': (
        'input_dataset:DT_VARIANT',
        'cardinality:DT_INT64',
        ''),
    'ExperimentalDatasetToTFRecord': (
        'input_dataset:DT_VARIANT filename:DT_STRING compression_type:DT_STRING',
        '',
        ''),
    'ExperimentalDenseToSparseBatchDataset': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 row_shape:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalDirectedInterleaveDataset': (
        'selector_input_dataset:DT_VARIANT data_input_datasets:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) N:int'),
    'ExperimentalGroupByReducerDataset': (
        'input_dataset:DT_VARIANT key_func_other_arguments:*Tkey_func_other_arguments init_func_other_arguments:*Tinit_func_other_arguments reduce_func_other_arguments:*Treduce_func_other_arguments finalize_func_other_arguments:*Tfinalize_func_other_arguments',
        'handle:DT_VARIANT',
        'key_func:func init_func:func reduce_func:func finalize_func:func Tkey_func_other_arguments:list(type) Tinit_func_other_arguments:list(type) Treduce_func_other_arguments:list(type) Tfinalize_func_other_arguments:list(type) output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalGroupByWindowDataset': (
        'input_dataset:DT_VARIANT key_func_other_arguments:*Tkey_func_other_arguments reduce_func_other_arguments:*Treduce_func_other_arguments window_size_func_other_arguments:*Twindow_size_func_other_arguments',
        'handle:DT_VARIANT',
        'key_func:func reduce_func:func window_size_func:func Tkey_func_other_arguments:list(type) Treduce_func_other_arguments:list(type) Twindow_size_func_other_arguments:list(type) output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalIgnoreErrorsDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) log_warning:bool=false'),
    'ExperimentalIteratorGetDevice': (
        'resource:DT_RESOURCE',
        'device:DT_STRING',
        ''),
    'ExperimentalLMDBDataset': (
        'filenames:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalLatencyStatsDataset': (
        'input_dataset:DT_VARIANT tag:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalMapAndBatchDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments batch_size:DT_INT64 num_parallel_calls:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) preserve_cardinality:bool=false'),
    'ExperimentalMapDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) use_inter_op_parallelism:bool=true preserve_cardinality:bool=false force_synchronous:bool=false'),
    'ExperimentalMatchingFilesDataset': (
        'patterns:DT_STRING',
        'handle:DT_VARIANT',
        ''),
    'ExperimentalMaxIntraOpParallelismDataset': (
        'input_dataset:DT_VARIANT max_intra_op_parallelism:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalNonSerializableDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalParallelInterleaveDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 sloppy:DT_BOOL buffer_output_elements:DT_INT64 prefetch_input_elements:DT_INT64',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalParseExampleDataset': (
        'input_dataset:DT_VARIANT num_parallel_calls:DT_INT64 dense_defaults:*Tdense',
        'handle:DT_VARIANT',
        'sparse_keys:list(string) dense_keys:list(string) sparse_types:list(type) Tdense:list(type) dense_shapes:list(shape) output_types:list(type) output_shapes:list(shape) sloppy:bool=false'),
    'ExperimentalPrivateThreadPoolDataset': (
        'input_dataset:DT_VARIANT num_threads:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalRandomDataset': (
        'seed:DT_INT64 seed2:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalRebatchDataset': (
        'input_dataset:DT_VARIANT num_replicas:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) use_fallback:bool=true'),
    'ExperimentalScanDataset': (
        'input_dataset:DT_VARIANT initial_state:*Tstate other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'f:func Tstate:list(type) Targuments:list(type) output_types:list(type) output_shapes:list(shape) preserve_cardinality:bool=false'),
    'ExperimentalSetStatsAggregatorDataset': (
        'input_dataset:DT_VARIANT stats_aggregator:DT_RESOURCE tag:DT_STRING counter_prefix:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalSleepDataset': (
        'input_dataset:DT_VARIANT sleep_microseconds:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalSlidingWindowDataset': (
        'input_dataset:DT_VARIANT window_size:DT_INT64 window_shift:DT_INT64 window_stride:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalSqlDataset': (
        'driver_name:DT_STRING data_source_name:DT_STRING query:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalStatsAggregatorHandle': (
        '',
        'handle:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'ExperimentalStatsAggregatorSummary': (
        'iterator:DT_RESOURCE',
        'summary:DT_STRING',
        ''),
    'ExperimentalTakeWhileDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'predicate:func Targuments:list(type) output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalThreadPoolDataset': (
        'input_dataset:DT_VARIANT thread_pool:DT_RESOURCE',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalThreadPoolHandle': (
        '',
        'handle:DT_RESOURCE',
        'num_threads:int max_intra_op_parallelism:int=1 display_name:string container:string="" shared_name:string=""'),
    'ExperimentalUnbatchDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ExperimentalUniqueDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Expint': (
        'x:T',
        'y:T',
        'T:type'),
    'Expm1': (
        'x:T',
        'y:T',
        'T:type'),
    'ExtractGlimpse': (
        'input:DT_FLOAT size:DT_INT32 offsets:DT_FLOAT',
        'glimpse:DT_FLOAT',
        'centered:bool=true normalized:bool=true uniform_noise:bool=true noise:string="uniform"'),
    'ExtractGlimpseV2': (
        'input:DT_FLOAT size:DT_INT32 offsets:DT_FLOAT',
        'glimpse:DT_FLOAT',
        'centered:bool=true normalized:bool=true uniform_noise:bool=true noise:string="uniform"'),
    'ExtractImagePatches': (
        'images:T',
        'patches:T',
        'ksizes:list(int) strides:list(int) rates:list(int) T:type padding:string'),
    'ExtractJpegShape': (
        'contents:DT_STRING',
        'image_shape:output_type',
        'output_type:type="DT_INT32"'),
    'ExtractVolumePatches': (
        'input:T',
        'patches:T',
        'ksizes:list(int) strides:list(int) T:type padding:string'),
    'FFT': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'FFT2D': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'FFT3D': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'FFTND': (
        'input:Tcomplex fft_length:DT_INT32 axes:DT_INT32',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'FIFOQueue': (
        '',
        '&handle:DT_STRING',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 container:string="" shared_name:string=""'),
    'FIFOQueueV2': (
        '',
        'handle:DT_RESOURCE',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 container:string="" shared_name:string=""'),
    'Fact': (
        '',
        'fact:DT_STRING',
        ''),
    'FakeParam': (
        '',
        'output:dtype',
        'dtype:type shape:shape'),
    'FakeQuantWithMinMaxArgs': (
        'inputs:DT_FLOAT',
        'outputs:DT_FLOAT',
        'min:float=-6.0 max:float=6.0 num_bits:int=8 narrow_range:bool=false'),
    'FakeQuantWithMinMaxArgsGradient': (
        'gradients:DT_FLOAT inputs:DT_FLOAT',
        'backprops:DT_FLOAT',
        'min:float=-6.0 max:float=6.0 num_bits:int=8 narrow_range:bool=false'),
    'FakeQuantWithMinMaxVars': (
        'inputs:DT_FLOAT min:DT_FLOAT max:DT_FLOAT',
        'outputs:DT_FLOAT',
        'num_bits:int=8 narrow_range:bool=false'),
    'FakeQuantWithMinMaxVarsGradient': (
        'gradients:DT_FLOAT inputs:DT_FLOAT min:DT_FLOAT max:DT_FLOAT',
        'backprops_wrt_input:DT_FLOAT backprop_wrt_min:DT_FLOAT backprop_wrt_max:DT_FLOAT',
        'num_bits:int=8 narrow_range:bool=false'),
    'FakeQuantWithMinMaxVarsPerChannel': (
        'inputs:DT_FLOAT min:DT_FLOAT max:DT_FLOAT',
        'outputs:DT_FLOAT',
        'num_bits:int=8 narrow_range:bool=false'),
    'FakeQuantWithMinMaxVarsPerChannelGradient': (
        'gradients:DT_FLOAT inputs:DT_FLOAT min:DT_FLOAT max:DT_FLOAT',
        'backprops_wrt_input:DT_FLOAT backprop_wrt_min:DT_FLOAT backprop_wrt_max:DT_FLOAT',
        'num_bits:int=8 narrow_range:bool=false'),
    'FakeQueue': (
        'resource:DT_RESOURCE',
        '&handle:DT_STRING',
        ''),
    'FileSystemSetConfiguration': (
        'scheme:DT_STRING key:DT_STRING value:DT_STRING',
        '',
        ''),
    'Fill': (
        'dims:index_type value:T',
        'output:T',
        'T:type index_type:type="DT_INT32"'),
    'FilterByLastComponentDataset': (
        'input_dataset:DT_VARIANT',
        'output:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'FilterDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'predicate:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'FinalizeDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'has_captured_ref:bool=false output_types:list(type) output_shapes:list(shape)'),
    'FinalizeTPUEmbedding': (
        'common_config:DT_STRING memory_config:DT_STRING',
        '',
        ''),
    'FinalizeTPUEmbeddingV2': (
        'common_config:DT_STRING memory_config:DT_STRING',
        'embedding_partitions:DT_STRING hbm_buffers_config:DT_STRING',
        ''),
    'Fingerprint': (
        'data:T method:DT_STRING',
        'fingerprint:DT_UINT8',
        'T:type'),
    'FiveFloatOutputs': (
        '',
        'a:DT_FLOAT b:DT_FLOAT c:DT_FLOAT d:DT_FLOAT e:DT_FLOAT',
        ''),
    'FixedLengthRecordDataset': (
        'filenames:DT_STRING header_bytes:DT_INT64 record_bytes:DT_INT64 footer_bytes:DT_INT64 buffer_size:DT_INT64',
        'handle:DT_VARIANT',
        'metadata:string=""'),
    'FixedLengthRecordDatasetV2': (
        'filenames:DT_STRING header_bytes:DT_INT64 record_bytes:DT_INT64 footer_bytes:DT_INT64 buffer_size:DT_INT64 compression_type:DT_STRING',
        'handle:DT_VARIANT',
        'metadata:string=""'),
    'FixedLengthRecordReader': (
        '',
        '&reader_handle:DT_STRING',
        'header_bytes:int=0 record_bytes:int footer_bytes:int=0 hop_bytes:int=0 container:string="" shared_name:string=""'),
    'FixedLengthRecordReaderV2': (
        '',
        'reader_handle:DT_RESOURCE',
        'header_bytes:int=0 record_bytes:int footer_bytes:int=0 hop_bytes:int=0 container:string="" shared_name:string="" encoding:string=""'),
    'FixedUnigramCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool range_max:int vocab_file:string="" distortion:float=1.0 num_reserved_ids:int=0 num_shards:int=1 shard:int=0 unigrams:list(float)=[] seed:int=0 seed2:int=0'),
    'FlatMapDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'FloatInput': (
        'a:DT_FLOAT',
        '',
        ''),
    'FloatOutput': (
        '',
        'a:DT_FLOAT',
        ''),
    'FloatOutputStringOutput': (
        '',
        'a:DT_FLOAT b:DT_STRING',
        ''),
    'Floor': (
        'x:T',
        'y:T',
        'T:type'),
    'FloorDiv': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'FloorMod': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'FlushSummaryWriter': (
        'writer:DT_RESOURCE',
        '',
        ''),
    'Foo1': (
        'a:DT_FLOAT b:DT_INT32 c:DT_INT32',
        'd:DT_FLOAT e:DT_INT32',
        ''),
    'Foo2': (
        'a:DT_FLOAT b:DT_STRING c:DT_STRING',
        'd:DT_FLOAT e:DT_INT32',
        ''),
    'Foo3': (
        'a:DT_FLOAT b:DT_STRING c:DT_FLOAT',
        'd:DT_FLOAT e:DT_INT32',
        ''),
    'For': (
        'start:DT_INT32 limit:DT_INT32 delta:DT_INT32 input:*T',
        'output:*T',
        'T:list(type) body:func'),
    'FractionalAvgPool': (
        'value:T',
        'output:T row_pooling_sequence:DT_INT64 col_pooling_sequence:DT_INT64',
        'pooling_ratio:list(float) pseudo_random:bool=false overlapping:bool=false deterministic:bool=false seed:int=0 seed2:int=0 T:type'),
    'FractionalAvgPoolGrad': (
        'orig_input_tensor_shape:DT_INT64 out_backprop:T row_pooling_sequence:DT_INT64 col_pooling_sequence:DT_INT64',
        'output:T',
        'overlapping:bool=false T:type'),
    'FractionalMaxPool': (
        'value:T',
        'output:T row_pooling_sequence:DT_INT64 col_pooling_sequence:DT_INT64',
        'pooling_ratio:list(float) pseudo_random:bool=false overlapping:bool=false deterministic:bool=false seed:int=0 seed2:int=0 T:type'),
    'FractionalMaxPoolGrad': (
        'orig_input:T orig_output:T out_backprop:T row_pooling_sequence:DT_INT64 col_pooling_sequence:DT_INT64',
        'output:T',
        'overlapping:bool=false T:type'),
    'FresnelCos': (
        'x:T',
        'y:T',
        'T:type'),
    'FresnelSin': (
        'x:T',
        'y:T',
        'T:type'),
    'FuncAttr': (
        '',
        '',
        'f:func'),
    'FuncListAttr': (
        '',
        '',
        'f:list(func)'),
    'FusedBatchNorm': (
        'x:T scale:T offset:T mean:T variance:T',
        'y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T',
        'T:type epsilon:float=9.999999747378752e-05 exponential_avg_factor:float=1.0 data_format:string="NHWC" is_training:bool=true'),
    'FusedBatchNormGrad': (
        'y_backprop:T x:T scale:T reserve_space_1:T reserve_space_2:T',
        'x_backprop:T scale_backprop:T offset_backprop:T reserve_space_3:T reserve_space_4:T',
        'T:type epsilon:float=9.999999747378752e-05 data_format:string="NHWC" is_training:bool=true'),
    'FusedBatchNormGradV2': (
        'y_backprop:T x:T scale:DT_FLOAT reserve_space_1:U reserve_space_2:U',
        'x_backprop:T scale_backprop:U offset_backprop:U reserve_space_3:U reserve_space_4:U',
        'T:type U:type epsilon:float=9.999999747378752e-05 data_format:string="NHWC" is_training:bool=true'),
    'FusedBatchNormGradV3': (
        'y_backprop:T x:T scale:DT_FLOAT reserve_space_1:U reserve_space_2:U reserve_space_3:U',
        'x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U',
        'T:type U:type epsilon:float=9.999999747378752e-05 data_format:string="NHWC" is_training:bool=true'),
    'FusedBatchNormV2': (
        'x:T scale:U offset:U mean:U variance:U',
        'y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U',
        'T:type U:type epsilon:float=9.999999747378752e-05 exponential_avg_factor:float=1.0 data_format:string="NHWC" is_training:bool=true'),
    'FusedBatchNormV3': (
        'x:T scale:U offset:U mean:U variance:U',
        'y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U',
        'T:type U:type epsilon:float=9.999999747378752e-05 exponential_avg_factor:float=1.0 data_format:string="NHWC" is_training:bool=true'),
    'FusedPadConv2D': (
        'input:T paddings:DT_INT32 filter:T',
        'output:T',
        'T:type mode:string strides:list(int) padding:string'),
    'FusedResizeAndPadConv2D': (
        'input:T size:DT_INT32 paddings:DT_INT32 filter:T',
        'output:T',
        'T:type resize_align_corners:bool=false mode:string strides:list(int) padding:string'),
    'GRUBlockCell': (
        'x:T h_prev:T w_ru:T w_c:T b_ru:T b_c:T',
        'r:T u:T c:T h:T',
        'T:type'),
    'GRUBlockCellGrad': (
        'x:T h_prev:T w_ru:T w_c:T b_ru:T b_c:T r:T u:T c:T d_h:T',
        'd_x:T d_h_prev:T d_c_bar:T d_r_bar_u_bar:T',
        'T:type'),
    'Gather': (
        'params:Tparams indices:Tindices',
        'output:Tparams',
        'validate_indices:bool=true Tparams:type Tindices:type'),
    'GatherNd': (
        'params:Tparams indices:Tindices',
        'output:Tparams',
        'Tparams:type Tindices:type bad_indices_policy:string=""'),
    'GatherV2': (
        'params:Tparams indices:Tindices axis:Taxis',
        'output:Tparams',
        'batch_dims:int=0 Tparams:type Tindices:type Taxis:type'),
    'GenerateBoundingBoxProposals': (
        'scores:DT_FLOAT bbox_deltas:DT_FLOAT image_info:DT_FLOAT anchors:DT_FLOAT nms_threshold:DT_FLOAT pre_nms_topn:DT_INT32 min_size:DT_FLOAT',
        'rois:DT_FLOAT roi_probabilities:DT_FLOAT',
        'post_nms_topn:int=300'),
    'GenerateVocabRemapping': (
        'new_vocab_file:DT_STRING old_vocab_file:DT_STRING',
        'remapping:DT_INT64 num_present:DT_INT32',
        'new_vocab_offset:int num_new_vocab:int old_vocab_size:int=-1'),
    'GeneratorDataset': (
        'init_func_other_args:*Tinit_func_args next_func_other_args:*Tnext_func_args finalize_func_other_args:*Tfinalize_func_args',
        'handle:DT_VARIANT',
        'init_func:func next_func:func finalize_func:func Tinit_func_args:list(type) Tnext_func_args:list(type) Tfinalize_func_args:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'GetDeadline': (
        '',
        'deadline_from_epoch_micros:DT_INT64',
        ''),
    'GetElementAtIndex': (
        'dataset:DT_VARIANT index:DT_INT64',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'GetMinibatchSplitsWithPhysicalReplica': (
        'program_key:DT_STRING row_ids:DT_INT32 col_ids:DT_INT32 gains:DT_FLOAT',
        'sorted_row_ids:DT_INT32 sorted_col_ids:DT_INT32 sorted_gains:DT_FLOAT splits:DT_INT64 id_counts:DT_INT32 max_ids:DT_INT32 max_uniques:DT_INT32',
        'sample_count:int num_replica:int table_vocab_size:int feature_width:int num_sc_per_chip:int table_name:string mini_batch_splits:string'),
    'GetMinibatchesInCsrWithPhysicalReplica': (
        'program_key:DT_STRING row_ids:DT_INT32 col_ids:DT_INT32 gains:DT_FLOAT splits:DT_INT64 id_counts:DT_INT32',
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT row_pointers_unpadded_size:DT_INT32 ids_unpadded_size:DT_INT32 num_minibatches_per_physical_sparse_core:DT_INT32',
        'sample_count:int num_replica:int max_minibatches_per_sc:int max_ids_per_chip_per_sample:int table_vocab_size:int feature_width:int num_sc_per_chip:int table_name:string mini_batch_in_csr:string'),
    'GetOptions': (
        'input_dataset:DT_VARIANT',
        'serialized_options:DT_STRING',
        ''),
    'GetSessionHandle': (
        'value:T',
        'handle:DT_STRING',
        'T:type'),
    'GetSessionHandleV2': (
        'value:T',
        'handle:DT_RESOURCE',
        'T:type'),
    'GetSessionTensor': (
        'handle:DT_STRING',
        'value:dtype',
        'dtype:type'),
    'GetStatsFromListOfSparseCoreCooTensors': (
        'row_ids_list:N*DT_INT32 col_ids_list:N*DT_INT32 gains_list:N*DT_FLOAT',
        'max_ids_per_sparse_core:DT_INT32 max_unique_ids_per_sparse_core:DT_INT32',
        'sample_count_list:list(int) col_offset_list:list(int) num_replica:int table_vocab_size:int feature_width:int num_sc_per_chip:int table_name:string N:int'),
    'GetTpuTaskId': (
        '',
        'tpu_task_id:DT_INT32',
        ''),
    'GlobalIterId': (
        '',
        'iter_id:DT_INT64',
        ''),
    'GlobalShuffleDataset': (
        'input_dataset:DT_VARIANT seed:DT_INT64 seed2:DT_INT64 seed_generator:DT_RESOURCE',
        'handle:DT_VARIANT',
        'reshuffle_each_iteration:bool=true output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'GraphDefVersion': (
        '',
        'version:DT_INT32',
        ''),
    'Greater': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type'),
    'GreaterEqual': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type'),
    'GroupByReducerDataset': (
        'input_dataset:DT_VARIANT key_func_other_arguments:*Tkey_func_other_arguments init_func_other_arguments:*Tinit_func_other_arguments reduce_func_other_arguments:*Treduce_func_other_arguments finalize_func_other_arguments:*Tfinalize_func_other_arguments',
        'handle:DT_VARIANT',
        'key_func:func init_func:func reduce_func:func finalize_func:func Tkey_func_other_arguments:list(type) Tinit_func_other_arguments:list(type) Treduce_func_other_arguments:list(type) Tfinalize_func_other_arguments:list(type) output_types:list(type) output_shapes:list(shape)'),
    'GroupByWindowDataset': (
        'input_dataset:DT_VARIANT key_func_other_arguments:*Tkey_func_other_arguments reduce_func_other_arguments:*Treduce_func_other_arguments window_size_func_other_arguments:*Twindow_size_func_other_arguments',
        'handle:DT_VARIANT',
        'key_func:func reduce_func:func window_size_func:func Tkey_func_other_arguments:list(type) Treduce_func_other_arguments:list(type) Twindow_size_func_other_arguments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'GuaranteeConst': (
        'input:T',
        'output:T',
        'T:type'),
    'HSVToRGB': (
        'images:T',
        'output:T',
        'T:type="DT_FLOAT"'),
    'HashTable': (
        '',
        '&table_handle:DT_STRING',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type'),
    'HashTableV2': (
        '',
        'table_handle:DT_RESOURCE',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type'),
    'HistogramFixedWidth': (
        'values:T value_range:T nbins:DT_INT32',
        'out:dtype',
        'T:type dtype:type="DT_INT32"'),
    'HistogramSummary': (
        'tag:DT_STRING values:T',
        'summary:DT_STRING',
        'T:type="DT_FLOAT"'),
    'HostConst': (
        '',
        'output:dtype',
        'value:tensor dtype:type'),
    'IFFT': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'IFFT2D': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'IFFT3D': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'IFFTND': (
        'input:Tcomplex fft_length:DT_INT32 axes:DT_INT32',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'IRFFT': (
        'input:Tcomplex fft_length:DT_INT32',
        'output:Treal',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'IRFFT2D': (
        'input:Tcomplex fft_length:DT_INT32',
        'output:Treal',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'IRFFT3D': (
        'input:Tcomplex fft_length:DT_INT32',
        'output:Treal',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'IRFFTND': (
        'input:Tcomplex fft_length:DT_INT32 axes:DT_INT32',
        'output:Treal',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'Identity': (
        'input:T',
        'output:T',
        'T:type'),
    'IdentityN': (
        'input:*T',
        'output:*T',
        'T:list(type)'),
    'IdentityReader': (
        '',
        '&reader_handle:DT_STRING',
        'container:string="" shared_name:string=""'),
    'IdentityReaderV2': (
        '',
        'reader_handle:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'If': (
        'cond:Tcond input:*Tin',
        'output:*Tout',
        'Tcond:type Tin:list(type) Tout:list(type) then_branch:func else_branch:func output_shapes:list(shape)=[]'),
    'Igamma': (
        'a:T x:T',
        'z:T',
        'T:type'),
    'IgammaGradA': (
        'a:T x:T',
        'z:T',
        'T:type'),
    'Igammac': (
        'a:T x:T',
        'z:T',
        'T:type'),
    'IgnoreErrorsDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) log_warning:bool=false'),
    'Imag': (
        'input:T',
        'output:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'ImageProjectiveTransformV2': (
        'images:dtype transforms:DT_FLOAT output_shape:DT_INT32',
        'transformed_images:dtype',
        'dtype:type interpolation:string fill_mode:string="CONSTANT"'),
    'ImageProjectiveTransformV3': (
        'images:dtype transforms:DT_FLOAT output_shape:DT_INT32 fill_value:DT_FLOAT',
        'transformed_images:dtype',
        'dtype:type interpolation:string fill_mode:string="CONSTANT"'),
    'ImageSummary': (
        'tag:DT_STRING tensor:T',
        'summary:DT_STRING',
        'max_images:int=3 T:type="DT_FLOAT" bad_color:tensor=null'),
    'ImmutableConst': (
        '',
        'tensor:dtype',
        'dtype:type shape:shape memory_region_name:string'),
    'ImportEvent': (
        'writer:DT_RESOURCE event:DT_STRING',
        '',
        ''),
    'InPolymorphicTwice': (
        'a:N*T b:M*T',
        '',
        'T:type="DT_INT32" N:int M:int'),
    'InTopK': (
        'predictions:DT_FLOAT targets:T',
        'precision:DT_BOOL',
        'k:int T:type="DT_INT32"'),
    'InTopKV2': (
        'predictions:DT_FLOAT targets:T k:T',
        'precision:DT_BOOL',
        'T:type="DT_INT32"'),
    'IndexFlatMapDataset': (
        'input_dataset:DT_VARIANT map_func_other_args:*Tmap_func_args index_map_func_other_args:*Tindex_map_func_args output_cardinality:DT_INT64',
        'handle:DT_VARIANT',
        'map_func:func index_map_func:func Tmap_func_args:list(type) Tindex_map_func_args:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'InfeedDequeue': (
        '',
        'output:dtype',
        'dtype:type shape:shape'),
    'InfeedDequeueTuple': (
        '',
        'outputs:*dtypes',
        'dtypes:list(type) shapes:list(shape)'),
    'InfeedEnqueue': (
        'input:dtype',
        '',
        'dtype:type shape:shape=[] layout:list(int)=[] device_ordinal:int=-1'),
    'InfeedEnqueuePrelinearizedBuffer': (
        'input:DT_VARIANT',
        '',
        'device_ordinal:int=-1'),
    'InfeedEnqueueTuple': (
        'inputs:*dtypes',
        '',
        'dtypes:list(type) shapes:list(shape) layouts:list(int)=[] device_ordinal:int=-1'),
    'InitializeTable': (
        '&table_handle:DT_STRING keys:Tkey values:Tval',
        '',
        'Tkey:type Tval:type'),
    'InitializeTableFromDataset': (
        'table_handle:DT_RESOURCE dataset:DT_VARIANT',
        '',
        ''),
    'InitializeTableFromTextFile': (
        '&table_handle:DT_STRING filename:DT_STRING',
        '',
        'key_index:int value_index:int vocab_size:int=-1 delimiter:string="\\t" offset:int=0'),
    'InitializeTableFromTextFileV2': (
        'table_handle:DT_RESOURCE filename:DT_STRING',
        '',
        'key_index:int value_index:int vocab_size:int=-1 delimiter:string="\\t" offset:int=0'),
    'InitializeTableV2': (
        'table_handle:DT_RESOURCE keys:Tkey values:Tval',
        '',
        'Tkey:type Tval:type'),
    'InplaceAdd': (
        'x:T i:DT_INT32 v:T',
        'y:T',
        'T:type'),
    'InplaceSub': (
        'x:T i:DT_INT32 v:T',
        'y:T',
        'T:type'),
    'InplaceUpdate': (
        'x:T i:DT_INT32 v:T',
        'y:T',
        'T:type'),
    'Int64Output': (
        '',
        'out:DT_INT64',
        ''),
    'IntAttr': (
        '',
        'out:DT_INT64',
        'foo:int=1'),
    'IntInput': (
        'a:DT_INT32',
        '',
        ''),
    'IntInputFloatInput': (
        'a:DT_INT32 b:DT_FLOAT',
        '',
        ''),
    'IntInputIntOutput': (
        'a:DT_INT32',
        'b:DT_INT32',
        ''),
    'IntOutput': (
        '',
        'a:DT_INT32',
        ''),
    'IntOutputFloatOutput': (
        '',
        'a:DT_INT32 b:DT_FLOAT',
        ''),
    'InterleaveDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'Inv': (
        'x:T',
        'y:T',
        'T:type'),
    'InvGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'Invert': (
        'x:T',
        'y:T',
        'T:type'),
    'InvertPermutation': (
        'x:T',
        'y:T',
        'T:type="DT_INT32"'),
    'IsBoostedTreesEnsembleInitialized': (
        'tree_ensemble_handle:DT_RESOURCE',
        'is_initialized:DT_BOOL',
        ''),
    'IsBoostedTreesQuantileStreamResourceInitialized': (
        'quantile_stream_resource_handle:DT_RESOURCE',
        'is_initialized:DT_BOOL',
        ''),
    'IsFinite': (
        'x:T',
        'y:DT_BOOL',
        'T:type'),
    'IsInf': (
        'x:T',
        'y:DT_BOOL',
        'T:type'),
    'IsNan': (
        'x:T',
        'y:DT_BOOL',
        'T:type'),
    'IsResourceHandleRefCounting': (
        'handle:DT_RESOURCE',
        'result:DT_BOOL',
        ''),
    'IsTPUEmbeddingInitialized': (
        '',
        'is_tpu_embedding_initialized:DT_BOOL',
        'config:string=""'),
    'IsTensorFloat32Enabled': (
        '',
        'enabled:DT_BOOL',
        ''),
    'IsVariableInitialized': (
        '&ref:dtype',
        'is_initialized:DT_BOOL',
        'dtype:type'),
    'IsotonicRegression': (
        'input:T',
        'output:output_dtype segments:DT_INT32',
        'T:type output_dtype:type="DT_FLOAT"'),
    'Iterator': (
        '',
        'handle:DT_RESOURCE',
        'shared_name:string container:string output_types:list(type) output_shapes:list(shape)'),
    'IteratorFromStringHandle': (
        'string_handle:DT_STRING',
        'resource_handle:DT_RESOURCE',
        'output_types:list(type)=[] output_shapes:list(shape)=[]'),
    'IteratorFromStringHandleV2': (
        'string_handle:DT_STRING',
        'resource_handle:DT_RESOURCE',
        'output_types:list(type)=[] output_shapes:list(shape)=[]'),
    'IteratorGetDevice': (
        'resource:DT_RESOURCE',
        'device:DT_STRING',
        ''),
    'IteratorGetModelProto': (
        'iterator:DT_RESOURCE',
        'model_proto:DT_STRING',
        ''),
    'IteratorGetNext': (
        'iterator:DT_RESOURCE',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'IteratorGetNextAsOptional': (
        'iterator:DT_RESOURCE',
        'optional:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'IteratorGetNextSync': (
        'iterator:DT_RESOURCE',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'IteratorToStringHandle': (
        'resource_handle:DT_RESOURCE',
        'string_handle:DT_STRING',
        ''),
    'IteratorV2': (
        '',
        'handle:DT_RESOURCE',
        'shared_name:string container:string output_types:list(type) output_shapes:list(shape)'),
    'KMC2ChainInitialization': (
        'distances:DT_FLOAT seed:DT_INT64',
        'index:DT_INT64',
        ''),
    'KernelLabel': (
        '',
        'result:DT_STRING',
        ''),
    'KernelLabelRequired': (
        'input:DT_INT32',
        'result:DT_STRING',
        ''),
    'KmeansPlusPlusInitialization': (
        'points:DT_FLOAT num_to_sample:DT_INT64 seed:DT_INT64 num_retries_per_sample:DT_INT64',
        'samples:DT_FLOAT',
        ''),
    'KthOrderStatistic': (
        'input:DT_FLOAT',
        'output:DT_FLOAT',
        'k:int'),
    'L2Loss': (
        't:T',
        'output:T',
        'T:type'),
    'LMDBDataset': (
        'filenames:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'LMDBReader': (
        '',
        '&reader_handle:DT_STRING',
        'container:string="" shared_name:string=""'),
    'LRN': (
        'input:T',
        'output:T',
        'depth_radius:int=5 bias:float=1.0 alpha:float=1.0 beta:float=0.5 T:type="DT_FLOAT"'),
    'LRNGrad': (
        'input_grads:T input_image:T output_image:T',
        'output:T',
        'depth_radius:int=5 bias:float=1.0 alpha:float=1.0 beta:float=0.5 T:type="DT_FLOAT"'),
    'LSTMBlockCell': (
        'x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T',
        'i:T cs:T f:T o:T ci:T co:T h:T',
        'forget_bias:float=1.0 cell_clip:float=3.0 use_peephole:bool=false T:type'),
    'LSTMBlockCellGrad': (
        'x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T cs_grad:T h_grad:T',
        'cs_prev_grad:T dicfo:T wci_grad:T wcf_grad:T wco_grad:T',
        'use_peephole:bool T:type'),
    'LatencyStatsDataset': (
        'input_dataset:DT_VARIANT tag:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'LeakyRelu': (
        'features:T',
        'activations:T',
        'alpha:float=0.20000000298023224 T:type="DT_FLOAT"'),
    'LeakyReluGrad': (
        'gradients:T features:T',
        'backprops:T',
        'alpha:float=0.20000000298023224 T:type="DT_FLOAT"'),
    'LearnedUnigramCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool range_max:int seed:int=0 seed2:int=0'),
    'LeftShift': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'LegacyParallelInterleaveDatasetV2': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 buffer_output_elements:DT_INT64 prefetch_input_elements:DT_INT64',
        'handle:DT_VARIANT',
        'f:func deterministic:string="default" Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'Less': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type'),
    'LessEqual': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type'),
    'Lgamma': (
        'x:T',
        'y:T',
        'T:type'),
    'LinSpace': (
        'start:T stop:T num:Tidx',
        'output:T',
        'T:type Tidx:type="DT_INT32"'),
    'ListDataset': (
        'tensors:*Tinput_types',
        'handle:DT_VARIANT',
        'Tinput_types:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ListDiff': (
        'x:T y:T',
        'out:T idx:out_idx',
        'T:type out_idx:type="DT_INT32"'),
    'ListInput': (
        'a:N*T',
        '',
        'N:int T:type'),
    'ListOutput': (
        '',
        'a:*T',
        'T:list(type)'),
    'ListSnapshotChunksDataset': (
        'snapshot_path:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'LoadAllTPUEmbeddingParameters': (
        'parameters:NumTables*DT_FLOAT auxiliary1:NumTables*DT_FLOAT auxiliary2:NumTables*DT_FLOAT auxiliary3:NumTables*DT_FLOAT auxiliary4:NumTables*DT_FLOAT auxiliary5:NumTables*DT_FLOAT auxiliary6:NumTables*DT_FLOAT auxiliary7:NumTables*DT_FLOAT',
        '',
        'NumTables:int config:string num_shards:int shard_id:int'),
    'LoadAndRemapMatrix': (
        'ckpt_path:DT_STRING old_tensor_name:DT_STRING row_remapping:DT_INT64 col_remapping:DT_INT64 initializing_values:DT_FLOAT',
        'output_matrix:DT_FLOAT',
        'num_rows:int num_cols:int max_rows_in_memory:int=-1'),
    'LoadDataset': (
        'path:DT_STRING reader_func_other_args:*Treader_func_args',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) compression:string="" reader_func:func Treader_func_args:list(type)'),
    'LoadTPUEmbeddingADAMParameters': (
        'parameters:DT_FLOAT momenta:DT_FLOAT velocities:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingAdadeltaParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT updates:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingAdagradMomentumParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT momenta:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingAdagradParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingCenteredRMSPropParameters': (
        'parameters:DT_FLOAT ms:DT_FLOAT mom:DT_FLOAT mg:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingFTRLParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT linears:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingFrequencyEstimatorParameters': (
        'parameters:DT_FLOAT last_hit_step:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingMDLAdagradLightParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT weights:DT_FLOAT benefits:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingMomentumParameters': (
        'parameters:DT_FLOAT momenta:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingProximalAdagradParameters': (
        'parameters:DT_FLOAT accumulators:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingProximalYogiParameters': (
        'parameters:DT_FLOAT v:DT_FLOAT m:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingRMSPropParameters': (
        'parameters:DT_FLOAT ms:DT_FLOAT mom:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'LoadTPUEmbeddingStochasticGradientDescentParameters': (
        'parameters:DT_FLOAT',
        '',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'Log': (
        'x:T',
        'y:T',
        'T:type'),
    'Log1p': (
        'x:T',
        'y:T',
        'T:type'),
    'LogMatrixDeterminant': (
        'input:T',
        'sign:T log_abs_determinant:T',
        'T:type'),
    'LogSoftmax': (
        'logits:T',
        'logsoftmax:T',
        'T:type'),
    'LogUniformCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool range_max:int seed:int=0 seed2:int=0'),
    'LogicalAnd': (
        'x:DT_BOOL y:DT_BOOL',
        'z:DT_BOOL',
        ''),
    'LogicalNot': (
        'x:DT_BOOL',
        'y:DT_BOOL',
        ''),
    'LogicalOr': (
        'x:DT_BOOL y:DT_BOOL',
        'z:DT_BOOL',
        ''),
    'LookupTableExport': (
        '&table_handle:DT_STRING',
        'keys:Tkeys values:Tvalues',
        'Tkeys:type Tvalues:type'),
    'LookupTableExportV2': (
        'table_handle:DT_RESOURCE',
        'keys:Tkeys values:Tvalues',
        'Tkeys:type Tvalues:type'),
    'LookupTableFind': (
        '&table_handle:DT_STRING keys:Tin default_value:Tout',
        'values:Tout',
        'Tin:type Tout:type'),
    'LookupTableFindV2': (
        'table_handle:DT_RESOURCE keys:Tin default_value:Tout',
        'values:Tout',
        'Tin:type Tout:type'),
    'LookupTableImport': (
        '&table_handle:DT_STRING keys:Tin values:Tout',
        '',
        'Tin:type Tout:type'),
    'LookupTableImportV2': (
        'table_handle:DT_RESOURCE keys:Tin values:Tout',
        '',
        'Tin:type Tout:type'),
    'LookupTableInsert': (
        '&table_handle:DT_STRING keys:Tin values:Tout',
        '',
        'Tin:type Tout:type'),
    'LookupTableInsertV2': (
        'table_handle:DT_RESOURCE keys:Tin values:Tout',
        '',
        'Tin:type Tout:type'),
    'LookupTableRemoveV2': (
        'table_handle:DT_RESOURCE keys:Tin',
        '',
        'Tin:type'),
    'LookupTableSize': (
        '&table_handle:DT_STRING',
        'size:DT_INT64',
        ''),
    'LookupTableSizeV2': (
        'table_handle:DT_RESOURCE',
        'size:DT_INT64',
        ''),
    'LoopCond': (
        'input:DT_BOOL',
        'output:DT_BOOL',
        ''),
    'LowerBound': (
        'sorted_inputs:T values:T',
        'output:out_type',
        'T:type out_type:type="DT_INT32"'),
    'Lu': (
        'input:T',
        'lu:T p:output_idx_type',
        'T:type output_idx_type:type="DT_INT32"'),
    'MakeIterator': (
        'dataset:DT_VARIANT iterator:DT_RESOURCE',
        '',
        ''),
    'MakeUnique': (
        'input:DT_FLOAT',
        'output:DT_FLOAT',
        ''),
    'MakeWeakResourceHandle': (
        'handle:DT_RESOURCE',
        'dup:DT_RESOURCE',
        ''),
    'MapAndBatchDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments batch_size:DT_INT64 num_parallel_calls:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) preserve_cardinality:bool=false metadata:string=""'),
    'MapClear': (
        '',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MapDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) use_inter_op_parallelism:bool=true preserve_cardinality:bool=false force_synchronous:bool=false metadata:string=""'),
    'MapDefun': (
        'arguments:*Targuments captured_inputs:*Tcaptured',
        'output:*output_types',
        'Targuments:list(type) Tcaptured:list(type)=[] output_types:list(type) output_shapes:list(shape) f:func max_intra_op_parallelism:int=1'),
    'MapIncompleteSize': (
        '',
        'size:DT_INT32',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MapPeek': (
        'key:DT_INT64 indices:DT_INT32',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MapSize': (
        '',
        'size:DT_INT32',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MapStage': (
        'key:DT_INT64 indices:DT_INT32 values:*fake_dtypes',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) fake_dtypes:list(type) container:string="" shared_name:string=""'),
    'MapUnstage': (
        'key:DT_INT64 indices:DT_INT32',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MapUnstageNoKey': (
        'indices:DT_INT32',
        'key:DT_INT64 values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'MatMul': (
        'a:T b:T',
        'product:T',
        'transpose_a:bool=false transpose_b:bool=false T:type grad_a:bool=false grad_b:bool=false'),
    'MatchingFiles': (
        'pattern:DT_STRING',
        'filenames:DT_STRING',
        ''),
    'MatchingFilesDataset': (
        'patterns:DT_STRING',
        'handle:DT_VARIANT',
        ''),
    'MatrixBandPart': (
        'input:T num_lower:Tindex num_upper:Tindex',
        'band:T',
        'T:type Tindex:type="DT_INT64"'),
    'MatrixDeterminant': (
        'input:T',
        'output:T',
        'T:type'),
    'MatrixDiag': (
        'diagonal:T',
        'output:T',
        'T:type'),
    'MatrixDiagPart': (
        'input:T',
        'diagonal:T',
        'T:type'),
    'MatrixDiagPartV2': (
        'input:T k:DT_INT32 padding_value:T',
        'diagonal:T',
        'T:type'),
    'MatrixDiagPartV3': (
        'input:T k:DT_INT32 padding_value:T',
        'diagonal:T',
        'T:type align:string="RIGHT_LEFT"'),
    'MatrixDiagV2': (
        'diagonal:T k:DT_INT32 num_rows:DT_INT32 num_cols:DT_INT32 padding_value:T',
        'output:T',
        'T:type'),
    'MatrixDiagV3': (
        'diagonal:T k:DT_INT32 num_rows:DT_INT32 num_cols:DT_INT32 padding_value:T',
        'output:T',
        'T:type align:string="RIGHT_LEFT"'),
    'MatrixExponential': (
        'input:T',
        'output:T',
        'T:type'),
    'MatrixInverse': (
        'input:T',
        'output:T',
        'adjoint:bool=false T:type'),
    'MatrixLogarithm': (
        'input:T',
        'output:T',
        'T:type'),
    'MatrixSetDiag': (
        'input:T diagonal:T',
        'output:T',
        'T:type'),
    'MatrixSetDiagV2': (
        'input:T diagonal:T k:DT_INT32',
        'output:T',
        'T:type'),
    'MatrixSetDiagV3': (
        'input:T diagonal:T k:DT_INT32',
        'output:T',
        'T:type align:string="RIGHT_LEFT"'),
    'MatrixSolve': (
        'matrix:T rhs:T',
        'output:T',
        'adjoint:bool=false T:type'),
    'MatrixSolveLs': (
        'matrix:T rhs:T l2_regularizer:DT_DOUBLE',
        'output:T',
        'T:type fast:bool=true'),
    'MatrixSquareRoot': (
        'input:T',
        'output:T',
        'T:type'),
    'MatrixTriangularSolve': (
        'matrix:T rhs:T',
        'output:T',
        'lower:bool=true adjoint:bool=false T:type'),
    'Max': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'MaxIntraOpParallelismDataset': (
        'input_dataset:DT_VARIANT max_intra_op_parallelism:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'MaxPool': (
        'input:T',
        'output:T',
        'T:type="DT_FLOAT" ksize:list(int) strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="NHWC"'),
    'MaxPool3D': (
        'input:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NDHWC" T:type'),
    'MaxPool3DGrad': (
        'orig_input:TInput orig_output:TInput grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NDHWC" T:type="DT_FLOAT" TInput:type="DT_FLOAT"'),
    'MaxPool3DGradGrad': (
        'orig_input:T orig_output:T grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NDHWC" T:type'),
    'MaxPoolGrad': (
        'orig_input:T orig_output:T grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string explicit_paddings:list(int)=[] data_format:string="NHWC" T:type="DT_FLOAT"'),
    'MaxPoolGradGrad': (
        'orig_input:T orig_output:T grad:T',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string data_format:string="NHWC" T:type'),
    'MaxPoolGradGradV2': (
        'orig_input:T orig_output:T grad:T ksize:DT_INT32 strides:DT_INT32',
        'output:T',
        'padding:string data_format:string="NHWC" T:type'),
    'MaxPoolGradGradWithArgmax': (
        'input:T grad:T argmax:Targmax',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string include_batch_in_index:bool=false Targmax:type T:type'),
    'MaxPoolGradV2': (
        'orig_input:T orig_output:T grad:T ksize:DT_INT32 strides:DT_INT32',
        'output:T',
        'padding:string data_format:string="NHWC" T:type="DT_FLOAT"'),
    'MaxPoolGradWithArgmax': (
        'input:T grad:T argmax:Targmax',
        'output:T',
        'ksize:list(int) strides:list(int) padding:string include_batch_in_index:bool=false Targmax:type T:type'),
    'MaxPoolV2': (
        'input:T ksize:DT_INT32 strides:DT_INT32',
        'output:T',
        'T:type="DT_FLOAT" padding:string data_format:string="NHWC"'),
    'MaxPoolWithArgmax': (
        'input:T',
        'output:T argmax:Targmax',
        'ksize:list(int) strides:list(int) Targmax:type="DT_INT64" padding:string include_batch_in_index:bool=false T:type'),
    'Maximum': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'Mean': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'Merge': (
        'inputs:N*T',
        'output:T value_index:DT_INT32',
        'T:type N:int'),
    'MergeDedupData': (
        'integer_tensor:integer_type float_tensor:float_type',
        'output:DT_VARIANT',
        'tuple_mask:string integer_type:type float_type:type config:string=""'),
    'MergeSummary': (
        'inputs:N*DT_STRING',
        'summary:DT_STRING',
        'N:int'),
    'MergeV2Checkpoints': (
        'checkpoint_prefixes:DT_STRING destination_prefix:DT_STRING',
        '',
        'delete_old_dirs:bool=true allow_missing_files:bool=false'),
    'Mfcc': (
        'spectrogram:DT_FLOAT sample_rate:DT_INT32',
        'output:DT_FLOAT',
        'upper_frequency_limit:float=4000.0 lower_frequency_limit:float=20.0 filterbank_channel_count:int=40 dct_coefficient_count:int=13'),
    'Min': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'Minimum': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'MirrorPad': (
        'input:T paddings:Tpaddings',
        'output:T',
        'T:type Tpaddings:type="DT_INT32" mode:string'),
    'MirrorPadGrad': (
        'input:T paddings:Tpaddings',
        'output:T',
        'T:type Tpaddings:type="DT_INT32" mode:string'),
    'MixedStruct': (
        '',
        'a:n_a*DT_INT32 b:DT_FLOAT',
        'n_a:int'),
    'MlirPassthroughOp': (
        'inputs:*Tinputs',
        'outputs:*Toutputs',
        'mlir_module:string Tinputs:list(type) Toutputs:list(type)'),
    'Mod': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'ModelDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'algorithm:int=0 cpu_budget:int=0 ram_budget:int=0 output_types:list(type) output_shapes:list(shape)'),
    'Mul': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'MulNoNan': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'MultiDeviceIterator': (
        '',
        'handle:DT_RESOURCE',
        'devices:list(string) shared_name:string container:string output_types:list(type) output_shapes:list(shape)'),
    'MultiDeviceIteratorFromStringHandle': (
        'string_handle:DT_STRING',
        'multi_device_iterator:DT_RESOURCE',
        'output_types:list(type)=[] output_shapes:list(shape)=[]'),
    'MultiDeviceIteratorGetNextFromShard': (
        'multi_device_iterator:DT_RESOURCE shard_num:DT_INT32 incarnation_id:DT_INT64',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'MultiDeviceIteratorInit': (
        'dataset:DT_VARIANT multi_device_iterator:DT_RESOURCE max_buffer_size:DT_INT64',
        'incarnation_id:DT_INT64',
        ''),
    'MultiDeviceIteratorToStringHandle': (
        'multi_device_iterator:DT_RESOURCE',
        'string_handle:DT_STRING',
        ''),
    'Multinomial': (
        'logits:T num_samples:DT_INT32',
        'output:output_dtype',
        'seed:int=0 seed2:int=0 T:type output_dtype:type="DT_INT64"'),
    'MutableDenseHashTable': (
        'empty_key:key_dtype',
        '&table_handle:DT_STRING',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type value_shape:shape=[] initial_num_buckets:int=131072 max_load_factor:float=0.800000011920929'),
    'MutableDenseHashTableV2': (
        'empty_key:key_dtype deleted_key:key_dtype',
        'table_handle:DT_RESOURCE',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type value_shape:shape=[] initial_num_buckets:int=131072 max_load_factor:float=0.800000011920929'),
    'MutableHashTable': (
        '',
        '&table_handle:DT_STRING',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type'),
    'MutableHashTableOfTensors': (
        '',
        '&table_handle:DT_STRING',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type value_shape:shape=[]'),
    'MutableHashTableOfTensorsV2': (
        '',
        'table_handle:DT_RESOURCE',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type value_shape:shape=[]'),
    'MutableHashTableV2': (
        '',
        'table_handle:DT_RESOURCE',
        'container:string="" shared_name:string="" use_node_name_sharing:bool=false key_dtype:type value_dtype:type'),
    'MutexLock': (
        'mutex:DT_RESOURCE',
        'mutex_lock:DT_VARIANT',
        ''),
    'MutexV2': (
        '',
        'resource:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'NInPolymorphicTwice': (
        'a:N*T b:N*T',
        '',
        'T:type N:int'),
    'NInTwice': (
        'a:N*DT_INT32 b:N*DT_STRING',
        '',
        'N:int'),
    'NInTwoTypeVariables': (
        'a:N*S b:N*T',
        '',
        'S:type T:type N:int'),
    'NIntsIn': (
        'a:N*DT_INT32',
        '',
        'N:int'),
    'NIntsOut': (
        '',
        'a:N*DT_INT32',
        'N:int'),
    'NIntsOutDefault': (
        '',
        'a:N*DT_INT32',
        'N:int=3'),
    'NPolymorphicIn': (
        'a:N*T',
        '',
        'T:type N:int'),
    'NPolymorphicOut': (
        '',
        'a:N*T',
        'T:type N:int'),
    'NPolymorphicOutDefault': (
        '',
        'a:N*T',
        'T:type="DT_BOOL" N:int=2'),
    'NPolymorphicRestrictIn': (
        'a:N*T',
        '',
        'T:type N:int'),
    'NPolymorphicRestrictOut': (
        '',
        'a:N*T',
        'T:type N:int'),
    'Namespace>TestStringOutput': (
        'input:DT_FLOAT',
        'output1:DT_FLOAT output2:DT_STRING',
        ''),
    'NcclAllReduce': (
        'input:T',
        'data:T',
        'reduction:string T:type num_devices:int shared_name:string'),
    'NcclBroadcast': (
        'input:T',
        'output:T',
        'T:type shape:shape'),
    'NcclReduce': (
        'input:num_devices*T',
        'data:T',
        'reduction:string T:type num_devices:int'),
    'Ndtri': (
        'x:T',
        'y:T',
        'T:type'),
    'NearestNeighbors': (
        'points:DT_FLOAT centers:DT_FLOAT k:DT_INT64',
        'nearest_center_indices:DT_INT64 nearest_center_distances:DT_FLOAT',
        ''),
    'Neg': (
        'x:T',
        'y:T',
        'T:type'),
    'NegTrain': (
        '&w_in:DT_FLOAT &w_out:DT_FLOAT examples:DT_INT32 labels:DT_INT32 lr:DT_FLOAT',
        '',
        'vocab_count:list(int) num_negative_samples:int'),
    'NextAfter': (
        'x1:T x2:T',
        'output:T',
        'T:type="DT_FLOAT"'),
    'NextIteration': (
        'data:T',
        'output:T',
        'T:type'),
    'NoOp': (
        '',
        '',
        ''),
    'NonDeterministicInts': (
        'shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_INT64" shape_dtype:type="DT_INT64"'),
    'NonMaxSuppression': (
        'boxes:DT_FLOAT scores:DT_FLOAT max_output_size:DT_INT32',
        'selected_indices:DT_INT32',
        'iou_threshold:float=0.5'),
    'NonMaxSuppressionV2': (
        'boxes:T scores:T max_output_size:DT_INT32 iou_threshold:T_threshold',
        'selected_indices:DT_INT32',
        'T:type="DT_FLOAT" T_threshold:type="DT_FLOAT"'),
    'NonMaxSuppressionV3': (
        'boxes:T scores:T max_output_size:DT_INT32 iou_threshold:T_threshold score_threshold:T_threshold',
        'selected_indices:DT_INT32',
        'T:type="DT_FLOAT" T_threshold:type="DT_FLOAT"'),
    'NonMaxSuppressionV4': (
        'boxes:T scores:T max_output_size:DT_INT32 iou_threshold:T_threshold score_threshold:T_threshold',
        'selected_indices:DT_INT32 valid_outputs:DT_INT32',
        'T:type="DT_FLOAT" T_threshold:type="DT_FLOAT" pad_to_max_output_size:bool=false'),
    'NonMaxSuppressionV5': (
        'boxes:T scores:T max_output_size:DT_INT32 iou_threshold:T score_threshold:T soft_nms_sigma:T',
        'selected_indices:DT_INT32 selected_scores:T valid_outputs:DT_INT32',
        'T:type="DT_FLOAT" pad_to_max_output_size:bool=false'),
    'NonMaxSuppressionWithOverlaps': (
        'overlaps:DT_FLOAT scores:DT_FLOAT max_output_size:DT_INT32 overlap_threshold:DT_FLOAT score_threshold:DT_FLOAT',
        'selected_indices:DT_INT32',
        ''),
    'NonSerializableDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'None': (
        '',
        '',
        ''),
    'NotEqual': (
        'x:T y:T',
        'z:DT_BOOL',
        'T:type incompatible_shape_error:bool=true'),
    'NthElement': (
        'input:T n:DT_INT32',
        'values:T',
        'reverse:bool=false T:type'),
    'Old': (
        '',
        '',
        ''),
    'OneHot': (
        'indices:TI depth:DT_INT32 on_value:T off_value:T',
        'output:T',
        'axis:int=-1 T:type TI:type="DT_INT64"'),
    'OneShotIterator': (
        '',
        'handle:DT_RESOURCE',
        'dataset_factory:func output_types:list(type) output_shapes:list(shape) container:string="" shared_name:string=""'),
    'OnesLike': (
        'x:T',
        'y:T',
        'T:type'),
    'OpWithDefaultAttr': (
        '',
        'a:DT_INT32',
        'default_float:float=123.0'),
    'OpWithFutureDefaultAttr': (
        '',
        '',
        ''),
    'OptimizeDataset': (
        'input_dataset:DT_VARIANT optimizations:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) optimization_configs:list(string)=[]'),
    'OptimizeDatasetV2': (
        'input_dataset:DT_VARIANT optimizations_enabled:DT_STRING optimizations_disabled:DT_STRING optimizations_default:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) optimization_configs:list(string)=[]'),
    'OptionalFromValue': (
        'components:*Toutput_types',
        'optional:DT_VARIANT',
        'Toutput_types:list(type)'),
    'OptionalGetValue': (
        'optional:DT_VARIANT',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'OptionalHasValue': (
        'optional:DT_VARIANT',
        'has_value:DT_BOOL',
        ''),
    'OptionalNone': (
        '',
        'optional:DT_VARIANT',
        ''),
    'OptionsDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'serialized_options:string output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'OrderedMapClear': (
        '',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapIncompleteSize': (
        '',
        'size:DT_INT32',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapPeek': (
        'key:DT_INT64 indices:DT_INT32',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapSize': (
        '',
        'size:DT_INT32',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapStage': (
        'key:DT_INT64 indices:DT_INT32 values:*fake_dtypes',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) fake_dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapUnstage': (
        'key:DT_INT64 indices:DT_INT32',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OrderedMapUnstageNoKey': (
        'indices:DT_INT32',
        'key:DT_INT64 values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'OutT': (
        '',
        'a:T',
        'T:type'),
    'OutTypeList': (
        '',
        'out:*T',
        'T:list(type)'),
    'OutTypeListRestrict': (
        '',
        'out:*t',
        't:list(type)'),
    'OutfeedDequeue': (
        '',
        'output:dtype',
        'dtype:type shape:shape device_ordinal:int=-1'),
    'OutfeedDequeueTuple': (
        '',
        'outputs:*dtypes',
        'dtypes:list(type) shapes:list(shape) device_ordinal:int=-1'),
    'OutfeedDequeueTupleV2': (
        'device_ordinal:DT_INT32',
        'outputs:*dtypes',
        'dtypes:list(type) shapes:list(shape)'),
    'OutfeedDequeueV2': (
        'device_ordinal:DT_INT32',
        'output:dtype',
        'dtype:type shape:shape'),
    'OutfeedEnqueue': (
        'input:dtype',
        '',
        'dtype:type'),
    'OutfeedEnqueueTuple': (
        'inputs:*dtypes',
        '',
        'dtypes:list(type)'),
    'Pack': (
        'values:N*T',
        'output:T',
        'N:int T:type axis:int=0'),
    'Pad': (
        'input:T paddings:Tpaddings',
        'output:T',
        'T:type Tpaddings:type="DT_INT32"'),
    'PadV2': (
        'input:T paddings:Tpaddings constant_values:T',
        'output:T',
        'T:type Tpaddings:type="DT_INT32"'),
    'PaddedBatchDataset': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 padded_shapes:N*DT_INT64 padding_values:*Toutput_types',
        'handle:DT_VARIANT',
        'Toutput_types:list(type) output_shapes:list(shape) N:int metadata:string=""'),
    'PaddedBatchDatasetV2': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 padded_shapes:N*DT_INT64 padding_values:*Toutput_types drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'parallel_copy:bool=false Toutput_types:list(type) output_shapes:list(shape) N:int metadata:string=""'),
    'PaddingFIFOQueue': (
        '',
        '&handle:DT_STRING',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 container:string="" shared_name:string=""'),
    'PaddingFIFOQueueV2': (
        '',
        'handle:DT_RESOURCE',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 container:string="" shared_name:string=""'),
    'ParallelBatchDataset': (
        'input_dataset:DT_VARIANT batch_size:DT_INT64 num_parallel_calls:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'parallel_copy:bool=false output_types:list(type) output_shapes:list(shape) deterministic:string="default" metadata:string=""'),
    'ParallelConcat': (
        'values:N*T',
        'output:T',
        'N:int T:type shape:shape'),
    'ParallelDynamicStitch': (
        'indices:N*DT_INT32 data:N*T',
        'merged:T',
        'N:int T:type'),
    'ParallelFilterDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments num_parallel_calls:DT_INT64',
        'handle:DT_VARIANT',
        'predicate:func deterministic:string="default" Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ParallelInterleaveDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 sloppy:DT_BOOL buffer_output_elements:DT_INT64 prefetch_input_elements:DT_INT64',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ParallelInterleaveDatasetV2': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 num_parallel_calls:DT_INT64',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) sloppy:bool=false metadata:string=""'),
    'ParallelInterleaveDatasetV3': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 num_parallel_calls:DT_INT64',
        'handle:DT_VARIANT',
        'f:func deterministic:string="default" Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ParallelInterleaveDatasetV4': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments cycle_length:DT_INT64 block_length:DT_INT64 buffer_output_elements:DT_INT64 prefetch_input_elements:DT_INT64 num_parallel_calls:DT_INT64',
        'handle:DT_VARIANT',
        'f:func deterministic:string="default" Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ParallelMapDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments num_parallel_calls:DT_INT32',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) use_inter_op_parallelism:bool=true sloppy:bool=false preserve_cardinality:bool=false metadata:string=""'),
    'ParallelMapDatasetV2': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments num_parallel_calls:DT_INT64',
        'handle:DT_VARIANT',
        'f:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) use_inter_op_parallelism:bool=true deterministic:string="default" preserve_cardinality:bool=false use_unbounded_threadpool:bool=false metadata:string=""'),
    'ParameterizedTruncatedNormal': (
        'shape:T means:dtype stdevs:dtype minvals:dtype maxvals:dtype',
        'output:dtype',
        'seed:int=0 seed2:int=0 dtype:type T:type'),
    'ParseExample': (
        'serialized:DT_STRING names:DT_STRING sparse_keys:Nsparse*DT_STRING dense_keys:Ndense*DT_STRING dense_defaults:*Tdense',
        'sparse_indices:Nsparse*DT_INT64 sparse_values:*sparse_types sparse_shapes:Nsparse*DT_INT64 dense_values:*Tdense',
        'Nsparse:int Ndense:int sparse_types:list(type) Tdense:list(type) dense_shapes:list(shape)'),
    'ParseExampleDataset': (
        'input_dataset:DT_VARIANT num_parallel_calls:DT_INT64 dense_defaults:*Tdense',
        'handle:DT_VARIANT',
        'sparse_keys:list(string) dense_keys:list(string) sparse_types:list(type) Tdense:list(type) dense_shapes:list(shape) output_types:list(type) output_shapes:list(shape) sloppy:bool=false ragged_keys:list(string)=[] ragged_value_types:list(type)=[] ragged_split_types:list(type)=[]'),
    'ParseExampleDatasetV2': (
        'input_dataset:DT_VARIANT num_parallel_calls:DT_INT64 dense_defaults:*Tdense',
        'handle:DT_VARIANT',
        'sparse_keys:list(string) dense_keys:list(string) sparse_types:list(type) Tdense:list(type) dense_shapes:list(shape) output_types:list(type) output_shapes:list(shape) deterministic:string="default" ragged_keys:list(string)=[] ragged_value_types:list(type)=[] ragged_split_types:list(type)=[]'),
    'ParseExampleV2': (
        'serialized:DT_STRING names:DT_STRING sparse_keys:DT_STRING dense_keys:DT_STRING ragged_keys:DT_STRING dense_defaults:*Tdense',
        'sparse_indices:num_sparse*DT_INT64 sparse_values:*sparse_types sparse_shapes:num_sparse*DT_INT64 dense_values:*Tdense ragged_values:*ragged_value_types ragged_row_splits:*ragged_split_types',
        'Tdense:list(type) num_sparse:int sparse_types:list(type) ragged_value_types:list(type) ragged_split_types:list(type) dense_shapes:list(shape)'),
    'ParseSequenceExample': (
        'serialized:DT_STRING debug_name:DT_STRING context_dense_defaults:*Tcontext_dense',
        'context_sparse_indices:Ncontext_sparse*DT_INT64 context_sparse_values:*context_sparse_types context_sparse_shapes:Ncontext_sparse*DT_INT64 context_dense_values:*Tcontext_dense feature_list_sparse_indices:Nfeature_list_sparse*DT_INT64 feature_list_sparse_values:*feature_list_sparse_types feature_list_sparse_shapes:Nfeature_list_sparse*DT_INT64 feature_list_dense_values:*feature_list_dense_types feature_list_dense_lengths:Nfeature_list_dense*DT_INT64',
        'feature_list_dense_missing_assumed_empty:list(string) context_sparse_keys:list(string) context_dense_keys:list(string) feature_list_sparse_keys:list(string) feature_list_dense_keys:list(string) Ncontext_sparse:int=0 Ncontext_dense:int=0 Nfeature_list_sparse:int=0 Nfeature_list_dense:int=0 context_sparse_types:list(type)=[] Tcontext_dense:list(type)=[] feature_list_dense_types:list(type)=[] context_dense_shapes:list(shape)=[] feature_list_sparse_types:list(type)=[] feature_list_dense_shapes:list(shape)=[]'),
    'ParseSequenceExampleV2': (
        'serialized:DT_STRING debug_name:DT_STRING context_sparse_keys:DT_STRING context_dense_keys:DT_STRING context_ragged_keys:DT_STRING feature_list_sparse_keys:DT_STRING feature_list_dense_keys:DT_STRING feature_list_ragged_keys:DT_STRING feature_list_dense_missing_assumed_empty:DT_BOOL context_dense_defaults:*Tcontext_dense',
        'context_sparse_indices:Ncontext_sparse*DT_INT64 context_sparse_values:*context_sparse_types context_sparse_shapes:Ncontext_sparse*DT_INT64 context_dense_values:*Tcontext_dense context_ragged_values:*context_ragged_value_types context_ragged_row_splits:*context_ragged_split_types feature_list_sparse_indices:Nfeature_list_sparse*DT_INT64 feature_list_sparse_values:*feature_list_sparse_types feature_list_sparse_shapes:Nfeature_list_sparse*DT_INT64 feature_list_dense_values:*feature_list_dense_types feature_list_dense_lengths:Nfeature_list_dense*DT_INT64 feature_list_ragged_values:*feature_list_ragged_value_types feature_list_ragged_outer_splits:*feature_list_ragged_split_types feature_list_ragged_inner_splits:*feature_list_ragged_split_types',
        'Ncontext_sparse:int=0 Tcontext_dense:list(type)=[] context_sparse_types:list(type)=[] context_ragged_value_types:list(type)=[] context_ragged_split_types:list(type)=[] context_dense_shapes:list(shape)=[] Nfeature_list_sparse:int=0 Nfeature_list_dense:int=0 feature_list_dense_types:list(type)=[] feature_list_sparse_types:list(type)=[] feature_list_ragged_value_types:list(type)=[] feature_list_ragged_split_types:list(type)=[] feature_list_dense_shapes:list(shape)=[]'),
    'ParseSingleExample': (
        'serialized:DT_STRING dense_defaults:*Tdense',
        'sparse_indices:num_sparse*DT_INT64 sparse_values:*sparse_types sparse_shapes:num_sparse*DT_INT64 dense_values:*Tdense',
        'num_sparse:int sparse_keys:list(string) dense_keys:list(string) sparse_types:list(type) Tdense:list(type) dense_shapes:list(shape)'),
    'ParseSingleSequenceExample': (
        'serialized:DT_STRING feature_list_dense_missing_assumed_empty:DT_STRING context_sparse_keys:Ncontext_sparse*DT_STRING context_dense_keys:Ncontext_dense*DT_STRING feature_list_sparse_keys:Nfeature_list_sparse*DT_STRING feature_list_dense_keys:Nfeature_list_dense*DT_STRING context_dense_defaults:*Tcontext_dense debug_name:DT_STRING',
        'context_sparse_indices:Ncontext_sparse*DT_INT64 context_sparse_values:*context_sparse_types context_sparse_shapes:Ncontext_sparse*DT_INT64 context_dense_values:*Tcontext_dense feature_list_sparse_indices:Nfeature_list_sparse*DT_INT64 feature_list_sparse_values:*feature_list_sparse_types feature_list_sparse_shapes:Nfeature_list_sparse*DT_INT64 feature_list_dense_values:*feature_list_dense_types',
        'Ncontext_sparse:int=0 Ncontext_dense:int=0 Nfeature_list_sparse:int=0 Nfeature_list_dense:int=0 context_sparse_types:list(type)=[] Tcontext_dense:list(type)=[] feature_list_dense_types:list(type)=[] context_dense_shapes:list(shape)=[] feature_list_sparse_types:list(type)=[] feature_list_dense_shapes:list(shape)=[]'),
    'ParseTensor': (
        'serialized:DT_STRING',
        'output:out_type',
        'out_type:type'),
    'PartitionedCall': (
        'args:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) f:func config:string="" config_proto:string="" executor_type:string=""'),
    'Placeholder': (
        '',
        'output:dtype',
        'dtype:type shape:shape=null'),
    'PlaceholderV2': (
        '',
        'output:dtype',
        'dtype:type shape:shape'),
    'PlaceholderWithDefault': (
        'input:dtype',
        'output:dtype',
        'dtype:type shape:shape'),
    'Polygamma': (
        'a:T x:T',
        'z:T',
        'T:type'),
    'Polymorphic': (
        'a:T',
        'out:T',
        'T:type'),
    'PolymorphicDefaultOut': (
        '',
        'out:T',
        'T:type="DT_STRING"'),
    'PolymorphicOut': (
        '',
        'out:T',
        'T:type'),
    'PopulationCount': (
        'x:T',
        'y:DT_UINT8',
        'T:type'),
    'Pow': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'PrefetchDataset': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) slack_period:int=0 legacy_autotune:bool=true buffer_size_min:int=0 metadata:string=""'),
    'Prelinearize': (
        'input:dtype',
        'output:DT_VARIANT',
        'dtype:type shape:shape=[] layout:list(int)=[]'),
    'PrelinearizeTuple': (
        'inputs:*dtypes',
        'output:DT_VARIANT',
        'dtypes:list(type) shapes:list(shape) layouts:list(int)=[]'),
    'PreventGradient': (
        'input:T',
        'output:T',
        'T:type message:string=""'),
    'Print': (
        'input:T data:*U',
        'output:T',
        'T:type U:list(type) message:string="" first_n:int=-1 summarize:int=3'),
    'PrintV2': (
        'input:DT_STRING',
        '',
        'output_stream:string="stderr" end:string="\\n"'),
    'PriorityQueue': (
        '',
        '&handle:DT_STRING',
        'component_types:list(type)=[] shapes:list(shape) capacity:int=-1 container:string="" shared_name:string=""'),
    'PriorityQueueV2': (
        '',
        'handle:DT_RESOURCE',
        'component_types:list(type)=[] shapes:list(shape) capacity:int=-1 container:string="" shared_name:string=""'),
    'PrivateThreadPoolDataset': (
        'input_dataset:DT_VARIANT num_threads:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Prod': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'PyFunc': (
        'input:*Tin',
        'output:*Tout',
        'token:string Tin:list(type) Tout:list(type)'),
    'PyFuncStateless': (
        'input:*Tin',
        'output:*Tout',
        'token:string Tin:list(type) Tout:list(type)'),
    'Qr': (
        'input:T',
        'q:T r:T',
        'full_matrices:bool=false T:type'),
    'QuantizeAndDequantize': (
        'input:T',
        'output:T',
        'signed_input:bool=true num_bits:int=8 range_given:bool=false input_min:float=0.0 input_max:float=0.0 T:type'),
    'QuantizeAndDequantizeV2': (
        'input:T input_min:T input_max:T',
        'output:T',
        'signed_input:bool=true num_bits:int=8 range_given:bool=false T:type round_mode:string="HALF_TO_EVEN" narrow_range:bool=false axis:int=-1'),
    'QuantizeAndDequantizeV3': (
        'input:T input_min:T input_max:T num_bits:DT_INT32',
        'output:T',
        'signed_input:bool=true range_given:bool=true T:type narrow_range:bool=false axis:int=-1'),
    'QuantizeAndDequantizeV4': (
        'input:T input_min:T input_max:T',
        'output:T',
        'signed_input:bool=true num_bits:int=8 range_given:bool=false T:type round_mode:string="HALF_TO_EVEN" narrow_range:bool=false axis:int=-1'),
    'QuantizeAndDequantizeV4Grad': (
        'gradients:T input:T input_min:T input_max:T',
        'input_backprop:T input_min_backprop:T input_max_backprop:T',
        'T:type axis:int=-1'),
    'QuantizeDownAndShrinkRange': (
        'input:Tinput input_min:DT_FLOAT input_max:DT_FLOAT',
        'output:out_type output_min:DT_FLOAT output_max:DT_FLOAT',
        'Tinput:type out_type:type'),
    'QuantizeV2': (
        'input:DT_FLOAT min_range:DT_FLOAT max_range:DT_FLOAT',
        'output:T output_min:DT_FLOAT output_max:DT_FLOAT',
        'T:type mode:string="MIN_COMBINED" round_mode:string="HALF_AWAY_FROM_ZERO" narrow_range:bool=false axis:int=-1 ensure_minimum_range:float=0.009999999776482582'),
    'QuantizedAdd': (
        'x:T1 y:T2 min_x:DT_FLOAT max_x:DT_FLOAT min_y:DT_FLOAT max_y:DT_FLOAT',
        'z:Toutput min_z:DT_FLOAT max_z:DT_FLOAT',
        'T1:type T2:type Toutput:type="DT_QINT32"'),
    'QuantizedAvgPool': (
        'input:T min_input:DT_FLOAT max_input:DT_FLOAT',
        'output:T min_output:DT_FLOAT max_output:DT_FLOAT',
        'T:type ksize:list(int) strides:list(int) padding:string'),
    'QuantizedBatchNormWithGlobalNormalization': (
        't:Tinput t_min:DT_FLOAT t_max:DT_FLOAT m:Tinput m_min:DT_FLOAT m_max:DT_FLOAT v:Tinput v_min:DT_FLOAT v_max:DT_FLOAT beta:Tinput beta_min:DT_FLOAT beta_max:DT_FLOAT gamma:Tinput gamma_min:DT_FLOAT gamma_max:DT_FLOAT',
        'result:out_type result_min:DT_FLOAT result_max:DT_FLOAT',
        'Tinput:type out_type:type variance_epsilon:float scale_after_normalization:bool'),
    'QuantizedBiasAdd': (
        'input:T1 bias:T2 min_input:DT_FLOAT max_input:DT_FLOAT min_bias:DT_FLOAT max_bias:DT_FLOAT',
        'output:out_type min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type out_type:type'),
    'QuantizedConcat': (
        'concat_dim:DT_INT32 values:N*T input_mins:N*DT_FLOAT input_maxes:N*DT_FLOAT',
        'output:T output_min:DT_FLOAT output_max:DT_FLOAT',
        'N:int T:type'),
    'QuantizedConcatV2': (
        'values:N*T axis:Tidx input_mins:N*DT_FLOAT input_maxes:N*DT_FLOAT',
        'output:T output_min:DT_FLOAT output_max:DT_FLOAT',
        'N:int T:type Tidx:type="DT_INT32"'),
    'QuantizedConv2D': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1]'),
    'QuantizedConv2DAndRelu': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DAndReluAndRequantize': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QUINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DAndRequantize': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DPerChannel': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1]'),
    'QuantizedConv2DWithBias': (
        'input:Tinput filter:Tfilter bias:DT_FLOAT min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasAndRelu': (
        'input:Tinput filter:Tfilter bias:DT_FLOAT min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasAndReluAndRequantize': (
        'input:Tinput filter:Tfilter bias:Tbias min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type Tbias:type out_type:type="DT_QUINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasAndRequantize': (
        'input:Tinput filter:Tfilter bias:Tbias min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type Tbias:type out_type:type="DT_QINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasSignedSumAndReluAndRequantize': (
        'input:Tinput filter:Tfilter bias:Tbias min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT summand:Tsummand min_summand:DT_FLOAT max_summand:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type Tbias:type Tsummand:type out_type:type="DT_QUINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasSumAndRelu': (
        'input:Tinput filter:Tfilter bias:DT_FLOAT min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT summand:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedConv2DWithBiasSumAndReluAndRequantize': (
        'input:Tinput filter:Tfilter bias:Tbias min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT summand:Tsummand min_summand:DT_FLOAT max_summand:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type Tbias:type Tsummand:type out_type:type="DT_QUINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedDepthwiseConv2D': (
        'input:Tinput filter:Tfilter min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1]'),
    'QuantizedDepthwiseConv2DWithBias': (
        'input:Tinput filter:Tfilter bias:DT_FLOAT min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1]'),
    'QuantizedDepthwiseConv2DWithBiasAndRelu': (
        'input:Tinput filter:Tfilter bias:DT_FLOAT min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type out_type:type="DT_QINT32" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize': (
        'input:Tinput filter:Tfilter bias:Tbias min_input:DT_FLOAT max_input:DT_FLOAT min_filter:DT_FLOAT max_filter:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'output:out_type min_output:DT_FLOAT max_output:DT_FLOAT',
        'Tinput:type Tfilter:type Tbias:type out_type:type="DT_QUINT8" strides:list(int) padding:string dilations:list(int)=[1,1,1,1] padding_list:list(int)=[]'),
    'QuantizedInstanceNorm': (
        'x:T x_min:DT_FLOAT x_max:DT_FLOAT',
        'y:T y_min:DT_FLOAT y_max:DT_FLOAT',
        'T:type output_range_given:bool=false given_y_min:float=0.0 given_y_max:float=0.0 variance_epsilon:float=9.999999747378752e-06 min_separation:float=0.0010000000474974513'),
    'QuantizedMatMul': (
        'a:T1 b:T2 min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT',
        'out:Toutput min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type Toutput:type="DT_QINT32" transpose_a:bool=false transpose_b:bool=false Tactivation:type="DT_QUINT8"'),
    'QuantizedMatMulWithBias': (
        'a:T1 b:T2 bias:Tbias min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT',
        'out:Toutput min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type Tbias:type Toutput:type="DT_QINT32" transpose_a:bool=false transpose_b:bool=false input_quant_mode:string="MIN_FIRST"'),
    'QuantizedMatMulWithBiasAndDequantize': (
        'a:T1 b:T2 bias:Tbias min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'out:Toutput',
        'T1:type T2:type Tbias:type Toutput:type transpose_a:bool=false transpose_b:bool=false input_quant_mode:string="MIN_FIRST"'),
    'QuantizedMatMulWithBiasAndRelu': (
        'a:T1 b:T2 bias:DT_FLOAT min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT',
        'out:Toutput min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type Toutput:type="DT_QINT32" transpose_a:bool=false transpose_b:bool=false input_quant_mode:string="MIN_FIRST"'),
    'QuantizedMatMulWithBiasAndReluAndRequantize': (
        'a:T1 b:T2 bias:Tbias min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'out:Toutput min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type Tbias:type Toutput:type="DT_QUINT8" transpose_a:bool=false transpose_b:bool=false input_quant_mode:string="MIN_FIRST"'),
    'QuantizedMatMulWithBiasAndRequantize': (
        'a:T1 b:T2 bias:Tbias min_a:DT_FLOAT max_a:DT_FLOAT min_b:DT_FLOAT max_b:DT_FLOAT min_freezed_output:DT_FLOAT max_freezed_output:DT_FLOAT',
        'out:Toutput min_out:DT_FLOAT max_out:DT_FLOAT',
        'T1:type T2:type Tbias:type Toutput:type="DT_QUINT8" transpose_a:bool=false transpose_b:bool=false input_quant_mode:string="MIN_FIRST"'),
    'QuantizedMaxPool': (
        'input:T min_input:DT_FLOAT max_input:DT_FLOAT',
        'output:T min_output:DT_FLOAT max_output:DT_FLOAT',
        'T:type ksize:list(int) strides:list(int) padding:string'),
    'QuantizedMul': (
        'x:T1 y:T2 min_x:DT_FLOAT max_x:DT_FLOAT min_y:DT_FLOAT max_y:DT_FLOAT',
        'z:Toutput min_z:DT_FLOAT max_z:DT_FLOAT',
        'T1:type T2:type Toutput:type="DT_QINT32"'),
    'QuantizedRelu': (
        'features:Tinput min_features:DT_FLOAT max_features:DT_FLOAT',
        'activations:out_type min_activations:DT_FLOAT max_activations:DT_FLOAT',
        'Tinput:type out_type:type="DT_QUINT8"'),
    'QuantizedRelu6': (
        'features:Tinput min_features:DT_FLOAT max_features:DT_FLOAT',
        'activations:out_type min_activations:DT_FLOAT max_activations:DT_FLOAT',
        'Tinput:type out_type:type="DT_QUINT8"'),
    'QuantizedReluX': (
        'features:Tinput max_value:DT_FLOAT min_features:DT_FLOAT max_features:DT_FLOAT',
        'activations:out_type min_activations:DT_FLOAT max_activations:DT_FLOAT',
        'Tinput:type out_type:type="DT_QUINT8"'),
    'QuantizedReshape': (
        'tensor:T shape:Tshape input_min:DT_FLOAT input_max:DT_FLOAT',
        'output:T output_min:DT_FLOAT output_max:DT_FLOAT',
        'T:type Tshape:type="DT_INT32"'),
    'QuantizedResizeBilinear': (
        'images:T size:DT_INT32 min:DT_FLOAT max:DT_FLOAT',
        'resized_images:T out_min:DT_FLOAT out_max:DT_FLOAT',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'QueueClose': (
        '&handle:DT_STRING',
        '',
        'cancel_pending_enqueues:bool=false'),
    'QueueCloseV2': (
        'handle:DT_RESOURCE',
        '',
        'cancel_pending_enqueues:bool=false'),
    'QueueDequeue': (
        '&handle:DT_STRING',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueDequeueMany': (
        '&handle:DT_STRING n:DT_INT32',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueDequeueManyV2': (
        'handle:DT_RESOURCE n:DT_INT32',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueDequeueUpTo': (
        '&handle:DT_STRING n:DT_INT32',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueDequeueUpToV2': (
        'handle:DT_RESOURCE n:DT_INT32',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueDequeueV2': (
        'handle:DT_RESOURCE',
        'components:*component_types',
        'component_types:list(type) timeout_ms:int=-1'),
    'QueueEnqueue': (
        '&handle:DT_STRING components:*Tcomponents',
        '',
        'Tcomponents:list(type) timeout_ms:int=-1'),
    'QueueEnqueueMany': (
        '&handle:DT_STRING components:*Tcomponents',
        '',
        'Tcomponents:list(type) timeout_ms:int=-1'),
    'QueueEnqueueManyV2': (
        'handle:DT_RESOURCE components:*Tcomponents',
        '',
        'Tcomponents:list(type) timeout_ms:int=-1'),
    'QueueEnqueueV2': (
        'handle:DT_RESOURCE components:*Tcomponents',
        '',
        'Tcomponents:list(type) timeout_ms:int=-1'),
    'QueueIsClosed': (
        '&handle:DT_STRING',
        'is_closed:DT_BOOL',
        ''),
    'QueueIsClosedV2': (
        'handle:DT_RESOURCE',
        'is_closed:DT_BOOL',
        ''),
    'QueueSize': (
        '&handle:DT_STRING',
        'size:DT_INT32',
        ''),
    'QueueSizeV2': (
        'handle:DT_RESOURCE',
        'size:DT_INT32',
        ''),
    'RFFT': (
        'input:Treal fft_length:DT_INT32',
        'output:Tcomplex',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'RFFT2D': (
        'input:Treal fft_length:DT_INT32',
        'output:Tcomplex',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'RFFT3D': (
        'input:Treal fft_length:DT_INT32',
        'output:Tcomplex',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'RFFTND': (
        'input:Treal fft_length:DT_INT32 axes:DT_INT32',
        'output:Tcomplex',
        'Treal:type="DT_FLOAT" Tcomplex:type="DT_COMPLEX64"'),
    'RGBToHSV': (
        'images:T',
        'output:T',
        'T:type="DT_FLOAT"'),
    'RaggedBincount': (
        'splits:DT_INT64 values:Tidx size:Tidx weights:T',
        'output:T',
        'Tidx:type T:type binary_output:bool=false'),
    'RaggedCountSparseOutput': (
        'splits:DT_INT64 values:T weights:output_type',
        'output_indices:DT_INT64 output_values:output_type output_dense_shape:DT_INT64',
        'T:type minlength:int=-1 maxlength:int=-1 binary_output:bool output_type:type'),
    'RaggedCross': (
        'ragged_values:*ragged_values_types ragged_row_splits:*ragged_splits_types sparse_indices:Nsparse*DT_INT64 sparse_values:*sparse_values_types sparse_shape:Nsparse*DT_INT64 dense_inputs:*dense_types',
        'output_values:out_values_type output_row_splits:out_row_splits_type',
        'Nsparse:int input_order:string hashed_output:bool num_buckets:int hash_key:int ragged_values_types:list(type) ragged_splits_types:list(type) sparse_values_types:list(type) dense_types:list(type) out_values_type:type out_row_splits_type:type'),
    'RaggedFillEmptyRows': (
        'value_rowids:DT_INT64 values:T nrows:DT_INT64 default_value:T',
        'output_value_rowids:DT_INT64 output_values:T empty_row_indicator:DT_BOOL reverse_index_map:DT_INT64',
        'T:type'),
    'RaggedFillEmptyRowsGrad': (
        'reverse_index_map:DT_INT64 grad_values:T',
        'd_values:T d_default_value:T',
        'T:type'),
    'RaggedGather': (
        'params_nested_splits:PARAMS_RAGGED_RANK*Tsplits params_dense_values:Tvalues indices:Tindices',
        'output_nested_splits:OUTPUT_RAGGED_RANK*Tsplits output_dense_values:Tvalues',
        'Tvalues:type Tindices:type Tsplits:type="DT_INT64" PARAMS_RAGGED_RANK:int OUTPUT_RAGGED_RANK:int'),
    'RaggedRange': (
        'starts:T limits:T deltas:T',
        'rt_nested_splits:Tsplits rt_dense_values:T',
        'T:type="DT_INT32" Tsplits:type="DT_INT64"'),
    'RaggedTensorFromVariant': (
        'encoded_ragged:DT_VARIANT',
        'output_nested_splits:output_ragged_rank*Tsplits output_dense_values:Tvalues',
        'input_ragged_rank:int output_ragged_rank:int Tvalues:type Tsplits:type="DT_INT64"'),
    'RaggedTensorToSparse': (
        'rt_nested_splits:RAGGED_RANK*Tsplits rt_dense_values:T',
        'sparse_indices:DT_INT64 sparse_values:T sparse_dense_shape:DT_INT64',
        'RAGGED_RANK:int T:type Tsplits:type="DT_INT64"'),
    'RaggedTensorToTensor': (
        'shape:Tshape values:T default_value:T row_partition_tensors:num_row_partition_tensors*Tindex',
        'result:T',
        'T:type Tindex:type Tshape:type num_row_partition_tensors:int row_partition_types:list(string)'),
    'RaggedTensorToVariant': (
        'rt_nested_splits:RAGGED_RANK*Tsplits rt_dense_values:Tvalues',
        'encoded_ragged:DT_VARIANT',
        'RAGGED_RANK:int Tvalues:type Tsplits:type="DT_INT64" batched_input:bool'),
    'RaggedTensorToVariantGradient': (
        'encoded_ragged_grad:DT_VARIANT row_splits:Tsplits dense_values_shape:DT_INT32',
        'dense_values_grad:Tvalues',
        'Tvalues:type Tsplits:type="DT_INT64"'),
    'RandomCrop': (
        'image:T size:DT_INT64',
        'output:T',
        'T:type seed:int=0 seed2:int=0'),
    'RandomDataset': (
        'seed:DT_INT64 seed2:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'RandomDatasetV2': (
        'seed:DT_INT64 seed2:DT_INT64 seed_generator:DT_RESOURCE',
        'handle:DT_VARIANT',
        'rerandomize_each_iteration:bool=false output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'RandomGamma': (
        'shape:S alpha:T',
        'output:T',
        'seed:int=0 seed2:int=0 S:type T:type'),
    'RandomGammaGrad': (
        'alpha:T sample:T',
        'output:T',
        'T:type'),
    'RandomIndexShuffle': (
        'index:dtype seed:Tseed max_index:dtype',
        'output:dtype',
        'rounds:int=4 dtype:type Tseed:type'),
    'RandomPoisson': (
        'shape:S rate:dtype',
        'output:dtype',
        'seed:int=0 seed2:int=0 S:type dtype:type'),
    'RandomPoissonV2': (
        'shape:S rate:R',
        'output:dtype',
        'seed:int=0 seed2:int=0 S:type R:type="DT_DOUBLE" dtype:type="DT_INT64"'),
    'RandomShuffle': (
        'value:T',
        'output:T',
        'seed:int=0 seed2:int=0 T:type'),
    'RandomShuffleQueue': (
        '',
        '&handle:DT_STRING',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 min_after_dequeue:int=0 seed:int=0 seed2:int=0 container:string="" shared_name:string=""'),
    'RandomShuffleQueueV2': (
        '',
        'handle:DT_RESOURCE',
        'component_types:list(type) shapes:list(shape)=[] capacity:int=-1 min_after_dequeue:int=0 seed:int=0 seed2:int=0 container:string="" shared_name:string=""'),
    'RandomStandardNormal': (
        'shape:T',
        'output:dtype',
        'seed:int=0 seed2:int=0 dtype:type T:type'),
    'RandomUniform': (
        'shape:T',
        'output:dtype',
        'seed:int=0 seed2:int=0 dtype:type T:type'),
    'RandomUniformInt': (
        'shape:T minval:Tout maxval:Tout',
        'output:Tout',
        'seed:int=0 seed2:int=0 Tout:type T:type'),
    'Range': (
        'start:Tidx limit:Tidx delta:Tidx',
        'output:Tidx',
        'Tidx:type="DT_INT32"'),
    'RangeDataset': (
        'start:DT_INT64 stop:DT_INT64 step:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string="" replicate_on_split:bool=false'),
    'Rank': (
        'input:T',
        'output:DT_INT32',
        'T:type'),
    'ReadFile': (
        'filename:DT_STRING',
        'contents:DT_STRING',
        ''),
    'ReadVariableOp': (
        'resource:DT_RESOURCE',
        'value:dtype',
        'dtype:type'),
    'ReadVariableXlaSplitND': (
        'resource:DT_RESOURCE',
        'outputs:N*T',
        'T:type N:int num_splits:list(int) paddings:list(int)=[]'),
    'ReaderNumRecordsProduced': (
        '&reader_handle:DT_STRING',
        'records_produced:DT_INT64',
        ''),
    'ReaderNumRecordsProducedV2': (
        'reader_handle:DT_RESOURCE',
        'records_produced:DT_INT64',
        ''),
    'ReaderNumWorkUnitsCompleted': (
        '&reader_handle:DT_STRING',
        'units_completed:DT_INT64',
        ''),
    'ReaderNumWorkUnitsCompletedV2': (
        'reader_handle:DT_RESOURCE',
        'units_completed:DT_INT64',
        ''),
    'ReaderRead': (
        '&reader_handle:DT_STRING &queue_handle:DT_STRING',
        'key:DT_STRING value:DT_STRING',
        ''),
    'ReaderReadUpTo': (
        '&reader_handle:DT_STRING &queue_handle:DT_STRING num_records:DT_INT64',
        'keys:DT_STRING values:DT_STRING',
        ''),
    'ReaderReadUpToV2': (
        'reader_handle:DT_RESOURCE queue_handle:DT_RESOURCE num_records:DT_INT64',
        'keys:DT_STRING values:DT_STRING',
        ''),
    'ReaderReadV2': (
        'reader_handle:DT_RESOURCE queue_handle:DT_RESOURCE',
        'key:DT_STRING value:DT_STRING',
        ''),
    'ReaderReset': (
        '&reader_handle:DT_STRING',
        '',
        ''),
    'ReaderResetV2': (
        'reader_handle:DT_RESOURCE',
        '',
        ''),
    'ReaderRestoreState': (
        '&reader_handle:DT_STRING state:DT_STRING',
        '',
        ''),
    'ReaderRestoreStateV2': (
        'reader_handle:DT_RESOURCE state:DT_STRING',
        '',
        ''),
    'ReaderSerializeState': (
        '&reader_handle:DT_STRING',
        'state:DT_STRING',
        ''),
    'ReaderSerializeStateV2': (
        'reader_handle:DT_RESOURCE',
        'state:DT_STRING',
        ''),
    'Real': (
        'input:T',
        'output:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'RealDiv': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RebatchDataset': (
        'input_dataset:DT_VARIANT num_replicas:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) use_fallback:bool=true'),
    'RebatchDatasetV2': (
        'input_dataset:DT_VARIANT batch_sizes:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Reciprocal': (
        'x:T',
        'y:T',
        'T:type'),
    'ReciprocalGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'RecordInput': (
        '',
        'records:DT_STRING',
        'file_pattern:string file_random_seed:int=301 file_shuffle_shift_ratio:float=0.0 file_buffer_size:int=10000 file_parallelism:int=16 batch_size:int=32 compression_type:string=""'),
    'Recv': (
        '',
        'tensor:tensor_type',
        'tensor_type:type tensor_name:string send_device:string send_device_incarnation:int recv_device:string client_terminated:bool=false'),
    'RecvTPUEmbeddingActivations': (
        '',
        'outputs:num_outputs*DT_FLOAT',
        'num_outputs:int config:string'),
    'ReduceDataset': (
        'input_dataset:DT_VARIANT initial_state:*Tstate other_arguments:*Targuments',
        'components:*output_types',
        'f:func Tstate:list(type) Targuments:list(type) output_types:list(type) output_shapes:list(shape) use_inter_op_parallelism:bool=true metadata:string=""'),
    'ReduceJoin': (
        'inputs:DT_STRING reduction_indices:DT_INT32',
        'output:DT_STRING',
        'keep_dims:bool=false separator:string=""'),
    'RefEnter': (
        '&data:T',
        '&output:T',
        'T:type frame_name:string is_constant:bool=false parallel_iterations:int=10'),
    'RefExit': (
        '&data:T',
        '&output:T',
        'T:type'),
    'RefIdentity': (
        '&input:T',
        '&output:T',
        'T:type'),
    'RefIn': (
        '&a:T',
        '',
        'T:type'),
    'RefInputFloatInput': (
        '&a:DT_FLOAT b:DT_FLOAT',
        '',
        ''),
    'RefInputFloatInputIntOutput': (
        '&a:DT_FLOAT b:DT_FLOAT',
        'c:DT_INT32',
        ''),
    'RefInputIntInput': (
        '&a:DT_INT32 b:DT_INT32',
        '',
        ''),
    'RefMerge': (
        '&inputs:N*T',
        '&output:T value_index:DT_INT32',
        'T:type N:int'),
    'RefNextIteration': (
        '&data:T',
        '&output:T',
        'T:type'),
    'RefOut': (
        '',
        '&a:T',
        'T:type'),
    'RefOutput': (
        '',
        '&a:DT_INT32',
        ''),
    'RefOutputFloatOutput': (
        '',
        '&a:DT_FLOAT b:DT_FLOAT',
        ''),
    'RefSelect': (
        'index:DT_INT32 &inputs:N*T',
        '&output:T',
        'T:type N:int'),
    'RefSwitch': (
        '&data:T pred:DT_BOOL',
        '&output_false:T &output_true:T',
        'T:type'),
    'RegexFullMatch': (
        'input:DT_STRING pattern:DT_STRING',
        'output:DT_BOOL',
        ''),
    'RegexReplace': (
        'input:DT_STRING pattern:DT_STRING rewrite:DT_STRING',
        'output:DT_STRING',
        'replace_global:bool=true'),
    'RegisterDataset': (
        'dataset:DT_VARIANT address:DT_STRING protocol:DT_STRING',
        'dataset_id:DT_INT64',
        'external_state_policy:int element_spec:string="" metadata:string=""'),
    'RegisterDatasetV2': (
        'dataset:DT_VARIANT address:DT_STRING protocol:DT_STRING',
        'dataset_id:DT_STRING',
        'external_state_policy:int element_spec:string="" requested_dataset_id:string="" metadata:string=""'),
    'Relayout': (
        'input:T',
        'output:T',
        'layout:string T:type'),
    'RelayoutLike': (
        'input:T layout_input:U',
        'output:T',
        'T:type U:type'),
    'Relu': (
        'features:T',
        'activations:T',
        'T:type'),
    'Relu6': (
        'features:T',
        'activations:T',
        'T:type'),
    'Relu6Grad': (
        'gradients:T features:T',
        'backprops:T',
        'T:type'),
    'ReluGrad': (
        'gradients:T features:T',
        'backprops:T',
        'T:type'),
    'RemoteCall': (
        'target:DT_STRING args:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) f:func'),
    'RepeatDataset': (
        'input_dataset:DT_VARIANT count:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'RequantizationRange': (
        'input:Tinput input_min:DT_FLOAT input_max:DT_FLOAT',
        'output_min:DT_FLOAT output_max:DT_FLOAT',
        'Tinput:type'),
    'RequantizationRangePerChannel': (
        'input:T input_min:DT_FLOAT input_max:DT_FLOAT',
        'output_min:DT_FLOAT output_max:DT_FLOAT',
        'T:type="DT_QINT32" clip_value_max:float'),
    'Requantize': (
        'input:Tinput input_min:DT_FLOAT input_max:DT_FLOAT requested_output_min:DT_FLOAT requested_output_max:DT_FLOAT',
        'output:out_type output_min:DT_FLOAT output_max:DT_FLOAT',
        'Tinput:type out_type:type'),
    'RequantizePerChannel': (
        'input:T input_min:DT_FLOAT input_max:DT_FLOAT requested_output_min:DT_FLOAT requested_output_max:DT_FLOAT',
        'output:out_type output_min:DT_FLOAT output_max:DT_FLOAT',
        'T:type="DT_QINT32" out_type:type="DT_QUINT8"'),
    'RequiresOlderGraphVersion': (
        '',
        'version:DT_INT32',
        ''),
    'ReservedAttr': (
        '',
        '',
        'range:int'),
    'ReservedInput': (
        'input:DT_INT32',
        '',
        ''),
    'Reshape': (
        'tensor:T shape:Tshape',
        'output:T',
        'T:type Tshape:type="DT_INT32"'),
    'ResizeArea': (
        'images:T size:DT_INT32',
        'resized_images:DT_FLOAT',
        'T:type align_corners:bool=false'),
    'ResizeBicubic': (
        'images:T size:DT_INT32',
        'resized_images:DT_FLOAT',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResizeBicubicGrad': (
        'grads:DT_FLOAT original_image:T',
        'output:T',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResizeBilinear': (
        'images:T size:DT_INT32',
        'resized_images:DT_FLOAT',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResizeBilinearGrad': (
        'grads:DT_FLOAT original_image:T',
        'output:T',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResizeNearestNeighbor': (
        'images:T size:DT_INT32',
        'resized_images:T',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResizeNearestNeighborGrad': (
        'grads:T size:DT_INT32',
        'output:T',
        'T:type align_corners:bool=false half_pixel_centers:bool=false'),
    'ResourceAccumulatorApplyGradient': (
        'handle:DT_RESOURCE local_step:DT_INT64 gradient:dtype',
        '',
        'dtype:type'),
    'ResourceAccumulatorNumAccumulated': (
        'handle:DT_RESOURCE',
        'num_accumulated:DT_INT32',
        ''),
    'ResourceAccumulatorSetGlobalStep': (
        'handle:DT_RESOURCE new_global_step:DT_INT64',
        '',
        ''),
    'ResourceAccumulatorTakeGradient': (
        'handle:DT_RESOURCE num_required:DT_INT32',
        'average:dtype',
        'dtype:type'),
    'ResourceApplyAdaMax': (
        'var:DT_RESOURCE m:DT_RESOURCE v:DT_RESOURCE beta1_power:T lr:T beta1:T beta2:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyAdadelta': (
        'var:DT_RESOURCE accum:DT_RESOURCE accum_update:DT_RESOURCE lr:T rho:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyAdagrad': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T',
        '',
        'T:type use_locking:bool=false update_slots:bool=true'),
    'ResourceApplyAdagradDA': (
        'var:DT_RESOURCE gradient_accumulator:DT_RESOURCE gradient_squared_accumulator:DT_RESOURCE grad:T lr:T l1:T l2:T global_step:DT_INT64',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyAdagradV2': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false update_slots:bool=true'),
    'ResourceApplyAdam': (
        'var:DT_RESOURCE m:DT_RESOURCE v:DT_RESOURCE beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false use_nesterov:bool=false'),
    'ResourceApplyAdamWithAmsgrad': (
        'var:DT_RESOURCE m:DT_RESOURCE v:DT_RESOURCE vhat:DT_RESOURCE beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyAddSign': (
        'var:DT_RESOURCE m:DT_RESOURCE lr:T alpha:T sign_decay:T beta:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyCenteredRMSProp': (
        'var:DT_RESOURCE mg:DT_RESOURCE ms:DT_RESOURCE mom:DT_RESOURCE lr:T rho:T momentum:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyFtrl': (
        'var:DT_RESOURCE accum:DT_RESOURCE linear:DT_RESOURCE grad:T lr:T l1:T l2:T lr_power:T',
        '',
        'T:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ResourceApplyFtrlV2': (
        'var:DT_RESOURCE accum:DT_RESOURCE linear:DT_RESOURCE grad:T lr:T l1:T l2:T l2_shrinkage:T lr_power:T',
        '',
        'T:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ResourceApplyGradientDescent': (
        'var:DT_RESOURCE alpha:T delta:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyKerasMomentum': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T momentum:T',
        '',
        'T:type use_locking:bool=false use_nesterov:bool=false'),
    'ResourceApplyMomentum': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T momentum:T',
        '',
        'T:type use_locking:bool=false use_nesterov:bool=false'),
    'ResourceApplyPowerSign': (
        'var:DT_RESOURCE m:DT_RESOURCE lr:T logbase:T sign_decay:T beta:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyProximalAdagrad': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T l1:T l2:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyProximalGradientDescent': (
        'var:DT_RESOURCE alpha:T l1:T l2:T delta:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceApplyRMSProp': (
        'var:DT_RESOURCE ms:DT_RESOURCE mom:DT_RESOURCE lr:T rho:T momentum:T epsilon:T grad:T',
        '',
        'T:type use_locking:bool=false'),
    'ResourceConditionalAccumulator': (
        '',
        'handle:DT_RESOURCE',
        'dtype:type shape:shape container:string="" shared_name:string="" reduction_type:string="MEAN"'),
    'ResourceCountUpTo': (
        'resource:DT_RESOURCE',
        'output:T',
        'limit:int T:type'),
    'ResourceCreateOp': (
        'resource:DT_RESOURCE',
        '',
        ''),
    'ResourceGather': (
        'resource:DT_RESOURCE indices:Tindices',
        'output:dtype',
        'batch_dims:int=0 validate_indices:bool=true dtype:type Tindices:type'),
    'ResourceGatherNd': (
        'resource:DT_RESOURCE indices:Tindices',
        'output:dtype',
        'dtype:type Tindices:type'),
    'ResourceInitializedOp': (
        'resource:DT_RESOURCE',
        'initialized:DT_BOOL',
        ''),
    'ResourceScatterAdd': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterDiv': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterMax': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterMin': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterMul': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterNdAdd': (
        'ref:DT_RESOURCE indices:Tindices updates:T',
        '',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ResourceScatterNdMax': (
        'ref:DT_RESOURCE indices:Tindices updates:T',
        '',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ResourceScatterNdMin': (
        'ref:DT_RESOURCE indices:Tindices updates:T',
        '',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ResourceScatterNdSub': (
        'ref:DT_RESOURCE indices:Tindices updates:T',
        '',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ResourceScatterNdUpdate': (
        'ref:DT_RESOURCE indices:Tindices updates:T',
        '',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ResourceScatterSub': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceScatterUpdate': (
        'resource:DT_RESOURCE indices:Tindices updates:dtype',
        '',
        'dtype:type Tindices:type'),
    'ResourceSparseApplyAdadelta': (
        'var:DT_RESOURCE accum:DT_RESOURCE accum_update:DT_RESOURCE lr:T rho:T epsilon:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceSparseApplyAdagrad': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false update_slots:bool=true'),
    'ResourceSparseApplyAdagradDA': (
        'var:DT_RESOURCE gradient_accumulator:DT_RESOURCE gradient_squared_accumulator:DT_RESOURCE grad:T indices:Tindices lr:T l1:T l2:T global_step:DT_INT64',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceSparseApplyAdagradV2': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T epsilon:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false update_slots:bool=true'),
    'ResourceSparseApplyCenteredRMSProp': (
        'var:DT_RESOURCE mg:DT_RESOURCE ms:DT_RESOURCE mom:DT_RESOURCE lr:T rho:T momentum:T epsilon:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceSparseApplyFtrl': (
        'var:DT_RESOURCE accum:DT_RESOURCE linear:DT_RESOURCE grad:T indices:Tindices lr:T l1:T l2:T lr_power:T',
        '',
        'T:type Tindices:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ResourceSparseApplyFtrlV2': (
        'var:DT_RESOURCE accum:DT_RESOURCE linear:DT_RESOURCE grad:T indices:Tindices lr:T l1:T l2:T l2_shrinkage:T lr_power:T',
        '',
        'T:type Tindices:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'ResourceSparseApplyKerasMomentum': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T indices:Tindices momentum:T',
        '',
        'T:type Tindices:type use_locking:bool=false use_nesterov:bool=false'),
    'ResourceSparseApplyMomentum': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T grad:T indices:Tindices momentum:T',
        '',
        'T:type Tindices:type use_locking:bool=false use_nesterov:bool=false'),
    'ResourceSparseApplyProximalAdagrad': (
        'var:DT_RESOURCE accum:DT_RESOURCE lr:T l1:T l2:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceSparseApplyProximalGradientDescent': (
        'var:DT_RESOURCE alpha:T l1:T l2:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceSparseApplyRMSProp': (
        'var:DT_RESOURCE ms:DT_RESOURCE mom:DT_RESOURCE lr:T rho:T momentum:T epsilon:T grad:T indices:Tindices',
        '',
        'T:type Tindices:type use_locking:bool=false'),
    'ResourceStridedSliceAssign': (
        'ref:DT_RESOURCE begin:Index end:Index strides:Index value:T',
        '',
        'T:type Index:type begin_mask:int=0 end_mask:int=0 ellipsis_mask:int=0 new_axis_mask:int=0 shrink_axis_mask:int=0'),
    'ResourceUsingOp': (
        'resource:DT_RESOURCE',
        '',
        ''),
    'Restore': (
        'file_pattern:DT_STRING tensor_name:DT_STRING',
        'tensor:dt',
        'dt:type preferred_shard:int=-1'),
    'RestoreSlice': (
        'file_pattern:DT_STRING tensor_name:DT_STRING shape_and_slice:DT_STRING',
        'tensor:dt',
        'dt:type preferred_shard:int=-1'),
    'RestoreV2': (
        'prefix:DT_STRING tensor_names:DT_STRING shape_and_slices:DT_STRING',
        'tensors:*dtypes',
        'dtypes:list(type)'),
    'Restrict': (
        'a:T',
        'out:T',
        'T:type'),
    'RetrieveAllTPUEmbeddingParameters': (
        '',
        'parameters:NumTables*DT_FLOAT auxiliary1:NumTables*DT_FLOAT auxiliary2:NumTables*DT_FLOAT auxiliary3:NumTables*DT_FLOAT auxiliary4:NumTables*DT_FLOAT auxiliary5:NumTables*DT_FLOAT auxiliary6:NumTables*DT_FLOAT auxiliary7:NumTables*DT_FLOAT',
        'NumTables:int config:string num_shards:int shard_id:int'),
    'RetrieveTPUEmbeddingADAMParameters': (
        '',
        'parameters:DT_FLOAT momenta:DT_FLOAT velocities:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingAdadeltaParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT updates:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingAdagradMomentumParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT momenta:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingAdagradParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingCenteredRMSPropParameters': (
        '',
        'parameters:DT_FLOAT ms:DT_FLOAT mom:DT_FLOAT mg:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingFTRLParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT linears:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingFrequencyEstimatorParameters': (
        '',
        'parameters:DT_FLOAT last_hit_step:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingMDLAdagradLightParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT weights:DT_FLOAT benefits:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingMomentumParameters': (
        '',
        'parameters:DT_FLOAT momenta:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingProximalAdagradParameters': (
        '',
        'parameters:DT_FLOAT accumulators:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingProximalYogiParameters': (
        '',
        'parameters:DT_FLOAT v:DT_FLOAT m:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingRMSPropParameters': (
        '',
        'parameters:DT_FLOAT ms:DT_FLOAT mom:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'RetrieveTPUEmbeddingStochasticGradientDescentParameters': (
        '',
        'parameters:DT_FLOAT',
        'table_id:int=-1 table_name:string="" num_shards:int shard_id:int config:string=""'),
    'Reverse': (
        'tensor:T dims:DT_BOOL',
        'output:T',
        'T:type'),
    'ReverseSequence': (
        'input:T seq_lengths:Tlen',
        'output:T',
        'seq_dim:int batch_dim:int=0 T:type Tlen:type="DT_INT64"'),
    'ReverseV2': (
        'tensor:T axis:Tidx',
        'output:T',
        'Tidx:type="DT_INT32" T:type'),
    'RewriteDataset': (
        'input_dataset:DT_VARIANT rewrite_name:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'RightShift': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'Rint': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscAbs': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscAdd': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscBinaryArithmetic': (
        'x:T y:T',
        'z:T',
        'op_type:string T:type'),
    'RiscBinaryComparison': (
        'x:T y:T',
        'z:DT_BOOL',
        'op_type:string T:type'),
    'RiscBitcast': (
        'x:SrcT',
        'y:DstT',
        'SrcT:type DstT:type'),
    'RiscBroadcast': (
        'input:T shape:Tidx',
        'output:T',
        'T:type Tidx:type="DT_INT32"'),
    'RiscCast': (
        'x:SrcT',
        'y:DstT',
        'SrcT:type DstT:type'),
    'RiscCeil': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscCholesky': (
        'input:T',
        'output:T',
        'T:type'),
    'RiscConcat': (
        'values:N*T axis:Tidx',
        'output:T',
        'N:int T:type Tidx:type="DT_INT32"'),
    'RiscCondition': (
        'pred:DT_BOOL input_true:SrcT input_false:SrcT',
        'output:DstT',
        'func_true:func func_false:func SrcT:type DstT:type'),
    'RiscConv': (
        'input:T filter:T',
        'output:T',
        'T:type strides:list(int) data_format:string="NHWC" dilations:list(int)=[1,1,1,1]'),
    'RiscCos': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscDiv': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscDot': (
        'a:T b:T',
        'product:T',
        'transpose_a:bool=false transpose_b:bool=false T:type'),
    'RiscExp': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscFft': (
        'input:Tcomplex',
        'output:Tcomplex',
        'Tcomplex:type="DT_COMPLEX64"'),
    'RiscFloor': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscGather': (
        'params:Tparams indices:Tindices axis:Taxis',
        'output:Tparams',
        'batch_dims:int=0 Tparams:type Tindices:type Taxis:type'),
    'RiscImag': (
        'input:T',
        'output:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'RiscIsFinite': (
        'x:T',
        'y:DT_BOOL',
        'T:type'),
    'RiscLog': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscLogicalAnd': (
        'x:DT_BOOL y:DT_BOOL',
        'z:DT_BOOL',
        ''),
    'RiscLogicalNot': (
        'x:DT_BOOL',
        'z:DT_BOOL',
        ''),
    'RiscLogicalOr': (
        'x:DT_BOOL y:DT_BOOL',
        'z:DT_BOOL',
        ''),
    'RiscMax': (
        'x:T y:T',
        'max:T',
        'T:type'),
    'RiscMin': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscMul': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscNeg': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscPad': (
        'input:T paddings:Tpaddings constant_values:T',
        'output:T',
        'T:type Tpaddings:type="DT_INT32"'),
    'RiscPool': (
        'value:T',
        'output:T',
        'ksize:list(int) strides:list(int) pooling_type:string data_format:string="NHWC" T:type'),
    'RiscPow': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscRandomUniform': (
        'shape:T',
        'output:DT_FLOAT',
        'seed:int=0 T:type'),
    'RiscReal': (
        'input:T',
        'output:Tout',
        'T:type="DT_COMPLEX64" Tout:type="DT_FLOAT"'),
    'RiscReduce': (
        'tensor:T axis:Index',
        'output:T',
        'reduce_type:string Index:type="DT_INT32" T:type'),
    'RiscRem': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscReshape': (
        'tensor:T shape:Tshape',
        'output:T',
        'T:type Tshape:type="DT_INT32"'),
    'RiscReverse': (
        'tensor:T axis:Tidx',
        'output:T',
        'Tidx:type="DT_INT32" T:type'),
    'RiscScatter': (
        'indices:Tindices updates:T shape:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'RiscShape': (
        'input:T',
        'output:out_type',
        'T:type out_type:type="DT_INT32"'),
    'RiscSign': (
        'x:T',
        'y:T',
        'T:type'),
    'RiscSlice': (
        'input:T begin:Index size:Index',
        'output:T',
        'T:type Index:type'),
    'RiscSort': (
        'input:T axis:Index',
        'output:T',
        'Index:type="DT_INT32" T:type direction:string'),
    'RiscSqueeze': (
        'input:T',
        'output:T',
        'T:type squeeze_dims:list(int)=[]'),
    'RiscSub': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'RiscTranspose': (
        'x:T perm:Tperm',
        'y:T',
        'T:type Tperm:type="DT_INT32"'),
    'RiscTriangularSolve': (
        'matrix:T rhs:T',
        'output:T',
        'lower:bool=true adjoint:bool=false T:type'),
    'RiscUnary': (
        'x:T',
        'y:T',
        'op_type:string T:type'),
    'RiscWhile': (
        'input:*T',
        'output:*T',
        'T:list(type) cond:func body:func output_shapes:list(shape)=[] parallel_iterations:int=10'),
    'RngReadAndSkip': (
        'resource:DT_RESOURCE alg:DT_INT32 delta:DT_UINT64',
        'value:DT_INT64',
        ''),
    'RngSkip': (
        'resource:DT_RESOURCE algorithm:DT_INT64 delta:DT_INT64',
        '',
        ''),
    'Roll': (
        'input:T shift:Tshift axis:Taxis',
        'output:T',
        'T:type Tshift:type Taxis:type'),
    'Round': (
        'x:T',
        'y:T',
        'T:type'),
    'RpcCall': (
        'client:DT_RESOURCE method_name:DT_STRING args:*Tin timeout_in_ms:DT_INT64',
        'future:DT_RESOURCE deleter:DT_VARIANT',
        'Tin:list(type)'),
    'RpcCheckStatus': (
        'status_or:DT_RESOURCE',
        'error_code:DT_INT64 error:DT_STRING',
        ''),
    'RpcClient': (
        'server_address:DT_STRING timeout_in_ms:DT_INT64',
        'client:DT_RESOURCE method_specs:DT_STRING',
        'shared_name:string="" list_registered_methods:bool=false'),
    'RpcGetValue': (
        'status_or:DT_RESOURCE',
        'output:*Tout',
        'Tout:list(type)'),
    'RpcServer': (
        'server_address:DT_STRING',
        'server:DT_RESOURCE',
        ''),
    'RpcServerRegister': (
        'server:DT_RESOURCE method_name:DT_STRING captured_inputs:*Tin',
        '',
        'Tin:list(type)=[] f:func input_specs:string="" output_specs:string'),
    'RpcServerStart': (
        'server:DT_RESOURCE',
        '',
        ''),
    'Rsqrt': (
        'x:T',
        'y:T',
        'T:type'),
    'RsqrtGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'SampleDistortedBoundingBox': (
        'image_size:T bounding_boxes:DT_FLOAT',
        'begin:T size:T bboxes:DT_FLOAT',
        'T:type seed:int=0 seed2:int=0 min_object_covered:float=0.10000000149011612 aspect_ratio_range:list(float)=[0.75,1.3300000429153442] area_range:list(float)=[0.05000000074505806,1.0] max_attempts:int=100 use_image_if_no_bounding_boxes:bool=false'),
    'SampleDistortedBoundingBoxV2': (
        'image_size:T bounding_boxes:DT_FLOAT min_object_covered:DT_FLOAT',
        'begin:T size:T bboxes:DT_FLOAT',
        'T:type seed:int=0 seed2:int=0 aspect_ratio_range:list(float)=[0.75,1.3300000429153442] area_range:list(float)=[0.05000000074505806,1.0] max_attempts:int=100 use_image_if_no_bounding_boxes:bool=false'),
    'SamplingDataset': (
        'input_dataset:DT_VARIANT rate:DT_FLOAT seed:DT_INT64 seed2:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Save': (
        'filename:DT_STRING tensor_names:DT_STRING data:*T',
        '',
        'T:list(type)'),
    'SaveDataset': (
        'input_dataset:DT_VARIANT path:DT_STRING shard_func_other_args:*Tshard_func_args',
        '',
        'compression:string="" shard_func:func use_shard_func:bool=true Tshard_func_args:list(type)'),
    'SaveDatasetV2': (
        'input_dataset:DT_VARIANT path:DT_STRING shard_func_other_args:*Tshard_func_args',
        'handle:DT_VARIANT',
        'compression:string="" shard_func:func use_shard_func:bool=true Tshard_func_args:list(type) output_types:list(type) output_shapes:list(shape)'),
    'SaveSlices': (
        'filename:DT_STRING tensor_names:DT_STRING shapes_and_slices:DT_STRING data:*T',
        '',
        'T:list(type)'),
    'SaveV2': (
        'prefix:DT_STRING tensor_names:DT_STRING shape_and_slices:DT_STRING tensors:*dtypes',
        '',
        'dtypes:list(type)'),
    'ScalarSummary': (
        'tags:DT_STRING values:T',
        'summary:DT_STRING',
        'T:type'),
    'ScaleAndTranslate': (
        'images:T size:DT_INT32 scale:DT_FLOAT translation:DT_FLOAT',
        'resized_images:DT_FLOAT',
        'T:type kernel_type:string="lanczos3" antialias:bool=true'),
    'ScaleAndTranslateGrad': (
        'grads:T original_image:T scale:DT_FLOAT translation:DT_FLOAT',
        'output:T',
        'T:type kernel_type:string="lanczos3" antialias:bool=true'),
    'ScanDataset': (
        'input_dataset:DT_VARIANT initial_state:*Tstate other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'f:func Tstate:list(type) Targuments:list(type) output_types:list(type) output_shapes:list(shape) preserve_cardinality:bool=false use_default_device:bool=true metadata:string=""'),
    'ScatterAdd': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterDiv': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterMax': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterMin': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterMul': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterNd': (
        'indices:Tindices updates:T shape:Tindices',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'ScatterNdAdd': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false bad_indices_policy:string=""'),
    'ScatterNdMax': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false bad_indices_policy:string=""'),
    'ScatterNdMin': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false bad_indices_policy:string=""'),
    'ScatterNdNonAliasingAdd': (
        'input:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'ScatterNdSub': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false bad_indices_policy:string=""'),
    'ScatterNdUpdate': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=true bad_indices_policy:string=""'),
    'ScatterSub': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=false'),
    'ScatterUpdate': (
        '&ref:T indices:Tindices updates:T',
        '&output_ref:T',
        'T:type Tindices:type use_locking:bool=true'),
    'SdcaFprint': (
        'input:DT_STRING',
        'output:DT_INT64',
        ''),
    'SdcaOptimizer': (
        'sparse_example_indices:num_sparse_features*DT_INT64 sparse_feature_indices:num_sparse_features*DT_INT64 sparse_feature_values:num_sparse_features_with_values*DT_FLOAT dense_features:num_dense_features*DT_FLOAT example_weights:DT_FLOAT example_labels:DT_FLOAT sparse_indices:num_sparse_features*DT_INT64 sparse_weights:num_sparse_features*DT_FLOAT dense_weights:num_dense_features*DT_FLOAT example_state_data:DT_FLOAT',
        'out_example_state_data:DT_FLOAT out_delta_sparse_weights:num_sparse_features*DT_FLOAT out_delta_dense_weights:num_dense_features*DT_FLOAT',
        'loss_type:string adaptative:bool=false num_sparse_features:int num_sparse_features_with_values:int num_dense_features:int l1:float l2:float num_loss_partitions:int num_inner_iterations:int'),
    'SdcaOptimizerV2': (
        'sparse_example_indices:num_sparse_features*DT_INT64 sparse_feature_indices:num_sparse_features*DT_INT64 sparse_feature_values:num_sparse_features_with_values*DT_FLOAT dense_features:num_dense_features*DT_FLOAT example_weights:DT_FLOAT example_labels:DT_FLOAT sparse_indices:num_sparse_features*DT_INT64 sparse_weights:num_sparse_features*DT_FLOAT dense_weights:num_dense_features*DT_FLOAT example_state_data:DT_FLOAT',
        'out_example_state_data:DT_FLOAT out_delta_sparse_weights:num_sparse_features*DT_FLOAT out_delta_dense_weights:num_dense_features*DT_FLOAT',
        'loss_type:string adaptive:bool=false num_sparse_features:int num_sparse_features_with_values:int num_dense_features:int l1:float l2:float num_loss_partitions:int num_inner_iterations:int'),
    'SdcaShrinkL1': (
        '&weights:num_features*DT_FLOAT',
        '',
        'num_features:int l1:float l2:float'),
    'SegmentMax': (
        'data:T segment_ids:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'SegmentMaxV2': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'SegmentMean': (
        'data:T segment_ids:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'SegmentMin': (
        'data:T segment_ids:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'SegmentMinV2': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'SegmentProd': (
        'data:T segment_ids:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'SegmentProdV2': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'SegmentSum': (
        'data:T segment_ids:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'SegmentSumV2': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'Select': (
        'condition:DT_BOOL t:T e:T',
        'output:T',
        'T:type'),
    'SelectV2': (
        'condition:DT_BOOL t:T e:T',
        'output:T',
        'T:type'),
    'SelfAdjointEig': (
        'input:T',
        'output:T',
        'T:type'),
    'SelfAdjointEigV2': (
        'input:T',
        'e:T v:T',
        'compute_v:bool=true T:type'),
    'Selu': (
        'features:T',
        'activations:T',
        'T:type'),
    'SeluGrad': (
        'gradients:T outputs:T',
        'backprops:T',
        'T:type'),
    'Send': (
        'tensor:T',
        '',
        'T:type tensor_name:string send_device:string send_device_incarnation:int recv_device:string client_terminated:bool=false'),
    'SendTPUEmbeddingGradients': (
        'inputs:N*DT_FLOAT learning_rates:NN*DT_FLOAT',
        '',
        'N:int NN:int=0 config:string'),
    'SerializeIterator': (
        'resource_handle:DT_RESOURCE',
        'serialized:DT_VARIANT',
        'external_state_policy:int=0'),
    'SerializeManySparse': (
        'sparse_indices:DT_INT64 sparse_values:T sparse_shape:DT_INT64',
        'serialized_sparse:out_type',
        'T:type out_type:type="DT_STRING"'),
    'SerializeSparse': (
        'sparse_indices:DT_INT64 sparse_values:T sparse_shape:DT_INT64',
        'serialized_sparse:out_type',
        'T:type out_type:type="DT_STRING"'),
    'SerializeTensor': (
        'tensor:T',
        'serialized:DT_STRING',
        'T:type'),
    'SetSize': (
        'set_indices:DT_INT64 set_values:T set_shape:DT_INT64',
        'size:DT_INT32',
        'validate_indices:bool=true T:type'),
    'SetStatsAggregatorDataset': (
        'input_dataset:DT_VARIANT stats_aggregator:DT_RESOURCE tag:DT_STRING counter_prefix:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Shape': (
        'input:T',
        'output:out_type',
        'T:type out_type:type="DT_INT32"'),
    'ShapeN': (
        'input:N*T',
        'output:N*out_type',
        'N:int T:type out_type:type="DT_INT32"'),
    'ShardDataset': (
        'input_dataset:DT_VARIANT num_shards:DT_INT64 index:DT_INT64',
        'handle:DT_VARIANT',
        'require_non_empty:bool=false output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ShardedFilename': (
        'basename:DT_STRING shard:DT_INT32 num_shards:DT_INT32',
        'filename:DT_STRING',
        ''),
    'ShardedFilespec': (
        'basename:DT_STRING num_shards:DT_INT32',
        'filename:DT_STRING',
        ''),
    'ShuffleAndRepeatDataset': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64 seed:DT_INT64 seed2:DT_INT64 count:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) reshuffle_each_iteration:bool=true metadata:string=""'),
    'ShuffleAndRepeatDatasetV2': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64 seed:DT_INT64 seed2:DT_INT64 count:DT_INT64 seed_generator:DT_RESOURCE',
        'handle:DT_VARIANT',
        'reshuffle_each_iteration:bool=true output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ShuffleDataset': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64 seed:DT_INT64 seed2:DT_INT64',
        'handle:DT_VARIANT',
        'reshuffle_each_iteration:bool=true output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ShuffleDatasetV2': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64 seed_generator:DT_RESOURCE',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ShuffleDatasetV3': (
        'input_dataset:DT_VARIANT buffer_size:DT_INT64 seed:DT_INT64 seed2:DT_INT64 seed_generator:DT_RESOURCE',
        'handle:DT_VARIANT',
        'reshuffle_each_iteration:bool=true output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'ShutdownDistributedTPU': (
        '',
        '',
        ''),
    'ShutdownTPUSystem': (
        '',
        'success:DT_BOOL',
        ''),
    'Sigmoid': (
        'x:T',
        'y:T',
        'T:type'),
    'SigmoidGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'Sign': (
        'x:T',
        'y:T',
        'T:type'),
    'Simple': (
        'a:DT_INT32',
        'out:DT_FLOAT',
        ''),
    'SimpleStruct': (
        '',
        'a:n_a*DT_INT32',
        'n_a:int'),
    'Sin': (
        'x:T',
        'y:T',
        'T:type'),
    'Sinh': (
        'x:T',
        'y:T',
        'T:type'),
    'Size': (
        'input:T',
        'output:out_type',
        'T:type out_type:type="DT_INT32"'),
    'SkipDataset': (
        'input_dataset:DT_VARIANT count:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'Skipgram': (
        '',
        'vocab_word:DT_STRING vocab_freq:DT_INT32 words_per_epoch:DT_INT64 current_epoch:DT_INT32 total_words_processed:DT_INT64 examples:DT_INT32 labels:DT_INT32',
        'filename:string batch_size:int window_size:int=5 min_count:int=5 subsample:float=0.0010000000474974513'),
    'SleepDataset': (
        'input_dataset:DT_VARIANT sleep_microseconds:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'SleepIdentityOp': (
        'sleep_seconds:DT_INT32 input:T',
        'output:T',
        'T:type'),
    'SleepOp': (
        'sleep_seconds:DT_INT32',
        '',
        ''),
    'Slice': (
        'input:T begin:Index size:Index',
        'output:T',
        'T:type Index:type'),
    'SlidingWindowDataset': (
        'input_dataset:DT_VARIANT window_size:DT_INT64 window_shift:DT_INT64 window_stride:DT_INT64',
        'handle:DT_VARIANT',
        'drop_remainder:bool=true output_types:list(type) output_shapes:list(shape)'),
    'Snapshot': (
        'input:T',
        'output:T',
        'T:type'),
    'SnapshotChunkDataset': (
        'chunk_file:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) compression:string=""'),
    'SnapshotDataset': (
        'input_dataset:DT_VARIANT path:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) compression:string="" reader_path_prefix:string="" writer_path_prefix:string="" shard_size_bytes:int=10737418240 pending_snapshot_expiry_seconds:int=86400 num_reader_threads:int=1 reader_buffer_size:int=1 num_writer_threads:int=1 writer_buffer_size:int=1 shuffle_on_read:bool=false seed:int=0 seed2:int=0 mode:string="auto" snapshot_name:string=""'),
    'SnapshotDatasetReader': (
        'shard_dir:DT_STRING start_index:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) compression:string="" version:int'),
    'SnapshotDatasetV2': (
        'input_dataset:DT_VARIANT path:DT_STRING reader_func_other_args:*Treader_func_args shard_func_other_args:*Tshard_func_args',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) compression:string="" reader_prefix:string="" writer_prefix:string="" hash_valid:bool=false hash:int=0 reader_func:func shard_func:func Treader_func_args:list(type) Tshard_func_args:list(type) metadata:string=""'),
    'SnapshotNestedDatasetReader': (
        'inputs:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) N:int'),
    'SobolSample': (
        'dim:DT_INT32 num_results:DT_INT32 skip:DT_INT32',
        'samples:dtype',
        'dtype:type="DT_FLOAT"'),
    'Softmax': (
        'logits:T',
        'softmax:T',
        'T:type'),
    'SoftmaxCrossEntropyWithLogits': (
        'features:T labels:T',
        'loss:T backprop:T',
        'T:type'),
    'Softplus': (
        'features:T',
        'activations:T',
        'T:type'),
    'SoftplusGrad': (
        'gradients:T features:T',
        'backprops:T',
        'T:type'),
    'Softsign': (
        'features:T',
        'activations:T',
        'T:type'),
    'SoftsignGrad': (
        'gradients:T features:T',
        'backprops:T',
        'T:type'),
    'SortListOfSparseCoreCooTensors': (
        'row_ids_list:N*DT_INT32 col_ids_list:N*DT_INT32 gains_list:N*DT_FLOAT',
        'sorted_row_ids:DT_INT32 sorted_col_ids:DT_INT32 sorted_gains:DT_FLOAT id_counts:DT_INT32',
        'sample_count_list:list(int) col_offset_list:list(int) num_replica:int table_vocab_size:int feature_width:int num_sc_per_chip:int max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string N:int'),
    'SpaceToBatch': (
        'input:T paddings:Tpaddings',
        'output:T',
        'T:type Tpaddings:type="DT_INT32" block_size:int'),
    'SpaceToBatchND': (
        'input:T block_shape:Tblock_shape paddings:Tpaddings',
        'output:T',
        'T:type Tblock_shape:type="DT_INT32" Tpaddings:type="DT_INT32"'),
    'SpaceToDepth': (
        'input:T',
        'output:T',
        'T:type block_size:int data_format:string="NHWC"'),
    'SparseAccumulatorApplyGradient': (
        '&handle:DT_STRING local_step:DT_INT64 gradient_indices:DT_INT64 gradient_values:dtype gradient_shape:DT_INT64',
        '',
        'dtype:type has_known_shape:bool'),
    'SparseAccumulatorTakeGradient': (
        '&handle:DT_STRING num_required:DT_INT32',
        'indices:DT_INT64 values:dtype shape:DT_INT64',
        'dtype:type'),
    'SparseAdd': (
        'a_indices:DT_INT64 a_values:T a_shape:DT_INT64 b_indices:DT_INT64 b_values:T b_shape:DT_INT64 thresh:Treal',
        'sum_indices:DT_INT64 sum_values:T sum_shape:DT_INT64',
        'T:type Treal:type'),
    'SparseAddGrad': (
        'backprop_val_grad:T a_indices:DT_INT64 b_indices:DT_INT64 sum_indices:DT_INT64',
        'a_val_grad:T b_val_grad:T',
        'T:type'),
    'SparseApplyAdadelta': (
        '&var:T &accum:T &accum_update:T lr:T rho:T epsilon:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseApplyAdagrad': (
        '&var:T &accum:T lr:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false update_slots:bool=true'),
    'SparseApplyAdagradDA': (
        '&var:T &gradient_accumulator:T &gradient_squared_accumulator:T grad:T indices:Tindices lr:T l1:T l2:T global_step:DT_INT64',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseApplyAdagradV2': (
        '&var:T &accum:T lr:T epsilon:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false update_slots:bool=true'),
    'SparseApplyCenteredRMSProp': (
        '&var:T &mg:T &ms:T &mom:T lr:T rho:T momentum:T epsilon:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseApplyFtrl': (
        '&var:T &accum:T &linear:T grad:T indices:Tindices lr:T l1:T l2:T lr_power:T',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'SparseApplyFtrlV2': (
        '&var:T &accum:T &linear:T grad:T indices:Tindices lr:T l1:T l2:T l2_shrinkage:T lr_power:T',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false multiply_linear_by_lr:bool=false'),
    'SparseApplyMomentum': (
        '&var:T &accum:T lr:T grad:T indices:Tindices momentum:T',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false use_nesterov:bool=false'),
    'SparseApplyProximalAdagrad': (
        '&var:T &accum:T lr:T l1:T l2:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseApplyProximalGradientDescent': (
        '&var:T alpha:T l1:T l2:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseApplyRMSProp': (
        '&var:T &ms:T &mom:T lr:T rho:T momentum:T epsilon:T grad:T indices:Tindices',
        '&out:T',
        'T:type Tindices:type use_locking:bool=false'),
    'SparseBincount': (
        'indices:DT_INT64 values:Tidx dense_shape:DT_INT64 size:Tidx weights:T',
        'output:T',
        'Tidx:type T:type binary_output:bool=false'),
    'SparseConcat': (
        'indices:N*DT_INT64 values:N*T shapes:N*DT_INT64',
        'output_indices:DT_INT64 output_values:T output_shape:DT_INT64',
        'concat_dim:int N:int T:type'),
    'SparseConditionalAccumulator': (
        '',
        '&handle:DT_STRING',
        'dtype:type shape:shape container:string="" shared_name:string="" reduction_type:string="MEAN"'),
    'SparseCountSparseOutput': (
        'indices:DT_INT64 values:T dense_shape:DT_INT64 weights:output_type',
        'output_indices:DT_INT64 output_values:output_type output_dense_shape:DT_INT64',
        'T:type minlength:int=-1 maxlength:int=-1 binary_output:bool output_type:type'),
    'SparseCross': (
        'indices:N*DT_INT64 values:*sparse_types shapes:N*DT_INT64 dense_inputs:*dense_types',
        'output_indices:DT_INT64 output_values:out_type output_shape:DT_INT64',
        'N:int hashed_output:bool num_buckets:int hash_key:int sparse_types:list(type) dense_types:list(type) out_type:type internal_type:type'),
    'SparseCrossHashed': (
        'indices:N*DT_INT64 values:*sparse_types shapes:N*DT_INT64 dense_inputs:*dense_types num_buckets:DT_INT64 strong_hash:DT_BOOL salt:DT_INT64',
        'output_indices:DT_INT64 output_values:DT_INT64 output_shape:DT_INT64',
        'N:int sparse_types:list(type) dense_types:list(type)'),
    'SparseCrossV2': (
        'indices:N*DT_INT64 values:*sparse_types shapes:N*DT_INT64 dense_inputs:*dense_types sep:DT_STRING',
        'output_indices:DT_INT64 output_values:DT_STRING output_shape:DT_INT64',
        'N:int sparse_types:list(type) dense_types:list(type)'),
    'SparseDenseCwiseAdd': (
        'sp_indices:DT_INT64 sp_values:T sp_shape:DT_INT64 dense:T',
        'output:T',
        'T:type'),
    'SparseDenseCwiseDiv': (
        'sp_indices:DT_INT64 sp_values:T sp_shape:DT_INT64 dense:T',
        'output:T',
        'T:type'),
    'SparseDenseCwiseMul': (
        'sp_indices:DT_INT64 sp_values:T sp_shape:DT_INT64 dense:T',
        'output:T',
        'T:type'),
    'SparseFillEmptyRows': (
        'indices:DT_INT64 values:T dense_shape:DT_INT64 default_value:T',
        'output_indices:DT_INT64 output_values:T empty_row_indicator:DT_BOOL reverse_index_map:DT_INT64',
        'T:type'),
    'SparseFillEmptyRowsGrad': (
        'reverse_index_map:DT_INT64 grad_values:T',
        'd_values:T d_default_value:T',
        'T:type'),
    'SparseMatMul': (
        'a:Ta b:Tb',
        'product:DT_FLOAT',
        'transpose_a:bool=false transpose_b:bool=false a_is_sparse:bool=false b_is_sparse:bool=false Ta:type="DT_FLOAT" Tb:type="DT_FLOAT"'),
    'SparseMatrixAdd': (
        'a:DT_VARIANT b:DT_VARIANT alpha:T beta:T',
        'c:DT_VARIANT',
        'T:type'),
    'SparseMatrixMatMul': (
        'a:DT_VARIANT b:T',
        'output:T',
        'T:type transpose_a:bool=false transpose_b:bool=false adjoint_a:bool=false adjoint_b:bool=false transpose_output:bool=false conjugate_output:bool=false'),
    'SparseMatrixMul': (
        'a:DT_VARIANT b:T',
        'output:DT_VARIANT',
        'T:type'),
    'SparseMatrixNNZ': (
        'sparse_matrix:DT_VARIANT',
        'nnz:DT_INT32',
        ''),
    'SparseMatrixOrderingAMD': (
        'input:DT_VARIANT',
        'output:DT_INT32',
        ''),
    'SparseMatrixSoftmax': (
        'logits:DT_VARIANT',
        'softmax:DT_VARIANT',
        'type:type'),
    'SparseMatrixSoftmaxGrad': (
        'softmax:DT_VARIANT grad_softmax:DT_VARIANT',
        'gradient:DT_VARIANT',
        'type:type'),
    'SparseMatrixSparseCholesky': (
        'input:DT_VARIANT permutation:DT_INT32',
        'output:DT_VARIANT',
        'type:type'),
    'SparseMatrixSparseMatMul': (
        'a:DT_VARIANT b:DT_VARIANT',
        'c:DT_VARIANT',
        'type:type transpose_a:bool=false transpose_b:bool=false adjoint_a:bool=false adjoint_b:bool=false'),
    'SparseMatrixTranspose': (
        'input:DT_VARIANT',
        'output:DT_VARIANT',
        'conjugate:bool=false type:type'),
    'SparseMatrixZeros': (
        'dense_shape:DT_INT64',
        'sparse_matrix:DT_VARIANT',
        'type:type'),
    'SparseReduceMax': (
        'input_indices:DT_INT64 input_values:T input_shape:DT_INT64 reduction_axes:DT_INT32',
        'output:T',
        'keep_dims:bool=false T:type'),
    'SparseReduceMaxSparse': (
        'input_indices:DT_INT64 input_values:T input_shape:DT_INT64 reduction_axes:DT_INT32',
        'output_indices:DT_INT64 output_values:T output_shape:DT_INT64',
        'keep_dims:bool=false T:type'),
    'SparseReduceSum': (
        'input_indices:DT_INT64 input_values:T input_shape:DT_INT64 reduction_axes:DT_INT32',
        'output:T',
        'keep_dims:bool=false T:type'),
    'SparseReduceSumSparse': (
        'input_indices:DT_INT64 input_values:T input_shape:DT_INT64 reduction_axes:DT_INT32',
        'output_indices:DT_INT64 output_values:T output_shape:DT_INT64',
        'keep_dims:bool=false T:type'),
    'SparseReorder': (
        'input_indices:DT_INT64 input_values:T input_shape:DT_INT64',
        'output_indices:DT_INT64 output_values:T',
        'T:type'),
    'SparseReshape': (
        'input_indices:DT_INT64 input_shape:DT_INT64 new_shape:DT_INT64',
        'output_indices:DT_INT64 output_shape:DT_INT64',
        ''),
    'SparseSegmentMean': (
        'data:T indices:Tidx segment_ids:Tsegmentids',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSegmentMeanGrad': (
        'grad:T indices:Tidx segment_ids:Tsegmentids output_dim0:DT_INT32',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentMeanGradV2': (
        'grad:T indices:Tidx segment_ids:Tsegmentids dense_output_dim0:DT_INT32',
        'output:T sorted_unique_indices:Tidx',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentMeanWithNumSegments': (
        'data:T indices:Tidx segment_ids:Tsegmentids num_segments:Tnumsegments',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tnumsegments:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSegmentSqrtN': (
        'data:T indices:Tidx segment_ids:Tsegmentids',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSegmentSqrtNGrad': (
        'grad:T indices:Tidx segment_ids:Tsegmentids output_dim0:DT_INT32',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentSqrtNGradV2': (
        'grad:T indices:Tidx segment_ids:Tsegmentids dense_output_dim0:DT_INT32',
        'output:T sorted_unique_indices:Tidx',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentSqrtNWithNumSegments': (
        'data:T indices:Tidx segment_ids:Tsegmentids num_segments:Tnumsegments',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tnumsegments:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSegmentSum': (
        'data:T indices:Tidx segment_ids:Tsegmentids',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSegmentSumGrad': (
        'grad:T indices:Tidx segment_ids:Tsegmentids output_dim0:DT_INT32',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentSumGradV2': (
        'grad:T indices:Tidx segment_ids:Tsegmentids dense_output_dim0:DT_INT32',
        'output:T sorted_unique_indices:Tidx',
        'T:type Tidx:type="DT_INT32" Tsegmentids:type="DT_INT32"'),
    'SparseSegmentSumWithNumSegments': (
        'data:T indices:Tidx segment_ids:Tsegmentids num_segments:Tnumsegments',
        'output:T',
        'T:type Tidx:type="DT_INT32" Tnumsegments:type="DT_INT32" Tsegmentids:type="DT_INT32" sparse_gradient:bool=false'),
    'SparseSlice': (
        'indices:DT_INT64 values:T shape:DT_INT64 start:DT_INT64 size:DT_INT64',
        'output_indices:DT_INT64 output_values:T output_shape:DT_INT64',
        'T:type'),
    'SparseSliceGrad': (
        'backprop_val_grad:T input_indices:DT_INT64 input_start:DT_INT64 output_indices:DT_INT64',
        'val_grad:T',
        'T:type'),
    'SparseSoftmax': (
        'sp_indices:DT_INT64 sp_values:T sp_shape:DT_INT64',
        'output:T',
        'T:type'),
    'SparseSoftmaxCrossEntropyWithLogits': (
        'features:T labels:Tlabels',
        'loss:T backprop:T',
        'T:type Tlabels:type="DT_INT64"'),
    'SparseSparseMaximum': (
        'a_indices:DT_INT64 a_values:T a_shape:DT_INT64 b_indices:DT_INT64 b_values:T b_shape:DT_INT64',
        'output_indices:DT_INT64 output_values:T',
        'T:type'),
    'SparseSparseMinimum': (
        'a_indices:DT_INT64 a_values:T a_shape:DT_INT64 b_indices:DT_INT64 b_values:T b_shape:DT_INT64',
        'output_indices:DT_INT64 output_values:T',
        'T:type'),
    'SparseSplit': (
        'split_dim:DT_INT64 indices:DT_INT64 values:T shape:DT_INT64',
        'output_indices:num_split*DT_INT64 output_values:num_split*T output_shape:num_split*DT_INT64',
        'num_split:int T:type'),
    'SparseTensorDenseAdd': (
        'a_indices:Tindices a_values:T a_shape:Tindices b:T',
        'output:T',
        'T:type Tindices:type'),
    'SparseTensorDenseMatMul': (
        'a_indices:Tindices a_values:T a_shape:DT_INT64 b:T',
        'product:T',
        'T:type Tindices:type="DT_INT64" adjoint_a:bool=false adjoint_b:bool=false'),
    'SparseTensorSliceDataset': (
        'indices:DT_INT64 values:Tvalues dense_shape:DT_INT64',
        'handle:DT_VARIANT',
        'Tvalues:type'),
    'SparseTensorToCSRSparseMatrix': (
        'indices:DT_INT64 values:T dense_shape:DT_INT64',
        'sparse_matrix:DT_VARIANT',
        'T:type'),
    'SparseToDense': (
        'sparse_indices:Tindices output_shape:Tindices sparse_values:T default_value:T',
        'dense:T',
        'validate_indices:bool=true T:type Tindices:type'),
    'SparseToSparseSetOperation': (
        'set1_indices:DT_INT64 set1_values:T set1_shape:DT_INT64 set2_indices:DT_INT64 set2_values:T set2_shape:DT_INT64',
        'result_indices:DT_INT64 result_values:T result_shape:DT_INT64',
        'set_operation:string validate_indices:bool=true T:type'),
    'Spence': (
        'x:T',
        'y:T',
        'T:type'),
    'Split': (
        'split_dim:DT_INT32 value:T',
        'output:num_split*T',
        'num_split:int T:type'),
    'SplitDedupData': (
        'input:DT_VARIANT',
        'integer_tensor:integer_type float_tensor:float_type',
        'integer_type:type float_type:type tuple_mask:string config:string=""'),
    'SplitV': (
        'value:T size_splits:Tlen split_dim:DT_INT32',
        'output:num_split*T',
        'num_split:int T:type Tlen:type="DT_INT64"'),
    'SqlDataset': (
        'driver_name:DT_STRING data_source_name:DT_STRING query:DT_STRING',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'Sqrt': (
        'x:T',
        'y:T',
        'T:type'),
    'SqrtGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'Square': (
        'x:T',
        'y:T',
        'T:type'),
    'SquaredDifference': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'Squeeze': (
        'input:T',
        'output:T',
        'T:type squeeze_dims:list(int)=[]'),
    'Stack': (
        '',
        '&handle:DT_STRING',
        'elem_type:type stack_name:string=""'),
    'StackClose': (
        '&handle:DT_STRING',
        '',
        ''),
    'StackCloseV2': (
        'handle:DT_RESOURCE',
        '',
        ''),
    'StackPop': (
        '&handle:DT_STRING',
        'elem:elem_type',
        'elem_type:type'),
    'StackPopV2': (
        'handle:DT_RESOURCE',
        'elem:elem_type',
        'elem_type:type'),
    'StackPush': (
        '&handle:DT_STRING elem:T',
        'output:T',
        'T:type swap_memory:bool=false'),
    'StackPushV2': (
        'handle:DT_RESOURCE elem:T',
        'output:T',
        'T:type swap_memory:bool=false'),
    'StackV2': (
        'max_size:DT_INT32',
        'handle:DT_RESOURCE',
        'elem_type:type stack_name:string=""'),
    'Stage': (
        'values:*dtypes',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'StageClear': (
        '',
        '',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'StagePeek': (
        'index:DT_INT32',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'StageSize': (
        '',
        'size:DT_INT32',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'StatefulPartitionedCall': (
        'args:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) f:func config:string="" config_proto:string="" executor_type:string=""'),
    'StatefulRandomBinomial': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:S counts:T probs:T',
        'output:dtype',
        'S:type T:type="DT_DOUBLE" dtype:type="DT_INT64"'),
    'StatefulStandardNormal': (
        'resource:DT_RESOURCE shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_FLOAT" shape_dtype:type="DT_INT64"'),
    'StatefulStandardNormalV2': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_FLOAT" shape_dtype:type="DT_INT64"'),
    'StatefulTruncatedNormal': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_FLOAT" shape_dtype:type="DT_INT64"'),
    'StatefulUniform': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_FLOAT" shape_dtype:type="DT_INT64"'),
    'StatefulUniformFullInt': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:shape_dtype',
        'output:dtype',
        'dtype:type="DT_UINT64" shape_dtype:type="DT_INT64"'),
    'StatefulUniformInt': (
        'resource:DT_RESOURCE algorithm:DT_INT64 shape:shape_dtype minval:dtype maxval:dtype',
        'output:dtype',
        'dtype:type="DT_INT64" shape_dtype:type="DT_INT64"'),
    'StatelessCase': (
        'branch_index:DT_INT32 input:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) branches:list(func) output_shapes:list(shape)=[]'),
    'StatelessIf': (
        'cond:Tcond input:*Tin',
        'output:*Tout',
        'Tcond:type Tin:list(type) Tout:list(type) then_branch:func else_branch:func output_shapes:list(shape)=[]'),
    'StatelessMultinomial': (
        'logits:T num_samples:DT_INT32 seed:Tseed',
        'output:output_dtype',
        'T:type Tseed:type="DT_INT64" output_dtype:type="DT_INT64"'),
    'StatelessParameterizedTruncatedNormal': (
        'shape:S seed:Tseed means:dtype stddevs:dtype minvals:dtype maxvals:dtype',
        'output:dtype',
        'S:type Tseed:type="DT_INT64" dtype:type'),
    'StatelessRandomBinomial': (
        'shape:S seed:Tseed counts:T probs:T',
        'output:dtype',
        'S:type Tseed:type="DT_INT64" T:type="DT_DOUBLE" dtype:type="DT_INT64"'),
    'StatelessRandomGammaV2': (
        'shape:T seed:Tseed alpha:dtype',
        'output:dtype',
        'dtype:type T:type Tseed:type="DT_INT64"'),
    'StatelessRandomGammaV3': (
        'shape:shape_dtype key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32 alpha:dtype',
        'output:dtype',
        'dtype:type shape_dtype:type="DT_INT32"'),
    'StatelessRandomGetAlg': (
        '',
        'alg:DT_INT32',
        ''),
    'StatelessRandomGetKeyCounter': (
        'seed:Tseed',
        'key:DT_UINT64 counter:DT_UINT64',
        'Tseed:type="DT_INT64"'),
    'StatelessRandomGetKeyCounterAlg': (
        'seed:Tseed',
        'key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'Tseed:type="DT_INT64"'),
    'StatelessRandomNormal': (
        'shape:T seed:Tseed',
        'output:dtype',
        'dtype:type="DT_FLOAT" T:type="DT_INT32" Tseed:type="DT_INT64"'),
    'StatelessRandomNormalV2': (
        'shape:Tshape key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:dtype',
        'dtype:type="DT_FLOAT" Tshape:type="DT_INT32"'),
    'StatelessRandomPoisson': (
        'shape:T seed:Tseed lam:Rtype',
        'output:dtype',
        'Rtype:type dtype:type T:type Tseed:type="DT_INT64"'),
    'StatelessRandomUniform': (
        'shape:T seed:Tseed',
        'output:dtype',
        'dtype:type="DT_FLOAT" T:type="DT_INT32" Tseed:type="DT_INT64"'),
    'StatelessRandomUniformFullInt': (
        'shape:T seed:Tseed',
        'output:dtype',
        'dtype:type="DT_UINT64" T:type="DT_INT32" Tseed:type="DT_INT64"'),
    'StatelessRandomUniformFullIntV2': (
        'shape:Tshape key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:dtype',
        'dtype:type="DT_UINT64" Tshape:type="DT_INT32"'),
    'StatelessRandomUniformInt': (
        'shape:T seed:Tseed minval:dtype maxval:dtype',
        'output:dtype',
        'dtype:type T:type Tseed:type="DT_INT64"'),
    'StatelessRandomUniformIntV2': (
        'shape:Tshape key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32 minval:dtype maxval:dtype',
        'output:dtype',
        'dtype:type Tshape:type="DT_INT32"'),
    'StatelessRandomUniformV2': (
        'shape:Tshape key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:dtype',
        'dtype:type="DT_FLOAT" Tshape:type="DT_INT32"'),
    'StatelessSampleDistortedBoundingBox': (
        'image_size:T bounding_boxes:DT_FLOAT min_object_covered:DT_FLOAT seed:Tseed',
        'begin:T size:T bboxes:DT_FLOAT',
        'T:type Tseed:type aspect_ratio_range:list(float)=[0.75,1.3300000429153442] area_range:list(float)=[0.05000000074505806,1.0] max_attempts:int=100 use_image_if_no_bounding_boxes:bool=false'),
    'StatelessShuffle': (
        'value:T key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:T',
        'T:type'),
    'StatelessTruncatedNormal': (
        'shape:T seed:Tseed',
        'output:dtype',
        'dtype:type="DT_FLOAT" T:type="DT_INT32" Tseed:type="DT_INT64"'),
    'StatelessTruncatedNormalV2': (
        'shape:Tshape key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:dtype',
        'dtype:type="DT_FLOAT" Tshape:type="DT_INT32"'),
    'StatelessWhile': (
        'input:*T',
        'output:*T',
        'T:list(type) cond:func body:func output_shapes:list(shape)=[] parallel_iterations:int=10'),
    'StaticRegexFullMatch': (
        'input:DT_STRING',
        'output:DT_BOOL',
        'pattern:string'),
    'StaticRegexReplace': (
        'input:DT_STRING',
        'output:DT_STRING',
        'pattern:string rewrite:string replace_global:bool=true'),
    'StatsAggregatorHandle': (
        '',
        'handle:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'StatsAggregatorHandleV2': (
        '',
        'handle:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'StatsAggregatorSetSummaryWriter': (
        'stats_aggregator:DT_RESOURCE summary:DT_RESOURCE',
        '',
        ''),
    'StatsAggregatorSummary': (
        'iterator:DT_RESOURCE',
        'summary:DT_STRING',
        ''),
    'StochasticCastToInt': (
        'input:Tin key:DT_UINT64 counter:DT_UINT64 alg:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type'),
    'StopGradient': (
        'input:T',
        'output:T',
        'T:type'),
    'StoreMinibatchStatisticsInFdo': (
        'program_key:DT_STRING max_ids:DT_INT32 max_uniques:DT_INT32',
        '',
        'sample_count:int num_replica:int feature_width:int num_sc_per_chip:int table_name:string mini_batch_splits:string'),
    'StridedSlice': (
        'input:T begin:Index end:Index strides:Index',
        'output:T',
        'T:type Index:type begin_mask:int=0 end_mask:int=0 ellipsis_mask:int=0 new_axis_mask:int=0 shrink_axis_mask:int=0'),
    'StridedSliceAssign': (
        '&ref:T begin:Index end:Index strides:Index value:T',
        '&output_ref:T',
        'T:type Index:type begin_mask:int=0 end_mask:int=0 ellipsis_mask:int=0 new_axis_mask:int=0 shrink_axis_mask:int=0'),
    'StridedSliceGrad': (
        'shape:Index begin:Index end:Index strides:Index dy:T',
        'output:T',
        'T:type Index:type begin_mask:int=0 end_mask:int=0 ellipsis_mask:int=0 new_axis_mask:int=0 shrink_axis_mask:int=0'),
    'StringFormat': (
        'inputs:*T',
        'output:DT_STRING',
        'T:list(type) template:string="%s" placeholder:string="%s" summarize:int=3'),
    'StringJoin': (
        'inputs:N*DT_STRING',
        'output:DT_STRING',
        'N:int separator:string=""'),
    'StringLength': (
        'input:DT_STRING',
        'output:DT_INT32',
        'unit:string="BYTE"'),
    'StringListAttr': (
        '',
        '',
        'a:list(string) b:string'),
    'StringLower': (
        'input:DT_STRING',
        'output:DT_STRING',
        'encoding:string=""'),
    'StringNGrams': (
        'data:DT_STRING data_splits:Tsplits',
        'ngrams:DT_STRING ngrams_splits:Tsplits',
        'separator:string ngram_widths:list(int) left_pad:string right_pad:string pad_width:int preserve_short_sequences:bool Tsplits:type="DT_INT64"'),
    'StringSplit': (
        'input:DT_STRING delimiter:DT_STRING',
        'indices:DT_INT64 values:DT_STRING shape:DT_INT64',
        'skip_empty:bool=true'),
    'StringSplitV2': (
        'input:DT_STRING sep:DT_STRING',
        'indices:DT_INT64 values:DT_STRING shape:DT_INT64',
        'maxsplit:int=-1'),
    'StringStrip': (
        'input:DT_STRING',
        'output:DT_STRING',
        ''),
    'StringToHashBucket': (
        'string_tensor:DT_STRING',
        'output:DT_INT64',
        'num_buckets:int'),
    'StringToHashBucketFast': (
        'input:DT_STRING',
        'output:DT_INT64',
        'num_buckets:int'),
    'StringToHashBucketStrong': (
        'input:DT_STRING',
        'output:DT_INT64',
        'num_buckets:int key:list(int)'),
    'StringToNumber': (
        'string_tensor:DT_STRING',
        'output:out_type',
        'out_type:type="DT_FLOAT"'),
    'StringUpper': (
        'input:DT_STRING',
        'output:DT_STRING',
        'encoding:string=""'),
    'StubResourceHandleOp': (
        '',
        'resource:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'Sub': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'Substr': (
        'input:DT_STRING pos:T len:T',
        'output:DT_STRING',
        'T:type unit:string="BYTE"'),
    'Sum': (
        'input:T reduction_indices:Tidx',
        'output:T',
        'keep_dims:bool=false T:type Tidx:type="DT_INT32"'),
    'SummaryWriter': (
        '',
        'writer:DT_RESOURCE',
        'shared_name:string="" container:string=""'),
    'Svd': (
        'input:T',
        's:T u:T v:T',
        'compute_uv:bool=true full_matrices:bool=false T:type'),
    'Switch': (
        'data:T pred:DT_BOOL',
        'output_false:T output_true:T',
        'T:type'),
    'SymbolicGradient': (
        'input:*Tin',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) f:func'),
    'SyncDevice': (
        '',
        '',
        ''),
    'TFRecordDataset': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64',
        'handle:DT_VARIANT',
        'metadata:string=""'),
    'TFRecordDatasetV2': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64 byte_offsets:DT_INT64',
        'handle:DT_VARIANT',
        'metadata:string=""'),
    'TFRecordReader': (
        '',
        '&reader_handle:DT_STRING',
        'container:string="" shared_name:string="" compression_type:string=""'),
    'TFRecordReaderV2': (
        '',
        'reader_handle:DT_RESOURCE',
        'container:string="" shared_name:string="" compression_type:string=""'),
    'TPUAnnotateTensorsWithDynamicShape': (
        'tensors:*T',
        'tpu_tensors:*T',
        'T:list(type)'),
    'TPUCompilationResult': (
        '',
        'output:DT_STRING',
        ''),
    'TPUCompile': (
        'dynamic_shapes:NumDynamicShapes*DT_INT64 guaranteed_constants:*Tguaranteed_constants',
        'compilation_status:DT_STRING program:num_computations*DT_STRING may_modify_variables:num_computations*DT_BOOL',
        'num_computations:int function:func metadata:string NumDynamicShapes:int Tguaranteed_constants:list(type)'),
    'TPUCompileSucceededAssert': (
        'compilation_status:DT_STRING',
        '',
        ''),
    'TPUCopyWithDynamicShape': (
        'tensors:*T unpadded_sizes:N*DT_INT32',
        'tpu_tensors:*T',
        'N:int T:list(type)'),
    'TPUDummyInput': (
        '',
        'output:dtype',
        'dtype:type shape:shape'),
    'TPUEmbeddingActivations': (
        'embedding_variable:DT_FLOAT sliced_activations:DT_FLOAT',
        'output:DT_FLOAT',
        'table_id:int lookup_id:int'),
    'TPUExecute': (
        'args:*Targs key:DT_STRING',
        'results:*Tresults',
        'Targs:list(type) Tresults:list(type)'),
    'TPUExecuteAndUpdateVariables': (
        'args:*Targs key:DT_STRING',
        'results:*Tresults',
        'Targs:list(type) Tresults:list(type) device_var_reads_indices:list(int) device_var_updates_indices:list(int)'),
    'TPUOrdinalSelector': (
        '',
        'device_ordinals:DT_INT32',
        ''),
    'TPUPartitionedCall': (
        'args:*Tin device_ordinal:DT_INT32',
        'output:*Tout',
        'Tin:list(type) Tout:list(type) f:func autotuner_thresh:int=0'),
    'TPUPartitionedInput': (
        'inputs:N*T',
        'output:T',
        'N:int T:type partition_dim:int=0'),
    'TPUPartitionedInputV2': (
        'inputs:N*T',
        'output:T',
        'N:int T:type partition_dims:list(int) is_packed:bool=false'),
    'TPUPartitionedOutput': (
        'inputs:T',
        'output:num_splits*T',
        'T:type num_splits:int partition_dim:int=0'),
    'TPUPartitionedOutputV2': (
        'inputs:T',
        'output:num_splits*T',
        'T:type num_splits:int partition_dims:list(int)'),
    'TPUReplicateMetadata': (
        '',
        '',
        'num_replicas:int num_cores_per_replica:int=1 topology:string="" use_tpu:bool=true device_assignment:list(int)=[] computation_shape:list(int)=[] host_compute_core:list(string)=[] padding_map:list(string)=[] step_marker_location:string="STEP_MARK_AT_ENTRY" allow_soft_placement:bool=false use_spmd_for_xla_partitioning:bool=false use_shardy_partitioner:bool=false tpu_compile_options_proto:string=""'),
    'TPUReplicatedInput': (
        'inputs:N*T',
        'output:T',
        'N:int T:type is_mirrored_variable:bool=false index:int=-1 is_packed:bool=false'),
    'TPUReplicatedOutput': (
        'input:T',
        'outputs:num_replicas*T',
        'num_replicas:int T:type'),
    'TPUReshardVariables': (
        'vars:N*DT_RESOURCE new_format_key:DT_STRING format_state_var:DT_RESOURCE',
        '',
        'N:int'),
    'TPURoundRobin': (
        '',
        'device_ordinal:DT_INT32',
        ''),
    'TakeDataset': (
        'input_dataset:DT_VARIANT count:DT_INT64',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'TakeManySparseFromTensorsMap': (
        'sparse_handles:DT_INT64',
        'sparse_indices:DT_INT64 sparse_values:dtype sparse_shape:DT_INT64',
        'dtype:type container:string="" shared_name:string=""'),
    'TakeWhileDataset': (
        'input_dataset:DT_VARIANT other_arguments:*Targuments',
        'handle:DT_VARIANT',
        'predicate:func Targuments:list(type) output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'Tan': (
        'x:T',
        'y:T',
        'T:type'),
    'Tanh': (
        'x:T',
        'y:T',
        'T:type'),
    'TanhGrad': (
        'y:T dy:T',
        'z:T',
        'T:type'),
    'TemporaryVariable': (
        '',
        '&ref:dtype',
        'shape:shape dtype:type var_name:string=""'),
    'TensorArray': (
        'size:DT_INT32',
        '&handle:DT_STRING',
        'dtype:type dynamic_size:bool=false clear_after_read:bool=true tensor_array_name:string="" element_shape:shape=null'),
    'TensorArrayClose': (
        '&handle:DT_STRING',
        '',
        ''),
    'TensorArrayCloseV2': (
        'handle:DT_STRING',
        '',
        ''),
    'TensorArrayCloseV3': (
        'handle:DT_RESOURCE',
        '',
        ''),
    'TensorArrayConcat': (
        '&handle:DT_STRING flow_in:DT_FLOAT',
        'value:dtype lengths:DT_INT64',
        'dtype:type element_shape_except0:shape=null'),
    'TensorArrayConcatV2': (
        'handle:DT_STRING flow_in:DT_FLOAT',
        'value:dtype lengths:DT_INT64',
        'dtype:type element_shape_except0:shape=null'),
    'TensorArrayConcatV3': (
        'handle:DT_RESOURCE flow_in:DT_FLOAT',
        'value:dtype lengths:DT_INT64',
        'dtype:type element_shape_except0:shape=null'),
    'TensorArrayGather': (
        '&handle:DT_STRING indices:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type element_shape:shape=null'),
    'TensorArrayGatherV2': (
        'handle:DT_STRING indices:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type element_shape:shape=null'),
    'TensorArrayGatherV3': (
        'handle:DT_RESOURCE indices:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type element_shape:shape=null'),
    'TensorArrayGrad': (
        'handle:DT_STRING flow_in:DT_FLOAT',
        '&grad_handle:DT_STRING',
        'source:string'),
    'TensorArrayGradV2': (
        'handle:DT_STRING flow_in:DT_FLOAT',
        'grad_handle:DT_STRING',
        'source:string'),
    'TensorArrayGradV3': (
        'handle:DT_RESOURCE flow_in:DT_FLOAT',
        'grad_handle:DT_RESOURCE flow_out:DT_FLOAT',
        'source:string'),
    'TensorArrayGradWithShape': (
        'handle:DT_RESOURCE flow_in:DT_FLOAT shape_to_prepend:DT_INT32',
        'grad_handle:DT_RESOURCE flow_out:DT_FLOAT',
        'source:string'),
    'TensorArrayPack': (
        '&handle:DT_STRING flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type element_shape:shape=null'),
    'TensorArrayRead': (
        '&handle:DT_STRING index:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type'),
    'TensorArrayReadV2': (
        'handle:DT_STRING index:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type'),
    'TensorArrayReadV3': (
        'handle:DT_RESOURCE index:DT_INT32 flow_in:DT_FLOAT',
        'value:dtype',
        'dtype:type'),
    'TensorArrayScatter': (
        '&handle:DT_STRING indices:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayScatterV2': (
        'handle:DT_STRING indices:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayScatterV3': (
        'handle:DT_RESOURCE indices:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArraySize': (
        '&handle:DT_STRING flow_in:DT_FLOAT',
        'size:DT_INT32',
        ''),
    'TensorArraySizeV2': (
        'handle:DT_STRING flow_in:DT_FLOAT',
        'size:DT_INT32',
        ''),
    'TensorArraySizeV3': (
        'handle:DT_RESOURCE flow_in:DT_FLOAT',
        'size:DT_INT32',
        ''),
    'TensorArraySplit': (
        '&handle:DT_STRING value:T lengths:DT_INT64 flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArraySplitV2': (
        'handle:DT_STRING value:T lengths:DT_INT64 flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArraySplitV3': (
        'handle:DT_RESOURCE value:T lengths:DT_INT64 flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayUnpack': (
        '&handle:DT_STRING value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayV2': (
        'size:DT_INT32',
        'handle:DT_STRING',
        'dtype:type element_shape:shape=null dynamic_size:bool=false clear_after_read:bool=true tensor_array_name:string=""'),
    'TensorArrayV3': (
        'size:DT_INT32',
        'handle:DT_RESOURCE flow:DT_FLOAT',
        'dtype:type element_shape:shape=null dynamic_size:bool=false clear_after_read:bool=true identical_element_shapes:bool=false tensor_array_name:string=""'),
    'TensorArrayWrite': (
        '&handle:DT_STRING index:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayWriteV2': (
        'handle:DT_STRING index:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorArrayWriteV3': (
        'handle:DT_RESOURCE index:DT_INT32 value:T flow_in:DT_FLOAT',
        'flow_out:DT_FLOAT',
        'T:type'),
    'TensorDataset': (
        'components:*Toutput_types',
        'handle:DT_VARIANT',
        'Toutput_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'TensorListConcat': (
        'input_handle:DT_VARIANT',
        'tensor:element_dtype lengths:DT_INT64',
        'element_dtype:type element_shape:shape=null'),
    'TensorListConcatLists': (
        'input_a:DT_VARIANT input_b:DT_VARIANT',
        'output:DT_VARIANT',
        'element_dtype:type'),
    'TensorListConcatV2': (
        'input_handle:DT_VARIANT element_shape:shape_type leading_dims:DT_INT64',
        'tensor:element_dtype lengths:DT_INT64',
        'element_dtype:type shape_type:type'),
    'TensorListElementShape': (
        'input_handle:DT_VARIANT',
        'element_shape:shape_type',
        'shape_type:type'),
    'TensorListFromTensor': (
        'tensor:element_dtype element_shape:shape_type',
        'output_handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'TensorListGather': (
        'input_handle:DT_VARIANT indices:DT_INT32 element_shape:DT_INT32',
        'values:element_dtype',
        'element_dtype:type'),
    'TensorListGetItem': (
        'input_handle:DT_VARIANT index:DT_INT32 element_shape:Tshape',
        'item:element_dtype',
        'element_dtype:type Tshape:type="DT_INT32"'),
    'TensorListLength': (
        'input_handle:DT_VARIANT',
        'length:DT_INT32',
        ''),
    'TensorListPopBack': (
        'input_handle:DT_VARIANT element_shape:DT_INT32',
        'output_handle:DT_VARIANT tensor:element_dtype',
        'element_dtype:type'),
    'TensorListPushBack': (
        'input_handle:DT_VARIANT tensor:element_dtype',
        'output_handle:DT_VARIANT',
        'element_dtype:type'),
    'TensorListPushBackBatch': (
        'input_handles:DT_VARIANT tensor:element_dtype',
        'output_handles:DT_VARIANT',
        'element_dtype:type'),
    'TensorListReserve': (
        'element_shape:shape_type num_elements:DT_INT32',
        'handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'TensorListResize': (
        'input_handle:DT_VARIANT size:DT_INT32',
        'output_handle:DT_VARIANT',
        ''),
    'TensorListScatter': (
        'tensor:element_dtype indices:DT_INT32 element_shape:shape_type',
        'output_handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'TensorListScatterIntoExistingList': (
        'input_handle:DT_VARIANT tensor:element_dtype indices:DT_INT32',
        'output_handle:DT_VARIANT',
        'element_dtype:type'),
    'TensorListScatterV2': (
        'tensor:element_dtype indices:DT_INT32 element_shape:shape_type num_elements:DT_INT32',
        'output_handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'TensorListSetItem': (
        'input_handle:DT_VARIANT index:DT_INT32 item:element_dtype',
        'output_handle:DT_VARIANT',
        'element_dtype:type resize_if_index_out_of_bounds:bool=false'),
    'TensorListSplit': (
        'tensor:element_dtype element_shape:shape_type lengths:DT_INT64',
        'output_handle:DT_VARIANT',
        'element_dtype:type shape_type:type'),
    'TensorListStack': (
        'input_handle:DT_VARIANT element_shape:DT_INT32',
        'tensor:element_dtype',
        'element_dtype:type num_elements:int=-1'),
    'TensorMapErase': (
        'input_handle:DT_VARIANT key:key_dtype',
        'output_handle:DT_VARIANT',
        'key_dtype:type value_dtype:type'),
    'TensorMapHasKey': (
        'input_handle:DT_VARIANT key:key_dtype',
        'has_key:DT_BOOL',
        'key_dtype:type'),
    'TensorMapInsert': (
        'input_handle:DT_VARIANT key:key_dtype value:value_dtype',
        'output_handle:DT_VARIANT',
        'key_dtype:type value_dtype:type'),
    'TensorMapLookup': (
        'input_handle:DT_VARIANT key:key_dtype',
        'value:value_dtype',
        'key_dtype:type value_dtype:type'),
    'TensorMapSize': (
        'input_handle:DT_VARIANT',
        'size:DT_INT32',
        ''),
    'TensorMapStackKeys': (
        'input_handle:DT_VARIANT',
        'keys:key_dtype',
        'key_dtype:type'),
    'TensorScatterAdd': (
        'tensor:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'TensorScatterMax': (
        'tensor:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'TensorScatterMin': (
        'tensor:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'TensorScatterSub': (
        'tensor:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'TensorScatterUpdate': (
        'tensor:T indices:Tindices updates:T',
        'output:T',
        'T:type Tindices:type bad_indices_policy:string=""'),
    'TensorSliceDataset': (
        'components:*Toutput_types',
        'handle:DT_VARIANT',
        'Toutput_types:list(type) output_shapes:list(shape) is_files:bool=false metadata:string="" replicate_on_split:bool=false'),
    'TensorStridedSliceUpdate': (
        'input:T begin:Index end:Index strides:Index value:T',
        'output:T',
        'T:type Index:type begin_mask:int=0 end_mask:int=0 ellipsis_mask:int=0 new_axis_mask:int=0 shrink_axis_mask:int=0'),
    'TensorSummary': (
        'tensor:T',
        'summary:DT_STRING',
        'T:type description:string="" labels:list(string)=[] display_name:string=""'),
    'TensorSummaryV2': (
        'tag:DT_STRING tensor:T serialized_summary_metadata:DT_STRING',
        'summary:DT_STRING',
        'T:type'),
    'TestAttr': (
        '',
        'out:T',
        'T:type'),
    'TestStringOutput': (
        'input:DT_FLOAT',
        'output1:DT_FLOAT output2:DT_STRING',
        ''),
    'TextLineDataset': (
        'filenames:DT_STRING compression_type:DT_STRING buffer_size:DT_INT64',
        'handle:DT_VARIANT',
        'metadata:string=""'),
    'TextLineReader': (
        '',
        '&reader_handle:DT_STRING',
        'skip_header_lines:int=0 container:string="" shared_name:string=""'),
    'TextLineReaderV2': (
        '',
        'reader_handle:DT_RESOURCE',
        'skip_header_lines:int=0 container:string="" shared_name:string=""'),
    'ThreadPoolDataset': (
        'input_dataset:DT_VARIANT thread_pool:DT_RESOURCE',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape)'),
    'ThreadPoolHandle': (
        '',
        'handle:DT_RESOURCE',
        'num_threads:int max_intra_op_parallelism:int=1 display_name:string container:string="" shared_name:string=""'),
    'ThreadUnsafeUnigramCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool range_max:int seed:int=0 seed2:int=0'),
    'Tile': (
        'input:T multiples:Tmultiples',
        'output:T',
        'T:type Tmultiples:type="DT_INT32"'),
    'TileGrad': (
        'input:T multiples:DT_INT32',
        'output:T',
        'T:type'),
    'Timestamp': (
        '',
        'ts:DT_DOUBLE',
        ''),
    'ToBool': (
        'input:T',
        'output:DT_BOOL',
        'T:type'),
    'TopK': (
        'input:T',
        'values:T indices:DT_INT32',
        'k:int sorted:bool=true T:type'),
    'TopKUnique': (
        'input:DT_FLOAT',
        'topk:DT_FLOAT topk_indices:DT_INT32',
        'k:int'),
    'TopKV2': (
        'input:T k:Tk',
        'values:T indices:index_type',
        'sorted:bool=true T:type Tk:type="DT_INT32" index_type:type="DT_INT32"'),
    'TopKWithUnique': (
        'input:DT_FLOAT',
        'topk:DT_FLOAT topk_indices:DT_INT32',
        'k:int'),
    'TpuHandleToProtoKey': (
        'uid:DT_INT64',
        'proto_keys:DT_STRING',
        ''),
    'Transpose': (
        'x:T perm:Tperm',
        'y:T',
        'T:type Tperm:type="DT_INT32"'),
    'TridiagonalMatMul': (
        'superdiag:T maindiag:T subdiag:T rhs:T',
        'output:T',
        'T:type'),
    'TridiagonalSolve': (
        'diagonals:T rhs:T',
        'output:T',
        'partial_pivoting:bool=true perturb_singular:bool=false T:type'),
    'TruncateDiv': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'TruncateMod': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'TruncatedNormal': (
        'shape:T',
        'output:dtype',
        'seed:int=0 seed2:int=0 dtype:type T:type'),
    'TwoFloatInputs': (
        'a:DT_FLOAT b:DT_FLOAT',
        '',
        ''),
    'TwoFloatInputsFloatOutput': (
        'a:DT_FLOAT b:DT_FLOAT',
        'c:DT_FLOAT',
        ''),
    'TwoFloatInputsIntOutput': (
        'a:DT_FLOAT b:DT_FLOAT',
        'c:DT_INT32',
        ''),
    'TwoFloatOutputs': (
        '',
        'a:DT_FLOAT b:DT_FLOAT',
        ''),
    'TwoIntInputs': (
        'a:DT_INT32 b:DT_INT32',
        '',
        ''),
    'TwoIntOutputs': (
        '',
        'a:DT_INT32 b:DT_INT32',
        ''),
    'TwoRefsIn': (
        '&a:T &b:T',
        '',
        'T:type'),
    'TypeList': (
        'a:*T',
        '',
        'T:list(type)'),
    'TypeListRestrict': (
        'a:*T',
        '',
        'T:list(type)'),
    'TypeListTwice': (
        'a:*T b:*T',
        '',
        'T:list(type)'),
    'Unary': (
        'a:T',
        'b:T',
        'T:type'),
    'Unbatch': (
        'batched_tensor:T batch_index:DT_INT64 id:DT_INT64',
        'unbatched_tensor:T',
        'timeout_micros:int container:string="" shared_name:string="" T:type'),
    'UnbatchDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'UnbatchGrad': (
        'original_input:T batch_index:DT_INT64 grad:T id:DT_INT64',
        'batched_grad:T',
        'container:string="" shared_name:string="" T:type'),
    'UncompressElement': (
        'compressed:DT_VARIANT',
        'components:*output_types',
        'output_types:list(type) output_shapes:list(shape)'),
    'UnicodeDecode': (
        'input:DT_STRING',
        'row_splits:Tsplits char_values:DT_INT32',
        'input_encoding:string errors:string="replace" replacement_char:int=65533 replace_control_characters:bool=false Tsplits:type="DT_INT64"'),
    'UnicodeDecodeWithOffsets': (
        'input:DT_STRING',
        'row_splits:Tsplits char_values:DT_INT32 char_to_byte_starts:DT_INT64',
        'input_encoding:string errors:string="replace" replacement_char:int=65533 replace_control_characters:bool=false Tsplits:type="DT_INT64"'),
    'UnicodeEncode': (
        'input_values:DT_INT32 input_splits:Tsplits',
        'output:DT_STRING',
        'errors:string="replace" output_encoding:string replacement_char:int=65533 Tsplits:type="DT_INT64"'),
    'UnicodeScript': (
        'input:DT_INT32',
        'output:DT_INT32',
        ''),
    'UnicodeTranscode': (
        'input:DT_STRING',
        'output:DT_STRING',
        'input_encoding:string output_encoding:string errors:string="replace" replacement_char:int=65533 replace_control_characters:bool=false'),
    'UniformCandidateSampler': (
        'true_classes:DT_INT64',
        'sampled_candidates:DT_INT64 true_expected_count:DT_FLOAT sampled_expected_count:DT_FLOAT',
        'num_true:int num_sampled:int unique:bool range_max:int seed:int=0 seed2:int=0'),
    'UniformDequantize': (
        'input:Tin scales:DT_FLOAT zero_points:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type quantization_axis:int=-1 quantization_min_val:int quantization_max_val:int'),
    'UniformQuantize': (
        'input:Tin scales:DT_FLOAT zero_points:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type quantization_axis:int=-1 quantization_min_val:int quantization_max_val:int'),
    'UniformQuantizedAdd': (
        'lhs:T rhs:T lhs_scales:DT_FLOAT lhs_zero_points:DT_INT32 rhs_scales:DT_FLOAT rhs_zero_points:DT_INT32 output_scales:DT_FLOAT output_zero_points:DT_INT32',
        'output:T',
        'lhs_quantization_axis:int=-1 lhs_quantization_min_val:int lhs_quantization_max_val:int rhs_quantization_axis:int=-1 rhs_quantization_min_val:int rhs_quantization_max_val:int output_quantization_axis:int=-1 output_quantization_min_val:int output_quantization_max_val:int T:type'),
    'UniformQuantizedClipByValue': (
        'operand:T min:T max:T scales:DT_FLOAT zero_points:DT_INT32',
        'output:T',
        'T:type quantization_axis:int=-1 quantization_min_val:int quantization_max_val:int'),
    'UniformQuantizedConvolution': (
        'lhs:Tin rhs:Tin lhs_scales:DT_FLOAT lhs_zero_points:DT_INT32 rhs_scales:DT_FLOAT rhs_zero_points:DT_INT32 output_scales:DT_FLOAT output_zero_points:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type window_strides:list(int)=[] padding:string explicit_padding:list(int)=[] lhs_dilation:list(int)=[] rhs_dilation:list(int)=[] batch_group_count:int=1 feature_group_count:int=1 dimension_numbers:string="" lhs_quantization_axis:int=-1 lhs_quantization_min_val:int lhs_quantization_max_val:int rhs_quantization_axis:int=-1 rhs_quantization_min_val:int rhs_quantization_max_val:int output_quantization_axis:int=-1 output_quantization_min_val:int output_quantization_max_val:int'),
    'UniformQuantizedConvolutionHybrid': (
        'lhs:Tlhs rhs:Trhs rhs_scales:DT_FLOAT rhs_zero_points:DT_INT32',
        'output:Tout',
        'Tlhs:type Trhs:type Tout:type window_strides:list(int)=[] padding:string explicit_padding:list(int)=[] lhs_dilation:list(int)=[] rhs_dilation:list(int)=[] batch_group_count:int=1 feature_group_count:int=1 dimension_numbers:string="" rhs_quantization_axis:int=-1 rhs_quantization_min_val:int rhs_quantization_max_val:int'),
    'UniformQuantizedDot': (
        'lhs:Tin rhs:Tin lhs_scales:DT_FLOAT lhs_zero_points:DT_INT32 rhs_scales:DT_FLOAT rhs_zero_points:DT_INT32 output_scales:DT_FLOAT output_zero_points:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type lhs_quantization_axis:int=-1 lhs_quantization_min_val:int lhs_quantization_max_val:int rhs_quantization_axis:int=-1 rhs_quantization_min_val:int rhs_quantization_max_val:int output_quantization_axis:int=-1 output_quantization_min_val:int output_quantization_max_val:int'),
    'UniformQuantizedDotHybrid': (
        'lhs:Tlhs rhs:Trhs rhs_scales:DT_FLOAT rhs_zero_points:DT_INT32',
        'output:Tout',
        'Tlhs:type Trhs:type Tout:type rhs_quantization_axis:int=-1 rhs_quantization_min_val:int rhs_quantization_max_val:int'),
    'UniformRequantize': (
        'input:Tin input_scales:DT_FLOAT input_zero_points:DT_INT32 output_scales:DT_FLOAT output_zero_points:DT_INT32',
        'output:Tout',
        'Tin:type Tout:type input_quantization_axis:int=-1 input_quantization_min_val:int input_quantization_max_val:int output_quantization_axis:int=-1 output_quantization_min_val:int output_quantization_max_val:int'),
    'Unique': (
        'x:T',
        'y:T idx:out_idx',
        'T:type out_idx:type="DT_INT32"'),
    'UniqueDataset': (
        'input_dataset:DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'UniqueV2': (
        'x:T axis:Taxis',
        'y:T idx:out_idx',
        'T:type Taxis:type="DT_INT64" out_idx:type="DT_INT32"'),
    'UniqueWithCounts': (
        'x:T',
        'y:T idx:out_idx count:out_idx',
        'T:type out_idx:type="DT_INT32"'),
    'UniqueWithCountsV2': (
        'x:T axis:Taxis',
        'y:T idx:out_idx count:out_idx',
        'T:type Taxis:type="DT_INT64" out_idx:type="DT_INT32"'),
    'Unpack': (
        'value:T',
        'output:num*T',
        'num:int T:type axis:int=0'),
    'UnravelIndex': (
        'indices:Tidx dims:Tidx',
        'output:Tidx',
        'Tidx:type="DT_INT32"'),
    'UnsortedSegmentJoin': (
        'inputs:DT_STRING segment_ids:Tindices num_segments:Tnumsegments',
        'output:DT_STRING',
        'separator:string="" Tindices:type Tnumsegments:type="DT_INT32"'),
    'UnsortedSegmentMax': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'UnsortedSegmentMin': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'UnsortedSegmentProd': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'UnsortedSegmentSum': (
        'data:T segment_ids:Tindices num_segments:Tnumsegments',
        'output:T',
        'T:type Tindices:type Tnumsegments:type="DT_INT32"'),
    'Unstage': (
        '',
        'values:*dtypes',
        'capacity:int=0 memory_limit:int=0 dtypes:list(type) container:string="" shared_name:string=""'),
    'UnwrapDatasetVariant': (
        'input_handle:DT_VARIANT',
        'output_handle:DT_VARIANT',
        ''),
    'UpdateTaskIdAndGlobalCoreArray': (
        'tpu_task_id_to_shard_id:task_count*DT_INT32',
        '',
        'task_count:int'),
    'UpperBound': (
        'sorted_inputs:T values:T',
        'output:out_type',
        'T:type out_type:type="DT_INT32"'),
    'VarHandleOp': (
        '',
        'resource:DT_RESOURCE',
        'container:string="" shared_name:string="" debug_name:string="" dtype:type shape:shape allowed_devices:list(string)=[]'),
    'VarIsInitializedOp': (
        'resource:DT_RESOURCE',
        'is_initialized:DT_BOOL',
        ''),
    'Variable': (
        '',
        '&ref:dtype',
        'shape:shape dtype:type container:string="" shared_name:string=""'),
    'VariableShape': (
        'input:DT_RESOURCE',
        'output:out_type',
        'out_type:type="DT_INT32"'),
    'VariableV2': (
        '',
        '&ref:dtype',
        'shape:shape dtype:type container:string="" shared_name:string=""'),
    'WeightedFlatMapDataset': (
        'input_datasets:N*DT_VARIANT weights:M*DT_DOUBLE',
        'handle:DT_VARIANT',
        'N:int M:int output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'Where': (
        'input:T',
        'index:DT_INT64',
        'T:type="DT_BOOL"'),
    'While': (
        'input:*T',
        'output:*T',
        'T:list(type) cond:func body:func output_shapes:list(shape)=[] parallel_iterations:int=10'),
    'WholeFileReader': (
        '',
        '&reader_handle:DT_STRING',
        'container:string="" shared_name:string=""'),
    'WholeFileReaderV2': (
        '',
        'reader_handle:DT_RESOURCE',
        'container:string="" shared_name:string=""'),
    'WindowDataset': (
        'input_dataset:DT_VARIANT size:DT_INT64 shift:DT_INT64 stride:DT_INT64 drop_remainder:DT_BOOL',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) metadata:string=""'),
    'WindowOp': (
        'inputs:*Tinputs',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) Tinputs:list(type)'),
    'WorkerHeartbeat': (
        'request:DT_STRING',
        'response:DT_STRING',
        ''),
    'WrapDatasetVariant': (
        'input_handle:DT_VARIANT',
        'output_handle:DT_VARIANT',
        ''),
    'WriteAudioSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tag:DT_STRING tensor:DT_FLOAT sample_rate:DT_FLOAT',
        '',
        'max_outputs:int=3'),
    'WriteFile': (
        'filename:DT_STRING contents:DT_STRING',
        '',
        ''),
    'WriteGraphSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tensor:DT_STRING',
        '',
        ''),
    'WriteHistogramSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tag:DT_STRING values:T',
        '',
        'T:type="DT_FLOAT"'),
    'WriteImageSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tag:DT_STRING tensor:T bad_color:DT_UINT8',
        '',
        'max_images:int=3 T:type="DT_FLOAT"'),
    'WriteRawProtoSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tensor:DT_STRING',
        '',
        ''),
    'WriteScalarSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tag:DT_STRING value:T',
        '',
        'T:type'),
    'WriteSummary': (
        'writer:DT_RESOURCE step:DT_INT64 tensor:T tag:DT_STRING summary_metadata:DT_STRING',
        '',
        'T:type'),
    'Xdivy': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'XlaAllReduce': (
        'input:T group_assignment:DT_INT32',
        'output:T',
        'T:type reduce_op:string mode:string'),
    'XlaBroadcastHelper': (
        'lhs:T rhs:T broadcast_dims:Tindices',
        'lhs_output:T rhs_output:T',
        'T:type Tindices:type'),
    'XlaCallModule': (
        'args:*Tin',
        'output:*Tout',
        'version:int module:string Sout:list(shape) Tout:list(type) Tin:list(type) dim_args_spec:list(string)=[] platforms:list(string)=[] function_list:list(func)=[] has_token_input_output:bool=false disabled_checks:list(string)=[] use_shardy_partitioner:bool=false'),
    'XlaClusterOutput': (
        'input:T',
        'outputs:T',
        'T:type'),
    'XlaConcatND': (
        'inputs:N*T',
        'output:T',
        'T:type N:int num_concats:list(int) paddings:list(int)=[]'),
    'XlaConv': (
        'lhs:T rhs:T window_strides:Tindices padding:Tindices lhs_dilation:Tindices rhs_dilation:Tindices feature_group_count:Tindices',
        'output:T',
        'T:type Tindices:type dimension_numbers:string precision_config:string'),
    'XlaConvV2': (
        'lhs:LhsT rhs:RhsT window_strides:Tindices padding:Tindices lhs_dilation:Tindices rhs_dilation:Tindices feature_group_count:Tindices',
        'output:preferred_element_type',
        'LhsT:type RhsT:type Tindices:type dimension_numbers:string precision_config:string preferred_element_type:type batch_group_count:int=1'),
    'XlaCustomCall': (
        'args:*T',
        'output:dtype',
        'target_name:string backend_config:string T:list(type) dtype:type shape:shape'),
    'XlaCustomCallV2': (
        'operands:*operand_dtypes',
        'results:*result_dtypes',
        'call_target_name:string backend_config:string has_side_effect:bool operand_dtypes:list(type) result_dtypes:list(type) result_shapes:list(shape)'),
    'XlaDequantize': (
        'input:DT_UINT32',
        'output:DT_BFLOAT16',
        'min_range:float max_range:float mode:string transpose_output:bool'),
    'XlaDot': (
        'lhs:T rhs:T',
        'output:T',
        'T:type dimension_numbers:string precision_config:string'),
    'XlaDotV2': (
        'lhs:LhsT rhs:RhsT',
        'output:preferred_element_type',
        'LhsT:type RhsT:type dimension_numbers:string precision_config:string preferred_element_type:type'),
    'XlaDynamicSlice': (
        'input:T start_indices:Tindices size_indices:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'XlaDynamicUpdateSlice': (
        'input:T update:T indices:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'XlaEinsum': (
        'a:T b:T',
        'product:T',
        'equation:string T:type'),
    'XlaGather': (
        'operand:T start_indices:Tindices slice_sizes:Tindices',
        'output:T',
        'dimension_numbers:string indices_are_sorted:bool T:type Tindices:type'),
    'XlaHostCompute': (
        'inputs:*Tinputs',
        'outputs:*Toutputs',
        'Tinputs:list(type) Toutputs:list(type) ancestors:list(string) shapes:list(shape) shape_inference_graph:func key:string send_key:string="" recv_key:string="" cost_estimate_ns:int=1000000 tpu_core:int=0'),
    'XlaIf': (
        'cond:Tcond inputs:*Tin',
        'output:*Tout',
        'Tcond:type then_branch:func else_branch:func Tin:list(type) Tout:list(type)'),
    'XlaKeyValueSort': (
        'keys:K values:V',
        'sorted_keys:K sorted_values:V',
        'K:type V:type'),
    'XlaLaunch': (
        'constants:*Tconstants args:*Targs resources:Nresources*DT_RESOURCE',
        'results:*Tresults',
        'Tconstants:list(type) Targs:list(type) Nresources:int Tresults:list(type) function:func'),
    'XlaLaunchV2': (
        'args:*Targs',
        'results:*Tresults',
        'Targs:list(type) Tresults:list(type) constants:list(int) resources:list(int) function:func'),
    'XlaOptimizationBarrier': (
        'input:*T',
        'output:*T',
        'T:list(type)'),
    'XlaPad': (
        'input:T padding_value:T padding_low:Tindices padding_high:Tindices padding_interior:Tindices',
        'output:T',
        'T:type Tindices:type'),
    'XlaRecv': (
        '',
        'tensor:dtype',
        'dtype:type tensor_name:string shape:shape'),
    'XlaRecvFromHost': (
        '',
        'output:Toutput',
        'Toutput:type shape:shape key:string'),
    'XlaRecvTPUEmbeddingActivations': (
        'deduplication_data:DT_VARIANT',
        'outputs:num_tables*DT_FLOAT',
        'num_tables:int config:string'),
    'XlaRecvTPUEmbeddingActivationsV2': (
        'deduplication_data:DT_VARIANT',
        'outputs:num_tables*DT_FLOAT',
        'num_tables:int config:string embedding_partitions:string hbm_buffers_config:string tpu_topology:string'),
    'XlaRecvTPUEmbeddingDeduplicationData': (
        '',
        'output:DT_VARIANT',
        'config:string'),
    'XlaRecvTPUEmbeddingDeduplicationDataV2': (
        '',
        'output:DT_VARIANT',
        'config:string embedding_partitions:string hbm_buffers_config:string tpu_topology:string'),
    'XlaReduce': (
        'input:T init_value:T',
        'output:T',
        'T:type dimensions_to_reduce:list(int) reducer:func'),
    'XlaReducePrecision': (
        'operand:T',
        'output:T',
        'T:type exponent_bits:int mantissa_bits:int'),
    'XlaReduceScatter': (
        'input:T group_assignment:DT_INT32 scatter_dimension:DT_INT32',
        'output:T',
        'T:type reduce_op:string'),
    'XlaReduceWindow': (
        'input:T init_value:T window_dimensions:Tindices window_strides:Tindices base_dilations:Tindices window_dilations:Tindices padding:Tindices',
        'output:T',
        'T:type Tindices:type computation:func'),
    'XlaRemoveDynamicDimensionSize': (
        'input:T dim_index:DT_INT32',
        'output:T',
        'T:type'),
    'XlaReplicaId': (
        '',
        'id:DT_INT32',
        ''),
    'XlaRngBitGenerator': (
        'algorithm:DT_INT32 initial_state:DT_UINT64 shape:Tshape',
        'output_key:DT_UINT64 output:dtype',
        'dtype:type="DT_UINT64" Tshape:type="DT_INT32"'),
    'XlaScatter': (
        'operand:T scatter_indices:Tindices updates:T',
        'output:T',
        'update_computation:func dimension_numbers:string indices_are_sorted:bool T:type Tindices:type'),
    'XlaSelectAndScatter': (
        'operand:T window_dimensions:Tindices window_strides:Tindices padding:Tindices source:T init_value:T',
        'output:T',
        'T:type Tindices:type select:func scatter:func'),
    'XlaSelfAdjointEig': (
        'a:T',
        'w:T v:T',
        'lower:bool max_iter:int epsilon:float T:type'),
    'XlaSend': (
        'tensor:T',
        '',
        'T:type tensor_name:string'),
    'XlaSendTPUEmbeddingGradients': (
        'gradients:NumTables*DT_FLOAT learning_rates:NumLearningRateTags*DT_FLOAT deduplication_data:DT_VARIANT',
        '',
        'NumTables:int NumLearningRateTags:int=0 config:string'),
    'XlaSendTPUEmbeddingGradientsV2': (
        'gradients:NumTables*DT_FLOAT learning_rates:NumLearningRateTags*DT_FLOAT deduplication_data:DT_VARIANT',
        '',
        'NumTables:int NumLearningRateTags:int=0 config:string embedding_partitions:string hbm_buffers_config:string tpu_topology:string'),
    'XlaSendToHost': (
        'input:Tinput',
        '',
        'Tinput:type key:string'),
    'XlaSetBound': (
        'input:DT_INT32 bound:DT_INT32',
        'output:DT_INT32',
        ''),
    'XlaSetDynamicDimensionSize': (
        'input:T dim_index:DT_INT32 size:DT_INT32',
        'output:T',
        'T:type'),
    'XlaSharding': (
        'input:T',
        'output:T',
        'T:type sharding:string="" unspecified_dims:list(int)=[]'),
    'XlaSort': (
        'input:T',
        'output:T',
        'T:type'),
    'XlaSparseActivationsUnstack': (
        'stacked_activations:input_dtype',
        'unstacked_activations:num_tables*dtype',
        'num_tables:int sample_counts:list(int) features:list(int) interleaved:bool input_dtype:type dtype:type'),
    'XlaSparseCoreAdagrad': (
        'indices:DT_INT32 gradient:DT_FLOAT learning_rate:DT_FLOAT accumulator:DT_FLOAT embedding_table:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT',
        'feature_width:int'),
    'XlaSparseCoreAdagradMomentum': (
        'indices:DT_INT32 gradient:DT_FLOAT learning_rate:DT_FLOAT beta_1:DT_FLOAT epsilon:DT_FLOAT accumulator:DT_FLOAT momentum:DT_FLOAT embedding_table:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_momentum:DT_FLOAT',
        'feature_width:int use_nesterov:bool beta_2:float exponent:float'),
    'XlaSparseCoreAdam': (
        'embedding_table:DT_FLOAT indices:DT_INT32 gradient:DT_FLOAT learning_rate:DT_FLOAT momentum:DT_FLOAT velocity:DT_FLOAT beta_1:DT_FLOAT beta_2:DT_FLOAT epsilon:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_velocity:DT_FLOAT updated_momentum:DT_FLOAT',
        'feature_width:int use_sum_inside_sqrt:bool'),
    'XlaSparseCoreFtrl': (
        'embedding_table:DT_FLOAT accumulator:DT_FLOAT linear:DT_FLOAT learning_rate:DT_FLOAT indices:DT_INT32 gradient:DT_FLOAT beta:DT_FLOAT learning_rate_power:DT_FLOAT l2_regularization_strength:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_linear:DT_FLOAT',
        'feature_width:int multiply_linear_by_learning_rate:bool l1_regularization_strength:float'),
    'XlaSparseCoreSgd': (
        'indices:DT_INT32 gradient:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT',
        'feature_width:int'),
    'XlaSparseDenseMatmul': (
        'row_ids:DT_INT32 col_ids:DT_UINT32 values:DT_FLOAT offsets:DT_UINT32 embedding_table:DT_FLOAT',
        'activations:DT_FLOAT row_pointers:DT_INT32 sorted_embedding_ids:DT_INT32 sorted_sample_ids:DT_INT32 sorted_gains:DT_FLOAT',
        'max_ids_per_partition:int max_unique_ids_per_partition:int input_size:int'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT combiner_weights_learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_weights:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradMomentumAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT combiner_weights_learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT momenta:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_momenta:DT_FLOAT updated_weights:DT_FLOAT',
        'use_nesterov:bool exponent:float beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdamAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT combiner_weights_learning_rate:DT_FLOAT embedding_table:DT_FLOAT momenta:DT_FLOAT velocity:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_momenta:DT_FLOAT updated_velocity:DT_FLOAT updated_weights:DT_FLOAT',
        'use_sum_inside_sqrt:bool beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT tables:N*DT_FLOAT hyperparameters:M*DT_FLOAT combiner_weights_learning_rate:DT_FLOAT',
        'updated_tables:N*DT_FLOAT updated_weights:DT_FLOAT',
        'N:int M:int max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func optimizer_custom_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithFtrlAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT combiner_weights_learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT linear:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_linear:DT_FLOAT updated_weights:DT_FLOAT',
        'multiply_linear_by_learning_rate:bool beta:float learning_rate_power:float l1_regularization_strength:float l2_regularization_strength:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcGradWithSgdAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT weights:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT preserved_weights:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT combiner_weights_learning_rate:DT_FLOAT embedding_table:DT_FLOAT',
        'updated_embedding_table:DT_FLOAT updated_weights:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_valency:int num_weights:int combiner_table_vjp_computation:func combiner_weights_vjp_computation:func table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_pos_ids:DT_INT32 sorted_gains:DT_FLOAT embedding_table:DT_FLOAT weights:DT_FLOAT',
        'activations:DT_FLOAT preserved_valencies:DT_INT32 preserved_vectors:DT_FLOAT',
        'input_size:int max_valency:int num_weights:int combiner_computation:func quantization_config_low:float quantization_config_high:float quantization_config_num_buckets:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdagradAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT momenta:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_momenta:DT_FLOAT',
        'use_nesterov:bool exponent:float beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT momenta:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_momenta:DT_FLOAT',
        'use_nesterov:bool exponent:float beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdamAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT momenta:DT_FLOAT velocity:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_momenta:DT_FLOAT updated_velocity:DT_FLOAT',
        'use_sum_inside_sqrt:bool beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT momenta:DT_FLOAT velocity:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_momenta:DT_FLOAT updated_velocity:DT_FLOAT',
        'use_sum_inside_sqrt:bool beta1:float beta2:float epsilon:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT tables:N*T hyperparameters:M*DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_tables:N*T',
        'N:int M:int custom_computation:func table_name:string num_sparsecores_per_device:int=-1 T:type="DT_FLOAT"'),
    'XlaSparseDenseMatmulGradWithFtrlAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT linear:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_linear:DT_FLOAT',
        'multiply_linear_by_learning_rate:bool beta:float learning_rate_power:float l1_regularization_strength:float l2_regularization_strength:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT accumulator:DT_FLOAT linear:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT updated_accumulator:DT_FLOAT updated_linear:DT_FLOAT',
        'multiply_linear_by_learning_rate:bool beta:float learning_rate_power:float l1_regularization_strength:float l2_regularization_strength:float clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithSgdAndCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT activation_gradients:DT_FLOAT learning_rate:DT_FLOAT embedding_table:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'updated_embedding_table:DT_FLOAT',
        'clip_weight_min:float=-Infinity clip_weight_max:float=Infinity max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseDenseMatmulWithCsrInput': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT embedding_table:T num_minibatches_per_physical_sparse_core:DT_INT32',
        'activations:T',
        'input_size:int quantization_config_low:float quantization_config_high:float quantization_config_num_buckets:int table_name:string num_sparsecores_per_device:int=-1 T:type="DT_FLOAT"'),
    'XlaSparseDenseMatmulWithStaticBufferSize': (
        'row_pointers:DT_INT32 sorted_sample_ids:DT_INT32 sorted_token_ids:DT_INT32 sorted_gains:DT_FLOAT embedding_table:DT_FLOAT num_minibatches_per_physical_sparse_core:DT_INT32',
        'activations:DT_FLOAT',
        'input_size:int quantization_config_low:float quantization_config_high:float quantization_config_num_buckets:int max_ids_per_sparse_core:int max_unique_ids_per_sparse_core:int table_name:string num_sparsecores_per_device:int=-1'),
    'XlaSparseGradientsStack': (
        'unstacked_gradients:num_tables*input_dtype',
        'stacked_gradients:dtype',
        'num_tables:int interleaved:bool input_dtype:type dtype:type'),
    'XlaSplitND': (
        'input:T',
        'outputs:N*T',
        'T:type N:int num_splits:list(int) paddings:list(int)=[]'),
    'XlaSpmdFullToShardShape': (
        'input:T',
        'output:T',
        'T:type manual_sharding:string dim:int=-1 unspecified_dims:list(int)=[]'),
    'XlaSpmdShardToFullShape': (
        'input:T',
        'output:T',
        'T:type manual_sharding:string full_shape:shape dim:int=-1 unspecified_dims:list(int)=[]'),
    'XlaSvd': (
        'a:T',
        's:T u:T v:T',
        'max_iter:int epsilon:float precision_config:string T:type'),
    'XlaVariadicReduce': (
        'input:N*T init_value:N*T',
        'output:N*T',
        'N:int T:type dimensions_to_reduce:list(int) reducer:func'),
    'XlaVariadicReduceV2': (
        'inputs:*T init_values:*T',
        'outputs:*T',
        'T:list(type) dimensions_to_reduce:list(int) reducer:func'),
    'XlaVariadicSort': (
        'inputs:*T dimension:DT_INT32',
        'outputs:*T',
        'T:list(type) comparator:func is_stable:bool'),
    'XlaWhile': (
        'input:*T',
        'output:*T',
        'T:list(type) cond:func body:func'),
    'Xlog1py': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'Xlogy': (
        'x:T y:T',
        'z:T',
        'T:type'),
    'ZerosLike': (
        'x:T',
        'y:T',
        'T:type'),
    'Zeta': (
        'x:T q:T',
        'z:T',
        'T:type'),
    'ZipDataset': (
        'input_datasets:N*DT_VARIANT',
        'handle:DT_VARIANT',
        'output_types:list(type) output_shapes:list(shape) N:int metadata:string=""'),
}
