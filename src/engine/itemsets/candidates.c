/*-------------------------------------------------------------------------
 *
 * candidates.c
 *	  Itemsets whose supports are asked for, as a tree.
 *
 * The candidates are sorted as words are in a dictionary, with the rarest item as the first letter.  Then
 * each of them has its first items in common with the one before, and the rest of it are new
 * nodes, which come in the order of the tree.
 *
 * There may be millions of candidates, so as many items as fit make one number, and sorting looks at
 * the next number only where candidates agree in all before.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"

/* Candidates or nodes between two polls. */
#define PER_POLL		(UINT32_C(1) << 16)

/* Fewer entries than this are sorted by insertion. */
#define FEW_ENTRIES		48

/* A unit of work is as many nodes as this, or more if they are below one item of a class. */
#define UNIT_NODES		16384

/* A candidate while all are sorted. */
typedef struct Entry
{
	uint64_t	key;
	uint32_t	candidate;
	uint32_t	same;			/* items that it has in common with the entry before it, once all are sorted */
} Entry;

typedef struct Sorter
{
	FimHost    *host;
	const uint32_t *length;		/* of candidates */
	const uint32_t *start;		/* index of their first item */
	const uint32_t *items;		/* engine items, descending in each candidate */
	uint32_t	bits;			/* that an item takes in a key; 0 is the end of a candidate */
	uint32_t	per_key;		/* items of a key */
	Entry	   *scratch;
} Sorter;

/*
 * The items of candidates, in the order of the tree.
 */

/* The engine's item of each of the caller's; NULL if there is no memory. */
static uint32_t *
EngineItems(const FimDatabase *db, FimHost *host)
{
	const uint32_t *name = FimItemNames(db);
	uint32_t   *engine_item = host->alloc(host, ((size_t) db->nitems + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; engine_item != NULL && i < db->nitems; i++)
		engine_item[name[i]] = i;
	return engine_item;
}

/* Sort a candidate's items, the greatest first.  Long ones are sorted with larger steps first (Shell). */
static void
SortDescending(uint32_t *items, uint32_t n)
{
	uint32_t	gap = 1;

	while (gap < n / 9)
		gap = 3 * gap + 1;
	for (; gap > 0; gap /= 3)
		for (uint32_t i = gap; i < n; i++)
		{
			uint32_t	item = items[i];
			uint32_t	j = i;

			for (; j >= gap && items[j - gap] < item; j -= gap)
				items[j] = items[j - gap];
			items[j] = item;
		}
}

/* Renumber the items of a list, sort them, and drop those that are there twice.  Returns how many are left. */
static uint32_t
OrderItems(uint32_t *items, uint32_t n, const uint32_t *engine_item)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n; i++)
		items[i] = engine_item[items[i]];
	SortDescending(items, n);
	for (uint32_t i = 0; i < n; i++)
		if (kept == 0 || items[kept - 1] != items[i])
			items[kept++] = items[i];
	return kept;
}

/*
 * Sorting the candidates.
 */

/* The items of a candidate from number "key" of its keys on, as far as they fit. */
static inline uint64_t
KeyOf(const Sorter *sorter, uint32_t candidate, uint32_t key)
{
	uint64_t	from = (uint64_t) key * sorter->per_key;
	uint64_t	length = sorter->length[candidate];
	const uint32_t *items = sorter->items + sorter->start[candidate];
	uint64_t	word = 0;

	for (uint64_t i = from; i < from + sorter->per_key; i++)
		word = word << sorter->bits | (i < length ? items[i] + UINT64_C(1) : 0);
	return word;
}

static void
SortFew(Entry *entry, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		Entry		moved = entry[i];
		uint32_t	j = i;

		for (; j > 0 && entry[j - 1].key > moved.key; j--)
			entry[j] = entry[j - 1];
		entry[j] = moved;
	}
}

/* Sort by one byte of the key, unless it is the same in all. */
static void
SortByByte(Entry *entry, Entry *to, uint32_t n, int shift)
{
	uint32_t	start[257] = {0};

	for (uint32_t i = 0; i < n; i++)
		start[(entry[i].key >> shift & 255) + 1]++;
	if (start[(entry[0].key >> shift & 255) + 1] == n)
		return;
	for (int b = 0; b < 256; b++)
		start[b + 1] += start[b];
	for (uint32_t i = 0; i < n; i++)
		to[start[entry[i].key >> shift & 255]++] = entry[i];
	memcpy(entry, to, n * sizeof(Entry));
}

/* Sort entries by number "key" of their keys.  Returns false if the host says stop. */
static bool
SortByKey(Sorter *sorter, Entry *entry, uint32_t n, uint32_t key)
{
	for (uint32_t i = 0; i < n; i++)
		entry[i].key = KeyOf(sorter, entry[i].candidate, key);
	if (n < FEW_ENTRIES)
	{
		SortFew(entry, n);
		return true;
	}
	for (int shift = 0; shift < 64; shift += 8)
	{
		if (n >= PER_POLL && sorter->host->poll(sorter->host))
			return false;
		SortByByte(entry, sorter->scratch, n, shift);
	}
	return true;
}

/* The number of entries, from the first one on, that have its key. */
static uint32_t
EqualKeys(const Entry *entry, uint32_t n)
{
	uint32_t	equal = 1;

	while (equal < n && entry[equal].key == entry[0].key)
		equal++;
	return equal;
}

/*
 * Sort entries that agree in all keys before number "key".  Entries that agree in it, too, and go on are sorted by the
 * next one.  The last of them, among which are those that are the longest if one begins another, are not left to a further call.
 */
static bool
SortEntries(Sorter *sorter, Entry *entry, uint32_t n, uint32_t key)
{
	const uint64_t last_item = (UINT64_C(1) << sorter->bits) - 1;

	while (n > 1)
	{
		uint32_t	equal;

		if (!SortByKey(sorter, entry, n, key))
			return false;
		key++;
		for (; (equal = EqualKeys(entry, n)) < n; entry += equal, n -= equal)
			if (equal > 1 && (entry->key & last_item) != 0 && !SortEntries(sorter, entry, equal, key))
				return false;
		if ((entry->key & last_item) == 0)
			break;
	}
	return true;
}

/*
 * Making the tree.
 */

/*
 * To be called in the n-th turn of a loop, which takes long if there are millions of candidates.  Returns whether the host says stop.
 */
static inline bool
MustStopAt(FimHost *host, uint32_t n)
{
	return n % PER_POLL == PER_POLL - 1 && host->poll(host);
}

/*
 * Set in each entry what it has in common with the one before.  Returns the number of nodes, or 0 if the host says stop, and sets
 * *longest.
 */
static uint64_t
CompareEntries(const Sorter *sorter, Entry *entry, uint32_t n, uint32_t *longest)
{
	uint64_t	nodes = 1;

	for (uint32_t e = 0; e < n; e++)
	{
		uint32_t	c = entry[e].candidate;
		uint32_t	before = e > 0 ? entry[e - 1].candidate : 0;
		uint32_t	most = e == 0 ? 0 : sorter->length[c] < sorter->length[before] ? sorter->length[c] : sorter->length[before];
		uint32_t	same = 0;

		if (MustStopAt(sorter->host, e))
			return 0;
		while (same < most && sorter->items[sorter->start[c] + same] == sorter->items[sorter->start[before] + same])
			same++;
		entry[e].same = same;
		nodes += sorter->length[c] - same;
		if (sorter->length[c] > *longest)
			*longest = sorter->length[c];
	}
	return nodes;
}

/* Add the nodes of all candidates.  path[] has room for the longest one and for the root.  Returns false if the host says stop. */
static bool
AddNodes(const Sorter *sorter, const Entry *entry, uint32_t n, FimCandidatesSpec *tree, uint32_t *path, uint32_t *node)
{
	uint32_t   *item = (uint32_t *) ((char *) tree + tree->item_at);
	uint32_t   *end = (uint32_t *) ((char *) tree + tree->end_at);
	uint32_t	depth = 0;
	uint32_t	next = 1;

	item[0] = path[0] = 0;
	for (uint32_t e = 0; e < n; e++)
	{
		uint32_t	c = entry[e].candidate;

		if (MustStopAt(sorter->host, e))
			return false;
		for (; depth > entry[e].same; depth--)
			end[path[depth]] = next;
		while (depth < sorter->length[c])
		{
			item[next] = sorter->items[sorter->start[c] + depth];
			path[++depth] = next++;
		}
		node[c] = path[depth];
	}
	for (; depth > 0; depth--)
		end[path[depth]] = next;
	end[0] = next;
	return true;
}

/* Divide the nodes into units.  Returns how many these are. */
static uint32_t
MakeUnits(const uint32_t *end, FimCandidatesUnit *to)
{
	uint32_t	nunits = 0;

	for (uint32_t v = 1; v < end[0]; v = end[v])
	{
		uint32_t	first = v + 1;
		uint32_t	child = first;

		do
		{
			if (child < end[v])
				child = end[child];
			if (child < end[v] && child - first < UNIT_NODES)
				continue;
			to[nunits++] = (FimCandidatesUnit) {v, first, child};
			first = child;
		} while (child < end[v]);
	}
	return nunits;
}

/* Lay out and allocate a tree of so many nodes, and as many units as they may become. */
static FimCandidatesSpec *
AllocateTree(FimHost *host, uint64_t nodes, uint32_t nitems, uint32_t longest)
{
	FimCandidatesSpec layout = {.itemsets = {.candidates = true},.nnodes = (uint32_t) nodes,.longest = longest};
	uint64_t	units = nitems + nodes / UNIT_NODES;
	FimCandidatesSpec *tree;
	uint64_t	size;

	layout.item_at = FimAlignUp(sizeof(FimCandidatesSpec));
	layout.end_at = FimAlignUp(layout.item_at + nodes * sizeof(uint32_t));
	layout.unit_at = FimAlignUp(layout.end_at + nodes * sizeof(uint32_t));
	size = layout.unit_at + units * sizeof(FimCandidatesUnit);
	tree = size > UINT32_MAX ? NULL : host->alloc(host, size);
	if (tree != NULL)
		*tree = layout;
	return tree;
}

/* Sort the candidates, and make the tree.  Returns NULL as FimCandidatesTree() does. */
static FimCandidatesSpec *
SortedTree(Sorter *sorter, Entry *entry, uint32_t n, uint32_t nitems, uint32_t *node)
{
	FimHost    *host = sorter->host;
	FimCandidatesSpec *tree;
	uint32_t	longest = 0;
	uint64_t	nodes;
	uint32_t   *path;

	if (!SortEntries(sorter, entry, n, 0))
		return NULL;
	nodes = CompareEntries(sorter, entry, n, &longest);
	if (nodes == 0)
		return NULL;
	tree = AllocateTree(host, nodes, nitems, longest);
	path = host->alloc(host, ((size_t) longest + 1) * sizeof(uint32_t));
	if (tree != NULL && (path == NULL || !AddNodes(sorter, entry, n, tree, path, node)))
	{
		host->free(host, tree);
		tree = NULL;
	}
	if (path != NULL)
		host->free(host, path);
	if (tree == NULL)
		return NULL;
	tree->nunits = MakeUnits((const uint32_t *) ((char *) tree + tree->end_at),
							 (FimCandidatesUnit *) ((char *) tree + tree->unit_at));
	tree->itemsets.head.size = (uint32_t) (tree->unit_at + tree->nunits * sizeof(FimCandidatesUnit));
	return tree;
}

/* Set where candidates begin, put their items in order, and make entries of those that are somewhere.  Returns how many, or FIM_NOWHERE for stop. */
static uint32_t
MakeEntries(const FimCandidates *candidates, const uint32_t *engine_item, FimHost *host, uint32_t *start, Entry *entry,
			uint32_t *node)
{
	uint32_t	at = 0;
	uint32_t	n = 0;

	for (uint32_t c = 0; c < candidates->n; c++)
	{
		if (MustStopAt(host, c))
			return FIM_NOWHERE;
		start[c] = at;
		node[c] = FIM_NOWHERE;
		if (candidates->length[c] == FIM_NOWHERE)
			continue;
		at += candidates->length[c];
		candidates->length[c] = OrderItems(candidates->items + start[c], candidates->length[c], engine_item);
		entry[n++] = (Entry) {.candidate = c};
	}
	return n;
}

FimCandidatesSpec *
FimCandidatesTree(const FimCandidates *candidates, const FimDatabase *db, FimHost *host, uint32_t *node)
{
	size_t		n = (size_t) candidates->n + 1;
	uint32_t   *engine_item = EngineItems(db, host);
	uint32_t   *start = host->alloc(host, n * sizeof(uint32_t));
	Entry	   *entry = host->alloc(host, n * sizeof(Entry));
	Sorter		sorter = {.host = host,.length = candidates->length,.start = start,.items = candidates->items,.bits = 1};
	FimCandidatesSpec *tree = NULL;
	void	   *blocks[] = {engine_item, start, entry, sorter.scratch = host->alloc(host, n * sizeof(Entry))};

	while (UINT64_C(1) << sorter.bits <= db->nitems)
		sorter.bits++;
	sorter.per_key = 64 / sorter.bits;
	if (engine_item != NULL && start != NULL && entry != NULL && sorter.scratch != NULL)
	{
		uint32_t	found = MakeEntries(candidates, engine_item, host, start, entry, node);

		if (found != FIM_NOWHERE)
			tree = SortedTree(&sorter, entry, found, db->nitems, node);
	}
	for (int i = 0; i < 4; i++)
		if (blocks[i] != NULL)
			host->free(host, blocks[i]);
	return tree;
}
