# Two commands on a fresh machine: `make demo` and `make test`.  PYTHON chooses the interpreter (3.11 or newer).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
CONFORMANCE ?= ../shared/conformance
FUZZ ?= ../shared/fuzz
ZOO ?= ../shared/zoo
FUZZ_MINUTES ?= 240
FUZZ_SEED ?= 1
ONNX2TF ?=

.PHONY: demo test test-long site lint dist conformance corpus integers bench sanitize fuzz fuzz-numerics zoo tune-defaults clean

$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m compileall -q mlconv  # as pip does with what it copies: commands may be told to keep no bytecode
	touch $@

demo: $(VENV)/.ready
	$(BIN)/python tools/demo.py

test: $(VENV)/.ready lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

# The documentation as a site, in build/site; the theme's makers advertise their next product in every build.
site: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/python -m mkdocs build --quiet --strict

# The rows of large matrices of cases of which `make test` runs a share.
test-long: $(VENV)/.ready
	$(BIN)/python -m pytest -n 2 --dist loadfile -m long

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# The two distributions of this source, each as a wheel and a source archive.
dist: $(VENV)/.ready
	$(BIN)/python tools/build_dists.py dist

conformance: $(VENV)/.ready
	$(BIN)/python tools/conformance.py --suites $(CONFORMANCE)

corpus: $(VENV)/.ready
	$(BIN)/python $(CONFORMANCE)/check_corpus.py models --to tflite --expect yes --formats onnx,graphdef,graphdef_text --mlconv '$(BIN)/mlconv'
	$(BIN)/python $(CONFORMANCE)/check_corpus.py bad --formats onnx,graphdef,graphdef_text --mlconv '$(BIN)/mlconv'

# Ops over integers of the corpus, one by one, on the interpreter, every instruction set here, LiteRT and ONNX Runtime.
integers: $(VENV)/.ready
	$(BIN)/python tools/op_by_op.py --corpus $(CORPUS)

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/convert.py --peers --scale --large
	$(BIN)/python benchmarks/native.py
	$(BIN)/python benchmarks/threads.py

# Native objects of the corpus in a C program with sanitizers and guard pages; says so when the corpus is not there.
sanitize: $(VENV)/.ready
	$(BIN)/python tools/sanitize.py --corpus $(CORPUS)

# Mutated files of all formats to all targets, 100 000 cases of a seed; goes on where it stopped.
fuzz: $(VENV)/.ready
	$(BIN)/python tools/fuzz.py mutate --fuzz $(FUZZ) --corpus $(CORPUS) --out build/fuzz --seed $(FUZZ_SEED) --minutes $(FUZZ_MINUTES)

# Random ops, graphs and TensorFlow functions on all targets beside the source's runtime; handmade structures; errors against float64.
fuzz-numerics: $(VENV)/.ready
	$(BIN)/python tools/fuzz.py numerics --fuzz $(FUZZ) --out build/fuzz --seed $(FUZZ_SEED) --cases 10000 --minutes $(FUZZ_MINUTES)

# Networks of real architectures: what converts must run, with the source's numbers.  A table of their TFLite files goes
# to docs/coverage.md, beside TFLiteConverter and, where ONNX2TF is a Python that has it, onnx2tf.
zoo: $(VENV)/.ready
	$(BIN)/python $(CONFORMANCE)/check_zoo.py --root $(ZOO) --only-wrong --mlconv '$(abspath $(BIN))/mlconv'
	$(BIN)/python -m tools.zoo_table --zoo $(ZOO) --onnx2tf '$(ONNX2TF)'

# Register tiles of this machine's instruction sets, over the networks of the benchmarks, the corpus and the zoo; JOBS=N or dask:ADDRESS for several at a time.
tune-defaults: $(VENV)/.ready
	$(BIN)/python tools/tune_defaults.py --corpus $(CORPUS)/models/onnx --zoo $(ZOO) --jobs '$(JOBS)'

clean:
	rm -rf $(VENV) build demo-out
