/*-------------------------------------------------------------------------
 *
 * significance.c
 *	  Counting given episodes on surrogates.
 *
 * The episodes are in a trie, which is walked depth first: all children of a node under one
 * gap are counted together (children.h), and those that have nodes below them get a list.
 * Where a surrogate is made in several blocks of partitions, the trie is walked once for
 * each block, and the supports are added.
 *
 *-------------------------------------------------------------------------
 */
#include "significance.h"

#include "children.h"

#include <string.h>

/* A node with nodes below it, and the list of its episode. */
typedef struct Parent
{
	uint32_t	node;
	Chains		list;
} Parent;

/* A node on the path to the node at hand, and those of its children that are walked now. */
typedef struct Frame
{
	ArenaMark	mark;			/* when nothing of its children was in the arena */
	Chains		list;
	uint32_t	end;			/* the node after those below it */
	uint32_t	next_child;		/* the first child not yet counted */
	Parent	   *parent;			/* children with children, all under one gap */
	uint32_t	nparents;
	uint32_t	next;			/* the first of parent[] that has not had its turn */
} Frame;

typedef struct Testing
{
	Worker	   *w;
	Children	children;
	Surrogates	surrogates;
	const FimTrieNode *node;
	uint32_t	nnodes;
	uint64_t   *support;		/* [nnodes] in the surrogate at hand */
	Frame	   *frame;			/* [depth of the trie] */
} Testing;

/* The number of nodes on the longest path down. */
static uint32_t
DepthOfTrie(Testing *t)
{
	uint32_t	deepest = 0;
	uint32_t	depth = 0;
	uint32_t   *end = ArenaAlloc(&t->w->arena, sizeof(uint32_t) * t->nnodes);

	for (uint32_t k = 0; k < t->nnodes; k++)
	{
		while (depth > 0 && end[depth - 1] <= k)
			depth--;
		end[depth++] = t->node[k].end;
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

/* Make room for surrogates of the types and gaps that are in the trie. */
static void
OpenSurrogates(Testing *t)
{
	Worker	   *w = t->w;
	uint8_t    *types = ArenaAlloc(&w->arena, w->stream.ntypes);
	uint8_t    *gaps = ArenaAlloc(&w->arena, w->stream.ngaps);
	uint32_t	root_end = 0;

	memset(types, 0, w->stream.ntypes);
	memset(gaps, 0, w->stream.ngaps);
	for (uint32_t k = 0; k < t->nnodes; k++)
	{
		types[t->node[k].type] = 1;
		/* the first type of an episode has no gap before it */
		if (k >= root_end)
			root_end = t->node[k].end;
		else
			gaps[t->node[k].gap] = 1;
	}
	SurrogatesInit(&t->surrogates, w, types, gaps);
}

static void
BeginTesting(Testing *t)
{
	Worker	   *w = t->w;

	t->node = FIM_EPISODES_NODES(w->job);
	t->nnodes = w->job->nnodes;
	t->frame = ArenaAlloc(&w->arena, sizeof(Frame) * DepthOfTrie(t));
	OpenSurrogates(t);
	ChildrenInit(&t->children, w, &t->surrogates);
	t->support = ArenaAllocApart(&w->arena, sizeof(uint64_t) * t->nnodes);
}

/* Take the next children of a node: all those under the same gap, which is returned. */
static uint32_t
TakeChildren(Testing *t, Frame *frame)
{
	uint32_t	gap = t->node[frame->next_child].gap;

	ChildrenClear(&t->children);
	while (frame->next_child < frame->end && t->node[frame->next_child].gap == gap)
	{
		const FimTrieNode *child = &t->node[frame->next_child];

		ChildrenAdd(&t->children, child->type, frame->next_child, child->end > frame->next_child + 1);
		frame->next_child = child->end;
	}
	return gap;
}

static void
CountChildren(Testing *t, Frame *frame)
{
	Worker	   *w = t->w;
	uint32_t	gap;

	ArenaRelease(&w->arena, frame->mark);
	gap = TakeChildren(t, frame);
	frame->parent = ArenaAlloc(&w->arena, sizeof(Parent) * t->children.n);
	frame->nparents = frame->next = 0;
	ChildrenCount(&t->children, &frame->list, gap);
	for (uint32_t k = 1; k <= t->children.n; k++)
	{
		const Child *child = &t->children.child[k];

		t->support[child->node] += child->support;
		/* where a child does not occur, no node below it does */
		if (child->list.n > 0)
			frame->parent[frame->nparents++] = (Parent) {child->node, child->list};
	}
	w->nodes++;
}

/* Count the episodes of a node at the top of the trie and of all nodes below it. */
static void
CountTree(Testing *t, uint32_t root)
{
	Worker	   *w = t->w;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Frame	   *frame = t->frame;

	*frame = (Frame) {.end = t->node[root].end, .next_child = root + 1};
	t->support[root] += ChainsOfType(&t->children, t->node[root].type, &frame->list);
	frame->mark = ArenaGetMark(&w->arena);
	for (;;)
	{
		if (frame->next < frame->nparents)
		{
			Parent		parent = frame->parent[frame->next++];

			frame++;
			*frame = (Frame) {.mark = ArenaGetMark(&w->arena), .list = parent.list, .end = t->node[parent.node].end,
			.next_child = parent.node + 1};
		}
		else if (frame->next_child < frame->end)
			CountChildren(t, frame);
		else if (frame > t->frame)
		{
			ArenaRelease(&w->arena, frame->mark);
			frame--;
		}
		else
			break;
	}
	ArenaRelease(&w->arena, mark);
}

static void
TestSurrogate(Testing *t, uint32_t surrogate)
{
	FimSurrogateCounts *counts = (FimSurrogateCounts *) t->w->summary;

	memset(t->support, 0, sizeof(uint64_t) * t->nnodes);
	for (uint32_t block = 0; block < t->surrogates.nblocks; block++)
	{
		SurrogateMake(&t->surrogates, surrogate, block);
		for (uint32_t root = 0; root < t->nnodes; root = t->node[root].end)
			CountTree(t, root);
	}
	for (uint32_t k = 0; k < t->nnodes; k++)
		if (t->node[k].support > 0)
		{
			counts[k].sum += t->support[k];
			counts[k].reached += t->support[k] >= t->node[k].support;
		}
}

uint64_t
SurrogatesWorkerSize(const FimEpisodesJob *job, const FimEpisodesData *data)
{
	return SurrogatesBytes(data) + ChildrenBytes(data, job->max_length) +
		sizeof(uint64_t) * (uint64_t) job->nnodes;
}

FimResult
MineSurrogates(Worker *w)
{
	Testing		t = {.w = w};
	FimResult	result = (FimResult) setjmp(w->leave);

	if (result == FIM_DONE)
	{
		uint64_t	surrogate;

		WorkerBegin(w);
		BeginTesting(&t);
		while (FimTakeUnit(w->shared, &surrogate))
		{
			TestSurrogate(&t, surrogate);
			FimUnitDone(w->shared);
			WorkerPoll(w);
		}
		WorkerPoll(w);
	}
	return result;
}
