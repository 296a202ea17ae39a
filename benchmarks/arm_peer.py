"""A model by ONNX Runtime or LiteRT on one thread, for `arm.py`, in a Python of the other machine.

python arm_peer.py onnxruntime|litert MODEL INPUT.npy OUTPUT.npy RUNS
"""

import sys

import numpy as np


def main() -> None:
    peer, model, given, result, runs = sys.argv[1:]
    value = np.load(given)
    if peer == "onnxruntime":
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        for _ in range(int(runs)):
            out = session.run(None, {name: value})[0]
    else:
        from ai_edge_litert.interpreter import Interpreter

        interpreter = Interpreter(model, num_threads=1)
        interpreter.allocate_tensors()
        detail = interpreter.get_input_details()[0]
        for _ in range(int(runs)):
            interpreter.set_tensor(detail["index"], value.astype(detail["dtype"]))
            interpreter.invoke()
        out = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    np.save(result, out)


if __name__ == "__main__":
    main()
