/* Batches that several processes read in turn have the rows of the whole file, in its order. */
#include <stdio.h>
#include <string.h>

#include "data/batches/batch_reader.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"

/* One test run; the ranks are threads, and each writes only its own elements. */
struct shared_batches {
    const char *path;
    size_t bytes; /* of a batch */
    temper_read_options options;
    const struct schema *schema;
    const struct dataset *whole;
    size_t rows[TEAM_MOST], wrong[TEAM_MOST]; /* of each rank: rows that it read, rows that differ */
    uint64_t all[TEAM_MOST], dropped[TEAM_MOST];
    temper_error error[TEAM_MOST];
    temper_status status[TEAM_MOST];
};

/* Row r of a batch equals row s of the whole file, with its line and label. */
static bool same_row(const struct dataset *a, size_t r, const struct dataset *b, size_t s)
{
    return s < b->x.rows && table_same_row(&a->x, r, &b->x, s) && a->line[r] == b->line[s] &&
           strcmp(a->classes.name[a->label[r]], b->classes.name[b->label[s]]) == 0;
}

/* One rank: all batches, compared with the rows of the whole file. */
static void read_batches(void *context, const temper_comm *comm)
{
    struct shared_batches *s = context;
    temper_read_options options = s->options;
    struct batch_reader *reader = NULL;
    size_t rank = comm->rank;
    options.comm = comm;
    s->status[rank] = batch_reader_open(s->path, &options, s->schema, &reader, &s->error[rank]);
    if (s->status[rank] == TEMPER_OK)
        batch_reader_set_bytes(reader, s->bytes);
    for (bool more = true; s->status[rank] == TEMPER_OK && more;) {
        struct dataset *batch = NULL;
        s->status[rank] = batch_reader_next(reader, &batch, &s->error[rank]);
        more = s->status[rank] == TEMPER_OK && batch;
        for (size_t i = 0; more && i < batch->x.rows; i++)
            s->wrong[rank] += !same_row(batch, i, s->whole, (size_t)(s->all[rank] + batch->ranks.first_row) + i);
        s->rows[rank] += more ? (size_t)batch->x.rows : 0;
        s->all[rank] += more ? batch->ranks.all_rows : 0;
        dataset_free(batch);
    }
    if (s->status[rank] == TEMPER_OK)
        s->dropped[rank] = batch_reader_dropped(reader);
    batch_reader_close(reader);
}

/* Two to four ranks with batches of several sizes: together they have all rows of the file. */
static void check_shared(const char *path, temper_read_options options, const struct schema *schema)
{
    static const size_t sizes[] = {1, 20, 100, 1 << 20};
    struct dataset *whole = NULL;
    CHECK(dataset_read_like(path, &options, schema, &whole, NULL) == TEMPER_OK);
    for (size_t ranks = 2; whole && ranks <= 4; ranks++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct shared_batches s = {
                .path = path, .bytes = sizes[i], .options = options, .schema = schema, .whole = whole};
            size_t rows = 0;
            team_run(ranks, read_batches, &s);
            for (size_t r = 0; r < ranks; r++) {
                CHECKF(s.status[r] == TEMPER_OK && s.wrong[r] == 0, "%s, %zu of %zu ranks, %zu bytes: %s", path, r,
                       ranks, sizes[i], s.error[r].message);
                CHECK(s.all[r] == whole->x.rows && s.dropped[r] == whole->file.missing_dropped);
                rows += s.rows[r];
            }
            CHECK_EQ_SIZE(rows, (size_t)whole->x.rows);
        }
    dataset_free(whole);
}

/* Comments, blank lines, rows that are dropped and newlines within quotes fall into all kinds of batches. */
SCRATCH_TEST(ranks_read_batches_in_turn)
{
    const struct names none = {0};
    struct schema *two = NULL;
    char text[4096] = "", table[4096] = "";
    CHECK(schema_plain(2, &none, &two, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 40; i++) {
        size_t used = strlen(text), length = strlen(table);
        snprintf(text + used, sizeof text - used, "%s%c 1:%zu 2:%zu\n", i % 5 == 2 ? "# a comment\n\n" : "",
                 i % 3 ? 'a' : 'b', i + 1, i % 7 + 1);
        snprintf(table + length, sizeof table - length, "%zu,%s,%s\n", i, i % 6 == 5 ? "" : "2",
                 i % 4 == 1 ? "\"a\nb\"" : "c");
    }
    scratch_write("t.svm", text, strlen(text));
    scratch_write("t.csv", table, strlen(table));
    check_shared("t.svm", (temper_read_options){0}, two);
    check_shared("t.csv", (temper_read_options){.missing = "drop"}, two);
    schema_free(two);
}

TEST_LIST(LISTED(ranks_read_batches_in_turn))
