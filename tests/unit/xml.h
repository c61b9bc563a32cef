/* xml: whether a text is well formed, as far as our writers go. */
#ifndef TEST_XML_H
#define TEST_XML_H

#include <stdbool.h>

/* One element with all its parts closed in order, no stray characters, no number that is none. */
bool xml_is_well_formed(const char *svg);

#endif
