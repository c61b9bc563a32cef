/* export: what the exports share. */
#ifndef MODEL_EXPORT_H
#define MODEL_EXPORT_H

#include "base/text.h"
#include "model/model.h"

/* Refuses what no export can hold. */
temper_status export_check(const struct model *model, temper_error *error);
/* Saves the text, if it could be made, and frees it. */
temper_status export_save(struct text *text, const char *path, temper_error *error);

#endif
