/* explain_list: prints what temper explain has found, for people and for programs.
 *
 * For people, names are shortened to a width and numbers to four digits; for programs nothing is. */
#include "explain/explain_list.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "json_csv.h"
#include "message.h"
#include "number_format.h"

enum { FEATURE_WIDTH = 40 };

/* ---- Values ---------------------------------------------------------------------------------- */

/* Seven digits, as many as the floats of most data have. */
const char *contribution_value(const temper_contribution *contribution, char out[VALUE_LENGTH])
{
    if (contribution->text)
        snprintf(out, VALUE_LENGTH, "%s", contribution->text);
    else if (isnan(contribution->value))
        snprintf(out, VALUE_LENGTH, "(its words)");
    else
        snprintf(out, VALUE_LENGTH, "%.7g", contribution->value);
    return out;
}

/* The name is shortened first, so that the value is seen. */
const char *contribution_title(const temper_contribution *contribution, char out[VALUE_LENGTH])
{
    char value[VALUE_LENGTH], name[NAME_SHOWN];
    format_name(contribution->name, FEATURE_WIDTH, name);
    snprintf(out, VALUE_LENGTH, "%s = %s", name, contribution_value(contribution, value));
    return out;
}

/* A name, padded to the width of the column. */
static void print_feature(FILE *out, const char *name)
{
    char shown[NAME_SHOWN];
    size_t width = format_name(name, FEATURE_WIDTH, shown);
    fprintf(out, "  %s%*s", shown, (int)(FEATURE_WIDTH - width), "");
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The class that a positive effect of a weight vector speaks for. */
static const char *class_of_vector(const temper_model *model, size_t vector)
{
    return temper_model_class_name(model, temper_model_weight_vectors(model) == 1 ? 1 : vector);
}

/* The effects of a weight vector as a table. */
static void print_effects(FILE *out, const struct explain_subject *subject, size_t vector, const temper_effect *list,
                          size_t count)
{
    const temper_model *model = subject->model;
    char text[FORMAT_LENGTH];
    bool two = temper_model_weight_vectors(model) == 1;
    fprintf(out, "\n%s", class_of_vector(model, vector));
    if (two)
        fprintf(out, " (effects below 0 speak for %s)", temper_model_class_name(model, 0));
    fprintf(out, "\n  %-*s %12s %12s %12s\n", FEATURE_WIDTH, "feature", "effect", "weight", "step");
    for (size_t i = 0; i < count; i++) {
        print_feature(out, list[i].name);
        fprintf(out, " %+12.4g %+12.4g %12.4g\n", list[i].effect, list[i].weight, list[i].step);
    }
    if (count == 0)
        fputs("  all weights are 0\n", out);
    if (count == subject->top && count < temper_model_features(model))
        fprintf(out, "  the strongest of %s; --top N lists more\n", format_count(temper_model_features(model), text));
}

/* An object with the effects of a weight vector. */
static void json_effects(FILE *out, const struct explain_subject *subject, size_t vector, const temper_effect *list,
                         size_t count)
{
    fputs("{\"class\": ", out);
    json_text(out, class_of_vector(subject->model, vector));
    if (temper_model_weight_vectors(subject->model) == 1)
        json_text_member(out, "against", temper_model_class_name(subject->model, 0));
    json_number_member(out, "intercept", temper_model_intercept(subject->model, vector));
    fputs(", \"features\": [", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", {\"feature\": " : "{\"feature\": ", out);
        json_text(out, list[i].name);
        json_number_member(out, "effect", list[i].effect);
        json_number_member(out, "weight", list[i].weight);
        json_number_member(out, "step", list[i].step);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* A line for each effect. */
static void csv_effects(FILE *out, const struct explain_subject *subject, size_t vector, const temper_effect *list,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        csv_cell(out, class_of_vector(subject->model, vector));
        fputc(',', out);
        csv_cell(out, list[i].name);
        csv_number(out, list[i].effect);
        csv_number(out, list[i].weight);
        csv_number(out, list[i].step);
        fputc('\n', out);
    }
}

/* What comes before the effects: the meaning of the numbers. */
static void begin_model(FILE *out, const struct explain_subject *subject)
{
    const char *step = temper_explainer_step(subject->explainer);
    if (subject->form == FORM_CSV) {
        fputs("class,feature,effect,weight,step\n", out);
    } else if (subject->form == FORM_JSON) {
        fputs("{\n  \"model\": ", out);
        json_text(out, subject->model_path);
        json_text_field(out, "step", step);
        json_count_field(out, "features", temper_model_features(subject->model));
        fputs(",\n  \"classes\": [\n    ", out);
    } else if (subject->form == FORM_TABLE) {
        print_title(out, "model");
        fprintf(out, "%s\n", subject->model_path);
        print_title(out, "effect");
        fprintf(out, "change of the score of a class by a step of the feature,\n%-18s %s\n", "", step);
        print_title(out, "weight");
        fputs("the same by one unit of the feature, as it is in the data\n", out);
    }
}

/* The effects of each weight vector. `list` has space for them. */
static temper_status list_vectors(FILE *out, const struct explain_subject *subject, size_t top, temper_effect *list)
{
    size_t count;
    temper_error error;
    for (size_t v = 0; v < temper_model_weight_vectors(subject->model); v++) {
        TRY(checked(temper_explain_model(subject->explainer, v, top, list, &count, &error), &error));
        if (subject->form == FORM_CSV)
            csv_effects(out, subject, v, list, count);
        else if (subject->form == FORM_TABLE)
            print_effects(out, subject, v, list, count);
        else {
            fputs(v && subject->form == FORM_JSON ? ",\n    " : "", out);
            json_effects(out, subject, v, list, count);
            fputs(subject->form == FORM_JSON_LINES ? "\n" : "", out);
        }
    }
    return TEMPER_OK;
}

/* A list of the length that the model has features is enough for any --top. */
temper_status explain_list_model(FILE *out, const struct explain_subject *subject)
{
    size_t features = temper_model_features(subject->model), top = subject->top < features ? subject->top : features;
    temper_effect *list = calloc(top, sizeof *list);
    if (!list)
        return fail_no_memory();
    begin_model(out, subject);
    temper_status status = list_vectors(out, subject, top, list);
    if (subject->form == FORM_JSON)
        fputs("\n  ]\n}\n", out);
    free(list);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What comes before the rows. */
void explain_list_begin(FILE *out, const struct explain_subject *subject)
{
    if (subject->form == FORM_CSV)
        fputs("row,predicted,runner_up,margin,base,feature,value,contribution\n", out);
    if (subject->form != FORM_JSON)
        return;
    fputs("{\n  \"model\": ", out);
    json_text(out, subject->model_path);
    json_text_field(out, "data", subject->data_path);
    json_text_field(out, "references", temper_explainer_has_means(subject->explainer) ? "means" : "zero");
    fputs(",\n  \"explanations\": [", out);
}

/* "row 7: yes rather than no, by 2.31" and a line for each contribution. */
static void print_row(FILE *out, const struct explain_subject *subject, size_t number,
                      const temper_row_explanation *row, const temper_contribution *list)
{
    char text[FORMAT_LENGTH], value[VALUE_LENGTH];
    fprintf(out, "%srow %s: %s rather than %s, by %.4g\n", number > 1 ? "\n" : "", format_count(number, text),
            temper_model_class_name(subject->model, row->predicted),
            temper_model_class_name(subject->model, row->runner_up), row->margin);
    for (size_t i = 0; i < row->count; i++) {
        print_feature(out, contribution_title(&list[i], value));
        fprintf(out, " %+12.4g\n", list[i].contribution);
    }
    if (row->rest != 0) {
        print_feature(out, "all other features");
        fprintf(out, " %+12.4g\n", row->rest);
    }
    print_feature(out, temper_explainer_has_means(subject->explainer) ? "base: all features at their means"
                                                                      : "base: all features 0");
    fprintf(out, " %+12.4g\n", row->base);
}

/* One object. */
static void json_row(FILE *out, const struct explain_subject *subject, size_t number, const temper_row_explanation *row,
                     const temper_contribution *list)
{
    fprintf(out, "{\"row\": %zu", number);
    json_text_member(out, "predicted", temper_model_class_name(subject->model, row->predicted));
    json_text_member(out, "runner_up", temper_model_class_name(subject->model, row->runner_up));
    json_number_member(out, "margin", row->margin);
    json_number_member(out, "base", row->base);
    json_number_member(out, "rest", row->rest);
    fputs(", \"features\": [", out);
    for (size_t i = 0; i < row->count; i++) {
        fputs(i ? ", {\"feature\": " : "{\"feature\": ", out);
        json_text(out, list[i].name);
        if (list[i].text)
            json_text_member(out, "value", list[i].text);
        else
            json_number_member(out, "value", list[i].value);
        json_number_member(out, "contribution", list[i].contribution);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* A line for each contribution. */
static void csv_row(FILE *out, const struct explain_subject *subject, size_t number, const temper_row_explanation *row,
                    const temper_contribution *list)
{
    for (size_t i = 0; i < row->count; i++) {
        fprintf(out, "%zu,", number);
        csv_cell(out, temper_model_class_name(subject->model, row->predicted));
        fputc(',', out);
        csv_cell(out, temper_model_class_name(subject->model, row->runner_up));
        csv_number(out, row->margin);
        csv_number(out, row->base);
        fputc(',', out);
        csv_cell(out, list[i].name);
        if (list[i].text) {
            fputc(',', out);
            csv_cell(out, list[i].text);
        } else {
            csv_number(out, list[i].value);
        }
        csv_number(out, list[i].contribution);
        fputc('\n', out);
    }
}

/* Rows of one JSON object are elements of an array; those of JSON lines end in a newline. */
void explain_list_row(FILE *out, const struct explain_subject *subject, size_t number,
                      const temper_row_explanation *row, const temper_contribution *list)
{
    if (subject->form == FORM_TABLE)
        print_row(out, subject, number, row, list);
    else if (subject->form == FORM_CSV)
        csv_row(out, subject, number, row, list);
    else {
        if (subject->form == FORM_JSON)
            fputs(number > 1 ? ",\n    " : "\n    ", out);
        json_row(out, subject, number, row, list);
        fputs(subject->form == FORM_JSON_LINES ? "\n" : "", out);
    }
}

/* What comes after the rows. */
void explain_list_end(FILE *out, const struct explain_subject *subject, size_t rows)
{
    if (subject->form != FORM_JSON)
        return;
    fputs(rows ? "\n  ]" : "]", out);
    json_count_field(out, "rows", rows);
    fputs("\n}\n", out);
}
