/* Noise: how many rows change, which, and into what; and that nothing else does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/noise/noise.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

enum { ROWS = 1000, SEED = 20190417 };

/* Ascending, every row once, and labels as they were. */
static void check_record(const struct dataset *data, const struct noise *noise, size_t count)
{
    CHECK_EQ_SIZE(noise->count, count);
    for (size_t i = 0; i < noise->count; i++) {
        const struct label_change *change = &noise->change[i];
        CHECK(change->row < data->x.rows && change->was == data->label[change->row]);
        CHECK(change->is < data->classes.count);
        if (i > 0)
            CHECK(noise->change[i - 1].row < change->row);
    }
}

/* ---- At random ------------------------------------------------------------------------------- */

TEST(random_flips_are_as_many_as_asked)
{
    static const double rates[] = {0, 0.001, 0.1, 0.3337, 1};
    static const size_t counts[] = {0, 1, 100, 334, 1000};
    struct dataset *data = table_pattern(MATRIX_F32, ROWS, 2, 4);
    for (size_t r = 0; r < 5; r++) {
        struct noise noise = {0};
        if (!CHECK(noise_random(data, rates[r], SEED, &noise, NULL) == TEMPER_OK))
            return;
        check_record(data, &noise, counts[r]);
        for (size_t i = 0; i < noise.count; i++)
            CHECK(noise.change[i].is != noise.change[i].was);
        noise_free(&noise);
    }
    dataset_free(data);
}

TEST(random_flips_go_to_all_other_classes)
{
    struct dataset *data = table_pattern(MATRIX_F32, 6000, 1, 4);
    struct noise noise = {0};
    double count[4][4] = {{0}};
    CHECK(noise_random(data, 1, SEED, &noise, NULL) == TEMPER_OK);
    for (size_t i = 0; i < noise.count; i++)
        count[noise.change[i].was][noise.change[i].is]++;
    for (size_t was = 0; was < 4; was++)
        for (size_t is = 0; is < 4; is++)
            CHECK_NEAR(count[was][is], was == is ? 0 : 500, was == is ? 0 : 5 * sqrt(500));
    noise_free(&noise);
    dataset_free(data);
}

/* The same seed and a higher rate: the same changes, and some more. */
TEST(more_noise_contains_less_noise)
{
    struct dataset *data = table_pattern(MATRIX_F32, ROWS, 1, 4);
    struct noise less = {0}, more = {0}, other = {0};
    CHECK(noise_random(data, 0.1, SEED, &less, NULL) == TEMPER_OK);
    CHECK(noise_random(data, 0.4, SEED, &more, NULL) == TEMPER_OK);
    CHECK(noise_random(data, 0.1, SEED + 1, &other, NULL) == TEMPER_OK);
    size_t shared = 0;
    for (size_t i = 0, j = 0; i < less.count; i++) {
        while (j < more.count && more.change[j].row < less.change[i].row)
            j++;
        shared += j < more.count && more.change[j].row == less.change[i].row && more.change[j].is == less.change[i].is;
    }
    CHECK_EQ_SIZE(shared, less.count);
    CHECK(memcmp(less.change, other.change, less.count * sizeof *less.change) != 0);
    noise_free(&less);
    noise_free(&more);
    noise_free(&other);
    dataset_free(data);
}

/* ---- By a map -------------------------------------------------------------------------------- */

TEST(pairs_go_to_the_next_class)
{
    struct dataset *data = table_pattern(MATRIX_F32, ROWS, 1, 3);
    struct noise noise = {0};
    CHECK(noise_pair(data, 0.2, NULL, SEED, &noise, NULL) == TEMPER_OK);
    check_record(data, &noise, 200);
    for (size_t i = 0; i < noise.count; i++)
        CHECK(noise.change[i].is == (noise.change[i].was + 1) % 3);
    noise_free(&noise);
    dataset_free(data);
}

TEST(pairs_by_a_map)
{
    struct dataset *data = table_pattern(MATRIX_F32, ROWS, 1, 4);
    struct noise noise = {.count = 77};
    temper_error error = {0};
    CHECK(noise_pair(data, 0.4, "c3=c0, c1=c2", SEED, &noise, NULL) == TEMPER_OK);
    check_record(data, &noise, 400);
    for (size_t i = 0; i < noise.count; i++) {
        uint32_t was = noise.change[i].was;
        CHECK((was == 3 && noise.change[i].is == 0) || (was == 1 && noise.change[i].is == 2));
    }
    noise_free(&noise);
    CHECK(noise_pair(data, 0.6, "c3=c0,c1=c2", SEED, &noise, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "table.csv: 600 rows should change, but only 500 are of classes "
                                 "that change; lower the rate");
    CHECK(noise_pair(data, 0.1, "c3=c3", SEED, &noise, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "--map: class 'c3' would become itself; leave it out");
    CHECK(noise_pair(data, 0.1, "c3=c1,c3=c2", SEED, &noise, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "--map: class 'c3' is mapped twice; name it once");
    CHECK(noise_pair(data, 0.1, "c3=c9", SEED, &noise, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "table.csv: --map: there is no class 'c9'; classes are c0, c1, c2, c3");
    dataset_free(data);
}

/* ---- Margins --------------------------------------------------------------------------------- */

TEST(the_smallest_and_the_largest_margins)
{
    static const double margin[] = {0.5, -2, 3, 0.1, 0, NAN, 3, 8, 0.2, -0.1};
    static const size_t smallest[] = {0, 3, 8}, largest[] = {2, 6, 7};
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    for (int large = 0; large < 2; large++) {
        struct noise noise = {0};
        const size_t *expected = large ? largest : smallest;
        CHECK(noise_margin(data, (struct margins){margin, NULL}, 0.3, large, &noise, NULL) == TEMPER_OK);
        check_record(data, &noise, 3);
        for (size_t i = 0; i < noise.count && i < 3; i++) {
            CHECK_EQ_SIZE((size_t)noise.change[i].row, expected[i]);
            CHECK(noise.change[i].is == 1 - noise.change[i].was);
        }
        noise_free(&noise);
    }
    dataset_free(data);
}

/* Equal margins: the first rows. */
TEST(equal_margins_go_by_row)
{
    const double margin[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    for (int large = 0; large < 2; large++) {
        struct noise noise = {0};
        CHECK(noise_margin(data, (struct margins){margin, NULL}, 0.2, large, &noise, NULL) == TEMPER_OK);
        CHECK(noise.change[0].row == 0 && noise.change[1].row == 1);
        noise_free(&noise);
    }
    dataset_free(data);
}

TEST(many_classes_flip_to_the_runner_up)
{
    const double margin[] = {1, 2, 3, -4, 5, 6};
    const uint32_t runner_up[] = {2, 2, 0, 1, 0, 1};
    struct dataset *data = table_pattern(MATRIX_F32, 6, 1, 3);
    struct noise noise = {0};
    temper_error error = {0};
    CHECK(noise_margin(data, (struct margins){margin, runner_up}, 0.5, true, &noise, NULL) == TEMPER_OK);
    check_record(data, &noise, 3);
    for (size_t i = 0; i < noise.count; i++)
        CHECK(noise.change[i].is == runner_up[noise.change[i].row]);
    noise_free(&noise);
    CHECK(noise_margin(data, (struct margins){margin, runner_up}, 1, true, &noise, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "table.csv: 6 rows should change, but only 5 are classified "
                                 "correctly; lower the rate");
    dataset_free(data);
}

/* ---- All kinds ------------------------------------------------------------------------------- */

TEST(flips_are_applied_to_a_copy)
{
    struct dataset *data = table_pattern(MATRIX_CSR, 40, 3, 3), *out = NULL;
    struct noise noise = {0};
    size_t changed = 0;
    CHECK(noise_random(data, 0.25, SEED, &noise, NULL) == TEMPER_OK);
    if (!CHECK(noise_apply(data, NULL, &noise, &out, NULL) == TEMPER_OK))
        return;
    for (size_t i = 0; i < 40; i++) {
        changed += out->label[i] != data->label[i];
        CHECK(data->label[i] == i % 3);
        CHECK(table_same_row(&out->x, i, &data->x, i));
    }
    CHECK_EQ_SIZE(changed, 10);
    dataset_free(out);
    noise_free(&noise);
    dataset_free(data);
}

TEST(rates_and_labels_that_are_refused)
{
    static const double rates[] = {-0.1, 1.1, NAN};
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    struct dataset *one = table_pattern(MATRIX_F32, 10, 1, 1);
    struct noise noise = {.count = 77};
    temper_error error = {0};
    for (size_t i = 0; i < 3; i++) {
        CHECK(noise_random(data, rates[i], SEED, &noise, &error) == TEMPER_USAGE);
        CHECK_EQ_TEXT(error.message, "the rate is no share of the rows; give a number from 0 to 1");
        CHECK(noise_instance(data, NULL, rates[i], SEED, &noise, &error) == TEMPER_USAGE);
    }
    CHECK(noise_random(one, 0.1, SEED, &noise, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "table.csv: noise needs at least two classes, the data has 1; "
                                 "keep more of them");
    free(one->label);
    one->label = NULL;
    CHECK(noise_pair(one, 0.1, NULL, SEED, &noise, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "table.csv: noise needs labels, and the data has none; name their "
                                 "column by --label or their file by --labels");
    CHECK_EQ_SIZE(noise.count, 77);
    dataset_free(data);
    dataset_free(one);
}

/* Part of every result that was ever printed with a seed. */
TEST(known_answers)
{
    static const struct label_change expected[] = {
        {.row = 0, .is = 2}, {.row = 4, .is = 1}, {.row = 12, .is = 1}, {.row = 19, .is = 0}};
    struct dataset *data = table_pattern(MATRIX_F32, 20, 1, 4);
    struct noise noise = {0};
    CHECK(noise_random(data, 0.2, SEED, &noise, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(noise.count, 4);
    for (size_t i = 0; i < 4; i++)
        CHECKF(noise.change[i].row == expected[i].row && noise.change[i].is == expected[i].is, "row %zu becomes %u",
               (size_t)noise.change[i].row, noise.change[i].is);
    noise_free(&noise);
    dataset_free(data);
}

/* All kinds of noise, by number. */
static temper_status make_noise(int kind, const struct dataset *data, const struct dataset *pool, struct noise *noise,
                                temper_error *error)
{
    static const double margin[] = {1, 2, 3, 4, 5, 6};
    switch (kind) {
    case 0:
        return noise_random(data, 0.5, SEED, noise, error);
    case 1:
        return noise_pair(data, 0.5, "c0=c1", SEED, noise, error);
    case 2:
        return noise_transition(data, "t.csv", SEED, noise, error);
    case 3:
        return noise_instance(data, NULL, 0.5, SEED, noise, error);
    case 4:
        return noise_instance(data, pool, 0.5, SEED, noise, error);
    default:
        return noise_margin(data, (struct margins){margin, NULL}, 0.5, true, noise, error);
    }
}

TEST(survives_a_lack_of_memory)
{
    struct dataset *data = table_pattern(MATRIX_CSR, 6, 2, 2), *pool;
    pool = table_pattern(MATRIX_CSR, 6, 2, 3);
    scratch_enter();
    scratch_write("t.csv", "c1,c0\n0,1\n1,0\n", 14);
    for (int kind = 0; kind < 6; kind++) {
        struct noise noise = {.count = 77};
        struct dataset *out = NULL;
        temper_error error;
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status = make_noise(kind, data, pool, &noise, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && noise.count == 77);
        }
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status = noise_apply(data, kind == 4 ? pool : NULL, &noise, &out, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && out == NULL);
        }
        dataset_free(out);
        noise_free(&noise);
    }
    scratch_leave();
    dataset_free(data);
    dataset_free(pool);
}

TEST_LIST(LISTED(random_flips_are_as_many_as_asked), LISTED(random_flips_go_to_all_other_classes),
          LISTED(more_noise_contains_less_noise), LISTED(pairs_go_to_the_next_class), LISTED(pairs_by_a_map),
          LISTED(the_smallest_and_the_largest_margins), LISTED(equal_margins_go_by_row),
          LISTED(many_classes_flip_to_the_runner_up), LISTED(flips_are_applied_to_a_copy),
          LISTED(rates_and_labels_that_are_refused), LISTED(known_answers), LISTED(survives_a_lack_of_memory))
