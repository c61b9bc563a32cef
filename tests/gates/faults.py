"""The faults that the gates must catch: what is changed where, which gate should see it, and what
the gate should then say. An edit replaces its anchor, which must be there exactly once; an empty anchor creates the
file, and a name with {n} creates 31 of them."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    gate: tuple  # see GATES in prove
    file: str
    anchor: str
    planted: str
    expected: str  # a regular expression for the output of the gate


FAULTS = [
    # ---- Sanitizers ------------------------------------------------------------------------------
    Fault("leak", ("unit", "asan", "text"), "src/base/text.c",
          "    mem_free(text->bytes);\n    *text = (struct text){0};",
          "    *text = (struct text){0};",
          r"LeakSanitizer: detected memory leaks"),
    Fault("heap-overflow", ("unit", "asan", "text"), "src/base/text.c",
          "    char *bytes = mem_resize(text->bytes, capacity, 1);\n",
          "    char *bytes = mem_resize(text->bytes, capacity - 1, 1);\n",
          r"AddressSanitizer: heap-buffer-overflow"),
    Fault("use-after-free", ("unit", "asan", "base_threads"), "src/base/thread.c",
          "    temper_status status = pool_blocks(pool, blocks, threads, work, context);\n    thread_pool_free(pool);\n",
          "    temper_status status = pool_blocks(pool, blocks, threads, work, context);\n    thread_pool_free(pool);\n"
          "    status += (temper_status)atomic_load(&pool->used);\n",
          r"AddressSanitizer: heap-use-after-free"),
    Fault("integer-overflow", ("unit", "asan", "random"), "src/base/random.c",
          "uint64_t left = (uint64_t)0xD2511F53u * c0,",
          "uint64_t left = (uint64_t)(0x52511F53 * (int)c0),",
          r"runtime error: signed integer overflow"),
    Fault("race", ("unit", "tsan", "base_threads"), "src/base/thread.c",
          "        size_t block = atomic_fetch_add(&loop->next, 1);\n",
          "        static size_t block;\n"
          "        block = atomic_fetch_add(&loop->next, 1);\n",
          r"ThreadSanitizer: data race"),
    # ---- Tests ------------------------------------------------------------------------------------
    Fault("wrong-gradient", ("unit", "gcc", "derivatives"), "src/tempered/losses.c",
          "    return (t2 - row->t1) * row_log_p_wide(row, row->label) - log_share +",
          "    return (t2 - 1.0001 * row->t1) * row_log_p_wide(row, row->label) - log_share +",
          r"FAIL gradients"),
    # In the table that every kernel is reached through, so that little has to be compiled.
    Fault("wrong-kernel", ("unit", "gcc", "kernel_margin"), "src/kernel/dispatch/kernel.c",
          "#define KERNEL(set)" + 100 * " " + "\\\n    #set, margins_##set,",
          "static void too_curved(const struct margin_table *table, const double *margin, size_t n,\n"
          "                       double *value, double *slope, double *curvature)\n{\n"
          "    margins_plain(table, margin, n, value, slope, curvature);\n"
          "    for (size_t i = 0; curvature && i < n; i++)\n"
          "        curvature[i] *= 1.000001;\n}\n\n"
          "#define KERNEL(set) \\\n    #set, too_curved,",
          r"FAIL agrees_with_the_exact_functions"),
    Fault("pale-text", ("pages", "gcc"), "src/report/palette.c",
          "palette_contrast(cell, black) >= palette_contrast(cell, white) ? black",
          "palette_contrast(cell, black) < palette_contrast(cell, white) ? black",
          r"text in a picture has a contrast of"),
    Fault("lost-decisions", ("review", "gcc"), "src/report/review/review.js",
          "      localStorage.setItem(storageKey, JSON.stringify(kept));\n", "",
          r"after the reload there are 0 of"),
    Fault("wrong-number", ("unit", "gcc", "random"), "src/base/random.c",
          "k1 += 0xBB67AE85u;", "k1 += 0xBB67AE84u;",
          r"FAIL philox_known_answers"),
    Fault("wrong-merged-variance", ("unit", "gcc", "shards"), "src/remote/shard_stats.c",
          "difference * difference * share * (1 - share);\n", "difference * difference * share;\n",
          r"FAIL any_number_of_shards_gives_the_model_of_all_rows"),
    Fault("empty-test", ("unit", "gcc", "status"), "tests/unit/base/test_status.c",
          "TEST(no_memory_has_its_words)\n{\n",
          "TEST(no_memory_has_its_words)\n{\n    if (TEMPER_OK == 0)\n        return;\n",
          r"FAIL no_memory_has_its_words: checked nothing"),
    Fault("unlisted-test", ("build", "gcc", "test_random"), "tests/unit/base/test_random.c",
          "TEST(philox_known_answers)\n",
          "TEST(forgotten)\n{\n    CHECK(false);\n}\n\nTEST(philox_known_answers)\n",
          r"test_forgotten.*defined but not used"),
    Fault("lost-model", ("cli", "gcc", "kill"), "src/base/atomic_file.c",
          "    if (exists && !S_ISREG(old.st_mode))\n", "    if (exists)\n",
          r"neither the old nor the new|the model cannot be read"),
    Fault("ignored-interrupt", ("cli", "gcc", "kill"), "cli/progress.c",
          "    return interrupt_noted();\n}\n\n/* The same for tuning",
          "    return 0;\n}\n\n/* The same for tuning",
          r"does not end a training early"),
    # ---- Compilers ----------------------------------------------------------------------------------
    Fault("warning-gcc", ("build", "gcc", "temper_objects"), "src/base/memory.c",
          "    *out = a + b;\n", "    int narrowed = a;\n    *out = a + b;\n",
          r"error: .*-Werror=(conversion|unused-variable)"),
    Fault("warning-clang", ("build", "asan", "temper_objects"), "src/base/memory.c",
          "    *out = a + b;\n", "    int narrowed = a;\n    *out = a + b;\n",
          r"error: .*-Werror,-W(shorten-64-to-32|unused-variable)"),
    # ---- What the library gives and takes -----------------------------------------------------------
    Fault("public-name", ("library", "symbols"), "src/base/memory.c",
          "void mem_free(void *block)\n",
          '__attribute__((visibility("default"))) void mem_free(void *block)\n',
          r"without temper_: mem_free"),
    Fault("printing", ("library", "symbols"), "src/base/status.c",
          "        error->status = status;\n",
          '        error->status = status;\n        printf("%s", format);\n',
          r"a library must not call: (printf|__printf_chk)"),
    Fault("kernel-memory", ("library", "symbols"), "src/kernel/dispatch/kernel.c",
          "const struct kernel *kernel_best(void)\n{\n",
          "void mem_free(void *block);\n\n"
          "const struct kernel *kernel_best(void)\n{\n    mem_free(NULL);\n",
          r"a kernel must not call: mem_free"),
    Fault("changed-abi", ("abi",), "include/temper.h",
          "    size_t line;               /* of the file; 0: the file has no lines */\n",
          "    size_t inserted;\n    size_t line;               /* of the file; 0: the file has no lines */\n",
          r"data member size_t inserted|'size_t inserted'"),
    # The whole library would be compiled again for another flag of the compiler; the linker's is as good a proof.
    Fault("late-binding", ("library", "hardening build/gcc/libtemper.so"), "CMakeLists.txt",
          "target_link_options(temper_flags INTERFACE -Wl,-z,relro,-z,now)",
          "target_link_options(temper_flags INTERFACE -Wl,-z,relro,-z,lazy)",
          r"no binding at the start"),
    Fault("mutable-global", ("library", "globals"), "src/base/memory.c",
          "void mem_free(void *block)\n{\n",
          "void mem_free(void *block)\n{\n    static unsigned calls;\n    calls++;\n",
          r"calls\S* in \.bss"),
    # ---- Fuzzing ------------------------------------------------------------------------------------
    Fault("fuzz", ("fuzz", "tempered"), "src/api/api_math.c",
          "        p[c] = exp(partition_log_p(&family, c, a[c]));\n",
          "        p[c] = exp(partition_log_p(&family, c, a[c])) * (n == 7 ? 1.001 : 1);\n",
          r"fuzz_tempered\.c:\d+: not so: "),
    # ---- Other linters ------------------------------------------------------------------------------
    Fault("upward-include", ("lint", "layers"), "src/base/text.c",
          '#include "base/memory.h"\n',
          '#include "base/memory.h"\n#include "tempered/functions.h"\n',
          r"src/base/text\.c:\d+: .*base is below tempered"),
    Fault("front-include", ("lint", "layers"), "cli/main.c",
          '#include "progress.h"\n', '#include "progress.h"\n#include "data/dataset.h"\n',
          r"cli/main\.c:\d+: .*cli may include temper\.h"),
    Fault("layout", ("lint", "format", "src/base/random.c"), "src/base/random.c",
          "    double radius = sqrt(", "  double radius=sqrt(",
          r"random\.c:\d+:\d+: error: code should be clang-formatted"),
    Fault("unsafe-function", ("lint", "unsafe-functions"), "src/base/text.c",
          "    memcpy(text->bytes + text->length, bytes, length);\n",
          "    strcpy(text->bytes + text->length, bytes);\n",
          r"src/base/text\.c:\d+:.*strcpy"),
    Fault("long-list", ("lint", "sizes"), "src/base/memory.c",
          "bool add_size(size_t a, size_t b, size_t *out)\n",
          "bool add_size(int c, int d, int e, int f, size_t a, size_t b, size_t *out)\n",
          r"memory\.c:\d+: add_size has 7 parameters"),
    Fault("old-command", ("docs", "gcc", "docs/explain.md"), "docs/explain.md",
          "new.csv --top 3", "new.csv --first 3",
          r"docs/explain\.md:\d+: status 2 of"),
    Fault("old-dialect", ("lint", "vocabulary", "src/base/memory.h"), "src/base/memory.h",
          "#ifndef BASE_MEMORY_H\n", "/* whoever frees it */\n#ifndef BASE_MEMORY_H\n",
          r"src/base/memory\.h:\d+: 'whoever': write"),
    Fault("crowded-folder", ("lint", "structure"), "src/comm/piece_{n}.c", "", "int piece_{n};\n",
          r"src/comm: \d+ files, at most 30"),
    Fault("repeated-name", ("lint", "structure"), "src/comm/memory.c", "", "int again;\n",
          r"memory\.c: is the name of 2 files"),
    Fault("repeated-tag", ("lint", "structure"), "src/comm/comm.c",
          '#include "comm/comm.h"\n', '#include "comm/comm.h"\n\nstruct text {\n    int again;\n};\n',
          r"text: is the tag of 2 types"),
    Fault("unused-header", ("lint", "structure"), "src/comm/forgotten.h", "", "int forgotten;\n",
          r"src/comm/forgotten\.h: no file includes it"),
    Fault("long-file", ("lint", "sizes"), "src/comm/endless.c", "", "/* endless */\n" * 801,
          r"endless\.c: 801 lines, at most 800"),
    Fault("unquoted", ("lint", "shell", "tools/lint/files"), "tools/lint/files",
          'cd "$(dirname "$0")/../.."', "cd $(dirname $0)/../..",
          r"SC2046"),
    Fault("cppcheck", ("lint", "cppcheck", "src/base/random.c"), "src/base/random.c",
          "    out[3] = c3;\n", "    uint32_t spare[4];\n    spare[4] = c3;\n    out[3] = c3;\n",
          r"arrayIndexOutOfBounds"),
    Fault("tidy", ("tidy", "src/base/memory.c"), "src/base/memory.c",
          "    if (b != 0 && a > SIZE_MAX / b)\n", "    if (b != 0 && b != 0)\n",
          r"misc-redundant-expression"),
]
