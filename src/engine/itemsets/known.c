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
#include <string.h>

#include "known.h"
#include "miner.h"

/*
 * A search's known itemsets, as sets of its columns.
 *
 * Only known itemsets that hold the path and the item of the class can tell the search
 * of a class anything.  They are read from their blocks when the search begins.  Those
 * that are found or imported later are added.
 */

/* Marks the items of the path while known itemsets are compared with it. */
#define ON_PATH		UINT32_MAX

/* Blocks lie scattered in memory, so each is prefetched this many blocks ahead. */
#define PLACES_AHEAD	8

/*
 * A known itemset as it is read, and how much it has of the path and of some columns.  While
 * a reader is open, known->column[] has the column + 1 of an item, or ON_PATH.
 */
typedef struct Reader
{
	uint32_t   *items;			/* [length] the itemset */
	uint32_t	length;
	uint32_t	on_path;		/* how many items of the path it has */
	uint32_t	columns;		/* how many of the columns it has */
	uint32_t	must;			/* the column + 1 that an itemset must have to be added, or 0 */
	const uint32_t *names;		/* [ncolumns] the columns' items */
	uint32_t	ncolumns;
} Reader;

/* Count an item of the itemset.  "one" is 1 if the item is added, and UINT32_MAX, as -1, if it is taken away. */
static inline void
AddItem(const Known *known, Reader *reader, uint32_t item, uint32_t one)
{
	uint32_t	column = known->column[item];

	reader->on_path += column == ON_PATH ? one : 0;
	reader->columns += column != 0 && column != ON_PATH ? one : 0;
}

/* Read the next itemset.  Only the items in which it differs from the one before are replaced. */
static inline const uint8_t *
ReadKnown(const Known *known, const uint8_t *at, Reader *reader)
{
	uint32_t	keep;
	uint32_t	added;

	at = KnownGetNumber(KnownGetNumber(at, &keep), &added);
	while (reader->length > keep)
		AddItem(known, reader, reader->items[--reader->length], UINT32_MAX);
	for (; added > 0; added--)
	{
		at = KnownGetNumber(at, &reader->items[reader->length]);
		AddItem(known, reader, reader->items[reader->length++], 1);
	}
	return at;
}

static void
OpenReader(Miner *m, Reader *reader, const uint32_t *names, uint32_t ncolumns)
{
	Known	   *known = m->known;

	memset(reader, 0, sizeof(Reader));
	reader->items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));
	reader->names = names;
	reader->ncolumns = ncolumns;
	for (uint32_t c = 0; c < ncolumns; c++)
		known->column[names[c]] = c + 1;
	for (uint32_t i = 0; i < m->out.depth; i++)
		known->column[m->out.path[i]] = ON_PATH;
}

static void
CloseReader(Miner *m, const Reader *reader)
{
	for (uint32_t c = 0; c < reader->ncolumns; c++)
		m->known->column[reader->names[c]] = 0;
	for (uint32_t i = 0; i < m->out.depth; i++)
		m->known->column[m->out.path[i]] = 0;
}

/*
 * Number another set of the search, and return the words of known->held that have its bit, one
 * for each column.  The bit is 0 in all of them.
 */
static uint64_t *
AddSet(Miner *m)
{
	Known	   *known = m->known;
	size_t		at = (size_t) (known->nsets / 64) * known->ncolumns;

	if (known->nsets++ % 64 == 0)
	{
		known->held = KnownGrow(m, known->held, at, &known->held_room, at + known->ncolumns,
								sizeof(uint64_t));
		memset(known->held + at, 0, sizeof(uint64_t) * known->ncolumns);
	}
	return known->held + at;
}

/*
 * Add the itemsets of a block that hold the path to the search's sets.  Returns false as
 * soon as one of them has all columns.
 */
static bool
AddBlock(Miner *m, size_t block, Reader *reader)
{
	const Known *known = m->known;
	const uint8_t *at = known->bytes + KnownBlockStart(known, block);
	const uint8_t *end = known->bytes + KnownBlockStart(known, block + 1);

	while (at < end)
	{
		uint64_t   *words;
		uint64_t	bit;
		bool		must = reader->must == 0;

		at = ReadKnown(known, at, reader);
		MinerWork(m, 8);
		if (reader->on_path != m->out.depth ||
			(reader->columns == 0 && reader->ncolumns > 0))
			continue;
		for (uint32_t i = 0; !must && i < reader->length; i++)
			must = known->column[reader->items[i]] == reader->must;
		if (!must)
			continue;
		bit = UINT64_C(1) << (known->nsets % 64);
		words = AddSet(m);
		for (uint32_t i = 0; i < reader->length; i++)
		{
			uint32_t	column = known->column[reader->items[i]];

			if (column != 0 && column != ON_PATH)
				words[column - 1] |= bit;
		}
		if (reader->columns == reader->ncolumns)
			return false;
	}
	return true;
}

bool
KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items, uint32_t ncolumns)
{
	Known	   *known = m->known;
	uint32_t	nwords = (ncolumns + 63) / 64;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	const KnownPlaces *places;
	const uint32_t *blocks;
	Reader		reader;
	bool		covered = false;

	known->ncolumns = ncolumns;
	known->class_words = nwords;
	known->path = KnownGrow(m, known->path, 0, &known->path_room, nwords, sizeof(uint64_t));
	memset(known->path, 0, sizeof(uint64_t) * nwords);
	known->nsets = 0;

	/* the sets have all of these items, so reading the blocks of the item with the fewest is enough */
	places = &known->places[class_item];
	for (uint32_t i = 0; i < m->out.depth; i++)
		if (known->places[m->out.path[i]].n < places->n)
			places = &known->places[m->out.path[i]];
	OpenReader(m, &reader, items, ncolumns);
	if (known->column[class_item] != ON_PATH)
		reader.must = known->column[class_item];
	blocks = KnownBlocks(places);
	for (uint32_t p = places->n; p-- > 0 && !covered;)
	{
		if (p >= PLACES_AHEAD)
			__builtin_prefetch(known->bytes + known->block[blocks[p - PLACES_AHEAD]]);
		covered = !AddBlock(m, blocks[p], &reader);
	}
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
	return !covered;
}

/*
 * Add to the search's sets the itemsets of the blocks from number "from" on that hold the
 * path, for a node at the top of the search.  The node has n columns, which are the caller's
 * items names[] and the search's columns column[].  Once an itemset has all of these, the
 * blocks that follow are not read.
 */
static void
KnownAddBlocks(Miner *m, size_t from, const uint32_t *names, const uint32_t *column, uint32_t n)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Reader		reader;

	OpenReader(m, &reader, names, n);
	/* only the node's columns matter of a set that others have found; they go by the search's numbers */
	for (uint32_t c = 0; c < n; c++)
		m->known->column[names[c]] = column[c] + 1;
	while (from < m->known->nblocks && AddBlock(m, from, &reader))
		from++;
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
}

/* Add the path, which must be within the search, to its sets. */
static void
KnownAddPath(Miner *m)
{
	Known	   *known = m->known;
	uint64_t	bit = UINT64_C(1) << (known->nsets % 64);
	uint64_t   *words = AddSet(m);

	for (uint32_t w = 0; w < known->class_words; w++)
		for (uint64_t left = known->path[w]; left != 0; left &= left - 1)
			words[w * 64 + (uint32_t) __builtin_ctzll(left)] |= bit;
}

/*
 * Items of classes that are not done, and whether they extend an itemset.
 *
 * The top of known.c says which items are open, and what the witness is for.
 */

/*
 * Set known->any_open, and forget classes that are done.
 *
 * Only the classes after the last one that has not passed are looked at.  There are no more of these
 * than workers, but for those that are done, which are forgotten.  So this takes little time even
 * where many classes wait to be imported.
 */
static void
KnownFindOpen(Known *known)
{
	uint32_t	from = known->nundone;
	uint32_t	n;

	while (from > 0 && KnownHasPassed(known, known->undone[from - 1]))
		from--;
	n = from;
	for (uint32_t u = from; u < known->nundone; u++)
		if (known->passed[known->undone[u]] != 0)
			known->undone[n++] = known->undone[u];
	known->nundone = n;
	known->any_open = from > 0;
}

/*
 * Find the columns that are frequent together with each open item.  An open item cannot
 * extend an itemset that has any other column, which spares counting nearly all itemsets.
 */
static void
FindTogether(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * (size_t) known->class_words * known->nwitness_open;

	known->together = ArenaAlloc(&m->arena, size);
	memset(known->together, 0, size);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
		for (uint32_t c = 0; c < known->ncolumns; c++)
		{
			uint32_t	pair[2] = {c, known->witness_open[x]};

			if (m->kernels->common_support(&known->witness, pair, 2) >= m->spec->minsup)
				known->together[(size_t) x * known->class_words + c / 64] |= UINT64_C(1) << (c % 64);
			MinerWork(m, known->witness.nwords / 4);
		}
}

void
KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns)
{
	ColumnMatrix *to = &m->known->witness;
	size_t		size;

	to->nwords = RoundUp8(rows->nwords);
	size = sizeof(uint64_t) * to->nwords * (size_t) ncolumns;
	to->words = ArenaAlloc(&m->arena, size);
	to->shift = ArenaAlloc(&m->arena, to->nwords);
	m->known->path_columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) ncolumns + 1));
	memset(to->words, 0, size);
	memset(to->shift, 0, to->nwords);
	for (uint32_t w = 0; w < rows->nwords; w++)
	{
		for (uint32_t c = 0; c < ncolumns; c++)
			to->words[(size_t) c * to->nwords + w] = rows->words[(size_t) w * rows->stride + c];
		if (rows->shift != NULL)
			to->shift[w] = rows->shift[w];
		MinerWork(m, ncolumns);
	}
	FindTogether(m);
}

/* Drop the open items, those of the witness, too, whose classes have passed this class's item since. */
static void
KnownDropPassed(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * known->class_words;
	uint32_t	n = 0;

	KnownFindOpen(known);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		if (!KnownIsOpen(m, known->witness_item[x]))
			continue;
		known->witness_item[n] = known->witness_item[x];
		known->witness_open[n] = known->witness_open[x];
		memmove(known->together + (size_t) n * known->class_words,
				known->together + (size_t) x * known->class_words, size);
		n++;
	}
	known->nwitness_open = n;
}

/* Whether an open item extends the path, so that its class or that of a rarer item has a superset of the path. */
static bool
KnownOpenExtends(Miner *m)
{
	const Known *known = m->known;
	uint32_t   *column = known->path_columns;
	uint32_t	n = 0;

	for (uint32_t p = 0; p < known->class_words; p++)
		for (uint64_t left = known->path[p]; left != 0; left &= left - 1)
			column[n++] = p * 64 + (uint32_t) __builtin_ctzll(left);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		const uint64_t *together = known->together + (size_t) x * known->class_words;
		bool		possible = true;

		for (uint32_t p = 0; p < known->class_words; p++)
			possible &= (known->path[p] & ~together[p]) == 0;
		if (!possible)
			continue;
		column[n] = known->witness_open[x];
		MinerWork(m, (uint64_t) known->witness.nwords * n / 8);
		if (m->kernels->common_support(&known->witness, column, n + 1) >= m->spec->minsup)
			return true;
	}
	return false;
}

/* A chunk is published once it has CHUNK_SIZE bytes, or CHUNK_WORK of work after the last one. */
#define CHUNK_SIZE		1024
#define CHUNK_WORK		(WORK_PER_POLL / 64)

bool
KnownInit(Miner *m)
{
	const uint32_t *support = (const uint32_t *) ((const char *) m->db + m->db->support_at);
	const uint32_t *name = FimItemNames(m->db);
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
	MinerPoll(m);
	memset(known->column, 0, sizeof(uint32_t) * nitems);
	memset(known->passed, 0xff, sizeof(uint32_t) * nitems);
	for (uint32_t i = 0; i < m->db->nitems; i++)
	{
		known->rank[name[i]] = i;
		MinerWork(m, 8);
	}
	/* classes of infrequent items are not mined */
	while (known->class < m->db->nitems && support[m->db->nitems - 1 - known->class] < m->spec->minsup)
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

/* If an open item extends the path, it is made known all the same, since it prunes the search just as well. */
void
MaximalFound(Miner *m, uint32_t support)
{
	Known	   *known = m->known;

	KnownAddPath(m);
	KnownAdd(m, m->out.path, m->out.depth);
	if (known->nwitness_open == 0 || !KnownOpenExtends(m))
		OutputOne(m, support);
}
