/* png: small pictures as data: addresses, for pages that need nothing else. */
#ifndef REPORT_PNG_H
#define REPORT_PNG_H

#include <stdint.h>

#include "base/text.h"

struct picture {
    const unsigned char *pixels; /* all of one colour after all of another, row by row */
    uint32_t height, width;
    uint32_t colours; /* 1: grey; 3: red, green, blue */
};

/* "data:image/png;base64,..."; memory that ended is noted in the text. */
void png_append(struct text *out, const struct picture *picture);

#endif
