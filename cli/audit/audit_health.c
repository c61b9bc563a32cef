/* audit_health: prints a table of the classes, then pairs of classes that overlap, near duplicates and outliers. */
#include "audit/audit_health.h"

#include <math.h>

#include "number_format.h"

/* Lines of a list; the JSON has more. */
enum { CLASSES_SHOWN = 30, OVERLAPS_SHOWN = 5, ROWS_SHOWN = 5, NAME_WIDTH = 18 };
static const double LEAST_OVERLAP = 0.01; /* smaller shares are not printed */

/* What the lists need to name a row. */
struct health_table {
    FILE *out;
    const temper_data *data;
    const temper_audit_report *report;
    const char *path;
};

/* The place of a row, as the list of suspects shows it. A linear search for the few rows that are printed. */
static void print_place(const struct health_table *table, size_t row)
{
    const temper_audit_suspect *suspect = table->report->suspects;
    while (suspect->row != row)
        suspect++;
    if (suspect->line)
        fprintf(table->out, "%s:%zu", table->path, suspect->line);
    else
        fprintf(table->out, "row %zu", suspect->file_row + 1);
}

/* A class name of a fixed width. */
static void print_class(const struct health_table *table, size_t class_number)
{
    char name[NAME_SHOWN];
    size_t width = format_name(temper_data_class_name(table->data, class_number), NAME_WIDTH, name);
    fprintf(table->out, "%s%*s", name, (int)(NAME_WIDTH - width), "");
}

/* One line for each class. "wrong" are rows with this label, "missed" rows of this class with another one. */
static void print_classes(const struct health_table *table)
{
    const temper_audit_report *report = table->report;
    char text[FORMAT_LENGTH];
    fprintf(table->out, "\n%-*s%9s%9s%9s%11s%12s%10s%11s\n", NAME_WIDTH, "label", "rows", "wrong", "missed",
            "predicted", "duplicates", "outliers", "conflicts");
    for (size_t c = 0; c < report->classes && c < CLASSES_SHOWN; c++) {
        const temper_class_health *class = &report->health->classes[c];
        print_class(table, c);
        fprintf(table->out, "%9s", format_count(class->rows, text));
        fprintf(table->out, "%9.0f", class->wrong);
        if (isnan(class->missed)) /* with too many classes for a table */
            fprintf(table->out, "%9s", "-");
        else
            fprintf(table->out, "%9.0f", class->missed);
        fprintf(table->out, "%11s%12zu%10zu%11zu\n", format_percent(class->predicted, text), class->duplicates,
                class->outliers, class->conflicts);
    }
    if (report->classes > CLASSES_SHOWN)
        fprintf(table->out, "... and %zu more classes\n", report->classes - CLASSES_SHOWN);
}

/* The next pair in falling order of the share, after the cell (limit, after); the number of cells if there is none. */
static size_t next_overlap(const temper_audit_report *report, double limit, size_t after)
{
    const double *overlap = report->health->overlap;
    size_t classes = report->classes, best = classes * classes;
    for (size_t i = 0; i < classes * classes; i++) {
        double share = overlap[i];
        int later = share < limit || (share == limit && i > after);
        if (i / classes < i % classes && later && (best == classes * classes || share > overlap[best]))
            best = i;
    }
    return best;
}

/* The pairs of classes that the models confuse most, apart from wrong labels. */
static void print_overlaps(const struct health_table *table)
{
    const temper_audit_report *report = table->report;
    size_t classes = report->classes, last = 0;
    double limit = INFINITY;
    for (size_t i = 0; report->health->overlap && i < OVERLAPS_SHOWN; i++) {
        char one[NAME_SHOWN], other[NAME_SHOWN], text[FORMAT_LENGTH];
        size_t pair = next_overlap(report, limit, last);
        if (pair == classes * classes || report->health->overlap[pair] < LEAST_OVERLAP)
            break;
        last = pair;
        limit = report->health->overlap[pair];
        format_name(temper_data_class_name(table->data, pair / classes), NAME_WIDTH, one);
        format_name(temper_data_class_name(table->data, pair % classes), NAME_WIDTH, other);
        print_title(table->out, i ? "" : "overlap");
        fprintf(table->out, "%s and %s: %s of their rows are taken for the other\n", one, other,
                format_percent(limit, text));
    }
}

/* The nearest pairs, those across classes first. */
static void print_duplicates(const struct health_table *table)
{
    const temper_audit_health *health = table->report->health;
    char rows[FORMAT_LENGTH], across[FORMAT_LENGTH];
    print_title(table->out, "duplicates");
    fprintf(table->out, "%s rows equal another one or nearly do, %s of them with another label\n",
            format_count(health->duplicate_rows, rows), format_count(health->across_rows, across));
    for (size_t i = 0; i < health->duplicate_count && i < ROWS_SHOWN; i++) {
        const temper_near_duplicate *pair = &health->duplicates[i];
        print_title(table->out, "");
        print_place(table, pair->row);
        fputs(" and ", table->out);
        print_place(table, pair->other);
        fputs(pair->distance > 0 ? ", nearly equal" : ", equal", table->out);
        fputs(pair->across ? ", different labels\n" : "\n", table->out);
    }
}

/* The furthest rows. */
static void print_outliers(const struct health_table *table)
{
    const temper_audit_health *health = table->report->health;
    char rows[FORMAT_LENGTH];
    print_title(table->out, "outliers");
    fprintf(table->out, "%s rows are far from all others\n", format_count(health->outlier_count, rows));
    for (size_t i = 0; i < health->outlier_count && i < ROWS_SHOWN; i++) {
        print_title(table->out, "");
        print_place(table, health->outliers[i]);
        fprintf(table->out, ", %.1f deviations\n", health->outlier_scores[i]);
    }
}

/* The same facts as the page shows (report/health_section.c), cut to what a terminal shows at once. */
void print_health(FILE *out, const temper_data *data, const temper_audit_report *report, const char *path)
{
    const struct health_table table = {out, data, report, path};
    print_classes(&table);
    fputc('\n', out);
    print_overlaps(&table);
    print_duplicates(&table);
    print_outliers(&table);
}
