/*-------------------------------------------------------------------------
 *
 * tested_levels.h
 *	  The trie of the episodes that are tested on surrogates, by levels.
 *
 * A level has all nodes of one depth.  Inner nodes get lists, level by level.  The leaves of the trie
 * are only counted, those of all levels together.  Within a level, and among the leaves, the nodes
 * whose types have the most events come first, because what begins last should not take longest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_TESTED_LEVELS_H
#define FIM_GPU_TESTED_LEVELS_H

#include "episodes/lists.h"

/*
 * The levels, on the host.  There is an extension for each node that is to be counted or gets a list; its
 * "list" is the parent and its "to" is the node itself.  At level 1 these are the tested episodes of one
 * event, for which only "type" and "to" matter.
 */
typedef struct TestedLevels
{
	uint32_t	depth;			/* the number of levels */
	uint32_t   *level;			/* [nodes] of each node, from 1 on */
	Extension  *extensions;		/* [n] tested types; then inner nodes by level; then leaves by level */
	uint32_t	n;
	uint32_t   *made_end;		/* [depth + 1] the end of the types and of the inner nodes up to each level */
} TestedLevels;

static inline bool
HasChildren(const FimTrieNode *nodes, uint32_t k)
{
	return nodes[k].end > k + 1;
}

/* Whether the list of a node is made: that of a single type lies in the stream, and a leaf gets none. */
static inline bool
IsMade(const FimTrieNode *nodes, const TestedLevels *t, uint32_t k)
{
	return t->level[k] > 1 && HasChildren(nodes, k);
}

/* Finds the levels.  The arrays are the team's memory, and stay until the job ends. */
extern cudaError_t OpenTestedLevels(EpisodesJob *job, TestedLevels *t);

/*
 * Sets suffix[nodes] to the node of each episode without its first event; GPU_NONE where the trie has no such
 * node.
 */
extern cudaError_t FindSuffixes(EpisodesJob *job, const TestedLevels *t, uint32_t *suffix);

#endif							/* FIM_GPU_TESTED_LEVELS_H */
