/*-------------------------------------------------------------------------
 *
 * memory_limit.h
 *	  Checks of how much memory a call may use.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_MEMORY_LIMIT_H
#define GPUFIM_MEMORY_LIMIT_H

#include "postgres.h"

#include "compat.h"

/* Does gpufim.memory_limit allow a call to hold this many bytes in all? */
extern bool WithinMemoryLimit(uint64 bytes);

/*
 * Raises an error if it does not.  The message says that there is not enough memory
 * for "what", and how much is needed and allowed.
 */
extern void CheckMemoryLimit(uint64 bytes, const char *what);

/*
 * Raises the same error.  in_all is an estimate of what the call will need in all, or with
 * first_row of what it would need for its first row alone.  The message gives this estimate
 * if it is larger than "bytes".
 */
pg_noreturn extern void MemoryLimitExceeded(uint64 bytes, uint64 in_all, bool first_row,
											const char *what);

#endif							/* GPUFIM_MEMORY_LIMIT_H */
