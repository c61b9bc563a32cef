/* cmd_predict: temper predict. Applies a model to rows batch by batch, so that memory does not depend on the size of
 * the file, and prints one line for each row (predict_lines.c). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "base/atomic_file.h"
#include "base/thread.h"
#include "json_csv.h"
#include "memory_stream.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "predict/predict_lines.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* State of one call. All predictions reach the output through one stream or one atomic file, in the order of rows. */
struct predict_session {
    struct model_application application;
    const char *to;             /* output file; "-" for the standard output */
    struct predict_lines lines; /* how rows are printed, and which numbers of them */
    struct atomic_file *file;   /* NULL: the standard output, or not the first process */
    double *numbers;            /* predictions of a batch [rows][width], reused by the next batch */
    double *labels;             /* the same of the predicted classes [rows] */
    size_t capacity;            /* rows that both have space for */
    struct thread_team team;    /* that composes the text */
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

/* The forms that --output names; any other value of it is a file. */
static const struct {
    const char *word;
    enum predict_form form;
} forms[] = {{"csv", PREDICT_CSV}, {"jsonl", PREDICT_JSONL}, {"labels", PREDICT_PLAIN}};

/* Determines the file and the form of the lines: -o FILE, and --output WORD or FILE. */
static temper_status choose_output(struct predict_session *session, const struct arguments *arguments)
{
    const char *output = text_of(arguments, OPT_PREDICT_OUTPUT), *file = text_of(arguments, OPT_PREDICT_FILE);
    size_t i = 0;
    session->lines.keep = text_of(arguments, OPT_KEEP);
    session->lines.form = session->lines.keep ? PREDICT_CSV : PREDICT_PLAIN;
    session->to = file ? file : "-";
    if (!output)
        return TEMPER_OK;
    while (i < sizeof forms / sizeof *forms && strcmp(forms[i].word, output) != 0)
        i++;
    if (i < sizeof forms / sizeof *forms) {
        session->lines.form = forms[i].form;
        if (forms[i].form == PREDICT_PLAIN && session->lines.keep)
            return fail(TEMPER_USAGE, "predict: --keep needs columns; pass --output csv or jsonl instead of labels");
        return TEMPER_OK;
    }
    if (file)
        return fail(TEMPER_USAGE,
                    "predict: -o %s and --output %s both name a file; drop one, or pass --output with "
                    "one of csv, jsonl and labels",
                    file, output);
    session->to = output;
    return TEMPER_OK;
}

/* Refuses labels alone together with an option for numbers. */
static temper_status check_labels_alone(const struct predict_session *session, const struct arguments *arguments)
{
    const char *output = text_of(arguments, OPT_PREDICT_OUTPUT);
    if (session->lines.kind == TEMPER_PREDICT_LABELS || !output || strcmp(output, "labels") != 0)
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "predict: --output labels prints no numbers, and another option asks for some; drop one");
}

/* Checks what can be checked before the model is loaded. */
static temper_status check_options(struct predict_session *session, const struct arguments *arguments)
{
    TRY(choose_output(session, arguments));
    /* A program that parses the report could not separate it from the predictions. */
    if (was_given(arguments, OPT_JSON) && is_stdout(session->to))
        return fail(TEMPER_USAGE, "predict: the report of --json and the predictions cannot both go to the standard "
                                  "output; give a file by -o");
    TRY(choose_kind(arguments, &session->lines.kind));
    return check_labels_alone(session, arguments);
}

/* Refuses predictions that the model does not have. The library reports them by a width of 0; the message depends on
 * the reason and names the option that works instead. */
static temper_status check_width(struct predict_session *session)
{
    const temper_model *model = session->application.model;
    session->lines.width = temper_prediction_width(model, session->lines.kind);
    if (session->lines.width > 0)
        return TEMPER_OK;
    if (session->lines.kind == TEMPER_PREDICT_TRUE_PROBABILITIES &&
        temper_prediction_width(model, TEMPER_PREDICT_PROBABILITIES) > 0)
        return fail(TEMPER_USAGE, "predict: the model has no estimate of the label noise, which --proba-of true needs; "
                                  "train it with --estimate-noise");
    if (session->lines.kind == TEMPER_PREDICT_RAW_PROBABILITIES)
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

/* Tables have probabilities beside the label if the model has some, and no option asks for other numbers. */
static void add_probabilities(struct predict_session *session)
{
    struct predict_lines *lines = &session->lines;
    if (lines->form == PREDICT_PLAIN || lines->kind != TEMPER_PREDICT_LABELS)
        return;
    if (temper_prediction_width(lines->model, TEMPER_PREDICT_PROBABILITIES) > 0)
        lines->kind = TEMPER_PREDICT_PROBABILITIES;
    else if (!was_given(session->application.arguments, OPT_QUIET))
        note("the model has no calibrated probabilities: labels alone");
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Writes a text to the output; nothing in all processes but the first, which have none. */
static temper_status write_bytes(const struct predict_session *session, const char *bytes, size_t length)
{
    temper_error error;
    if (is_stdout(session->to))
        return output_write("-", bytes, length);
    if (session->file)
        return checked(atomic_file_write(session->file, bytes, length, &error), &error);
    return TEMPER_OK;
}

/* Writes a text from malloc, and frees it. Under MPI the texts of all processes are first concatenated in the first
 * one, in the order of ranks, which is the order of rows. All processes call this for every batch, and a failure to
 * write ends all of them. */
static temper_status write_text(const struct predict_session *session, char *bytes, size_t length)
{
    /* Must be called in all processes, also in those without rows in this batch. */
    TRY(process_group_collect(&bytes, &length));
    temper_status status = write_bytes(session, bytes, length);
    free(bytes);
    return process_group_agree(status);
}

/* Makes the arrays large enough for a batch of `rows` rows. The old predictions are not needed, hence free and malloc
 * instead of realloc, which would copy them. */
static temper_status reserve(struct predict_session *session, size_t rows)
{
    /* rows * width * sizeof(double) must not overflow. */
    if (rows > SIZE_MAX / sizeof(double) / session->lines.width)
        return fail_no_memory();
    if (rows <= session->capacity)
        return TEMPER_OK;
    free(session->numbers);
    free(session->labels);
    session->numbers = malloc(rows * session->lines.width * sizeof(double));
    session->labels = malloc(rows * sizeof(double));
    /* The next call must not believe in the old capacity. */
    session->capacity = session->numbers && session->labels ? rows : 0;
    return session->capacity ? TEMPER_OK : fail_no_memory();
}

/* Predicts one kind of output for a batch. */
static temper_status predict_kind(const struct predict_session *session, const temper_data *batch,
                                  temper_prediction kind, double *out)
{
    temper_error error;
    return checked(temper_predict(session->application.model, batch, kind, threads_of(session->application.arguments),
                                  out, &error),
                   &error);
}

/* The lines of a batch, composed by several threads, each of which takes some rows at a time. */
struct line_job {
    const struct predict_session *session;
    const temper_data *batch;
    size_t rows;
    bool has_label;
    struct text_piece {
        char *bytes; /* from malloc; NULL: not composed */
        size_t length;
    } *piece; /* in the order of rows */
};

enum { PIECE_ROWS = 512 };

/* Callback of pool_blocks: the text of some rows. */
static temper_status print_piece(void *context, size_t number, size_t worker)
{
    const struct line_job *job = context;
    const struct predict_session *session = job->session;
    const struct predict_lines *lines = &session->lines;
    struct text_piece *piece = &job->piece[number];
    size_t from = number * PIECE_ROWS, end = from + PIECE_ROWS < job->rows ? from + PIECE_ROWS : job->rows;
    FILE *stream = memory_stream_open(&piece->bytes, &piece->length);
    (void)worker;
    if (!stream)
        return TEMPER_NO_MEMORY;
    for (size_t i = from; i < end; i++) {
        /* A label is the number of the class, as a double like the other predictions. */
        struct predicted_line row = {job->batch, i, job->has_label ? (size_t)session->labels[i] : 0,
                                     session->numbers + i * lines->width};
        print_predict_line(stream, lines, &row);
    }
    return memory_stream_close(stream, &piece->bytes, &piece->length) ? TEMPER_OK : TEMPER_NO_MEMORY;
}

/* Writes all pieces; under MPI joined to one text for each process. */
static temper_status write_pieces(const struct line_job *job, size_t pieces)
{
    size_t length = 0;
    if (!process_group_comm()) {
        for (size_t i = 0; i < pieces; i++)
            TRY(write_bytes(job->session, job->piece[i].bytes, job->piece[i].length));
        return TEMPER_OK;
    }
    for (size_t i = 0; i < pieces; i++)
        length += job->piece[i].length;
    char *bytes = malloc(length + 1), *to = bytes;
    for (size_t i = 0; bytes && i < pieces; to += job->piece[i++].length)
        memcpy(to, job->piece[i].bytes, job->piece[i].length);
    temper_status status = process_group_agree(bytes ? TEMPER_OK : fail_no_memory());
    if (status == TEMPER_OK)
        return write_text(job->session, bytes, length);
    free(bytes); /* another process has none */
    return status;
}

/* Composes the text of a batch in memory, which is faster than a system call for each row. The text does not depend on
 * the number of threads. `status` is that of the predictions in this process. */
static temper_status print_batch(struct line_job *job, temper_status status)
{
    size_t pieces = (job->rows + PIECE_ROWS - 1) / PIECE_ROWS;
    const struct thread_team *team = &job->session->team;
    if (status == TEMPER_OK) {
        job->piece = calloc(pieces + !pieces, sizeof *job->piece);
        if (!job->piece || pool_blocks(team->pool, pieces, team->threads, print_piece, job) != TEMPER_OK)
            status = fail_no_memory();
    }
    status = process_group_agree(status);
    if (status == TEMPER_OK)
        status = write_pieces(job, pieces);
    for (size_t i = 0; job->piece && i < pieces; i++)
        free(job->piece[i].bytes);
    free(job->piece);
    return status;
}

/* The predictions of the rows of this process. */
static temper_status predict_rows(struct predict_session *session, const temper_data *batch, bool has_label)
{
    const struct predict_lines *lines = &session->lines;
    TRY(reserve(session, temper_data_rows(batch)));
    if (has_label)
        TRY(predict_kind(session, batch, TEMPER_PREDICT_LABELS, session->labels));
    if (lines->kind != TEMPER_PREDICT_LABELS)
        TRY(predict_kind(session, batch, lines->kind, session->numbers));
    return TEMPER_OK;
}

/* Predicts one batch and writes its lines at once, so that a reader of a pipe gets them early. */
static temper_status predict_batch(struct predict_session *session, const temper_data *batch)
{
    const struct predict_lines *lines = &session->lines;
    bool has_label = lines->form != PREDICT_PLAIN || lines->kind == TEMPER_PREDICT_LABELS;
    struct line_job job = {session, batch, temper_data_rows(batch), has_label, NULL};
    return print_batch(&job, predict_rows(session, batch, has_label));
}

/* Writes the header, once the first batch is known: the names of kept columns come from the file. Only the first
 * process has a header; the others join the collective call with an empty text. */
static temper_status write_header(struct predict_session *session, const temper_data *batch)
{
    struct output_buffer buffer;
    TRY(process_group_agree(predict_lines_check(&session->lines, batch)));
    TRY(output_open(&buffer));
    if (process_group_is_first())
        print_predict_header(buffer.stream, &session->lines);
    TRY(output_close(&buffer));
    return write_text(session, buffer.bytes, buffer.length);
}

/* Writes the header and all batches. */
static temper_status predict_all(struct predict_session *session)
{
    temper_data *batch;
    for (bool first = true;; first = false) {
        TRY(application_next(&session->application, &batch));
        temper_status status = first ? write_header(session, batch) : TEMPER_OK;
        if (status == TEMPER_OK && batch)
            status = predict_batch(session, batch);
        temper_data_free(batch);
        TRY(status);
        if (!batch)
            return TEMPER_OK;
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
    size_t threads = threads_of(arguments);
    session->team.threads = threads ? threads : thread_count_default();
    session->team.pool = thread_pool_new(session->team.threads);
    if (!session->team.pool)
        return fail_no_memory();
    session->lines.model = session->application.model;
    session->lines.reader = session->application.reader;
    add_probabilities(session);
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
    thread_pool_free(session.team.pool);
    free(session.numbers);
    free(session.labels);
    return status;
}
