/* cmd_experiment: temper experiment. */
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "message.h"
#include "output_paths.h"
#include "progress.h"

enum { PATH_ROOM = 64 };

/* temper-NAME.jsonl and the like, or what was asked for. */
static const char *name_file(const struct arguments *arguments, enum option_id id, const char *ending,
                             char path[PATH_ROOM])
{
    if (was_given(arguments, id))
        return text_of(arguments, id);
    snprintf(path, PATH_ROOM, "temper-%s%s", arguments->operand[0], ending);
    return path;
}

/* Better now than after hours. */
static temper_status check_file(const char *path)
{
    temper_file *file;
    temper_error error;
    if (temper_file_open(path, &file, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_file_discard(file);
    return TEMPER_OK;
}

/* The words as they were typed, for who wants the same page again. */
static temper_status typed(const struct arguments *arguments, char **text)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fprintf(page.stream, "temper experiment %s", arguments->operand[0]);
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const char *value = arguments->given[i];
        if (!was_given(arguments, (enum option_id)i))
            continue;
        fprintf(page.stream, " --%s", option_table[i].name);
        if (option_table[i].type != TYPE_FLAG)
            fprintf(page.stream, strpbrk(value, " '\"$\\*") ? " '%s'" : " %s", value);
    }
    status = page_close(&page);
    if (status == TEMPER_OK)
        *text = page.bytes;
    return status;
}

static temper_status print(const struct arguments *arguments, const struct plan *plan, const struct records *records,
                           const char *report)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(arguments, OPT_JSON)) {
        results_json(page.stream, plan, records);
        return page_print(&page);
    }
    results_text(page.stream, plan, records);
    status = page_print(&page);
    if (status == TEMPER_OK && !was_given(arguments, OPT_QUIET))
        note("the page is %s", report);
    return status;
}

static temper_status publish(const struct arguments *arguments, const struct plan *plan, const struct records *records,
                             const char *report)
{
    char *command;
    temper_status status = typed(arguments, &command);
    if (status != TEMPER_OK)
        return status;
    status = results_page(plan, records, command, report);
    free(command);
    return status == TEMPER_OK ? print(arguments, plan, records, report) : status;
}

static temper_status interrupted(const struct records *records)
{
    return complain(TEMPER_INTERRUPTED, "interrupted; %zu results are in %s, and the same command goes on from there",
                    records->count, records->path);
}

static temper_status run(const struct arguments *arguments, const struct plan *plan, struct records *records)
{
    char report_name[PATH_ROOM], records_name[PATH_ROOM];
    bool measures = plan->experiment->measure != MEASURE_NOTHING;
    const char *report = name_file(arguments, OPT_REPORT, ".html", report_name);
    const char *path = name_file(arguments, OPT_RECORDS, ".jsonl", records_name);
    temper_status status = check_file(report);
    if (status == TEMPER_OK && measures)
        status = check_file(path);
    if (status == TEMPER_OK && measures)
        status = records_open(records, path);
    if (status != TEMPER_OK)
        return status;
    interrupt_defer();
    status = plan_run(plan, records, was_given(arguments, OPT_QUIET));
    if (status == TEMPER_INTERRUPTED)
        return interrupted(records);
    return status == TEMPER_OK ? publish(arguments, plan, records, report) : status;
}

temper_status cmd_experiment(const struct arguments *arguments)
{
    struct records records = {0};
    struct plan *plan = calloc(1, sizeof *plan); /* too large for a stack */
    if (!plan)
        return complain_no_memory();
    interrupt_prepare();
    temper_status status = plan_make(arguments, plan);
    if (status == TEMPER_OK)
        status = run(arguments, plan, &records);
    records_close(&records);
    free(plan);
    return status;
}
