"""Makes the artifacts of this folder: what jax.export of another version writes of the functions of the tests, with its
own results.

    python -m venv /tmp/make && /tmp/make/bin/pip install 'jax==0.4.30' 'jaxlib==0.4.30' 'numpy<2' absl-py flatbuffers
    cp tests/stablehlo/functions.py testdata/stablehlo/make_artifacts.py /tmp/make
    /tmp/make/bin/python /tmp/make/make_artifacts.py testdata/stablehlo

Of each function: NAME.artifact, its bytes; NAME.lines, the first and the last line of its text; NAME.0, NAME.1, ...:
what jax computes of the inputs of seed 3.
"""

import inspect
import pathlib
import sys

import jax
import numpy as np
from functions import CASES
from jax import export

SEED = 3


def main(folder: pathlib.Path) -> None:
    arrays = {}
    for name, case in CASES.items():
        exported = export.export(jax.jit(case.run))(*case.specs)
        lines, first = inspect.getsourcelines(case.run)
        arrays[f"{name}.artifact"] = np.frombuffer(exported.mlir_module_serialized, np.uint8)
        arrays[f"{name}.lines"] = np.array([first, first + len(lines) - 1])
        for i, result in enumerate(jax.tree.leaves(jax.jit(case.run)(*case.inputs(SEED)))):
            arrays[f"{name}.{i}"] = np.asarray(result)
    np.savez_compressed(folder / f"jax-{jax.__version__}.npz", **arrays)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
