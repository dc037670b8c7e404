/*-------------------------------------------------------------------------
 *
 * memory_limit.h
 *	  Whether a call may use so much memory.
 *
 * Included by whoever allocates what grows with the source or with the results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_MEMORY_LIMIT_H
#define GPUFIM_MEMORY_LIMIT_H

#include "postgres.h"

#include "compat.h"

/* May a call hold so many bytes in all?  gpufim.memory_limit says so. */
extern bool WithinMemoryLimit(uint64 bytes);

/*
 * Raises an error if a call may not hold so many bytes in all.  The message says
 * that there is not enough memory for "what", and how much is needed and allowed.
 */
extern void CheckMemoryLimit(uint64 bytes, const char *what);

/*
 * The same error, where it is known what the call will need in all, or estimated; or what
 * it would need if its first row were all, which is the least.
 */
pg_noreturn extern void MemoryLimitExceeded(uint64 bytes, uint64 in_all, bool first_row,
											const char *what);

#endif							/* GPUFIM_MEMORY_LIMIT_H */
