/* One file that several processes read: together they have the rows, classes, lines and faults of
 * one that reads it alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/distributed_read_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

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

/* A text of good lines but for those given. */
static void write_faulty(size_t first, const char *line, size_t second, const char *other)
{
    FILE *out = fopen("faulty.svm", "w");
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
        write_faulty(places[i], "c1 1:x", 0, "");
        check_fault("faulty.svm");
        write_faulty(places[i], "c1 1:x", 398, "c2 2:1 1:2");
        check_fault("faulty.svm");
        write_faulty(places[i], "7:1", 390, "c1 oops"); /* no label */
        check_fault("faulty.svm");
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
    struct read_ranks *team = context;
    temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = 1, .comm = comm};
    size_t rank = comm->rank;
    team->status[rank] =
        temper_data_read(rank == 1 ? "old.svm" : "new.svm", &options, &team->data[rank], &team->error[rank]);
}

/* One process has an older copy of the file. */
SCRATCH_TEST(copies_that_differ_are_refused)
{
    struct read_ranks team = {0};
    write_faulty(0, "", 0, "");
    CHECK(rename("faulty.svm", "new.svm") == 0);
    write_faulty(7, "c1 1:2", 0, "");
    CHECK(rename("faulty.svm", "old.svm") == 0);
    team_run(3, read_copy, &team);
    for (size_t r = 0; r < 3; r++) {
        CHECK(team.status[r] == TEMPER_BAD_DATA && !team.data[r]);
        CHECKF(strstr(team.error[r].message, "the same file") != NULL, "%s", team.error[r].message);
    }
    free_read_ranks(&team);
}

/* Every allocation of one process fails once: all report the lack of memory, or all have their rows. */
struct failing_read {
    struct read_ranks team;
    size_t victim, failing;
};

static void read_failing(void *context, const temper_comm *comm)
{
    struct failing_read *read = context;
    temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = 1, .comm = comm};
    size_t rank = comm->rank;
    if (rank == read->victim)
        fault_arm_here(read->failing);
    read->team.status[rank] = temper_data_read("few.svm", &options, &read->team.data[rank], &read->team.error[rank]);
    if (rank == read->victim)
        fault_disarm();
}

SCRATCH_TEST(a_process_without_memory_is_a_fault_of_all)
{
    make_libsvm("few.svm", 40, "c");
    for (size_t victim = 0; victim < 3; victim++)
        for (size_t n = 1;; n++) {
            struct failing_read read = {.victim = victim, .failing = n};
            team_run(3, read_failing, &read);
            bool fired = fault_fired();
            size_t rows = 0;
            for (size_t r = 0; r < 3; r++) {
                temper_status status = read.team.status[r];
                CHECKF(status == read.team.status[0] && (status == TEMPER_OK || (fired && status == TEMPER_NO_MEMORY)),
                       "allocation %zu of rank %zu: %d in %zu", n, victim, (int)status, r);
                rows += read.team.data[r] ? temper_data_rows(read.team.data[r]) : 0;
            }
            CHECKF(rows == (read.team.status[0] == TEMPER_OK ? 40 : 0), "allocation %zu of rank %zu: %zu rows", n,
                   victim, rows);
            free_read_ranks(&read.team);
            if (!fired)
                break;
        }
}

TEST_LIST(LISTED(a_process_without_memory_is_a_fault_of_all), LISTED(pieces_of_a_text_are_the_whole),
          LISTED(so_are_those_of_other_formats), LISTED(the_first_fault_of_a_text_is_that_of_all),
          LISTED(pieces_that_contradict_each_other_are_refused), LISTED(copies_that_differ_are_refused))
