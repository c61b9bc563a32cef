/* Reads a CSV file, trains, predicts the class of each row, evaluates and saves the model.
 *
 *     gcc train.c $(pkg-config --cflags --libs temper) -o train_model && ./train_model crowd.csv crowd.temper
 */
#include <stdio.h>
#include <stdlib.h>

#include "temper.h"

static int fail(const temper_error *error)
{
    fprintf(stderr, "%s\n", error->message); /* the file, line and column, the cause and a remedy */
    return temper_status_exit_code(error->status);
}

/* Predicts all rows and prints the first few, with the given class beside the predicted one. */
static int predict(const temper_model *model, const temper_data *data, temper_error *error)
{
    enum { SHOWN = 3 };
    size_t rows = temper_data_rows(data);
    double *predicted = malloc(rows * temper_prediction_width(model, TEMPER_PREDICT_LABELS) * sizeof *predicted);
    if (!predicted)
        return EXIT_FAILURE;
    temper_status status = temper_predict(model, data, TEMPER_PREDICT_LABELS, 0, predicted, error);
    for (size_t i = 0; status == TEMPER_OK && i < rows && i < SHOWN; i++)
        printf("row %zu: given %s, predicted %s\n", i + 1, temper_data_class_name(data, temper_data_labels(data)[i]),
               temper_model_class_name(model, (size_t)predicted[i]));
    free(predicted);
    return status == TEMPER_OK ? EXIT_SUCCESS : fail(error);
}

int main(int argc, char **argv)
{
    temper_error error;
    temper_data *data = NULL;
    temper_model *model = NULL;
    temper_train_report report;
    if (argc != 3) {
        fprintf(stderr, "usage: train DATA MODEL\n");
        return 2;
    }
    if (temper_data_read(argv[1], NULL, &data, &error) != TEMPER_OK)
        return fail(&error);
    temper_train_options options = temper_train_defaults();
    options.loss.t1 = 0.5; /* the loss of a row is at most 1 / (1 - t1): a wrong label has a bounded influence */
    if (temper_train(data, &options, &model, &report, &error) != TEMPER_OK) {
        temper_data_free(data);
        return fail(&error);
    }
    printf("%zu rows, %s after %zu iterations, accuracy %.3f\n", temper_data_rows(data), temper_stop_name(report.stop),
           report.iterations, report.accuracy);
    int exit_code = predict(model, data, &error);
    if (exit_code == EXIT_SUCCESS && temper_model_save(model, argv[2], &error) != TEMPER_OK)
        exit_code = fail(&error);
    temper_model_free(model);
    temper_data_free(data);
    return exit_code;
}
