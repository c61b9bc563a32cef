/* Any bytes as the text of a cell, and as a text in another encoding: numbers are finite, dates are in the calendar,
 * and what was converted is UTF-8; and any bytes as a table that is described, which is never refused. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "bytes.h"
#include "data/csv/csv_describe.h"
#include "data/read/reencode.h"
#include "data/table/table_cells.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* A cell has one value at most under each rule. */
static void check_cell(const char *from, const char *to)
{
    enum { WORDS = 16 };
    double number, words[WORDS], squares = 0;
    struct cell_date date;
    for (const char *mark = ".,"; *mark; mark++)
        if (cell_number(from, to, *mark, &number))
            REQUIRE(isfinite(number), "%g", number);
    for (int order = 0; order < DATE_ORDERS; order++) {
        if (!cell_date(from, to, (enum date_order)order, &date))
            continue;
        REQUIRE(date.day || date.time, "neither");
        REQUIRE(!date.day || (date.month >= 1 && date.month <= 12 && date.weekday >= 0 && date.weekday < 7), "a date");
        REQUIRE(date.hour >= 0 && date.hour < 26, "%g", date.hour);
    }
    cell_words(from, to, words, WORDS);
    for (size_t i = 0; i < WORDS; i++)
        squares += words[i] * words[i];
    REQUIRE((cell_count_words(from, to) > 0) == (fabs(squares - 1) < 1e-9), "%g", squares);
}

/* Whatever the bytes are, they become valid UTF-8. */
static void check_encodings(const uint8_t *bytes, size_t length)
{
    for (int encoding = ENCODING_UTF16_LE; encoding <= ENCODING_LATIN1; encoding++) {
        struct text text = {0};
        reencode_bytes((enum text_encoding)encoding, bytes, length, &text);
        for (size_t at = 0, step; at < text.length; at += step) {
            step = utf8_length(text.bytes + at, text.bytes + text.length);
            REQUIRE(step > 0, "byte %zu of encoding %d", at, encoding);
        }
        text_free(&text);
    }
}

/* A description has as many columns as it says, and counts no more gaps than cells. */
static void check_description(const uint8_t *bytes, size_t length)
{
    char path[32];
    int file = memfd_create("table", 0);
    const temper_read_options options = {.automatic = 1, .format = "csv"};
    temper_error error;
    struct data_reader reader = {.path = path, .options = &options, .error = &error};
    temper_table *table;
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    REQUIRE(file >= 0 && write(file, bytes, length) == (ssize_t)length, "no file");
    REQUIRE(source_open(path, &reader.source, &error) == TEMPER_OK, "%s", error.message);
    bool packed = source_compression(reader.source) != NULL; /* an archive may be damaged */
    temper_status status = csv_describe(&reader, &table);
    close(file);
    REQUIRE(packed || status == TEMPER_OK, "%s", error.message);
    if (status != TEMPER_OK)
        return;
    for (size_t i = 0; i < table->columns; i++)
        REQUIRE(table->column[i].gaps <= table->column[i].cells && table->column[i].cells == table->rows, "column %zu",
                i);
    csv_description_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    check_cell((const char *)input, (const char *)input + size);
    check_encodings(input, size);
    check_description(input, size);
    return 0;
}
