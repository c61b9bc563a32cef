/* cmd_noise: temper noise. Adds noise to labels or features, and lists the rows that were changed.
 *
 * The data and the list of changes are written together or not at all, since an experiment needs the list to know which
 * labels are wrong. Every kind of noise has its own required options; options of other kinds are refused, because
 * without an error they would seem to have an effect. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/file_roles.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "temper_extra.h"

/* Options and data of one call; cmd_noise frees all of it. */
struct noise_session {
    const struct arguments *arguments;
    const char *kind, *to;            /* of --kind, and the output file of -o */
    temper_data *data, *pool, *noisy; /* or NULL; noisy may borrow features from the other two */
    temper_noise_change *changes;     /* [count] in the order of rows, which are counted from 1 */
    size_t count;
};

/* ---- Options --------------------------------------------------------------------------------- */

/* Kinds are compared as words: the library has the list, and the parser has checked the word against it. */
static bool is_kind(const struct noise_session *session, const char *kind)
{
    return strcmp(session->kind, kind) == 0;
}

/* Reports an error if a required option is missing; `why` explains when it is required. */
static temper_status check_given(const struct arguments *arguments, enum option_id id, const char *why)
{
    char wanted[WANTED_LENGTH];
    if (was_given(arguments, id))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "noise: --%s is missing%s; give %s", option_table[id].name, why,
                option_wanted(&option_table[id], wanted));
}

/* Refuses an option that the chosen kind of noise does not use: without an error the user would believe that it had an
 * effect. */
static temper_status refuse_unless(const struct noise_session *session, enum option_id id, const char *kind)
{
    if (!was_given(session->arguments, id) || is_kind(session, kind))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "noise: --%s has no effect on kind %s; drop it, or pass --kind %s", option_table[id].name,
                session->kind, kind);
}

/* Whether the output is the standard output, a device or a pipe, next to which the list of changes has no place. */
static bool is_stream(const char *path)
{
    struct stat found;
    return is_stdout(path) || (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode));
}

/* Checks that the required options of the kind are given and that no other kind's option is. */
static temper_status check_options(const struct noise_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_error error;
    /* The matrix has a probability for each change, so there is no rate. */
    bool matrix = is_kind(session, "matrix");
    TRY(check_given(arguments, OPT_NOISE_OUTPUT, ""));
    TRY(matrix ? check_given(arguments, OPT_MATRIX, ", which kind matrix draws from")
               : check_given(arguments, OPT_RATE, ""));
    TRY(refuse_unless(session, OPT_MAP, "pair"));
    TRY(refuse_unless(session, OPT_MATRIX, "matrix"));
    TRY(refuse_unless(session, OPT_POOL, "instance"));
    /* The two margin kinds rank rows by a logistic regression and share its options. */
    if (!is_kind(session, "large-margin")) {
        TRY(refuse_unless(session, OPT_RANK_L2, "small-margin"));
        TRY(refuse_unless(session, OPT_RANK_SCALE, "small-margin"));
    }
    if (matrix && was_given(arguments, OPT_RATE))
        return fail(TEMPER_USAGE, "noise: --rate has no effect on kind matrix, whose file sets how much changes; drop "
                                  "it");
    /* Two files are written, and both need a name. */
    if (is_stream(session->to))
        return fail(TEMPER_USAGE, "noise: the list of changes is written beside the data; give a file to -o");
    return checked(temper_data_write_check(session->to, text_of(arguments, OPT_TO), &error), &error);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Prints the list of changed rows as CSV: the reference for experiments that have to know which labels are wrong. Only
 * instance noise has the column `from`, because it replaces features and keeps the label. */
static void print_changes(FILE *out, const struct noise_session *session)
{
    bool instance = is_kind(session, "instance");
    fputs(instance ? "row,was,is,from\n" : "row,was,is\n", out);
    for (size_t i = 0; i < session->count; i++) {
        const temper_noise_change *change = &session->changes[i];
        fprintf(out, "%zu,", change->row);
        csv_cell(out, temper_data_class_name(session->noisy, change->was));
        fputc(',', out);
        csv_cell(out, temper_data_class_name(session->noisy, change->is));
        if (instance)
            fprintf(out, ",%zu", change->from);
        fputc('\n', out);
    }
}

/* Writes the noisy data and the list of changes in one call of the library, so that after a failure or a crash a list
 * is never next to data that it does not describe. */
static temper_status save(const struct noise_session *session)
{
    struct output_buffer buffer;
    temper_error error;
    char *path;
    temper_status status = name_changes(session->to, &path);
    if (status == TEMPER_OK)
        status = output_open(&buffer);
    /* The list is composed in memory first; only its length and bytes are handed over. */
    if (status == TEMPER_OK) {
        print_changes(buffer.stream, session);
        status = output_close(&buffer);
    }
    if (status == TEMPER_OK) {
        const temper_attachment changes = {path, buffer.bytes, buffer.length};
        const char *format = text_of(session->arguments, OPT_TO);
        /* Other labels alone: the lines of the file stay as they are. */
        temper_status written =
            is_kind(session, "instance")
                ? temper_data_write_with_attachment(session->noisy, session->to, format, &changes, &error)
                : temper_data_write_relabelled(session->data, session->noisy, session->to, format, &changes, &error);
        status = checked(written, &error);
        free(buffer.bytes);
    }
    free(path);
    return status;
}

/* "rate" is the share that has really changed, which differs from --rate by chance. */
static void print_json(FILE *out, const struct noise_session *session)
{
    fprintf(out, "{\"kind\": \"%s\", \"rows\": %zu, \"changed\": %zu", session->kind, temper_data_rows(session->data),
            session->count);
    json_number_member(out, "rate", (double)session->count / (double)temper_data_rows(session->data));
    fprintf(out, ", \"seed\": %.0f", number_of(session->arguments, OPT_SEED));
    json_text_member(out, "file", session->to);
    fputs("}\n", out);
}

/* One sentence with the number and the share of changed rows or labels. */
static void print_text(FILE *out, const struct noise_session *session)
{
    char count[FORMAT_LENGTH], rows[FORMAT_LENGTH], share[FORMAT_LENGTH];
    size_t all = temper_data_rows(session->data);
    fprintf(out, "%s of %s %s changed (%s)\n", format_count(session->count, count), format_count(all, rows),
            is_kind(session, "instance") ? "rows" : "labels", format_share(session->count, (double)all, share));
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Reads the rows that instance noise takes features from. Options that select or weight rows of DATA by class or by a
 * separate file must not apply to the pool, which exists for the classes that DATA does not have; they are removed from
 * a copy of the arguments. */
static temper_status read_pool(struct noise_session *session)
{
    struct arguments arguments = *session->arguments;
    /* Optional: without a pool, instance noise takes the features of other rows of DATA. */
    const char *path = text_of(&arguments, OPT_POOL);
    if (!path)
        return TEMPER_OK;
    arguments.given[OPT_CLASSES] = NULL;
    arguments.given[OPT_CLASS_WEIGHT] = NULL;
    arguments.given[OPT_WEIGHTS] = NULL;
    arguments.given[OPT_LABELS] = NULL;
    return read_data(&arguments, path, &session->pool, NULL);
}

/* Fills session->noisy, changes and count. Fields that the kind does not use are ignored by the library. */
static temper_status add_noise(struct noise_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_error error;
    temper_noise_options options = {
        .struct_size = sizeof(temper_noise_options),
        .kind = session->kind,
        .rate = was_given(arguments, OPT_RATE) ? number_of(arguments, OPT_RATE) : 0,
        .seed = (uint64_t)number_of(arguments, OPT_SEED),
        .map = text_of(arguments, OPT_MAP),
        .matrix = text_of(arguments, OPT_MATRIX),
        .pool = session->pool,
        .rank_l2 = number_of(arguments, OPT_RANK_L2),
        .rank_scale = text_of(arguments, OPT_RANK_SCALE),
        .threads = threads_of(arguments),
    };
    return checked(
        temper_data_add_noise(session->data, &options, &session->noisy, &session->changes, &session->count, &error),
        &error);
}

/* The steps in order: options are checked before data is read, and the summary is printed after the files are complete.
 */
static temper_status run_steps(struct noise_session *session)
{
    struct output_buffer buffer;
    TRY(check_options(session));
    /* All rows are needed in memory, since the noise kinds that use margins rank them. */
    TRY(read_data(session->arguments, session->arguments->operand[0], &session->data, NULL));
    print_notes(session->arguments, session->data);
    TRY(read_pool(session));
    TRY(add_noise(session));
    TRY(save(session));
    /* The summary comes after the files, so that a script that reads it can rely on them. */
    TRY(output_open(&buffer));
    (was_given(session->arguments, OPT_JSON) ? print_json : print_text)(buffer.stream, session);
    return output_print(&buffer);
}

/* The default "" of `to` is never written to: check_options requires -o. */
temper_status cmd_noise(const struct arguments *arguments)
{
    /* An empty text instead of NULL, since paths are compared before the option is checked. */
    struct noise_session session = {
        .arguments = arguments,
        .kind = text_of(arguments, OPT_KIND),
        .to = was_given(arguments, OPT_NOISE_OUTPUT) ? text_of(arguments, OPT_NOISE_OUTPUT) : "",
    };
    temper_status status = run_steps(&session);
    temper_data_free(session.noisy); /* first: it may borrow from the others */
    temper_data_free(session.pool);
    temper_data_free(session.data);
    temper_free(session.changes);
    return status;
}
