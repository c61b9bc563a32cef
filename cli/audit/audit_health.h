/* audit_health: the health of the data set, as a table for a person. */
#ifndef CLI_AUDIT_HEALTH_H
#define CLI_AUDIT_HEALTH_H

#include <stdio.h>

#include "temper_extra.h"

/* `path` is that of the data, as typed: rows of texts are shown as FILE:LINE. The report must have `health`. */
void print_health(FILE *out, const temper_data *data, const temper_audit_report *report, const char *path);

#endif
