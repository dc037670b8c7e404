/*-------------------------------------------------------------------------
 *
 * children.h
 *	  The supports of given extensions of an episode by one event on a surrogate, and
 *	  the lists of some of them.
 *
 * This is latest-start propagation (lists.h).  Unlike in extensions.h, it is known which
 * extensions to count; their number is small, and the windows of the surrogate's events
 * hold few events.  The children of an episode are counted in the quicker of two ways:
 *
 * -	Event by event: each event in the windows after the list's entries is counted for
 *		its type.  That is quick where the list is short.
 *
 * -	Child by child: the list's entries are marked in a bitmap of the stream.  Each event of
 *		the child's type finds the last mark in the window before it, in one
 *		look at the bitmap as long as the window is narrower than a word.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_CHILDREN_H
#define FIM_EPISODES_CHILDREN_H

#include "surrogate.h"

/*
 * An entry of a list: an event that ends occurrences, and the latest event at which one
 * of these can begin.  The start is the number of the first event of the same time as
 * the latter.
 */
typedef struct Chain
{
	uint32_t	place;			/* of the event that ends them; while lists are made, its number */
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
	uint32_t   *child_of;		/* [ntypes] the child that has this type, 0 if there is none */
	uint64_t   *mark;			/* a bit for each event; all are 0 between two uses */
	uint32_t   *start_of;		/* [events] the start of the entry, for marked events */
} Children;

/*
 * The most bytes that ChildrenInit() takes, together with the lists of the prefixes of an
 * episode of "longest" events.
 */
extern uint64_t ChildrenBytes(const FimEpisodesData *data, uint32_t longest);

/* Makes room in the worker's arena.  The surrogate may be made later, or made anew. */
extern void ChildrenInit(Children *c, Worker *w, const Surrogates *surrogate);

extern void ChildrenClear(Children *c);
extern void ChildrenAdd(Children *c, uint32_t type, uint32_t node, bool wants_list);

/*
 * Make the list of a single type, in the arena.  Returns the type's support, which is the
 * number of distinct times of its events.
 */
extern uint32_t ChainsOfType(Children *c, uint32_t type, Chains *list);

/* Count the children of the episode that has this list, and make the lists that are wanted in the arena. */
extern void ChildrenCount(Children *c, const Chains *list, uint32_t gap);

#endif							/* FIM_EPISODES_CHILDREN_H */
