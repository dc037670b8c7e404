/*-------------------------------------------------------------------------
 *
 * propagate.c
 *	  Mining depth first: all extensions of an episode by one event are counted at
 *	  once.
 *
 * The events that can extend an episode are those in the windows after the ends of its
 * occurrences.  One walk over these counts, for every type together, the occurrences
 * that do not overlap: what a type needs for that is where its last one ended.  So an
 * episode costs as much as there are events in its windows, however many types there
 * are, and candidates that are not frequent cost nothing of their own: none has to be
 * kept from being counted, and no episode has to be known but those on the way from the
 * first event to the one at hand.  A second walk makes the lists of the frequent
 * extensions.
 *
 *-------------------------------------------------------------------------
 */
#include "propagate.h"

#include "backward.h"

#include <string.h>

/*
 * With fewer types than this, classes are cut into parts, so that many workers have
 * enough to take.  Each part begins with counting the pairs of its class.
 */
#define WANTED_UNITS	1024

/*
 * The lists of extensions waiting for their turn have at most so many entries for each
 * event of the stream.  Beyond that, each is made when its turn comes.
 */
#define KEPT_ENTRIES	4

/* An extension that is frequent. */
typedef struct Extension
{
	uint32_t	type;
	uint32_t	support;
	List		list;			/* no entries if it is still to be made */
} Extension;

/* An episode on the way down, and those of its extensions that are at work. */
typedef struct Node
{
	ArenaMark	mark;			/* when nothing of the node was in the arena */
	ArenaMark	extensions_mark;	/* when none of its extensions was */
	List		list;
	uint32_t	support;
	bool		subsumed;		/* an extension tells that it is not closed or maximal */
	uint32_t	gaps;			/* so many have been looked at */
	Extension  *extension;		/* under the last of these */
	uint32_t	n;
	uint32_t	next;
	uint64_t	kept;			/* entries of their lists */
} Node;

typedef struct Search
{
	Worker	   *w;
	Episode		episode;		/* that of the node at the top */
	Node	   *node;			/* [episode.length] from the first event on */
	uint32_t	room;			/* of the three arrays above */
	Counter    *counter;		/* [ntypes], entries are 0 between two walks */
	uint32_t   *touched;		/* [ntypes] */
	uint64_t	kept;			/* entries of lists that wait */
	uint32_t	part;			/* of the class at hand */
	uint32_t	nparts;
} Search;

static uint32_t
PartsOfClass(const FimEpisodesData *data)
{
	uint32_t	parts = data->ntypes > 0 ? (WANTED_UNITS - 1) / data->ntypes + 1 : 1;

	return parts < data->ntypes ? parts : data->ntypes;
}

uint32_t
PropagateUnits(const FimEpisodesData *data)
{
	return data->ntypes * PartsOfClass(data);
}

/* An event in each of the stretches; returns how many types were met. */
static uint32_t
CountExtensions(Search *s, const Stretches *stretches)
{
	const Stream *stream = &s->w->stream;
	Counter    *counter = s->counter;
	uint32_t	ntouched = 0;

	for (uint32_t k = 0; k < stretches->n; k++)
	{
		Stretch		stretch = stretches->stretch[k];

		for (uint32_t i = stretch.begin; i < stretch.end; i++)
		{
			Counter    *c = &counter[stream->type[i]];

			if (c->entries++ == 0)
			{
				c->support = 1;
				c->free = stream->after[i];
				s->touched[ntouched++] = stream->type[i];
			}
			else if (stretch.start >= c->free)
			{
				c->support++;
				c->free = stream->after[i];
			}
		}
		WorkerWorked(s->w, 2 + stretch.end - stretch.begin);
	}
	return ntouched;
}

/* The frequent ones of the types that were met, without their lists. */
static void
TakeFrequent(Search *s, Node *node, uint32_t ntouched)
{
	uint64_t	minsup = s->w->job->minsup;
	uint32_t	n = 0;

	node->kept = 0;
	for (uint32_t k = 0; k < ntouched; k++)
		if (s->counter[s->touched[k]].support >= minsup)
			s->touched[n++] = s->touched[k];
		else
			s->counter[s->touched[k]].entries = 0;
	node->extension = ArenaAlloc(&s->w->arena, sizeof(Extension) * n);
	node->n = n;
	for (uint32_t k = 0; k < n; k++)
	{
		const Counter *c = &s->counter[s->touched[k]];

		node->extension[k] = (Extension) {s->touched[k], c->support, {NULL, c->entries}};
		node->kept += c->entries;
		if (s->w->job->kind == FIM_MAXIMAL || c->support == node->support)
			node->subsumed = true;
	}
}

/* A second walk fills the lists of all extensions together. */
static void
MakeLists(Search *s, Node *node, const Stretches *stretches)
{
	const Stream *stream = &s->w->stream;
	Entry	   *to = ArenaAlloc(&s->w->arena, sizeof(Entry) * node->kept);

	if (node->n == 0)
		return;
	for (uint32_t e = 0; e < node->n; e++)
	{
		Extension  *extension = &node->extension[e];

		extension->list.entry = to;
		to += extension->list.n;
		extension->list.n = 0;
		s->counter[extension->type].to = e;
	}
	for (uint32_t k = 0; k < stretches->n; k++)
	{
		Stretch		stretch = stretches->stretch[k];

		for (uint32_t i = stretch.begin; i < stretch.end; i++)
		{
			const Counter *c = &s->counter[stream->type[i]];
			List	   *list;

			if (c->entries == 0)
				continue;
			list = &node->extension[c->to].list;
			list->entry[list->n++] = (Entry) {i, stretch.start};
		}
		WorkerWorked(s->w, 2 + stretch.end - stretch.begin);
	}
}

/* Whether extensions of the episode at hand are extended in their turn. */
static inline bool
ExtensionsAreNodes(const Search *s)
{
	return s->episode.length + 1 < s->w->deepest;
}

/* Find the frequent extensions of a node under its next gap. */
static void
ExpandGap(Search *s, Node *node)
{
	Worker	   *w = s->w;
	ArenaMark	mark = ArenaGetMark(&w->scratch);
	Stretches	stretches;

	s->kept -= node->kept;
	ArenaRelease(&w->arena, node->extensions_mark);
	StretchesAfter(w, &node->list, node->gaps++, &stretches);
	TakeFrequent(s, node, CountExtensions(s, &stretches));
	if (ExtensionsAreNodes(s) && s->kept + node->kept <= (uint64_t) KEPT_ENTRIES * w->stream.events)
		MakeLists(s, node, &stretches);
	else
		node->kept = 0;
	s->kept += node->kept;
	for (uint32_t e = 0; e < node->n; e++)
		s->counter[node->extension[e].type].entries = 0;
	node->next = 0;
	w->nodes++;
	ArenaRelease(&w->scratch, mark);
}

static void
GrowStack(Search *s)
{
	Worker	   *w = s->w;
	uint32_t	room = s->room == 0 ? 16 : 2 * s->room;
	char	   *block = WorkerAlloc(w, (sizeof(Node) + 2 * sizeof(uint32_t)) * (size_t) room);
	Node	   *node = (Node *) block;
	Episode		episode = {(uint32_t *) (node + room), (uint32_t *) (node + room) + room,
		s->episode.length};

	if (s->room > 0)
	{
		memcpy(node, s->node, sizeof(Node) * s->room);
		memcpy(episode.type, s->episode.type, sizeof(uint32_t) * s->room);
		memcpy(episode.gap, s->episode.gap, sizeof(uint32_t) * s->room);
		w->host->free(w->host, s->node);
	}
	s->node = node;
	s->episode = episode;
	s->room = room;
}

/* One event more: the episode is known then, its list is not. */
static void
PushType(Search *s, uint32_t type)
{
	Episode    *episode = &s->episode;

	if (episode->length == s->room)
		GrowStack(s);
	if (episode->length > 0)
		episode->gap[episode->length - 1] = s->node[episode->length - 1].gaps - 1;
	episode->type[episode->length++] = type;
}

/* So many required types are missing that no episode within the limit will hold all. */
static bool
LacksTooMany(const Search *s)
{
	const Worker *w = s->w;

	return w->required != NULL && w->deepest != FIM_NO_LIMIT &&
		WorkerMissing(w, &s->episode) > w->deepest - s->episode.length;
}

/* The top's next extension: on the stack, or written at once if nothing extends it. */
static void
Descend(Search *s)
{
	Worker	   *w = s->w;
	Node	   *from = &s->node[s->episode.length - 1];
	const Extension *extension = &from->extension[from->next++];
	bool		goes_on = ExtensionsAreNodes(s);
	Node	   *node;

	if (s->episode.length == 1 && extension->type % s->nparts != s->part)
		return;
	PushType(s, extension->type);
	if (!goes_on || LacksTooMany(s))
	{
		if (w->job->kind == FIM_ALL)
			WorkerEmit(w, &s->episode, extension->support);
		s->episode.length--;
		return;
	}
	/* the stack may have moved */
	from = &s->node[s->episode.length - 2];
	node = from + 1;
	memset(node, 0, sizeof(Node));
	node->mark = ArenaGetMark(&w->arena);
	node->support = extension->support;
	node->list = extension->list;
	if (node->list.entry == NULL)
		ListExtend(w, &from->list, from->gaps - 1, extension->type, &node->list);
	node->extensions_mark = ArenaGetMark(&w->arena);
	if (w->job->kind == FIM_ALL)
		WorkerEmit(w, &s->episode, node->support);
}

/* An episode that is to be closed or maximal is known to be when all of its extensions are. */
static void
LeaveNode(Search *s)
{
	Worker	   *w = s->w;
	Node	   *node = &s->node[s->episode.length - 1];

	if (w->job->kind != FIM_ALL && !node->subsumed && (s->episode.length > 1 || s->part == 0) &&
		!HasPredecessor(w, &s->episode, w->job->kind == FIM_CLOSED ? node->support : w->job->minsup,
						s->counter, s->touched))
		WorkerEmit(w, &s->episode, node->support);
	s->kept -= node->kept;
	ArenaRelease(&w->arena, node->mark);
	s->episode.length--;
}

/* The episodes that begin with a type; of the longer ones, a part of the second types. */
static void
MineClass(Search *s, uint32_t type)
{
	Worker	   *w = s->w;
	Node	   *node;

	if (w->stream.start[type + 1] - w->stream.start[type] < w->job->minsup)
		return;
	PushType(s, type);
	node = s->node;
	memset(node, 0, sizeof(Node));
	node->mark = ArenaGetMark(&w->arena);
	ListOfType(w, type, &node->list);
	node->support = node->list.n;
	node->extensions_mark = ArenaGetMark(&w->arena);
	if (w->job->kind == FIM_ALL && s->part == 0)
		WorkerEmit(w, &s->episode, node->support);
	while (s->episode.length > 0)
	{
		node = &s->node[s->episode.length - 1];
		if (node->next < node->n)
			Descend(s);
		else if (node->gaps < w->stream.ngaps && s->episode.length < w->deepest)
			ExpandGap(s, node);
		else
			LeaveNode(s);
	}
}

static void
MineClasses(Search *s)
{
	Worker	   *w = s->w;
	uint32_t	ntypes = w->stream.ntypes;
	uint32_t	taken;

	s->counter = ArenaAlloc(&w->arena, sizeof(Counter) * ntypes);
	memset(s->counter, 0, sizeof(Counter) * ntypes);
	s->touched = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	s->nparts = PartsOfClass(w->stream.data);
	while (FimTakeUnit(w->shared, &taken))
	{
		s->part = taken / ntypes;
		MineClass(s, taken % ntypes);
		FimUnitDone(w->shared);
		WorkerPoll(w);
	}
	WorkerFlush(w);
	/* a canceled task is not done, although no class may be left */
	WorkerPoll(w);
}

FimResult
MineByPropagation(Worker *w)
{
	Search		s = {.w = w};
	FimResult	result = (FimResult) setjmp(w->leave);

	if (result == FIM_DONE)
	{
		WorkerBegin(w);
		MineClasses(&s);
	}
	if (s.node != NULL)
		w->host->free(w->host, s.node);
	return result;
}
