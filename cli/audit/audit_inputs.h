/* audit_inputs: what an audit reads besides its data: probabilities of other models, and features for neighbours. */
#ifndef CLI_AUDIT_INPUTS_H
#define CLI_AUDIT_INPUTS_H

#include "options/command_line.h"
#include "temper.h"

/* Initialise with {0}; the options of the audit point to it. */
struct audit_inputs {
    double *probabilities; /* of --proba, or NULL */
    temper_data *features; /* of --features, or NULL */
};

/* Refuses options that have no effect together with --proba. */
temper_status audit_inputs_check(const struct arguments *arguments);
/* Reads the files that were given, for the rows of `data`, and sets the options. audit_inputs_free whatever the status.
 */
temper_status audit_inputs_read(const struct arguments *arguments, const temper_data *data, struct audit_inputs *inputs,
                                temper_audit_options *options);
void audit_inputs_free(struct audit_inputs *inputs);

#endif
