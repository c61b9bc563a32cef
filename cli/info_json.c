/* info_json: for programs. Names stay as they are once released. */
#include "info.h"
#include "json.h"

/* {"count": 2, "first": [{"column": 3, "name": null}, ...]} */
static void columns(FILE *out, const struct info *info, const temper_columns *found, int same_as)
{
    fprintf(out, "{\"count\": %llu, \"first\": [", found->count);
    for (size_t i = 0; i < TEMPER_SUMMARY_SHOWN && i < found->count; i++) {
        fprintf(out, "%s{\"column\": %llu, \"name\": ", i ? ", " : "", found->column[i]);
        json_text(out, temper_data_feature_name(info->data, found->column[i] - 1));
        if (same_as)
            fprintf(out, ", \"same_as\": %llu", found->same_as[i]);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void class_counts(FILE *out, const struct info *info)
{
    fputs("[", out);
    for (size_t c = 0; c < info->summary.classes; c++) {
        fprintf(out, "%s\n    {\"name\": ", c ? "," : "");
        json_text(out, temper_data_class_name(info->data, c));
        fprintf(out, ", \"rows\": %llu}", info->summary.class_rows[c]);
    }
    fputs(info->summary.classes ? "\n  ]" : "]", out);
}

static void weights(FILE *out, const temper_summary *summary)
{
    if (!summary->weighted) {
        fputs("null", out);
        return;
    }
    fputs("{\"low\": ", out);
    json_number(out, summary->weight_low);
    fputs(", \"high\": ", out);
    json_number(out, summary->weight_high);
    fputs(", \"sum\": ", out);
    json_number(out, summary->weight_sum);
    fputc('}', out);
}

/* Where it comes from, and how large it is. */
static void sizes(FILE *out, const struct info *info)
{
    const temper_summary *s = &info->summary;
    double entries = (double)s->rows * (double)s->features;
    fputs("{\n  \"file\": ", out);
    json_text(out, info->path);
    json_text_field(out, "format", temper_data_format(info->data));
    json_text_field(out, "compression", s->compression);
    fprintf(out, ",\n  \"rows\": %llu,\n  \"features\": %llu,\n  \"classes\": %zu", s->rows, s->features, s->classes);
    fprintf(out, ",\n  \"nonzeros\": %llu,\n  \"stored\": %llu", s->nonzeros, s->stored);
    json_number_field(out, "density", entries > 0 ? (double)s->nonzeros / entries : 0);
    json_text_field(out, "storage", s->storage);
    fprintf(out, ",\n  \"bytes\": %llu", s->bytes);
}

void info_json(FILE *out, const struct info *info)
{
    const temper_summary *s = &info->summary;
    sizes(out, info);
    json_number_field(out, "low", s->low);
    json_number_field(out, "high", s->high);
    fputs(",\n  \"constant_columns\": ", out);
    columns(out, info, &s->constant, 0);
    fputs(",\n  \"duplicate_columns\": ", out);
    columns(out, info, &s->duplicate, 1);
    fprintf(out, ",\n  \"missing\": {\"filled\": %llu, \"dropped_rows\": %llu}", s->missing_filled, s->missing_dropped);
    fputs(",\n  \"weights\": ", out);
    weights(out, s);
    fputs(",\n  \"class_counts\": ", out);
    class_counts(out, info);
    fputs(",\n  \"notes\": ", out);
    json_lines(out, temper_data_notes(info->data));
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, info->seconds_read);
    fputs(", \"summary\": ", out);
    json_number(out, info->seconds_summary);
    fputs("}\n}\n", out);
}
