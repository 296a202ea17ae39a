# Two commands on a fresh machine: `make demo` and `make test`.  PYTHON chooses the interpreter (3.11 or newer).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
CONFORMANCE ?= ../shared/conformance

.PHONY: demo test lint conformance corpus bench sanitize clean

$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(VENV)/.ready
	$(BIN)/python tools/demo.py

test: $(VENV)/.ready lint
	$(BIN)/python -m pytest

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/mypy

conformance: $(VENV)/.ready
	$(BIN)/python tools/conformance.py --suites $(CONFORMANCE)

corpus: $(VENV)/.ready
	$(BIN)/python $(CONFORMANCE)/check_corpus.py models --to tflite --expect yes --formats onnx,graphdef,graphdef_text --mlconv '$(BIN)/mlconv'
	$(BIN)/python $(CONFORMANCE)/check_corpus.py bad --formats onnx,graphdef,graphdef_text --mlconv '$(BIN)/mlconv'

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/convert.py --peers --scale --large
	$(BIN)/python benchmarks/native.py

# Native objects of the corpus in a C program with sanitizers and guard pages; says so when the corpus is not there.
sanitize: $(VENV)/.ready
	$(BIN)/python tools/sanitize.py --corpus $(CORPUS)

clean:
	rm -rf $(VENV) build demo-out
