/* file_roles: no result of a command may replace a file that it reads, or another of its results.
 *
 * The option table says which options name results; every other file is read. Added are the operands, the files that a
 * list names, and results with names that follow from others. Files are compared by device and inode, since a file has
 * many names: ./a, links. Results that do not exist yet are compared by their folder and their name in it. */
#include "options/file_roles.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/path.h"
#include "message.h"
#include "output_paths.h"
#include "process_group.h"

enum { MOST_DERIVED = 8, MOST_FILES = OPT_COUNT + OPERAND_LIMIT + MOST_DERIVED };

/* One file that the command reads or writes. */
struct file_role {
    const char *path;
    const char *what; /* for messages: an option, "--report", or "the checkpoint" */
};

struct file_roles {
    const struct arguments *arguments;
    struct file_role input[MOST_FILES], result[MOST_FILES];
    size_t inputs, results;
    char *derived[MOST_DERIVED]; /* names that were put together here */
    size_t derived_count;
    const char *replaced; /* the result that would replace an input, or NULL */
};

/* ---- Names of results ------------------------------------------------------------------------ */

/* A copy of `given`, or if that is NULL `stem` with an extension; slashes at the end of a folder's name are left out.
 */
static temper_status name_file(const char *given, const char *stem, const char *extension, char **path)
{
    *path = concatenate(given ? given : stem, given ? "" : extension);
    if (!*path)
        return TEMPER_NO_MEMORY;
    if (given || !stem)
        return TEMPER_OK;
    size_t length = strlen(stem), kept = length;
    while (kept > 1 && stem[kept - 1] == '/')
        kept--;
    memmove(*path + kept, *path + length, strlen(extension) + 1);
    return TEMPER_OK;
}

/* Whether a path ends in "." or "..", perhaps with slashes behind it. */
static bool has_no_name(const char *path)
{
    size_t end = strlen(path), start;
    while (end > 0 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
        start--;
    return end > start && strspn(path + start, ".") >= end - start;
}

/* The default name is next to the data. Reports use the standard output, so the model cannot go there as well. */
temper_status name_model(const struct arguments *arguments, char **path)
{
    const char *given = text_of(arguments, OPT_TRAIN_MODEL), *data = arguments->operand[0];
    const char *command = arguments->command->name;
    data += data[0] == '@'; /* the model of a list of files is named after the list */
    if (!given && strcmp(data, "-") == 0)
        return fail(TEMPER_USAGE, "%s: the standard input has no name to derive that of the model from; pass -m FILE",
                    command);
    if (given && is_stdout(given))
        return fail(TEMPER_USAGE, "%s: the report goes to the standard output; give a file to -m", command);
    if (!given && data[strcspn(data, "*?[")] != '\0' && !is_file(data))
        return fail(TEMPER_USAGE, "%s: a pattern of files gives the model no name; pass -m FILE", command);
    if (!given && has_no_name(data))
        return fail(TEMPER_USAGE, "%s: '%s' gives the model no name; pass -m FILE", command, data);
    return name_file(given, data, ".temper", path);
}

temper_status name_tune_checkpoint(const struct arguments *arguments, const char *model, char **path)
{
    return name_file(text_of(arguments, OPT_TUNE_CHECKPOINT), model, ".tuning", path);
}

temper_status name_asked_rows(const struct arguments *arguments, const char *model, char **path)
{
    return name_file(text_of(arguments, OPT_ASK_OUTPUT), model, ".ask.csv", path);
}

temper_status name_changes(const char *data, char **path)
{
    return name_file(NULL, data, ".changes.csv", path);
}

/* The format is inferred as in the library: --to first, then the extension. */
bool labels_are_separate(const char *path, const char *format)
{
    bool separate = format ? strcmp(format, "npy") == 0 || strcmp(format, "idx") == 0
                           : path_ends_in(path, ".npy") || path_ends_in(path, ".idx");
    return separate && !strstr(path, "images");
}

/* ---- Which files ----------------------------------------------------------------------------- */

static void add_input(struct file_roles *roles, const char *path)
{
    if (path && strcmp(path, "-") != 0)
        roles->input[roles->inputs++] = (struct file_role){.path = path};
}

/* `what` is a literal or, with dashes before it, the name of an option. */
static void add_result(struct file_roles *roles, const char *path, const char *what)
{
    if (!is_stdout(path))
        roles->result[roles->results++] = (struct file_role){path, what};
}

/* A result whose name was put together; takes over the name. */
static void add_derived(struct file_roles *roles, char *path, const char *what)
{
    roles->derived[roles->derived_count++] = path;
    add_result(roles, path, what);
}

/* Options that were given: those that the table marks are results. A model may be replaced by the one that is trained
 * from it, so that --warm-start is no input here; -o of split is the beginning of names, which cmd_split.c checks. */
static void add_options(struct file_roles *roles)
{
    for (size_t id = 0; id < OPT_COUNT; id++) {
        const struct option *option = &option_table[id];
        const char *path = roles->arguments->given[id];
        if (option->type != TYPE_FILE || !path || id == OPT_WARM_START || id == OPT_SPLIT_OUTPUT)
            continue;
        if (option->words && is_listed(option->words, ' ', path))
            continue;
        if (option->is_result)
            add_result(roles, path, option->name);
        else
            add_input(roles, path);
    }
}

/* Operands that are files. The last one of convert is its result, which may be the file that it reads. */
static void add_operands(struct file_roles *roles)
{
    const struct arguments *arguments = roles->arguments;
    const struct command *command = arguments->command;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const char *path = arguments->operand[i];
        enum completion kind =
            i && command->rest_completion != COMPLETE_NOTHING ? command->rest_completion : command->operand_completion;
        if (kind == COMPLETE_FILE && command_id(command) == CMD_CONVERT && i == 1)
            add_result(roles, path, "OUT");
        else if (kind == COMPLETE_FILE)
            add_input(roles, path);
    }
}

/* The second file with the labels of a result, if there is one. */
static temper_status add_labels(struct file_roles *roles, const char *path)
{
    char *labels = NULL;
    if (!path || is_stdout(path) || !labels_are_separate(path, text_of(roles->arguments, OPT_TO)))
        return TEMPER_OK;
    TRY(name_file(NULL, path, ".labels", &labels));
    add_derived(roles, labels, "the file of labels");
    return TEMPER_OK;
}

/* The model of train and tune, if -m does not name it, and what tune writes beside it. */
static temper_status add_model(struct file_roles *roles)
{
    const struct arguments *arguments = roles->arguments;
    char *model = NULL, *beside = NULL;
    TRY(name_model(arguments, &model));
    if (was_given(arguments, OPT_TRAIN_MODEL))
        roles->derived[roles->derived_count++] = model; /* a result already, as an option */
    else
        add_derived(roles, model, "the model");
    if (command_id(arguments->command) != CMD_TUNE)
        return TEMPER_OK;
    if (!was_given(arguments, OPT_TUNE_CHECKPOINT)) {
        TRY(name_tune_checkpoint(arguments, model, &beside));
        add_derived(roles, beside, "the checkpoint");
    }
    if (was_given(arguments, OPT_ASK) && !was_given(arguments, OPT_ASK_OUTPUT)) {
        TRY(name_asked_rows(arguments, model, &beside));
        add_derived(roles, beside, "the list of rows to label");
    }
    return TEMPER_OK;
}

/* Results whose names follow from others. */
static temper_status add_derived_results(struct file_roles *roles)
{
    const struct arguments *arguments = roles->arguments;
    enum command_id command = command_id(arguments->command);
    const char *noisy = text_of(arguments, OPT_NOISE_OUTPUT);
    char *changes = NULL;
    if (command == CMD_TRAIN || command == CMD_TUNE)
        return add_model(roles);
    if (command == CMD_CONVERT)
        return add_labels(roles, arguments->operand[1]);
    if (command == CMD_AUDIT)
        return add_labels(roles, text_of(arguments, OPT_FIX));
    if (command == CMD_ANNOTATORS)
        return add_labels(roles, text_of(arguments, OPT_LABELLED));
    if (command != CMD_NOISE || !noisy)
        return TEMPER_OK;
    TRY(name_changes(noisy, &changes));
    add_derived(roles, changes, "the list of changes");
    return add_labels(roles, noisy);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

/* Devices are excluded: writing to a terminal that is also read loses nothing. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Describes the folder of a path; false if there is none. */
static bool stat_folder(const char *path, struct stat *found)
{
    const char *slash = path_last_separator(path);
    if (!slash)
        return stat(".", found) == 0;
    char *folder = strndup(path, (size_t)(slash + 1 - path));
    bool exists = folder && stat(folder, found) == 0;
    free(folder);
    return exists;
}

/* Whether two paths have the same name in the same folder. */
static bool same_place(const char *a, const char *b)
{
    const char *slash_a = path_last_separator(a), *slash_b = path_last_separator(b);
    struct stat first, second;
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0 || !stat_folder(a, &first) ||
        !stat_folder(b, &second))
        return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Links are resolved as by the writer: a result may be a link to another one, which does not exist yet. */
bool same_result(const char *a, const char *b)
{
    int failure;
    if (same_file(a, b) || same_place(a, b))
        return true;
    char *end_a = path_resolve(a, &failure), *end_b = path_resolve(b, &failure);
    bool same = end_a && end_b && same_place(end_a, end_b);
    mem_free(end_a);
    mem_free(end_b);
    return same;
}

/* "--report", or "the checkpoint": names of options have neither blanks nor capitals. */
static const char *dashes(const char *what)
{
    return strchr(what, ' ') || strcmp(what, "OUT") == 0 ? "" : "--";
}

/* temper_file_fn: looks for the result that would replace a file. */
static int find_replaced(void *context, const char *path)
{
    struct file_roles *roles = context;
    for (size_t i = 0; i < roles->results && !roles->replaced; i++)
        if (strcmp(roles->result[i].what, "OUT") != 0 && same_file(roles->result[i].path, path))
            roles->replaced = roles->result[i].path;
    return roles->replaced != NULL;
}

/* Compares the results with the inputs: a list itself, and the files that a list, a folder or a pattern stands for. One
 * that cannot be read is reported by the reader. */
static temper_status compare_with_inputs(struct file_roles *roles)
{
    for (size_t i = 0; i < roles->inputs && !roles->replaced; i++) {
        const char *path = roles->input[i].path;
        if (path[0] == '@')
            find_replaced(roles, path + 1);
        temper_data_each_file(path, find_replaced, roles, NULL);
    }
    if (!roles->replaced)
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "%s: %s is an input file and would be overwritten; choose another name for the result",
                roles->arguments->command->name, roles->replaced);
}

/* Compares each result with those before it. */
static temper_status compare_results(const struct file_roles *roles)
{
    for (size_t i = 0; i < roles->results; i++)
        for (size_t j = 0; j < i; j++) {
            const struct file_role *result = &roles->result[i], *other = &roles->result[j];
            if (same_result(result->path, other->path))
                return fail(TEMPER_USAGE, "%s: %s%s and %s%s would be one file, %s; give each result a name of its own",
                            roles->arguments->command->name, dashes(other->what), other->what, dashes(result->what),
                            result->what, result->path);
        }
    return TEMPER_OK;
}

static temper_status compare(struct file_roles *roles)
{
    TRY(compare_with_inputs(roles));
    return compare_results(roles);
}

temper_status check_file_roles(const struct arguments *arguments)
{
    struct file_roles roles = {.arguments = arguments};
    add_options(&roles);
    add_operands(&roles);
    temper_status status = add_derived_results(&roles);
    if (status == TEMPER_OK)
        status = process_group_agree(process_group_is_first() ? compare(&roles) : TEMPER_OK);
    for (size_t i = 0; i < roles.derived_count; i++)
        free(roles.derived[i]);
    return status;
}
