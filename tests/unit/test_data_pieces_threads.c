/* One file that several processes read: together they have the rows, classes, lines and faults of
 * one that reads it alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"
#include "data/dataset.h"
#include "team.h"
#include "test.h"

struct reading_team {
    const char *path;
    temper_read_options options;
    temper_data *data[TEAM_MOST];
    temper_error error[TEAM_MOST];
    temper_status status[TEAM_MOST];
};

static void read_share(void *context, const temper_comm *comm)
{
    struct reading_team *team = context;
    temper_read_options options = team->options;
    size_t rank = comm->rank;
    options.comm = comm;
    options.threads = 1;
    team->status[rank] =
        temper_data_read(team->path, &options, &team->data[rank], &team->error[rank]);
}

static void free_team(struct reading_team *team)
{
    for (size_t r = 0; r < TEAM_MOST; r++)
        temper_data_free(team->data[r]);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool same_row(const struct dataset *a, uint64_t i, const struct dataset *b, uint64_t j)
{
    struct row one = matrix_row(&a->x, i), two = matrix_row(&b->x, j);
    bool same = one.kind == two.kind && one.count == two.count;
    if (same && one.kind == MATRIX_CSR)
        same = memcmp(one.column, two.column, one.count * sizeof *one.column) == 0 &&
               memcmp(one.value, two.value, one.count * sizeof *one.value) == 0;
    else if (same)
        same = memcmp(one.dense, two.dense, one.count * sizeof(float)) == 0;
    return same && !a->label == !b->label && (!a->label || a->label[i] == b->label[j]) &&
           !a->line == !b->line && (!a->line || a->line[i] == b->line[j]) &&
           !a->weight == !b->weight && (!a->weight || a->weight[i] == b->weight[j]);
}

static bool same_classes(const struct dataset *a, const struct dataset *b)
{
    bool same = a->classes.count == b->classes.count;
    for (size_t c = 0; same && c < a->classes.count; c++)
        same = strcmp(a->classes.name[c], b->classes.name[c]) == 0;
    return same;
}

/* The rows of the ranks, one after another, are those of all. */
static void check_rows(const struct dataset *all, const struct reading_team *team, size_t size)
{
    uint64_t before = 0;
    for (size_t r = 0; r < size; r++) {
        const struct dataset *part = (const struct dataset *)team->data[r];
        CHECKF(part != NULL, "%s, %zu of %zu: %s", team->path, r, size, team->error[r].message);
        if (!part)
            return;
        bool same = part->x.columns == all->x.columns && same_classes(part, all) &&
                    strcmp(part->notes, all->notes) == 0;
        CHECKF(same, "%s, %zu of %zu: another shape", team->path, r, size);
        CHECK(temper_data_rows_of_all(team->data[r]) == all->x.rows);
        CHECK(size == 1 || (part->first_row == before && part->all_nonzeros == all->x.nonzeros));
        for (uint64_t i = 0; same && i < part->x.rows; i++)
            same = before + i < all->x.rows && same_row(part, i, all, before + i);
        CHECKF(same, "%s, %zu of %zu: other rows", team->path, r, size);
        before += part->x.rows;
    }
    CHECKF(before == all->x.rows, "%s by %zu: %llu rows", team->path, size,
           (unsigned long long)before);
}

static void check_file(const char *path, temper_read_options options)
{
    temper_data *all = NULL;
    temper_error error = {0};
    options.threads = 1;
    CHECKF(temper_data_read(path, &options, &all, &error) == TEMPER_OK, "%s", error.message);
    for (size_t size = 1; all && size <= 5; size++) {
        struct reading_team team = {.path = path, .options = options};
        team_run(size, read_share, &team);
        check_rows((const struct dataset *)all, &team, size);
        free_team(&team);
    }
    temper_data_free(all);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Labels turn up one after another, so that pieces know different ones; blank lines and comments;
 * lines of very different length; the last column is in one row only. */
static void make_libsvm(const char *path, size_t rows, const char *prefix)
{
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    for (size_t i = 0; out && i < rows; i++) {
        fprintf(out, "%s%zu", prefix, 9 - i * 7 / rows);
        for (size_t j = 1; j <= (i % 11 == 0 ? 90 : i % 5); j++)
            fprintf(out, " %zu:%zu.5", j, (i + j) % 10);
        fputs(i + 1 == rows / 2 ? " 120:1\n" : i % 13 == 0 ? "\n\n# a word\n" : "\n", out);
    }
    if (out)
        fclose(out);
}

SCRATCH_TEST(pieces_of_a_text_are_the_whole)
{
    static const size_t rows[] = {2, 3, 40, 3000};
    temper_read_options plain = {0}, weighted = {.class_weight = "balanced"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_libsvm("names.svm", rows[i], "c");
        make_libsvm("numbers.svm", rows[i], "-");
        check_file("names.svm", plain);
        check_file("numbers.svm", plain);
        check_file("names.svm", weighted);
    }
    plain.zero_based = 1;
    check_file("numbers.svm", plain);
}

SCRATCH_TEST(so_are_those_of_other_formats)
{
    temper_read_options plain = {0};
    temper_data *data = NULL;
    make_libsvm("names.svm", 3000, "c");
    CHECK(temper_data_read("names.svm", NULL, &data, NULL) == TEMPER_OK);
    CHECK(temper_data_write(data, "names.tmpr", NULL, NULL) == TEMPER_OK);
    CHECK(temper_data_write(data, "names.csv", NULL, NULL) == TEMPER_OK);
    temper_data_free(data);
    check_file("names.tmpr", plain);
    check_file("names.csv", plain);
    plain.classes = "c9,c4";
    check_file("names.tmpr", plain);
    check_file("names.csv", plain);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void check_fault(const char *path)
{
    temper_data *none = NULL;
    temper_error alone = {0};
    CHECK(temper_data_read(path, &(temper_read_options){.threads = 1}, &none, &alone) != TEMPER_OK);
    for (size_t size = 2; size <= 5; size++) {
        struct reading_team team = {.path = path};
        team_run(size, read_share, &team);
        for (size_t r = 0; r < size; r++) {
            CHECKF(team.status[r] == alone.status && !team.data[r], "%s, %zu of %zu", path, r,
                   size);
            CHECKF(strcmp(team.error[r].message, alone.message) == 0 &&
                       team.error[r].line == alone.line,
                   "%s, %zu of %zu: %s", path, r, size, team.error[r].message);
        }
        free_team(&team);
    }
}

/* A text of good lines but for those given. */
static void write_spoilt(size_t first, const char *line, size_t second, const char *other)
{
    FILE *out = fopen("spoilt.svm", "w");
    CHECK(out != NULL);
    for (size_t i = 1; out && i <= 400; i++)
        fprintf(out, "%s\n", i == first ? line : i == second ? other : "c1 1:2 3:4");
    if (out)
        fclose(out);
}

SCRATCH_TEST(the_first_fault_of_a_text_is_that_of_all)
{
    static const size_t places[] = {1, 99, 200, 201, 310, 400};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        write_spoilt(places[i], "c1 1:x", 0, "");
        check_fault("spoilt.svm");
        write_spoilt(places[i], "c1 1:x", 398, "c2 2:1 1:2");
        check_fault("spoilt.svm");
        write_spoilt(places[i], "7:1", 390, "c1 oops"); /* no label */
        check_fault("spoilt.svm");
    }
}

/* From some line on there are no labels, or there is nothing at all. */
SCRATCH_TEST(pieces_that_contradict_each_other_are_refused)
{
    FILE *out = fopen("half.svm", "w");
    for (size_t i = 0; out && i < 300; i++)
        fputs(i < 150 ? "c1 1:2\n" : "1:2\n", out);
    if (out)
        fclose(out);
    check_fault("half.svm");
    out = fopen("blank.svm", "w");
    for (size_t i = 0; out && i < 300; i++)
        fputs(i == 0 ? "# 1:2 is no row\n" : "\n", out);
    if (out)
        fclose(out);
    check_fault("blank.svm");
    check_fault("nowhere.svm");
}

static void read_copy(void *context, const temper_comm *comm)
{
    struct reading_team *team = context;
    temper_read_options options = {.threads = 1, .comm = comm};
    size_t rank = comm->rank;
    team->status[rank] = temper_data_read(rank == 1 ? "old.svm" : "new.svm", &options,
                                          &team->data[rank], &team->error[rank]);
}

/* One process has an older copy of the file. */
SCRATCH_TEST(copies_that_differ_are_refused)
{
    struct reading_team team = {0};
    write_spoilt(0, "", 0, "");
    CHECK(rename("spoilt.svm", "new.svm") == 0);
    write_spoilt(7, "c1 1:2", 0, "");
    CHECK(rename("spoilt.svm", "old.svm") == 0);
    team_run(3, read_copy, &team);
    for (size_t r = 0; r < 3; r++) {
        CHECK(team.status[r] == TEMPER_BAD_DATA && !team.data[r]);
        CHECKF(strstr(team.error[r].message, "the same file") != NULL, "%s", team.error[r].message);
    }
    free_team(&team);
}

TEST_LIST(LISTED(pieces_of_a_text_are_the_whole), LISTED(so_are_those_of_other_formats),
          LISTED(the_first_fault_of_a_text_is_that_of_all),
          LISTED(pieces_that_contradict_each_other_are_refused),
          LISTED(copies_that_differ_are_refused))
