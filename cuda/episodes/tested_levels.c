/*-------------------------------------------------------------------------
 *
 * tested_levels.c
 *	  The trie of tested episodes by levels, see tested_levels.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/tested_levels.h"

/* Nodes are ordered by the size of their types: how many bits the number of a type's events has. */
#define SIZES			33

/* Nodes are of two kinds: those that get lists, and leaves. */
#define KINDS			2

static inline uint32_t
SizeOf(uint32_t events)
{
	return events > 0 ? 32 - (uint32_t) __builtin_clz(events) : 0;
}

/*
 * Go on to node k, in preorder.  open[depth] has the nodes above the node before, and that node itself, by
 * level; so it has for node k afterwards.  Returns the level of node k.
 */
static uint32_t
Descend(const FimTrieNode *nodes, uint32_t k, uint32_t depth, uint32_t *open)
{
	while (depth > 0 && nodes[open[depth - 1]].end <= k)
		depth--;
	open[depth] = k;
	return depth + 1;
}

/* The rank of a node: nodes of less rank come first. */
static uint32_t
RankOf(const EpisodesJob *job, const TestedLevels *t, uint32_t k)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->asked);
	uint32_t	kind = t->level[k] - 1;

	if (kind > 0 && !HasChildren(nodes, k))
		kind += t->depth - 1;
	return kind * SIZES + SIZES - 1 - SizeOf(EventsOf(job, nodes[k].type));
}

/* Whether nothing is to be done for a node: a single type whose support is not wanted, as its list is there. */
static inline bool
IsLeftOut(const EpisodesJob *job, const TestedLevels *t, uint32_t k)
{
	return t->level[k] == 1 && FIM_EPISODES_NODES(job->asked)[k].support == 0;
}

/* Fill in the extensions by rank.  at[rank] is where those of each rank begin, and is moved to their end. */
static cudaError_t
FillExtensions(EpisodesJob *job, TestedLevels *t, uint32_t *at, uint32_t *open)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->asked);
	uint32_t	depth = 0;

	for (uint32_t k = 0; k < job->asked->nnodes; k++)
	{
		depth = Descend(nodes, k, depth, open);
		if (!IsLeftOut(job, t, k))
			t->extensions[at[RankOf(job, t, k)]++] = (Extension) {depth > 1 ? open[depth - 2] : 0, nodes[k].type,
				nodes[k].gap, k};
	}
	return HostWork(job, 8 * (uint64_t) job->asked->nnodes);
}

/* Set at[rank] to where the extensions of each rank begin, and how many there are.  at[] is 0 before. */
static cudaError_t
FindRanks(EpisodesJob *job, TestedLevels *t, uint32_t *at)
{
	for (uint32_t k = 0; k < job->asked->nnodes; k++)
		if (!IsLeftOut(job, t, k))
			at[RankOf(job, t, k)]++;
	t->made_end[0] = 0;
	for (uint32_t rank = 0; rank < t->depth * KINDS * SIZES; rank++)
	{
		uint32_t	n = at[rank];

		at[rank] = t->n;
		t->n += n;
		if (rank / SIZES < t->depth)
			t->made_end[rank / SIZES + 1] = t->n;
	}
	return HostWork(job, 4 * (uint64_t) job->asked->nnodes + (uint64_t) t->depth * KINDS * SIZES);
}

static cudaError_t
FindLevels(EpisodesJob *job, TestedLevels *t, uint32_t *open)
{
	uint32_t	depth = 0;

	for (uint32_t k = 0; k < job->asked->nnodes; k++)
	{
		depth = Descend(FIM_EPISODES_NODES(job->asked), k, depth, open);
		t->level[k] = depth;
		t->depth = depth > t->depth ? depth : t->depth;
	}
	return HostWork(job, 4 * (uint64_t) job->asked->nnodes);
}

cudaError_t
OpenTestedLevels(EpisodesJob *job, TestedLevels *t)
{
	size_t		n = job->asked->nnodes;
	uint32_t   *open;
	uint32_t   *at;
	size_t		bytes;

	memset(t, 0, sizeof(*t));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * (n + 1), (void **) &open));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n, (void **) &t->level));
	GPU_TRY(GpuHostTake(&job->team, sizeof(Extension) * n, (void **) &t->extensions));
	GPU_TRY(FindLevels(job, t, open));
	bytes = sizeof(uint32_t) * KINDS * SIZES * ((size_t) t->depth + 1);
	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &at));
	memset(at, 0, bytes);
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) t->depth + 1), (void **) &t->made_end));
	GPU_TRY(FindRanks(job, t, at));
	GPU_TRY(FillExtensions(job, t, at, open));
	GpuHostFree(&job->team, at);
	GpuHostFree(&job->team, open);
	return cudaSuccess;
}

/* ---- suffixes ---- */

/* Whether a node comes before another one, in the order in which the children of a node come. */
static inline bool
ComesBefore(const FimTrieNode *node, const FimTrieNode *other)
{
	return node->gap != other->gap ? node->gap < other->gap : node->type < other->type;
}

/*
 * Find the suffixes of the children of node k, whose own suffix is known.  The children of a node come by gap
 * and type, so they are merged with the children of the suffix.  Returns how many nodes were looked at.
 */
static uint32_t
FindSuffixesBelow(const FimTrieNode *nodes, uint32_t k, uint32_t *suffix)
{
	uint32_t	of = suffix[k];
	uint32_t	at = of + 1;
	uint32_t	looked_at = 0;

	for (uint32_t child = k + 1; child < nodes[k].end; child = nodes[child].end)
	{
		for (; at < nodes[of].end && ComesBefore(&nodes[at], &nodes[child]); at = nodes[at].end)
			looked_at++;
		if (at < nodes[of].end && !ComesBefore(&nodes[child], &nodes[at]))
			suffix[child] = at;
		looked_at++;
	}
	return looked_at;
}

cudaError_t
FindSuffixes(EpisodesJob *job, const TestedLevels *t, uint32_t *suffix)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->asked);
	uint32_t	nnodes = job->asked->nnodes;
	uint32_t   *root;			/* [ntypes] the node of each single type, which is the suffix of some pairs */

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * job->data->ntypes, (void **) &root));
	memset(root, 0xff, sizeof(uint32_t) * job->data->ntypes);
	memset(suffix, 0xff, sizeof(uint32_t) * nnodes);
	for (uint32_t k = 0; k < nnodes; k = nodes[k].end)
		root[nodes[k].type] = k;
	for (uint32_t k = 0; k < nnodes; k++)
	{
		uint32_t	looked_at = 1;

		if (t->level[k] == 2)
			suffix[k] = root[nodes[k].type];
		if (suffix[k] != GPU_NONE)
			looked_at += FindSuffixesBelow(nodes, k, suffix);
		GPU_TRY(HostWork(job, looked_at));
	}
	GpuHostFree(&job->team, root);
	return HostWork(job, nnodes);
}
