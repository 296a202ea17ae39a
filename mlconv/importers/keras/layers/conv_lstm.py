"""LSTM layers whose products are convolutions.  Source: keras/src/layers/rnn/conv_lstm.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mlconv.importers.keras.call import Call
from mlconv.importers.keras.fields import Fields
from mlconv.importers.keras.layers.activation import function_of
from mlconv.importers.keras.layers.cells import Outputs, scanned
from mlconv.importers.keras.layers.conv import convolved
from mlconv.importers.keras.layers.shape import joined
from mlconv.importers.keras.layers.windows import pads_of
from mlconv.importers.keras.weights import Weights
from mlconv.ir.core import Value

_GATES: Final = 4


class ConvCell(NamedTuple):
    """spatial: how many axes an image has.

    The convolution of what it is given is made of all steps at once, in front of the loop.
    """

    spatial: int
    fields: Fields
    weights: Weights

    @property
    def states(self) -> int:
        return 2

    @property
    def output(self) -> int:
        """Which state is what it gives."""
        return 0

    def finish(self) -> None:
        """Its fields are those of the layer."""

    def run(
        self, n: Call, x: Value, states: Sequence[Value] | None, backwards: bool = False, lengths: Value | None = None
    ) -> Outputs:
        """x: [steps, batch, ...], an image for each step.  Outputs [steps, batch, ...], and the states h and c."""
        f, count, axes = self.fields, self.spatial, "".join(map(str, range(self.spatial)))
        first = f.text("data_format", "channels_last", ("channels_last", "channels_first")) == "channels_first"
        layout = f"NC{axes}" if first else f"N{axes}C"
        if n.rank(x) != count + 3:
            raise n.unknown(f"its input {x.tensor} is no sequence of images")
        f.unused("unit_forget_bias", "dropout", "recurrent_dropout")
        filters, window = f.integer("filters", None, 1), f.integers("kernel_size", count)
        strides, dilations = f.integers("strides", count, 1), f.integers("dilation_rate", count, 1)
        channel = layout.index("C")
        shapes = [(*window, n.size(x, channel + 1), _GATES * filters), (*window, filters, _GATES * filters)]
        bias = f.flag("use_bias", True)
        kernels = n.held(n.kind, self.weights, *shapes, *[(_GATES * filters,)] * bias)
        sizes = n.dims(x)
        images = joined(n, x, [-1, *sizes[2:]])
        pads = pads_of(n, f.text("padding", "valid", ("valid", "same")), images, layout, window, strides, dilations)
        gates = convolved(n, images, kernels[0], [*kernels, None][2], layout, strides, pads, dilations)
        gates = joined(n, gates, [*sizes[:2], *n.dims(gates)[1:]])
        ones = (1,) * count
        same = tuple(((k - 1) // 2, k - 1 - (k - 1) // 2) for k in window)
        gate = function_of(f, "recurrent_activation", "sigmoid")
        function = function_of(f, "activation", "tanh")

        def step(inner: Call, row: Value, now: Sequence[Value]) -> Sequence[Value]:
            h, c = now
            whole = inner.add(row, convolved(inner, h, kernels[1], None, layout, ones, same, ones))
            i, forget, g, o = inner.split(whole, (filters,) * _GATES, channel)
            new = inner.add(inner.mul(gate(inner, forget), c), inner.mul(gate(inner, i), function(inner, g)))
            return [inner.mul(gate(inner, o), function(inner, new)), new]

        if states is None:
            shape = n.dims(gates)[1:]
            shape[channel] = filters
            states = [n.broadcast_to(n.constant(0.0, n.dtype), shape)] * 2
        return scanned(n, gates, states, step, backwards, lengths)
