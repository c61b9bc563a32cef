/* info: what 'temper info' has found out, and the two ways to show it. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "temper.h"

struct info {
    const char *path;
    const temper_data *data;
    temper_summary summary;
    double seconds_read, seconds_summary;
};

void info_table(FILE *out, const struct info *info);
void info_json(FILE *out, const struct info *info);

/* The same for a model. */
void info_model_table(FILE *out, const temper_model *model);
void info_model_json(FILE *out, const char *path, const temper_model *model);

#endif
