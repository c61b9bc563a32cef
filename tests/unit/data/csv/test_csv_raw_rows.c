/* Cells of a table as the file has them: which rows, which cells, and a file that has changed. */
#include <string.h>

#include "base/text.h"
#include "data/csv/csv_raw_rows.h"
#include "data/dataset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const char table[] = "\xef\xbb\xbf\r\nid;\"a \"\"b\"\"\";y\r\n"
                            "1;2;no\r\n"
                            " \r\n"
                            "\"3\r\n;\";4;yes\r\n"
                            "5; 6 ;no\r\n"
                            "7;\"8\";yes";

/* Appends "INDEX:CELL|CELL\n". */
static temper_status note_cells(void *context, size_t index, const struct csv_line *cells)
{
    struct text *out = context;
    if (index == RAW_HEADER)
        text_append(out, "head:");
    else
        text_format(out, "%zu:", index);
    for (size_t i = 0; i < cells->count; i++) {
        text_append(out, i ? "|" : "");
        text_append_bytes(out, cells->cell[i].from, (size_t)(cells->cell[i].to - cells->cell[i].from));
    }
    text_append(out, "\n");
    return out->failed ? TEMPER_NO_MEMORY : TEMPER_OK;
}

static temper_data *opened(void)
{
    static const temper_read_options options = {.struct_size = sizeof(temper_read_options), .ignore = "id"};
    temper_error error = {0};
    temper_data *data = NULL;
    scratch_write("in.csv", table, strlen(table));
    CHECKF(temper_data_read("in.csv", &options, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

static temper_status reread(const temper_data *data, const size_t *row, size_t count, struct text *out)
{
    const struct raw_rows wanted = {row, count, note_cells, out};
    return csv_reread((const struct dataset *)data, &wanted, NULL);
}

TEST(some_rows)
{
    static const size_t rows[] = {1, 3};
    struct text text = {0};
    scratch_enter();
    temper_data *data = opened();
    CHECK(csv_can_reread((const struct dataset *)data));
    CHECK(reread(data, rows, 2, &text) == TEMPER_OK);
    CHECK_EQ_TEXT(text.bytes, "head:id|a \"\"b\"\"|y\n0:3\r\n;|4|yes\n1:7|8|yes\n");
    text_free(&text);
    CHECK(reread(data, rows, 0, &text) == TEMPER_OK);
    CHECK_EQ_TEXT(text.bytes, "head:id|a \"\"b\"\"|y\n");
    text_free(&text);
    temper_data_free(data);
    scratch_leave();
}

TEST(files_that_have_changed)
{
    static const char *const later[] = {"", "id;b;y\n1;2;no\n", "\n\n\n\n\n\n\n\nid;b;y\n1;2\n", "id;b;y\n1;\"2;no\n"};
    static const size_t rows[] = {0, 3};
    struct text text = {0};
    scratch_enter();
    temper_data *data = opened();
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        scratch_write("in.csv", later[i], strlen(later[i]));
        CHECK(reread(data, rows, 2, &text) == TEMPER_BAD_DATA);
    }
    text_free(&text);
    temper_data_free(data);
    scratch_leave();
}

TEST(other_sources)
{
    scratch_enter();
    temper_data *data = opened();
    struct dataset other = *(const struct dataset *)data;
    other.file.format = "libsvm";
    CHECK(!csv_can_reread(&other));
    other.file.format = "csv";
    other.line = NULL;
    CHECK(!csv_can_reread(&other));
    other = *(const struct dataset *)data;
    other.file.path = NULL;
    CHECK(!csv_can_reread(&other));
    temper_data_free(data);
    scratch_leave();
}

/* Each allocation and each read fails once. */
TEST(failures)
{
    static void (*const arm[])(size_t) = {fault_arm, fault_arm_reads};
    static const size_t rows[] = {0, 2};
    scratch_enter();
    temper_data *data = opened();
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t n = 1;; n++) {
            struct text text = {0};
            arm[kind](n);
            temper_status status = reread(data, rows, 2, &text);
            fault_disarm();
            text_free(&text);
            if (!fault_fired())
                break;
            CHECKF(status == (kind ? TEMPER_IO : TEMPER_NO_MEMORY), "call %zu", n);
        }
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(some_rows), LISTED(files_that_have_changed), LISTED(other_sources), LISTED(failures))
