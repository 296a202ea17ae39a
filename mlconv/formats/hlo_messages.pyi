"""Messages of XLA.  Written by tools/gen_message_types.py."""

from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.message import Message

class AxisRefProto(Message):
    mesh_axis_index: int
    sub_axis_info: AxisRefProtoSubAxis

class AxisRefProtoSubAxis(Message):
    pre_size: int
    size: int

class CholeskyOptions(Message):
    lower: bool

class CollectiveDeviceListProto(Message):
    replica_groups: RepeatedCompositeFieldContainer[ReplicaGroup]
    iota_replica_group_list: IotaReplicaGroupListProto

class ConvolutionDimensionNumbers(Message):
    input_batch_dimension: int
    input_feature_dimension: int
    input_spatial_dimensions: RepeatedScalarFieldContainer[int]
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    kernel_spatial_dimensions: RepeatedScalarFieldContainer[int]
    output_batch_dimension: int
    output_feature_dimension: int
    output_spatial_dimensions: RepeatedScalarFieldContainer[int]

class CrossProgramPrefetch(Message):
    parameter: int
    index: RepeatedScalarFieldContainer[int]
    offset: int

class DeviceAssignmentProto(Message):
    replica_count: int
    computation_count: int
    computation_devices: RepeatedCompositeFieldContainer[DeviceAssignmentProtoComputationDevice]

class DeviceAssignmentProtoComputationDevice(Message):
    replica_device_ids: RepeatedScalarFieldContainer[int]

class DotDimensionNumbers(Message):
    lhs_contracting_dimensions: RepeatedScalarFieldContainer[int]
    rhs_contracting_dimensions: RepeatedScalarFieldContainer[int]
    lhs_batch_dimensions: RepeatedScalarFieldContainer[int]
    rhs_batch_dimensions: RepeatedScalarFieldContainer[int]

class FrontendAttributes(Message):
    map: ScalarMap[str, str]

class GatherDimensionNumbers(Message):
    offset_dims: RepeatedScalarFieldContainer[int]
    collapsed_slice_dims: RepeatedScalarFieldContainer[int]
    start_index_map: RepeatedScalarFieldContainer[int]
    index_vector_dim: int
    operand_batching_dims: RepeatedScalarFieldContainer[int]
    start_indices_batching_dims: RepeatedScalarFieldContainer[int]

class HloBufferDonorProto(Message):
    entries: RepeatedCompositeFieldContainer[HloBufferDonorProtoBufferDonorEntryProto]

class HloBufferDonorProtoBufferDonorEntryProto(Message):
    parameter_number: int
    parameter_shape_index: RepeatedScalarFieldContainer[int]

class HloComputationProto(Message):
    name: str
    instructions: RepeatedCompositeFieldContainer[HloInstructionProto]
    program_shape: ProgramShapeProto
    id: int
    root_id: int
    is_fusion_computation: bool
    execution_thread: str

class HloInputOutputAliasProto(Message):
    entries: RepeatedCompositeFieldContainer[HloInputOutputAliasProtoAliasEntryProto]

class HloInputOutputAliasProtoAliasEntryProto(Message):
    output_shape_index: RepeatedScalarFieldContainer[int]
    parameter_number: int
    parameter_shape_index: RepeatedScalarFieldContainer[int]
    kind: int

class HloInstructionProto(Message):
    name: str
    opcode: str
    shape: ShapeProto
    metadata: OpMetadata
    literal: LiteralProto
    parameter_number: int
    fusion_kind: str
    tuple_index: int
    dimensions: RepeatedScalarFieldContainer[int]
    window: Window
    convolution_dimension_numbers: ConvolutionDimensionNumbers
    feature_group_count: int
    batch_group_count: int
    slice_dimensions: RepeatedCompositeFieldContainer[HloInstructionProtoSliceDimensions]
    exponent_bits: int
    mantissa_bits: int
    dynamic_slice_sizes: RepeatedScalarFieldContainer[int]
    padding_config: PaddingConfig
    outfeed_config: bytes
    distribution: int
    epsilon: float
    feature_index: int
    channel_id: int
    infeed_config: bytes
    custom_call_target: str
    outfeed_shape: ShapeProto
    dot_dimension_numbers: DotDimensionNumbers
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers
    fft_type: int
    fft_length: RepeatedScalarFieldContainer[int]
    comparison_direction: str
    gather_dimension_numbers: GatherDimensionNumbers
    gather_slice_sizes: RepeatedScalarFieldContainer[int]
    id: int
    operand_ids: RepeatedScalarFieldContainer[int]
    control_predecessor_ids: RepeatedScalarFieldContainer[int]
    called_computation_ids: RepeatedScalarFieldContainer[int]
    sharding: OpSharding
    backend_config: bytes
    replica_groups: RepeatedCompositeFieldContainer[ReplicaGroup]
    all_reduce_id: int
    use_global_device_ids: bool
    is_host_transfer: bool
    is_stable: bool
    scatter_dimension_numbers: ScatterDimensionNumbers
    precision_config: PrecisionConfig
    source_target_pairs: RepeatedCompositeFieldContainer[SourceTarget]
    domain_entry_sharding: OpSharding
    domain_exit_sharding: OpSharding
    constrain_layout: bool
    operand_shapes_with_layout: RepeatedCompositeFieldContainer[ShapeProto]
    triangular_solve_options: TriangularSolveOptions
    cholesky_options: CholeskyOptions
    parameter_replication: ParameterReplication
    custom_call_has_side_effect: bool
    output_operand_aliasing: RepeatedCompositeFieldContainer[OutputOperandAliasing]
    custom_call_schedule: int
    delta: int
    indices_are_sorted: bool
    frontend_attributes: FrontendAttributes
    unique_indices: bool
    rng_algorithm: int
    comparison_type: str
    is_cross_program_prefetch: bool
    cross_program_prefetch_index: int
    padding_type: int
    custom_call_api_version: int
    async_execution_thread: str
    k: int
    largest: bool
    statistics_viz: StatisticsViz
    collective_device_list: CollectiveDeviceListProto
    iota_collective_device_list: IotaReplicaGroupListProto
    mesh_axes_replica_group_list: MeshAxesReplicaGroupListProto
    original_value: OriginalValueProto
    is_composite: bool
    result_accuracy: ResultAccuracy
    is_reverse: bool
    num_carries: int
    is_associative: int
    conv_kind: int

class HloInstructionProtoSliceDimensions(Message):
    start: int
    limit: int
    stride: int

class HloModuleProto(Message):
    name: str
    entry_computation_name: str
    entry_computation_id: int
    computations: RepeatedCompositeFieldContainer[HloComputationProto]
    host_program_shape: ProgramShapeProto
    id: int
    schedule: HloScheduleProto
    input_output_alias: HloInputOutputAliasProto
    buffer_donor: HloBufferDonorProto
    cross_program_prefetches: RepeatedCompositeFieldContainer[CrossProgramPrefetch]
    is_dynamic: bool
    spmd_output_sharding: OpSharding
    spmd_parameters_shardings: RepeatedCompositeFieldContainer[OpSharding]
    use_auto_spmd_partitioning: bool
    profile_info: RepeatedCompositeFieldContainer[HloModuleProtoProfileInfo]
    device_assignment: DeviceAssignmentProto
    stack_frame_index: StackFrameIndexProto
    frontend_attributes: FrontendAttributes
    original_value_recovery_table: OriginalValueRecoveryTableProto

class HloModuleProtoProfileInfo(Message):
    profile_type: int
    relative_speedup: float
    profile_source: int
    compilation_event: int
    fingerprint: str
    profile_generation_strategy: int
    original_changelist: int
    changelist: int

class HloScheduleProto(Message):
    sequences: MessageMap[int, HloScheduleProtoInstructionSequence]

class HloScheduleProtoInstructionSequence(Message):
    instruction_ids: RepeatedScalarFieldContainer[int]

class IotaReplicaGroupListProto(Message):
    num_replica_groups: int
    num_devices_per_group: int
    iota_reshape_dims: RepeatedScalarFieldContainer[int]
    iota_transpose_perm: RepeatedScalarFieldContainer[int]

class LayoutProto(Message):
    minor_to_major: RepeatedScalarFieldContainer[int]
    dim_level_types: RepeatedScalarFieldContainer[int]
    dim_unique: RepeatedScalarFieldContainer[bool]
    dim_ordered: RepeatedScalarFieldContainer[bool]
    tiles: RepeatedCompositeFieldContainer[TileProto]
    tail_padding_alignment_in_elements: int
    element_size_in_bits: int
    memory_space: int
    index_primitive_type: int
    pointer_primitive_type: int
    physical_shape: ShapeProto
    dynamic_shape_metadata_prefix_bytes: int
    split_configs: RepeatedCompositeFieldContainer[SplitConfigProto]

class LiteralProto(Message):
    shape: ShapeProto
    preds: RepeatedScalarFieldContainer[bool]
    s1s: bytes
    s2s: bytes
    s4s: bytes
    s8s: bytes
    u1s: bytes
    u2s: bytes
    u4s: bytes
    u8s: bytes
    s32s: RepeatedScalarFieldContainer[int]
    s64s: RepeatedScalarFieldContainer[int]
    u32s: RepeatedScalarFieldContainer[int]
    u64s: RepeatedScalarFieldContainer[int]
    f32s: RepeatedScalarFieldContainer[float]
    f64s: RepeatedScalarFieldContainer[float]
    c64s: RepeatedScalarFieldContainer[float]
    c128s: RepeatedScalarFieldContainer[float]
    tuple_literals: RepeatedCompositeFieldContainer[LiteralProto]
    f16s: bytes
    bf16s: bytes
    u16s: bytes
    s16s: bytes
    f4e2m1fns: bytes
    f8e3m4s: bytes
    f8e4m3b11fnuzs: bytes
    f8e4m3fns: bytes
    f8e4m3fnuzs: bytes
    f8e4m3s: bytes
    f8e5m2fnuzs: bytes
    f8e5m2s: bytes
    f8e8m0fnus: bytes
    sparse_indices: RepeatedScalarFieldContainer[int]

class MeshAxesReplicaGroupListProto(Message):
    mesh: MeshProto
    axes: RepeatedCompositeFieldContainer[AxisRefProto]

class MeshProto(Message):
    axes: RepeatedCompositeFieldContainer[MeshProtoMeshAxis]
    device_ids: RepeatedScalarFieldContainer[int]

class MeshProtoMeshAxis(Message):
    name: str
    size: int

class NamedShardingProto(Message):
    mesh: MeshProto
    dim_shardings: RepeatedCompositeFieldContainer[NamedShardingProtoDimensionSharding]
    replicated_axes: RepeatedCompositeFieldContainer[AxisRefProto]
    unreduced_axes: RepeatedCompositeFieldContainer[AxisRefProto]
    manual_axes: RepeatedCompositeFieldContainer[AxisRefProto]
    metadata: RepeatedCompositeFieldContainer[OpMetadata]

class NamedShardingProtoDimensionSharding(Message):
    axes: RepeatedCompositeFieldContainer[AxisRefProto]
    is_closed: bool

class OpMetadata(Message):
    op_type: str
    op_name: str
    source_file: str
    source_line: int
    source_end_line: int
    source_column: int
    source_end_column: int
    profile_type: RepeatedScalarFieldContainer[int]
    size_of_generated_code_in_bytes: int
    size_of_memory_working_set_in_bytes: int
    profile_info: OpMetadataProfileInfo
    deduplicated_name: str
    stack_frame_id: int
    scheduling_name: str

class OpMetadataProfileInfo(Message):
    profile_type: RepeatedScalarFieldContainer[int]
    relative_speedup: float
    profile_source: int
    compilation_event: int
    profile_generation_strategy: int

class OpSharding(Message):
    type: int
    tile_shape: ShapeProto
    tile_assignment_dimensions: RepeatedScalarFieldContainer[int]
    tile_assignment_devices: RepeatedScalarFieldContainer[int]
    tuple_shardings: RepeatedCompositeFieldContainer[OpSharding]
    replicate_on_last_tile_dim: bool
    metadata: RepeatedCompositeFieldContainer[OpMetadata]
    last_tile_dims: RepeatedScalarFieldContainer[int]
    iota_reshape_dims: RepeatedScalarFieldContainer[int]
    iota_transpose_perm: RepeatedScalarFieldContainer[int]
    is_shard_group: bool
    shard_group_id: int
    shard_group_type: int
    named_sharding: NamedShardingProto

class OriginalArrayProto(Message):
    instruction_name: str
    shape_index: RepeatedScalarFieldContainer[int]

class OriginalValueElementProto(Message):
    shape_index: RepeatedScalarFieldContainer[int]
    original_array: OriginalArrayProto

class OriginalValueProto(Message):
    elements: RepeatedCompositeFieldContainer[OriginalValueElementProto]
    is_synthetic_call: bool

class OriginalValueRecoveryTableProto(Message):
    entries: RepeatedCompositeFieldContainer[OriginalValueRecoveryTableProtoEntry]

class OriginalValueRecoveryTableProtoEntry(Message):
    old_original_array: OriginalArrayProto
    new_original_array: OriginalArrayProto
    recovery_module: HloModuleProto

class OutputOperandAliasing(Message):
    output_shape_index: RepeatedScalarFieldContainer[int]
    operand_index: int
    operand_shape_index: RepeatedScalarFieldContainer[int]

class PaddingConfig(Message):
    dimensions: RepeatedCompositeFieldContainer[PaddingConfigPaddingConfigDimension]

class PaddingConfigPaddingConfigDimension(Message):
    edge_padding_low: int
    edge_padding_high: int
    interior_padding: int

class ParameterReplication(Message):
    replicated_at_leaf_buffers: RepeatedScalarFieldContainer[bool]

class PrecisionConfig(Message):
    operand_precision: RepeatedScalarFieldContainer[int]
    algorithm: int

class ProgramShapeProto(Message):
    parameters: RepeatedCompositeFieldContainer[ShapeProto]
    result: ShapeProto
    parameter_names: RepeatedScalarFieldContainer[str]

class RaggedDotDimensionNumbers(Message):
    dot_dimension_numbers: DotDimensionNumbers
    lhs_ragged_dimensions: RepeatedScalarFieldContainer[int]
    rhs_group_dimensions: RepeatedScalarFieldContainer[int]

class ReplicaGroup(Message):
    replica_ids: RepeatedScalarFieldContainer[int]

class ResultAccuracy(Message):
    mode: int
    tolerance: ResultAccuracyTolerance

class ResultAccuracyTolerance(Message):
    atol: float
    rtol: float
    ulps: int

class ScatterDimensionNumbers(Message):
    update_window_dims: RepeatedScalarFieldContainer[int]
    inserted_window_dims: RepeatedScalarFieldContainer[int]
    scatter_dims_to_operand_dims: RepeatedScalarFieldContainer[int]
    index_vector_dim: int
    input_batching_dims: RepeatedScalarFieldContainer[int]
    scatter_indices_batching_dims: RepeatedScalarFieldContainer[int]

class ShapeProto(Message):
    element_type: int
    dimensions: RepeatedScalarFieldContainer[int]
    is_dynamic_dimension: RepeatedScalarFieldContainer[bool]
    tuple_shapes: RepeatedCompositeFieldContainer[ShapeProto]
    layout: LayoutProto

class SourceTarget(Message):
    source: int
    target: int

class SplitConfigProto(Message):
    dimension: int
    split_indices: RepeatedScalarFieldContainer[int]

class StackFrameIndexProto(Message):
    file_names: RepeatedScalarFieldContainer[str]
    function_names: RepeatedScalarFieldContainer[str]
    file_locations: RepeatedCompositeFieldContainer[StackFrameIndexProtoFileLocation]
    stack_frames: RepeatedCompositeFieldContainer[StackFrameIndexProtoStackFrame]

class StackFrameIndexProtoFileLocation(Message):
    file_name_id: int
    function_name_id: int
    line: int
    end_line: int
    column: int
    end_column: int

class StackFrameIndexProtoStackFrame(Message):
    file_location_id: int
    parent_frame_id: int

class Statistic(Message):
    stat_name: str
    stat_val: float

class StatisticsViz(Message):
    stat_index_to_visualize: int
    statistics: RepeatedCompositeFieldContainer[Statistic]

class TileProto(Message):
    dimensions: RepeatedScalarFieldContainer[int]

class TriangularSolveOptions(Message):
    left_side: bool
    lower: bool
    unit_diagonal: bool
    transpose_a: int

class Window(Message):
    dimensions: RepeatedCompositeFieldContainer[WindowDimension]

class WindowDimension(Message):
    size: int
    stride: int
    padding_low: int
    padding_high: int
    window_dilation: int
    base_dilation: int
    window_reversal: bool
