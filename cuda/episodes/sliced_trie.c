/*-------------------------------------------------------------------------
 *
 * sliced_trie.c
 *	  Counting the trie on slices of surrogates, see surrogates.h.
 *
 * First the trie is put into levels, for this and for counting level by level.  Then come suffixes,
 * a sample of slices, and the plan: its steps, and whether slices fit.  At last parts are counted.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "episodes/lists.h"
#include "episodes/surrogates.h"

/* ---- levels ---- */

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
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	kind = t->level[k] - 1;

	if (kind > 0 && !HasChildren(nodes, k))
		kind += t->depth - 1;
	return kind * SIZES + SIZES - 1 - SizeOf(EventsOf(job, nodes[k].type));
}

/* Whether nothing is to be done for a node: a single type whose support is not wanted, as its list is there. */
static inline bool
IsLeftOut(const EpisodesJob *job, const TestedLevels *t, uint32_t k)
{
	return t->level[k] == 1 && FIM_EPISODES_NODES(job->spec)[k].support == 0;
}

/* Fill in the extensions by rank.  at[rank] is where those of each rank begin, and is moved to their end. */
static cudaError_t
FillExtensions(EpisodesJob *job, TestedLevels *t, uint32_t *at, uint32_t *open)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	depth = 0;

	for (uint32_t k = 0; k < job->spec->nnodes; k++)
	{
		depth = Descend(nodes, k, depth, open);
		if (!IsLeftOut(job, t, k))
			t->extensions[at[RankOf(job, t, k)]++] = (Extension) {depth > 1 ? open[depth - 2] : 0, nodes[k].type,
				nodes[k].gap, k};
	}
	return HostWork(job, 8 * (uint64_t) job->spec->nnodes);
}

/* Set at[rank] to where the extensions of each rank begin, and how many there are.  at[] is 0 before. */
static cudaError_t
FindRanks(EpisodesJob *job, TestedLevels *t, uint32_t *at)
{
	for (uint32_t k = 0; k < job->spec->nnodes; k++)
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
	return HostWork(job, 4 * (uint64_t) job->spec->nnodes + (uint64_t) t->depth * KINDS * SIZES);
}

static cudaError_t
FindLevels(EpisodesJob *job, TestedLevels *t, uint32_t *open)
{
	uint32_t	depth = 0;

	for (uint32_t k = 0; k < job->spec->nnodes; k++)
	{
		depth = Descend(FIM_EPISODES_NODES(job->spec), k, depth, open);
		t->level[k] = depth;
		t->depth = depth > t->depth ? depth : t->depth;
	}
	return HostWork(job, 4 * (uint64_t) job->spec->nnodes);
}

cudaError_t
OpenTestedLevels(EpisodesJob *job, TestedLevels *t)
{
	size_t		n = job->spec->nnodes;
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

/*
 * Sets suffix[nodes] to the node of each episode without its first event; GPU_NONE where the trie has no such
 * node.
 */
static cudaError_t
FindSuffixes(EpisodesJob *job, const TestedLevels *t, uint32_t *suffix)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	nnodes = job->spec->nnodes;
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

/* ---- a sample of slices: how much of their lists would find no room in shared memory ---- */

/*
 * The plan has room for lists as long as the supports in the stream.  That is a good estimate for
 * neurons that fire now and then.  Where many events of one type come before many of another, few
 * occurrences do not overlap, but each event ends one, and lists are much longer than supports.
 */

/* How many slices are looked at.  The work is that of a few of the millions of slices on a device. */
#define SAMPLED_SLICES	4

/*
 * A slice on the host, as a block has it on a device: its events by type, and then its lists.  Here a list is
 * only the ends of its entries.
 */
typedef struct SampledSlice
{
	uint32_t   *start;			/* [ntypes + 1] where each type's events begin among "words" */
	MadeList   *made;			/* [TriePlan.lists] */
	uint32_t   *words;			/* the events' instants, and the ends of the lists' entries */
	uint32_t	used;			/* words that are taken */
} SampledSlice;

static cudaError_t
TakeSlice(EpisodesJob *job, const InstantPlan *instants, const TriePlan *plan, SampledSlice *slice)
{
	uint64_t	words = instants->most_events + plan->spill_words / 2;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) job->data->ntypes + 1), (void **) &slice->start));
	GPU_TRY(GpuHostTake(&job->team, sizeof(MadeList) * plan->lists, (void **) &slice->made));
	return GpuHostTake(&job->team, sizeof(uint32_t) * words, (void **) &slice->words);
}

static void
FreeSlice(EpisodesJob *job, SampledSlice *slice)
{
	GpuHostFree(&job->team, slice->words);
	GpuHostFree(&job->team, slice->made);
	GpuHostFree(&job->team, slice->start);
}

/* Fill in the wanted events from "first" to end - 1, and no lists.  at[ntypes] is used on the way. */
static cudaError_t
FillSlice(EpisodesJob *job, const InstantPlan *instants, const uint8_t *wanted, uint32_t first, uint32_t end,
		  uint32_t *at, SampledSlice *slice)
{
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);
	uint32_t	ntypes = job->data->ntypes;

	memset(slice->start, 0, sizeof(uint32_t) * ((size_t) ntypes + 1));
	for (uint32_t i = first; i < end; i++)
	{
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 2 * (uint64_t) EVENTS_AT_ONCE));
		slice->start[type[i] + 1] += wanted[type[i]];
	}
	for (uint32_t t = 0; t < ntypes; t++)
		slice->start[t + 1] += slice->start[t];
	memcpy(at, slice->start, sizeof(uint32_t) * ntypes);
	for (uint32_t i = first; i < end; i++)
	{
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 2 * (uint64_t) EVENTS_AT_ONCE));
		if (wanted[type[i]])
			slice->words[at[type[i]]++] = instants->origin[i];
	}
	slice->used = slice->start[ntypes];
	return HostWork(job, 2 * (uint64_t) ntypes + 1);
}

static MadeList
EventsOfType(const SampledSlice *slice, uint32_t type)
{
	return (MadeList) {slice->start[type], slice->start[type + 1] - slice->start[type]};
}

/* Make the list of a step that makes one. */
static cudaError_t
MakeList(EpisodesJob *job, const TrieStep *step, SampledSlice *slice)
{
	bool		of_type = step->prefix == GPU_NONE;
	MadeList	list = of_type ? EventsOfType(slice, step->prefix_type) : slice->made[step->prefix];
	MadeList	events = of_type || step->suffix == GPU_NONE ? EventsOfType(slice, step->type) : slice->made[step->suffix];
	const uint32_t *entry = slice->words + list.at;
	const uint32_t *event = slice->words + events.at;
	uint32_t   *end = slice->words + slice->used;
	uint32_t	before = 0;		/* entries that are far enough back */
	uint32_t	n = 0;

	for (uint32_t i = 0; i < events.n; i++)
	{
		while (before < list.n && entry[before] < event[i] - step->near)
			before++;
		if (before > 0 && entry[before - 1] >= event[i] - step->far)
			end[n++] = event[i];
	}
	slice->made[step->made] = (MadeList) {slice->used, n};
	slice->used += n;
	return HostWork(job, list.n + (uint64_t) events.n + 1);
}

/* Make all lists of a slice, and add up the words that they take on a device. */
static cudaError_t
MakeLists(EpisodesJob *job, const TriePlan *plan, SampledSlice *slice, uint64_t *words, uint64_t *spilled)
{
	uint32_t	events = slice->used;
	uint64_t	here;

	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->steps[i].made != GPU_NONE)
			GPU_TRY(MakeList(job, &plan->steps[i], slice));
	here = 2 * (uint64_t) (slice->used - events);
	*words += here;
	*spilled += events + here > plan->words ? events + here - plan->words : 0;
	return HostWork(job, plan->n);
}

/*
 * Finds the lists of a few slices of the stream, none of whose events is moved.  *words is set to how many
 * words the lists take, and *spilled to how many of these would be in the spill.  The plan has its steps with
 * their gaps, its words, and its spill_words.
 */
static cudaError_t
SampleSlices(EpisodesJob *job, const InstantPlan *instants, const TriePlan *plan, uint64_t *words, uint64_t *spilled)
{
	uint32_t	n = (uint32_t) GpuLesser(SAMPLED_SLICES, instants->slices);
	SampledSlice slice;
	uint8_t    *wanted;
	uint32_t   *at;

	*words = *spilled = 0;
	GPU_TRY(TakeSlice(job, instants, plan, &slice));
	GPU_TRY(GpuHostTake(&job->team, job->data->ntypes, (void **) &wanted));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * job->data->ntypes, (void **) &at));
	FindWantedTypes(job, wanted);
	for (uint32_t s = 0; s < n; s++)
	{
		uint32_t	number = (uint32_t) ((2 * s + 1) * (uint64_t) instants->slices / (2 * n));

		GPU_TRY(FillSlice(job, instants, wanted, FirstOfSlice(instants, number),
						  EndOfSlice(job->data, instants, number), at, &slice));
		GPU_TRY(MakeLists(job, plan, &slice, words, spilled));
	}
	GpuHostFree(&job->team, at);
	GpuHostFree(&job->team, wanted);
	FreeSlice(job, &slice);
	return cudaSuccess;
}

/* ---- the plan ---- */

/*
 * The target size of a slice is SLICE_EVENTS events.  It is smaller where the events and their lists would
 * take more than SLICE_WORDS words of shared memory: at 24 kB a block, eight blocks run at once on a
 * multiprocessor that has 228 kB.  But on average a slice has at least TYPE_EVENTS events for each type, and
 * NODE_WORK events and entries to go through for each step.  With less than that, reading the types' starts
 * and the steps would take longer than doing the steps.
 */
#define SLICE_EVENTS	1024
#define SLICE_WORDS		6144
#define TYPE_EVENTS		4
#define NODE_WORK		32

/*
 * A slice ends at a silence, so it may have more events than its target.  This is the most that a slice may
 * have; on average slices may have half as many.
 */
#define MOST_EVENTS		8192

/* The least number of blocks that a multiprocessor has to run at once; with fewer it would often wait. */
#define LEAST_BLOCKS	2

/* Sorting more steps would take too long, because the host does not poll meanwhile. */
#define MOST_STEPS		(1u << 17)

/*
 * A launch cannot end within a slice.  So there are bounds on the events and entries that a block may have to
 * go through for a slice, and on a slice's events, counted once for each level, since one thread may have to
 * go through all of them.  Of the recordings in bench/results/gpu-episodes.md, Stacy's has the most work in a
 * slice, 1.1 million; a launch that gives each block a slice of four times as much is estimated to take 5 ms on
 * an H100, and 28 ms with all lists in the spill.
 */
#define MOST_WORK		(1u << 22)
#define MOST_ONE_BY_ONE	(1u << 17)

/*
 * The greatest part of the lists' words that may be in the spill, in percent, on slices whose events are not
 * moved.  Once they are, lists are shorter.  With all lists in the spill, counting level by level would be
 * quicker.
 */
#define MOST_SPILLED	75

static const char *const what = "counting on surrogates";

/* A step, with what decides about its place among the others. */
typedef struct WeighedStep
{
	TrieStep	step;
	uint32_t	level;
	uint64_t	weight;			/* estimate: events and entries of a surrogate to go through */
} WeighedStep;

/* ---- the plan: steps ---- */

/*
 * An estimate of how many entries the list of a node has on a surrogate.  On recordings of neurons, the
 * support of the episode in the recording is a good one.  For a node that is not tested the support is not
 * known: all events of its last type count.
 */
static uint64_t
EntriesOf(const EpisodesJob *job, const TestedLevels *t, uint32_t k)
{
	const FimTrieNode *node = FIM_EPISODES_NODES(job->spec) + k;
	uint32_t	events = EventsOf(job, node->type);

	return t->level[k] > 1 && node->support > 0 ? GpuLesser(node->support, events) : events;
}

/*
 * The step of an extension.  "list" has the number of each node's list, "suffix" is the node's suffix;
 * GPU_NONE if there is none.
 */
static WeighedStep
WeighStep(const EpisodesJob *job, const TestedLevels *t, const uint32_t *list, uint32_t suffix,
		  const Extension *extension)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	k = extension->to;
	WeighedStep weighed = {{k, extension->type, 0, 0, GPU_NONE, GPU_NONE, GPU_NONE, list[k]}, t->level[k],
	EventsOf(job, extension->type)};

	if (weighed.level == 1)
		return weighed;
	if (suffix != GPU_NONE && list[suffix] != GPU_NONE)
	{
		weighed.step.suffix = list[suffix];
		weighed.weight = EntriesOf(job, t, suffix);
	}
	weighed.step.prefix = list[extension->list];
	weighed.step.prefix_type = nodes[extension->list].type;
	weighed.weight += EntriesOf(job, t, extension->list);
	return weighed;
}

static int
CompareSteps(const void *a, const void *b)
{
	const WeighedStep *x = (const WeighedStep *) a;
	const WeighedStep *y = (const WeighedStep *) b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	/* the lanes of a warp should do the same: they all make lists, or none does */
	if ((x->step.made != GPU_NONE) != (y->step.made != GPU_NONE))
		return x->step.made != GPU_NONE ? -1 : 1;
	return (x->weight < y->weight) - (x->weight > y->weight);
}

/* Set list[nodes] to the number of each node's list, GPU_NONE if it gets none, and add the lists' entries up. */
static cudaError_t
NumberLists(EpisodesJob *job, const TestedLevels *t, TriePlan *plan, uint32_t *list)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);

	for (uint32_t k = 0; k < job->spec->nnodes; k++)
	{
		list[k] = GPU_NONE;
		if (!IsMade(nodes, t, k))
			continue;
		list[k] = plan->lists++;
		plan->entries += EntriesOf(job, t, k);
	}
	return HostWork(job, 4 * (uint64_t) job->spec->nnodes);
}

static cudaError_t
MakeSteps(EpisodesJob *job, const TestedLevels *t, const uint32_t *list, const uint32_t *suffix, TriePlan *plan)
{
	WeighedStep *weighed;

	GPU_TRY(GpuHostTake(&job->team, sizeof(WeighedStep) * plan->n, (void **) &weighed));
	GPU_TRY(GpuHostTake(&job->team, sizeof(TrieStep) * plan->n, (void **) &plan->steps));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * t->depth, (void **) &plan->phase_end));
	for (uint32_t i = 0; i < plan->n; i++)
		weighed[i] = WeighStep(job, t, list, suffix[t->extensions[i].to], &t->extensions[i]);
	qsort(weighed, plan->n, sizeof(WeighedStep), CompareSteps);
	plan->phases = t->depth;
	memset(plan->phase_end, 0, sizeof(uint32_t) * t->depth);
	for (uint32_t i = 0; i < plan->n; i++)
	{
		plan->steps[i] = weighed[i].step;
		plan->work += weighed[i].weight;
		plan->phase_end[weighed[i].level - 1] = i + 1;
	}
	/* there need not be steps of all levels */
	for (uint32_t phase = 1; phase < t->depth; phase++)
		plan->phase_end[phase] = (uint32_t) GpuGreater(plan->phase_end[phase], plan->phase_end[phase - 1]);
	GpuHostFree(&job->team, weighed);
	return HostWork(job, 32 * (uint64_t) plan->n);
}

/*
 * The words for the lists of a surrogate: two for each entry, its end and its start, and a quarter more,
 * since slices differ.  Without that reserve some lists of a warp would be in the spill and others would not,
 * and the warp would take both paths.
 */
static uint64_t
ListWords(const TriePlan *plan)
{
	return 5 * plan->entries / 2;
}

/* How many slices are wanted. */
static uint32_t
SlicesFor(const FimEpisodesData *data, const TriePlan *plan)
{
	uint64_t	slices = GpuGreater(plan->events / SLICE_EVENTS, (plan->events + ListWords(plan)) / SLICE_WORDS);

	slices = GpuLesser(slices, plan->events / (TYPE_EVENTS * (uint64_t) data->ntypes));
	return (uint32_t) GpuBetween(1, plan->work / (NODE_WORK * (uint64_t) plan->n), slices);
}

/* Set how many events of the types in the trie there are. */
static cudaError_t
CountTrieEvents(EpisodesJob *job, TriePlan *plan)
{
	uint8_t    *wanted;

	GPU_TRY(GpuHostTake(&job->team, job->data->ntypes, (void **) &wanted));
	plan->events = FindWantedTypes(job, wanted);
	GpuHostFree(&job->team, wanted);
	return HostWork(job, job->spec->nnodes + (uint64_t) job->data->ntypes);
}

cudaError_t
PlanTrie(EpisodesJob *job, const TestedLevels *t, TriePlan *plan)
{
	uint32_t   *list;
	uint32_t   *suffix;

	memset(plan, 0, sizeof(*plan));
	plan->n = t->n;
	plan->fits = t->n > 0 && t->n <= MOST_STEPS;
	if (!plan->fits)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * job->spec->nnodes, (void **) &list));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * job->spec->nnodes, (void **) &suffix));
	GPU_TRY(NumberLists(job, t, plan, list));
	GPU_TRY(FindSuffixes(job, t, suffix));
	GPU_TRY(MakeSteps(job, t, list, suffix, plan));
	GpuHostFree(&job->team, suffix);
	GpuHostFree(&job->team, list);
	GPU_TRY(CountTrieEvents(job, plan));
	plan->slices = SlicesFor(job->data, plan);
	plan->most_events = (uint32_t) GpuLesser(MOST_EVENTS, MOST_ONE_BY_ONE / plan->phases);
	plan->fits = plan->events / plan->slices <= MOST_EVENTS / 2;
	return cudaSuccess;
}

/* ---- the plan: slices ---- */

/* The most that an event of a type can add to what a slice needs. */
typedef struct EventCost
{
	uint64_t	words;			/* of all lists that may have an entry which ends with the event */
	uint64_t	work;			/* how many times the event, or such an entry, is gone through */
} EventCost;

static void
FindCosts(const EpisodesJob *job, const TestedLevels *t, const TriePlan *plan, EventCost *cost)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);

	memset(cost, 0, sizeof(EventCost) * job->data->ntypes);
	for (uint32_t k = 0; k < job->spec->nnodes; k++)
		cost[nodes[k].type].words += IsMade(nodes, t, k) ? 2 : 0;
	for (uint32_t i = 0; i < plan->n; i++)
	{
		const TrieStep *step = &plan->steps[i];
		uint32_t	times = step->made != GPU_NONE ? 2 : 1;

		cost[step->type].work += times;
		if (step->prefix_type != GPU_NONE)
			cost[step->prefix_type].work += times;
	}
}

/* Set the words of spill and the work that a slice can need at most. */
static cudaError_t
FindNeeds(EpisodesJob *job, const TestedLevels *t, const InstantPlan *instants, TriePlan *plan)
{
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);
	EventCost  *cost;

	GPU_TRY(GpuHostTake(&job->team, sizeof(EventCost) * job->data->ntypes, (void **) &cost));
	FindCosts(job, t, plan, cost);
	plan->spill_words = 1;
	plan->slice_work = 0;
	for (uint32_t slice = 0, i = 0; slice < instants->slices; slice++)
	{
		EventCost	all = {0, 0};

		for (; i < EndOfSlice(job->data, instants, slice); i++)
		{
			if (i % EVENTS_AT_ONCE == 0)
				GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
			all.words += cost[type[i]].words;
			all.work += cost[type[i]].work;
		}
		plan->spill_words = GpuGreater(plan->spill_words, all.words);
		plan->slice_work = GpuGreater(plan->slice_work, all.work);
		GPU_TRY(HostWork(job, 1));
	}
	GpuHostFree(&job->team, cost);
	return HostWork(job, job->spec->nnodes + plan->n);
}

/* Set how far back the gap of each step reaches from an instant. */
static cudaError_t
FindReach(EpisodesJob *job, const TestedLevels *t, const InstantPlan *instants, TriePlan *plan)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);

	for (uint32_t i = 0; i < plan->n; i++)
	{
		TrieStep   *step = &plan->steps[i];
		FimGapEdges gap;

		if (t->level[step->node] == 1)
			continue;
		gap = FIM_EPISODES_GAPS(job->data)[nodes[step->node].gap];
		step->near = instants->reach[gap.low];
		step->far = instants->reach[gap.high];
	}
	return HostWork(job, 4 * (uint64_t) plan->n);
}

/*
 * Set the words of shared memory: for "events" events, the most of any slice, and for the lists of an average
 * one.  Set how many blocks run, or have to.  The plan no longer fits if some device cannot run enough blocks
 * of that size.
 */
static cudaError_t
FindRoom(EpisodesJob *job, uint32_t events, TriePlan *plan)
{
	uint64_t	words = events + ListWords(plan) / plan->slices;
	uint64_t	bytes = SharedForTrie(plan->lists, job->data->ntypes, words);
	uint64_t	parts = (uint64_t) job->spec->surrogates * plan->slices;

	for (int d = 0; d < job->team.ndevices && plan->fits; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		uint32_t	least = LEAST_BLOCKS * (uint32_t) device->processors;
		uint32_t	blocks = 0;
		size_t		most;

		GPU_TRY(GpuUse(device, what));
		GPU_TRY(MostSharedForTrie(device, &most));
		if (bytes <= most)
			GPU_TRY(BlocksForTrie(device, bytes, &blocks));
		plan->fits = blocks >= least;
		plan->blocks = (uint32_t) GpuLesser(parts, GpuGreater(plan->blocks, blocks));
		plan->least_blocks = (uint32_t) GpuLesser(parts, GpuGreater(plan->least_blocks, least));
	}
	plan->words = (uint32_t) words;
	return cudaSuccess;
}

/* The plan no longer fits if most of the lists would be in the spill. */
static cudaError_t
FindSpilled(EpisodesJob *job, const InstantPlan *instants, TriePlan *plan)
{
	uint64_t	words;
	uint64_t	spilled;

	GPU_TRY(SampleSlices(job, instants, plan, &words, &spilled));
	plan->fits = 100 * spilled <= MOST_SPILLED * words;
	return cudaSuccess;
}

cudaError_t
FitTrie(EpisodesJob *job, const TestedLevels *t, const InstantPlan *instants, TriePlan *plan)
{
	plan->slices = instants->slices;
	plan->fits = instants->most_events <= plan->most_events;
	GPU_TRY(FindRoom(job, instants->most_events, plan));
	if (!plan->fits)
		return cudaSuccess;
	GPU_TRY(FindNeeds(job, t, instants, plan));
	plan->fits = plan->slice_work <= MOST_WORK;
	if (!plan->fits)
		return cudaSuccess;
	GPU_TRY(FindReach(job, t, instants, plan));
	return FindSpilled(job, instants, plan);
}

uint64_t
TrieBytes(const TriePlan *plan)
{
	return sizeof(TrieStep) * (uint64_t) plan->n + sizeof(uint32_t) * (uint64_t) plan->phases;
}

uint64_t
TrieBlockBytes(const TriePlan *plan)
{
	return sizeof(uint32_t) * plan->spill_words;
}

uint64_t
LeastSpillBytes(const TriePlan *plan)
{
	return plan->least_blocks * TrieBlockBytes(plan);
}

void
FreeTriePlan(EpisodesJob *job, TriePlan *plan)
{
	GpuHostFree(&job->team, plan->steps);
	GpuHostFree(&job->team, plan->phase_end);
}

/* ---- counting ---- */

cudaError_t
OpenTrie(EpisodesJob *job, const TriePlan *plan, GpuDevice *device, uint64_t room, TrieRun *run)
{
	SlicedTrie *trie = &run->trie;

	GPU_TRY(BlocksForTrie(device, SharedForTrie(plan->lists, job->data->ntypes, plan->words), &run->blocks));
	run->blocks = (uint32_t) GpuBetween(1, room / TrieBlockBytes(plan), run->blocks);
	run->device = device;
	run->work = (double) GpuGreater(plan->work, 1) / plan->slices;
	trie->phases = plan->phases;
	trie->lists = plan->lists;
	trie->ntypes = job->data->ntypes;
	trie->nodes = job->spec->nnodes;
	trie->words = plan->words;
	trie->spill_words = plan->spill_words;
	GPU_TRY(TakeCopy(job, device, plan->steps, sizeof(TrieStep) * plan->n, &trie->steps));
	GPU_TRY(TakeCopy(job, device, plan->phase_end, sizeof(uint32_t) * plan->phases, &trie->phase_end));
	return TakeMemory(device, run->blocks * TrieBlockBytes(plan), &trie->spill);
}

/* Launch the counting of the next parts, as many as a launch may do, but at least one for each block. */
static cudaError_t
LaunchNext(EpisodesJob *job, TrieRun *run)
{
	double		least = run->blocks * run->work;
	uint32_t	end;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, run->device, what));
	end = run->begun + (uint32_t) GpuBetween(1, (uint64_t) (GpuLaunchAmount(run->device, least, least) / run->work),
											 run->parts - run->begun);
	GPU_TRY(GpuBegin(run->device, GPU_COUNT, FIM_GPU_COUNT, run->work * (end - run->begun), &timer));
	GPU_TRY(CountSlicedTrie(run->device, &run->trie, run->begun, end, run->blocks));
	run->begun = end;
	return GpuEnd(run->device, GPU_COUNT, timer);
}

cudaError_t
RunTries(EpisodesJob *job, TrieRun *const *runs, int n)
{
	bool		more = true;

	for (int r = 0; r < n; r++)
		runs[r]->begun = 0;
	while (more)
	{
		more = false;
		for (int r = 0; r < n; r++)
			if (runs[r]->begun < runs[r]->parts)
			{
				GPU_TRY(LaunchNext(job, runs[r]));
				more |= runs[r]->begun < runs[r]->parts;
			}
	}
	return cudaSuccess;
}
