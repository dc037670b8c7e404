/*-------------------------------------------------------------------------
 *
 * trie.h
 *	  Making a trie of episodes, which is what surrogates are tested with.
 *
 * Included by the SQL functions of episodes, by trie.c and by the tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TRIE_H
#define FIM_TRIE_H

#include "episodes.h"

/*
 * Episodes are added in the order in which they and their prefixes come when types
 * and gaps are compared one after the other.  There must be room for as many nodes as
 * the episodes have events; "open" has room for as many as the longest of them.
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
