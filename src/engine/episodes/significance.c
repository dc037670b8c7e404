/*-------------------------------------------------------------------------
 *
 * significance.c
 *	  Counting given episodes on surrogates.
 *
 * The episodes are a trie.  It is walked depth first, as if they were mined: all
 * extensions of a node by one gap are counted together (extensions.c), and those that
 * have nodes below them get a list.  A surrogate that is made in blocks of partitions is
 * walked as many times, and the supports are added.
 *
 *-------------------------------------------------------------------------
 */
#include "significance.h"

#include "extensions.h"
#include "surrogate.h"

#include <string.h>

/* A node on the way down, and those of its children that are at work. */
typedef struct Frame
{
	ArenaMark	mark;			/* when none of its extensions was in the arena */
	List		list;
	uint32_t	end;			/* the node after those below it */
	uint32_t	next_child;		/* the first child not yet counted */
	Extensions	extensions;		/* children with children, all under one gap */
	uint32_t   *child;			/* [extensions.n] their nodes */
	uint32_t	next;			/* the first of them that has not had its turn */
} Frame;

typedef struct Testing
{
	Worker	   *w;
	Counting	counting;
	Surrogates	surrogates;
	const FimTrieNode *node;
	uint32_t	nnodes;
	uint64_t   *support;		/* [nnodes] in the surrogate at hand */
	uint32_t   *child_of;		/* [ntypes] the children that are counted, NO_NODE for other types */
	Types		types;			/* [ntypes] of these children */
	Frame	   *frame;			/* [depth of the trie] */
} Testing;

#define NO_NODE		UINT32_MAX

/* The longest way down from any node. */
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

static void
BeginTesting(Testing *t)
{
	Worker	   *w = t->w;
	uint32_t	ntypes = w->stream.ntypes;
	uint8_t    *wanted = ArenaAlloc(&w->arena, ntypes);

	t->node = FIM_EPISODES_NODES(w->job);
	t->nnodes = w->job->nnodes;
	CountingInit(&t->counting, w, 1);
	t->support = ArenaAlloc(&w->arena, sizeof(uint64_t) * t->nnodes);
	t->child_of = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	memset(t->child_of, 0xff, sizeof(uint32_t) * ntypes);
	t->types.type = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	t->frame = ArenaAlloc(&w->arena, sizeof(Frame) * DepthOfTrie(t));
	memset(wanted, 0, ntypes);
	for (uint32_t k = 0; k < t->nnodes; k++)
		wanted[t->node[k].type] = 1;
	SurrogatesInit(&t->surrogates, w, wanted);
}

/* The next children of a node, all that follow it under the same gap. */
static uint32_t
TakeChildren(Testing *t, Frame *frame)
{
	uint32_t	gap = t->node[frame->next_child].gap;

	t->types.n = 0;
	for (; frame->next_child < frame->end && t->node[frame->next_child].gap == gap;
		 frame->next_child = t->node[frame->next_child].end)
	{
		uint32_t	type = t->node[frame->next_child].type;

		t->types.type[t->types.n++] = type;
		t->child_of[type] = frame->next_child;
	}
	t->types.events = CountEvents(&t->counting, &t->types);
	return gap;
}

/*
 * Add the supports of those found.  Types that are no children may be among them;
 * they go, and so do children without children.
 */
static void
AddSupports(Testing *t, Extensions *found, uint32_t *child)
{
	uint32_t	n = 0;

	found->entries = 0;
	for (uint32_t e = 0; e < found->n; e++)
	{
		uint32_t	k = t->child_of[found->extension[e].type];

		if (k == NO_NODE)
			continue;
		t->support[k] += found->extension[e].support;
		if (t->node[k].end == k + 1)
			continue;
		child[n] = k;
		found->extension[n++] = found->extension[e];
		found->entries += found->extension[e].list.n;
	}
	found->n = n;
	for (uint32_t k = 0; k < t->types.n; k++)
		t->child_of[t->types.type[k]] = NO_NODE;
}

static void
CountChildren(Testing *t, Frame *frame)
{
	Worker	   *w = t->w;
	uint32_t	gap;

	ArenaRelease(&w->arena, frame->mark);
	gap = TakeChildren(t, frame);
	FindExtensions(&t->counting, &frame->list, frame->list.n, gap, &t->types, &frame->extensions);
	frame->child = ArenaAlloc(&w->arena, sizeof(uint32_t) * frame->extensions.n);
	AddSupports(t, &frame->extensions, frame->child);
	MakeLists(&t->counting, &frame->list, gap, &frame->extensions);
	frame->next = 0;
	w->nodes++;
}

/* The episodes that begin with the type of a node at the top of the trie. */
static void
CountTree(Testing *t, uint32_t root)
{
	Worker	   *w = t->w;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Frame	   *frame = t->frame;

	*frame = (Frame) {.end = t->node[root].end, .next_child = root + 1};
	ListOfType(w, t->node[root].type, &frame->list);
	t->support[root] += frame->list.n;
	frame->mark = ArenaGetMark(&w->arena);
	for (;;)
	{
		if (frame->next < frame->extensions.n)
		{
			uint32_t	e = frame->next++;
			uint32_t	k = frame->child[e];
			List		list = frame->extensions.extension[e].list;

			frame++;
			*frame = (Frame) {.mark = ArenaGetMark(&w->arena), .list = list, .end = t->node[k].end, .next_child = k + 1};
		}
		else if (frame->next_child < frame->end)
			CountChildren(t, frame);
		else if (frame > t->frame)
			frame--;
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

FimResult
MineSurrogates(Worker *w)
{
	Testing		t = {.w = w};
	FimResult	result = (FimResult) setjmp(w->leave);

	if (result == FIM_DONE)
	{
		uint32_t	surrogate;

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
