"""`python -m mlconv`, and the program `mlconv`."""

import gc


def main() -> None:
    """Collections would take a tenth of the start, and a quarter of the time of large graphs: nothing needs them, and
    nothing the last one, when the process ends.
    """
    gc.disable()
    from mlconv.cli import run_process

    try:
        run_process()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
