/* cmd_predict: temper predict. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "json.h"
#include "message.h"
#include "options/data_options.h"
#include "output_paths.h"
#include "process_group.h"

struct prediction {
    struct application application;
    const char *to;
    temper_prediction output;
    size_t width;      /* numbers a row */
    temper_file *file; /* NULL: the standard output */
    double *numbers;   /* of a batch */
    size_t room;
};

/* ---- The command line ------------------------------------------------------------------------ */

static const struct {
    enum option_id option;
    temper_prediction output;
} outputs[] = {{OPT_PROBA, TEMPER_PREDICT_PROBABILITIES},
               {OPT_RAW_PROBA, TEMPER_PREDICT_RAW_PROBABILITIES},
               {OPT_DECISION, TEMPER_PREDICT_DECISIONS}};

static temper_status choose_output(const struct arguments *arguments, temper_prediction *output)
{
    const char *first = NULL;
    *output = TEMPER_PREDICT_LABELS;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *name = option_table[outputs[i].option].name;
        if (!was_given(arguments, outputs[i].option))
            continue;
        if (first)
            return complain(TEMPER_USAGE, "predict: --%s and --%s both say what to print; drop one", first, name);
        first = name;
        *output = outputs[i].output;
    }
    return TEMPER_OK;
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static temper_status check_options(struct prediction *prediction, const struct arguments *arguments)
{
    prediction->to = text_of(arguments, OPT_PREDICT_OUTPUT);
    if (was_given(arguments, OPT_JSON) && is_stdout(prediction->to))
        return complain(TEMPER_USAGE, "predict: --json tells what was done, and the predictions are "
                                      "on the standard output; give them a file by -o");
    return choose_output(arguments, &prediction->output);
}

/* Not every model has every kind of number. */
static temper_status check_width(struct prediction *prediction)
{
    const temper_model *model = prediction->application.model;
    prediction->width = temper_prediction_width(model, prediction->output);
    if (prediction->width > 0)
        return TEMPER_OK;
    if (temper_model_loss(model).method == TEMPER_HINGE)
        return complain(TEMPER_USAGE, "predict: a model of loss hinge has no probabilities; pass "
                                      "--decision for its activations");
    return complain(TEMPER_USAGE, "predict: a model of t1 = 0 has no calibrated probabilities; pass "
                                  "--raw-proba for those that it has, or train with a larger --t1");
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* A name must not begin another line or column. */
static void print_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == '\n' || *name == '\t' || *name == '\r')
            fprintf(out, "\\%c", *name == '\n' ? 'n' : *name == '\t' ? 't' : 'r');
        else
            fputc(*name, out);
}

/* The names of the classes, above their probabilities. */
static void print_header(FILE *out, const struct prediction *prediction)
{
    const temper_model *model = prediction->application.model;
    if (prediction->output != TEMPER_PREDICT_PROBABILITIES && prediction->output != TEMPER_PREDICT_RAW_PROBABILITIES)
        return;
    for (size_t c = 0; c < temper_model_classes(model); c++) {
        fputs(c ? "\t" : "", out);
        print_name(out, temper_model_class_name(model, c));
    }
    fputc('\n', out);
}

static void print_row(FILE *out, const struct prediction *prediction, const double *numbers)
{
    char text[TEMPER_NUMBER_LENGTH];
    if (prediction->output == TEMPER_PREDICT_LABELS) {
        print_name(out, temper_model_class_name(prediction->application.model, (size_t)*numbers));
    } else {
        for (size_t i = 0; i < prediction->width; i++) {
            size_t length = temper_format_number(numbers[i], text);
            fputs(i ? "\t" : "", out);
            fwrite(text, 1, length, out);
        }
    }
    fputc('\n', out);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* By the first process; all end if it fails. */
static temper_status write_bytes(struct prediction *prediction, struct page *page)
{
    temper_error error;
    temper_status status = TEMPER_OK;
    if (is_stdout(prediction->to))
        status = output_write("-", page->bytes, page->length);
    else if (prediction->file && temper_file_write(prediction->file, page->bytes, page->length, &error) != TEMPER_OK)
        status = complain_error(&error);
    free(page->bytes);
    return process_group_agree(status);
}

static temper_status make_room(struct prediction *prediction, size_t rows)
{
    if (rows > SIZE_MAX / sizeof(double) / prediction->width)
        return complain_no_memory();
    if (rows * prediction->width <= prediction->room)
        return TEMPER_OK;
    free(prediction->numbers);
    prediction->room = rows * prediction->width;
    prediction->numbers = malloc(prediction->room * sizeof(double));
    if (prediction->numbers)
        return TEMPER_OK;
    prediction->room = 0;
    return complain_no_memory();
}

static temper_status predict_batch(struct prediction *prediction, const temper_data *batch)
{
    struct page page;
    temper_error error;
    const struct application *application = &prediction->application;
    size_t rows = (size_t)temper_data_rows(batch);
    temper_status status = make_room(prediction, rows);
    if (status != TEMPER_OK)
        return status;
    if (temper_predict(application->model, batch, prediction->output, threads_of(application->arguments),
                       prediction->numbers, &error) != TEMPER_OK)
        return complain_error(&error);
    status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < rows; i++)
        print_row(page.stream, prediction, prediction->numbers + i * prediction->width);
    status = page_close(&page);
    if (status == TEMPER_OK)
        status = process_group_collect(&page.bytes, &page.length);
    return status == TEMPER_OK ? write_bytes(prediction, &page) : status;
}

static temper_status write_header(struct prediction *prediction)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    print_header(page.stream, prediction);
    status = page_close(&page);
    return status == TEMPER_OK ? write_bytes(prediction, &page) : status;
}

static temper_status predict_all(struct prediction *prediction)
{
    temper_data *batch;
    temper_status status = write_header(prediction);
    while (status == TEMPER_OK) {
        status = application_next(&prediction->application, &batch);
        if (status != TEMPER_OK || !batch)
            break;
        status = predict_batch(prediction, batch);
        temper_data_free(batch);
    }
    return status;
}

/* ---- The steps ------------------------------------------------------------------------------- */

static temper_status report(const struct prediction *prediction)
{
    struct page page;
    const struct application *application = &prediction->application;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fprintf(page.stream, "{\n  \"rows\": %llu,\n  \"dropped_rows\": %llu,\n  \"classes\": %zu", application->rows,
            temper_batch_reader_dropped_rows(application->stream), temper_model_classes(application->model));
    json_text_field(page.stream, "file", prediction->to);
    json_number_field(page.stream, "seconds", seconds_now() - application->start);
    fputs("\n}\n", page.stream);
    return page_print(&page);
}

/* The file is opened last: what is refused before leaves none. */
static temper_status run(struct prediction *prediction, const struct arguments *arguments)
{
    temper_error error;
    temper_status status = application_begin(&prediction->application, arguments);
    if (status == TEMPER_OK)
        status = check_width(prediction);
    if (status == TEMPER_OK && !is_stdout(prediction->to) && process_group_is_first() &&
        temper_file_open(prediction->to, &prediction->file, &error) != TEMPER_OK)
        status = complain_error(&error);
    status = process_group_agree(status);
    if (status == TEMPER_OK)
        status = predict_all(prediction);
    if (status == TEMPER_OK && prediction->file) {
        temper_file *file = prediction->file;
        prediction->file = NULL;
        if (temper_file_commit(file, &error) != TEMPER_OK)
            status = complain_error(&error);
    }
    return status == TEMPER_OK && was_given(arguments, OPT_JSON) ? report(prediction) : status;
}

temper_status cmd_predict(const struct arguments *arguments)
{
    struct prediction prediction = {.file = NULL};
    temper_status status = check_options(&prediction, arguments);
    if (status != TEMPER_OK)
        return status;
    status = run(&prediction, arguments);
    application_end(&prediction.application);
    temper_file_discard(prediction.file);
    free(prediction.numbers);
    return status;
}
