/* accuracy: how often a model is right. */
#include "accuracy.h"

#include "message.h"

temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy)
{
    temper_evaluator *evaluator;
    temper_evaluation evaluation;
    temper_error error;
    if (temper_evaluator_new(model, &evaluator, &error) != TEMPER_OK)
        return complain_error(&error);
    if (temper_evaluator_add(evaluator, test, threads, &error) != TEMPER_OK) {
        temper_evaluator_end(evaluator, NULL, NULL);
        return complain_error(&error);
    }
    if (temper_evaluator_end(evaluator, &evaluation, &error) != TEMPER_OK)
        return complain_error(&error);
    *accuracy = evaluation.accuracy;
    temper_evaluation_free(&evaluation);
    return TEMPER_OK;
}
