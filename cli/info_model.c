/* info_model: what a model file holds, for people and for programs. */
#include <math.h>

#include "figure.h"
#include "info.h"
#include "json.h"

enum {
    NAME_WIDTH = 16,
    NAMES_ROOM = 80 - 19 - 8 - NAME_WIDTH - 5 /* behind title and count, before one more and ... */
};

/* ---- For people ------------------------------------------------------------------------------ */

static void class_line(FILE *out, const temper_model *model)
{
    char count[FIGURE_LENGTH], name[NAME_SHOWN];
    size_t classes = temper_model_classes(model);
    figure_title(out, "classes");
    fputs(figure_count(classes, count), out);
    size_t shown = 0;
    for (size_t taken = 0; shown < classes && taken < NAMES_ROOM; shown++) {
        taken += figure_name(temper_model_class_name(model, shown), NAME_WIDTH, name) + 2;
        fprintf(out, "%s%s", shown ? ", " : ": ", name);
    }
    fputs(shown < classes ? ", ...\n" : "\n", out);
}

static void weight_lines(FILE *out, const temper_model *model, const temper_model_summary *summary)
{
    char count[FIGURE_LENGTH];
    figure_title(out, "features");
    fprintf(out, "%s\n", figure_count(temper_model_features(model), count));
    class_line(out, model);
    figure_title(out, "weights not 0");
    fprintf(out, "%s, norm %.7g%s\n", figure_count(summary->nonzeros, count), summary->weight_norm,
            summary->intercept ? "" : "; no intercept");
}

static void training_lines(FILE *out, const temper_model_summary *summary)
{
    char text[FIGURE_LENGTH];
    figure_title(out, "l2");
    fprintf(out, "%.7g\n", summary->l2);
    figure_title(out, "scale");
    fprintf(out, "%s, folded into the weights\n", summary->scale);
    figure_title(out, "trained on");
    fprintf(out, "%s rows, fingerprint %s\n", figure_count(summary->rows, text), summary->fingerprint);
    figure_title(out, "by");
    fprintf(out, "%s in %s from %s, seed %llu\n", summary->solver, summary->precision, summary->init, summary->seed);
    figure_title(out, "stop");
    fprintf(out, "%s after %llu iteration%s, gradient %.2e (tolerance %g)\n", summary->stop, summary->iterations,
            summary->iterations == 1 ? "" : "s", summary->gradient, summary->tolerance);
    figure_title(out, "objective");
    fprintf(out, "%.7g, of which loss %.7g\n", summary->objective, summary->train_loss);
    figure_title(out, "accuracy");
    fprintf(out, "%s on the rows of the training\n", figure_percent(summary->accuracy, text));
}

void info_model_table(FILE *out, const temper_model *model)
{
    temper_model_summary summary;
    temper_model_describe(model, &summary);
    figure_title(out, "format");
    fputs("temper-model\n", out);
    figure_title(out, "loss");
    figure_loss(out, temper_model_loss(model));
    fputc('\n', out);
    weight_lines(out, model, &summary);
    training_lines(out, &summary);
}

/* ---- For programs: names stay as they are once released ------------------------------------- */

static void sizes(FILE *out, const temper_model *model, const temper_model_summary *summary)
{
    fprintf(out, ",\n  \"features\": %llu,\n  \"classes\": %zu,\n  \"class_names\": [", temper_model_features(model),
            temper_model_classes(model));
    for (size_t c = 0; c < temper_model_classes(model); c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_model_class_name(model, c));
    }
    fprintf(out, "],\n  \"nonzeros\": %llu", summary->nonzeros);
    json_number_field(out, "weight_norm", summary->weight_norm);
    fprintf(out, ",\n  \"intercept\": %s", summary->intercept ? "true" : "false");
}

static void loss_members(FILE *out, const temper_model_summary *summary, bool hinge)
{
    json_text_field(out, "loss", summary->method);
    json_number_field(out, "t1", hinge ? NAN : summary->t1);
    json_number_field(out, "t2", hinge ? NAN : summary->t2);
    json_number_field(out, "smoothing", hinge ? summary->smoothing : NAN);
    json_number_field(out, "l2", summary->l2);
    json_text_field(out, "scale", summary->scale);
}

static void training_members(FILE *out, const temper_model_summary *summary)
{
    fprintf(out, ",\n  \"rows\": %llu", summary->rows);
    json_text_field(out, "fingerprint", summary->fingerprint);
    json_text_field(out, "solver", summary->solver);
    json_text_field(out, "precision", summary->precision);
    json_text_field(out, "init", summary->init);
    fprintf(out, ",\n  \"seed\": %llu", summary->seed);
    json_text_field(out, "stop", summary->stop);
    json_number_field(out, "tolerance", summary->tolerance);
    fprintf(out, ",\n  \"iterations\": %llu,\n  \"evaluations\": %llu", summary->iterations, summary->evaluations);
    json_number_field(out, "objective", summary->objective);
    json_number_field(out, "train_loss", summary->train_loss);
    json_number_field(out, "gradient_norm", summary->gradient);
    json_number_field(out, "accuracy", summary->accuracy);
}

void info_model_json(FILE *out, const char *path, const temper_model *model)
{
    temper_model_summary summary;
    temper_model_describe(model, &summary);
    fputs("{\n  \"file\": ", out);
    json_text(out, path);
    json_text_field(out, "format", "temper-model");
    sizes(out, model, &summary);
    loss_members(out, &summary, temper_model_loss(model).method == TEMPER_HINGE);
    training_members(out, &summary);
    fputs("\n}\n", out);
}
