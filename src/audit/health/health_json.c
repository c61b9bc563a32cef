/* health_json: the health of a data set as one line of JSON. */
#include <math.h>
#include <stdlib.h>

#include "audit/health/health.h"
#include "base/json/json_write.h"
#include "base/memory.h"
#include "base/status.h"

enum { MOST_PAIRS = 500, MOST_ROWS = 500 }; /* of a list; counts are complete */
/* Pairs of classes below these are left out: expected rows, and share. */
static const double LEAST_ROWS = 0.5, LEAST_SHARE = 0.005;

/* What is written, and where each row is in the list of suspects, which has its place in the file. */
struct health_writer {
    struct text *out;
    const temper_audit_report *report;
    const char *const *names;
    size_t *place;
};

/* A pair of classes, to be sorted. */
struct health_pair {
    double value;
    size_t first, second;
};

static int by_value(const void *a, const void *b)
{
    const struct health_pair *one = a, *other = b;
    if (one->value != other->value)
        return one->value > other->value ? -1 : 1;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->second < other->second ? -1 : one->second > other->second;
}

/* Appends `, "name": value`; null if it is not finite. */
static void write_number(struct text *out, const char *name, double value)
{
    text_format(out, ", \"%s\": ", name);
    if (isfinite(value))
        json_write_f64(out, value);
    else
        text_append(out, "null");
}

/* A row as the list of suspects has it: counted from 1, and its line, where there are lines. */
static void write_row(const struct health_writer *writer, const char *name, const char *line, size_t row)
{
    const temper_audit_suspect *suspect = &writer->report->suspects[writer->place[row]];
    text_format(writer->out, "\"%s\": %zu", name, suspect->file_row + 1);
    if (suspect->line)
        text_format(writer->out, ", \"%s\": %zu", line, suspect->line);
}

/* "classes": [{...}, ...] */
static void write_classes(const struct health_writer *writer)
{
    struct text *out = writer->out;
    text_append(out, ", \"classes\": [");
    for (size_t c = 0; c < writer->report->classes; c++) {
        const temper_class_health *class = &writer->report->health->classes[c];
        text_append(out, c ? ", {\"class\": " : "{\"class\": ");
        json_write_string(out, writer->names[c]);
        text_format(out, ", \"rows\": %zu", class->rows);
        write_number(out, "expected_wrong", class->wrong);
        write_number(out, "expected_missed", class->missed);
        write_number(out, "predicted", class->predicted);
        text_format(out, ", \"duplicates\": %zu, \"outliers\": %zu, \"conflicts\": %zu}", class->duplicates,
                    class->outliers, class->conflicts);
    }
    text_append(out, "]");
}

/* The cells of a table [first * classes + second] from `least` on, the largest first; those above the diagonal only if
 * the table is symmetric. NULL without memory. */
static struct health_pair *sorted_pairs(const double *table, size_t classes, double least, bool symmetric,
                                        size_t *count)
{
    struct health_pair *pairs = mem_alloc(table ? classes * classes : 1, sizeof *pairs);
    *count = 0;
    if (!pairs || !table)
        return pairs;
    for (size_t i = 0; i < classes * classes; i++) {
        size_t first = i / classes, second = i % classes;
        if (first != second && !(symmetric && first > second) && table[i] >= least)
            pairs[(*count)++] = (struct health_pair){table[i], first, second};
    }
    qsort(pairs, *count, sizeof *pairs, by_value);
    return pairs;
}

/* A list of pairs, which is freed. `keys`: the names of the first class, the second, and the value. */
static void write_pairs(const struct health_writer *writer, const char *name, const char *const keys[3],
                        struct health_pair *pairs, size_t count)
{
    struct text *out = writer->out;
    text_format(out, ", \"%s\": [", name);
    for (size_t i = 0; i < count && i < MOST_PAIRS; i++) {
        text_format(out, "%s{\"%s\": ", i ? ", " : "", keys[0]);
        json_write_string(out, writer->names[pairs[i].first]);
        text_format(out, ", \"%s\": ", keys[1]);
        json_write_string(out, writer->names[pairs[i].second]);
        write_number(out, keys[2], pairs[i].value);
        text_append(out, "}");
    }
    text_append(out, "]");
    mem_free(pairs);
}

/* Both tables of pairs; false without memory. */
static bool write_tables(const struct health_writer *writer)
{
    static const char *const wrong[] = {"true", "given", "expected_rows"}, *const overlap[] = {"a", "b", "share"};
    const temper_audit_report *report = writer->report;
    size_t classes = report->classes, count, shares;
    struct health_pair *pairs = sorted_pairs(report->transition, classes, LEAST_ROWS, false, &count);
    struct health_pair *shared = sorted_pairs(report->health->overlap, classes, LEAST_SHARE, true, &shares);
    if (!pairs || !shared) {
        mem_free(pairs);
        mem_free(shared);
        return false;
    }
    write_pairs(writer, "mislabelled", wrong, pairs, count);
    write_pairs(writer, "overlaps", overlap, shared, shares);
    return true;
}

/* "duplicates": {...} */
static void write_duplicates(const struct health_writer *writer)
{
    const temper_audit_health *health = writer->report->health;
    struct text *out = writer->out;
    text_format(out, ", \"duplicates\": {\"rows\": %zu, \"across_classes\": %zu, \"pairs\": %zu, \"list\": [",
                health->duplicate_rows, health->across_rows, health->duplicate_count);
    for (size_t i = 0; i < health->duplicate_count && i < MOST_ROWS; i++) {
        const temper_near_duplicate *pair = &health->duplicates[i];
        text_append(out, i ? ", {" : "{");
        write_row(writer, "row", "line", pair->row);
        text_append(out, ", ");
        write_row(writer, "other_row", "other_line", pair->other);
        write_number(out, "distance", pair->distance);
        text_append(out, pair->across ? ", \"across_classes\": true}" : ", \"across_classes\": false}");
    }
    text_append(out, "]}");
}

/* "outliers": {...} */
static void write_outliers(const struct health_writer *writer)
{
    const temper_audit_health *health = writer->report->health;
    struct text *out = writer->out;
    text_format(out, ", \"outliers\": {\"rows\": %zu, \"list\": [", health->outlier_count);
    for (size_t i = 0; i < health->outlier_count && i < MOST_ROWS; i++) {
        text_append(out, i ? ", {" : "{");
        write_row(writer, "row", "line", health->outliers[i]);
        write_number(out, "score", health->outlier_scores[i]);
        text_append(out, "}");
    }
    text_append(out, "]}");
}

temper_status health_write(struct text *out, const temper_audit_report *report, const char *const *names,
                           temper_error *error)
{
    struct health_writer writer = {out, report, names, mem_alloc(report->rows, sizeof *writer.place)};
    if (!writer.place)
        return error_no_memory(error);
    for (size_t i = 0; i < report->rows; i++)
        writer.place[report->suspects[i].row] = i;
    text_format(out, "{\"rows\": %zu", report->rows);
    write_number(out, "expected_wrong", report->wrong);
    write_number(out, "predicted", report->accuracy);
    write_classes(&writer);
    bool written = write_tables(&writer);
    write_duplicates(&writer);
    write_outliers(&writer);
    text_format(out, ", \"conflicts\": %zu}", report->conflicts);
    mem_free(writer.place);
    return written ? TEMPER_OK : error_no_memory(error);
}
