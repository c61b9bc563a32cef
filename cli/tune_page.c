/* tune_page: the candidates as heat maps, and the choice in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_tune.h"
#include "message.h"
#include "number_format.h"
#include "output_paths.h"

enum { MOST_NAMES = 128, NAME_SIZE = 40, MOST_BLOCKS = 16, WORDS_SIZE = 1024 };

/* Names of the rows or columns of a map, each once. */
struct names {
    char text[MOST_NAMES][NAME_SIZE];
    const char *list[MOST_NAMES];
    size_t count;
    bool full;
};

/* A map in the making. */
struct map {
    struct names rows, columns;
    double *value; /* [MOST_NAMES][MOST_NAMES], with gaps */
    size_t marked_row, marked_column;
};

/* The page. */
struct sheet {
    temper_page_block block[MOST_BLOCKS];
    size_t count;
    char *picture[2];
    char source[WORDS_SIZE];
    char words[WORDS_SIZE];
};

/* The number of a name, which is added if it is new; it stays 0 when there is no room. */
static size_t number_of_name(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->text[i], name) == 0)
            return i;
    if (names->count == MOST_NAMES) {
        names->full = true;
        return 0;
    }
    snprintf(names->text[names->count], NAME_SIZE, "%s", name);
    names->list[names->count] = names->text[names->count];
    return names->count++;
}

/* The larger one stays. */
static void put(struct map *map, const char *row, const char *column, double value, bool marked)
{
    size_t i = number_of_name(&map->rows, row), j = number_of_name(&map->columns, column);
    double *cell = &map->value[i * MOST_NAMES + j];
    *cell = isnan(*cell) ? value : fmax(*cell, value);
    if (marked) {
        map->marked_row = i;
        map->marked_column = j;
    }
}

static temper_status map_new(struct map **out)
{
    struct map *map = calloc(1, sizeof *map);
    double *value = malloc((size_t)MOST_NAMES * MOST_NAMES * sizeof *value);
    if (!map || !value) {
        free(map);
        free(value);
        complain_no_memory();
        return TEMPER_NO_MEMORY; /* in so many words, for who analyses this */
    }
    for (size_t i = 0; i < (size_t)MOST_NAMES * MOST_NAMES; i++)
        value[i] = NAN;
    map->value = value;
    *out = map;
    return TEMPER_OK;
}

static void map_free(struct map *map)
{
    free(map->value);
    free(map);
}

static temper_status draw(struct map *map, temper_heatmap_figure figure, char **svg, size_t *length)
{
    size_t rows = map->rows.count, columns = map->columns.count;
    temper_error error;
    if (map->rows.full || map->columns.full)
        return complain(TEMPER_USAGE, "tune: the grid is too large to draw; it may have 128 losses "
                                      "and 128 penalties");
    for (size_t i = 0; i < rows; i++) /* without the gaps */
        memmove(map->value + i * columns, map->value + i * MOST_NAMES, columns * sizeof(double));
    figure.rows = map->rows.list;
    figure.row_count = rows;
    figure.columns = map->columns.list;
    figure.column_count = columns;
    figure.values = map->value;
    figure.marked = map->marked_row * columns + map->marked_column;
    figure.shares = 1;
    if (temper_plot_heatmap(&figure, svg, length, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* All candidates: losses down, penalties across. */
static temper_status draw_all(const temper_tune_report *report, char **svg, size_t *length)
{
    struct map *map;
    temper_status status = map_new(&map);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        char row[NAME_SIZE], column[NAME_SIZE];
        if (candidate->loss.method == TEMPER_HINGE)
            snprintf(row, sizeof row, "hinge");
        else
            snprintf(row, sizeof row, "%s%.4g, %.4g", candidate->loss.method == TEMPER_BREGMAN ? "bregman " : "",
                     candidate->loss.t1, candidate->loss.t2);
        snprintf(column, sizeof column, "%.2g", candidate->l2);
        put(map, row, column, candidate->accuracy, i == report->best);
    }
    status =
        draw(map, (temper_heatmap_figure){.title = "Cross-validated accuracy, %", .x_title = "l2", .y_title = "t1, t2"},
             svg, length);
    map_free(map);
    return status;
}

/* The best penalty of each pair of temperatures. */
static temper_status draw_pairs(const temper_tune_report *report, char **svg, size_t *length)
{
    struct map *map;
    temper_status status = map_new(&map);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        char row[NAME_SIZE], column[NAME_SIZE];
        if (candidate->loss.method == TEMPER_HINGE || candidate->loss.method == TEMPER_BREGMAN)
            continue;
        snprintf(row, sizeof row, "%.4g", candidate->loss.t1);
        snprintf(column, sizeof column, "%.4g", candidate->loss.t2);
        put(map, row, column, candidate->accuracy, i == report->best);
    }
    if (map->rows.count)
        status =
            draw(map, (temper_heatmap_figure){.title = "At the best penalty of each", .x_title = "t2", .y_title = "t1"},
                 svg, length);
    map_free(map);
    return status;
}

/* ---- The page -------------------------------------------------------------------------------- */

static void add_block(struct sheet *sheet, temper_page_block_kind kind, const char *text)
{
    if (sheet->count < MOST_BLOCKS)
        sheet->block[sheet->count++] = (temper_page_block){.kind = kind, .text = text};
}

/* Which files, how many rows, which classes: as the pages that the library makes begin. */
static void add_source(struct sheet *sheet, const struct tuning *tuning)
{
    enum { CLASSES_NAMED = 10, NAME_WIDTH = 24, ROOM = WORDS_SIZE - NAME_SHOWN };
    const temper_data *data = tuning->data;
    unsigned long long dropped = temper_data_dropped_rows(data);
    size_t classes = temper_data_classes(data), i = 0, used;
    snprintf(sheet->source, ROOM, "Model: %s. Data: %s, %llu rows", tuning->model_path, tuning->data_path,
             temper_data_total_rows(data));
    used = strlen(sheet->source);
    if (dropped > 0)
        snprintf(sheet->source + used, ROOM - used, " (%llu more dropped: values are missing)", dropped);
    used = strlen(sheet->source);
    snprintf(sheet->source + used, ROOM - used, ", %zu classes", classes);
    used = strlen(sheet->source);
    for (; i < classes && i < CLASSES_NAMED && used < ROOM - 4; i++) {
        char name[NAME_SHOWN];
        figure_name(temper_data_class_name(data, i), NAME_WIDTH, name);
        snprintf(sheet->source + used, WORDS_SIZE - 5 - used, "%s%s", i ? ", " : ": ", name);
        used = strlen(sheet->source);
    }
    snprintf(sheet->source + used, WORDS_SIZE - used, i < classes ? ", ..." : ".");
    add_block(sheet, TEMPER_PAGE_PARAGRAPH, sheet->source);
}

static void add_words(struct sheet *sheet, const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    const temper_tune_candidate *best = &report->table[report->best];
    char setting[NAME_SIZE] = "the hinge";
    if (best->loss.method != TEMPER_HINGE)
        snprintf(setting, sizeof setting, "t1 = %.4g, t2 = %.4g", best->loss.t1, best->loss.t2);
    snprintf(sheet->words, sizeof sheet->words,
             "Chosen: %s, l2 = %.4g, decided by %s: %s. Its accuracy on rows that its models have "
             "not seen, against labels as they are given, is %.2f %% (standard error %.2f), of "
             "%zu candidates and %zu folds.",
             setting, best->l2, report->decided_by, report->reason, 100 * best->accuracy, 100 * best->accuracy_error,
             report->count, report->folds);
    add_block(sheet, TEMPER_PAGE_PARAGRAPH, sheet->words);
}

/* A paragraph for each sentence; the list is cut in place. */
static void add_warnings(struct sheet *sheet, char *warnings)
{
    if (*warnings)
        add_block(sheet, TEMPER_PAGE_HEADING, "Warnings");
    while (*warnings) {
        size_t length = strcspn(warnings, "\n");
        char *next = warnings + length + (warnings[length] == '\n');
        warnings[length] = '\0';
        add_block(sheet, TEMPER_PAGE_PARAGRAPH, warnings);
        warnings = next;
    }
}

static temper_status write_page(const struct tuning *tuning, struct sheet *sheet, const char *path)
{
    temper_error error;
    char *html, warnings[sizeof tuning->report.warnings];
    size_t length;
    memcpy(warnings, tuning->report.warnings, sizeof warnings);
    add_source(sheet, tuning);
    add_words(sheet, tuning);
    add_warnings(sheet, warnings);
    add_block(sheet, TEMPER_PAGE_HEADING, "Candidates");
    for (size_t i = 0; i < 2; i++)
        if (sheet->picture[i])
            add_block(sheet, TEMPER_PAGE_PICTURE, sheet->picture[i]);
    add_block(sheet, TEMPER_PAGE_PARAGRAPH,
              "The choice is marked. Candidates that were hopeless on two halves of the rows show "
              "their accuracy there. The differences that matter may not be seen in these figures: "
              "labels that are wrong in a way that can be learnt raise the accuracy of those who "
              "learn them.");
    if (temper_page_to_html("Tuning", sheet->block, sheet->count, &html, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(path, html, length);
    temper_free(html);
    return status;
}

static bool ends_in_svg(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

temper_status tuning_write_report(const struct tuning *tuning, const char *path)
{
    struct sheet sheet = {.count = 0};
    size_t length = 0;
    temper_status status = draw_all(&tuning->report, &sheet.picture[0], &length);
    if (status == TEMPER_OK && ends_in_svg(path)) {
        status = output_write(path, sheet.picture[0], length);
    } else if (status == TEMPER_OK) {
        status = draw_pairs(&tuning->report, &sheet.picture[1], &length);
        if (status == TEMPER_OK)
            status = write_page(tuning, &sheet, path);
    }
    temper_free(sheet.picture[0]);
    temper_free(sheet.picture[1]);
    return status;
}
