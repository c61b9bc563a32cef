/* health: what an audit finds about the data set as a whole. */
#ifndef AUDIT_HEALTH_H
#define AUDIT_HEALTH_H

#include "base/text.h"
#include "temper.h"

/* Also of a half-built one, and of NULL. */
void audit_health_free(temper_audit_health *health);

/* Appends one line of JSON; `names` are those of the classes. */
temper_status health_write(struct text *out, const temper_audit_report *report, const char *const *names,
                           temper_error *error);

#endif
