/* cmd_experiment: temper experiment. Runs one of the paper's experiments, prints a table and writes a page. The work is
 * in three steps: the plan from the options, the measurements that the file of results lacks, and table and page from
 * all results. */
#include <stdlib.h>

#include "base/atomic_file.h"
#include "experiment/experiment.h"
#include "message.h"
#include "options/typed_command.h"
#include "output_paths.h"

enum { PATH_SIZE = 64 };

/* The output path: the value of the option, or temper-NAME with the ending, in the current folder. */
static const char *name_file(const struct arguments *arguments, enum option_id id, const char *ending,
                             char path[PATH_SIZE])
{
    if (was_given(arguments, id))
        return text_of(arguments, id);
    snprintf(path, PATH_SIZE, "temper-%s%s", arguments->operand[0], ending);
    return path;
}

/* Opens and drops a temporary file beside the target, so that an unwritable path is reported before hours of work. */
static temper_status check_file(const char *path)
{
    struct atomic_file *file;
    temper_error error;
    TRY(checked(atomic_file_open(path, &file, &error), &error));
    atomic_file_drop(file);
    return TEMPER_OK;
}

/* The command line, to be printed on the page; *text is to be freed. */
static temper_status typed_command(const struct arguments *arguments, char **text)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    print_typed_command(buffer.stream, arguments, (const enum option_id[]){OPT_COUNT});
    TRY(output_close(&buffer));
    *text = buffer.bytes;
    return TEMPER_OK;
}

/* Prints the table or JSON to the standard output. The path of the page is a note on the standard error, so that it
 * does not mix with JSON. */
static temper_status print_results(const struct arguments *arguments, const struct experiment_plan *plan,
                                   const struct result_file *results, const char *page)
{
    struct output_buffer buffer;
    bool json = was_given(arguments, OPT_JSON);
    TRY(output_open(&buffer));
    (json ? results_json : results_text)(buffer.stream, plan, results);
    TRY(output_print(&buffer));
    if (!json && !was_given(arguments, OPT_QUIET))
        note("the page is %s", page);
    return TEMPER_OK;
}

/* Everything after the options are valid: checks output paths, measures, writes the page, prints. */
static temper_status run_plan(const struct arguments *arguments, const struct experiment_plan *plan,
                              struct result_file *results)
{
    char page_name[PATH_SIZE], results_name[PATH_SIZE], *command;
    const char *page = name_file(arguments, OPT_REPORT, ".html", page_name);
    const char *path =
        name_file(arguments, OPT_RECORDS, ".jsonl", results_name); /* of the results, a line of JSON each */
    /* Both files are checked before the first measurement. */
    TRY(check_file(page));
    /* A figure of functions measures nothing and has no file of results. */
    if (plan->experiment->measure != MEASURE_NOTHING) {
        TRY(check_file(path));
        TRY(results_open(results, path));
    }
    /* From here on a signal only sets a flag: the measurement in progress ends before its result is saved. */
    interrupt_defer();
    temper_status status = plan_run(plan, results, was_given(arguments, OPT_QUIET));
    if (status == TEMPER_INTERRUPTED)
        return fail(TEMPER_INTERRUPTED, "interrupted; %zu results are in %s; run the same command again to continue",
                    results->count, results->path);
    TRY(status);
    TRY(typed_command(arguments, &command));
    status = results_page(plan, results, command, page);
    free(command);
    return status == TEMPER_OK ? print_results(arguments, plan, results, page) : status;
}

/* The command. `results` is zero until results_open, so results_close is valid on every path. */
temper_status cmd_experiment(const struct arguments *arguments)
{
    struct result_file results = {0};
    struct experiment_plan *plan = calloc(1, sizeof *plan); /* too large for the stack */
    if (!plan)
        return fail_no_memory();
    interrupt_prepare();
    temper_status status = plan_make(arguments, plan);
    if (status == TEMPER_OK)
        status = run_plan(arguments, plan, &results);
    results_close(&results);
    free(plan);
    return status;
}
