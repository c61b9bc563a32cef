# A thin front to CMake and tools/. `make help` lists the verbs.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 600
TARGET       ?=
JOBS         ?= $(shell nproc)

# Whole trainings against other programs; without their Python there are none.
BENCH_PYTHON := build/venv-bench/bin/python
TRAININGS     = if [ -x $(BENCH_PYTHON) ]; then $(BENCH_PYTHON) bench/train.py build/bench/temper \
        build/bench/train build/bench-train.json; else echo "scikit-learn is not here: no trainings"; fi

.DEFAULT_GOAL := build
.PHONY: build test check-fast demo bench bench-train format lint asan tsan arm64 fuzz coverage \
        prove-gates kill-test quality install clean help

build: ## build/temper, build/libtemper.a and build/libtemper.so (the default)
	@cmake -S . -B build -G Ninja -DTEMPER_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) --log-level=WARNING
	@cmake --build build

test: ## everything that CI demands: lint, all configurations, short fuzz, most planted faults
	@tools/setup test
	@tools/test

check-fast: ## the inner loop: gcc build, unit and command tests
	@tools/setup build
	@tools/build gcc
	@ctest --test-dir build/gcc --output-on-failure --no-label-summary -j $(JOBS)

demo: ## what wrong labels do, in seconds and without data: build/temper-demo.html
	@tools/setup build
	@$(MAKE) --no-print-directory build
	@build/temper demo -o build/temper-demo.html

bench: ## measure speeds against their references
	@tools/setup bench
	@tools/build bench
	@build/bench/bin/bench build/bench.json build/bench
	@$(TRAININGS)

bench-train: ## the part of it that trains: evaluations, passes, whole trainings against others
	@tools/setup bench
	@tools/build bench
	@build/bench/bin/bench build/bench-evaluate.json build/bench train
	@$(TRAININGS)

format: ## lay out all C files
	@tools/setup test
	@tools/lint/format --fix

lint: ## every check that needs no run: formatting, clang-tidy, cppcheck, layers, symbols, ...
	@tools/setup test
	@tools/lint/all

asan: ## all tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup test
	@tools/build asan
	@ctest --test-dir build/asan --output-on-failure --no-label-summary -j $(JOBS)

tsan: ## the threaded tests with ThreadSanitizer
	@tools/setup test
	@tools/build tsan
	@ctest --test-dir build/tsan --output-on-failure --no-label-summary -L threads

arm64: ## all tests for 64-bit ARM, emulated
	@tools/setup test
	@tools/build arm64
	@ctest --test-dir build/arm64 --output-on-failure --no-label-summary -j $(JOBS)

fuzz: ## every fuzz target for FUZZ_SECONDS=600 each; TARGET=name for one
	@tools/setup test
	@tools/build fuzz
	@tools/fuzz $(FUZZ_SECONDS) $(TARGET)

coverage: ## what the tests reach: a summary, and build/coverage/html/index.html
	@tools/setup test
	@tools/build coverage
	@tools/coverage

prove-gates: ## plant faults in a copy of the tree; each must be caught
	@tools/setup test
	@tests/gates/prove

quality: build ## accuracy on real data with wrong labels, three seeds each; needs the data sets
	@tests/quality/check build/temper

kill-test: ## end 1,000 trainings at random moments; no model may be lost
	@tools/setup build
	@tools/build gcc
	@TEMPER=build/gcc/temper tests/cli/kill.py 1000

install: build ## into PREFIX=/usr/local, below DESTDIR if given
	@cmake --install build --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | \
	    while IFS='|' read -r verb words; do printf '  make %-12s %s\n' "$$verb" "$$words"; done
