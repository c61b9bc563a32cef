/* temper_loss_rows: the same bits on any number of threads, allocations and threads that fail, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { ROWS = 3000, CLASSES = 100, NUMBERS = ROWS * CLASSES };

struct thread_buffers {
    float a[NUMBERS], gradients[2][NUMBERS], losses[2][ROWS];
    int64_t labels[ROWS];
};

static struct thread_buffers *filled(void)
{
    static struct thread_buffers b;
    const struct random random = {.seed = 8};
    for (size_t k = 0; k < NUMBERS; k++)
        b.a[k] = (float)(3 * random_normal(random, k));
    for (size_t i = 0; i < ROWS; i++)
        b.labels[i] = (int64_t)(i % CLASSES);
    return &b;
}

static temper_loss_rows_options options_of(const struct thread_buffers *b, size_t threads)
{
    temper_loss_rows_options options = temper_loss_rows_defaults();
    options.rows = ROWS;
    options.classes = CLASSES;
    options.labels = b->labels;
    options.threads = threads;
    return options;
}

static const temper_loss_spec bregman = {.method = TEMPER_BREGMAN, .t1 = 0.8, .t2 = 1.2};

TEST(same_bits_on_any_number_of_threads)
{
    struct thread_buffers *b = filled();
    static const temper_method methods[] = {TEMPER_TEMPERED, TEMPER_BREGMAN, TEMPER_SCE};
    for (size_t m = 0; m < 3; m++)
        for (size_t threads = 1; threads <= 4; threads++) {
            const temper_loss_spec spec = {
                .method = methods[m], .t1 = 0.3, .t2 = 1.4, .alpha = 1, .beta = 1, .log_zero = -4};
            temper_loss_rows_options options = options_of(b, threads);
            size_t to = threads > 1;
            CHECK(temper_loss_rows_f32(spec, &options, b->a, b->losses[to], b->gradients[to], NULL) == TEMPER_OK);
            if (to) {
                CHECK(memcmp(b->losses[0], b->losses[1], sizeof b->losses[0]) == 0);
                CHECK(memcmp(b->gradients[0], b->gradients[1], sizeof b->gradients[0]) == 0);
            }
        }
}

TEST(every_allocation_may_fail)
{
    struct thread_buffers *b = filled();
    for (size_t n = 1;; n++) {
        temper_loss_rows_options options = options_of(b, 2);
        temper_error error;
        fault_arm(n);
        temper_status status = temper_loss_rows_f32(bregman, &options, b->a, b->losses[0], b->gradients[0], &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "allocation %zu: status %d", n, (int)status);
        CHECK(n < 50);
    }
}

TEST(no_threads_will_do)
{
    struct thread_buffers *b = filled();
    temper_loss_rows_options options = options_of(b, 4);
    fault_arm_threads(1);
    temper_status status = temper_loss_rows_f32(bregman, &options, b->a, b->losses[0], NULL, NULL);
    fault_disarm();
    CHECK(status == TEMPER_OK && isfinite(b->losses[0][ROWS - 1]));
}

/* One mistake in the options or the loss, and the words of the message. */
static void refused(temper_loss_spec spec, temper_loss_rows_options options, const char *words)
{
    struct thread_buffers *b = filled();
    temper_error error = {0};
    b->losses[0][0] = 42;
    CHECK(temper_loss_rows_f32(spec, &options, b->a, b->losses[0], NULL, &error) != TEMPER_OK);
    CHECKF(strstr(error.message, words) != NULL, "'%s' is not in '%s'", words, error.message);
    CHECK(b->losses[0][0] == 42);
}

TEST(mistakes_are_named)
{
    struct thread_buffers *b = filled();
    const temper_loss_rows_options good = options_of(b, 1);
    static float negative[NUMBERS];
    temper_loss_rows_options bad = good;
    negative[CLASSES + 2] = -1;
    bad.classes = 0;
    refused(bregman, bad, "at least one class");
    bad = good, bad.stride = 3;
    refused(bregman, bad, "stride of 3");
    bad = good, bad.labels = NULL;
    refused(bregman, bad, "either labels or targets");
    bad.targets = negative;
    refused(bregman, bad, "target of row 1");
    bad = good, bad.label_smoothing = NAN;
    refused(bregman, bad, "label_smoothing");
    bad.label_smoothing = 0.1;
    refused((temper_loss_spec){.method = TEMPER_HINGE}, bad, "numbers of classes");
    bad = good, bad.classes = 50, bad.stride = CLASSES;
    refused(bregman, bad, "label 50 of row 50 is none of the 50 classes");
    bad = good, bad.struct_size = 4096;
    refused(bregman, bad, "temper_loss_rows_options has struct_size 4096");
    refused((temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = -1, .t2 = 1}, good, "t1 and t2");
    refused((temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = 2, .t2 = 2}, good, "below 2");
    refused((temper_loss_spec){.method = TEMPER_TRIMMED}, good, "other rows of a training");
    refused((temper_loss_spec){.method = TEMPER_SCE, .alpha = -1}, good, "parameter alpha");
}

TEST(no_rows)
{
    struct thread_buffers *b = filled();
    temper_loss_rows_options options = options_of(b, 0);
    options.rows = 0;
    CHECK(temper_loss_rows_f32(bregman, &options, NULL, NULL, NULL, NULL) == TEMPER_OK);
}

TEST_LIST(LISTED(same_bits_on_any_number_of_threads), LISTED(every_allocation_may_fail), LISTED(no_threads_will_do),
          LISTED(mistakes_are_named), LISTED(no_rows))
