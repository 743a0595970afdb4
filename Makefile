# The targets below are the only commands to know. Each works from a clean clone with Python, make and a C++ compiler.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
MAKEFLAGS += --no-print-directory

# Folders are listed too: theirs is the time that changes when a file is taken away.
PACKAGE_SOURCES := $(shell find src core/include core/src core/bindings -not -path '*__pycache__*' 2>/dev/null)
CORE_CODE := $(shell find core -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
PYTHON_CODE := $(wildcard src tests benchmarks examples fuzz reproduction screenshots release mutation website docs/conf.py)

# pip install what pyproject.toml lists under the given keys, so that no requirement is written twice.
define install_listed
	@$(PY) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))$(1), sep='\n')" > $@.txt
	@$(PIP) install -r $@.txt
endef

.PHONY: help install demo test slow golden lint check sanitize sanitize-python fuzz bench-learners bench-models bench-predict bench-tuning bench-stream bench-cpu bench-text bench-serve bench-features bench-default bench-confidence bench-cluster bench-large fuzz-serve reproduction reproduction-page docs docs-screenshots wheels coverage mutation format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(VENV)/.installed ## create .venv and install setwise in it

demo: install ## train on docstrings and show predictions
	$(VENV)/bin/setwise demo

test: install $(VENV)/.extra-test ## run the tests
	$(PY) -m pytest -n 2 --dist loadfile

slow: install $(VENV)/.extra-test $(VENV)/.extra-report ## run the slow tests, which `make test` leaves out
	$(PY) -m pytest -n 2 --dist loadfile -m slow

golden: install $(VENV)/.extra-test ## compare predictions on all corpora with the golden record
	$(PY) -m pytest -n 2 -m "" tests/golden

lint: install $(VENV)/.extra-check $(VENV)/.extra-test ## check format, ruff rules, types, import layers
	$(VENV)/bin/ruff format --check $(PYTHON_CODE)
	$(VENV)/bin/ruff check $(PYTHON_CODE)
	$(VENV)/bin/mypy --strict src tests benchmarks reproduction examples fuzz screenshots release mutation website
	$(PY) -m tests.core.check_stub
	$(VENV)/bin/lint-imports
	$(VENV)/bin/clang-format --dry-run -Werror $(CORE_CODE)

check: lint ## make lint, then make test
	$(MAKE) test

sanitize: $(VENV)/.build-tools ## run the C++ tests of the core under ASan and UBSan
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

fuzz: install $(VENV)/.extra-test ## use 20,000 damaged model files, 20,000 damaged data files and 20,000 odd texts, within 30 minutes
	$(PY) -m fuzz

bench-learners: install $(VENV)/.extra-bench ## time the learners against other libraries
	$(PY) -m benchmarks.learners

bench-models: install $(VENV)/.extra-bench ## time the training of the models against LIBLINEAR
	$(PY) -m benchmarks.models

bench-predict: install $(VENV)/.extra-bench ## time the prediction of label sets against scikit-learn
	$(PY) -m benchmarks.predict

fuzz-serve: install $(VENV)/.extra-test $(VENV)/.extra-fuzz ## send 5,000 requests drawn from the OpenAPI document to the service
	$(PY) -m pytest -m slow tests/serve/test_schemathesis.py

bench-default: install $(VENV)/.extra-bench ## compare the default with careful users of scikit-learn
	$(PY) -m benchmarks.default

bench-tuning: install $(VENV)/.extra-bench ## time the tuning of models, and evaluate the tuned models
	$(PY) -m benchmarks.tuning

bench-stream: install $(VENV)/.extra-bench ## measure time and memory of `setwise predict` on a long file
	$(PY) -m benchmarks.stream

bench-cpu: install $(VENV)/.extra-bench ## measure processor time of small jobs, on a quiet and on a busy machine
	$(PY) -m benchmarks.cpu

bench-text: install $(VENV)/.extra-bench ## time text to features and text to label sets against scikit-learn and fastText
	$(PY) -m benchmarks.text

bench-serve: install $(VENV)/.extra-bench $(VENV)/.extra-serve ## measure the service under load, against the same service with scikit-learn behind it
	$(PY) -m benchmarks.serve

bench-features: install $(VENV)/.extra-bench ## compare the features that validation chooses with each feature set fixed
	$(PY) -m benchmarks.features

bench-cluster: install $(VENV)/.extra-bench $(VENV)/.extra-dask ## compare a tuning in one process, in several and on a Dask cluster
	$(PY) -m benchmarks.cluster

bench-large: install $(VENV)/.extra-bench ## measure the default and single fits on large corpora, and how they grow
	$(PY) -m benchmarks.large

bench-confidence: install $(VENV)/.extra-bench ## compare stated confidence with outcomes, and time explanations
	$(PY) -m benchmarks.confidence

reproduction: install $(VENV)/.extra-report ## run the paper's experiments and write docs/reproduction.md; continues an interrupted run
	$(PY) -m reproduction --output docs/reproduction --page docs/reproduction.md

reproduction-page: install $(VENV)/.extra-report ## write docs/reproduction.md again from the stored rows
	$(PY) -m reproduction --only-page --output docs/reproduction --page docs/reproduction.md

docs: install $(VENV)/.extra-docs ## build the site into build/site, and check its links; needs no network once installed
	$(PY) -m website

docs-screenshots: docs $(VENV)/.extra-test ## take the pictures of docs/images again; needs chromium
	$(PY) -m screenshots

wheels: install ## build sdist and wheels into dist/, and test each in a clean environment; PYTHONS="3.12 3.13" names versions
	$(PY) -m release.wheels $(PYTHONS)

# Tests import the installed package, in processes of their own too; [tool.coverage] in pyproject.toml maps it to src.
coverage: install $(VENV)/.extra-test $(VENV)/.extra-coverage ## run the tests, and print which lines and branches of src they reach
	$(PY) -m coverage erase
	$(PY) -m coverage run -m pytest -n 2 --dist loadfile
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage report
	@$(PY) -m coverage json --quiet -o build/coverage.json
	@$(PY) -c "import json, sys; totals = json.load(open('build/coverage.json'))['totals']; \
	covered, branches = totals['covered_branches'], totals['num_branches']; \
	print(f'Branches alone: {covered:,} of {branches:,}, {covered / branches:.1%}'); sys.exit(covered < 0.95 * branches)"

mutation: install $(VENV)/.extra-test ## break labels, metrics, decision and prediction in many ways, and list what no test notices
	$(PY) -m mutation

format: $(VENV)/.extra-check ## format the code
	$(VENV)/bin/ruff format $(PYTHON_CODE)
	$(VENV)/bin/ruff check --fix $(PYTHON_CODE)
	$(VENV)/bin/clang-format -i $(CORE_CODE)

clean: ## remove .venv, builds and caches
	rm -rf $(VENV) build dist docs/api docs/gallery .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
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
	@$(PY) release/install_progress.py $(PIP) install --no-build-isolation .
	@touch $@

$(VENV)/.extra-%: pyproject.toml | $(VENV)/.created
	@echo "Installing what \`$*\` needs into $(VENV) ..."
	$(call install_listed,['project']['optional-dependencies']['$*'])
	@touch $@
