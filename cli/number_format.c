/* figure: numbers and names for people. */
#include "number_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMED_CLASSES = 10, /* more would fill lines; 'temper info' has them all */
    CLASS_WIDTH = 20
};

const char *figure_count(unsigned long long count, char out[FIGURE_LENGTH])
{
    char digits[FIGURE_LENGTH];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", count), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *figure_bytes(unsigned long long bytes, char out[FIGURE_LENGTH])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double amount = (double)bytes / 1000;
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(out, FIGURE_LENGTH, "%llu bytes", bytes);
        return out;
    }
    for (; amount >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        amount /= 1000;
    snprintf(out, FIGURE_LENGTH, "%.3g %s", amount, units[unit]);
    return out;
}

const char *figure_share(unsigned long long part, double whole, char out[FIGURE_LENGTH])
{
    double percent = whole > 0 ? 100 * (double)part / whole : 0;
    if (part > 0 && percent < 0.001)
        snprintf(out, FIGURE_LENGTH, "< 0.001 %%");
    else if ((double)part < whole && percent > 99.9)
        snprintf(out, FIGURE_LENGTH, "> 99.9 %%");
    else
        snprintf(out, FIGURE_LENGTH, percent < 1 ? "%.2g %%" : "%.3g %%", percent);
    return out;
}

const char *figure_percent(double share, char out[FIGURE_LENGTH])
{
    if (isnan(share))
        snprintf(out, FIGURE_LENGTH, "none");
    else if (share < 1 && share > 0.9999)
        snprintf(out, FIGURE_LENGTH, "> 99.99 %%");
    else
        snprintf(out, FIGURE_LENGTH, "%.4g %%", 100 * share);
    return out;
}

void figure_title(FILE *out, const char *text)
{
    fprintf(out, "%-18s ", text);
}

void figure_dropped(FILE *out, unsigned long long rows)
{
    char count[FIGURE_LENGTH];
    if (rows > 0)
        fprintf(out, "; %s more dropped: values are missing in %s", figure_count(rows, count),
                rows == 1 ? "it" : "them");
}

void figure_loss(FILE *out, temper_loss_spec loss)
{
    fputs(temper_method_name(loss.method), out);
    if (loss.method != TEMPER_HINGE)
        fprintf(out, ", t1 = %.7g, t2 = %.7g", loss.t1, loss.t2);
    else if (loss.smoothing > 0)
        fprintf(out, ", smoothed over %.7g", loss.smoothing);
}

/* Bytes that go on with a UTF-8 character begin with the bits 10. */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t figure_name(const char *name, size_t width, char out[NAME_SHOWN])
{
    size_t characters = 0, at = 0, cut = 0;
    const char *byte = name;
    for (; *byte && at + 4 < NAME_SHOWN; byte++) {
        if (begins_character(*byte) && characters == width)
            break;
        if (begins_character(*byte) && characters++ == width - 3)
            cut = at; /* here "..." would fit in */
        bool control = (unsigned char)*byte < ' ' || *byte == 127;
        out[at++] = control ? '?' : *byte;
    }
    out[at] = '\0';
    if (!*byte)
        return characters;
    memcpy(out + cut, "...", 4);
    return width;
}

static void count_rows(const temper_data *data, unsigned long long rows[NAMED_CLASSES])
{
    const uint32_t *label = temper_data_labels(data);
    for (size_t c = 0; c < NAMED_CLASSES; c++)
        rows[c] = 0;
    for (unsigned long long i = 0; i < temper_data_rows(data); i++)
        rows[label[i]]++;
}

void figure_classes(FILE *out, const temper_data *data)
{
    unsigned long long rows[NAMED_CLASSES];
    char name[NAME_SHOWN], count[FIGURE_LENGTH];
    size_t classes = temper_data_classes(data);
    bool alone = temper_data_rows(data) == temper_data_total_rows(data);
    if (classes > NAMED_CLASSES || !temper_data_labels(data))
        return;
    count_rows(data, rows);
    for (size_t c = 0; c < classes; c++) {
        figure_name(temper_data_class_name(data, c), CLASS_WIDTH, name);
        fprintf(out, "%s%s", c ? ", " : ": ", name);
        if (alone)
            fprintf(out, " (%s)", figure_count(rows[c], count));
    }
}
