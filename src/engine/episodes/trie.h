/*-------------------------------------------------------------------------
 *
 * trie.h
 *	  Making a trie of episodes, which is what surrogates are tested with.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TRIE_H
#define FIM_TRIE_H

#include "episodes.h"

/*
 * Episodes have to be added in the lexicographic order of type, gap, type, ... type, a
 * prefix before the episodes that begin with it.  The caller gives room: node[] for as
 * many nodes as all episodes have events, open[] for as many as the longest one has.
 */
typedef struct FimTrie
{
	FimTrieNode *node;
	uint32_t	n;
	uint32_t   *open;			/* the nodes of the latest episode */
	uint32_t	depth;			/* its length */
} FimTrie;

extern void FimTrieAdd(FimTrie *trie, const uint32_t *type, const uint32_t *gap, uint32_t length, uint32_t support);
extern void FimTrieFinish(FimTrie *trie);

#endif							/* FIM_TRIE_H */
