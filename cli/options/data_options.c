/* reading: from the command line to data. */
#include "options/data_options.h"

#include <string.h>
#include <time.h>

#include "message.h"
#include "options/options.h"
#include "process_group.h"

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

size_t threads_of(const struct arguments *arguments)
{
    return (size_t)number_of(arguments, OPT_THREADS);
}

static unsigned long long memory_of(const struct arguments *arguments)
{
    double bytes = 0;
    if (was_given(arguments, OPT_MEMORY)) /* it was checked with all the others */
        read_size(&option_table[OPT_MEMORY], text_of(arguments, OPT_MEMORY), &bytes);
    return (unsigned long long)bytes;
}

/* The library has the same names for everything, and the same meaning of "not given". */
temper_read_options reading_options(const struct arguments *arguments)
{
    return (temper_read_options){
        .format = text_of(arguments, OPT_FORMAT),
        .header = text_of(arguments, OPT_HEADER),
        .label = text_of(arguments, OPT_LABEL),
        .labels = text_of(arguments, OPT_LABELS),
        .ignore = text_of(arguments, OPT_IGNORE),
        .categorical = text_of(arguments, OPT_CATEGORICAL),
        .missing = text_of(arguments, OPT_MISSING),
        .classes = text_of(arguments, OPT_CLASSES),
        .weights = text_of(arguments, OPT_WEIGHTS),
        .class_weight = text_of(arguments, OPT_CLASS_WEIGHT),
        .channel = text_of(arguments, OPT_CHANNEL),
        .zero_based = was_given(arguments, OPT_ZERO_BASED),
        .f64 = strcmp(text_of(arguments, OPT_TYPE), "f64") == 0,
        .threads = threads_of(arguments),
        .comm = process_group_comm(),
        .memory = memory_of(arguments),
    };
}

temper_status check_path(const struct arguments *arguments, const char *path)
{
    if (*path)
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "%s: the name of a file is empty; give one, or - for the standard input",
                    arguments->command->name);
}

temper_status read_data(const struct arguments *arguments, const char *path, temper_data **data, double *seconds)
{
    temper_error error;
    temper_read_options options = reading_options(arguments);
    double start = seconds_now();
    temper_status status = check_path(arguments, path);
    if (status != TEMPER_OK)
        return status;
    if (temper_data_read(path, &options, data, &error) != TEMPER_OK)
        return complain_error(&error);
    if (seconds)
        *seconds = seconds_now() - start;
    return TEMPER_OK;
}

/* Some are warnings, which no --quiet keeps away. */
void print_sentences(const struct arguments *arguments, const char *sentences)
{
    static const char warning[] = "warning: ";
    const size_t skipped = strlen(warning);
    for (const char *line = sentences; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, warning, skipped) == 0)
            warn("%.*s", (int)(length - skipped), line + skipped);
        else if (!was_given(arguments, OPT_QUIET))
            note("%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void print_notes(const struct arguments *arguments, const temper_data *data)
{
    print_sentences(arguments, temper_data_notes(data));
}
