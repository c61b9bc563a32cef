/* result_file: results of cells in a file, a line of JSON each. The file is the only memory of an experiment between
 * runs, and processes that run at the same time share it: results are appended under a lock, and each process reads
 * what others have appended. Unknown members are ignored, and lines of other plans are kept as they are. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/memory.h"
#include "experiment/experiment.h"
#include "json_csv.h"
#include "message.h"
#include "output_paths.h"

/* All numbers NAN, all texts empty. */
struct cell_result result_unknown(void)
{
    return (struct cell_result){
#define RESULT_NAN(name) .name = NAN,
        RESULT_NUMBERS(RESULT_NAN)
#undef RESULT_NAN
    };
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Sets the field of that name, generated from the list of numbers; unknown names are ignored, so that files of later
 * versions can be read. */
static void take_number(struct cell_result *result, const char *name, double number)
{
#define RESULT_TAKE(field)                                                                                             \
    if (strcmp(name, #field) == 0)                                                                                     \
        result->field = number;
    RESULT_NUMBERS(RESULT_TAKE)
#undef RESULT_TAKE
}

/* Stores key, stop and decided_by; takes ownership of `text`, from mem_alloc. Other texts describe the cell and repeat
 * parts of the key. */
static void take_text(struct cell_result *result, const char *name, char *text)
{
    if (strcmp(name, "key") == 0 && !result->key) {
        result->key = text;
        return;
    }
    if (strcmp(name, "stop") == 0)
        snprintf(result->stop, sizeof result->stop, "%s", text);
    else if (strcmp(name, "decided_by") == 0)
        snprintf(result->decided, sizeof result->decided, "%s", text);
    mem_free(text);
}

/* Parses a JSON object of texts, numbers and nulls; false if it is malformed or has no key. */
static bool parse_line(const char *line, struct cell_result *result)
{
    struct json_reader json;
    char name[JSON_KEY], *text;
    double number;
    json_open(&json, "", line, strlen(line), NULL);
    json_object(&json);
    while (json_key(&json, name)) {
        if (json_null(&json)) {
            take_number(result, name, NAN);
            /* The reader has no call for the type of the next value. */
        } else if (json.at[strspn(json.at, " ")] == '"') {
            if (json_string(&json, &text))
                take_text(result, name, text);
        } else if (json_f64(&json, &number)) {
            take_number(result, name, number);
        }
    }
    return json_end(&json) && result->key;
}

/* Grows both arrays to hold one more result, doubling the capacity; false without memory. If the second array cannot
 * grow, the first stays larger than needed, which is harmless. */
static bool grow(struct result_file *results)
{
    size_t capacity = results->capacity ? 2 * results->capacity : 64;
    if (results->count < results->capacity)
        return true;
    struct cell_result *result = realloc(results->result, capacity * sizeof *result);
    if (!result)
        return false;
    results->result = result;
    char **line = (char **)realloc((void *)results->line, capacity * sizeof *line);
    if (!line)
        return false;
    results->line = line;
    results->capacity = capacity;
    return true;
}

/* Parses a line and appends the result with its text. Takes ownership of the line, also on failure; `number` is for the
 * message. */
static temper_status append_line(struct result_file *results, char *line, size_t number)
{
    struct cell_result result = result_unknown();
    bool valid = parse_line(line, &result);
    if (valid && grow(results)) {
        results->result[results->count] = result;
        results->line[results->count++] = line;
        return TEMPER_OK;
    }
    mem_free(result.key);
    free(line);
    if (valid)
        return fail_no_memory();
    return fail(TEMPER_BAD_DATA, "%s:%zu: this line is not a result; remove it, or give --records another file",
                results->path, number);
}

/* Reads the lines that were not read yet: all, or those that another process has appended since. A last line without
 * its newline was being written when a program was killed, and is not a result: its cell is measured again. */
static temper_status read_lines(struct result_file *results, FILE *file)
{
    if (fseeko(file, results->bytes, SEEK_SET) != 0)
        return fail(TEMPER_IO, "%s: cannot be read: %s; give --records another file", results->path, strerror(errno));
    for (;;) {
        char *line = NULL;
        size_t size = 0;
        ssize_t length = getline(&line, &size, file);
        /* End of the file, a read error (checked below), or an incomplete line. */
        if (length <= 0 || line[length - 1] != '\n') {
            free(line);
            break;
        }
        line[length - 1] = '\0';
        TRY(append_line(results, line, results->count + 1));
        results->bytes += length;
    }
    if (ferror(file))
        return fail(TEMPER_IO, "%s: cannot be read: %s; give --records another file", results->path, strerror(errno));
    return TEMPER_OK;
}

/* An absent file is the normal case of a first run. */
temper_status results_refresh(struct result_file *results)
{
    FILE *file = fopen(results->path, "r");
    if (!file && errno == ENOENT)
        return TEMPER_OK;
    if (!file)
        return fail(TEMPER_IO, "%s: cannot be read: %s; give --records another file", results->path, strerror(errno));
    temper_status status = read_lines(results, file);
    fclose(file);
    return status;
}

/* `path` is borrowed. */
temper_status results_open(struct result_file *results, const char *path)
{
    *results = (struct result_file){.path = path};
    return results_refresh(results);
}

/* Keys come from the JSON reader (mem_alloc), lines from getline (malloc). */
void results_close(struct result_file *results)
{
    for (size_t i = 0; i < results->count; i++) {
        mem_free(results->result[i].key);
        free(results->line[i]);
    }
    free(results->result);
    free((void *)results->line);
    *results = (struct result_file){0};
}

/* A linear search: thousands of results at most, each of which took seconds to measure. */
const struct cell_result *results_find(const struct result_file *results, const char *key)
{
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(results->result[i].key, key) == 0)
            return &results->result[i];
    return NULL;
}

const struct cell_result *result_of(const struct experiment_plan *plan, const struct result_file *results,
                                    const struct experiment_cell *cell)
{
    char key[KEY_LENGTH];
    return results_find(results, plan_key(plan, cell, key));
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The parts of the key as separate members, for programs that analyse the file; the reader of this file ignores them.
 * */
static void write_cell(FILE *out, const struct experiment_plan *plan, const struct experiment_cell *cell)
{
    json_text_member(out, "experiment", plan->experiment->name);
    json_text_member(out, "version", temper_version());
    json_text_member(out, "set", cell->set->name);
    json_text_member(out, "classes", plan_classes(plan, cell->set));
    json_text_member(out, "scale", plan_scale(plan, cell->set));
    json_number_member(out, "row_limit", (double)plan->rows);
    json_number_member(out, "seed", (double)plan->seed);
    json_number_member(out, "split", (double)cell->split);
    json_number_member(out, "split_seed", (double)plan_seed(plan, cell->split));
    json_text_member(out, "noise", cell->noise);
    json_number_member(out, "rate", cell->rate);
    json_text_member(out, "method", cell->method ? cell->method->label : "all");
    json_number_member(out, "threads", (double)plan->threads);
    if (plan->experiment->measure == MEASURE_STARTS)
        json_number_member(out, "deviation", cell->deviation);
}

/* One line without its newline. Numbers that are NAN become null. */
static void write_result(FILE *out, const struct experiment_plan *plan, const struct experiment_cell *cell,
                         const struct cell_result *result)
{
    char grid[GRID_LENGTH], key[KEY_LENGTH];
    /* The key comes first, for people who read the file. */
    fputs("{\"key\": ", out);
    json_text(out, plan_key(plan, cell, key));
    write_cell(out, plan, cell);
    /* Only experiments that tune. */
    if (plan->grid) {
        json_number_member(out, "folds", (double)plan->folds);
        json_text_member(out, "grid", plan_grid(plan, cell, grid));
    }
    json_text_member(out, "stop", result->stop);
    json_text_member(out, "decided_by", *result->decided ? result->decided : NULL);
#define RESULT_WRITE(name) json_number_member(out, #name, result->name);
    RESULT_NUMBERS(RESULT_WRITE)
#undef RESULT_WRITE
    fputs("}", out);
}

/* Waits until no other process holds the file; closing it releases it. */
static bool lock_file(FILE *file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(fileno(file), F_SETLKW, &whole) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

/* Appends a line behind the last complete one, replacing what a killed program may have left there. */
static bool write_line(const struct result_file *results, FILE *file, const char *line)
{
    struct stat found;
    if (fstat(fileno(file), &found) != 0)
        return false;
    if (found.st_size > results->bytes && ftruncate(fileno(file), results->bytes) != 0)
        return false;
    return fseeko(file, 0, SEEK_END) == 0 && fprintf(file, "%s\n", line) > 0 && fflush(file) == 0 &&
           fsync(fileno(file)) == 0;
}

/* Under the lock: what others have appended comes first. Of two processes that measured the same cell, the result of
 * the first stays. The new line is then read back, so that later tables see exactly what a continued run would read. */
static temper_status add_line(struct result_file *results, FILE *file, const char *key, const char *line)
{
    if (!lock_file(file))
        return fail(TEMPER_IO, "%s: cannot be locked: %s; give --records another file", results->path, strerror(errno));
    TRY(read_lines(results, file));
    if (results_find(results, key))
        return TEMPER_OK;
    if (!write_line(results, file, line))
        return fail(TEMPER_IO, "%s: cannot be written: %s; make room, or give --records another file", results->path,
                    strerror(errno));
    return read_lines(results, file);
}

/* Several processes may share the file: each appends, and none rewrites what is there. */
temper_status results_add(struct result_file *results, const struct experiment_plan *plan,
                          const struct experiment_cell *cell, const struct cell_result *result)
{
    struct output_buffer buffer;
    char key[KEY_LENGTH];
    TRY(output_open(&buffer));
    write_result(buffer.stream, plan, cell, result);
    TRY(output_close(&buffer));
    FILE *file = fopen(results->path, "a+");
    temper_status status = file ? add_line(results, file, plan_key(plan, cell, key), buffer.bytes)
                                : fail(TEMPER_IO, "%s: cannot be written: %s; give --records another file",
                                       results->path, strerror(errno));
    if (file)
        fclose(file);
    free(buffer.bytes);
    return status;
}
