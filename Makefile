# The targets below are the only commands to know. Each works from a clean clone with Python, make and a C++ compiler.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
MAKEFLAGS += --no-print-directory

# Folders are listed too: theirs is the time that changes when a file is taken away.
PACKAGE_SOURCES := $(shell find src core/include core/src core/bindings -not -path '*__pycache__*' 2>/dev/null)
CORE_CODE := $(shell find core -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
PYTHON_CODE := $(wildcard src tests benchmarks examples fuzz)

# pip install what pyproject.toml lists under the given keys, so that no requirement is written twice.
define install_listed
	@$(PY) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))$(1), sep='\n')" > $@.txt
	@$(PIP) install -r $@.txt
endef

.PHONY: help install demo test lint check sanitize sanitize-python fuzz bench-learners bench-models bench-predict bench-tuning bench-stream bench-cpu bench-default reproduction reproduction-page format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(VENV)/.installed ## make .venv and install setwise in it

demo: install ## fit labels of a small made-up corpus and show what they predict
	$(VENV)/bin/setwise demo

test: install $(VENV)/.extra-test ## run the tests
	$(PY) -m pytest -n 2 --dist loadfile

lint: install $(VENV)/.extra-check $(VENV)/.extra-test ## formats, ruff, mypy --strict, import layers
	$(VENV)/bin/ruff format --check $(PYTHON_CODE)
	$(VENV)/bin/ruff check $(PYTHON_CODE)
	$(VENV)/bin/mypy --strict src
	$(VENV)/bin/lint-imports
	$(VENV)/bin/clang-format --dry-run -Werror $(CORE_CODE)

check: lint ## lint, then the tests
	$(MAKE) test

sanitize: $(VENV)/.build-tools ## run the core's C++ tests under ASan and UBSan
	$(VENV)/bin/cmake -S . -B build/sanitize -DSETWISE_SANITIZE=ON
	$(VENV)/bin/cmake --build build/sanitize --parallel 2
	$(VENV)/bin/ctest --test-dir build/sanitize --output-on-failure --no-tests=error

# The module is installed beside .venv, in build/, and Python loads the sanitizer before anything else. Python itself
# leaves memory behind at its end, so leaks are not looked for.
sanitize-python: install $(VENV)/.extra-test ## load damaged model files with the module under ASan and UBSan (Linux, g++)
	$(PIP) install --no-build-isolation --no-deps --upgrade --target build/sanitize-python/site \
	    --config-settings=build-dir=build/sanitize-python/build --config-settings=cmake.define.SETWISE_SANITIZE_MODULE=ON .
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	    PYTHONPATH=build/sanitize-python/site $(PY) -m pytest -s tests/persistence/test_fuzz.py

fuzz: install $(VENV)/.extra-test ## use 20,000 damaged model files and 20,000 damaged data files, within 30 minutes
	$(PY) -m fuzz

bench-learners: install $(VENV)/.extra-bench ## time the learners beside their peers
	$(PY) -m benchmarks.learners

bench-models: install $(VENV)/.extra-bench ## time the training of the models beside LIBLINEAR
	$(PY) -m benchmarks.models

bench-predict: install $(VENV)/.extra-bench ## time the prediction of sets beside scikit-learn's probabilities
	$(PY) -m benchmarks.predict

bench-default: install $(VENV)/.extra-bench ## compare the default with a careful user of scikit-learn
	$(PY) -m benchmarks.default

bench-tuning: install $(VENV)/.extra-bench ## time the tuning of a model, and test what is tuned
	$(PY) -m benchmarks.tuning

bench-stream: install $(VENV)/.extra-bench ## measure time and memory of `setwise predict` on a long file
	$(PY) -m benchmarks.stream

bench-cpu: install $(VENV)/.extra-bench ## measure processor seconds of small jobs, on a quiet and on a busy machine
	$(PY) -m benchmarks.cpu

reproduction: install ## run the paper's experiments and write docs/reproduction.md; goes on where it was ended
	$(VENV)/bin/setwise reproduce --output docs/reproduction --page docs/reproduction.md

reproduction-page: install ## write docs/reproduction.md again from its rows
	$(VENV)/bin/setwise reproduce --only-page --output docs/reproduction --page docs/reproduction.md

format: $(VENV)/.extra-check ## rewrite the code in the project's format
	$(VENV)/bin/ruff format $(PYTHON_CODE)
	$(VENV)/bin/ruff check --fix $(PYTHON_CODE)
	$(VENV)/bin/clang-format -i $(CORE_CODE)

clean: ## remove .venv, builds and caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: a step is done again only when what it depends on changed.

$(VENV)/.created:
	@$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('setwise needs Python 3.11 or newer; \
	$(PYTHON) is ' + sys.version.split()[0] + '. Hint: make PYTHON=python3.12 ...')"
	@echo "Creating the virtual environment $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The build tools live in .venv, with cmake and ninja, so that the build directory stays valid from one install to the next.
$(VENV)/.build-tools: pyproject.toml | $(VENV)/.created
	@echo "Installing the build tools into $(VENV) ..."
	$(call install_listed,['build-system']['requires'])
	@$(PIP) install cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.build-tools pyproject.toml CMakeLists.txt README.md LICENSE $(PACKAGE_SOURCES)
	@echo "Compiling and installing setwise into $(VENV): about a minute the first time, a few seconds after a change ..."
	@$(PIP) install --no-build-isolation .
	@touch $@

$(VENV)/.extra-%: pyproject.toml | $(VENV)/.created
	@echo "Installing what \`$*\` needs into $(VENV) ..."
	$(call install_listed,['project']['optional-dependencies']['$*'])
	@touch $@
