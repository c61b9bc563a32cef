/* resident: how much memory the process takes at present. */
#ifndef DATA_RESIDENT_H
#define DATA_RESIDENT_H

#include <stdint.h>

/* Bytes in memory, those of mapped files and of the program itself included; a guess where the
 * system does not tell. */
uint64_t resident_bytes(void);

#endif
