# A thin front to CMake and tools/. `make help` lists the verbs.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 600
TARGET       ?=
JOBS         ?= $(shell nproc)

# Speeds and quality beside others; their Python if it is there, and without it what needs none.
# Asked when it is needed: tools/setup may just have made it.
BENCH_PYTHON  = $$([ -x build/venv-bench/bin/python ] && echo build/venv-bench/bin/python || echo python3)
SUITE         = $(BENCH_PYTHON) bench/suite.py build/bench build/bench-report

# Builds the Python package, where there is an environment for it, and does with it what follows.
WITH_PYTHON   = if [ -x build/venv-python/bin/python ]; then tools/python build
# And beside the peers of the bench, where those are.
INSTALL_BESIDE_PEERS = build/venv-bench/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheels/temperlr-*.whl
WITH_BENCH_PYTHON    = tools/setup python && tools/python build && { [ ! -x build/venv-bench/bin/python ] || $(INSTALL_BESIDE_PEERS); }

.DEFAULT_GOAL := build
# Of the experiments: where the data sets are, and what to change of them (EXPERIMENT="--splits 3").
DATA       ?= data
EXPERIMENT ?=
# Of the quality on judged sets, of the study of the default, of audits by probabilities and of cleaned labels:
# QUALITY=--quick, STUDY=--report, PROBA=--quick, CLEAN=--quick; of the study of networks: NETWORKS=--report.
QUALITY    ?=
STUDY      ?=
PROBA      ?=
NETWORKS   ?=
CLEAN      ?=
# Of mutation testing: MUTANTS=--report, MUTANTS=--again, MUTANTS="--only optim --count 50". Of coverage: COVERAGE=--count.
MUTANTS    ?=
COVERAGE   ?=
# Of the stages on two threads: THREADS=--quick, THREADS=--busy.
THREADS    ?=

# Every verb that `make help` lists.
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\#.*/\1/p' Makefile)

build: ## build/temper, build/libtemper.a and build/libtemper.so (the default)
	@cmake -S . -B build -G Ninja -DTEMPER_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) --log-level=WARNING
	@cmake --build build

test: ## what CI demands: lint, all configurations, short fuzz, most planted faults
	@tools/test

test-all: ## the same and what it leaves out for time: all of clang and ARM, all planted faults, all paths of clang-tidy
	@tools/test --all

check-fast: ## the inner loop: gcc build, unit and command tests
	@tools/setup build
	@tools/build gcc
	@ctest --test-dir build/gcc --output-on-failure --no-label-summary -j $(JOBS)

python: ## the Python package: built, installed into build/venv-python, tested
	@tools/setup python
	@tools/build gcc
	@tools/python build
	@tools/python test

python-long: python ## and the losses for networks, with PyTorch and JAX, which take gigabytes (build/venv-networks)
	@tools/setup networks
	@build/venv-networks/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheels/temperlr-*.whl
	@TEMPER_PYTHON_VENV=build/venv-networks tools/python test python/tests/test_torch.py python/tests/test_jax.py \
	    python/tests/test_drop_in.py \
	    "python/tests/test_package.py::test_examples[network]"

# Builds the Python package, and installs it beside PyTorch and JAX.
WITH_NETWORKS = tools/setup python && tools/setup networks && tools/python build && \
    build/venv-networks/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheels/temperlr-*.whl

# Builds the Python package, and installs it beside Dask, Ray and Spark.
WITH_ENGINES = tools/setup engines && TEMPER_PYTHON_VENV=build/venv-engines tools/python build

engines: ## training by the workers of Dask, Ray and Spark: the bits of local shards, lost workers, the examples; in minutes
	@$(WITH_ENGINES)
	@TEMPER_PYTHON_VENV=build/venv-engines tools/python test tests/engines

wheels: ## manylinux2014 wheels for x86_64 and aarch64 in build/wheelhouse, cross-compiled, checked and tried; the source archive built without system libraries
	@tools/wheels
	@tools/setup python
	@tools/python build
	@tools/wheels test
	@tools/setup ports
	@tools/wheels test-arm64
	@tools/check-sdist

ports: ## other systems: macOS compiled and linked, Windows under Wine, long double of 64 bits
	@tools/setup ports
	@TEMPER_TARGET=temper_cli tools/build gcc
	@tools/ports

python-oldest: ## the same with the oldest scikit-learn that it takes
	@tools/setup oldest
	@tools/build gcc
	@TEMPER_PYTHON_VENV=build/venv-python-oldest tools/python build
	@TEMPER_PYTHON_VENV=build/venv-python-oldest tools/python test

deb: ## Debian packages, lintian clean: build/deb/*.deb
	@tools/setup deb
	@tools/deb

deb-check: deb ## the same, installed in a new Debian, used, and purged; needs root
	@tests/packages/deb

r: ## the R package, with the sources of the library in it: build/r/temper_VERSION.tar.gz
	@tools/setup r
	@tools/r-package build

r-check: ## the same, its results compared with the command's, and R CMD check without errors and warnings
	@tools/setup r
	@TEMPER_TARGET=temper_cli tools/build gcc
	@tools/r-package test build/gcc/temper
	@tools/r-package check

demo: ## what wrong labels do, in seconds and without data: build/temper-demo.html
	@tools/setup build
	@$(MAKE) --no-print-directory build
	@build/temper demo -o build/temper-demo.html --playground playground/index.html
	@[ -e build/playground/index.html ] || echo "The page links to the playground, which 'make playground' builds."
	@echo "temper is build/temper here; make install puts it on the path."

playground: ## the library as WebAssembly with a page to try it: build/playground/index.html, one file
	@tools/setup playground
	@tools/playground

playground-check: ## the playground in a browser, all of it; build/pages keeps pictures
	@tools/setup test
	@tools/setup playground
	@tools/build gcc
	@tools/playground
	@tests/pages/playground build/gcc/temper build/pages

docs-check: build ## every command and Python block of README.md and docs/, run on small tables
	@tools/setup python
	@tools/python build
	@tests/docs/run build/temper build/venv-python/bin/python

site: build playground ## the documentation with references and the playground: build/site/index.html; dead links are errors
	@tools/setup site
	@tools/site build/temper

experiments: build ## the paper's tables and figures, in hours: DATA=dir; EXPERIMENT=--quick for minutes; continues
	@mkdir -p build/experiments
	@for name in figure1 table2 table1 figure2 starts selection; do \
	    options="$(EXPERIMENT)"; [ $$name != figure1 ] || options="$(filter --quick,$(EXPERIMENT))"; \
	    (cd build/experiments && ../temper experiment $$name --data $(abspath $(DATA)) $$options) || exit; done

bench: ## beside every peer, in 25 minutes: build/bench-report/index.html, table.md and record.json
	@tools/setup bench
	@tools/build bench
	@$(WITH_BENCH_PYTHON)
	@$(SUITE)

bench-full: ## the same with all data sets, PyTorch, searches and the Python package, in hours; KEEP=1 continues it
	@tools/setup bench-full
	@tools/build bench
	@$(WITH_BENCH_PYTHON)
	@$(SUITE) --full $(if $(KEEP),--keep)

bench-python: ## the Python package against LogisticRegression alone
	@tools/setup bench
	@$(WITH_PYTHON) && build/venv-python/bin/python bench/training/python_fit.py build/bench-python.json; \
	    else echo "scikit-learn is not here: the Python package is not compared"; fi

bench-predict: ## predict_proba beside scikit-learn and ONNX Runtime: many rows and one, with each kernel, on one and two threads
	@tools/setup python
	@tools/python build
	@cd build && venv-python/bin/python ../bench/peers/predict.py bench-predict.json

bench-threads: ## what a second thread gives, stage by stage; THREADS=--busy beside two busy processes, THREADS=--quick for less
	@tools/setup python
	@tools/build bench
	@build/venv-python/bin/python bench/scaling/threads.py build/bench/temper build/bench-threads.json $(THREADS)

bench-growth: ## how cost grows with rows, features, classes, entries, fits, threads: fitted exponents; shares of the machine that passes use
	@tools/setup bench
	@tools/build bench
	@$(BENCH_PYTHON) bench/scaling/growth.py build/bench/temper build/bench-growth.json --bench build/bench/bin/bench $(GROWTH)

bench-train: ## whole trainings alone; SET=a9a for one data set, SET=shape for all generated shapes, QUICK=1 for less
	@tools/setup bench
	@tools/build bench
	@$(BENCH_PYTHON) bench/training/train.py build/bench/temper build/bench/train build/bench-train.json \
	    $(if $(QUICK),--quick) $(if $(SET),--only $(SET))

bench-passes: ## passes of tempered losses beside logistic regression; PASSES="--half judged --noise none,margin --before OTHER_TEMPER"
	@tools/setup quality
	@tools/build bench
	@build/venv-quality/bin/python bench/training/passes.py build/bench/temper build/bench/passes build/bench-passes.json $(PASSES)

bench-tune: ## searches on few rows, a path of penalties, a whole grid, LogisticRegressionCV and audits against scikit-learn, glmnet, cleanlab
	@tools/setup bench
	@tools/build bench
	@$(BENCH_PYTHON) bench/training/tune.py build/bench/temper build/bench/tune build/bench-tune.json
	@tools/setup python
	@tools/python build
	@$(INSTALL_BESIDE_PEERS)
	@cd build && venv-bench/bin/python ../bench/training/many_fits.py bench-many-fits.json

bench-l1: ## L1 penalties: seconds to a gap of 1e-4 beside LIBLINEAR, glmnet, skglm and scikit-learn; SET="a9a" for one set, L1=--quick
	@tools/setup bench-l1
	@tools/build bench
	@$(BENCH_PYTHON) bench/training/l1.py build/bench/temper build/bench/l1 build/bench-l1.json $(if $(SET),--set "$(SET)") $(L1)

bench-read: ## a clean CSV of numbers: temper beside polars, pyarrow, DuckDB and pandas, on one and two processors
	@tools/setup python
	@tools/build bench
	@build/venv-python/bin/python bench/peers/read_tables.py build/bench/libtemper.so build/bench/read-tables

bench-networks: ## the losses for neural networks beside cross-entropy and the bi-tempered loss as published, in two minutes
	@$(WITH_NETWORKS)
	@cd build && venv-networks/bin/python ../bench/peers/network_losses.py bench-networks.json

bench-engines: ## milliseconds a pass by Dask, Ray, Spark, plain processes and MPI, with two workers each; ENGINE=ray for one
	@$(WITH_ENGINES)
	@tools/build gcc
	@cd build && venv-engines/bin/python ../bench/scaling/engines.py gcc bench-engines.json $(ENGINE)

format: ## lay out all C files
	@tools/setup test
	@tools/lint/format --fix

lint: ## every check that needs no run: formatting, clang-tidy, cppcheck, layers, symbols, ...
	@tools/setup test
	@tools/lint/all

analyze: ## the static analysers of gcc, and of clang by way of clang-tidy, on all of src/ and cli/, in minutes
	@tools/setup test
	@tools/analyze
	@tools/lint/tidy

reproducible: ## two builds in two folders have the same bytes
	@tools/setup build
	@tools/reproducible

clang: ## all unit tests with clang's optimised build
	@tools/setup test
	@tools/build clang
	@ctest --test-dir build/clang --output-on-failure --no-label-summary -j $(JOBS)

asan: ## all tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup test
	@tools/build asan
	@ctest --test-dir build/asan --output-on-failure --no-label-summary -j $(JOBS)

integer: ## unit and command tests with clang's integer sanitizers: overflow of unsigned numbers too, conversions that change a value
	@tools/setup test
	@tools/build integer
	@ctest --test-dir build/integer --output-on-failure --no-label-summary -j $(JOBS)

tsan: ## the threaded tests with ThreadSanitizer
	@tools/setup test
	@tools/build tsan
	@ctest --test-dir build/tsan --output-on-failure --no-label-summary -L threads

arm64: ## for 64-bit ARM, emulated: what depends on the processor
	@tools/setup test
	@tools/build arm64
	@ctest --test-dir build/arm64 --output-on-failure --no-label-summary -j $(JOBS)

fuzz: ## every fuzz target for FUZZ_SECONDS=600 each; TARGET=name for one
	@tools/setup test
	@TEMPER_TARGET=fuzz_targets tools/build asan
	@tools/fuzz $(FUZZ_SECONDS) $(TARGET)

coverage: ## lines and branches that the tests reach, by folder; build/coverage/html/index.html; COVERAGE=--write for docs/coverage.md
	@tools/setup test
	@tools/build coverage
	@tools/coverage $(COVERAGE)

mutants: ## 600 small faults in src/, drawn at random: at least 95 % must make a test fail, or be explained; hours; continues; JOBS=2
	@tools/setup test
	@tools/build gcc asan coverage
	@nice -n 10 .venv/bin/python tests/mutants/judge --map
	@nice -n 10 .venv/bin/python tests/mutants/judge --jobs $(if $(filter command line,$(origin JOBS)),$(JOBS),1) $(MUTANTS)

prove-gates: ## plant faults in a copy of the tree; each must be caught
	@tools/setup test
	@tests/gates/prove

page-check: ## the pages in a browser: accessibility and contrast, light and dark, a review by keyboard; build/pages keeps pictures of them
	@tools/setup test
	@tools/build gcc
	@tests/pages/check build/gcc/temper build/pages
	@tests/pages/review build/gcc/temper --large build/pages/review

quality: build ## probabilities and regret on judged sets (QUALITY=--quick for less), then accuracy on real data with noisy labels, where TEMPER_DATA has it
	@# All parts, whichever of them fail.
	@failed=; tests/quality/judged $(QUALITY) || failed=" judged"; \
	for part in check tune audit; do \
	    tests/quality/$$part build/temper || [ $$? = 77 ] || failed="$$failed $$part"; \
	done; \
	[ -z "$$failed" ] || { echo "quality: failed:$$failed" >&2; exit 1; }

quality-judged: ## the first part of it alone
	@tests/quality/judged $(QUALITY)

quality-expected: build ## is the accuracy that tune expects the one on held-out rows? 31 data sets, in two minutes
	@tools/setup quality
	@build/venv-quality/bin/python tests/quality/expected build/temper

quality-tables: build ## do 50 real tables, and messy variants of them, train at the first try? in some minutes
	@tools/setup quality
	@build/venv-quality/bin/python tests/quality/tables build/temper

quality-default: ## the study of the default temperatures, in ten minutes: docs/notes/2026-11-17-default-temperatures.md
	@tools/setup quality
	@TEMPER_PYTHON_VENV=build/venv-quality tools/python build
	@cd build && venv-quality/bin/python ../bench/quality/default_study.py default-study.json $(STUDY)

quality-annotators: ## consensus of generated crowds beside crowd-kit and cleanlab, in some minutes; QUALITY=--quick for less
	@tools/setup quality
	@TEMPER_PYTHON_VENV=build/venv-quality tools/python build
	@cd build && venv-quality/bin/python ../bench/quality/annotators.py $(QUALITY)

quality-audit: ## audits of data sets that were not used to design them, beside cleanlab, in half an hour (CASES="--half design")
	@tools/setup quality
	@TEMPER_PYTHON_VENV=build/venv-quality tools/python build
	@cd build && venv-quality/bin/python ../bench/quality/audit_judged.py audit-judged.json $(CASES)

quality-networks: ## a network on Fashion-MNIST with noisy labels: three losses (NETWORKS=--quick for less), in an hour of one core; continues
	@$(WITH_NETWORKS)
	@cd build && venv-networks/bin/python ../bench/quality/network_noise.py $(NETWORKS)

quality-proba: ## audits by probabilities of a network and a forest beside cleanlab's rankings (PROBA=--quick for less), in twenty minutes
	@tools/setup quality
	@TEMPER_PYTHON_VENV=build/venv-quality tools/python build
	@cd build && venv-quality/bin/python ../bench/quality/audit_proba.py $(PROBA)

quality-clean: ## what training on cleaned labels gains and loses on judged sets (CLEAN=--quick for less), in ten minutes
	@tools/setup quality
	@TEMPER_PYTHON_VENV=build/venv-quality tools/python build
	@cd build && venv-quality/bin/python ../bench/quality/audit_clean.py $(CLEAN)

audit-check: build ## what an audit finds on Fashion-MNIST with planted mistakes; AUDIT="--one 0v6" for a part
	@tests/quality/audit build/temper $(AUDIT)

kill-test: ## end 1,000 trainings at random moments; no model may be lost
	@tools/setup build
	@tools/build gcc
	@TEMPER=build/gcc/temper tests/cli/kill.py 1000

faults: ## every call of every command fails once, with and without sanitizers, and limits of the system: a table of how it ends; hours; continues
	@tools/setup test
	@TEMPER_TARGET=temper_faults tools/build gcc asan
	@TEMPER_TARGET=temper_cli tools/build gcc
	@tests/faults/check build/gcc/bin/temper-faults --all --keep build/faults-gcc.json
	@tests/faults/check build/asan/bin/temper-faults --points 40 --keep build/faults-asan.json
	@tests/faults/races build/gcc/temper 100

mpi-kill-test: ## the same bytes by several processes; one of them ended 50 times: each job resumes to the same model
	@tools/setup test
	@tools/build gcc
	@for mpi in openmpi mpich; do tests/mpi/check.py build/gcc/temper build/gcc/temper-mpi.$$mpi \
	    "$$(command -v mpirun.$$mpi)" same kill:50 || exit; done

release: ## checks, artefacts with checksums and bill of materials, tag: docs/release.md is the checklist
	@tools/release check
	@$(MAKE) --no-print-directory release-artefacts
	@tools/release tag

release-artefacts: playground ## build/release alone, without a tag
	@tools/release artefacts

install: build ## into PREFIX=/usr/local, below DESTDIR if given
	@cmake --install build --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | \
	    while IFS='|' read -r verb words; do printf '  make %-12s %s\n' "$$verb" "$$words"; done
