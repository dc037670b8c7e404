/*-------------------------------------------------------------------------
 *
 * faults.h
 *	  Faults that are injected while a database is mined, and what comes of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "engine/gpu.h"

typedef struct FaultCase
{
	const char *name;
	FimGpuInjection inject;
	uint64_t	limit;			/* of memory, in bytes; 0: none */
	FimResult	result;			/* of mining */
	bool		sticky;			/* the process can use no device any more */
	const char *survivor;		/* a strategy that goes on and is done, or NULL */
} FaultCase;

/* Mines something that takes several allocations, launches and waits. */
typedef FimResult (*MineFaulty) (int strategy);

/*
 * Tries all cases with each strategy but "auto", each in a process of its own.  After a sticky
 * fault the library has to refuse; after any other it has to mine as if nothing had been.
 * Returns 0, or 1 if something went wrong, which is printed.  The library must not have been
 * loaded: CUDA does not survive a fork.
 */
extern int	CheckFaults(const FimFamily *family, const char *const *strategies, const FaultCase *cases,
						size_t ncases, MineFaulty mine);

#endif							/* FAULTS_H */
