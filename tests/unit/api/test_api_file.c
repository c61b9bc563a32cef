/* The public calls for files in pieces, and for numbers as text. test_base_sink has the rest. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

TEST(pieces_appear_together)
{
    temper_file *file = NULL;
    scratch_enter();
    scratch_write("file", "old", 3);
    CHECK(temper_file_open("file", &file, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "one ", 4, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, NULL, 0, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "two", 3, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK(temper_file_commit(file, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "one two");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(what_is_dropped_was_never_there)
{
    temper_file *file = NULL;
    scratch_enter();
    CHECK(temper_file_open("file", &file, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "new", 3, NULL) == TEMPER_OK);
    temper_file_discard(file);
    temper_file_discard(NULL);
    CHECK_EQ_SIZE(scratch_count(), 0);
    scratch_leave();
}

TEST(refused_at_once)
{
    temper_file *file = NULL;
    temper_error error;
    scratch_enter();
    CHECK(temper_file_open(NULL, &file, &error) == TEMPER_USAGE);
    CHECK(temper_file_open("", &file, &error) == TEMPER_USAGE);
    CHECK(temper_file_open("nowhere/file", &file, &error) == TEMPER_IO);
    CHECK(strstr(error.message, "nowhere/file: cannot be written: ") != NULL);
    CHECK(file == NULL);
    CHECK(temper_file_open("file", &file, &error) == TEMPER_OK);
    CHECK(temper_file_write(file, NULL, 1, &error) == TEMPER_USAGE);
    temper_file_discard(file);
    scratch_leave();
}

TEST(numbers_read_back)
{
    static const double numbers[] = {0, -1, 0.1, 1.0 / 3, 1e-7, 1e300, 4.9e-324, 123456789012345680.0};
    char text[TEMPER_NUMBER_LENGTH];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = temper_format_number(numbers[i], text);
        CHECK_EQ_SIZE(length, strlen(text));
        CHECKF(strtod(text, NULL) == numbers[i], "%s", text);
    }
    temper_format_number(0.1, text);
    CHECK_EQ_TEXT(text, "0.1");
}

/* ---- A mapped file that another program writes to -------------------------------------------------------------- */

enum { MAPPED_ROWS = 40 };

/* Rows of a .tmpr file, which is mapped. */
static temper_data *mapped_rows(void)
{
    double x[MAPPED_ROWS];
    int label[MAPPED_ROWS];
    temper_data *made = NULL, *data = NULL;
    for (int i = 0; i < MAPPED_ROWS; i++) {
        x[i] = sin(i);
        label[i] = i % 2;
    }
    CHECK(temper_data_from_f64(x, MAPPED_ROWS, 1, label, &made, NULL) == TEMPER_OK);
    CHECK(temper_data_write(made, "x.tmpr", "tmpr", NULL) == TEMPER_OK);
    CHECK(temper_data_read("x.tmpr", NULL, &data, NULL) == TEMPER_OK);
    temper_data_free(made);
    return data;
}

/* The statuses of a training, a tuning and an audit of the rows. */
static void check_statuses(const temper_data *data, temper_status expected)
{
    temper_model *model = NULL;
    temper_error error = {0};
    temper_tune_options tuning = temper_tune_defaults();
    temper_status status = temper_train(data, NULL, &model, NULL, &error);
    CHECKF(status == expected, "train: %s", error.message);
    CHECK((model != NULL) == (expected == TEMPER_OK));
    temper_model_free(model);
    model = NULL;
    tuning.folds = 2;
    tuning.grid = "t1=1 t2=1 l2=1";
    status = temper_tune(data, &tuning, &model, NULL, &error);
    CHECKF(status == expected, "tune: %s", error.message);
    CHECK((model != NULL) == (expected == TEMPER_OK));
    temper_model_free(model);
    status = temper_audit(data, NULL, NULL, NULL, &error);
    CHECKF(status == expected, "audit: %s", error.message);
    CHECKF(expected == TEMPER_OK || strstr(error.message, "x.tmpr: has changed while it was in use"), "%s",
           error.message);
}

TEST(a_mapped_file_that_changes_is_an_error)
{
    scratch_enter();
    temper_data *data = mapped_rows();
    struct timespec later[2] = {{.tv_sec = 2000000000}, {.tv_sec = 2000000000}};
    check_statuses(data, TEMPER_OK);
    CHECK(utimensat(AT_FDCWD, "x.tmpr", later, 0) == 0); /* as any write does */
    check_statuses(data, TEMPER_IO);
    CHECK(unlink("x.tmpr") == 0); /* the mapped file is still what it was */
    check_statuses(data, TEMPER_OK);
    temper_data *other = mapped_rows(); /* replaced by a rename, as temper itself does */
    check_statuses(data, TEMPER_OK);
    temper_data_free(other);
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(pieces_appear_together), LISTED(what_is_dropped_was_never_there), LISTED(refused_at_once),
          LISTED(numbers_read_back), LISTED(a_mapped_file_that_changes_is_an_error))
