/* A list of files is their rows one after another, for one process and for several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/distributed_read_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

/* ---- Files ----------------------------------------------------------------------------------- */

enum { ROWS = 2400, FILES = 4 };

/* Where each file begins: they have very different lengths. */
static const size_t begin[FILES + 1] = {0, 1, 1500, 1540, ROWS};

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    CHECK(out && fputs(text, out) >= 0);
    if (out)
        fclose(out);
}

/* Classes turn up one after another, and so do columns. */
static void make_libsvm(const char *path, size_t from, size_t to)
{
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    for (size_t i = from; out && i < to; i++) {
        fprintf(out, "c%zu", 9 - i * 7 / ROWS);
        for (size_t j = 1; j <= i % 5 + i / 400 + 1; j++)
            fprintf(out, " %zu:%zu.5", j, (i + j) % 10);
        fputs("\n", out);
    }
    if (out)
        fclose(out);
}

static void make_csv(const char *path, size_t from, size_t to)
{
    FILE *out = fopen(path, "w");
    CHECK(out && fputs("a,b,weight,kind\n", out) >= 0);
    for (size_t i = from; out && i < to; i++)
        fprintf(out, "%zu,%zu.25,%zu,c%zu\n", i % 17, i % 3, i % 4 + 1, 9 - i * 7 / ROWS);
    if (out)
        fclose(out);
}

/* Files of a kind, a list of them, and a file with all rows. */
static void make_files(const char *kind, void (*make)(const char *, size_t, size_t))
{
    char name[32];
    FILE *list = fopen("list.txt", "w");
    CHECK(list && fputs("# in this order\n\n", list) >= 0);
    for (size_t f = 0; list && f < FILES; f++) {
        snprintf(name, sizeof name, "%zu.%s", f, kind);
        make(name, begin[f], begin[f + 1]);
        fprintf(list, f % 2 ? "%s \r\n" : "%s\n", name);
    }
    if (list)
        fclose(list);
    snprintf(name, sizeof name, "whole.%s", kind);
    make(name, 0, ROWS);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The list is the whole, as .tmpr, byte for byte. */
static void check_whole(const char *whole, temper_read_options options)
{
    temper_data *one = NULL, *all = NULL;
    temper_error error = {0};
    options.struct_size = sizeof options;
    CHECKF(temper_data_read(whole, &options, &one, &error) == TEMPER_OK, "%s", error.message);
    CHECKF(temper_data_read("@list.txt", &options, &all, &error) == TEMPER_OK, "%s", error.message);
    struct dataset *lines = (struct dataset *)one;
    free(lines->line); /* which a list does not have */
    lines->line = NULL;
    CHECK(temper_data_write(one, "one.tmpr", NULL, NULL) == TEMPER_OK);
    CHECK(temper_data_write(all, "all.tmpr", NULL, NULL) == TEMPER_OK);
    struct blob a = binary_file("one.tmpr"), b = binary_file("all.tmpr");
    CHECKF(a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0, "%s", whole);
    blob_free(&a);
    blob_free(&b);
    temper_data_free(one);
    temper_data_free(all);
    check_file("@list.txt", options);
}

SCRATCH_TEST(a_list_is_the_whole)
{
    temper_read_options plain = {0}, weights = {.weights = "weight"}, some = {.classes = "c9,c4"};
    make_files("svm", make_libsvm);
    check_whole("whole.svm", plain);
    check_whole("whole.svm", some);
    make_files("csv", make_csv);
    check_whole("whole.csv", plain);
    check_whole("whole.csv", weights);
    some.class_weight = "balanced";
    check_whole("whole.csv", some);
}

SCRATCH_TEST(bytes_and_doubles_go_where_they_belong)
{
    static unsigned char bytes[ROWS * 3];
    static double doubles[ROWS * 3];
    static int label[ROWS];
    temper_data *data[4] = {0};
    for (size_t i = 0; i < (size_t)ROWS * 3; i++) {
        bytes[i] = (unsigned char)(i % 251);
        doubles[i] = (double)i / 3;
        label[i / 3] = i % 2 == 0;
    }
    CHECK(temper_data_borrow_u8(bytes, 1000, 3, label, &data[0], NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_u8(bytes, ROWS, 3, label, &data[1], NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f64(doubles, 1000, 3, label, &data[2], NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f64(doubles, ROWS, 3, label, &data[3], NULL) == TEMPER_OK);
    for (size_t i = 0; i < 4; i += 2) {
        CHECK(temper_data_write(data[i], "0.tmpr", NULL, NULL) == TEMPER_OK);
        CHECK(temper_data_write(data[i + 1], "1.tmpr", NULL, NULL) == TEMPER_OK);
        write_text("list.txt", "0.tmpr\n1.tmpr\n");
        check_file("@list.txt", (temper_read_options){0});
    }
    for (size_t i = 0; i < 4; i++)
        temper_data_free(data[i]);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refused(const char *list, temper_read_options options, const char *words)
{
    temper_data *none = NULL;
    temper_error error = {0};
    write_text("list.txt", list);
    options.struct_size = sizeof options;
    CHECK(temper_data_read("@list.txt", &options, &none, &error) != TEMPER_OK && !none);
    CHECKF(strstr(error.message, words) != NULL, "%s", error.message);
}

SCRATCH_TEST(refusals)
{
    temper_read_options plain = {0};
    make_files("svm", make_libsvm);
    make_files("csv", make_csv);
    write_text("bare.svm", "1:2\n1:3\n");
    write_text("bad.svm", "c9 1:2\nc9 1:x\n");
    refused("", plain, "names no files");
    refused("# nothing\n\n", plain, "names no files");
    refused("0.svm\n@list.txt\n", plain, "is not a file");
    CHECK(mkfifo("pipe", 0600) == 0); /* never opened: that would wait for a program that writes */
    refused("0.svm\npipe\n", plain, "'pipe' is a pipe or a device");
    refused("0.svm\n/dev/zero\n", plain, "'/dev/zero' is a pipe or a device");
    CHECK(temper_data_read("@pipe", NULL, &(temper_data *){NULL}, NULL) == TEMPER_BAD_DATA);
    refused("0.svm\n0.csv\n", plain, "different ways");
    refused("1.svm\nbare.svm\n", plain, "only one of");
    refused("0.svm\n1.svm\n", (temper_read_options){.labels = "labels"}, "--labels is for one");
    refused("0.csv\n1.csv\n", (temper_read_options){.missing = "mean"}, "--missing mean is for");
    refused("0.csv\n1.csv\n", (temper_read_options){.memory = 1 << 30}, "--memory is for one");
    CHECK(temper_data_read("@nowhere.txt", NULL, &(temper_data *){NULL}, NULL) == TEMPER_NO_INPUT);
    write_text("list.txt", "0.svm\n1.svm\nbad.svm\n2.svm\nnowhere.svm\n");
    check_fault("@list.txt"); /* the first of two, by its file and line */
}

static void read_list(void *context, const temper_comm *comm)
{
    struct read_ranks *team = context;
    temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = 1, .comm = comm};
    team->status[comm->rank] =
        temper_data_read("@list.txt", &options, &team->data[comm->rank], &team->error[comm->rank]);
}

/* Each process has files that agree, but not with those of the other. */
SCRATCH_TEST(files_that_contradict_each_other_are_refused)
{
    static const char *const lists[] = {"0.svm\n0.csv\n", "1.svm\nbare.svm\n", "0.csv\nother.csv\n",
                                        "0.csv\nwider.csv\n"};
    make_files("svm", make_libsvm);
    make_files("csv", make_csv);
    write_text("bare.svm", "1:2\n1:3\n");
    write_text("other.csv", "a,c,weight,kind\n1,2,3,c9\n");
    write_text("wider.csv", "a,b,weight,more,kind\n1,2,3,4,c9\n");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct read_ranks team = {0};
        write_text("list.txt", lists[i]);
        team_run(2, read_list, &team);
        for (size_t r = 0; r < 2; r++)
            CHECKF(team.status[r] == TEMPER_BAD_DATA && !team.data[r], "%s", lists[i]);
        free_read_ranks(&team);
    }
}

SCRATCH_TEST(memory_ends)
{
    size_t n = 1;
    make_files("csv", make_csv);
    for (;; n++) {
        temper_data *data = NULL;
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_data_read(
            "@list.txt",
            &(temper_read_options){.struct_size = sizeof(temper_read_options), .threads = 1, .weights = "weight"},
            &data, &error);
        fault_disarm();
        temper_data_free(data);
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "%zu: %s", n, error.message);
    }
    CHECK(n > 50);
}

/* Where one file of a list has weights, those rows of others that have none weigh 1: on any number of processes. */
SCRATCH_TEST(rows_of_a_file_without_weights_have_the_weight_1)
{
    static double values[600], weights[200];
    static int label[200];
    temper_data *plain = NULL, *weighted = NULL;
    for (size_t i = 0; i < 600; i++)
        values[i] = (double)i / 3;
    for (size_t i = 0; i < 200; i++) {
        weights[i] = 2 + (double)(i % 3);
        label[i] = i % 2 == 0;
    }
    CHECK(temper_data_borrow_f64(values, 200, 3, label, &plain, NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f64(values, 200, 3, label, &weighted, NULL) == TEMPER_OK);
    CHECK(temper_data_set_weights(weighted, weights, NULL) == TEMPER_OK);
    CHECK(temper_data_write(plain, "plain.tmpr", NULL, NULL) == TEMPER_OK);
    CHECK(temper_data_write(weighted, "weighted.tmpr", NULL, NULL) == TEMPER_OK);
    write_text("list.txt", "plain.tmpr\nweighted.tmpr\n");
    check_file("@list.txt", (temper_read_options){0});
    temper_data *all = NULL;
    CHECK(temper_data_read("@list.txt", NULL, &all, NULL) == TEMPER_OK);
    const struct dataset *data = (const struct dataset *)all;
    for (size_t i = 0; data && data->weight && i < 400; i++)
        CHECK(data->weight[i] == (i < 200 ? 1 : weights[i - 200]));
    CHECK(data && data->weight);
    temper_data_free(all);
    temper_data_free(plain);
    temper_data_free(weighted);
}

TEST_LIST(LISTED(a_list_is_the_whole), LISTED(bytes_and_doubles_go_where_they_belong), LISTED(refusals),
          LISTED(files_that_contradict_each_other_are_refused), LISTED(memory_ends),
          LISTED(rows_of_a_file_without_weights_have_the_weight_1))
