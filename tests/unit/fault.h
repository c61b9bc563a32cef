/* fault: makes the n-th allocation, start of a thread, or call on a file fail.
 *
 * Works by the linker's --wrap, for what the library and the test call themselves; so the library
 * needs no switch for it. Use it in a loop until nothing fails any more:
 *
 *     for (size_t n = 1;; n++) {
 *         fault_arm(n);
 *         temper_status status = thing();
 *         fault_disarm();
 *         if (!fault_fired())
 *             break;
 *         CHECK(status == TEMPER_NO_MEMORY);
 *     } */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* The n-th allocation from now (1 is the next) fails; those after it work again. */
void fault_arm(size_t n);
/* From the n-th start of a thread on, all fail, as they do when a limit is reached. */
void fault_arm_threads(size_t n);
/* The n-th call of open, write, fchmod, fsync, close, rename or link fails with EIO. */
void fault_arm_files(size_t n);
/* The n-th read fails with EIO. */
void fault_arm_reads(size_t n);
/* Every other read is interrupted, and those between read a single byte. */
void fault_hamper_reads(void);
/* Every other write is interrupted, and those between write a single byte. */
void fault_hamper_writes(void);
/* Nothing fails any more. What fault_fired and fault_count say stays until the next fault_arm. */
void fault_disarm(void);
/* Whether anything was made to fail since. */
bool fault_fired(void);
/* How many calls of the armed kind there were. */
size_t fault_count(void);

#endif
