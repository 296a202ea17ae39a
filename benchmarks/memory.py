"""The arena of native code and of TFLite in the order of the source, and in the order that mlconv gives ops.

    python benchmarks/memory.py [NETWORK...] [--keras]

--keras: also NASNetMobile and DenseNet121 of keras.applications, which takes TensorFlow and a minute.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
from collections.abc import Callable

import networks
import wired

from mlconv.driver.memory_facts import memory_facts
from mlconv.driver.options import Options

NETWORKS: dict[str, Callable[[pathlib.Path], pathlib.Path]] = {
    "nasnet-stem-by-depth": lambda path: wired.nasnet_stem(path, by_depth=True),
    "nasnet-stem-by-block": lambda path: wired.nasnet_stem(path, by_depth=False),
    "unet-with-crops": wired.unet_with_crops,
    "unet-same-size": networks.unet,
    "shufflenet-g2": lambda path: wired.shufflenet(path, 2),
    "shufflenet-g3": lambda path: wired.shufflenet(path, 3),
    "shufflenet-g2-cifar": lambda path: wired.shufflenet(path, 2, 32),
    "densenet121": wired.densenet121,
    "ssd300": wired.ssd300,
}
KERAS = ("NASNetMobile", "DenseNet121")


def of_keras(name: str, folder: pathlib.Path) -> tuple[pathlib.Path, Options]:
    """A network of keras.applications without trained weights, and options that pin its batch to 1."""
    import keras

    keras.utils.clear_session()
    model = getattr(keras.applications, name)(weights=None, input_shape=(224, 224, 3))
    path = folder / f"{name}.keras"
    model.save(path)
    return path, Options(shapes={model.layers[0].name: (1, 224, 224, 3)})


def report(name: str, path: pathlib.Path, options: Options) -> None:
    for target in ("native", "tflite"):
        facts = memory_facts(str(path), options, target)
        before, after = facts["source_order"]["arena_bytes"], facts["arena_bytes"]
        change = f"{(after / before - 1) * 100:+.1f}%" if isinstance(before, int) and isinstance(after, int) else "?"
        print(f"{name:24} {target:7} {before:>12} -> {after:>12}  {change}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=[], help=f"of {', '.join(NETWORKS)}; all without any")
    parser.add_argument("--keras", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.networks or NETWORKS:
            report(name, NETWORKS[name](pathlib.Path(folder) / f"{name}.onnx"), Options())
        for name in KERAS if given.keras else ():
            report(name, *of_keras(name, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
