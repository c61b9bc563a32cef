/* reencode: text in UTF-16 or Latin-1, or with lines that end in a carriage return, as UTF-8 with newlines. */
#ifndef DATA_REENCODE_H
#define DATA_REENCODE_H

#include "base/text.h"
#include "data/read/read.h"

enum text_encoding {
    ENCODING_UTF8,
    ENCODING_UTF16_LE,
    ENCODING_UTF16_BE,
    ENCODING_LATIN1 /* Windows-1252, which has further letters where Latin-1 has control characters */
};

/* Replaces reader->source by a copy in UTF-8 if the first bytes, or the option, say that it is in another encoding; and
 * notes it. Without reader->options->automatic only for the option. */
temper_status reencode_source(struct data_reader *reader, struct dataset *data);
/* Appends the bytes in UTF-8; what cannot be decoded becomes U+FFFD. */
void reencode_bytes(enum text_encoding encoding, const unsigned char *bytes, size_t length, struct text *out);

#endif
