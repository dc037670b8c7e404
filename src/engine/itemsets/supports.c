/*-------------------------------------------------------------------------
 *
 * supports.c
 *	  The supports of all frequent itemsets, as a tree.
 *
 * Itemsets come as the engine finds them: on processors or GPUs, from several workers, in any
 * order of itemsets and of the items in each.  While they come, nodes are found by a hash
 * of their parent and item.  Itemsets that come one after the other mostly share all items but the
 * last ones, so most of them take one look into the hash table.  In the end the nodes are put into the
 * order in which rules are made of them: children side by side, by ascending item.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"

#define FIRST_NODES	1024

/* Nodes between two polls. */
#define NODES_PER_POLL	(UINT32_C(1) << 16)

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

/*
 * Find the child of a node, or add one.  Returns 0 if there is no room for another node.
 */
static uint32_t
ChildOf(FimSupportsBuilder *builder, uint32_t parent, uint32_t item)
{
	uint64_t	s = SlotOf(builder, parent, item);
	FimSupportsNode *node = builder->node;

	for (; builder->slot[s] != 0; s = (s + 1) & (builder->nslots - 1))
	{
		uint32_t	v = builder->slot[s];

		if (node[v].parent == parent && node[v].item == item)
			return v;
	}
	if (builder->nnodes == builder->room)
		return 0;
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
SortByKey(uint32_t *numbers, uint32_t n, const void *keys, size_t stride)
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
		}
}

void
FimSupportsRestart(FimSupportsBuilder *builder)
{
	memset(builder->slot, 0, builder->nslots * sizeof(uint32_t));
	builder->nnodes = 1;
	builder->node[0].child = 0;
	builder->length = builder->nsorted = builder->longest = 0;
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
	SortByKey(builder->name, nitems, support, sizeof(uint32_t));
	for (uint32_t i = 0; i < nitems; i++)
		builder->order[builder->name[i]] = i;
	builder->node[0] = (FimSupportsNode) {.support = root_support};
	FimSupportsRestart(builder);
	return true;
}

/* Sort the items of the path, and keep the nodes of those items with which the last itemset begins, too. */
static void
SortPath(FimSupportsBuilder *builder)
{
	uint32_t	sorted[FIM_SUPPORTS_LENGTH];
	uint32_t	same = 0;

	for (uint32_t i = 0; i < builder->length; i++)
	{
		uint32_t	item = builder->path[i];
		uint32_t	j = i;

		for (; j > 0 && sorted[j - 1] > item; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = item;
	}
	while (same < builder->nsorted && same < builder->length && sorted[same] == builder->sorted[same])
		same++;
	memcpy(builder->sorted + same, sorted + same, (builder->length - same) * sizeof(uint32_t));
	builder->nsorted = same;
}

/* Add the itemset on the path. */
static FimSupportsResult
AddPath(FimSupportsBuilder *builder, uint32_t support)
{
	SortPath(builder);
	if (builder->nnodes + FIM_SUPPORTS_LENGTH > UINT32_MAX)
		return FIM_SUPPORTS_TOO_MANY;
	while (builder->nnodes + builder->length > builder->room)
		if (!Grow(builder))
			return FIM_SUPPORTS_NO_MEMORY;
	for (uint32_t i = builder->nsorted; i < builder->length; i++)
		builder->at[i + 1] = ChildOf(builder, builder->at[i], builder->sorted[i]);
	builder->nsorted = builder->length;
	builder->node[builder->at[builder->length]].support = support;
	if (builder->length > builder->longest)
		builder->longest = builder->length;
	return FIM_SUPPORTS_ADDED;
}

FimSupportsResult
FimSupportsAdd(FimSupportsBuilder *builder, const uint32_t *words, size_t n)
{
	for (; n > 0; n--)
	{
		uint32_t	kept = words[0];
		uint32_t	added = words[1];
		FimSupportsResult result;

		if (kept + (uint64_t) added >= FIM_SUPPORTS_LENGTH)
			return FIM_SUPPORTS_TOO_MANY;
		words += 2;
		for (uint32_t i = 0; i < added; i++)
			builder->path[kept + i] = builder->order[*words++];
		builder->length = kept + added;
		result = AddPath(builder, *words++);
		if (result != FIM_SUPPORTS_ADDED)
			return result;
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
		frequent++;
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
			old[next++] = child;
		SortByKey(old + first[v], next - first[v], &node[0].item, sizeof(FimSupportsNode));
		if (v % NODES_PER_POLL == 0)
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
