"""Files that Keras itself loads, in a process of its own: what it is given, and what is said of its failures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.importers.child import said_last

_MODULE = """
import keras

@keras.saving.register_keras_serializable()
class Backbone(keras.Model):
    def __init__(self, **kw):
        ids, mask = keras.Input((None,), dtype="int32", name="token_ids"), keras.Input((None,), name="mask")
        y = keras.layers.Embedding(7, 4)(ids) * keras.ops.expand_dims(mask, -1)
        super().__init__(inputs={"token_ids": ids, "mask": mask}, outputs=keras.layers.Dense(2)(y), **kw)

    def get_config(self):
        return {"name": self.name}
"""
_WRITE = """
import sys
import numpy as np
from backbone import Backbone
model = Backbone()
given = dict(np.load("given.npz"))
np.save("found.npy", model(given, training=False).numpy())
model.save("model.keras")
"""


@pytest.mark.long
def test_models_of_an_own_class_take_their_inputs_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keras refuses a list of inputs where such a class, as those of KerasHub, is made for a dict."""
    monkeypatch.chdir(tmp_path)
    Path("backbone.py").write_text(_MODULE, encoding="utf-8")
    rng = np.random.default_rng(0)
    given = {"token_ids": rng.integers(0, 7, (2, 5)).astype("i4"), "mask": rng.random((2, 5)).astype("f")}
    np.savez("given.npz", allow_pickle=False, **given)
    command = [sys.executable, "-c", _WRITE]
    subprocess.run(command, check=True, capture_output=True, timeout=600, env={**os.environ, "PYTHONPATH": "."})
    (found,) = mlconv.load("model.keras", imports=("backbone",)).run(given).values()
    np.testing.assert_allclose(found, np.load("found.npy"), rtol=1e-5, atol=1e-6)


def test_a_failure_begins_with_the_exception_not_with_its_last_line() -> None:
    errors = """I0000 something of no interest
Traceback (most recent call last):
  File "<string>", line 1, in <module>
    f()
KeyError: 'first'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "<string>", line 3, in <module>
    g()
ValueError: Exception encountered when calling Net.call().

\x1b[1mThe structure of `inputs` is another\x1b[0m
Arguments received by Net.call():
  • training=False
"""
    exception, reason, *_ = said_last(errors)
    assert exception == "ValueError: Exception encountered when calling Net.call()."
    assert reason == "The structure of `inputs` is another"
    assert said_last("a\nKilled\n\n") == ["Killed"]
    assert said_last("") == []
