/* The number of threads changes nothing but the time. */
#include <string.h>

#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

TEST(tuning_is_the_same_for_any_number_of_threads)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F32, 150, 4, classes);
        temper_tune_report one = {0};
        temper_model *first = NULL;
        for (size_t threads = 1; threads < 8; threads += 3) {
            temper_tune_options options = temper_tune_defaults();
            temper_tune_report report = {0};
            temper_model *model = NULL;
            temper_error error;
            options.grid = "t1=0.3 t2=1 l2=0.1x,1x";
            options.folds = 4;
            options.ask = 3;
            options.train.threads = threads;
            CHECK(temper_tune(made_public(data), &options, &model, &report, &error) == TEMPER_OK);
            if (threads == 1) {
                one = report;
                first = model;
                continue;
            }
            CHECK(report.best == one.best && made_same_bytes(model, first));
            CHECK(report.ask_count == one.ask_count);
            for (size_t i = 0; i < one.count; i++)
                CHECK(report.table[i].stage == one.table[i].stage &&
                      report.table[i].accuracy == one.table[i].accuracy &&
                      report.table[i].log_loss == one.table[i].log_loss &&
                      report.table[i].code_length == one.table[i].code_length);
            temper_model_free(model);
            temper_tune_report_free(&report);
        }
        temper_model_free(first);
        temper_tune_report_free(&one);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(tuning_is_the_same_for_any_number_of_threads))
