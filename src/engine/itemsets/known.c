/*-------------------------------------------------------------------------
 *
 * known.c
 *	  The maximal itemsets found so far, by this worker and the others.
 *
 * A worker keeps every maximal itemset that it knows, of which there can be
 * millions.  The depth-first search finds them in an order in which each has most of
 * its items in common with the one before, so they are written as differences, which
 * take a few bytes each.  A few itemsets make a block, which can be read without the
 * blocks before it.  For each item there is a list of the blocks that hold it.
 *
 * A worker publishes what it finds in chunks.  They go into a ring that all workers
 * read in the same order from its beginning on.  A chunk also says how far its class
 * has got.  Within a class an itemset belongs to the first of its columns that is
 * searched.  So once the column of an item has been searched, all maximal itemsets of
 * the class that hold the item are known, although the class goes on: the class has
 * "passed" the item.  A chunk says this by one item number: the class has passed all
 * items from that number on.  One number is enough, because columns are searched by
 * ascending support in the class, which is roughly by descending number.  An item in
 * all rows of the class is no column but part of every itemset of the class.  So the
 * class does not pass that item, nor any item with a lower number, before it is done.
 *
 * While a class is mined, a rarer item is "open" if its own class has not passed the
 * item of this class, as far as this worker has read.  Open items are columns of the
 * witness, a matrix of the class's rows.  An itemset that is in no known itemset is
 * maximal if no open item extends it, and the witness is there to count that.
 *
 * The result does not depend on timing, for this reason.  Let S be an itemset that is
 * found in class d and has a frequent superset.  A superset that is in class d, too, is
 * dealt with by the search of d.  Otherwise there is an item x, rarer than d's, such
 * that S with x is frequent; take the rarest such item, so that S with x is in the
 * class c of x.  If x was open when S was found, S with x was counted.  If not, this
 * worker had read a chunk of c that has passed d's item, which is in S.  When that
 * chunk was made, c's worker knew an itemset M that contains S and x.  M need not be
 * maximal, since a worker keeps what it finds even if an open item extends it.  M was
 * either found in c, and then lies in this chunk or in one before it, since the chunks
 * of a worker are in order; or it was imported from a chunk that comes before this one
 * in the ring.  Either way this worker knew M, and had it in the focus, before it
 * dropped x from the open items.
 *
 *-------------------------------------------------------------------------
 */
#include "known.h"
#include "known_codec.h"
#include "known_open.h"
#include "known_ring.h"
#include "known_sets.h"
#include "output.h"

#include <string.h>

/* A chunk is published once it has CHUNK_SIZE bytes, or CHUNK_WORK of work after the last one. */
#define CHUNK_SIZE		1024
#define CHUNK_WORK		(WORK_PER_POLL / 64)

bool
KnownInit(Miner *m)
{
	const uint32_t *support = (const uint32_t *) ((const char *) m->db + m->db->support_at);
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);
	size_t		nitems = (size_t) m->db->nitems + 1;
	Known	   *known = ArenaAlloc(&m->arena, sizeof(Known));

	memset(known, 0, sizeof(Known));
	known->places = ArenaAlloc(&m->arena, sizeof(KnownPlaces) * nitems);
	known->column = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->rank = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->last = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->passed = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->undone = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	memset(known->places, 0, sizeof(KnownPlaces) * nitems);
	memset(known->column, 0, sizeof(uint32_t) * nitems);
	memset(known->passed, 0xff, sizeof(uint32_t) * nitems);
	for (uint32_t i = 0; i < m->db->nitems; i++)
		known->rank[name[i]] = i;
	/* classes of infrequent items are not mined */
	while (known->class < m->db->nitems && support[m->db->nitems - 1 - known->class] < m->job->minsup)
		known->class++;

	m->known = known;			/* from here on KnownFree() has something to free */
	return KnownJoin(m);
}

void
KnownFree(Miner *m)
{
	Known	   *known = m->known;

	if (known == NULL)
		return;
	KnownQuit(m);
	if (known->pending != NULL)
		m->host->free(m->host, known->pending);
	if (known->bytes != NULL)
		m->host->free(m->host, known->bytes);
	if (known->block != NULL)
		m->host->free(m->host, known->block);
	for (uint32_t i = 0; i < m->db->nitems; i++)
		if (known->places[i].n > FEW_PLACES)
			m->host->free(m->host, known->places[i].block.many);
	if (known->path != NULL)
		m->host->free(m->host, known->path);
	if (known->held != NULL)
		m->host->free(m->host, known->held);
}

void
KnownBeginClass(Miner *m, uint32_t taken)
{
	Known	   *known = m->known;

	KnownImport(m);
	/* what this worker has not taken since, others have */
	for (uint32_t c = known->class + 1; c < taken; c++)
		known->undone[known->nundone++] = c;
	known->class = taken;
	known->class_rank = m->db->nitems - taken;
	known->passed[taken] = 0;
	known->own_since = MinerWorked(m);
	KnownFindOpen(known);
	known->nwitness_open = 0;
}

void
KnownEndClass(Miner *m)
{
	KnownPublish(m, 0);
}

/*
 * Returns the item from which on the class has passed all items, if the node's columns from j
 * on have been searched.  Items from there on are among these columns, or in no itemset of
 * the class.
 */
static uint32_t
PassedAt(const Miner *m, const Node *node, uint32_t j)
{
	const Known *known = m->known;
	uint32_t	passed = 0;

	if (j == node->k)
		return UINT32_MAX;
	for (uint32_t c = 0; c < j; c++)
		if (known->rank[node->item[c]] >= passed)
			passed = known->rank[node->item[c]] + 1;
	for (uint32_t p = 0; p < m->out.depth; p++)
	{
		uint32_t	rank = known->rank[m->out.path[p]];

		if (rank != known->class_rank && rank >= passed)
			passed = rank + 1;
	}
	return passed;
}

/*
 * What others have published is imported only while items are open, since it may close some, or
 * once it fills half of the ring.
 */
void
KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole)
{
	Known	   *known = m->known;
	bool		import = KnownHasNews(m) && (known->any_open || KnownLagsBehind(m));
	bool		worked = MinerWorked(m) - known->own_since >= CHUNK_WORK ||
		known->used - KnownBlockStart(known, known->own_block) >= CHUNK_SIZE;
	size_t		from;

	if (import || (whole && worked))
		KnownPublish(m, whole ? PassedAt(m, node, j) : UINT32_MAX);
	if (!import)
		return;
	from = known->nblocks;
	KnownImport(m);
	KnownDropPassed(m);
	KnownAddBlocks(m, from, node->item, column, node->k);
}

/* If an open item extends the path, it is remembered all the same, since it prunes the search just as well. */
void
KnownFound(Miner *m, uint32_t support)
{
	Known	   *known = m->known;

	KnownAddPath(m);
	KnownAdd(m, m->out.path, m->out.depth);
	if (known->nwitness_open == 0 || !KnownOpenExtends(m))
		OutputOne(m, support);
}
