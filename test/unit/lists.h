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

#include "engine/probable/workspace.h"
#include "support.h"

/* What a test does with a list of n probabilities, of a kind or not, and besides. */
typedef struct ListChecks
{
	const char *what;			/* it counts */
	void		(*list) (Rng *rng, Chances kind, uint32_t n);
	void		(*perturbed) (Rng *rng, uint32_t n);
	void		(*others) (Rng *rng);	/* once with each instruction set */
} ListChecks;

extern TestHost host;
extern FimWorkspace ws;

extern uint64_t tried;			/* since it was last reported */

/* Counts a fault.  Returns whether it should be shown: the first ones are. */
extern bool IsShown(void);

/* The test's main program. */
extern int	CheckLists(int argc, char **argv, const ListChecks *checks);

#endif							/* LISTS_H */
