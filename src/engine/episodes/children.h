/*-------------------------------------------------------------------------
 *
 * children.h
 *	  The supports of given extensions of an episode by one event on a surrogate, and
 *	  the lists of some of them.
 *
 * That is latest-start propagation (lists.h).  Unlike extensions.h, it is known which
 * extensions to count; their number is small, and the windows of the surrogate's events
 * hold few events.  An episode is counted in the quicker of two ways:
 *
 * -	Event by event: what lies in the windows after the list's entries is counted for
 *		its type.  That is quick where the list is short.
 *
 * -	Child by child: the list's entries are marked in a bitmap of the stream.  Each event of
 *		the child's type finds the last mark in the window before it, in one
 *		look at the bitmap as long as the window is narrower than a word.
 *
 * Included by significance.c and by children.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_CHILDREN_H
#define FIM_EPISODES_CHILDREN_H

#include "surrogate.h"

/*
 * An occurrence that ends with the event at a place, and the latest event at which such
 * a one can begin.  Of that it is told which is the first event of the same time.
 */
typedef struct Chain
{
	uint32_t	place;			/* while lists are made, the event's number */
	uint32_t	start;
} Chain;

typedef struct Chains
{
	Chain	   *chain;			/* ascending by places */
	uint32_t	n;
} Chains;

typedef struct Child
{
	uint32_t	type;
	uint32_t	node;			/* of the trie */
	uint32_t	wants_list;		/* 0 or 1: whether its list is made */
	uint32_t	support;
	uint32_t	free;			/* the first event at which the next occurrence may begin */
	Chains		list;
} Child;

/* Children that have the same parent and the same gap, and room for counting them. */
typedef struct Children
{
	Worker	   *w;
	const Surrogates *surrogate;
	Child	   *child;			/* [ntypes + 1], of which the first is not used */
	uint32_t	n;
	uint32_t   *child_of;		/* [ntypes] 0 for types that are none */
	uint64_t   *mark;			/* a bit for each event; all are 0 between two uses */
	uint32_t   *start_of;		/* [events] of those that are marked */
} Children;

/*
 * What ChildrenInit() takes at most, and the lists on the way to an episode of the longest, in
 * bytes.
 */
extern uint64_t ChildrenBytes(const FimEpisodesData *data, uint32_t longest);

/* Makes room in the worker's arena.  The surrogate may be made later, or made anew. */
extern void ChildrenInit(Children *c, Worker *w, const Surrogates *surrogate);

extern void ChildrenClear(Children *c);
extern void ChildrenAdd(Children *c, uint32_t type, uint32_t node, bool wants_list);

/* All occurrences of a single type, in the arena; returns its support, which is the number of their times. */
extern uint32_t ChainsOfType(Children *c, uint32_t type, Chains *list);

/* Count the children of an episode with this list under this gap, and make lists in the arena. */
extern void ChildrenCount(Children *c, const Chains *list, uint32_t gap);

#endif							/* FIM_EPISODES_CHILDREN_H */
