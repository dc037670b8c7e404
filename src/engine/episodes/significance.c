/*-------------------------------------------------------------------------
 *
 * significance.c
 *	  Counting given episodes on surrogates, and what follows from the counts.
 *
 * The episodes are in a trie, which is walked depth first: all children of a node under one
 * gap are counted together, and those that have nodes below them get a list.  Where a surrogate
 * is made in several blocks of partitions, the trie is walked once for each block, and the
 * supports are added.
 *
 * First come the making of the trie and the p-values, then the counting of children, then
 * the walk.
 *
 *-------------------------------------------------------------------------
 */
#include <stdint.h>
#include <string.h>

#include "episodes.h"
#include "worker.h"

/* ---- making the trie ---- */

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

/* ---- p-values ---- */

/*
 * From the largest p-value to the smallest, an adjusted p-value is the least value of
 * p * tests / rank so far.  Of equal p-values the rank of the last one gives the least value.
 */
void
FimAdjustPValues(const uint64_t *tests, uint32_t surrogates, double *adjusted)
{
	uint64_t	all = 0;
	uint64_t	rank;
	double		least = 1.0;

	for (uint32_t r = 0; r <= surrogates; r++)
		all += tests[r];
	rank = all;
	for (uint32_t r = surrogates + 1; r-- > 0;)
	{
		if (tests[r] > 0)
		{
			double		value = FimPValue(r, surrogates) * (double) all / (double) rank;

			if (value < least)
				least = value;
		}
		adjusted[r] = least;
		rank -= tests[r];
	}
}

/* ---- the children of a node: their supports, and the lists of some of them ---- */

/*
 * This is latest-start propagation (worker.h).  Unlike in followers.c, it is known which
 * extensions to count; their number is small, and the windows of the surrogate's events
 * hold few events.  The children of an episode are counted in the quicker of two ways:
 *
 * -	Event by event: each event in the windows after the list's entries is counted for
 * 	its type.  That is quick where the list is short.
 *
 * -	Child by child: the list's entries are marked in a bitmap of the stream.  Each event of
 * 	the child's type finds the last mark in the window before it, in one
 * 	look at the bitmap as long as the window is narrower than a word.
 */

/*
 * An entry of a list: an event that ends occurrences, and the latest event at which one
 * of these can begin.  The start is the number of the first event of the same time as
 * the latter.
 */
typedef struct Chain
{
	uint32_t	place;			/* of the event that ends them; while lists are made, its number */
	uint32_t	start;
} Chain;

typedef struct Chains
{
	Chain	   *chain;			/* ascending by places */
	uint32_t	n;
} Chains;

typedef struct Child
{
	uint32_t	type;
	uint32_t	node;			/* of the trie */
	uint32_t	wants_list;		/* 0 or 1: whether its list is made */
	uint32_t	support;
	uint32_t	free;			/* the first event at which the next occurrence may begin */
	Chains		list;
} Child;

/* Children that have the same parent and the same gap, and room for counting them. */
typedef struct Children
{
	Worker	   *w;
	const Surrogates *surrogate;
	Child	   *child;			/* [ntypes + 1], of which the first is not used */
	uint32_t	n;
	uint32_t   *child_of;		/* [ntypes] the child that has this type, 0 if there is none */
	uint64_t   *mark;			/* a bit for each event; all are 0 between two uses */
	uint32_t   *start_of;		/* [events] the start of the entry, for marked events */
} Children;

/* Loops call WorkerWorked() once for this many entries or events. */
#define STEP			(1 << 14)

/*
 * What the two ways of counting take, in tenths of a nanosecond.  Event by event:
 * COST_OF_WINDOW for each entry of the list and COST_OF_EVENT for each event in its window.
 * Child by child: COST_OF_MARK for each entry and COST_OF_LOOK for each event of a child's
 * type.
 */
#define COST_OF_WINDOW		60
#define COST_OF_EVENT		16
#define COST_OF_MARK		30
#define COST_OF_LOOK		8

/*
 * MarksBefore() shows at least this many of the last events before a point: up to 7 bits of
 * its eight bytes lie after the point.
 */
#define BITS_SEEN		57

#define WORD_BITS		64

/* The words of the bitmap, with one before the marks, so that MarksBefore() can always read eight bytes. */
#define MARK_WORDS(events)	(1 + ((size_t) (events) + WORD_BITS - 1) / WORD_BITS)

/*
 * The most bytes that ChildrenInit() takes, together with the lists of the prefixes of an
 * episode of "longest" events.
 */
static uint64_t
ChildrenBytes(const FimEpisodesData *data, uint32_t longest)
{
	uint64_t	events = LargestBlock(data);

	/* there is a list for each length but the longest, with at most one entry for each event */
	return (sizeof(Child) + sizeof(uint32_t)) * ((uint64_t) data->ntypes + 1) +
		sizeof(uint64_t) * MARK_WORDS(events) +
		(sizeof(uint32_t) + (longest - 1) * sizeof(Chain)) * events;
}

/* Makes room in the worker's arena.  The surrogate may be made later, or made anew. */
static void
ChildrenInit(Children *c, Worker *w, const Surrogates *surrogate)
{
	uint32_t	ntypes = w->stream.ntypes;
	size_t		words = MARK_WORDS(surrogate->most);

	*c = (Children) {.w = w, .surrogate = surrogate};
	c->child = ArenaAllocApart(&w->arena, sizeof(Child) * ((size_t) ntypes + 1));
	c->child_of = ArenaAllocApart(&w->arena, sizeof(uint32_t) * ntypes);
	memset(c->child_of, 0, sizeof(uint32_t) * ntypes);
	c->mark = ArenaAllocApart(&w->arena, sizeof(uint64_t) * words);
	memset(c->mark, 0, sizeof(uint64_t) * words);
	c->mark++;
	c->start_of = ArenaAllocApart(&w->arena, sizeof(uint32_t) * surrogate->most);
}

static void
ChildrenClear(Children *c)
{
	for (uint32_t k = 1; k <= c->n; k++)
		c->child_of[c->child[k].type] = 0;
	c->n = 0;
}

static void
ChildrenAdd(Children *c, uint32_t type, uint32_t node, bool wants_list)
{
	c->child[++c->n] = (Child) {.type = type, .node = node, .wants_list = wants_list};
	c->child_of[type] = c->n;
}

static inline uint32_t
EventsOf(const Children *c, uint32_t type)
{
	return c->surrogate->start[type + 1] - c->surrogate->start[type];
}

/*
 * Make the list of a single type, in the arena.  Returns the type's support, which is the
 * number of distinct times of its events.
 */
static uint32_t
ChainsOfType(Children *c, uint32_t type, Chains *list)
{
	const Surrogates *s = c->surrogate;
	uint32_t	support = 0;

	list->n = EventsOf(c, type);
	list->chain = ArenaAlloc(&c->w->arena, sizeof(Chain) * list->n);
	for (uint32_t k = 0; k < list->n; k++)
	{
		uint32_t	place = s->start[type] + k;

		list->chain[k] = (Chain) {place, s->same[place]};
		support += k == 0 || s->same[place] != s->same[place - 1];
		if (k % STEP == STEP - 1)
			WorkerWorked(c->w, STEP);
	}
	return support;
}

/* The windows after and before each event under a gap, indexed by the event's place. */
typedef struct GapWindows
{
	const uint32_t *begin;
	const uint32_t *end;
	const uint32_t *begin_before;
	const uint32_t *end_before;
	uint64_t	events;			/* in all windows after events */
} GapWindows;

static GapWindows
WindowsOf(const Surrogates *s, uint32_t gap)
{
	FimGapEdges edges = FIM_EPISODES_GAPS(s->data)[gap];
	uint32_t	low = s->edge_at[edges.low];
	uint32_t	high = s->edge_at[edges.high];

	return (GapWindows) {s->beyond[low], s->beyond[high], s->within[high], s->within[low],
		s->reach[high] - s->reach[low]};
}

/* Count an event of a child's type that takes over this start. */
static inline void
TakeOver(Child *child, uint32_t event, uint32_t start)
{
	bool		counts = start >= child->free;

	child->list.chain[child->list.n] = (Chain) {event, start};
	child->list.n += child->wants_list;
	child->support += counts;
	child->free = counts ? event + 1 : child->free;
}

/* At least this many events in windows, or this many events of a child, are collected and then counted. */
#define LOOKED_AT_TOGETHER	512

/* CountByEvent() writes this many events for a window without a branch, whether the window has them or not. */
#define FEW_IN_WINDOW		4

/* An event in the window after an entry with this start. */
typedef struct Met
{
	uint32_t	event;
	uint32_t	start;
} Met;

/* Count the events that have a child's type.  They are picked out first, by a loop without a branch. */
static void
CountMet(Children *c, Met *met, uint32_t n)
{
	const uint32_t *type = c->surrogate->type;
	uint32_t	hits = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		Met			at = met[k];

		met[hits] = at;
		hits += c->child_of[type[at.event]] != 0;
	}
	for (uint32_t k = 0; k < hits; k++)
		TakeOver(&c->child[c->child_of[type[met[k].event]]], met[k].event, met[k].start);
	WorkerWorked(c->w, n);
}

static void
CountByEvent(Children *c, const Chains *list, const GapWindows *windows)
{
	Met			met[LOOKED_AT_TOGETHER + FEW_IN_WINDOW];
	uint32_t	n = 0;

	for (uint32_t k = 0; k < list->n; k++)
	{
		Chain		chain = list->chain[k];
		uint32_t	i = windows->begin[chain.place];
		uint32_t	end = windows->end[chain.place];

		/* events that lie in the next entry's window, too, take over the next entry's start */
		if (k + 1 < list->n && windows->begin[list->chain[k + 1].place] < end)
			end = windows->begin[list->chain[k + 1].place];
		if (end > i + FEW_IN_WINDOW)
			for (; i < end - FEW_IN_WINDOW; i++)
			{
				met[n++] = (Met) {i, chain.start};
				if (n >= LOOKED_AT_TOGETHER)
				{
					CountMet(c, met, n);
					n = 0;
				}
			}
		for (uint32_t m = 0; m < FEW_IN_WINDOW; m++)
			met[n + m] = (Met) {i + m, chain.start};
		n += end > i ? end - i : 0;
		if (n >= LOOKED_AT_TOGETHER)
		{
			CountMet(c, met, n);
			n = 0;
		}
		if (k % STEP == STEP - 1)
			WorkerWorked(c->w, STEP);
	}
	CountMet(c, met, n);
}

static void
Mark(Children *c, const Chains *list)
{
	const uint32_t *number = c->surrogate->number;

	for (uint32_t k = 0; k < list->n; k++)
	{
		uint32_t	event = number[list->chain[k].place];

		c->mark[event / WORD_BITS] |= UINT64_C(1) << event % WORD_BITS;
		c->start_of[event] = list->chain[k].start;
		if (k % STEP == STEP - 1)
			WorkerWorked(c->w, STEP);
	}
}

static void
Unmark(Children *c, const Chains *list)
{
	const uint32_t *number = c->surrogate->number;

	for (uint32_t k = 0; k < list->n; k++)
	{
		c->mark[number[list->chain[k].place] / WORD_BITS] = 0;
		if (k % STEP == STEP - 1)
			WorkerWorked(c->w, STEP);
	}
}

/* What FindLastMark() remembers from one window to the next. */
typedef struct Seen
{
	uint32_t	seen;			/* the event before which it has looked */
	uint32_t	last;			/* the last mark found there, counted from 1, or 0 */
} Seen;

/*
 * The last mark from "begin" to before "end", counted from 1; 0 if there is none.  Windows
 * move forward only, so what was looked at for one is not looked at for the next.
 */
static uint32_t
FindLastMark(Children *c, uint32_t begin, uint32_t end, Seen *known)
{
	uint32_t	from = begin > known->seen ? begin : known->seen;
	uint32_t	at = end;

	while (at > from)
	{
		uint32_t	word = (at - 1) / WORD_BITS;
		uint64_t	marks = c->mark[word] << (WORD_BITS - 1 - (at - 1) % WORD_BITS);

		if (marks != 0)
		{
			at -= (uint32_t) __builtin_clzll(marks);
			break;
		}
		at = word * WORD_BITS;
		WorkerWorked(c->w, 1);
	}
	if (at > from)
		known->last = at;
	known->seen = end;
	return known->last > begin ? known->last : 0;
}

/* The marks of the last events before "end", at least BITS_SEEN; the highest bit is that of event end - 1. */
static inline uint64_t
MarksBefore(const Children *c, uint32_t end)
{
	uint64_t	marks;

	memcpy(&marks, (const char *) c->mark + (end + 7) / 8 - sizeof(marks), sizeof(marks));
	return marks << (-end & 7);
}

/* The child's event at a place takes over the start of the entry that ends with event after - 1. */
typedef struct Hit
{
	uint32_t	place;
	uint32_t	after;
} Hit;

/* Find the last mark in the window before each event of these places; returns how many have one. */
static uint32_t
FindHits(Children *c, const GapWindows *windows, uint32_t place, uint32_t stop, Seen *known, Hit *hit)
{
	uint32_t	n = 0;

	for (; place < stop; place++)
	{
		uint32_t	begin = windows->begin_before[place];
		uint32_t	end = windows->end_before[place];
		uint32_t	before = (uint32_t) __builtin_clzll(MarksBefore(c, end) | 1);

		if (end - begin > BITS_SEEN && before >= BITS_SEEN)
		{
			hit[n] = (Hit) {place, FindLastMark(c, begin, end, known)};
			n += hit[n].after != 0;
			continue;
		}
		hit[n] = (Hit) {place, end - before};
		n += before < end - begin;
	}
	return n;
}

static void
CountChild(Children *c, Child *child, const GapWindows *windows)
{
	const uint32_t *number = c->surrogate->number;
	uint32_t	stop = c->surrogate->start[child->type + 1];
	Child		counted = *child;
	Seen		known = {0, 0};
	Hit			hit[LOOKED_AT_TOGETHER];

	for (uint32_t place = c->surrogate->start[child->type]; place < stop;)
	{
		uint32_t	end = stop - place < LOOKED_AT_TOGETHER ? stop : place + LOOKED_AT_TOGETHER;
		uint32_t	n = FindHits(c, windows, place, end, &known, hit);

		for (uint32_t k = 0; k < n; k++)
			TakeOver(&counted, number[hit[k].place], c->start_of[hit[k].after - 1]);
		WorkerWorked(c->w, end - place);
		place = end;
	}
	*child = counted;
}

/* Whether counting child by child is quicker than event by event. */
static bool
ByChildPays(const Children *c, const Chains *list, const GapWindows *windows)
{
	double		in_windows = (double) windows->events / c->surrogate->events * list->n;
	uint64_t	looks = 0;

	if (in_windows > c->surrogate->events)
		in_windows = c->surrogate->events;
	for (uint32_t k = 1; k <= c->n; k++)
		looks += EventsOf(c, c->child[k].type);
	return (double) looks * COST_OF_LOOK + (double) list->n * COST_OF_MARK <
		in_windows * COST_OF_EVENT + (double) list->n * COST_OF_WINDOW;
}

/* Make room for the lists: each can have as many entries as its child's type has events. */
static Chain *
TakeRoom(Children *c)
{
	uint64_t	room = 0;
	Chain	   *chain;

	for (uint32_t k = 1; k <= c->n; k++)
		if (c->child[k].wants_list)
			room += EventsOf(c, c->child[k].type);
	chain = ArenaAlloc(&c->w->arena, sizeof(Chain) * (room + 1));
	/* entries of lists that are not wanted all go to the last place, where they overwrite each other */
	for (uint32_t k = 1; k <= c->n; k++)
		c->child[k].list = (Chains) {chain + room, 0};
	room = 0;
	for (uint32_t k = 1; k <= c->n; k++)
		if (c->child[k].wants_list)
		{
			c->child[k].list.chain = chain + room;
			room += EventsOf(c, c->child[k].type);
		}
	return chain;
}

/* Close the gaps between the lists, give back the room that is left, and turn numbers into places. */
static void
TrimLists(Children *c, Chain *room)
{
	Chain	   *to = room;

	for (uint32_t k = 1; k <= c->n; k++)
	{
		Chains	   *list = &c->child[k].list;

		if (!c->child[k].wants_list)
			continue;
		for (uint32_t i = 0; i < list->n; i++)
		{
			to[i] = (Chain) {c->surrogate->place[list->chain[i].place], list->chain[i].start};
			if (i % STEP == STEP - 1)
				WorkerWorked(c->w, STEP);
		}
		list->chain = to;
		to += list->n;
	}
	ArenaTrim(&c->w->arena, room, sizeof(Chain) * (size_t) (to - room));
}

/* Count the children of the episode that has this list, and make the lists that are wanted in the arena. */
static void
ChildrenCount(Children *c, const Chains *list, uint32_t gap)
{
	GapWindows	windows = WindowsOf(c->surrogate, gap);
	Chain	   *room = TakeRoom(c);

	if (ByChildPays(c, list, &windows))
	{
		Mark(c, list);
		for (uint32_t k = 1; k <= c->n; k++)
			CountChild(c, &c->child[k], &windows);
		Unmark(c, list);
	}
	else
		CountByEvent(c, list, &windows);
	TrimLists(c, room);
}

/* ---- the walk through the trie ---- */

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

	t->node = FIM_EPISODES_NODES(w->spec);
	t->nnodes = w->spec->nnodes;
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
SurrogatesWorkerSize(const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	return SurrogatesBytes(data) + ChildrenBytes(data, spec->max_length) +
		sizeof(uint64_t) * (uint64_t) spec->nnodes;
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
		while (FimTakeUnit(w->shared, w->sink, &surrogate))
		{
			TestSurrogate(&t, surrogate);
			FimUnitDone(w->shared);
			WorkerPoll(w);
		}
		WorkerPoll(w);
	}
	return result;
}
