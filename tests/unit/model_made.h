/* model_made: models for tests, with every part filled. */
#ifndef TEST_MODEL_MADE_H
#define TEST_MODEL_MADE_H

#include "model/model.h"

/* Random weights, class names a, b, c... (or "0", "1"... if numbers), no feature names, no scaling,
 * no schema. */
struct model *model_made(size_t classes, size_t features, temper_loss_spec loss, bool numbers);
/* A small one with everything a file can have: names of all kinds, scaling, a schema with means. */
struct model *model_made_full(void);
/* Bit for bit, in all that the file holds. */
bool model_same(const struct model *a, const struct model *b);

/* A file of this text with a right checksum behind it; returns the length of the whole. */
size_t model_seal(const char *path, const char *text, size_t length);

#endif
