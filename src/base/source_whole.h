/* source_whole: a small file, all of it at once. */
#ifndef BASE_SOURCE_WHOLE_H
#define BASE_SOURCE_WHOLE_H

#include "base/status.h"
#include "base/text.h"

/* Appends the bytes of the file to `text`, which is the caller's to free, on failure too.
 * TEMPER_NO_INPUT if it is not there. */
temper_status source_whole(const char *path, struct text *text, temper_error *error);

#endif
