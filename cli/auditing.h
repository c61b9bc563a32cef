/* auditing: what 'temper audit' has found, for people and for programs. */
#ifndef CLI_AUDITING_H
#define CLI_AUDITING_H

#include <stdio.h>

#include "temper.h"

struct auditing {
    const char *data_path;
    const temper_data *data;
    temper_audit_report report;
    unsigned long long listed; /* suspects */
    double seconds_read;
};

void audit_table(FILE *out, const struct auditing *auditing);
void audit_json(FILE *out, const struct auditing *auditing);
void audit_csv(FILE *out, const struct auditing *auditing);

#endif
