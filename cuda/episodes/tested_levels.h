/*-------------------------------------------------------------------------
 *
 * tested_levels.h
 *	  The trie of the episodes that are tested on surrogates, by levels.
 *
 * A level is all nodes of one depth.  Nodes with others below them get lists, level by level; the
 * ends of the trie are only counted, which is done for those of all levels together.  Of
 * those of a level that with the most events come first, because what begins last should not
 * take longest.
 *
 * Included by sliced_trie.h and tested_levels.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_TESTED_LEVELS_H
#define FIM_GPU_TESTED_LEVELS_H

#include "episodes/lists.h"

/*
 * On the host.  An extension's list and where it goes to are nodes.  Those of level 1 are
 * the types of tested episodes of one event, of which nothing but the type and the node
 * matters.
 */
typedef struct TestedLevels
{
	uint32_t	depth;
	uint32_t   *level;			/* [nodes] of each node, from 1 on */
	Extension  *extensions;		/* [n] types; what gets lists; ends; each by level */
	uint32_t	n;
	uint32_t   *made_end;		/* [depth] those up to a level that get lists; at 1, types */
} TestedLevels;

static inline bool
HasChildren(const FimTrieNode *nodes, uint32_t k)
{
	return nodes[k].end > k + 1;
}

/* Lists of types lie in the stream; these are made. */
static inline bool
IsMade(const FimTrieNode *nodes, const TestedLevels *t, uint32_t k)
{
	return t->level[k] > 1 && HasChildren(nodes, k);
}

/* Host memory is the team's. */
extern cudaError_t OpenTestedLevels(EpisodesJob *job, TestedLevels *t);

/* suffix[nodes] become the nodes of the episodes without their first event; GPU_NONE where there is none. */
extern cudaError_t FindSuffixes(EpisodesJob *job, const TestedLevels *t, uint32_t *suffix);

#endif							/* FIM_GPU_TESTED_LEVELS_H */
