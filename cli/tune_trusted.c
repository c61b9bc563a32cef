/* tune_trusted: rows to label, and rows that were labelled. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csv.h"
#include "message.h"
#include "output.h"
#include "reading.h"
#include "tuning.h"

static const char head[] = "row,given,label\n";

/* ---- Out ------------------------------------------------------------------------------------- */

temper_status tuning_write_ask(const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fputs(head, page.stream);
    for (size_t i = 0; i < report->ask_count; i++) {
        fprintf(page.stream, "%llu,", report->ask[i] + 1);
        csv_cell(page.stream, temper_data_class_name(tuning->data, report->ask_label[i]));
        fputs(",\n", page.stream);
    }
    return page_save(&page, tuning->ask_path);
}

/* ---- In -------------------------------------------------------------------------------------- */

/* Whether the file is one of ours; "-" and what cannot be read is told by who reads it as data. */
static bool is_answered(const char *path)
{
    char line[sizeof head] = "";
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool ours = fgets(line, sizeof line, file) && strncmp(line, head, strlen(head) - 1) == 0;
    fclose(file);
    return ours;
}

/* The next cell of a line, in place and on to behind it; false if there is none. */
static bool next_cell(char **rest, char **cell)
{
    char *from = *rest, *to;
    if (!from)
        return false;
    *cell = to = from;
    if (*from == '"') {
        from++;
        while (*from && !(from[0] == '"' && from[1] != '"')) {
            from += from[0] == '"';
            *to++ = *from++;
        }
        from += *from == '"';
    } else {
        while (*from && *from != ',' && *from != '\r' && *from != '\n')
            *to++ = *from++;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return true;
}

static bool find_class(const temper_data *data, const char *name, uint32_t *number)
{
    size_t classes = temper_data_classes(data);
    for (*number = 0; *number < classes; ++*number)
        if (strcmp(temper_data_class_name(data, *number), name) == 0)
            return true;
    return false;
}

/* One line; a row without a label is not answered yet. */
static temper_status take_line(const temper_data *data, const char *path, size_t number, char *line,
                               struct trusted_rows *trusted)
{
    char *rest = line, *row, *given, *label, *end;
    uint32_t class_number;
    if (!next_cell(&rest, &row) || !next_cell(&rest, &given) || !next_cell(&rest, &label))
        return complain(TEMPER_BAD_DATA, "%s:%zu: this is not row,given,label; write it so", path, number);
    if (!*label)
        return TEMPER_OK;
    unsigned long long value = strtoull(row, &end, 10);
    if (*row < '0' || *row > '9' || *end || value == 0 || value > temper_data_rows_of_all(data))
        return complain(TEMPER_BAD_DATA, "%s:%zu: there is no row '%s'; rows count from 1 to %llu", path, number, row,
                        temper_data_rows_of_all(data));
    if (!find_class(data, label, &class_number))
        return complain(TEMPER_BAD_DATA, "%s:%zu: the data has no class '%s'; write it as there", path, number, label);
    unsigned long long *rows = realloc(trusted->row, (trusted->count + 1) * sizeof *rows);
    if (rows)
        trusted->row = rows;
    uint32_t *labels = realloc(trusted->label, (trusted->count + 1) * sizeof *labels);
    if (labels)
        trusted->label = labels;
    if (!rows || !labels)
        return complain_no_memory();
    rows[trusted->count] = value - 1;
    labels[trusted->count++] = class_number;
    return TEMPER_OK;
}

static temper_status read_answered(const temper_data *data, const char *path, struct trusted_rows *trusted)
{
    char *line = NULL;
    size_t size = 0, number = 0;
    temper_status status = TEMPER_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return complain(TEMPER_IO, "%s: cannot be read", path);
    while (status == TEMPER_OK && getline(&line, &size, file) > 0)
        if (++number > 1 && *line != '\n' && *line != '\r')
            status = take_line(data, path, number, line, trusted);
    free(line);
    fclose(file);
    if (status == TEMPER_OK && trusted->count == 0)
        return complain(TEMPER_BAD_DATA, "%s: no row has a label yet; fill in the column 'label'", path);
    return status;
}

/* What its columns are is known from DATA; files of labels and weights belong to that. */
static temper_status read_like(const struct arguments *arguments, const temper_data *data, const char *path,
                               struct trusted_rows *trusted)
{
    temper_error error;
    temper_read_options options = reading_options(arguments);
    struct stat there;
    options.comm = NULL; /* all of it for every process */
    options.labels = options.label = options.ignore = options.categorical = NULL;
    if (options.weights && stat(options.weights, &there) == 0)
        options.weights = NULL;
    if (temper_data_read_like(data, path, &options, &trusted->data, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

temper_status trusted_read(const struct arguments *arguments, const temper_data *data, const char *path,
                           struct trusted_rows *trusted)
{
    temper_status status = check_path(arguments, path);
    *trusted = (struct trusted_rows){0};
    if (status != TEMPER_OK)
        return status;
    return is_answered(path) ? read_answered(data, path, trusted) : read_like(arguments, data, path, trusted);
}

void trusted_free(struct trusted_rows *trusted)
{
    temper_data_free(trusted->data);
    free(trusted->row);
    free(trusted->label);
}
