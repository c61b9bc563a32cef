/* api_split_file: files for training and testing from one file. */
#include <string.h>

#include "api/api_internal.h"
#include "base/memory.h"
#include "data/split_file/split_file.h"

temper_split_file_options temper_split_file_defaults(void)
{
    return (temper_split_file_options){.struct_size = sizeof(temper_split_file_options), .share = 0.2, .seed = 1};
}

/* Refuses contradictions before anything is read. */
static temper_status check_options(const temper_split_file_options *options, temper_error *error)
{
    if (!options->train || !options->test)
        return error_set(error, TEMPER_USAGE, "there are no names for the files; give those for training and testing");
    if (!options->folds && !(options->share > 0 && options->share < 1))
        return error_set(error, TEMPER_USAGE, "the share of rows for testing is to be between 0 and 1; give another");
    if (options->folds == 1)
        return error_set(error, TEMPER_USAGE, "one fold is no division; give 2 or more");
    if (options->time && (options->group || options->stratify))
        return error_set(error, TEMPER_USAGE,
                         "--time divides the rows by time alone; drop --group and --stratify, or --time");
    return TEMPER_OK;
}

temper_status temper_split_file(const char *path, const temper_read_options *read,
                                const temper_split_file_options *options, temper_split_file_report *report,
                                temper_error *error)
{
    temper_read_options full;
    temper_split_file_options how = temper_split_file_defaults();
    TRY(api_read_options(&full, read, error));
    TRY(api_options(&how, sizeof how, options, "split_file", error));
    TRY(check_options(&how, error));
    if (strcmp(path, "-") == 0)
        return error_set(error, TEMPER_USAGE, "the rows are read twice, and the standard input only once; give a file");
    return split_file(path, &full, &how, report, error);
}

void temper_split_file_report_free(temper_split_file_report *report)
{
    if (!report)
        return;
    mem_free(report->train_rows);
    mem_free(report->test_rows);
    report->train_rows = report->test_rows = NULL;
}
