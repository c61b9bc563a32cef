/* playground: what the page in a browser calls. Flat arguments in place of structs, whose layout JavaScript should not
 * have to know; everything else is the public library.
 *
 * A call that fails returns NULL, or 0, and fills the error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "temper_extra.h"

/* Keeps the function under its own name in the module. */
#define EXPORT(name) __attribute__((export_name(#name)))

enum { AUDIT_NUMBERS = 6 }; /* of playground_audit: see there */

/* ---- Memory and errors ------------------------------------------------------------------------------------------- */

EXPORT(playground_alloc) void *playground_alloc(size_t bytes);
void *playground_alloc(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

EXPORT(playground_free) void playground_free(void *block);
void playground_free(void *block)
{
    free(block);
}

EXPORT(playground_error_new) temper_error *playground_error_new(void);
temper_error *playground_error_new(void)
{
    return calloc(1, sizeof(temper_error));
}

EXPORT(playground_error_message) const char *playground_error_message(const temper_error *error);
const char *playground_error_message(const temper_error *error)
{
    return error->message;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

EXPORT(playground_points)
temper_data *playground_points(const double *x, size_t rows, size_t columns, const int *labels, temper_error *error);
temper_data *playground_points(const double *x, size_t rows, size_t columns, const int *labels, temper_error *error)
{
    temper_data *data = NULL;
    return temper_data_from_f64(x, rows, columns, labels, &data, error) == TEMPER_OK ? data : NULL;
}

/* A table as people have them: text columns are encoded, missing values filled. `label` NULL: the last column. */
EXPORT(playground_table)
temper_data *playground_table(const char *name, const char *bytes, size_t length, const char *label,
                              temper_error *error);
temper_data *playground_table(const char *name, const char *bytes, size_t length, const char *label,
                              temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    temper_data *data = NULL;
    options.label = label;
    options.automatic = 1; /* as the command reads tables */
    options.threads = 1;
    return temper_data_read_memory(name, bytes, length, &options, &data, error) == TEMPER_OK ? data : NULL;
}

/* Adds noise to the labels; out: the class of each row afterwards. 1, or 0 on failure. */
EXPORT(playground_noise)
int playground_noise(const temper_data *data, const char *kind, double rate, double seed, uint32_t *out,
                     temper_error *error);
int playground_noise(const temper_data *data, const char *kind, double rate, double seed, uint32_t *out,
                     temper_error *error)
{
    temper_noise_options options = temper_noise_defaults();
    temper_noise_change *changes = NULL;
    temper_data *noisy = NULL;
    size_t count;
    options.kind = kind;
    options.rate = rate;
    options.seed = (uint64_t)seed;
    options.threads = 1;
    if (temper_data_add_noise(data, &options, &noisy, &changes, &count, error) != TEMPER_OK)
        return 0;
    memcpy(out, temper_data_labels(noisy), temper_data_rows(noisy) * sizeof *out);
    temper_free(changes);
    temper_data_free(noisy);
    return 1;
}

/* ---- Training and auditing ----------------------------------------------------------------------------------------
 */

/* settings: t1, t2, lambda (NAN: chosen by the library). The same as `temper train --t1 --t2 --l2`. */
static temper_train_options options_of(const double settings[3])
{
    temper_train_options options = temper_train_defaults();
    options.loss.t1 = settings[0];
    options.loss.t2 = settings[1];
    options.l2 = settings[2];
    options.threads = 1;
    return options;
}

/* numbers: accuracy on the training rows, loss, iterations, lambda. `warnings`: sentences, one a line, cut off at
 * `room` bytes. */
EXPORT(playground_train)
temper_model *playground_train(const temper_data *data, const double settings[3], double numbers[4], char *warnings,
                               size_t room, temper_error *error);
temper_model *playground_train(const temper_data *data, const double settings[3], double numbers[4], char *warnings,
                               size_t room, temper_error *error)
{
    temper_train_options options = options_of(settings);
    temper_train_report report;
    temper_model *model = NULL;
    if (temper_train(data, &options, &model, &report, error) != TEMPER_OK)
        return NULL;
    numbers[0] = report.accuracy;
    numbers[1] = report.train_loss;
    numbers[2] = (double)report.iterations;
    numbers[3] = report.l2;
    warnings[0] = '\0';
    for (size_t i = 0; i < report.warnings.count; i++) {
        size_t used = strlen(warnings), more = strlen(report.warnings.list[i].text);
        if (used + more + 2 > room)
            break;
        memcpy(warnings + used, report.warnings.list[i].text, more);
        memcpy(warnings + used + more, "\n", 2);
    }
    return model;
}

/* The ranking, the most suspicious row first: rows, suggested classes and probabilities that the label is wrong, one of
 * each a row. numbers has the settings on entry, and afterwards: expected wrong labels, lower and upper end of their 90
 * % interval, rows that are listed, 1 if the labels do not decide, accuracy out of fold. 1, or 0 on failure. */
EXPORT(playground_audit)
int playground_audit(const temper_data *data, double numbers[AUDIT_NUMBERS], uint32_t *row, uint32_t *suggested,
                     double *score, temper_error *error);
int playground_audit(const temper_data *data, double numbers[AUDIT_NUMBERS], uint32_t *row, uint32_t *suggested,
                     double *score, temper_error *error)
{
    temper_audit_options options = temper_audit_defaults();
    temper_audit_report report;
    double tolerance = options.train.tolerance;
    options.train = options_of(numbers);
    options.train.tolerance = tolerance;
    options.choose = 0;
    if (temper_audit(data, &options, NULL, &report, error) != TEMPER_OK)
        return 0;
    for (size_t i = 0; i < report.rows; i++) {
        row[i] = (uint32_t)report.suspects[i].row;
        suggested[i] = report.suspects[i].suggested;
        score[i] = report.suspects[i].score;
    }
    const double found[AUDIT_NUMBERS] = {
        report.wrong, report.wrong_low, report.wrong_high, (double)report.supported, report.undecided, report.accuracy};
    memcpy(numbers, found, sizeof found);
    temper_audit_report_free(&report);
    return 1;
}

/* The model file, as `temper train -m` writes it: *length bytes, freed by playground_free. */
EXPORT(playground_model_text)
char *playground_model_text(const temper_model *model, size_t *length, temper_error *error);
char *playground_model_text(const temper_model *model, size_t *length, temper_error *error)
{
    temper_text text;
    if (temper_model_to_text(model, &text, error) != TEMPER_OK)
        return NULL;
    char *copy = malloc(text.length ? text.length : 1);
    if (copy) {
        memcpy(copy, text.bytes, text.length);
        *length = text.length;
    }
    temper_text_free(&text);
    return copy;
}

/* ---- The loss ---------------------------------------------------------------------------------------------------- */

/* The loss at the margins from, from + step, ... */
EXPORT(playground_curve)
void playground_curve(double t1, double t2, double from, double step, size_t count, double *loss);
void playground_curve(double t1, double t2, double from, double step, size_t count, double *loss)
{
    for (size_t i = 0; i < count; i++)
        loss[i] = temper_margin_loss(from + step * (double)i, t1, t2, NULL, NULL);
}
