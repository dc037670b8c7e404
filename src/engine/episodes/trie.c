/*-------------------------------------------------------------------------
 *
 * trie.c
 *	  Making a trie of episodes.
 *
 *-------------------------------------------------------------------------
 */
#include "trie.h"

/* Close the open nodes from a depth on: no more nodes come below them. */
static void
CloseTo(FimTrie *trie, uint32_t depth)
{
	while (trie->depth > depth)
		trie->node[trie->open[--trie->depth]].end = trie->n;
}

void
FimTrieAdd(FimTrie *trie, const uint32_t *type, const uint32_t *gap, uint32_t length, uint32_t support)
{
	uint32_t	shared = 0;

	while (shared < trie->depth && shared < length &&
		   trie->node[trie->open[shared]].type == type[shared] &&
		   (shared == 0 || trie->node[trie->open[shared]].gap == gap[shared - 1]))
		shared++;
	CloseTo(trie, shared);
	for (; trie->depth < length; trie->depth++)
	{
		trie->open[trie->depth] = trie->n;
		trie->node[trie->n++] = (FimTrieNode) {type[trie->depth], trie->depth > 0 ? gap[trie->depth - 1] : 0, 0, 0};
	}
	trie->node[trie->open[length - 1]].support = support;
}

void
FimTrieFinish(FimTrie *trie)
{
	CloseTo(trie, 0);
}
