"""Tables of TFLite Metadata: metadata_schema.fbs of tflite-support, schema version 1.5.0, file identifier M001.

A field's kind is a scalar (`ubyte`, `int`, `uint`, `float`), `string`, an enum, a union or a table, in brackets for a
vector.  A union takes two slots: its type, then its value.
"""

from __future__ import annotations

IDENTIFIER = b"M001"
ENTRY = "TFLITE_METADATA"
"""Name of the model's metadata entry, metadata.py of tflite-support."""
ROOT = "ModelMetadata"

ENUMS: dict[str, tuple[str, ...]] = {
    "AssociatedFileType": (
        "UNKNOWN",
        "DESCRIPTIONS",
        "TENSOR_AXIS_LABELS",
        "TENSOR_VALUE_LABELS",
        "TENSOR_AXIS_SCORE_CALIBRATION",
        "VOCABULARY",
        "SCANN_INDEX_FILE",
    ),
    "ColorSpaceType": ("UNKNOWN", "RGB", "GRAYSCALE"),
    "BoundingBoxType": ("UNKNOWN", "BOUNDARIES", "UPPER_LEFT", "CENTER"),
    "CoordinateType": ("RATIO", "PIXEL"),
    "ScoreTransformationType": ("IDENTITY", "LOG", "INVERSE_LOGISTIC"),
}

UNIONS: dict[str, tuple[str, ...]] = {
    "ContentProperties": ("NONE", "FeatureProperties", "ImageProperties", "BoundingBoxProperties", "AudioProperties"),
    "ProcessUnitOptions": (
        "NONE",
        "NormalizationOptions",
        "ScoreCalibrationOptions",
        "ScoreThresholdingOptions",
        "BertTokenizerOptions",
        "SentencePieceTokenizerOptions",
        "RegexTokenizerOptions",
    ),
}

TABLES: dict[str, dict[str, str]] = {
    "AssociatedFile": {
        "name": "string",
        "description": "string",
        "type": "AssociatedFileType",
        "locale": "string",
        "version": "string",
    },
    "FeatureProperties": {},
    "ImageSize": {"width": "uint", "height": "uint"},
    "ImageProperties": {"color_space": "ColorSpaceType", "default_size": "ImageSize"},
    "AudioProperties": {"sample_rate": "uint", "channels": "uint"},
    "BoundingBoxProperties": {"index": "[uint]", "type": "BoundingBoxType", "coordinate_type": "CoordinateType"},
    "ValueRange": {"min": "int", "max": "int"},
    "Content": {"content_properties": "ContentProperties", "range": "ValueRange"},
    "NormalizationOptions": {"mean": "[float]", "std": "[float]"},
    "ScoreCalibrationOptions": {"score_transformation": "ScoreTransformationType", "default_score": "float"},
    "ScoreThresholdingOptions": {"global_score_threshold": "float"},
    "BertTokenizerOptions": {"vocab_file": "[AssociatedFile]"},
    "SentencePieceTokenizerOptions": {"sentencePiece_model": "[AssociatedFile]", "vocab_file": "[AssociatedFile]"},
    "RegexTokenizerOptions": {"delim_regex_pattern": "string", "vocab_file": "[AssociatedFile]"},
    "ProcessUnit": {"options": "ProcessUnitOptions"},
    "Stats": {"max": "[float]", "min": "[float]"},
    "TensorGroup": {"name": "string", "tensor_names": "[string]"},
    "TensorMetadata": {
        "name": "string",
        "description": "string",
        "dimension_names": "[string]",
        "content": "Content",
        "process_units": "[ProcessUnit]",
        "stats": "Stats",
        "associated_files": "[AssociatedFile]",
    },
    "CustomMetadata": {"name": "string", "data": "[ubyte]"},
    "SubGraphMetadata": {
        "name": "string",
        "description": "string",
        "input_tensor_metadata": "[TensorMetadata]",
        "output_tensor_metadata": "[TensorMetadata]",
        "associated_files": "[AssociatedFile]",
        "input_process_units": "[ProcessUnit]",
        "output_process_units": "[ProcessUnit]",
        "input_tensor_groups": "[TensorGroup]",
        "output_tensor_groups": "[TensorGroup]",
        "custom_metadata": "[CustomMetadata]",
    },
    "ModelMetadata": {
        "name": "string",
        "description": "string",
        "version": "string",
        "subgraph_metadata": "[SubGraphMetadata]",
        "author": "string",
        "license": "string",
        "associated_files": "[AssociatedFile]",
        "min_parser_version": "string",
    },
}

LEAST = "1.0.0"
SINCE: dict[str, str] = {
    "VOCABULARY": "1.0.1",
    "BertTokenizerOptions": "1.1.0",
    "SentencePieceTokenizerOptions": "1.1.0",
    "SubGraphMetadata.input_process_units": "1.1.0",
    "SubGraphMetadata.output_process_units": "1.1.0",
    "SubGraphMetadata.input_tensor_groups": "1.2.0",
    "SubGraphMetadata.output_tensor_groups": "1.2.0",
    "RegexTokenizerOptions": "1.2.1",
    "AudioProperties": "1.3.0",
    "SCANN_INDEX_FILE": "1.4.0",
    "AssociatedFile.version": "1.4.1",
    "SubGraphMetadata.custom_metadata": "1.5.0",
}
"""The schema version that has an enum value, a table of a union or a field; the least one has all others."""
