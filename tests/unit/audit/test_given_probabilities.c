/* Audits by the probabilities of other models: what they find, how their files are read, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 1200, CLASSES = 4 };

/* Labels, some of them wrong, and the probabilities of a model that has learnt from such labels. */
struct model_output {
    double p[ROWS * CLASSES];
    int label[ROWS];
    bool wrong[ROWS];
    temper_data *data;
    temper_audit_report report;
};

/* A model that is right about most rows and unsure of some. A fifth of the labels becomes the next class: in pairs, or
 * any other one. */
static void make_output(struct model_output *m, size_t classes, bool in_pairs)
{
    const struct random source = {3, 8};
    for (size_t row = 0; row < ROWS; row++) {
        size_t true_class = row % classes;
        double sum = 0, *p = m->p + row * classes;
        for (size_t c = 0; c < classes; c++) {
            p[c] = exp((c == true_class ? 2.5 : 0) + random_normal(source, row * classes + c));
            sum += p[c];
        }
        for (size_t c = 0; c < classes; c++)
            p[c] /= sum;
        size_t step = in_pairs ? 1 : 1 + row / classes % (classes - 1);
        m->wrong[row] = random_uniform((struct random){7, 9}, row) < 0.2;
        m->label[row] = (int)((true_class + (m->wrong[row] ? step : 0)) % classes);
    }
}

static temper_audit_options options_of(const struct model_output *m)
{
    temper_audit_options options = temper_audit_defaults();
    options.train.threads = 1;
    options.probabilities = m->p;
    return options;
}

static void output_free(struct model_output *m)
{
    temper_audit_report_free(&m->report);
    temper_data_free(m->data);
    free(m);
}

/* The average precision of 1 - p(given), cleanlab's self-confidence, by an insertion into the order of the report. */
static double precision_of_confidence(const struct model_output *m, size_t classes)
{
    double found = 0, sum = 0, all = 0;
    for (size_t row = 0; row < ROWS; row++)
        all += m->wrong[row];
    /* The place of a row is the number of rows with a smaller probability; ties by row. */
    for (size_t row = 0; row < ROWS; row++) {
        double own = m->p[row * classes + (size_t)m->label[row]], before = 0, hits = 0;
        for (size_t other = 0; m->wrong[row] && other < ROWS; other++) {
            double theirs = m->p[other * classes + (size_t)m->label[other]];
            bool first = theirs < own || (theirs == own && other <= row);
            before += first;
            hits += first && m->wrong[other];
        }
        sum += m->wrong[row] ? hits / before : 0;
        found += m->wrong[row];
    }
    return found > 0 ? sum / all : 0;
}

static void check_found(size_t classes, bool in_pairs)
{
    struct model_output *m = calloc(1, sizeof *m);
    temper_error error = {0};
    if (!CHECK(m != NULL))
        return;
    make_output(m, classes, in_pairs);
    CHECK(temper_data_from_labels(m->label, ROWS, &m->data, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_data_features(m->data), 0);
    temper_audit_options options = options_of(m);
    if (CHECKF(temper_audit(m->data, &options, NULL, &m->report, &error) == TEMPER_OK, "%s", error.message)) {
        double precision = made_precision(&m->report, m->wrong, ROWS), peer = precision_of_confidence(m, classes);
        CHECKF(precision >= peer - 1e-9, "%g, and %g by self-confidence", precision, peer);
        CHECK_EQ_SIZE(m->report.folds, 0);
        CHECK(isnan(m->report.l2) && isnan(m->report.suspects[0].distance) && m->report.conflicts == 0);
        CHECK(classes == 2 || m->report.in_pairs == in_pairs);
        CHECK_EQ_SIZE(m->report.warnings.count, 0);
    }
    output_free(m);
}

TEST(labels_that_are_wrong_evenly)
{
    check_found(CLASSES, false);
}

TEST(labels_that_are_wrong_in_pairs)
{
    check_found(CLASSES, true);
}

TEST(labels_of_two_classes)
{
    check_found(2, false);
}

/* Features add neighbours, distances and conflicts; those of the options come before those of the data. */
TEST(features_of_the_rows)
{
    struct model_output *m = calloc(1, sizeof *m);
    double *x = malloc(ROWS * 2 * sizeof *x);
    temper_data *features = NULL;
    temper_error error = {0};
    if (!CHECK(m && x))
        return;
    for (size_t classes = 2; classes <= CLASSES; classes += 2) {
        make_output(m, classes, false);
        for (size_t i = 0; i < ROWS * 2; i++)
            x[i] = (double)(i / 2 % classes) * (i % 2 ? 1 : -1) + 0.3 * random_normal((struct random){1, 1}, i);
        CHECK(temper_data_borrow_f64(x, ROWS, 2, NULL, &features, &error) == TEMPER_OK);
        CHECK(temper_data_from_labels(m->label, ROWS, &m->data, &error) == TEMPER_OK);
        temper_audit_options options = options_of(m);
        CHECK(temper_audit(m->data, &options, NULL, &m->report, &error) == TEMPER_OK);
        double without = made_precision(&m->report, m->wrong, ROWS);
        temper_audit_report_free(&m->report);
        options.features = features;
        CHECKF(temper_audit(m->data, &options, NULL, &m->report, &error) == TEMPER_OK, "%s", error.message);
        double with = made_precision(&m->report, m->wrong, ROWS);
        CHECKF(with > without, "%g, and %g without features", with, without);
        CHECK(m->report.suspects[0].distance > 0);
        temper_audit_report_free(&m->report);
        temper_data_free(m->data);
        temper_data_free(features);
        m->data = NULL;
    }
    free(x);
    output_free(m);
}

/* Models that have seen the rows agree with their labels. */
TEST(probabilities_of_models_that_have_seen_the_rows)
{
    struct model_output *m = calloc(1, sizeof *m);
    if (!CHECK(m != NULL))
        return;
    make_output(m, CLASSES, false);
    for (size_t i = 0; i < ROWS * CLASSES; i++)
        m->p[i] = (size_t)m->label[i / CLASSES] == i % CLASSES ? 0.97 : 0.01;
    CHECK(temper_data_from_labels(m->label, ROWS, &m->data, NULL) == TEMPER_OK);
    temper_audit_options options = options_of(m);
    CHECK(temper_audit(m->data, &options, NULL, &m->report, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(m->report.warnings.count, 1);
    CHECK(m->report.warnings.list[0].code == TEMPER_WARNING_IN_SAMPLE);
    CHECK(strstr(m->report.warnings.list[0].text, "cross_val_predict"));
    output_free(m);
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

static void check_refused(struct model_output *m, temper_audit_options options, temper_status wanted, const char *words)
{
    temper_error error = {0};
    temper_audit_report report = {.rows = 99};
    temper_status status = temper_audit(m->data, &options, NULL, &report, &error);
    CHECKF(status == wanted && strstr(error.message, words), "%d: %s", (int)status, error.message);
    CHECK_EQ_SIZE(report.rows, 99);
}

TEST(refusals)
{
    struct model_output *m = calloc(1, sizeof *m);
    double x[4] = {1, 2, 3, 4};
    temper_data *features = NULL;
    if (!CHECK(m != NULL))
        return;
    make_output(m, CLASSES, false);
    CHECK(temper_data_from_labels(m->label, ROWS, &m->data, NULL) == TEMPER_OK);
    temper_audit_options options = options_of(m);
    options.probabilities = NULL;
    check_refused(m, options, TEMPER_BAD_DATA, "no features");
    options = options_of(m);
    options.kind = "row";
    check_refused(m, options, TEMPER_USAGE, "outliers");
    m->p[4] += 0.5;
    check_refused(m, options_of(m), TEMPER_BAD_DATA, "row 1, counted from 0, sum to 1.5");
    m->p[4] -= 0.5;
    m->p[9] = -0.25;
    check_refused(m, options_of(m), TEMPER_BAD_DATA, "row 2, counted from 0, include -0.25");
    m->p[9] = (double)NAN;
    check_refused(m, options_of(m), TEMPER_BAD_DATA, "row 2");
    make_output(m, CLASSES, false);
    CHECK(temper_data_from_f64(x, 2, 2, NULL, &features, NULL) == TEMPER_OK);
    options = options_of(m);
    options.features = features;
    check_refused(m, options, TEMPER_BAD_DATA, "2 rows for 1,200 labels");
    temper_data_free(features);
    temper_data_free(m->data);
    memset(m->label, 0, sizeof m->label);
    CHECK(temper_data_from_labels(m->label, ROWS, &m->data, NULL) == TEMPER_OK);
    check_refused(m, options_of(m), TEMPER_BAD_DATA, "one class");
    output_free(m);
    temper_error error;
    CHECK(temper_data_from_labels(NULL, 3, &features, &error) == TEMPER_USAGE);
    CHECK(temper_data_from_labels((const int[]){1}, 0, &features, &error) == TEMPER_BAD_DATA);
}

/* ---- Files ------------------------------------------------------------------------------------- */

/* Three rows of the classes b, a and 10, which are in this order. */
static temper_data *three_rows(void)
{
    static const char text[] = "y\nb\na\n10\n";
    temper_read_options options = temper_read_defaults();
    temper_data *data = NULL;
    temper_error error = {0};
    scratch_write("labels.csv", text, strlen(text));
    options.labels_alone = 1;
    options.header = "yes";
    options.format = "csv";
    CHECKF(temper_data_read("labels.csv", &options, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

static void check_read(const temper_data *data, const char *path, const char *text, int named)
{
    static const double wanted[] = {0.5, 0.25, 0.25, 0, 1, 0, 0.125, 0.125, 0.75};
    double p[9] = {0};
    int found = -1;
    temper_error error = {0};
    scratch_write(path, text, strlen(text));
    CHECKF(temper_audit_read_probabilities(path, data, p, &found, &error) == TEMPER_OK, "%s", error.message);
    CHECK(found == named);
    for (size_t i = 0; i < 9; i++)
        CHECKF(p[i] == wanted[i], "%zu: %g", i, p[i]);
}

TEST(columns_by_their_names)
{
    scratch_enter();
    temper_data *data = three_rows();
    check_read(data, "p.csv", "b,a,10\n.5,.25,.25\n0,1,0\n.125,.125,.75\n", 1);
    check_read(data, "p.tsv", "1e1\ta\tb\n.25\t.25\t.5\n0\t1\t0\n.75\t.125\t.125\n", 1);
    /* Without names: ascending, as scikit-learn has them. */
    check_read(data, "p.csv", ".25,.25,.5\n0,1,0\n.75,.125,.125\n", 0);
    temper_data_free(data);
    scratch_leave();
}

static void check_bad(const temper_data *data, const char *text, const char *words)
{
    double p[9];
    temper_error error = {0};
    scratch_write("p.csv", text, strlen(text));
    temper_status status = temper_audit_read_probabilities("p.csv", data, p, NULL, &error);
    CHECKF(status == TEMPER_BAD_DATA && strstr(error.message, words), "%d: %s", (int)status, error.message);
}

TEST(bad_files)
{
    scratch_enter();
    temper_data *data = three_rows();
    check_bad(data, "b,a,10\n.5,.25,.25\n0,1,0\n", "2 rows of probabilities for 3 rows");
    check_bad(data, "b,a,10\n.5,.25,.25\n0,1,0\n0,1,0\n0,1,0\n", "4 rows of probabilities for 3 rows");
    check_bad(data, "b,a,c\n.5,.25,.25\n0,1,0\n0,1,0\n", "the column 'c' is no class of the data (b, a, 10)");
    check_bad(data, "b,a,b\n.5,.25,.25\n0,1,0\n0,1,0\n", "two columns are named 'b'");
    check_bad(data, "b,a\n.5,.5\n0,1\n0,1\n", "there is no column for the class '10'");
    check_bad(data, "b,a,10\n.5,.25,.25\n0,1,1\n0,1,0\n", "p.csv:3: these probabilities sum to 2");
    check_bad(data, "b,a,10\n.5,.25,.25\n0,1.5,-.5\n0,1,0\n", "p.csv:3: these probabilities include -0.5");
    check_bad(data, "b,a,10\n.5,.25,.25\n0,nan,0\n0,1,0\n", "p.csv:3");
    check_bad(data, ".5,.5\n0,1\n0,1\n", "2 columns for 3 classes");
    temper_error error;
    double p[9];
    CHECK(temper_audit_read_probabilities("absent.csv", data, p, NULL, &error) == TEMPER_NO_INPUT);
    temper_data_free(data);
    scratch_leave();
}

TEST(memory_ends)
{
    struct model_output *m = calloc(1, sizeof *m);
    struct dataset *features = made_data(MATRIX_F64, 60, 3, 2);
    double p[9];
    if (!CHECK(m != NULL))
        return;
    make_output(m, 2, false);
    CHECK(temper_data_from_labels(m->label, 60, &m->data, NULL) == TEMPER_OK);
    temper_audit_options options = options_of(m);
    options.features = made_public(features);
    options.health = 1;
    for (size_t n = 1;; n += test_step(29)) {
        temper_audit_report report;
        temper_text json = {0};
        fault_arm(n);
        temper_status status = temper_audit(m->data, &options, NULL, &report, NULL);
        bool audited = status == TEMPER_OK;
        if (audited)
            status = temper_audit_health_to_json(m->data, &report, &json, NULL);
        fault_disarm();
        bool fired = fault_fired();
        if (audited)
            temper_audit_report_free(&report);
        temper_text_free(&json);
        if (!fired)
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
    scratch_enter();
    temper_data *data = three_rows();
    static const char text[] = ".25,.25,.5\n0,1,0\n.75,.125,.125\n";
    scratch_write("p.csv", text, strlen(text));
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = temper_audit_read_probabilities("p.csv", data, p, NULL, NULL);
        fault_disarm();
        if (!fault_fired())
            break;
        /* The reader can do without some of its buffers. */
        CHECKF(status == TEMPER_NO_MEMORY || (status == TEMPER_OK && p[8] == 0.75), "allocation %zu", n);
    }
    temper_data_free(data);
    scratch_leave();
    dataset_free(features);
    output_free(m);
}

TEST_LIST(LISTED(labels_that_are_wrong_evenly), LISTED(labels_that_are_wrong_in_pairs), LISTED(labels_of_two_classes),
          LISTED(features_of_the_rows), LISTED(probabilities_of_models_that_have_seen_the_rows), LISTED(refusals),
          LISTED(columns_by_their_names), LISTED(bad_files), LISTED(memory_ends))
