/* Calls of the library with every allocation failing in turn: each reports it, or has found the same as without a
 * failure. A status that is ignored somewhere shows as another result. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

/* FNV-1a, continued from *digest. */
static void add_bytes(uint64_t *digest, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        *digest = (*digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
}

static void add_number(uint64_t *digest, double number)
{
    add_bytes(digest, &number, sizeof number);
}

/* What is prepared before allocations fail. */
struct prepared {
    struct dataset *dense, *sparse, *wide;
    temper_votes *votes;
    temper_data *table;
};

typedef temper_status call_fn(const struct prepared *made, uint64_t *digest, temper_error *error);

/* ---- Reading --------------------------------------------------------------------------------- */

static temper_status read_file(const char *path, temper_read_options options, uint64_t *digest, temper_error *error)
{
    temper_data *data = NULL;
    temper_status status = temper_data_read(path, &options, &data, error);
    if (status != TEMPER_OK)
        return status;
    const struct dataset *read = (const struct dataset *)data;
    for (size_t row = 0; row < read->x.rows; row++) {
        double x[8];
        matrix_row_f64(&read->x, row, x);
        add_bytes(digest, x, (size_t)read->x.columns * sizeof *x);
        add_number(digest, read->label ? (double)read->label[row] : -1);
    }
    for (size_t c = 0; c < read->classes.count; c++)
        add_bytes(digest, read->classes.name[c], strlen(read->classes.name[c]));
    add_bytes(digest, temper_data_notes(data), strlen(temper_data_notes(data)));
    temper_data_free(data);
    return TEMPER_OK;
}

static temper_status read_plain_table(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    (void)made;
    options.threads = 1;
    return read_file("plain.csv", options, digest, error);
}

static temper_status read_another_encoding(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    (void)made;
    options.threads = 1;
    options.encoding = "latin-1";
    return read_file("latin.csv", options, digest, error);
}

static temper_status read_within_memory(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    (void)made;
    options.threads = 1;
    options.memory = (size_t)4 << 30;
    return read_file("plain.csv", options, digest, error);
}

static temper_status read_labels_beside(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    (void)made;
    options.threads = 1;
    options.labels = "labels.npy";
    return read_file("numbers.npy", options, digest, error);
}

/* ---- Training -------------------------------------------------------------------------------- */

static temper_status train(const struct dataset *data, temper_train_options options, uint64_t *digest,
                           temper_error *error)
{
    temper_model *model = NULL;
    temper_train_report report;
    temper_status status = temper_train(made_public(data), &options, &model, &report, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t v = 0; v < temper_model_weight_vectors(model); v++)
        add_bytes(digest, temper_model_weights(model, v), temper_model_features(model) * sizeof(double));
    add_number(digest, report.objective);
    add_number(digest, report.expected.accuracy);
    add_bytes(digest, report.expected.why ? report.expected.why : "-", 1);
    for (size_t i = 0; i < report.warnings.count; i++)
        add_bytes(digest, report.warnings.list[i].text, strlen(report.warnings.list[i].text));
    /* The probabilities are those of the calibration. */
    double p[4 * 600];
    status = temper_predict(model, made_public(data), TEMPER_PREDICT_PROBABILITIES, 1, p, error);
    if (status == TEMPER_OK)
        add_bytes(digest, p, data->x.rows * data->classes.count * sizeof *p);
    temper_model_free(model);
    return status;
}

static temper_status train_with_folds(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_train_options options = made_calibrated_options();
    options.holdout = "cv";
    options.max_iterations = 5;
    return train(made->dense, options, digest, error);
}

static temper_status train_from_the_dual(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_train_options options = made_options();
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    options.scale = "none";
    options.l2 = 2;
    return train(made->wide, options, digest, error);
}

static temper_status train_sparse(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_train_options options = made_calibrated_options();
    options.max_iterations = 5;
    return train(made->sparse, options, digest, error);
}

/* A search, and the noise of the labels. */
static temper_status tune_with_noise(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_tune_options options = temper_tune_defaults();
    temper_model *model = NULL;
    temper_tune_report report;
    options.grid = "only t1=1 t2=1 l2=0.01,0.1";
    options.folds = 2;
    options.train = made_options();
    options.train.max_iterations = 3;
    options.train.estimate_noise = 1;
    temper_status status = temper_tune(made_public(made->dense), &options, &model, &report, error);
    if (status != TEMPER_OK)
        return status;
    add_number(digest, (double)report.best);
    for (size_t i = 0; i < report.count; i++)
        add_number(digest, report.table[i].accuracy);
    for (size_t v = 0; v < temper_model_weight_vectors(model); v++)
        add_bytes(digest, temper_model_weights(model, v), temper_model_features(model) * sizeof(double));
    add_number(digest, (double)temper_prediction_width(model, TEMPER_PREDICT_TRUE_PROBABILITIES));
    temper_tune_report_free(&report);
    temper_model_free(model);
    return TEMPER_OK;
}

static temper_status audit_rows(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    temper_audit_options options = temper_audit_defaults();
    temper_audit_report report;
    options.train = made_options();
    options.choose = 0;
    options.folds = 2;
    temper_status status = temper_audit(made_public(made->dense), &options, NULL, &report, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < report.rows; i++) {
        add_number(digest, (double)report.suspects[i].row);
        add_number(digest, report.suspects[i].score);
    }
    temper_audit_report_free(&report);
    return TEMPER_OK;
}

/* ---- Votes ----------------------------------------------------------------------------------- */

enum { ITEMS = 12 };

static temper_status match_probabilities(const struct prepared *made, uint64_t *digest, temper_error *error)
{
    double p[ITEMS * 2];
    temper_status status = temper_votes_probabilities(made->votes, made->table, p, error);
    if (status == TEMPER_OK)
        add_bytes(digest, p, sizeof p);
    return status;
}

/* ---- All calls ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    call_fn *call;
    size_t least; /* allocations */
    size_t step;  /* 1: each of them fails; of a long call every third or fifth */
} calls[] = {
    {"a table of numbers", read_plain_table, 10, 1},
    {"a table in another encoding", read_another_encoding, 10, 1},
    {"a table within a limit of memory", read_within_memory, 10, 1},
    {"labels in a file beside", read_labels_beside, 10, 1},
    {"a training with folds", train_with_folds, 100, 1},
    {"a training from the dual problem", train_from_the_dual, 30, 1},
    {"a training of sparse rows", train_sparse, 50, 1},
    {"a search", tune_with_noise, 100, 3},
    {"an audit", audit_rows, 100, 5},
    {"probabilities of items", match_probabilities, 2, 1},
};

static void prepare(struct prepared *made)
{
    static uint32_t item[ITEMS], annotator[ITEMS], given[ITEMS];
    static double numbers[40], labels[20];
    temper_data *features = NULL, *classes = NULL;
    *made = (struct prepared){.dense = made_data(MATRIX_F64, 60, 3, 3),
                              .sparse = made_data(MATRIX_CSR, 60, 3, 3),
                              .wide = made_data(MATRIX_CSR, 60, 520, 2)};
    FILE *table = fopen("plain.csv", "w"), *probabilities = fopen("p.csv", "w");
    for (size_t i = 0; table && i < 30; i++)
        fprintf(table, "%zu.5,%zu,%s\n", i % 7, i % 5, i % 3 ? "a" : "b");
    if (probabilities)
        fprintf(probabilities, "0,1\n");
    for (uint32_t i = 0; probabilities && i < ITEMS; i++) {
        item[i] = i;
        annotator[i] = i % 2;
        given[i] = i % 3 == 0;
        fprintf(probabilities, "0.%u,0.%u\n", 1 + i % 4, 9 - i % 4);
    }
    static const char latin[] = "1,caf\xe9\n2,b\n3,b\n4,caf\xe9\n";
    scratch_write("latin.csv", latin, sizeof latin - 1);
    CHECK(table && fclose(table) == 0 && probabilities && fclose(probabilities) == 0);
    for (size_t i = 0; i < 40; i++)
        numbers[i] = (double)(i % 9) / 2;
    for (size_t i = 0; i < 20; i++)
        labels[i] = (double)(i % 3);
    CHECK(temper_data_borrow_f64(numbers, 20, 2, NULL, &features, NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f64(labels, 20, 1, NULL, &classes, NULL) == TEMPER_OK);
    CHECK(temper_data_write(features, "numbers.npy", NULL, NULL) == TEMPER_OK);
    CHECK(temper_data_write(classes, "labels.npy", NULL, NULL) == TEMPER_OK);
    temper_data_free(features);
    temper_data_free(classes);
    temper_vote_arrays arrays = {ITEMS, item, annotator, given, ITEMS, 2, 2};
    temper_read_options options = temper_read_defaults();
    options.label = "none";
    options.header = "yes";
    CHECK(temper_votes_from_arrays(&arrays, &made->votes, NULL) == TEMPER_OK);
    CHECK(temper_data_read("p.csv", &options, &made->table, NULL) == TEMPER_OK);
}

/* About how many allocations a call has; they fail, one in each run. */
static size_t fail_each(const struct prepared *made, const char *name, call_fn *call, size_t step)
{
    uint64_t whole = 0;
    temper_error error = {0};
    if (!CHECKF(call(made, &whole, &error) == TEMPER_OK, "%s: %s", name, error.message))
        return 0;
    for (size_t n = 1;; n += step * test_step(5)) {
        uint64_t digest = 0;
        error = (temper_error){0};
        fault_arm(n);
        temper_status status = call(made, &digest, &error);
        fault_disarm();
        if (status == TEMPER_OK)
            CHECKF(digest == whole, "%s: another result after allocation %zu has failed", name, n);
        else
            CHECKF(status == TEMPER_NO_MEMORY && error.status == status, "%s: allocation %zu: %s", name, n,
                   error.message);
        if (!fault_fired())
            return n - 1;
    }
}

SCRATCH_TEST(a_failure_is_reported_or_of_no_consequence)
{
    struct prepared made;
    prepare(&made);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t allocations = fail_each(&made, calls[i].name, calls[i].call, calls[i].step);
        CHECKF(allocations >= calls[i].least, "%s: %zu", calls[i].name, allocations);
    }
    dataset_free(made.dense);
    dataset_free(made.sparse);
    dataset_free(made.wide);
    temper_votes_free(made.votes);
    temper_data_free(made.table);
}

TEST_LIST(LISTED(a_failure_is_reported_or_of_no_consequence))
