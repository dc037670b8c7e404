/*-------------------------------------------------------------------------
 *
 * propagate.c
 *	  Mining depth first by latest-start propagation.
 *
 * All extensions of an episode by one event are counted together (followers.c), and
 * the frequent ones are extended in their turn.  A type can only follow an episode if it also
 * follows the episode's suffixes.  The followers of the last type are found when they are first
 * asked for, and those of longer suffixes as long as there is room for them.  Each worker finds
 * followers for itself, so that none has to wait for another one.
 *
 * First come followers, then the nodes on the path to the episode at hand, then predecessors,
 * which tell whether it is closed or maximal, and then the walk through a class.
 *
 *-------------------------------------------------------------------------
 */
#include "worker.h"

#include <string.h>

/*
 * With fewer types than this, classes are cut into slices, so that there are enough units for
 * many workers.  Each slice begins with counting the episodes of two events of its class.
 */
#define WANTED_UNITS	1024

/*
 * The lists of extensions that wait for their turn have at most this many entries for each
 * event of the stream.  Beyond that, the list of an extension is made when its own extensions
 * are counted.
 */
#define KEPT_ENTRIES	4

/* Followers are kept for episodes of at most this many events. */
#define LONGEST_KNOWN	8

/* An episode on the path to the one at hand, and its extensions under the gap at hand. */
typedef struct Node
{
	ArenaMark	mark;			/* when nothing of the node was in the arena */
	uint32_t	support;
	bool		subsumed;		/* an extension tells that it is not closed or maximal */
	uint32_t	gaps;			/* how many gaps have been looked at */
	Extensions	extensions;		/* under gap number gaps - 1 */
	uint32_t	next;			/* the first extension that has not had its turn */
	uint64_t	kept;			/* entries of the extensions' lists that are in the arena */

	/* the frequent predecessors, found when a longer episode that begins with this one needs them */
	bool		has_predecessors;
	ArenaMark	predecessors_mark;
	Predecessors predecessors;
} Node;

/* So many of the requirements are looked for ahead.  The episode may lack others. */
#define MOST_TARGETS	64

typedef struct Search
{
	Worker	   *w;
	Counting	counting;
	Types		frequent;		/* the frequent types */
	KnownFollowers known;
	Predecessors *before;		/* [ntypes] the predecessors of single types, NULL until needed */
	Arena		predecessors_arena;
	uint32_t	taken;			/* units that this worker has taken */
	Episode		episode;		/* that of the top node */
	PrefixLists lists;			/* of its prefixes */
	PrefixLists lists_ahead;	/* of the prefixes of an episode that has no node */
	Node	   *node;			/* [episode.length] a stack: a node for each prefix of the episode */
	uint32_t	room;			/* of the node and episode arrays */
	uint64_t	kept;			/* the sum of the nodes' "kept" */
	uint32_t   *met;			/* [requirements + 1] how often the episode meets each, NULL if there are none */
	uint32_t	missing;		/* requirements that the episode does not meet */
	uint64_t	lacking;		/* these, as bits, as far as they are targets */
	uint64_t   *leads_to;		/* [ntypes] the targets that can follow a type, NULL until needed */
	uint32_t	slice;			/* the slice of a class at hand */
	uint32_t	nslices;		/* of each class */
	FimDealt   *dealt;			/* which episodes are of the task's part, see class_parts.c; NULL: all are */
} Search;

static uint32_t
SlicesOfClass(const FimEpisodesData *data)
{
	uint32_t	slices;

	if (data->ntypes == 0)
		return 1;
	slices = (WANTED_UNITS - 1) / data->ntypes + 1;
	return slices < data->ntypes ? slices : data->ntypes;
}

uint32_t
PropagateUnits(const FimEpisodesData *data)
{
	return data->ntypes * SlicesOfClass(data);
}

/* Whether extensions of the episode at hand are extended in their turn. */
static inline bool
ExtensionsAreNodes(const Search *s)
{
	return s->episode.length + 1 < s->w->deepest;
}

/* ---- followers ---- */

/* The followers of a single type; finds them if they are not known. */
static const Followers *
FollowersOfType(Search *s, uint32_t type, uint32_t gap)
{
	Worker	   *w = s->w;
	Followers **place = FollowersPlace(&s->known, &(Episode) {&type, NULL, 1}, gap);

	if (*place == NULL)
	{
		ArenaMark	mark = ArenaGetMark(&w->arena);
		Extensions	found;
		const List *list;

		PrefixListsForget(&s->lists_ahead, 0);
		list = PrefixListsFind(&s->lists_ahead, &(Episode) {&type, NULL, 1}, 1);
		FindExtensions(&s->counting, list, list->n, gap, &s->frequent, &found);
		*place = FollowersKeep(&s->known, &found);
		ArenaRelease(&w->arena, mark);
		w->nodes++;
	}
	return *place;
}

/* Find and keep the followers of an episode that has no node: its list is made from the first type on. */
static Followers *
FollowersOf(Search *s, const Episode *episode, uint32_t gap, const Types *candidates)
{
	Worker	   *w = s->w;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Followers  *followers;
	Extensions	found;
	const List *list;

	PrefixListsForget(&s->lists_ahead, 0);
	list = PrefixListsFind(&s->lists_ahead, episode, episode->length);
	FindExtensions(&s->counting, list, ListSupport(w, list), gap, candidates, &found);
	followers = FollowersKeep(&s->known, &found);
	ArenaRelease(&w->arena, mark);
	w->nodes++;
	return followers;
}

/*
 * Whether it pays to find the followers of an episode that has not had its turn.  Some worker
 * has to find them some time, but if the others take most of the units, it would probably be one
 * of them, perhaps in the call for another part.
 */
static bool
LooksAhead(const Search *s)
{
	const Worker *w = s->w;
	uint64_t	calls = FimIsPart(&w->spec->head.part) ? w->spec->head.part.of : 1;

	return s->missing == 0 && FollowersHaveRoom(&s->known) &&
		2 * (uint64_t) s->taken >= calls * __atomic_load_n(&w->shared->next_unit, __ATOMIC_RELAXED);
}

/* The followers of the episode's longest suffix whose followers are known, or are found ahead. */
static const Types *
Candidates(Search *s, const Episode *episode, uint32_t gap)
{
	const Followers *followers = FollowersOfType(s, episode->type[episode->length - 1], gap);

	for (uint32_t length = 2; length < episode->length && length <= LONGEST_KNOWN; length++)
	{
		uint32_t	from = episode->length - length;
		Episode		suffix = {episode->type + from, episode->gap + from, length};
		Followers **place = FollowersPlace(&s->known, &suffix, gap);

		if (followers->types.n == 0 || place == NULL)
			break;
		if (*place == NULL && LooksAhead(s))
			*place = FollowersOf(s, &suffix, gap, &followers->types);
		if (*place == NULL)
			break;
		followers = *place;
	}
	return &followers->types;
}

/* Do the episodes of the class at hand with this second type belong to its slice at hand, and to the task's part? */
static inline bool
IsOfSlice(const Search *s, uint32_t type)
{
	return type % s->nslices == s->slice && (s->dealt == NULL || !s->dealt->divided || FimHasPiece(s->dealt, type));
}

/* Does the episode of one event? */
static inline bool
SliceHasTop(const Search *s)
{
	return s->slice == 0 && FimHasRest(s->dealt);
}

/* Keep the extensions of a single type that belong to the slice of the class at hand. */
static void
TakeSlice(const Search *s, Extensions *found)
{
	uint32_t	n = 0;

	found->entries = 0;
	for (uint32_t e = 0; e < found->n; e++)
		if (IsOfSlice(s, found->extension[e].type))
		{
			found->extension[n++] = found->extension[e];
			found->entries += found->extension[e].list.n;
		}
	found->n = n;
}

/* Do these extensions tell that an episode of this support is not closed, or not maximal? */
static bool
AreSubsuming(const Search *s, const Extensions *found, uint32_t support)
{
	bool		subsume = s->w->spec->kind == FIM_MAXIMAL && found->n > 0;

	for (uint32_t e = 0; e < found->n && !subsume; e++)
		subsume = found->extension[e].support == support;
	return subsume;
}

/* ---- the path ---- */

static const List *
ListOfTop(Search *s)
{
	return PrefixListsFind(&s->lists, &s->episode, s->episode.length);
}

/*
 * Find the frequent extensions of the top node under a gap: from known followers, or by counting.  What is
 * kept as its followers are all of these; ExpandGap() takes from them what this slice extends.
 */
static void
FindFollowers(Search *s, const Node *node, uint32_t gap, Extensions *found)
{
	Followers **place = NULL;
	const Types *candidates;

	if (s->episode.length == 1)
		(void) FollowersOfType(s, s->episode.type[0], gap);
	if (s->episode.length <= LONGEST_KNOWN)
		place = FollowersPlace(&s->known, &s->episode, gap);
	if (place != NULL && *place != NULL)
	{
		ExtensionsOf(s->w, *place, found);
		return;
	}
	candidates = Candidates(s, &s->episode, gap);
	FindExtensions(&s->counting, ListOfTop(s), node->support, gap, candidates, found);
	if (place != NULL && FollowersHaveRoom(&s->known))
		*place = FollowersKeep(&s->known, found);
	s->w->nodes++;
}

/* Replace the top node's extensions by those under its next gap, and make their lists if there is room. */
static void
ExpandGap(Search *s, Node *node)
{
	Worker	   *w = s->w;
	uint32_t	gap = node->gaps++;
	Extensions *found = &node->extensions;

	s->kept -= node->kept;
	node->kept = 0;
	node->next = 0;
	ArenaRelease(&w->arena, node->mark);
	FindFollowers(s, node, gap, found);
	/* extensions of other slices tell it, too */
	node->subsumed |= AreSubsuming(s, found, node->support);
	if (s->episode.length == 1)
		TakeSlice(s, found);
	if (ExtensionsAreNodes(s) && s->kept + found->entries <= (uint64_t) KEPT_ENTRIES * w->stream.events)
	{
		MakeLists(&s->counting, ListOfTop(s), gap, found);
		s->kept += node->kept = found->entries;
	}
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

/* The bit of a requirement in Search.lacking; 0 if it has none. */
static inline uint64_t
TargetOf(uint32_t requirement)
{
	return requirement <= MOST_TARGETS ? UINT64_C(1) << (requirement - 1) : 0;
}

/* The requirement that a type meets; 0 if it meets none. */
static inline uint32_t
MetBy(const Search *s, uint32_t type)
{
	return s->met == NULL ? 0 : s->w->met_by[type];
}

/* Append a type to the episode, with the gap of the top node's extensions; the new node is not filled in. */
static void
PushType(Search *s, uint32_t type)
{
	Episode    *episode = &s->episode;
	uint32_t	requirement = MetBy(s, type);

	if (episode->length == s->room)
		GrowStack(s);
	if (episode->length > 0)
		episode->gap[episode->length - 1] = s->node[episode->length - 1].gaps - 1;
	episode->type[episode->length++] = type;
	if (requirement > 0 && s->met[requirement]++ == 0)
	{
		s->missing--;
		s->lacking &= ~TargetOf(requirement);
	}
}

static void
PopType(Search *s)
{
	uint32_t	requirement = MetBy(s, s->episode.type[--s->episode.length]);

	if (requirement > 0 && --s->met[requirement] == 0)
	{
		s->missing++;
		s->lacking |= TargetOf(requirement);
	}
}

/* Whether more requirements are missing than the length limit leaves room for. */
static bool
LacksTooMany(const Search *s)
{
	return s->w->deepest != FIM_NO_LIMIT && s->missing > s->w->deepest - s->episode.length;
}

/*
 * Whether at least minsup occurrences of an episode have as many events behind them, in their
 * partitions, as an episode that is long enough needs.  The n events with which occurrences end
 * ascend, and lie "step" numbers from each other.
 */
static bool
HasRoom(const Worker *w, uint32_t length, const uint32_t *event, uint32_t step, uint32_t n)
{
	const FimEpisodesData *data = w->stream.data;
	const uint32_t *partition = FIM_EPISODES_PARTITIONS(data);
	uint32_t	more = w->spec->min_length > length ? w->spec->min_length - length : 0;
	uint32_t	end = 0;		/* of the partition at hand */
	uint32_t	low = 0;
	uint32_t	found = 0;

	if (more == 0)
		return n >= w->spec->minsup;
	for (; n > 0 && found < w->spec->minsup; n--, event += step)
	{
		uint32_t	high = data->partitions;

		if (*event >= end)
		{
			while (high - low > 1)
			{
				uint32_t	middle = low + (high - low) / 2;

				if (partition[middle] <= *event)
					low = middle;
				else
					high = middle;
			}
			end = partition[low + 1];
		}
		found += end - *event > more;
	}
	return found >= w->spec->minsup;
}

/* Find the predecessors of single types: the followers of all types, rearranged by the second type. */
static void
FindPredecessorsOfTypes(Search *s)
{
	Worker	   *w = s->w;
	uint32_t	ntypes = w->stream.ntypes;
	Predecessors *before = ArenaAlloc(&s->known.arena, sizeof(Predecessors) * ntypes);

	memset(before, 0, sizeof(Predecessors) * ntypes);
	for (uint32_t k = 0; k < s->frequent.n; k++)
		for (uint32_t gap = 0; gap < w->stream.ngaps; gap++)
		{
			const Types *types = &FollowersOfType(s, s->frequent.type[k], gap)->types;

			for (uint32_t f = 0; f < types->n; f++)
				before[types->type[f]].n++;
		}
	for (uint32_t type = 0; type < ntypes; type++)
		before[type] = (Predecessors) {ArenaAlloc(&s->known.arena, sizeof(Predecessor) * before[type].n), 0};
	for (uint32_t k = 0; k < s->frequent.n; k++)
		for (uint32_t gap = 0; gap < w->stream.ngaps; gap++)
		{
			const Followers *followers = FollowersOfType(s, s->frequent.type[k], gap);

			for (uint32_t f = 0; f < followers->types.n; f++)
			{
				Predecessors *to = &before[followers->types.type[f]];

				to->entry[to->n++] = (Predecessor) {s->frequent.type[k], gap, followers->support[f]};
			}
		}
	s->before = before;
}

/* Note that a type leads to a target, and so do the types that can come before it, and so on. */
static void
SpreadBack(Search *s, uint32_t type, uint64_t target, uint32_t *waiting)
{
	uint32_t	n = 0;

	for (waiting[n++] = type; n > 0;)
	{
		const Predecessors *before = &s->before[waiting[--n]];

		for (uint32_t k = 0; k < before->n; k++)
		{
			uint32_t	predecessor = before->entry[k].type;

			if ((s->leads_to[predecessor] & target) != 0)
				continue;
			s->leads_to[predecessor] |= target;
			waiting[n++] = predecessor;
		}
		WorkerWorked(s->w, before->n + 1);
	}
}

/* Find which targets can follow each type. */
static void
FindWhatLeads(Search *s)
{
	Worker	   *w = s->w;
	uint32_t	ntypes = w->stream.ntypes;
	uint32_t   *waiting;

	if (s->before == NULL)
		FindPredecessorsOfTypes(s);
	s->leads_to = ArenaAlloc(&s->known.arena, sizeof(uint64_t) * ntypes);
	waiting = ArenaAlloc(&s->known.arena, sizeof(uint32_t) * ((size_t) ntypes + 1));
	memset(s->leads_to, 0, sizeof(uint64_t) * ntypes);
	for (uint32_t r = 0; r < w->spec->nrequired + w->spec->nany; r++)
	{
		uint64_t	target = TargetOf(MetBy(s, w->spec->words[r]));

		if (target != 0)
			SpreadBack(s, w->spec->words[r], target, waiting);
	}
}

/*
 * Whether the episode at hand lacks a requirement that cannot be met any more: no chain of
 * frequent episodes of two events leads from its last type to a type that meets it.
 */
static bool
LacksUnreachable(Search *s)
{
	if (s->lacking == 0)
		return false;
	if (s->leads_to == NULL)
		FindWhatLeads(s);
	return (s->lacking & ~s->leads_to[s->episode.type[s->episode.length - 1]]) != 0;
}

/* Push the top node's next extension, or just write it if it is not to be extended. */
static void
Descend(Search *s)
{
	Worker	   *w = s->w;
	Node	   *from = &s->node[s->episode.length - 1];
	const FrequentExtension *extension = &from->extensions.extension[from->next++];
	const List *list = &extension->list;
	bool		goes_on = ExtensionsAreNodes(s);
	Node	   *node;

	PushType(s, extension->type);
	goes_on = goes_on && !LacksTooMany(s) && !LacksUnreachable(s) &&
		(list->entry == NULL || HasRoom(w, s->episode.length, &list->entry->end, sizeof(Entry) / sizeof(uint32_t), list->n));
	if (!goes_on)
	{
		if (w->spec->kind == FIM_ALL)
			WorkerEmit(w, &s->episode, extension->support);
		PopType(s);
		return;
	}
	/* the stack may have moved */
	from = &s->node[s->episode.length - 2];
	node = from + 1;
	memset(node, 0, sizeof(Node));
	node->mark = ArenaGetMark(&w->arena);
	node->support = extension->support;
	if (list->entry != NULL)
		PrefixListsPut(&s->lists, list, s->episode.length);
	if (w->spec->kind == FIM_ALL)
		WorkerEmit(w, &s->episode, node->support);
}

/* ---- predecessors ---- */

/*
 * Find the support of an episode by its prefix's followers, which are looked for ahead if that
 * pays.  Returns false if PredecessorsByFollowers() has to have it counted.
 */
static bool
SupportByFollowers(Search *s, const Episode *episode, uint32_t *support)
{
	Episode		prefix = {episode->type, episode->gap, episode->length - 1};
	uint32_t	gap = episode->gap[prefix.length - 1];
	Followers **place;

	if (FollowersSupport(&s->known, episode, support))
		return true;
	if (prefix.length > LONGEST_KNOWN || !LooksAhead(s))
		return false;
	place = FollowersPlace(&s->known, &prefix, gap);
	if (place == NULL)
		return false;
	*place = FollowersOf(s, &prefix, gap, Candidates(s, &prefix, gap));
	return FollowersSupport(&s->known, episode, support);
}

/*
 * The same as FindPredecessors(), but the support of a candidate with the episode is taken from
 * the followers of the candidate with the episode's prefix where these are known, or where it
 * pays to find them ahead.  The other candidates are counted.
 */
static void
PredecessorsByFollowers(Search *s, const Episode *episode, uint32_t support, const Predecessors *candidates,
						uint64_t least, uint32_t most, Predecessors *found)
{
	Arena	   *arena = &s->w->arena;
	ArenaMark	mark = ArenaGetMark(arena);
	uint32_t	length = episode->length + 1;
	Predecessors unknown = {ArenaAlloc(arena, sizeof(Predecessor) * candidates->n), 0};
	Episode		preceded = {ArenaAlloc(arena, sizeof(uint32_t) * length), ArenaAlloc(arena, sizeof(uint32_t) * length), length};

	memcpy(preceded.type + 1, episode->type, sizeof(uint32_t) * episode->length);
	memcpy(preceded.gap + 1, episode->gap, sizeof(uint32_t) * (episode->length - 1));
	found->n = 0;
	for (uint32_t c = 0; c < candidates->n && found->n < most; c++)
	{
		Predecessor before = candidates->entry[c];

		if (before.support < least)
			continue;
		preceded.type[0] = before.type;
		preceded.gap[0] = before.gap;
		if (!SupportByFollowers(s, &preceded, &before.support))
			unknown.entry[unknown.n++] = candidates->entry[c];
		else if (before.support >= least)
			found->entry[found->n++] = before;
	}
	if (unknown.n > 0 && found->n < most)
	{
		Predecessors counted = {found->entry + found->n, 0};

		FindPredecessors(s->w, episode, support, &unknown, least, most - found->n, &counted);
		found->n += counted.n;
	}
	ArenaRelease(arena, mark);
}

/*
 * Whether the predecessors of prefixes of this length are found.  For a long prefix that takes
 * a list for each of its events.  All lengths would take the square of the last length in
 * lists; powers of two take only twice the last length.
 */
static inline bool
IsNarrowed(uint32_t length)
{
	return length <= LONGEST_KNOWN || (length & (length - 1)) == 0;
}

/* Predecessors of a prefix of the top node's episode, which include all those of the episode. */
static const Predecessors *
PredecessorsOfPrefix(Search *s)
{
	Worker	   *w = s->w;
	Episode		prefix = s->episode;
	const Predecessors *candidates = &s->before[prefix.type[0]];

	for (prefix.length = 2; prefix.length < s->episode.length; prefix.length++)
	{
		Node	   *node = &s->node[prefix.length - 1];

		if (node->has_predecessors)
			candidates = &node->predecessors;
		if (node->has_predecessors || !IsNarrowed(prefix.length))
			continue;
		node->has_predecessors = true;
		node->predecessors_mark = ArenaGetMark(&s->predecessors_arena);
		node->predecessors.entry = ArenaAlloc(&s->predecessors_arena, sizeof(Predecessor) * candidates->n);
		PredecessorsByFollowers(s, &prefix, node->support, candidates, w->spec->minsup, candidates->n,
								&node->predecessors);
		ArenaTrim(&s->predecessors_arena, node->predecessors.entry, sizeof(Predecessor) * node->predecessors.n);
		candidates = &node->predecessors;
	}
	return candidates;
}

/* Does one of the predecessors have a support of at least "least"? */
static bool
AnyReaches(const Predecessors *predecessors, uint64_t least)
{
	bool		reaches = false;

	for (uint32_t k = 0; k < predecessors->n && !reaches; k++)
		reaches = predecessors->entry[k].support >= least;
	return reaches;
}

/*
 * Does a predecessor tell that the node's episode is not closed, or not maximal?  For closed
 * episodes, a predecessor would have to have the episode's full support.  Nearly all candidates
 * fail that soon when they are counted, so a better choice of candidates is not worth while.
 */
static bool
IsPreceded(Search *s, const Node *node)
{
	Worker	   *w = s->w;
	bool		closed = w->spec->kind == FIM_CLOSED;
	uint64_t	least = closed ? node->support : w->spec->minsup;
	const Predecessors *before;
	Predecessor entry;
	Predecessors found = {&entry, 0};

	if (s->before == NULL)
		FindPredecessorsOfTypes(s);
	before = &s->before[s->episode.type[0]];
	if (s->episode.length == 1)
		return AnyReaches(before, least);
	if (closed)
		FindPredecessors(w, &s->episode, node->support, before, least, 1, &found);
	else
		PredecessorsByFollowers(s, &s->episode, node->support, PredecessorsOfPrefix(s), least, 1, &found);
	return found.n > 0;
}

/* ---- classes ---- */

/* Whether the episode at hand meets all requirements and has a length that is wanted, and is given out by this slice. */
static bool
IsWanted(const Search *s)
{
	uint32_t	length = s->episode.length;

	return s->missing == 0 && length >= s->w->spec->min_length && length <= s->w->longest &&
		(length > 1 || SliceHasTop(s));
}

/* Pop the top node.  Now that all its extensions are known, so is whether it is closed or maximal. */
static void
LeaveNode(Search *s)
{
	Worker	   *w = s->w;
	Node	   *node = &s->node[s->episode.length - 1];

	if (w->spec->kind != FIM_ALL && !node->subsumed && IsWanted(s) && !IsPreceded(s, node))
		WorkerEmit(w, &s->episode, node->support);
	if (node->has_predecessors)
		ArenaRelease(&s->predecessors_arena, node->predecessors_mark);
	s->kept -= node->kept;
	ArenaRelease(&w->arena, node->mark);
	PopType(s);
	PrefixListsForget(&s->lists, s->episode.length);
}

/* Mine the slice of a type's class at hand; the episode of one event belongs to slice 0. */
static void
MineSlice(Search *s, uint32_t type)
{
	Worker	   *w = s->w;
	Node	   *node;

	if (!HasRoom(w, 1, w->stream.position + w->stream.start[type], 1, w->stream.start[type + 1] - w->stream.start[type]))
		return;
	PushType(s, type);
	node = s->node;
	memset(node, 0, sizeof(Node));
	node->mark = ArenaGetMark(&w->arena);
	node->support = w->stream.start[type + 1] - w->stream.start[type];
	if (w->spec->kind == FIM_ALL && SliceHasTop(s))
		WorkerEmit(w, &s->episode, node->support);
	if (LacksUnreachable(s))
		PopType(s);
	while (s->episode.length > 0)
	{
		node = &s->node[s->episode.length - 1];
		if (node->next < node->extensions.n)
			Descend(s);
		else if (node->gaps < w->stream.ngaps && s->episode.length < w->deepest)
			ExpandGap(s, node);
		else
			LeaveNode(s);
	}
}

/* Mine what the task's part has of a unit. */
static void
MineUnit(Search *s, uint64_t unit)
{
	uint32_t	type = (uint32_t) (unit % s->w->stream.ntypes);

	s->slice = (uint32_t) (unit / s->w->stream.ntypes);
	if (!FimBeginUnit(s->dealt, type))
		return;
	MineSlice(s, type);
	FimEndUnit(s->dealt, type);
}

/* Find all episodes of two events, and deal from their supports. */
static void
Deal(Search *s)
{
	Worker	   *w = s->w;

	for (uint32_t type = 0; type < w->stream.ntypes; type++)
		for (uint32_t gap = 0; gap < w->stream.ngaps; gap++)
			(void) FollowersOfType(s, type, gap);
	s->dealt = ArenaAlloc(&w->arena, sizeof(FimDealt));
	DealEpisodes(s->dealt, w, &s->known);
}

/* Prepare what all classes use. */
static void
BeginSearch(Search *s)
{
	Worker	   *w = s->w;
	uint32_t	ntypes = w->stream.ntypes;

	CountingInit(&s->counting, w, w->spec->minsup);
	s->nslices = SlicesOfClass(w->stream.data);
	FollowersBegin(&s->known, &s->counting);
	s->frequent.type = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	for (uint32_t type = 0; type < ntypes; type++)
		if (w->stream.start[type + 1] - w->stream.start[type] >= w->spec->minsup)
			s->frequent.type[s->frequent.n++] = type;
	s->frequent.events = CountEvents(&s->counting, &s->frequent);
	if (FimIsPart(&w->spec->head.part))
		Deal(s);
	s->missing = FimRequirements(w->spec);
	if (s->missing == 0)
		return;
	s->met = ArenaAlloc(&w->arena, sizeof(uint32_t) * (s->missing + 1));
	memset(s->met, 0, sizeof(uint32_t) * (s->missing + 1));
	for (uint32_t r = 1; r <= s->missing; r++)
		s->lacking |= TargetOf(r);
}

FimResult
MineByPropagation(Worker *w)
{
	Search		s = {.w = w};
	FimResult	result;

	PrefixListsInit(&s.lists, w);
	PrefixListsInit(&s.lists_ahead, w);
	FollowersInit(&s.known, w);
	ArenaInit(&s.predecessors_arena, w->host, &w->leave);
	result = (FimResult) setjmp(w->leave);
	if (result == FIM_DONE)
	{
		uint64_t	taken;

		WorkerBegin(w);
		BeginSearch(&s);
		while (FimTakeUnit(w->shared, w->sink, &taken))
		{
			s.taken++;
			MineUnit(&s, taken);
			FimUnitDone(w->shared);
			WorkerPoll(w);
		}
		WorkerFlush(w);
		/* a canceled task is not done, even if no unit is left */
		WorkerPoll(w);
	}
	if (s.node != NULL)
		w->host->free(w->host, s.node);
	PrefixListsFree(&s.lists);
	PrefixListsFree(&s.lists_ahead);
	FollowersFree(&s.known);
	ArenaFree(&s.predecessors_arena);
	return result;
}
