/* cmd_predict: temper predict. Applies a model to rows batch by batch, so that memory does not depend on the size of
 * the file, and prints one line for each row. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "base/atomic_file.h"
#include "base/number.h"
#include "json_csv.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* State of one call. All predictions reach the output through one stream or one atomic file, in the order of rows. */
struct predict_session {
    struct model_application application;
    const char *to; /* output file; "-" for the standard output */
    temper_prediction kind;
    size_t width;             /* numbers of a row: 1 for labels, classes or 1 for the others */
    struct atomic_file *file; /* NULL: the standard output, or not the first process */
    double *numbers;          /* predictions of a batch [rows][width], reused by the next batch */
    size_t capacity;          /* allocated length of numbers, in doubles */
};

/* ---- Options --------------------------------------------------------------------------------- */

/* Whether an option and --proba-of given mean the same, so that both may be there. */
static bool is_refined(const struct arguments *arguments, enum option_id option)
{
    return option == OPT_PROBA && was_given(arguments, OPT_PROBA_OF);
}

/* Determines what is printed. At most one of the four options may be given, but --proba-of may refine --proba; without
 * any it is the label. */
static temper_status choose_kind(const struct arguments *arguments, temper_prediction *kind)
{
    static const struct {
        enum option_id option;
        temper_prediction kind;
    } kinds[] = {{OPT_PROBA, TEMPER_PREDICT_PROBABILITIES},
                 {OPT_PROBA_OF, TEMPER_PREDICT_PROBABILITIES},
                 {OPT_RAW_PROBA, TEMPER_PREDICT_RAW_PROBABILITIES},
                 {OPT_DECISION, TEMPER_PREDICT_DECISIONS}};
    const char *first = NULL;
    *kind = TEMPER_PREDICT_LABELS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *name = option_table[kinds[i].option].name;
        if (!was_given(arguments, kinds[i].option) || is_refined(arguments, kinds[i].option))
            continue;
        if (first)
            return fail(TEMPER_USAGE, "predict: --%s and --%s both set what to print; drop one", first, name);
        first = name;
        *kind = kinds[i].kind;
    }
    if (was_given(arguments, OPT_PROBA_OF) && strcmp(text_of(arguments, OPT_PROBA_OF), "true") == 0)
        *kind = TEMPER_PREDICT_TRUE_PROBABILITIES;
    return TEMPER_OK;
}

/* Checks what can be checked before the model is loaded. */
static temper_status check_options(struct predict_session *session, const struct arguments *arguments)
{
    session->to = text_of(arguments, OPT_PREDICT_OUTPUT);
    /* A program that parses the report could not separate it from the predictions. */
    if (was_given(arguments, OPT_JSON) && is_stdout(session->to))
        return fail(TEMPER_USAGE, "predict: the report of --json and the predictions cannot both go to the standard "
                                  "output; give a file by -o");
    return choose_kind(arguments, &session->kind);
}

/* Refuses predictions that the model does not have. The library reports them by a width of 0; the message depends on
 * the reason and names the option that works instead. */
static temper_status check_width(struct predict_session *session)
{
    const temper_model *model = session->application.model;
    session->width = temper_prediction_width(model, session->kind);
    if (session->width > 0)
        return TEMPER_OK;
    if (session->kind == TEMPER_PREDICT_TRUE_PROBABILITIES &&
        temper_prediction_width(model, TEMPER_PREDICT_PROBABILITIES) > 0)
        return fail(TEMPER_USAGE, "predict: the model has no estimate of the label noise, which --proba-of true needs; "
                                  "train it with --estimate-noise");
    if (session->kind == TEMPER_PREDICT_RAW_PROBABILITIES)
        return fail(TEMPER_USAGE, "predict: loss hinge has no probabilities of its own; pass --proba for calibrated "
                                  "ones, or --decision for its decision values");
    if (temper_model_loss(model).method == TEMPER_HINGE)
        return fail(TEMPER_USAGE, "predict: a model of loss hinge that was not calibrated has no probabilities; train "
                                  "it without --calibrate none, on 20 rows or more, to its end, or pass --decision "
                                  "for its decision values");
    return fail(TEMPER_USAGE, "predict: a model of t1 = 0 that was not calibrated has no calibrated probabilities; "
                              "train it without --calibrate none, on 20 rows or more, to its end, or pass "
                              "--raw-proba for uncalibrated ones");
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Prints a class name with tabs and line breaks escaped: the output is one line for each row, in columns separated by
 * tabs. */
static void print_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == '\n' || *name == '\t' || *name == '\r')
            fprintf(out, "\\%c", *name == '\n' ? 'n' : *name == '\t' ? 't' : 'r');
        else
            fputc(*name, out);
}

/* Prints the names of the classes above their probabilities. Labels and decision values have no header, so that the
 * lines of the output correspond to rows. */
static void print_header(FILE *out, const struct predict_session *session)
{
    const temper_model *model = session->application.model;
    if (session->kind == TEMPER_PREDICT_LABELS || session->kind == TEMPER_PREDICT_DECISIONS)
        return;
    for (size_t c = 0; c < temper_model_classes(model); c++) {
        fputs(c ? "\t" : "", out);
        print_name(out, temper_model_class_name(model, c));
    }
    fputc('\n', out);
}

/* Prints one row: its label, or its numbers with the shortest digits that read back as the same doubles. */
static void print_row(FILE *out, const struct predict_session *session, const double *numbers)
{
    char text[NUMBER_LENGTH];
    if (session->kind == TEMPER_PREDICT_LABELS) {
        /* A label is the number of the class, as a double like the other predictions. */
        print_name(out, temper_model_class_name(session->application.model, (size_t)*numbers));
    } else {
        for (size_t i = 0; i < session->width; i++) {
            size_t length = number_write_f64(numbers[i], text);
            fputs(i ? "\t" : "", out);
            fwrite(text, 1, length, out);
        }
    }
    fputc('\n', out);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Closes the buffer and writes its text. Under MPI the texts of all processes are first concatenated in the first one,
 * in the order of ranks, which is the order of rows. All processes call this for every batch, and a failure to write
 * ends all of them. */
static temper_status write_text(struct predict_session *session, struct output_buffer *buffer)
{
    temper_error error;
    TRY(output_close(buffer));
    /* Must be called in all processes, also in those without rows in this batch. */
    TRY(process_group_collect(&buffer->bytes, &buffer->length));
    temper_status status = TEMPER_OK;
    if (is_stdout(session->to))
        status = output_write("-", buffer->bytes, buffer->length);
    else if (session->file)
        status = checked(atomic_file_write(session->file, buffer->bytes, buffer->length, &error), &error);
    free(buffer->bytes);
    return process_group_agree(status);
}

/* Makes `numbers` large enough for a batch of `rows` rows. The old predictions are not needed, hence free and malloc
 * instead of realloc, which would copy them. */
static temper_status reserve(struct predict_session *session, size_t rows)
{
    /* rows * width * sizeof(double) must not overflow. */
    if (rows > SIZE_MAX / sizeof(double) / session->width)
        return fail_no_memory();
    if (rows * session->width <= session->capacity)
        return TEMPER_OK;
    free(session->numbers);
    session->capacity = rows * session->width;
    session->numbers = malloc(session->capacity * sizeof(double));
    if (session->numbers)
        return TEMPER_OK;
    /* The next call must not believe in the old capacity. */
    session->capacity = 0;
    return fail_no_memory();
}

/* Predicts one batch and writes its lines at once, so that a reader of a pipe gets them early. */
static temper_status predict_batch(struct predict_session *session, const temper_data *batch)
{
    struct output_buffer buffer;
    temper_error error;
    size_t rows = (size_t)temper_data_rows(batch);
    TRY(reserve(session, rows));
    TRY(checked(temper_predict(session->application.model, batch, session->kind,
                               threads_of(session->application.arguments), session->numbers, &error),
                &error));
    TRY(output_open(&buffer));
    /* Composed in memory and written at once, which is faster than a system call for each row. */
    for (size_t i = 0; i < rows; i++)
        print_row(buffer.stream, session, session->numbers + i * session->width);
    return write_text(session, &buffer);
}

/* Writes the header and all batches. Only the first process has a header; the others join the collective call with an
 * empty text. */
static temper_status predict_all(struct predict_session *session)
{
    struct output_buffer buffer;
    temper_data *batch;
    TRY(output_open(&buffer));
    if (process_group_is_first())
        print_header(buffer.stream, session);
    TRY(write_text(session, &buffer));
    for (;;) {
        TRY(application_next(&session->application, &batch));
        if (!batch)
            return TEMPER_OK;
        temper_status status = predict_batch(session, batch);
        temper_data_free(batch);
        TRY(status);
    }
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* The report of --json. It is printed after the file is complete. */
static temper_status print_report(const struct predict_session *session)
{
    struct output_buffer buffer;
    const struct model_application *application = &session->application;
    TRY(output_open(&buffer));
    fprintf(buffer.stream, "{\n  \"rows\": %zu", application->rows);
    json_count_field(buffer.stream, "dropped_rows", temper_batch_reader_dropped_rows(application->reader));
    json_count_field(buffer.stream, "classes", temper_model_classes(application->model));
    json_text_field(buffer.stream, "file", session->to);
    json_number_field(buffer.stream, "seconds", seconds_now() - application->start);
    fputs("\n}\n", buffer.stream);
    return output_print(&buffer);
}

/* Loads the model and opens data and output. The output is opened last, so that earlier errors create no file. */
static temper_status open_all(struct predict_session *session, const struct arguments *arguments)
{
    temper_error error;
    TRY(application_begin(&session->application, arguments, false));
    TRY(check_width(session));
    if (is_stdout(session->to) || !process_group_is_first())
        return TEMPER_OK;
    return checked(atomic_file_open(session->to, &session->file, &error), &error);
}

/* Opens, predicts, and lets the file appear under its name only when all rows are in it. */
static temper_status run_steps(struct predict_session *session, const struct arguments *arguments)
{
    temper_error error;
    /* A process that could not open the data must not leave the others waiting in the first batch. */
    TRY(process_group_agree(open_all(session, arguments)));
    TRY(predict_all(session));
    if (session->file) {
        struct atomic_file *file = session->file;
        /* atomic_file_commit frees the file even if it fails; the cleanup in cmd_predict must not drop it again. */
        session->file = NULL;
        TRY(checked(atomic_file_commit(file, &error), &error));
    }
    return was_given(arguments, OPT_JSON) ? print_report(session) : TEMPER_OK;
}

/* Dropping an uncommitted file removes the temporary one and leaves an earlier file of that name as it was. */
temper_status cmd_predict(const struct arguments *arguments)
{
    struct predict_session session = {.file = NULL};
    TRY(check_options(&session, arguments));
    temper_status status = run_steps(&session, arguments);
    application_end(&session.application);
    if (session.file)
        atomic_file_drop(session.file);
    free(session.numbers);
    return status;
}
