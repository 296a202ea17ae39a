"""Messages of TensorFlow.  Written by tools/gen_message_types.py."""

from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.message import Message

class Any(Message):
    type_url: str
    value: bytes

class AssetFileDef(Message):
    tensor_info: TensorInfo
    filename: str

class AttrValue(Message):
    s: bytes
    i: int
    f: float
    b: bool
    type: int
    shape: TensorShapeProto
    tensor: TensorProto
    list: AttrValueListValue
    func: NameAttrList
    placeholder: str

class AttrValueListValue(Message):
    s: RepeatedScalarFieldContainer[bytes]
    i: RepeatedScalarFieldContainer[int]
    f: RepeatedScalarFieldContainer[float]
    b: RepeatedScalarFieldContainer[bool]
    type: RepeatedScalarFieldContainer[int]
    shape: RepeatedCompositeFieldContainer[TensorShapeProto]
    tensor: RepeatedCompositeFieldContainer[TensorProto]
    func: RepeatedCompositeFieldContainer[NameAttrList]

class BoolValue(Message):
    value: bool

class BoundedTensorSpecProto(Message):
    name: str
    shape: TensorShapeProto
    dtype: int
    minimum: TensorProto
    maximum: TensorProto

class BundleEntryProto(Message):
    dtype: int
    shape: TensorShapeProto
    shard_id: int
    offset: int
    size: int
    crc32c: int
    slices: RepeatedCompositeFieldContainer[TensorSliceProto]

class BundleHeaderProto(Message):
    num_shards: int
    endianness: int
    version: VersionDef

class CapturedTensor(Message):
    name: str
    concrete_function: str

class CollectionDef(Message):
    node_list: CollectionDefNodeList
    bytes_list: CollectionDefBytesList
    int64_list: CollectionDefInt64List
    float_list: CollectionDefFloatList
    any_list: CollectionDefAnyList

class CollectionDefAnyList(Message):
    value: RepeatedCompositeFieldContainer[Any]

class CollectionDefBytesList(Message):
    value: RepeatedScalarFieldContainer[bytes]

class CollectionDefFloatList(Message):
    value: RepeatedScalarFieldContainer[float]

class CollectionDefInt64List(Message):
    value: RepeatedScalarFieldContainer[int]

class CollectionDefNodeList(Message):
    value: RepeatedScalarFieldContainer[str]

class DictValue(Message):
    fields: MessageMap[str, StructuredValue]

class FullTypeDef(Message):
    type_id: int
    args: RepeatedCompositeFieldContainer[FullTypeDef]
    s: str
    i: int

class FunctionDef(Message):
    signature: OpDef
    attr: MessageMap[str, AttrValue]
    arg_attr: MessageMap[int, FunctionDefArgAttrs]
    resource_arg_unique_id: ScalarMap[int, int]
    node_def: RepeatedCompositeFieldContainer[NodeDef]
    ret: ScalarMap[str, str]
    control_ret: ScalarMap[str, str]

class FunctionDefArgAttrs(Message):
    attr: MessageMap[str, AttrValue]

class FunctionDefLibrary(Message):
    function: RepeatedCompositeFieldContainer[FunctionDef]
    gradient: RepeatedCompositeFieldContainer[GradientDef]
    registered_gradients: RepeatedCompositeFieldContainer[RegisteredGradient]

class FunctionSpec(Message):
    fullargspec: StructuredValue
    is_method: bool
    input_signature: StructuredValue
    jit_compile: int

class GradientDef(Message):
    function_name: str
    gradient_func: str

class GraphDebugInfo(Message):
    files: RepeatedScalarFieldContainer[str]
    frames_by_id: MessageMap[int, GraphDebugInfoFileLineCol]
    traces_by_id: MessageMap[int, GraphDebugInfoStackTrace]
    traces: MessageMap[str, GraphDebugInfoStackTrace]
    name_to_trace_id: ScalarMap[str, int]

class GraphDebugInfoFileLineCol(Message):
    file_index: int
    line: int
    col: int
    func: str
    code: str

class GraphDebugInfoStackTrace(Message):
    file_line_cols: RepeatedCompositeFieldContainer[GraphDebugInfoFileLineCol]
    frame_id: RepeatedScalarFieldContainer[int]

class GraphDef(Message):
    node: RepeatedCompositeFieldContainer[NodeDef]
    versions: VersionDef
    version: int
    library: FunctionDefLibrary
    debug_info: GraphDebugInfo

class ListValue(Message):
    values: RepeatedCompositeFieldContainer[StructuredValue]

class MetaGraphDef(Message):
    meta_info_def: MetaGraphDefMetaInfoDef
    graph_def: GraphDef
    saver_def: SaverDef
    collection_def: MessageMap[str, CollectionDef]
    signature_def: MessageMap[str, SignatureDef]
    asset_file_def: RepeatedCompositeFieldContainer[AssetFileDef]
    object_graph_def: SavedObjectGraph

class MetaGraphDefMetaInfoDef(Message):
    meta_graph_version: str
    stripped_op_list: OpList
    any_info: Any
    tags: RepeatedScalarFieldContainer[str]
    tensorflow_version: str
    tensorflow_git_version: str
    stripped_default_attrs: bool
    function_aliases: ScalarMap[str, str]

class NameAttrList(Message):
    name: str
    attr: MessageMap[str, AttrValue]

class NamedTupleValue(Message):
    name: str
    values: RepeatedCompositeFieldContainer[PairValue]

class NodeDef(Message):
    name: str
    op: str
    input: RepeatedScalarFieldContainer[str]
    device: str
    attr: MessageMap[str, AttrValue]
    experimental_debug_info: NodeDefExperimentalDebugInfo
    experimental_type: FullTypeDef

class NodeDefExperimentalDebugInfo(Message):
    original_node_names: RepeatedScalarFieldContainer[str]
    original_func_names: RepeatedScalarFieldContainer[str]

class NoneValue(Message): ...

class OpDef(Message):
    name: str
    input_arg: RepeatedCompositeFieldContainer[OpDefArgDef]
    output_arg: RepeatedCompositeFieldContainer[OpDefArgDef]
    control_output: RepeatedScalarFieldContainer[str]
    attr: RepeatedCompositeFieldContainer[OpDefAttrDef]
    deprecation: OpDeprecation
    summary: str
    description: str
    is_commutative: bool
    is_aggregate: bool
    is_stateful: bool
    allows_uninitialized_input: bool
    is_distributed_communication: bool

class OpDefArgDef(Message):
    name: str
    description: str
    type: int
    type_attr: str
    number_attr: str
    type_list_attr: str
    handle_data: RepeatedCompositeFieldContainer[ResourceHandleProtoDtypeAndShape]
    is_ref: bool
    experimental_full_type: FullTypeDef

class OpDefAttrDef(Message):
    name: str
    type: str
    default_value: AttrValue
    description: str
    has_minimum: bool
    minimum: int
    allowed_values: AttrValue

class OpDeprecation(Message):
    version: int
    explanation: str

class OpList(Message):
    op: RepeatedCompositeFieldContainer[OpDef]

class PairValue(Message):
    key: str
    value: StructuredValue

class RegisteredGradient(Message):
    gradient_func: str
    registered_op_type: str

class RegisteredSaver(Message):
    name: str
    object_name: str

class ResourceHandleProto(Message):
    device: str
    container: str
    name: str
    hash_code: int
    maybe_type_name: str
    dtypes_and_shapes: RepeatedCompositeFieldContainer[ResourceHandleProtoDtypeAndShape]

class ResourceHandleProtoDtypeAndShape(Message):
    dtype: int
    shape: TensorShapeProto

class SaveableObject(Message):
    save_function: int
    restore_function: int

class SavedAsset(Message):
    asset_file_def_index: int

class SavedBareConcreteFunction(Message):
    concrete_function_name: str
    argument_keywords: RepeatedScalarFieldContainer[str]
    allowed_positional_arguments: int
    function_spec: FunctionSpec

class SavedConcreteFunction(Message):
    bound_inputs: RepeatedScalarFieldContainer[int]
    canonicalized_input_signature: StructuredValue
    output_signature: StructuredValue

class SavedConstant(Message):
    operation: str

class SavedFunction(Message):
    concrete_functions: RepeatedScalarFieldContainer[str]
    function_spec: FunctionSpec

class SavedModel(Message):
    saved_model_schema_version: int
    meta_graphs: RepeatedCompositeFieldContainer[MetaGraphDef]

class SavedObject(Message):
    children: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectObjectReference]
    dependencies: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectObjectReference]
    slot_variables: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectSlotVariableReference]
    user_object: SavedUserObject
    asset: SavedAsset
    function: SavedFunction
    variable: SavedVariable
    bare_concrete_function: SavedBareConcreteFunction
    constant: SavedConstant
    resource: SavedResource
    captured_tensor: CapturedTensor
    saveable_objects: MessageMap[str, SaveableObject]
    registered_name: str
    serialized_user_proto: Any
    registered_saver: str

class SavedObjectGraph(Message):
    nodes: RepeatedCompositeFieldContainer[SavedObject]
    concrete_functions: MessageMap[str, SavedConcreteFunction]

class SavedResource(Message):
    device: str

class SavedUserObject(Message):
    identifier: str
    version: VersionDef
    metadata: str

class SavedVariable(Message):
    dtype: int
    shape: TensorShapeProto
    trainable: bool
    synchronization: int
    aggregation: int
    name: str
    device: str
    experimental_distributed_variable_components: RepeatedCompositeFieldContainer[SavedVariable]

class SaverDef(Message):
    filename_tensor_name: str
    save_tensor_name: str
    restore_op_name: str
    max_to_keep: int
    sharded: bool
    keep_checkpoint_every_n_hours: float
    version: int

class SignatureDef(Message):
    inputs: MessageMap[str, TensorInfo]
    outputs: MessageMap[str, TensorInfo]
    method_name: str
    defaults: MessageMap[str, TensorProto]

class StructuredValue(Message):
    none_value: NoneValue
    float64_value: float
    int64_value: int
    string_value: str
    bool_value: bool
    tensor_shape_value: TensorShapeProto
    tensor_dtype_value: int
    tensor_spec_value: TensorSpecProto
    type_spec_value: TypeSpecProto
    bounded_tensor_spec_value: BoundedTensorSpecProto
    list_value: ListValue
    tuple_value: TupleValue
    dict_value: DictValue
    named_tuple_value: NamedTupleValue
    tensor_value: TensorProto
    numpy_value: TensorProto

class TensorInfo(Message):
    name: str
    coo_sparse: TensorInfoCooSparse
    composite_tensor: TensorInfoCompositeTensor
    dtype: int
    tensor_shape: TensorShapeProto

class TensorInfoCompositeTensor(Message):
    type_spec: TypeSpecProto
    components: RepeatedCompositeFieldContainer[TensorInfo]

class TensorInfoCooSparse(Message):
    values_tensor_name: str
    indices_tensor_name: str
    dense_shape_tensor_name: str

class TensorProto(Message):
    dtype: int
    tensor_shape: TensorShapeProto
    version_number: int
    tensor_content: bytes
    half_val: RepeatedScalarFieldContainer[int]
    float_val: RepeatedScalarFieldContainer[float]
    double_val: RepeatedScalarFieldContainer[float]
    int_val: RepeatedScalarFieldContainer[int]
    string_val: RepeatedScalarFieldContainer[bytes]
    scomplex_val: RepeatedScalarFieldContainer[float]
    int64_val: RepeatedScalarFieldContainer[int]
    bool_val: RepeatedScalarFieldContainer[bool]
    dcomplex_val: RepeatedScalarFieldContainer[float]
    resource_handle_val: RepeatedCompositeFieldContainer[ResourceHandleProto]
    variant_val: RepeatedCompositeFieldContainer[VariantTensorDataProto]
    uint32_val: RepeatedScalarFieldContainer[int]
    uint64_val: RepeatedScalarFieldContainer[int]
    float8_val: bytes

class TensorShapeProto(Message):
    dim: RepeatedCompositeFieldContainer[TensorShapeProtoDim]
    unknown_rank: bool

class TensorShapeProtoDim(Message):
    size: int
    name: str

class TensorSliceProto(Message):
    extent: RepeatedCompositeFieldContainer[TensorSliceProtoExtent]

class TensorSliceProtoExtent(Message):
    start: int
    length: int

class TensorSpecProto(Message):
    name: str
    shape: TensorShapeProto
    dtype: int

class TrackableObjectGraph(Message):
    nodes: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObject]

class TrackableObjectGraphTrackableObject(Message):
    children: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectObjectReference]
    attributes: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectSerializedTensor]
    slot_variables: RepeatedCompositeFieldContainer[TrackableObjectGraphTrackableObjectSlotVariableReference]
    registered_saver: RegisteredSaver
    has_checkpoint_values: BoolValue

class TrackableObjectGraphTrackableObjectObjectReference(Message):
    node_id: int
    local_name: str

class TrackableObjectGraphTrackableObjectSerializedTensor(Message):
    name: str
    full_name: str
    checkpoint_key: str

class TrackableObjectGraphTrackableObjectSlotVariableReference(Message):
    original_variable_node_id: int
    slot_name: str
    slot_variable_node_id: int

class TupleValue(Message):
    values: RepeatedCompositeFieldContainer[StructuredValue]

class TypeSpecProto(Message):
    type_spec_class: int
    type_state: StructuredValue
    type_spec_class_name: str
    num_flat_components: int

class VariantTensorDataProto(Message):
    type_name: str
    metadata: bytes
    tensors: RepeatedCompositeFieldContainer[TensorProto]

class VersionDef(Message):
    producer: int
    min_consumer: int
    bad_consumers: RepeatedScalarFieldContainer[int]
