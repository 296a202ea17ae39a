"""Cases of single TensorFlow ops, by family; run as a program, the package writes graphs and TensorFlow's results, so
that tests never import it.

Use: python -m tests.tf.op_rows FOLDER.  Makes FOLDER/<number>.pb and FOLDER/<number>.npz (in0.., out0..; names of the
outputs).
"""

from __future__ import annotations

from tests.tf.op_rows import (
    arrays,
    basics,
    control,
    gradients,
    images,
    matrices,
    quantized,
    ragged,
    randoms,
    sparse,
    specials,
)
from tests.tf.op_rows.row import Row

ROWS: list[Row] = [
    *randoms.ROWS,
    *images.ROWS,
    *specials.ROWS,
    *basics.ROWS,
    *matrices.ROWS,
    *ragged.ROWS,
    *arrays.ROWS,
    *control.ROWS,
    *quantized.ROWS,
    *sparse.ROWS,
    *gradients.ROWS,
]
