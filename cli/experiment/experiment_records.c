/* experiment_records: results in a file, a line of JSON each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "json.h"
#include "message.h"
#include "output_paths.h"

struct record record_unknown(void)
{
    return (struct record){
#define RECORD_NAN(name) .name = NAN,
        RECORD_NUMBERS(RECORD_NAN)
#undef RECORD_NAN
    };
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void take_number(struct record *record, const char *name, double number)
{
#define RECORD_TAKE(member)                                                                                            \
    if (strcmp(name, #member) == 0)                                                                                    \
        record->member = number;
    RECORD_NUMBERS(RECORD_TAKE)
#undef RECORD_TAKE
}

/* Members of a record that say what was done are in its key too, and are not asked for again. */
static void take_member(void *context, const struct json_member *member)
{
    struct record *record = context;
    if (member->is_text && strcmp(member->name, "key") == 0 && !record->key)
        record->key = strdup(member->text);
    else if (member->is_text && strcmp(member->name, "stop") == 0)
        snprintf(record->stop, sizeof record->stop, "%.31s", member->text);
    else if (member->is_text && strcmp(member->name, "decided_by") == 0)
        snprintf(record->decided, sizeof record->decided, "%.31s", member->text);
    else if (!member->is_text)
        take_number(record, member->name, member->is_null ? NAN : member->number);
}

/* Room for one more; false without memory. */
static bool grow(struct records *records)
{
    size_t capacity = records->capacity ? 2 * records->capacity : 64;
    if (records->count < records->capacity)
        return true;
    struct record *record = realloc(records->record, capacity * sizeof *record);
    if (!record)
        return false;
    records->record = record;
    char **line = (char **)realloc((void *)records->line, capacity * sizeof *line);
    if (!line)
        return false;
    records->line = line;
    records->capacity = capacity;
    return true;
}

/* Takes a line, which is the callee's from now on. */
static temper_status keep_line(struct records *records, char *line, size_t number)
{
    struct record record = record_unknown();
    bool read = json_line_read(line, take_member, &record);
    if (!read || !record.key || !grow(records)) {
        bool bad = !read || !record.key;
        free(record.key);
        free(line);
        if (!bad)
            return complain_no_memory();
        return complain(TEMPER_BAD_DATA,
                        "%s:%zu: this line is no record; remove it, or give --records another "
                        "file",
                        records->path, number);
    }
    records->record[records->count] = record;
    records->line[records->count++] = line;
    return TEMPER_OK;
}

/* A last line without its end is what a crash has left of it: dropped. */
static temper_status read_lines(struct records *records, FILE *file)
{
    temper_status status = TEMPER_OK;
    for (size_t number = 1; status == TEMPER_OK; number++) {
        char *line = NULL;
        size_t room = 0;
        ssize_t length = getline(&line, &room, file);
        if (length <= 0 || line[length - 1] != '\n') {
            free(line);
            break;
        }
        line[length - 1] = '\0';
        status = keep_line(records, line, number);
    }
    if (status == TEMPER_OK && ferror(file))
        return complain(TEMPER_IO, "%s: cannot be read: %s; give --records another file", records->path,
                        strerror(errno));
    return status;
}

temper_status records_open(struct records *records, const char *path)
{
    *records = (struct records){.path = path};
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT)
        return TEMPER_OK;
    if (!file)
        return complain(TEMPER_IO, "%s: cannot be read: %s; give --records another file", path, strerror(errno));
    temper_status status = read_lines(records, file);
    fclose(file);
    return status;
}

void records_close(struct records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        free(records->record[i].key);
        free(records->line[i]);
    }
    free(records->record);
    free((void *)records->line);
    *records = (struct records){0};
}

const struct record *records_find(const struct records *records, const char *key)
{
    for (size_t i = 0; i < records->count; i++)
        if (strcmp(records->record[i].key, key) == 0)
            return &records->record[i];
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void text_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

static void number_member(FILE *out, const char *name, double number)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, number);
}

/* What was done, one by one, for programs. */
static void write_cell(FILE *out, const struct plan *plan, const struct cell *cell)
{
    text_member(out, "experiment", plan->experiment->name);
    text_member(out, "version", temper_version());
    text_member(out, "set", cell->set->name);
    text_member(out, "classes", plan_classes(plan, cell->set));
    text_member(out, "scale", plan_scale(plan, cell->set));
    number_member(out, "row_limit", (double)plan->rows);
    number_member(out, "seed", (double)plan->seed);
    number_member(out, "split", (double)cell->split);
    number_member(out, "split_seed", (double)plan_seed(plan, cell->split));
    text_member(out, "noise", cell->noise);
    number_member(out, "rate", cell->rate);
    text_member(out, "method", cell->method ? cell->method->label : "all");
    number_member(out, "threads", (double)plan->threads);
    if (plan->experiment->measure == MEASURE_STARTS)
        number_member(out, "deviation", cell->deviation);
}

static void write_record(FILE *out, const struct plan *plan, const struct cell *cell, const struct record *record)
{
    char grid[GRID_LENGTH], key[KEY_LENGTH];
    bool tunes = plan->grid != NULL;
    fputs("{\"key\": ", out);
    json_text(out, plan_key(plan, cell, key));
    write_cell(out, plan, cell);
    if (tunes) {
        number_member(out, "folds", (double)plan->folds);
        text_member(out, "grid", plan_grid(plan, cell, grid));
    }
    text_member(out, "stop", record->stop);
    text_member(out, "decided_by", *record->decided ? record->decided : NULL);
#define RECORD_WRITE(name) number_member(out, #name, record->name);
    RECORD_NUMBERS(RECORD_WRITE)
#undef RECORD_WRITE
    fputs("}", out);
}

/* All lines, in one go: a reader sees the old file or the new one, and so does who comes after a
 * crash. */
static temper_status save(const struct records *records)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < records->count; i++)
        fprintf(page.stream, "%s\n", records->line[i]);
    return page_save(&page, records->path);
}

/* Through its own text: what is used now is what would be read after an interruption. */
temper_status records_add(struct records *records, const struct plan *plan, const struct cell *cell,
                          const struct record *record)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    write_record(page.stream, plan, cell, record);
    status = page_close(&page);
    if (status == TEMPER_OK)
        status = keep_line(records, page.bytes, records->count + 1);
    return status == TEMPER_OK ? save(records) : status;
}
