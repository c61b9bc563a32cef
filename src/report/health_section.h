/* health_section: the health of a data set (temper_audit_health) as a part of the page on an audit. */
#ifndef REPORT_HEALTH_SECTION_H
#define REPORT_HEALTH_SECTION_H

#include "base/text.h"
#include "temper.h"

/* Nothing if report->health is NULL. `names` are those of the classes. */
void health_section_write(struct text *out, const temper_audit_report *report, const char *const *names);

#endif
