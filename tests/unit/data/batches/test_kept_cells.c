/* Texts of columns that are kept with the rows, whatever the columns are, and files without rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/batches/batch_reader.h"
#include "data/schema.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper.h"

static const char table[] = "id,x,note,y\n"
                            "007,1,\"said \"\"no\"\", twice\",2\n"
                            "8,3,,4\n"
                            "\"a\nb\",5,z,6\n";
static const char *const ids[] = {"007", "8", "a\nb"}, *const notes[] = {"said \"no\", twice", "", "z"};

/* A model of the columns x and y. */
static struct model *make_model(void)
{
    struct model *model = model_made(2, 2, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, false);
    static const char *const names[] = {"x", "y"};
    model->feature_names.name = calloc(2, sizeof *model->feature_names.name);
    for (size_t i = 0; i < 2; i++)
        copy_string(names[i], &model->feature_names.name[i]);
    model->feature_names.count = 2;
    return model;
}

/* Compares the kept columns note and id of all rows; counts the rows. */
static temper_status read_kept(const struct model *model, size_t batch_bytes, size_t threads, size_t *rows,
                               temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    temper_batch_reader *reader = NULL;
    options.label = "none";
    options.keep = "note,id";
    options.threads = threads;
    *rows = 0;
    temper_status status = temper_batch_reader_open((const temper_model *)model, "t.csv", &options, &reader, error);
    if (status == TEMPER_OK)
        batch_reader_set_bytes(*(struct batch_reader **)reader, batch_bytes);
    while (status == TEMPER_OK) {
        temper_data *batch = NULL;
        status = temper_batch_reader_next(reader, &batch, error);
        if (status != TEMPER_OK || !batch)
            break;
        CHECK(temper_batch_reader_kept_columns(reader) == 2);
        CHECK_EQ_TEXT(temper_batch_reader_kept_name(reader, 1), "id");
        for (size_t i = 0; i < temper_data_rows(batch); i++, ++*rows) {
            CHECK_EQ_TEXT(temper_data_kept_cell(batch, i, 0), notes[*rows % 3]);
            CHECK_EQ_TEXT(temper_data_kept_cell(batch, i, 1), ids[*rows % 3]);
        }
        temper_data_free(batch);
    }
    temper_batch_reader_close(reader);
    return status;
}

SCRATCH_TEST(cells_are_kept_in_every_batch)
{
    struct model *model = make_model();
    static const size_t bytes[] = {1, 20, 1000, 1 << 20};
    struct text text = {0};
    const char *rows_only = strchr(table, '\n') + 1;
    text_append_bytes(&text, table, (size_t)(rows_only - table));
    for (size_t i = 0; i < 300; i++)
        text_append(&text, rows_only);
    scratch_write("t.csv", text.bytes, text.length);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (size_t threads = 1; threads <= 3; threads += 2) {
            size_t rows;
            temper_error error = {0};
            CHECKF(read_kept(model, bytes[i], threads, &rows, &error) == TEMPER_OK, "%s", error.message);
            CHECKF(rows == 900, "%zu rows in batches of %zu bytes", rows, bytes[i]);
        }
    text_free(&text);
    model_free(model);
}

SCRATCH_TEST(memory_may_end)
{
    struct model *model = make_model();
    scratch_write("t.csv", table, strlen(table));
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        size_t rows;
        fault_arm(n);
        temper_status status = read_kept(model, 1000, 1, &rows, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && rows == 3 && n > 10);
            break;
        }
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "%zu: %s", n, error.message);
    }
    model_free(model);
}

/* Rows of the file, and whether it was accepted. */
static temper_status count_rows(const struct model *model, const char *path, int allow_empty, size_t *rows)
{
    temper_read_options options = temper_read_defaults();
    temper_batch_reader *reader = NULL;
    options.label = "none";
    options.allow_empty = allow_empty;
    *rows = 0;
    temper_status status = temper_batch_reader_open((const temper_model *)model, path, &options, &reader, NULL);
    for (temper_data *batch = NULL; status == TEMPER_OK; temper_data_free(batch)) {
        status = temper_batch_reader_next(reader, &batch, NULL);
        if (status != TEMPER_OK || !batch)
            break;
        *rows += temper_data_rows(batch);
    }
    temper_batch_reader_close(reader);
    return status;
}

SCRATCH_TEST(files_without_rows_are_accepted_if_the_caller_says_so)
{
    static const char *const texts[][2] = {
        {"empty.csv", ""}, {"blank.csv", " \n\n"}, {"header.csv", "x,y\n"}, {"comment.svm", "# nothing\n"}};
    struct model *model = make_model();
    size_t rows;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_write(texts[i][0], texts[i][1], strlen(texts[i][1]));
        CHECKF(count_rows(model, texts[i][0], 1, &rows) == TEMPER_OK && rows == 0, "%s", texts[i][0]);
        CHECKF(count_rows(model, texts[i][0], 0, &rows) == TEMPER_BAD_DATA, "%s", texts[i][0]);
    }
    scratch_write("rows.csv", "x,y\n1,2\n", 8);
    CHECK(count_rows(model, "rows.csv", 1, &rows) == TEMPER_OK && rows == 1);
    model_free(model);
}

TEST_LIST(LISTED(cells_are_kept_in_every_batch), LISTED(memory_may_end),
          LISTED(files_without_rows_are_accepted_if_the_caller_says_so))
