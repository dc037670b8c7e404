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

/* Does gpufim.memory_limit allow a call to hold this many bytes in all? */
extern bool WithinMemoryLimit(uint64 bytes);

/*
 * Raises an error if it does not allow "bytes" more than the bytes that are held.  The message
 * says that there is not enough memory for "what", what is held and was asked for, and which
 * limit to try.
 *
 * Nobody knows at this point what the call will need in all.  The limit to try is at least
 * twice the present one, so that whoever begins with 1 MB has 512 MB in the tenth try; but it
 * is not above gpufim.max_memory_limit, unless that is the limit that was exceeded, or too low.
 */
extern void CheckMemoryLimit(uint64 held, uint64 bytes, const char *what);

#endif							/* GPUFIM_MEMORY_LIMIT_H */
