/* Pages of a mapped file, arrays in temporary files, and what is refused. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/disk_array.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

enum { MIB = 1 << 20, ROWS = 24 * 1024, COLUMNS = 256 };

/* A file of 24 MiB, each of whose numbers is that of its row. */
static float *map_rows(size_t *length)
{
    char path[] = "/var/tmp/test-pages-XXXXXX";
    int file = mkstemp(path);
    *length = (size_t)ROWS * COLUMNS * sizeof(float);
    unlink(path);
    CHECK(file >= 0 && ftruncate(file, (off_t)*length) == 0);
    float *x = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(x != MAP_FAILED);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = (float)i;
    close(file);
    return x;
}

struct walk {
    struct matrix x;
    double sum[64];
    int way;
};

/* In order, leaving some out, or in no order at all: the numbers are the same. */
static temper_status walk_part(void *context, size_t part, size_t worker)
{
    struct walk *walk = context;
    size_t each = ROWS / 64, from = part * each;
    (void)worker;
    for (size_t i = 0; i < each; i++) {
        size_t row = walk->way == 2 ? from + i * 7 % each : from + i;
        if (walk->way == 0) {
            page_window_rows(&walk->x, row, 1);
        } else if (walk->way == 1) {
            page_window_soon(&walk->x, (row + each) % ROWS, 1);
            page_window_some(&walk->x, row, 1);
        } else {
            page_window_row(&walk->x, row);
        }
        walk->sum[part] += (double)*(const float *)matrix_row(&walk->x, row).dense;
    }
    return TEMPER_OK;
}

static void check_walk(struct page_window *pages, const float *x, int way)
{
    struct walk walk = {.x = {.kind = MATRIX_F32,
                              .rows = ROWS,
                              .columns = COLUMNS,
                              .nonzeros = (uint64_t)ROWS * COLUMNS,
                              .dense = x,
                              .pages = pages},
                        .way = way};
    double sum = 0;
    CHECK(parallel_blocks(64, 4, walk_part, &walk) == TEMPER_OK);
    for (size_t i = 0; i < 64; i++)
        sum += walk.sum[i];
    CHECK(sum == (double)ROWS * (ROWS - 1) / 2);
}

TEST(a_file_that_does_not_fit_gives_the_same_numbers)
{
    size_t length;
    float *x = map_rows(&length);
    struct page_window *pages = page_window_new(x, length);
    CHECK(pages);
    for (int way = 0; way < 3; way++) {
        CHECK(page_window_limit(pages, 0));
        check_walk(pages, x, way);
        CHECK(page_window_limit(pages, 6 * MIB));
        check_walk(pages, x, way);
        check_walk(pages, x, way);
    }
    page_window_free(pages);
    munmap(x, length);
}

/* Only the system knows how many of the bytes are resident. */
TEST(what_was_read_first_leaves)
{
    size_t length;
    float *x = map_rows(&length);
    struct page_window *pages = page_window_new(x, length);
    CHECK(pages && page_window_limit(pages, 6 * MIB));
    uint64_t before = resident_bytes();
    check_walk(pages, x, 0);
    uint64_t limited = resident_bytes();
    CHECK(page_window_limit(pages, 0));
    check_walk(pages, x, 0);
    uint64_t unlimited = resident_bytes();
    if (!SANITIZED) { /* which takes memory of its own for whatever is touched */
        CHECK(limited < before + 12 * (uint64_t)MIB);
        CHECK(unlimited > before + 12 * (uint64_t)MIB); /* else the line above would prove nothing */
    }
    page_window_free(pages);
    munmap(x, length);
}

/* A page that was written to is a private copy, and must not go. */
TEST(what_is_kept_keeps_what_was_written)
{
    char path[] = "/var/tmp/test-pages-XXXXXX";
    int file = mkstemp(path);
    size_t length = 8 * MIB;
    unlink(path);
    CHECK(file >= 0 && ftruncate(file, (off_t)length) == 0);
    char *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    CHECK(bytes != MAP_FAILED);
    close(file);
    struct page_window *pages = page_window_new(bytes, length);
    CHECK(pages && page_window_limit(pages, 2 * MIB));
    page_window_keep(pages, MIB + 100);
    bytes[MIB + 99] = 7;
    for (size_t at = 0; at < length; at += MIB)
        page_window_bytes(pages, bytes + at, MIB, bytes + length);
    page_window_forget(pages);
    CHECK(bytes[MIB + 99] == 7);
    page_window_free(pages);
    munmap(bytes, length);
}

TEST(a_spilled_array_grows_and_keeps_its_numbers)
{
    struct disk_array *spill = disk_array_new();
    uint32_t *a = disk_array_resize(spill, NULL, 1000, sizeof *a), *b = NULL;
    CHECK(a && disk_array_has(spill, a) && !disk_array_has(spill, &a));
    for (uint32_t i = 0; i < 1000; i++)
        a[i] = i;
    disk_array_drop(spill);
    a = disk_array_resize(spill, a, 4 * MIB, sizeof *a);
    b = array_resize(spill, b, 10, sizeof *b);
    CHECK(a && b);
    a[4 * MIB - 1] = 5;
    disk_array_used(spill, 64 * MIB);
    CHECK(a[999] == 999 && a[4 * MIB - 1] == 5);
    CHECK(disk_array_resize(spill, a, 1, sizeof *a) == a); /* never smaller */
    CHECK(!disk_array_has_failed(spill));
    CHECK(!disk_array_resize(spill, NULL, SIZE_MAX, 8) && disk_array_has_failed(spill));
    temper_error error;
    CHECK(disk_array_failure(spill, &error) == TEMPER_NO_MEMORY);
    array_free(spill, b);
    CHECK(!disk_array_has(spill, b));
    disk_array_free(spill);
    disk_array_free(NULL);
    b = array_resize(NULL, NULL, 10, sizeof *b);
    array_free(NULL, b);
}

TEST(too_little_memory_is_refused_with_what_is_needed)
{
    struct dataset data = {.storage.memory_limit = 4 * MIB};
    struct memory_limit_plan plan = {.what = "the training", .needed = 1000.0 * MIB, .threads = 2};
    temper_error error;
    CHECK(memory_limit_plan(&data, &plan, &error) == TEMPER_NO_MEMORY);
    CHECK(strstr(error.message, "the training needs 10") && strstr(error.message, "gives 4M"));
    data.storage.memory_limit = (uint64_t)1 << 40;
    CHECK(memory_limit_plan(&data, &plan, &error) == TEMPER_OK);
    data.storage.memory_limit = 0;
    CHECK(memory_limit_plan(&data, &plan, &error) == TEMPER_OK);
    char text[LIMIT_TEXT];
    CHECK(strcmp(memory_limit_text(1, text), "1M") == 0);
    CHECK(strcmp(memory_limit_text(64.0 * MIB + 1, text), "65M") == 0);
}

/* Pages of the file that an operation before has read do not count: they can be dropped, and are. */
TEST(pages_that_were_read_leave_before_memory_is_counted)
{
    size_t length;
    float *x = map_rows(&length);
    struct page_window *pages = page_window_new(x, length);
    temper_error error = {0};
    if (CHECK(pages && page_window_limit(pages, 0)) && !SANITIZED) {
        page_window_forget(pages);
        uint64_t before = resident_bytes();
        check_walk(pages, x, 0);
        CHECK(resident_bytes() > before + 18 * (uint64_t)MIB);
        struct dataset data = {.x = {.kind = MATRIX_F32, .rows = ROWS, .columns = COLUMNS, .pages = pages},
                               .storage.memory_limit = (size_t)before + 16 * MIB};
        struct memory_limit_plan plan = {.what = "the training", .threads = 1, .block = 4096};
        CHECKF(memory_limit_plan(&data, &plan, &error) == TEMPER_OK, "%s", error.message);
    }
    page_window_free(pages);
    munmap(x, length);
}

TEST(without_memory_there_are_no_pages)
{
    char bytes[64];
    for (size_t n = 1;; n++) {
        fault_arm(n);
        struct page_window *pages = page_window_new(bytes, sizeof bytes);
        fault_disarm();
        page_window_free(pages);
        if (!fault_fired())
            break;
        CHECK(!pages);
    }
    fault_arm(1);
    CHECK(!disk_array_new());
    fault_disarm();
    CHECK(fault_fired());
}

TEST_LIST(LISTED(a_file_that_does_not_fit_gives_the_same_numbers), LISTED(what_was_read_first_leaves),
          LISTED(what_is_kept_keeps_what_was_written), LISTED(a_spilled_array_grows_and_keeps_its_numbers),
          LISTED(too_little_memory_is_refused_with_what_is_needed),
          LISTED(pages_that_were_read_leave_before_memory_is_counted), LISTED(without_memory_there_are_no_pages))
