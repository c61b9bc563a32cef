/* cmd_explain: temper explain. Lists the strongest features of a model, or goes through the rows of DATA batch by batch
 * and lists what decided each of them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "base/atomic_file.h"
#include "explain/explain_page.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"

/* State of one call. */
struct explain_session {
    const struct arguments *arguments;
    struct model_application application;
    struct explain_subject subject;
    temper_explainer *explainer;
    const char *to;           /* where the list goes; "-" is the standard output */
    const char *page;         /* where the page goes; NULL: a list is made instead */
    struct atomic_file *file; /* of the list; NULL: the standard output, or no list */
    temper_explanation batch; /* reused by the next batch */
    size_t capacity;          /* rows of it */
    double *moved;            /* for the page: of each term, the sum of absolute contributions */
    temper_row_explanation first[PAGE_ROWS];
    temper_contribution *first_list; /* [PAGE_ROWS * batch.top] */
};

/* ---- Options --------------------------------------------------------------------------------- */

/* The form that --output or --json names. */
static enum explain_form form_of(const struct arguments *arguments)
{
    const char *word = text_of(arguments, OPT_EXPLAIN_OUTPUT);
    if (was_given(arguments, OPT_JSON))
        return FORM_JSON;
    if (!word)
        return FORM_TABLE;
    return strcmp(word, "csv") == 0 ? FORM_CSV : strcmp(word, "jsonl") == 0 ? FORM_JSON_LINES : FORM_TABLE;
}

/* Whether --output names a form of the list, and not a file. */
static bool names_form(const struct arguments *arguments)
{
    const char *word = text_of(arguments, OPT_EXPLAIN_OUTPUT);
    return word && is_listed("table csv jsonl", ' ', word);
}

/* The file of the list: that of -o, or of --output if that names no form; "-" without any. */
static const char *file_of(const struct arguments *arguments)
{
    if (was_given(arguments, OPT_EXPLAIN_FILE))
        return text_of(arguments, OPT_EXPLAIN_FILE);
    return was_given(arguments, OPT_EXPLAIN_OUTPUT) && !names_form(arguments) ? text_of(arguments, OPT_EXPLAIN_OUTPUT)
                                                                              : "-";
}

/* Refuses two options that set the form of the result, or its file. */
static temper_status check_forms(const struct arguments *arguments)
{
    bool json = was_given(arguments, OPT_JSON), page = was_given(arguments, OPT_EXPLAIN_REPORT);
    bool output = was_given(arguments, OPT_EXPLAIN_OUTPUT), form = names_form(arguments);
    if (page && json)
        return fail(TEMPER_USAGE, "explain: --report and --json both set the form of the result; drop one");
    if (page && (output || was_given(arguments, OPT_EXPLAIN_FILE)))
        return fail(TEMPER_USAGE, "explain: --report names form and file of the result; drop --%s",
                    output ? "output" : "output-file");
    if (json && form)
        return fail(TEMPER_USAGE, "explain: --json and --output %s both set the form of the result; drop one",
                    text_of(arguments, OPT_EXPLAIN_OUTPUT));
    if (output && !form && was_given(arguments, OPT_EXPLAIN_FILE))
        return fail(TEMPER_USAGE,
                    "explain: --output %s and -o both name a file; drop one, or give --output one of "
                    "table, csv and jsonl",
                    text_of(arguments, OPT_EXPLAIN_OUTPUT));
    return TEMPER_OK;
}

/* Checks what can be checked before the model is loaded; targets must not be inputs. */
static temper_status check_options(const struct arguments *arguments)
{
    const char *page = text_of(arguments, OPT_EXPLAIN_REPORT), *to = page ? page : file_of(arguments);
    if (!was_given(arguments, OPT_MODEL))
        return fail(TEMPER_USAGE, "explain: --model is missing; give the file that 'temper train' has written");
    TRY(check_forms(arguments));
    return is_stdout(to) ? TEMPER_OK : check_target(to);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Makes space for the explanations of a batch. */
static temper_status reserve(struct explain_session *session, size_t rows)
{
    temper_explanation *batch = &session->batch;
    if (rows <= session->capacity)
        return TEMPER_OK;
    free(batch->rows);
    free(batch->list);
    session->capacity = 0;
    /* calloc checks its product, but not that of rows and top. */
    bool fits = rows <= SIZE_MAX / batch->top;
    batch->rows = calloc(rows, sizeof *batch->rows);
    batch->list = fits ? calloc(rows * batch->top, sizeof *batch->list) : NULL;
    if (!batch->rows || !batch->list)
        return fail_no_memory();
    session->capacity = rows;
    return TEMPER_OK;
}

/* Keeps what the page shows of a batch whose first row has this index. */
static void keep_for_page(struct explain_session *session, size_t index, size_t rows)
{
    const temper_explanation *batch = &session->batch;
    for (size_t r = 0; r < rows; r++) {
        const temper_contribution *list = batch->list + r * batch->top;
        for (size_t i = 0; i < batch->rows[r].count; i++)
            session->moved[list[i].term] += fabs(list[i].contribution);
        if (index + r >= PAGE_ROWS)
            continue;
        session->first[index + r] = batch->rows[r];
        memcpy(session->first_list + (index + r) * batch->top, list, batch->top * sizeof *list);
    }
}

/* Appends a text to the file or to the standard output, and frees it. */
static temper_status write_list(const struct explain_session *session, struct output_buffer *buffer)
{
    temper_error error;
    TRY(output_close(buffer));
    temper_status status =
        session->file ? checked(atomic_file_write(session->file, buffer->bytes, buffer->length, &error), &error)
                      : output_write("-", buffer->bytes, buffer->length);
    free(buffer->bytes);
    return status;
}

/* Explains a batch; its list is written at once, so that a reader of a pipe gets it early. */
static temper_status explain_batch(struct explain_session *session, const temper_data *data, size_t index)
{
    struct output_buffer buffer;
    temper_error error;
    temper_explanation *batch = &session->batch;
    size_t rows = temper_data_rows(data);
    TRY(reserve(session, rows));
    TRY(checked(temper_explain_rows(session->explainer, data, threads_of(session->arguments), batch, &error), &error));
    if (session->page) {
        keep_for_page(session, index, rows);
        return TEMPER_OK;
    }
    TRY(output_open(&buffer));
    for (size_t r = 0; r < rows; r++)
        explain_list_row(buffer.stream, &session->subject, index + r + 1, &batch->rows[r],
                         batch->list + r * batch->top);
    return write_list(session, &buffer);
}

/* Rows are numbered through all batches. */
static temper_status explain_batches(struct explain_session *session)
{
    temper_data *data;
    for (;;) {
        size_t index = session->application.rows;
        TRY(application_next(&session->application, &data));
        if (!data)
            return TEMPER_OK;
        temper_status status = explain_batch(session, data, index);
        temper_data_free(data);
        TRY(status);
    }
}

/* The list of all rows, between its beginning and its end. */
static temper_status list_rows(struct explain_session *session)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    explain_list_begin(buffer.stream, &session->subject);
    TRY(write_list(session, &buffer));
    TRY(explain_batches(session));
    TRY(output_open(&buffer));
    explain_list_end(buffer.stream, &session->subject, session->application.rows);
    return write_list(session, &buffer);
}

/* Goes through all rows, keeps sums and the first rows, and writes the page. */
static temper_status page_of_rows(struct explain_session *session)
{
    size_t kept = session->batch.top;
    session->moved = calloc(temper_explainer_terms(session->explainer), sizeof *session->moved);
    session->first_list = calloc(PAGE_ROWS * kept, sizeof *session->first_list);
    if (!session->moved || !session->first_list)
        return fail_no_memory();
    TRY(explain_batches(session));
    const struct explain_rows_shown shown = {
        .rows = session->application.rows,
        .dropped = temper_batch_reader_dropped_rows(session->application.reader),
        .moved = session->moved,
        .first = session->first,
        .list = session->first_list,
        .kept = kept,
    };
    return explain_page_write(&session->subject, &shown, session->page);
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Loads the model, and opens DATA if there is any. */
static temper_status open_inputs(struct explain_session *session)
{
    const struct arguments *arguments = session->arguments;
    struct model_application *application = &session->application;
    temper_error error;
    if (arguments->operand_count > 0) {
        TRY(application_begin(application, arguments, false));
    } else {
        application->arguments = arguments;
        TRY(checked(temper_model_load(text_of(arguments, OPT_MODEL), &application->model, &error), &error));
    }
    TRY(checked(temper_explainer_new(application->model, &session->explainer, &error), &error));
    size_t terms = temper_explainer_terms(session->explainer), top = size_of(arguments, OPT_EXPLAIN_TOP);
    session->subject = (struct explain_subject){.model_path = text_of(arguments, OPT_MODEL),
                                                .data_path = arguments->operand[0],
                                                .model = application->model,
                                                .explainer = session->explainer,
                                                .top = top,
                                                .form = form_of(arguments)};
    if (session->page && top < PAGE_KEPT)
        top = PAGE_KEPT;
    session->batch.top = top < terms ? top : terms;
    return TEMPER_OK;
}

/* The file appears under its name only when the list is complete. */
static temper_status write_all(struct explain_session *session)
{
    struct output_buffer buffer;
    temper_error error;
    bool rows = session->arguments->operand_count > 0;
    if (session->page)
        return rows ? page_of_rows(session) : explain_page_write(&session->subject, NULL, session->page);
    if (!is_stdout(session->to))
        TRY(checked(atomic_file_open(session->to, &session->file, &error), &error));
    if (rows) {
        TRY(list_rows(session));
    } else {
        TRY(output_open(&buffer));
        temper_status status = explain_list_model(buffer.stream, &session->subject);
        TRY(write_list(session, &buffer));
        TRY(status);
    }
    struct atomic_file *file = session->file;
    session->file = NULL; /* freed by the commit, also if it fails */
    return file ? checked(atomic_file_commit(file, &error), &error) : TEMPER_OK;
}

/* Dropping an uncommitted file leaves an earlier one of that name as it was. */
temper_status cmd_explain(const struct arguments *arguments)
{
    struct explain_session session = {.arguments = arguments};
    TRY(check_options(arguments));
    session.to = file_of(arguments);
    session.page = text_of(arguments, OPT_EXPLAIN_REPORT);
    temper_status status = open_inputs(&session);
    if (status == TEMPER_OK)
        status = write_all(&session);
    temper_explainer_free(session.explainer);
    application_end(&session.application);
    if (session.file)
        atomic_file_drop(session.file);
    free(session.batch.rows);
    free(session.batch.list);
    free(session.moved);
    free(session.first_list);
    return status;
}
