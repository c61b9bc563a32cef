/* r_init: registers what R calls. */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "r_temper.h"

#define ROUTINE(name, arguments) {#name, (DL_FUNC) & name, arguments}

static const R_CallMethodDef routines[] = {
    ROUTINE(temper_r_data, 4),       ROUTINE(temper_r_train, 2),
    ROUTINE(temper_r_tune, 2),       ROUTINE(temper_r_audit, 2),
    ROUTINE(temper_r_predict, 4),    ROUTINE(temper_r_importance, 3),
    ROUTINE(temper_r_describe, 1),   ROUTINE(temper_r_to_bytes, 1),
    ROUTINE(temper_r_from_bytes, 1), ROUTINE(temper_r_save, 2),
    ROUTINE(temper_r_load, 1),       ROUTINE(temper_r_is_valid, 1),
    ROUTINE(temper_r_version, 0),    {NULL, NULL, 0},
};

void attribute_visible R_init_temper(DllInfo *library)
{
    R_registerRoutines(library, NULL, routines, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}
