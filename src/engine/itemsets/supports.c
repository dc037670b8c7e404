/*-------------------------------------------------------------------------
 *
 * supports.c
 *	  The supports of all frequent itemsets, as a tree.
 *
 * Itemsets come as the engine finds them: on processors or GPUs, from several workers, in any
 * order of itemsets and of the items in each.  While they come, nodes are found by a hash
 * of their parent and item.  Itemsets that come one after the other mostly share many items, so an itemset
 * takes a few looks into the hash table, one after the other.  Each waits for memory, so many itemsets are looked
 * for at the same time.  In the end the nodes are put into the
 * order in which rules are made of them: children side by side, by ascending item.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"

#define FIRST_NODES	1024

/* Nodes, or steps of a sort, between two polls. */
#define STEPS_PER_POLL	(UINT32_C(1) << 16)

/* A larger block with the contents of an old one, which is freed.  Returns NULL, and frees nothing, if there is no memory. */
static void *
Enlarge(FimHost *host, void *block, size_t old_bytes, size_t bytes)
{
	void	   *larger = host->alloc(host, bytes);

	if (larger == NULL)
		return NULL;
	memcpy(larger, block, old_bytes);
	host->free(host, block);
	return larger;
}

static inline uint64_t
SlotOf(const FimSupportsBuilder *builder, uint32_t parent, uint32_t item)
{
	return FimHash64((uint64_t) parent << 32 | item) & (builder->nslots - 1);
}

/* Make a hash table of so many slots, and put all nodes into it. */
static bool
Rehash(FimSupportsBuilder *builder, uint64_t nslots)
{
	FimHost    *host = builder->host;
	uint32_t   *slot = host->alloc(host, nslots * sizeof(uint32_t));

	if (slot == NULL)
		return false;
	memset(slot, 0, nslots * sizeof(uint32_t));
	if (builder->slot != NULL)
		host->free(host, builder->slot);
	builder->slot = slot;
	builder->nslots = nslots;
	for (uint64_t v = 1; v < builder->nnodes; v++)
	{
		uint64_t	s = SlotOf(builder, builder->node[v].parent, builder->node[v].item);

		while (slot[s] != 0)
			s = (s + 1) & (nslots - 1);
		slot[s] = (uint32_t) v;
	}
	return true;
}

/*
 * Make room for twice as many nodes.  The host may leave by longjmp, and then the builder may be told to
 * restart; so there are never fewer slots than twice the nodes that there is room for.
 */
static bool
Grow(FimSupportsBuilder *builder)
{
	size_t		bytes = builder->room * sizeof(FimSupportsNode);
	FimSupportsNode *larger;

	if (!Rehash(builder, 4 * builder->room))
		return false;
	larger = Enlarge(builder->host, builder->node, bytes, 2 * bytes);
	if (larger == NULL)
		return false;
	builder->node = larger;
	builder->room *= 2;
	return true;
}

/* Find the child of a node from its slot on, or add one, for which there must be room. */
static uint32_t
ChildOf(FimSupportsBuilder *builder, uint32_t parent, uint32_t item, uint64_t s)
{
	FimSupportsNode *node = builder->node;

	for (; builder->slot[s] != 0; s = (s + 1) & (builder->nslots - 1))
	{
		uint32_t	v = builder->slot[s];

		if (node[v].parent == parent && node[v].item == item)
			return v;
	}
	node[builder->nnodes] = (FimSupportsNode) {.parent = parent,.item = item,.sibling = node[parent].child};
	node[parent].child = builder->slot[s] = (uint32_t) builder->nnodes;
	return (uint32_t) builder->nnodes++;
}

/* The key of a number: those of all numbers lie "stride" bytes apart. */
static inline uint32_t
KeyOf(const void *keys, size_t stride, uint32_t number)
{
	return *(const uint32_t *) ((const char *) keys + number * stride);
}

/* Sort numbers by ascending key (Shell's sort, with Gonnet's gaps). */
static void
SortByKey(FimHost *host, uint32_t *numbers, uint32_t n, const void *keys, size_t stride)
{
	for (uint32_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : (uint32_t) (UINT64_C(5) * gap / 11))
		for (uint32_t i = gap; i < n; i++)
		{
			uint32_t	number = numbers[i];
			uint32_t	key = KeyOf(keys, stride, number);
			uint32_t	j = i;

			for (; j >= gap && KeyOf(keys, stride, numbers[j - gap]) > key; j -= gap)
				numbers[j] = numbers[j - gap];
			numbers[j] = number;
			if (i % STEPS_PER_POLL == STEPS_PER_POLL - 1)
				(void) host->poll(host);
		}
}

void
FimSupportsRestart(FimSupportsBuilder *builder)
{
	memset(builder->slot, 0, builder->nslots * sizeof(uint32_t));
	builder->nnodes = 1;
	builder->node[0].child = 0;
	builder->path[0].length = builder->longest = 0;
}

bool
FimSupportsBegin(FimSupportsBuilder *builder, FimHost *host, uint32_t nitems, const uint32_t *support,
				 uint32_t root_support)
{
	memset(builder, 0, sizeof(*builder));
	builder->host = host;
	builder->nitems = nitems;
	builder->room = FIRST_NODES;
	builder->order = host->alloc(host, ((size_t) nitems + 1) * sizeof(uint32_t));
	builder->name = host->alloc(host, ((size_t) nitems + 1) * sizeof(uint32_t));
	builder->node = host->alloc(host, builder->room * sizeof(FimSupportsNode));
	if (builder->order == NULL || builder->name == NULL || builder->node == NULL ||
		!Rehash(builder, 2 * builder->room))
	{
		FimSupportsEnd(builder);
		return false;
	}
	for (uint32_t i = 0; i < nitems; i++)
		builder->name[i] = i;
	SortByKey(host, builder->name, nitems, support, sizeof(uint32_t));
	for (uint32_t i = 0; i < nitems; i++)
		builder->order[builder->name[i]] = i;
	builder->node[0] = (FimSupportsNode) {.support = root_support};
	FimSupportsRestart(builder);
	return true;
}

/* Take an itemset from its record, the words behind its lengths, to its path.  Returns what follows. */
static const uint32_t *
ReadPath(FimSupportsBuilder *builder, FimSupportsPath *path, uint32_t kept, uint32_t added, const uint32_t *words)
{
	const FimSupportsPath *before = path - 1;

	for (uint32_t i = 0; i < added; i++)
		builder->last[kept + i] = builder->order[*words++];
	path->length = kept + added;
	path->support = *words++;
	for (uint32_t i = 0; i < path->length; i++)
	{
		uint32_t	item = builder->last[i];
		uint32_t	j = i;

		for (; j > 0 && path->items[j - 1] > item; j--)
			path->items[j] = path->items[j - 1];
		path->items[j] = item;
	}
	path->same = 0;
	while (path->same < before->length && path->same < path->length && path->items[path->same] == before->items[path->same])
		path->same++;
	return words;
}

/* Must the node be looked for to which the path goes on from this level? */
static inline bool
IsSought(const FimSupportsPath *path, uint32_t level)
{
	return path->same <= level && level < path->length;
}

/* Find the nodes of n paths, level by level, or add them, for which there must be room. */
static void
FindPaths(FimSupportsBuilder *builder, uint32_t n, uint32_t longest)
{
	uint64_t	slot[1 + FIM_SUPPORTS_AT_ONCE];

	for (uint32_t level = 0; level < longest; level++)
	{
		for (uint32_t k = 1; k <= n; k++)
		{
			const FimSupportsPath *path = &builder->path[k];

			if (IsSought(path, level))
			{
				slot[k] = SlotOf(builder, path->at[level], path->items[level]);
				__builtin_prefetch(&builder->slot[slot[k]]);
			}
		}
		for (uint32_t k = 1; k <= n; k++)
			if (IsSought(&builder->path[k], level))
				__builtin_prefetch(&builder->node[builder->slot[slot[k]]]);
		for (uint32_t k = 1; k <= n; k++)
		{
			FimSupportsPath *path = &builder->path[k];

			if (IsSought(path, level))
				path->at[level + 1] = ChildOf(builder, path->at[level], path->items[level], slot[k]);
			else if (level < path->same)
				path->at[level + 1] = path[-1].at[level + 1];
		}
	}
	for (uint32_t k = 1; k <= n; k++)
		builder->node[builder->path[k].at[builder->path[k].length]].support = builder->path[k].support;
}

FimSupportsResult
FimSupportsAdd(FimSupportsBuilder *builder, const uint32_t *words, size_t n)
{
	while (n > 0)
	{
		uint32_t	count = n < FIM_SUPPORTS_AT_ONCE ? (uint32_t) n : FIM_SUPPORTS_AT_ONCE;
		uint32_t	longest = 0;
		uint64_t	most = builder->nnodes;

		for (uint32_t k = 1; k <= count; k++)
		{
			if (words[0] + (uint64_t) words[1] >= FIM_SUPPORTS_LENGTH)
				return FIM_SUPPORTS_TOO_MANY;
			words = ReadPath(builder, &builder->path[k], words[0], words[1], words + 2);
			most += builder->path[k].length - builder->path[k].same;
			if (builder->path[k].length > longest)
				longest = builder->path[k].length;
		}
		if (most > UINT32_MAX)
			return FIM_SUPPORTS_TOO_MANY;
		while (most > builder->room)
			if (!Grow(builder))
				return FIM_SUPPORTS_NO_MEMORY;
		FindPaths(builder, count, longest);
		if (longest > builder->longest)
			builder->longest = longest;
		builder->path[0] = builder->path[count];
		n -= count;
	}
	return FIM_SUPPORTS_ADDED;
}

/*
 * The finished tree.
 */

static uint64_t
Layout(const FimSupportsBuilder *builder, FimSupports *to)
{
	uint64_t	at = FimAlignUp(sizeof(FimSupports));

	to->name_at = at;
	at = FimAlignUp(at + builder->nitems * sizeof(uint32_t));
	to->flags_at = at;
	at = FimAlignUp(at + builder->nitems);
	to->alone_at = at;
	at = FimAlignUp(at + builder->nitems * sizeof(uint32_t));
	to->item_at = at;
	at = FimAlignUp(at + builder->nnodes * sizeof(uint32_t));
	to->support_at = at;
	at = FimAlignUp(at + builder->nnodes * sizeof(uint32_t));
	to->first_at = at;
	return FimAlignUp(at + (builder->nnodes + 1) * sizeof(uint32_t));
}

uint64_t
FimSupportsSize(const FimSupportsBuilder *builder)
{
	FimSupports layout;

	return Layout(builder, &layout);
}

/* How many items are not frequent.  In the order of items these come first. */
static uint32_t
Infrequent(const FimSupportsBuilder *builder)
{
	uint32_t	frequent = 0;

	for (uint32_t child = builder->node[0].child; child != 0; child = builder->node[child].sibling)
		if (++frequent % STEPS_PER_POLL == 0)
			(void) builder->host->poll(builder->host);
	return builder->nitems - frequent;
}

/* The nodes in their new order: each followed, some time later, by its children. */
bool
FimSupportsFinish(const FimSupportsBuilder *builder, FimSupports *to)
{
	FimHost    *host = builder->host;
	const FimSupportsNode *node = builder->node;
	uint32_t	nnodes = (uint32_t) builder->nnodes;
	uint32_t	infrequent = Infrequent(builder);
	uint32_t   *old = host->alloc(host, nnodes * sizeof(uint32_t));
	uint32_t   *item;
	uint32_t   *support;
	uint32_t   *first;
	uint32_t	next = 1;

	if (old == NULL)
		return false;
	memset(to, 0, sizeof(*to));
	to->head.size = Layout(builder, to);
	to->nitems = builder->nitems - infrequent;
	to->nnodes = nnodes;
	to->longest = builder->longest;
	item = (uint32_t *) ((char *) to + to->item_at);
	support = (uint32_t *) ((char *) to + to->support_at);
	first = (uint32_t *) ((char *) to + to->first_at);
	memcpy((char *) to + to->name_at, builder->name + infrequent, to->nitems * sizeof(uint32_t));
	old[0] = 0;
	for (uint32_t v = 0; v < nnodes; v++)
	{
		first[v] = next;
		item[v] = v == 0 ? 0 : node[old[v]].item - infrequent;
		support[v] = node[old[v]].support;
		for (uint32_t child = node[old[v]].child; child != 0; child = node[child].sibling)
		{
			old[next++] = child;
			if (next % STEPS_PER_POLL == 0)
				(void) host->poll(host);
		}
		SortByKey(host, old + first[v], next - first[v], &node[0].item, sizeof(FimSupportsNode));
		if (v % STEPS_PER_POLL == 0)
			(void) host->poll(host);
	}
	first[nnodes] = next;
	host->free(host, old);
	return true;
}

void
FimSupportsEnd(FimSupportsBuilder *builder)
{
	FimHost    *host = builder->host;
	void	   *blocks[] = {builder->order, builder->name, builder->node, builder->slot};

	for (int i = 0; i < 4; i++)
		if (blocks[i] != NULL)
			host->free(host, blocks[i]);
}
