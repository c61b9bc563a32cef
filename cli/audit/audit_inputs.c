/* audit_inputs: reads the files of --proba and --features. */
#include "audit/audit_inputs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "message.h"
#include "options/library_options.h"
#include "process_group.h"
#include "temper_extra.h"

/* These describe the models that the audit would fit itself. Under MPI a process has only some of the rows. */
temper_status audit_inputs_check(const struct arguments *arguments)
{
    const temper_comm *comm = process_group_comm();
    bool given = was_given(arguments, OPT_AUDIT_PROBA) || was_given(arguments, OPT_AUDIT_FEATURES);
    static const enum option_id of_fits[] = {OPT_AUDIT_T1,  OPT_AUDIT_T2, OPT_AUDIT_L2,     OPT_AUDIT_GRID,
                                             OPT_AUDIT_TOL, OPT_MAX_ITER, OPT_NO_INTERCEPT, OPT_SOLVER};
    for (size_t i = 0; was_given(arguments, OPT_AUDIT_PROBA) && i < sizeof of_fits / sizeof *of_fits; i++)
        if (was_given(arguments, of_fits[i]))
            return fail(TEMPER_USAGE,
                        "audit: --%s has no effect with --proba, with which no model is fitted; drop one "
                        "of them",
                        option_table[of_fits[i]].name);
    if (given && comm && comm->size > 1)
        return fail(TEMPER_USAGE, "audit: --proba and --features are for one process; start it without mpirun");
    return TEMPER_OK;
}

/* Columns without names could be in another order than the user thinks, so that the assumed one is printed. */
static void note_order(const struct arguments *arguments, int named)
{
    if (!named && !was_given(arguments, OPT_QUIET))
        note("probabilities: the columns have no names, and are taken to be in ascending order of the classes, as "
             "scikit-learn has them");
}

/* --proba */
static temper_status read_probabilities(const struct arguments *arguments, const temper_data *data,
                                        struct audit_inputs *inputs)
{
    const char *path = text_of(arguments, OPT_AUDIT_PROBA);
    size_t rows = temper_data_rows(data), classes = temper_data_classes(data);
    temper_error error;
    int named;
    TRY(check_path(arguments, path));
    if (classes > 0 && rows > SIZE_MAX / sizeof(double) / classes)
        return fail_no_memory();
    inputs->probabilities = malloc(rows * classes * sizeof(double) + 1);
    if (!inputs->probabilities)
        return fail_no_memory();
    TRY(checked(temper_audit_read_probabilities(path, data, inputs->probabilities, &named, &error), &error));
    note_order(arguments, named);
    return TEMPER_OK;
}

/* --features: a table or array of numbers only. */
static temper_status read_features(const struct arguments *arguments, struct audit_inputs *inputs)
{
    const char *path = text_of(arguments, OPT_AUDIT_FEATURES);
    temper_read_options options = temper_read_defaults();
    temper_error error;
    TRY(check_path(arguments, path));
    options.label = "none";
    options.threads = threads_of(arguments);
    return checked(temper_data_read(path, &options, &inputs->features, &error), &error);
}

/* Sets pointers of the options to what was read: `inputs` must stay alive as long as they are used. */
temper_status audit_inputs_read(const struct arguments *arguments, const temper_data *data, struct audit_inputs *inputs,
                                temper_audit_options *options)
{
    if (was_given(arguments, OPT_AUDIT_PROBA))
        TRY(read_probabilities(arguments, data, inputs));
    if (was_given(arguments, OPT_AUDIT_FEATURES))
        TRY(read_features(arguments, inputs));
    options->probabilities = inputs->probabilities;
    options->features = inputs->features;
    return TEMPER_OK;
}

void audit_inputs_free(struct audit_inputs *inputs)
{
    free(inputs->probabilities);
    temper_data_free(inputs->features);
}
