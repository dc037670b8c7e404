/*-------------------------------------------------------------------------
 *
 * surrogates.c
 *	  Counting given episodes on surrogates, see episodes.h.
 *
 * A surrogate is made and counted on one device, and never comes to the host.  A single surrogate
 * would not keep a device busy, so many are taken at a time: a batch of them is one stream, in which
 * each surrogate has types and partitions of its own.  The code that counts episodes in a stream
 * need not know that.  Where few episodes are counted on a stream of many partitions, the stream
 * is cut into slices, and each slice of a surrogate has types of its own, too.
 *
 * The episodes are a trie.  Level by level, its inner nodes are counted and get lists.  Then the
 * leaves of all levels are counted together.  Where silences cut the stream into slices that fit
 * in shared memory, a block of threads counts the whole trie on one slice instead, see surrogates.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "episodes/surrogates.h"

/* ---- plans: batches and slices, and the memory that they take ---- */

/*
 * The most that all surrogates of a batch have together: events, nodes and bytes.  Each level of the trie
 * takes at least as long as its type with most events, so many surrogates should share that time.
 */
#define BATCH_EVENTS	(UINT64_C(1) << 25)
#define BATCH_NODES		(UINT64_C(1) << 20)
#define BATCH_BYTES		(UINT64_C(8) << 30)

/*
 * The most bytes that the spills of a device take.  They are allocated whether or not anything spills, which
 * takes about 1.5 ms for each GB.
 */
#define SPILL_BYTES		(UINT64_C(1) << 30)

/* Where a batch has fewer nodes than that, the stream is cut into slices, which keeps more warps busy. */
#define BUSY_NODES		(UINT64_C(1) << 17)

/* Scratch memory of sorting beside what grows with the events, and what small arrays are rounded up by. */
#define SPARE_BYTES		(UINT64_C(4) << 20)

/*
 * The number of slices for counting level by level: enough for a batch to have BUSY_NODES nodes, but not more
 * than there are partitions, nor so many that there are more classes than wanted events.  Up to 64 classes
 * are always fine.
 */
static uint32_t
SlicesOf(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint64_t wanted, uint64_t copies)
{
	uint64_t	slices = BUSY_NODES / (copies * GpuGreater(spec->nnodes, 1));

	slices = GpuLesser(slices, GpuLesser(data->partitions, GpuGreater(wanted, 64) / data->ntypes));
	return (uint32_t) GpuGreater(slices, 1);
}

/*
 * Upper bounds of the events that are moved, and of the entries of all lists that are made, for each
 * surrogate.
 */
static void
FindAmounts(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint64_t *wanted, uint64_t *entries)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(spec);

	*wanted = *entries = 0;
	for (uint32_t k = 0; k < spec->nnodes; k++)
	{
		uint32_t	events = FIM_EPISODES_COUNTS(data)[nodes[k].type];

		*wanted += events;
		*entries += HasChildren(nodes, k) ? events : 0;
	}
	*wanted = GpuLesser(*wanted, data->events);
}

/* The plan for counting level by level; instants: NULL if times do not serve as instants. */
static BatchPlan
PlanBatches(const FimEpisodesSpec *spec, const FimEpisodesData *data, const InstantPlan *instants)
{
	bool		by_instants = instants != NULL;
	uint64_t	nnodes = GpuGreater(spec->nnodes, 1);
	uint64_t	wanted;
	uint64_t	entries;
	uint64_t	classes;
	BatchPlan	plan = {0};

	FindAmounts(spec, data, &wanted, &entries);
	plan.copies = GpuLesser(BATCH_EVENTS / (wanted + data->ntypes + data->partitions), BATCH_NODES / nnodes);
	plan.copies = GpuGreater(GpuLesser(plan.copies, spec->surrogates), 1);
	plan.slices = by_instants ? instants->slices : SlicesOf(spec, data, wanted, plan.copies);
	classes = (uint64_t) plan.slices * data->ntypes;
	plan.once = SPARE_BYTES + sizeof(Leg) * (uint64_t) LEG_ROOM + StreamMakerBytes(data, wanted, classes, by_instants) +
		nnodes * (sizeof(FimSurrogateCounts) + sizeof(Extension) + plan.slices * sizeof(DeviceList) + sizeof(uint32_t));
	plan.each = SurrogateBytes(data, wanted, classes, by_instants) + LIST_ENTRY * entries +
		plan.slices * nnodes * (sizeof(Extension) + sizeof(DeviceList) + sizeof(Pause) + sizeof(Counted));
	plan.copies = GpuGreater(GpuLesser(plan.copies, BATCH_BYTES / plan.each), 1);
	return plan;
}

/*
 * Room for batches that are counted level by level is more than counting in shared memory takes: each list
 * has room for all events of its type, in all surrogates of a batch.
 */
void
SurrogatesMemory(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint64_t *wanted, uint64_t *least)
{
	BatchPlan	plan = PlanBatches(spec, data, NULL);

	*wanted = plan.once + plan.copies * plan.each;
	*least = plan.once + plan.each;
}

/* The plan for counting in shared memory, without the spills. */
static BatchPlan
PlanTrieBatches(const FimEpisodesSpec *spec, const FimEpisodesData *data, const InstantPlan *instants,
				const TriePlan *trie)
{
	uint64_t	nnodes = spec->nnodes;
	uint64_t	classes = (uint64_t) instants->slices * data->ntypes;
	uint64_t	wanted;
	uint64_t	entries;
	BatchPlan	plan = {.slices = instants->slices, .trie = *trie};

	FindAmounts(spec, data, &wanted, &entries);
	plan.once = SPARE_BYTES + StreamMakerBytes(data, wanted, classes, true) + TrieBytes(trie) +
		nnodes * (sizeof(FimSurrogateCounts) + sizeof(uint32_t));
	plan.each = SurrogateBytes(data, wanted, classes, true) + sizeof(Counted) * nnodes;
	plan.copies = GpuLesser(BATCH_EVENTS / (wanted + classes), BATCH_NODES / nnodes);
	plan.copies = GpuLesser(plan.copies, spec->surrogates);
	plan.copies = GpuBetween(1, BATCH_BYTES / plan.each, plan.copies);
	return plan;
}

/* The bytes that every device has room for beside those that are taken once. */
static uint64_t
RoomBeside(const EpisodesJob *job, const BatchPlan *plan)
{
	uint64_t	least = UINT64_MAX;

	for (int d = 0; d < job->team.ndevices; d++)
	{
		uint64_t	room = GpuRoom(job->team.devices[d]);

		least = GpuLesser(least, room > plan->once ? room - plan->once : 0);
	}
	return least;
}

/*
 * Replace the plan by one that counts the trie in shared memory, if the trie fits and every device has room
 * for a surrogate and for the spills of enough blocks.  With fewer blocks, counting level by level would be
 * quicker.  *instants is zeroed before; it may have memory afterwards even if the plan stays as it was.
 */
static cudaError_t
TryTrie(EpisodesJob *job, const TestedLevels *t, InstantPlan *instants, BatchPlan *plan)
{
	TriePlan	trie;
	BatchPlan	with;

	GPU_TRY(PlanTrie(job, t, &trie));
	if (trie.fits)
		GPU_TRY(PlanInstants(job, trie.slices, trie.most_events, instants));
	if (instants->fits)
		GPU_TRY(FitTrie(job, t, instants, &trie));
	if (instants->fits && trie.fits)
	{
		with = PlanTrieBatches(job->spec, job->data, instants, &trie);
		if (LeastSpillBytes(&trie) <= SPILL_BYTES && with.each + LeastSpillBytes(&trie) <= RoomBeside(job, &with))
		{
			*plan = with;
			return cudaSuccess;
		}
	}
	FreeTriePlan(job, &trie);
	return cudaSuccess;
}

/*
 * Admission went by the plan without instants, so there may be no room for another one, which can have more
 * slices.
 */
cudaError_t
ChoosePlan(EpisodesJob *job, const TestedLevels *t, InstantPlan *instants, BatchPlan *plan)
{
	BatchPlan	with;

	*plan = PlanBatches(job->spec, job->data, NULL);
	GPU_TRY(TryTrie(job, t, instants, plan));
	if (plan->trie.fits)
		return cudaSuccess;
	FreeInstantPlan(job, instants);
	GPU_TRY(PlanInstants(job, plan->slices, UINT32_MAX, instants));
	if (!instants->fits)
		return cudaSuccess;
	with = PlanBatches(job->spec, job->data, instants);
	instants->fits = with.once + with.each <= plan->once + plan->each;
	if (instants->fits)
		*plan = with;
	return cudaSuccess;
}

/* Half of the room that one surrogate leaves, but no more than all blocks that run at once can use. */
uint64_t
RoomForSpill(const EpisodesJob *job, const BatchPlan *plan)
{
	uint64_t	room = RoomBeside(job, plan);

	room = room > plan->each ? (room - plan->each) / 2 : 0;
	return GpuBetween(LeastSpillBytes(&plan->trie), room,
					  GpuLesser(SPILL_BYTES, plan->trie.blocks * TrieBlockBytes(&plan->trie)));
}

/*
 * The number of surrogates in a batch, at least 1: as many as every device of the team has room for, but no
 * more than it takes to give each device a batch.
 */
static uint32_t
CopiesOf(const EpisodesJob *job, const BatchPlan *plan)
{
	uint64_t	copies = GpuLesser(plan->copies, GpuBlocks(job->spec->surrogates, job->team.ndevices));

	return (uint32_t) GpuBetween(1, RoomBeside(job, plan) / plan->each, copies);
}

/* ---- a device's part ---- */

/* What makes and counts batches on a device.  Arrays are on the device. */
typedef struct SurrogateMaker
{
	GpuDevice  *device;
	StreamMaker making;			/* has the stream of the batch at hand */

	/* counting in shared memory; blocks is 0 if that is not done */
	TrieRun		trie;

	/* counting level by level */
	DeviceList *lists;			/* [surrogates][slices][nodes] */
	Extension  *once;			/* [TestedLevels.n] */
	Extension  *extensions;		/* [TestedLevels.n][surrogates][slices] those of "once", for each slice */
	Pause	   *pauses;			/* [surrogates][slices][nodes] */
	Leg	   *legs;				/* [LEG_ROOM] */
	uint32_t	copies;			/* surrogates that "extensions" has been filled in for */

	uint32_t   *support;		/* [nodes] that surrogates are to reach */
	Counted    *counted;		/* [surrogates][slices][nodes]; in shared memory: [surrogates][nodes] */
	FimSurrogateCounts *counts; /* [nodes] of all batches so far */
	uint32_t	slices;			/* of a surrogate */
	uint32_t	first;			/* the batch at hand has the surrogates from "first" to end - 1 */
	uint32_t	end;
} SurrogateMaker;

static const char *const what = "counting on surrogates";

/* Whether slices are counted in shared memory. */
static inline bool
IsInShared(const SurrogateMaker *m)
{
	return m->trie.blocks > 0;
}

/*
 * Place the lists of a slice of the first surrogate, lists[nodes].  Lists of types lie in the stream.  Each
 * list that is made gets room for all events of its last type, from "room" on.  Returns the address behind
 * it.
 */
static uint32_t *
PlaceLists(const FimEpisodesSpec *spec, const TestedLevels *t, const uint32_t *start, uint32_t *instants,
		   uint32_t *room, DeviceList *lists)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(spec);

	for (uint32_t k = 0; k < spec->nnodes; k++)
	{
		uint32_t   *instant = instants + start[nodes[k].type];
		size_t		events = start[nodes[k].type + 1] - start[nodes[k].type];

		lists[k] = (DeviceList) {instant, instant, (uint32_t) events};
		if (!IsMade(nodes, t, k))
			continue;
		lists[k] = (DeviceList) {room, room + events, 0};
		room += 2 * events;
	}
	return room;
}

/* Take memory for the lists of all surrogates of a batch, and place the lists in it. */
static cudaError_t
TakeLists(EpisodesJob *job, SurrogateMaker *m, const TestedLevels *t, const WantedEvents *w, uint32_t copies)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	nnodes = job->spec->nnodes;
	size_t		n = (size_t) nnodes * w->slices;
	uint64_t	entries = 0;
	DeviceList *lists;
	DeviceList *once;
	uint32_t   *room;

	for (uint32_t k = 0; k < nnodes; k++)
		entries += IsMade(nodes, t, k) ? EventsOf(job, nodes[k].type) : 0;
	GPU_TRY(TakeMemory(m->device, LIST_ENTRY * copies * entries, &room));
	GPU_TRY(GpuHostTake(&job->team, sizeof(DeviceList) * n, (void **) &lists));
	for (uint32_t slice = 0; slice < w->slices; slice++)
	{
		room = PlaceLists(job->spec, t, w->start + (size_t) slice * job->data->ntypes, m->making.stream.back, room,
						  lists + (size_t) slice * nnodes);
		GPU_TRY(HostWork(job, 4 * (uint64_t) nnodes));
	}
	GPU_TRY(TakeCopy(job, m->device, lists, sizeof(DeviceList) * n, &once));
	GpuHostFree(&job->team, lists);
	GPU_TRY(TakeMemory(m->device, sizeof(DeviceList) * n * copies, &m->lists));
	return RepeatLists(m->device, once, (uint32_t) n, copies, w->events, 2 * entries, m->lists);
}

/*
 * Take what counting level by level needs beside the lists.  "parts" are the slices of all surrogates of a
 * batch.
 */
static cudaError_t
TakeExtensions(EpisodesJob *job, SurrogateMaker *m, const TestedLevels *t, size_t parts)
{
	size_t		nnodes = job->spec->nnodes;

	GPU_TRY(TakeCopy(job, m->device, t->extensions, sizeof(Extension) * t->n, &m->once));
	GPU_TRY(TakeMemory(m->device, sizeof(Extension) * t->n * parts, &m->extensions));
	GPU_TRY(TakeMemory(m->device, sizeof(Pause) * nnodes * parts, &m->pauses));
	return TakeMemory(m->device, sizeof(Leg) * LEG_ROOM, &m->legs);
}

/* Take memory for what is counted, of so many parts, and for the sums. */
static cudaError_t
TakeCounts(EpisodesJob *job, SurrogateMaker *m, size_t parts)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	size_t		nnodes = job->spec->nnodes;
	uint32_t   *support;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * nnodes, (void **) &support));
	for (size_t k = 0; k < nnodes; k++)
		support[k] = nodes[k].support;
	GPU_TRY(TakeCopy(job, m->device, support, sizeof(uint32_t) * nnodes, &m->support));
	GpuHostFree(&job->team, support);
	GPU_TRY(TakeMemory(m->device, sizeof(Counted) * nnodes * parts, &m->counted));
	GPU_TRY(TakeMemory(m->device, sizeof(FimSurrogateCounts) * nnodes, &m->counts));
	return GpuCheck(m->device, cudaMemsetAsync(m->counts, 0, sizeof(FimSurrogateCounts) * nnodes,
											   m->device->streams[GPU_COUNT]), what);
}

/* Take all that a device needs for batches of "copies" surrogates, with "spill" bytes for the spills. */
static cudaError_t
OpenMaker(EpisodesJob *job, SurrogateMaker *m, GpuDevice *device, const TestedLevels *t, const WantedEvents *w,
		  const InstantPlan *instants, const BatchPlan *plan, uint64_t spill, uint32_t copies)
{
	size_t		parts = (size_t) copies * w->slices;

	memset(m, 0, sizeof(*m));
	m->device = device;
	m->slices = w->slices;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(OpenStreamMaker(job, &m->making, device, w, instants, copies));
	if (plan->trie.fits)
	{
		GPU_TRY(OpenTrie(job, &plan->trie, device, spill, &m->trie));
		return TakeCounts(job, m, copies);
	}
	GPU_TRY(TakeLists(job, m, t, w, copies));
	GPU_TRY(TakeExtensions(job, m, t, parts));
	return TakeCounts(job, m, parts);
}

/* ---- batches ---- */

/* Begin a batch of so many surrogates, from "first" on. */
static cudaError_t
BeginBatch(EpisodesJob *job, SurrogateMaker *m, const TestedLevels *t, uint32_t first, uint32_t surrogates)
{
	m->first = first;
	m->end = first + surrogates;
	if (IsInShared(m) || m->copies == surrogates)
		return cudaSuccess;
	m->copies = surrogates;
	GPU_TRY(GpuUse(m->device, what));
	return RepeatExtensions(m->device, m->once, t->n, surrogates * m->slices, job->data->ntypes, job->spec->nnodes,
							m->extensions);
}

/* The run of the extensions from "first" to end - 1, on all slices of the batch. */
static ExtensionRun
RunOf(const SurrogateMaker *m, ExtensionMode mode, const TestedLevels *t, uint32_t first, uint32_t end)
{
	uint32_t	parts = m->copies * m->slices;

	return (ExtensionRun) {.device = m->device, .extensions = t->extensions + first, .n = end - first,
		.repeats = parts - 1, .sharing = m->slices,
		.extending = {.mode = mode, .stream = m->making.stream, .lists = m->lists,
			.extensions = m->extensions + (size_t) first * parts, .pauses = m->pauses,
			.counted = m->counted, .made = m->lists,
			.legs = mode == COUNT_EXTENSIONS ? m->legs : NULL}};
}

/*
 * Count the inner nodes of a level and make their lists, on n devices; at the last level, count all leaves
 * instead.
 */
static cudaError_t
DoLevel(EpisodesJob *job, SurrogateMaker *makers, int n, const TestedLevels *t, uint32_t level)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	for (int i = 0; i < n; i++)
		runs[i] = level < t->depth ?
			RunOf(&makers[i], COUNT_AND_WRITE_EXTENSIONS, t, t->made_end[level - 1], t->made_end[level]) :
			RunOf(&makers[i], COUNT_EXTENSIONS, t, t->made_end[level - 1], t->n);
	return RunExtensions(job, runs, n);
}

/* Count all levels of a batch on each of n devices. */
static cudaError_t
DoLevels(EpisodesJob *job, SurrogateMaker *makers, int n, const TestedLevels *t)
{
	for (int i = 0; i < n && t->made_end[1] > 0; i++)
	{
		GPU_TRY(GpuUse(makers[i].device, what));
		GPU_TRY(CountTypes(makers[i].device, &makers[i].making.stream, makers[i].extensions,
						   t->made_end[1] * makers[i].copies * makers[i].slices, makers[i].counted));
	}
	for (uint32_t level = 2; level <= t->depth; level++)
		GPU_TRY(DoLevel(job, makers, n, t, level));
	return cudaSuccess;
}

/* Ready to count the batch at hand in shared memory. */
static cudaError_t
BeginTrie(EpisodesJob *job, SurrogateMaker *m)
{
	uint32_t	surrogates = m->end - m->first;

	m->trie.parts = surrogates * m->slices;
	m->trie.trie.stream = m->making.stream;
	m->trie.trie.slices = m->slices;
	m->trie.trie.counted = m->counted;
	GPU_TRY(GpuUse(m->device, what));
	return GpuCheck(m->device, cudaMemsetAsync(m->counted, 0, sizeof(Counted) * surrogates * job->spec->nnodes,
											   m->device->streams[GPU_COUNT]), what);
}

/* As DoLevels(), in shared memory. */
static cudaError_t
DoTries(EpisodesJob *job, SurrogateMaker *makers, int n)
{
	TrieRun    *runs[FIM_GPU_MAX_DEVICES];

	for (int i = 0; i < n; i++)
	{
		GPU_TRY(BeginTrie(job, &makers[i]));
		runs[i] = &makers[i].trie;
	}
	return RunTries(job, runs, n);
}

/* Make and count a batch on each of n devices, and wait until that is done. */
static cudaError_t
DoBatches(EpisodesJob *job, SurrogateMaker *makers, int n, const TestedLevels *t)
{
	for (int i = 0; i < n; i++)
	{
		GPU_TRY(GpuUse(makers[i].device, what));
		GPU_TRY(MakeSurrogates(&makers[i].making, makers[i].first, makers[i].end));
	}
	GPU_TRY(IsInShared(&makers[0]) ? DoTries(job, makers, n) : DoLevels(job, makers, n, t));
	for (int i = 0; i < n; i++)
	{
		GPU_TRY(GpuUse(makers[i].device, what));
		GPU_TRY(AddCounts(makers[i].device, makers[i].counted, makers[i].end - makers[i].first,
						  IsInShared(&makers[i]) ? 1 : makers[i].slices, makers[i].support, job->spec->nnodes, makers[i].counts));
	}
	for (int i = 0; i < n; i++)
	{
		GPU_TRY(GpuWait(&job->team, makers[i].device, GPU_COUNT, what));
		for (uint32_t s = makers[i].first; s < makers[i].end; s++)
			FimUnitDone(job->team.shared);
	}
	return cudaSuccess;
}

/* Add what a device has counted to the summary. */
static cudaError_t
AddToSummary(EpisodesJob *job, const SurrogateMaker *m)
{
	FimSurrogateCounts *sum = (FimSurrogateCounts *) job->summary;
	size_t		bytes = sizeof(FimSurrogateCounts) * job->spec->nnodes;
	FimSurrogateCounts *counts;

	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &counts));
	GPU_TRY(GpuReceive(&job->team, m->device, counts, m->counts, bytes, "copying supports"));
	for (uint32_t k = 0; k < job->spec->nnodes; k++)
	{
		sum[k].sum += counts[k].sum;
		sum[k].reached += counts[k].reached;
	}
	return HostWork(job, job->spec->nnodes);
}

/* Do all surrogates, in batches of "copies". */
static cudaError_t
DoSurrogates(EpisodesJob *job, SurrogateMaker *makers, const TestedLevels *t, uint32_t copies)
{
	uint32_t	surrogates = job->spec->surrogates;

	for (uint32_t first = 0; first < surrogates;)
	{
		int			n;

		for (n = 0; n < job->team.ndevices && first < surrogates; n++)
		{
			uint32_t	here = (uint32_t) GpuLesser(copies, surrogates - first);

			GPU_TRY(BeginBatch(job, &makers[n], t, first, here));
			first += here;
		}
		GPU_TRY(DoBatches(job, makers, n, t));
	}
	return cudaSuccess;
}

cudaError_t
CountOnSurrogates(EpisodesJob *job)
{
	InstantPlan	instants = {0};
	BatchPlan	plan;
	uint64_t	spill = 0;
	uint32_t	copies;
	SurrogateMaker makers[FIM_GPU_MAX_DEVICES];
	TestedLevels levels;
	WantedEvents wanted;

	GPU_TRY(OpenTestedLevels(job, &levels));
	GPU_TRY(ChoosePlan(job, &levels, &instants, &plan));
	if (plan.trie.fits)
		spill = RoomForSpill(job, &plan);
	plan.once += spill;
	copies = CopiesOf(job, &plan);
	job->team.shared->total = job->spec->surrogates;
	job->team.shared->done = 0;
	GPU_TRY(FindWantedEvents(job, plan.slices, instants.fits ? instants.first : NULL, &wanted));
	/* if no type in the trie has events, no episode occurs, and all sums are 0 */
	if (levels.n == 0 || wanted.events == 0)
		return cudaSuccess;
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(OpenMaker(job, &makers[d], job->team.devices[d], &levels, &wanted, &instants, &plan, spill,
						  copies));
	GPU_TRY(DoSurrogates(job, makers, &levels, copies));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(AddToSummary(job, &makers[d]));
	job->team.candidates = (uint64_t) levels.n * job->spec->surrogates;
	return cudaSuccess;
}
