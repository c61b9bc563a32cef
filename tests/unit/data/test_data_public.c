/* The public calls on data: reading, scaling, noise and writing, as a program would use them. */
#include <string.h>
#include <unistd.h>

#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const char text[] = "1,10,a\n2,20,b\n3,60,a\n4,20,c\n";

/* The text as data; NULL if that failed. */
static temper_data *read_text(void)
{
    temper_data *data = NULL;
    temper_error error;
    scratch_write("data.csv", text, sizeof text - 1);
    CHECK(temper_data_read("data.csv", NULL, &data, &error) == TEMPER_OK);
    return data;
}

/* A file as text, written by temper_data_write. */
static const char *written(const temper_data *data)
{
    temper_error error;
    CHECK(temper_data_write(data, "out.csv", NULL, &error) == TEMPER_OK);
    return scratch_text("out.csv");
}

TEST(reading)
{
    scratch_enter();
    temper_data *data = read_text();
    CHECK_EQ_SIZE(temper_data_rows(data), 4);
    CHECK_EQ_SIZE(temper_data_features(data), 2);
    CHECK_EQ_SIZE(temper_data_classes(data), 3);
    CHECK_EQ_TEXT(temper_data_class_name(data, 2), "c");
    CHECK(temper_data_class_name(data, 3) == NULL);
    CHECK_EQ_TEXT(temper_data_format(data), "csv");
    CHECK(temper_data_feature_name(data, 0) == NULL);
    CHECK(temper_data_feature_name(data, 9) == NULL);
    temper_data_free(data);
    temper_data_free(NULL);
    scratch_leave();
}

TEST(reading_fails)
{
    temper_data *data = NULL;
    temper_error error;
    scratch_enter();
    scratch_write("bad.csv", "1,2,a\nx,4,b\n", 12);
    CHECK(temper_data_read("bad.csv", NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(data == NULL && error.line == 2 && error.column == 1);
    CHECK(temper_data_read("nowhere", NULL, &data, &error) == TEMPER_NO_INPUT);
    CHECK(data == NULL);
    scratch_leave();
}

/* A name that says something else than the content is no reason to leave the user in the dark. */
TEST(assumed_format_is_told)
{
    temper_data *data = NULL;
    temper_error error;
    scratch_enter();
    scratch_write("numbers.svm", "1,2\n3\n", 6);
    CHECK(temper_data_read("numbers.svm", NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "(read as csv, inferred from the content; --format names another)") != NULL);
    scratch_write("numbers.csv", "1,2\n3\n", 6);
    CHECK(temper_data_read("numbers.csv", NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "read as") == NULL);
    scratch_leave();
}

/* ---- Scaling --------------------------------------------------------------------------------- */

TEST(scaling)
{
    temper_error error;
    temper_data *scaled = NULL;
    scratch_enter();
    temper_data *data = read_text();
    CHECK(temper_data_scale(data, "minmax", 1, &scaled, &error) == TEMPER_OK);
    CHECK_EQ_TEXT(written(scaled), "f1,f2,label\n0,0,a\n0.33333334,0.2,b\n0.6666667,1,a\n1,0.2,c\n");
    temper_data_free(scaled);
    scaled = NULL;
    CHECK(temper_data_scale(data, "none", 1, &scaled, &error) == TEMPER_OK);
    CHECK_EQ_TEXT(written(scaled), "f1,f2,label\n1,10,a\n2,20,b\n3,60,a\n4,20,c\n");
    temper_data_free(scaled);
    scaled = NULL;
    CHECK(temper_data_scale(data, "twice", 1, &scaled, &error) == TEMPER_USAGE);
    CHECK(scaled == NULL);
    temper_data_free(data);
    scratch_leave();
}

TEST(scaling_without_memory)
{
    scratch_enter();
    temper_data *data = read_text();
    bool done = false;
    for (size_t n = 1; n < 200 && !done; n++) {
        temper_error error;
        temper_data *scaled = NULL;
        fault_arm(n);
        temper_status status = temper_data_scale(data, "standard", 1, &scaled, &error);
        fault_disarm();
        done = !fault_fired();
        CHECK(done ? status == TEMPER_OK : status == TEMPER_NO_MEMORY && !scaled);
        temper_data_free(scaled);
    }
    CHECK(done);
    temper_data_free(data);
    scratch_leave();
}

/* ---- Noise
 * --------------------------------------------------------------------------------------- */

static void check_noise(const temper_data *data, temper_noise_options options, const char *expected)
{
    temper_error error;
    temper_data *noisy = NULL;
    temper_noise_change *changes = NULL;
    size_t count = 0;
    if (!CHECK(temper_data_add_noise(data, &options, &noisy, &changes, &count, &error) == TEMPER_OK))
        return;
    CHECK_EQ_SIZE(count, 2);
    CHECK(changes[0].row == 1 && changes[1].row == 3);
    CHECK_EQ_TEXT(written(noisy), expected);
    temper_data_free(noisy);
    temper_free(changes);
}

TEST(noise)
{
    scratch_enter();
    temper_data *data = read_text();
    temper_noise_options pair = {
        .struct_size = sizeof(temper_noise_options), .kind = "pair", .rate = 0.5, .map = "a=c"};
    check_noise(data, pair, "f1,f2,label\n1,10,c\n2,20,b\n3,60,c\n4,20,c\n");
    scratch_write("m.csv", "0,1,0\n0,1,0\n0,0,1\n", 18);
    temper_noise_options matrix = {.struct_size = sizeof(temper_noise_options), .kind = "matrix", .matrix = "m.csv"};
    check_noise(data, matrix, "f1,f2,label\n1,10,b\n2,20,b\n3,60,b\n4,20,c\n");
    temper_data_free(data);
    scratch_leave();
}

TEST(instance_noise_names_the_row_of_the_pool)
{
    temper_error error;
    temper_data *pool = NULL, *noisy = NULL;
    temper_noise_change *changes = NULL;
    size_t count = 0;
    scratch_enter();
    temper_data *data = read_text();
    scratch_write("pool.csv", "7,70,z\n", 7);
    CHECK(temper_data_read("pool.csv", NULL, &pool, &error) == TEMPER_OK);
    temper_noise_options options = {
        .struct_size = sizeof(temper_noise_options), .kind = "instance", .rate = 0.25, .pool = pool};
    CHECK(temper_data_add_noise(data, &options, &noisy, &changes, &count, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(count, 1);
    CHECK(changes && changes[0].from == 1 && changes[0].was == changes[0].is);
    CHECK(strstr(written(noisy), "\n7,70,") != NULL);
    temper_data_free(noisy);
    temper_data_free(pool);
    temper_data_free(data);
    temper_free(changes);
    scratch_leave();
}

TEST(noise_fails)
{
    temper_error error;
    temper_data *noisy = NULL;
    temper_noise_change *changes = NULL;
    size_t count = 77;
    scratch_enter();
    temper_data *data = read_text();
    temper_noise_options unknown = {.struct_size = sizeof(temper_noise_options), .kind = "loud"},
                         none = {.struct_size = sizeof(temper_noise_options)},
                         matrix = {.struct_size = sizeof(temper_noise_options), .kind = "matrix"};
    CHECK(temper_data_add_noise(data, &unknown, &noisy, &changes, &count, &error) == TEMPER_USAGE);
    CHECK(temper_data_add_noise(data, &none, &noisy, &changes, &count, &error) == TEMPER_USAGE);
    CHECK(temper_data_add_noise(data, &matrix, &noisy, &changes, &count, &error) == TEMPER_USAGE);
    CHECK(noisy == NULL && changes == NULL && count == 77);
    temper_data_free(data);
    scratch_leave();
}

TEST(noise_without_memory)
{
    scratch_enter();
    temper_data *data = read_text();
    temper_noise_options options = {.struct_size = sizeof(temper_noise_options), .kind = "random", .rate = 0.5};
    bool done = false;
    for (size_t n = 1; n < 200 && !done; n++) {
        temper_error error;
        temper_data *noisy = NULL;
        temper_noise_change *changes = NULL;
        size_t count = 77;
        fault_arm(n);
        temper_status status = temper_data_add_noise(data, &options, &noisy, &changes, &count, &error);
        fault_disarm();
        done = !fault_fired();
        CHECK(done ? status == TEMPER_OK : status == TEMPER_NO_MEMORY && !noisy && count == 77);
        temper_data_free(noisy);
        temper_free(changes);
    }
    CHECK(done);
    temper_data_free(data);
    scratch_leave();
}

/* ---- Two files
 * ------------------------------------------------------------------------------------ */

/* Labels that have a file of their own: whatever fails, there are both files or none. */
TEST(both_files_or_none)
{
    scratch_enter();
    temper_data *data = read_text();
    size_t before = scratch_count();
    bool done = false;
    for (size_t n = 1; n < 200 && !done; n++) {
        temper_error error;
        fault_arm_files(n);
        temper_status status = temper_data_write(data, "out.npy", NULL, &error);
        fault_disarm();
        done = !fault_fired();
        CHECKF(status == TEMPER_OK || (!done && status == TEMPER_IO), "call %zu", n);
        size_t files = scratch_count() - before;
        CHECKF(files == 0 || files == 2, "call %zu: %zu files", n, files);
        unlink("out.npy");
        unlink("out.npy.labels");
    }
    CHECK(done);
    temper_data_free(data);
    scratch_leave();
}

static bool is_old(const char *path)
{
    return strcmp(scratch_text(path), "old") == 0;
}

/* Three files over older ones: whatever fails, all are new or all are old, and no other is left. */
static void fail_each(const temper_data *data, void (*arm)(size_t))
{
    static const char *const paths[] = {"out.npy", "out.npy.labels", "out.list"};
    const temper_attachment list = {"out.list", "new\n", 4};
    bool done = false;
    for (size_t n = 1; n < 200 && !done; n++) {
        temper_error error;
        for (size_t i = 0; i < 3; i++)
            scratch_write(paths[i], "old", 3);
        size_t before = scratch_count();
        arm(n);
        temper_status status = temper_data_write_with_attachment(data, "out.npy", NULL, &list, &error);
        fault_disarm();
        done = !fault_fired();
        CHECK_EQ_SIZE(scratch_count(), before);
        CHECKF(is_old(paths[0]) == is_old(paths[1]) && is_old(paths[0]) == is_old(paths[2]), "call %zu: %d %d %d", n,
               is_old(paths[0]), is_old(paths[1]), is_old(paths[2]));
        CHECKF(!is_old(paths[0]) || status != TEMPER_OK, "call %zu", n);
    }
    CHECK(done && !is_old(paths[0]));
}

TEST(old_files_stay_together)
{
    scratch_enter();
    temper_data *data = read_text();
    fail_each(data, fault_arm_files);
    fail_each(data, fault_arm);
    temper_data_free(data);
    scratch_leave();
}

TEST(an_attachment_needs_a_name_and_bytes)
{
    scratch_enter();
    temper_data *data = read_text();
    const temper_attachment wrong[] = {{NULL, "", 0}, {"", "x", 1}, {"list", NULL, 1}};
    temper_error error;
    size_t before = scratch_count();
    for (size_t i = 0; i < 3; i++)
        CHECK(temper_data_write_with_attachment(data, "out.csv", NULL, &wrong[i], &error) == TEMPER_USAGE);
    CHECK(temper_data_write_with_attachment(data, "out.csv", NULL, NULL, &error) == TEMPER_USAGE);
    CHECK_EQ_SIZE(scratch_count(), before);
    temper_data_free(data);
    scratch_leave();
}

/* ---- Labels beside numbers ------------------------------------------------------------------- */

TEST(labels_beside_are_found_without_memory_too)
{
    scratch_enter();
    temper_data *data = read_text();
    temper_error error;
    CHECK(temper_data_write(data, "out.npy", NULL, &error) == TEMPER_OK);
    bool done = false;
    for (size_t n = 1; n < 300 && !done; n++) {
        temper_data *back = NULL;
        fault_arm(n);
        temper_status status = temper_data_read("out.npy", NULL, &back, &error);
        fault_disarm();
        done = !fault_fired();
        CHECK(done ? status == TEMPER_OK : status == TEMPER_NO_MEMORY && !back);
        if (done) {
            CHECK_EQ_SIZE(temper_data_classes(back), temper_data_classes(data));
            CHECK(strstr(temper_data_notes(back), "labels: from out.npy.labels, beside the data"));
        }
        temper_data_free(back);
    }
    CHECK(done);
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(reading), LISTED(reading_fails), LISTED(assumed_format_is_told), LISTED(scaling),
          LISTED(scaling_without_memory), LISTED(noise), LISTED(instance_noise_names_the_row_of_the_pool),
          LISTED(noise_fails), LISTED(noise_without_memory), LISTED(both_files_or_none),
          LISTED(old_files_stay_together), LISTED(an_attachment_needs_a_name_and_bytes),
          LISTED(labels_beside_are_found_without_memory_too))
