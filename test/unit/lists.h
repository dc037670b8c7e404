/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  What the tests share that compute something from lists of probabilities: a
 *	  workspace, lists of each kind with each instruction set, and the verdict.
 *
 * The options of such a test: -n sets the number of random lists of each kind and
 * instruction set, -l the length of the longest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LISTS_H
#define LISTS_H

#include "engine/probable/tail.h"
#include "support.h"

typedef struct ListChecks
{
	const char *what;			/* the test counts */

	/* Look at what is computed from a list, which may be off from the one whose support is given. */
	void		(*list) (Rng *rng, const char *kind, const FimChances *chances, const Support *support);

	/* Compute it from a long list; the result is lost. */
	FimResult	(*compute) (const FimChances *chances);

	/* What else there is to check, once with each instruction set. */
	void		(*others) (Rng *rng);
} ListChecks;

extern TestHost host;
extern FimWorkspace ws;

extern uint64_t tried;			/* since it was last reported */

/* Counts a fault.  Returns whether it should be shown: the first ones are. */
extern bool IsShown(void);

/* The test's main program. */
extern int	CheckLists(int argc, char **argv, const ListChecks *checks);

#endif							/* LISTS_H */
