/* Options carry their size: a struct of an earlier version is completed with defaults, one without a size or of a later
 * version is refused. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fixtures/test.h"
#include "temper_extra.h"

static temper_data *small_data(void)
{
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int labels[] = {0, 0, 1, 0, 1, 0, 1, 1};
    temper_data *data = NULL;
    CHECK(temper_data_from_f64(x, 8, 1, labels, &data, NULL) == TEMPER_OK);
    return data;
}

/* `options` ends before max_iterations, whose value is then not looked at. */
TEST(an_earlier_smaller_struct_gets_defaults)
{
    temper_train_options options = temper_train_defaults();
    temper_train_report cut, whole;
    temper_model *model = NULL;
    temper_data *data = small_data();
    CHECK(temper_train(data, NULL, &model, &whole, NULL) == TEMPER_OK);
    temper_model_free(model);
    options.struct_size = offsetof(temper_train_options, max_iterations);
    options.max_iterations = 1;
    options.l2 = whole.l2;
    CHECK(temper_train(data, &options, &model, &cut, NULL) == TEMPER_OK);
    temper_model_free(model);
    CHECK(cut.objective == whole.objective && cut.iterations == whole.iterations);
    temper_data_free(data);
}

/* Tune options of an earlier version whose train options were 16 bytes shorter: what follows them is found. */
TEST(an_earlier_struct_inside_another)
{
    enum { SHORTER = 2 * sizeof(void *) };
    temper_tune_options options = temper_tune_defaults(), earlier;
    const size_t head = offsetof(temper_tune_options, train), inner = sizeof options.train;
    temper_tune_report report;
    temper_data *data = small_data();
    options.struct_size -= SHORTER;
    options.train.struct_size -= SHORTER;
    options.grid = "t1=0.5 t2=1 l2=0.1 only";
    options.folds = 2;
    memcpy(&earlier, &options, head + inner - SHORTER);
    memcpy((char *)&earlier + head + inner - SHORTER, (const char *)&options + head + inner,
           sizeof options - head - inner);
    CHECK(temper_tune(data, &earlier, NULL, &report, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(report.folds, 2);
    CHECK_EQ_SIZE(report.count, 1);
    temper_tune_report_free(&report);
    temper_data_free(data);
}

TEST(no_size_and_later_versions_are_refused)
{
    temper_read_options read = {0};
    temper_split_options split = temper_split_defaults();
    temper_audit_options audit = temper_audit_defaults();
    temper_data *data = small_data(), *train = NULL, *test = NULL;
    temper_error error;
    CHECK(temper_data_read("file", &read, &train, &error) == TEMPER_USAGE && !train);
    CHECK(strstr(error.message, "begin with temper_read_defaults()") != NULL);
    split.struct_size = sizeof split + 8;
    CHECK(temper_data_split(data, &split, &train, &test, &error) == TEMPER_USAGE && !train && !test);
    CHECK(strstr(error.message, "link the version") != NULL);
    audit.train.struct_size = 0;
    CHECK(temper_audit(data, &audit, NULL, NULL, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "temper_train_options has struct_size 0") != NULL);
    audit = temper_audit_defaults();
    audit.struct_size = 3 * sizeof(size_t);
    CHECK(temper_audit(data, &audit, NULL, NULL, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "too small for its train options") != NULL);
    temper_data_free(data);
}

TEST_LIST(LISTED(an_earlier_smaller_struct_gets_defaults), LISTED(an_earlier_struct_inside_another),
          LISTED(no_size_and_later_versions_are_refused))
