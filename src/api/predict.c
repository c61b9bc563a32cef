/* api: predictions and evaluations. */
#include "predict/predict.h"
#include "base/memory.h"
#include "base/thread.h"
#include "predict/evaluate.h"
#include "temper.h"

static size_t threads_or_all(size_t threads)
{
    return threads ? threads : thread_count_default();
}

size_t temper_prediction_width(const temper_model *model, temper_prediction output)
{
    return output_width((const struct model *)model, output);
}

temper_status temper_predict(const temper_model *model, const temper_data *data, temper_prediction output,
                             size_t threads, double *out, temper_error *error)
{
    return predict((const struct model *)model, &((const struct dataset *)data)->x, output, threads_or_all(threads),
                   out, error);
}

temper_status temper_predict_importance(const temper_model *model, const temper_data *data, size_t threads, double *out,
                                        temper_error *error)
{
    return importances((const struct model *)model, (const struct dataset *)data, threads_or_all(threads), out, error);
}

temper_status temper_evaluator_new(const temper_model *model, temper_evaluator **evaluator, temper_error *error)
{
    struct evaluator *made;
    temper_status status = evaluator_new((const struct model *)model, &made, error);
    if (status == TEMPER_OK)
        *evaluator = (temper_evaluator *)made;
    return status;
}

temper_status temper_evaluator_add(temper_evaluator *evaluator, const temper_data *data, size_t threads,
                                   temper_error *error)
{
    return evaluator_add((struct evaluator *)evaluator, (const struct dataset *)data, threads_or_all(threads), error);
}

temper_status temper_evaluator_finish(temper_evaluator *evaluator, temper_evaluation *evaluation, temper_error *error)
{
    return evaluator_end((struct evaluator *)evaluator, evaluation, error);
}

void temper_evaluation_free(temper_evaluation *evaluation)
{
    mem_free(evaluation->confusion);
    evaluation->confusion = NULL;
}
