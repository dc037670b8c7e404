/*-------------------------------------------------------------------------
 *
 * surrogates.c
 *	  Counting given episodes on surrogates, see surrogates.h.
 *
 * A surrogate is made and counted on one device, and nothing of it comes to the host.  As
 * events keep their types and partitions, only times change: so all arrays have the
 * same sizes, and the lists of types the same addresses, for all surrogates.  Events of a
 * type that come to the same time stay two; one of them can be in no occurrence that
 * does not overlap with those of the other one.
 *
 * The episodes are a trie.  Level by level, its nodes with nodes below them get lists,
 * and those of tested episodes are counted.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/lists.h"
#include "episodes/stream_device.h"
#include "episodes/surrogates.h"
#include "episodes/surrogates_device.h"

/* So many surrogates are queued at a time, about. */
#define QUEUED			16

/* Scratch memory of sorting, and what small arrays are rounded up by. */
#define SPARE_BYTES		(UINT64_C(32) << 20)

/* The trie by levels, on the host. */
typedef struct TrieLevels
{
	uint32_t	depth;
	uint32_t   *level;			/* [nnodes] of each node, from 1 on */
	uint32_t   *list;			/* [nnodes] the number of its list, GPU_NONE if there is nothing below it */
	uint32_t	nlists;
	Extension  *counted;		/* [ntested] by levels; of level 1 only the types matter */
	Tested	   *tested;			/* [ntested] */
	uint32_t	ntested;
	Extension  *made;			/* [nlists] by levels, none of level 1 */
	uint32_t	nmade;
	uint32_t   *counted_end;	/* [depth + 1] those up to a level */
	uint32_t   *made_end;		/* [depth + 1] */
} TrieLevels;

/* On a device. */
typedef struct SurrogateMaker
{
	GpuDevice  *device;
	DeviceStream stream;		/* the surrogate at hand */
	Moving		moving;
	Moved		moved;
	BackSearch	search;
	TypeSort	sort;
	FimTime    *time;			/* [events] in the surrogate */
	DeviceList *lists;			/* [nlists] */
	Extension  *counted_extensions;
	Extension  *made_extensions;
	Tested	   *tested;
	Pause	   *pauses;
	Counted    *counted;
	FimSurrogateCounts *counts; /* [nnodes] */
} SurrogateMaker;

static const char *const what = "counting on surrogates";

/* ---- the trie ---- */

static inline const FimTrieNode *
NodesOf(const FimEpisodesJob *asked)
{
	return FIM_EPISODES_NODES(asked);
}

static inline bool
HasChildren(const FimTrieNode *nodes, uint32_t k)
{
	return nodes[k].end > k + 1;
}

uint64_t
SurrogatesMemory(const FimEpisodesJob *asked, const FimEpisodesData *data)
{
	const FimTrieNode *nodes = NodesOf(asked);
	uint64_t	events = data->events;
	uint64_t	bytes = SPARE_BYTES + (uint64_t) asked->nnodes * (sizeof(FimSurrogateCounts) + sizeof(Tested) +
																  sizeof(DeviceList) + sizeof(Pause) + sizeof(Counted) + 2 * sizeof(Extension));

	bytes += events * (2 * sizeof(FimTime) + 3 * sizeof(uint64_t) + (8 + (uint64_t) data->nedges) * sizeof(uint32_t));
	bytes += events / 4 + sizeof(uint32_t) * (uint64_t) (data->ntypes + data->partitions);
	for (uint32_t k = 0; k < asked->nnodes; k++)
		if (HasChildren(nodes, k))
			bytes += LIST_ENTRY * (uint64_t) FIM_EPISODES_COUNTS(data)[nodes[k].type];
	return bytes;
}

/* The levels of nodes, and which of them have lists; "open" has room for the nodes above one. */
static void
FindLevels(const FimTrieNode *nodes, uint32_t n, uint32_t *open, TrieLevels *t)
{
	uint32_t	depth = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		while (depth > 0 && nodes[open[depth - 1]].end <= k)
			depth--;
		open[depth++] = k;
		t->level[k] = depth;
		t->depth = depth > t->depth ? depth : t->depth;
		t->list[k] = HasChildren(nodes, k) ? t->nlists++ : GPU_NONE;
	}
}

/* The extensions of a level. */
static void
FillLevel(const FimTrieNode *nodes, uint32_t n, uint32_t level, uint32_t *open, TrieLevels *t)
{
	for (uint32_t k = 0; k < n; k++)
	{
		Extension	extension;

		open[t->level[k]] = k;
		if (t->level[k] != level)
			continue;
		extension = (Extension) {level > 1 ? t->list[open[level - 1]] : 0, nodes[k].type, nodes[k].gap, 0};
		if (nodes[k].support > 0)
		{
			extension.to = t->ntested;
			t->tested[t->ntested] = (Tested) {k, nodes[k].support};
			t->counted[t->ntested++] = extension;
		}
		extension.to = t->list[k];
		if (level > 1 && t->list[k] != GPU_NONE)
			t->made[t->nmade++] = extension;
	}
	t->counted_end[level] = t->ntested;
	t->made_end[level] = t->nmade;
}

static cudaError_t
OpenTrie(EpisodesJob *job, TrieLevels *t)
{
	const FimTrieNode *nodes = NodesOf(job->asked);
	size_t		n = job->asked->nnodes;
	uint32_t   *open;

	memset(t, 0, sizeof(*t));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * (n + 1), (void **) &open));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n, (void **) &t->level));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n, (void **) &t->list));
	GPU_TRY(GpuHostTake(&job->team, sizeof(Extension) * n, (void **) &t->counted));
	GPU_TRY(GpuHostTake(&job->team, sizeof(Extension) * n, (void **) &t->made));
	GPU_TRY(GpuHostTake(&job->team, sizeof(Tested) * n, (void **) &t->tested));
	FindLevels(nodes, (uint32_t) n, open, t);
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) t->depth + 1), (void **) &t->counted_end));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) t->depth + 1), (void **) &t->made_end));
	t->counted_end[0] = t->made_end[0] = 0;
	for (uint32_t level = 1; level <= t->depth; level++)
	{
		FillLevel(nodes, (uint32_t) n, level, open, t);
		GPU_TRY(HostWork(job, 4 * n));
	}
	GpuHostFree(&job->team, open);
	return cudaSuccess;
}

/* ---- a device's part ---- */

static cudaError_t
Take(SurrogateMaker *m, size_t bytes, void *to)
{
	return GpuAlloc(m->device, bytes > 0 ? bytes : 1, "allocating surrogates", (void **) to);
}

static cudaError_t
TakeAndSend(EpisodesJob *job, SurrogateMaker *m, const void *from, size_t bytes, void *to)
{
	GPU_TRY(Take(m, bytes, to));
	return GpuSend(&job->team, m->device, GPU_COUNT, *(void **) to, from, bytes, "copying events to the device");
}

/* The stream that was given. */
static cudaError_t
SendEvents(EpisodesJob *job, SurrogateMaker *m)
{
	const FimEpisodesData *data = job->data;
	size_t		n = data->events;

	m->stream.events = data->events;
	GPU_TRY(TakeAndSend(job, m, job->start, sizeof(uint32_t) * ((size_t) data->ntypes + 1), &m->stream.start));
	GPU_TRY(TakeAndSend(job, m, FIM_EPISODES_GAPS(data), sizeof(FimGapEdges) * (size_t) data->ngaps, &m->stream.gap));
	GPU_TRY(TakeAndSend(job, m, FIM_EPISODES_TIMES(data), sizeof(FimTime) * n, &m->moving.time));
	GPU_TRY(TakeAndSend(job, m, FIM_EPISODES_TYPES(data), sizeof(uint32_t) * n, &m->moved.type_of));
	GPU_TRY(TakeAndSend(job, m, FIM_EPISODES_PARTITIONS(data), sizeof(uint32_t) * ((size_t) data->partitions + 1),
						&m->search.partition));
	return TakeAndSend(job, m, FIM_EPISODES_EDGES(data), sizeof(uint64_t) * data->nedges, &m->search.edge);
}

static cudaError_t
TakeRoom(EpisodesJob *job, SurrogateMaker *m)
{
	const FimEpisodesData *data = job->data;
	size_t		n = data->events;
	size_t		order_bytes;

	GPU_TRY(Take(m, sizeof(uint32_t) * data->nedges * n, &m->stream.back));
	GPU_TRY(Take(m, sizeof(FimTime) * n, &m->time));
	GPU_TRY(Take(m, sizeof(uint64_t) * n, &m->moved.key_of));
	GPU_TRY(Take(m, sizeof(uint32_t) * n, &m->moving.event));
	for (int half = 0; half < 2; half++)
	{
		GPU_TRY(Take(m, sizeof(uint64_t) * n, &m->moved.key[half]));
		GPU_TRY(Take(m, sizeof(uint32_t) * n, &m->moved.event[half]));
		GPU_TRY(Take(m, sizeof(uint32_t) * n, &m->sort.type[half]));
		if (data->partitions > 1)
			GPU_TRY(Take(m, sizeof(uint32_t) * n, &m->moved.partition[half]));
	}
	if (data->partitions > 1)
		GPU_TRY(Take(m, sizeof(uint32_t) * n, &m->moved.partition_of));
	GPU_TRY(GpuCheck(m->device, OrderScratch(data->events, &order_bytes), what));
	GPU_TRY(GpuCheck(m->device, TypeSortScratch(data->events, data->ntypes, &m->moved.scratch_bytes), what));
	m->moved.scratch_bytes = GpuGreater(m->moved.scratch_bytes, order_bytes);
	GPU_TRY(Take(m, m->moved.scratch_bytes, &m->moved.scratch));
	return Take(m, sizeof(FimSurrogateCounts) * job->asked->nnodes, &m->counts);
}

/* The lists: those of types lie in the stream, for the others there is room for all events of their types. */
static cudaError_t
TakeLists(EpisodesJob *job, SurrogateMaker *m, const TrieLevels *t)
{
	const FimTrieNode *nodes = NodesOf(job->asked);
	uint64_t	entries = 0;
	uint32_t   *at;
	DeviceList *lists;

	for (uint32_t i = 0; i < t->nmade; i++)
		entries += EventsOf(job, t->made[i].type);
	GPU_TRY(Take(m, LIST_ENTRY * entries, &at));
	GPU_TRY(GpuHostTake(&job->team, sizeof(DeviceList) * t->nlists, (void **) &lists));
	for (uint32_t k = 0; k < job->asked->nnodes; k++)
	{
		DeviceList *list = lists + t->list[k];
		size_t		events = EventsOf(job, nodes[k].type);

		if (t->list[k] == GPU_NONE)
			continue;
		*list = ListOfType(job, &m->stream, nodes[k].type);
		if (t->level[k] == 1)
			continue;
		*list = (DeviceList) {at, at + events, 0};
		at += 2 * events;
	}
	GPU_TRY(TakeAndSend(job, m, lists, sizeof(DeviceList) * t->nlists, &m->lists));
	GpuHostFree(&job->team, lists);
	GPU_TRY(TakeAndSend(job, m, t->counted, sizeof(Extension) * t->ntested, &m->counted_extensions));
	GPU_TRY(TakeAndSend(job, m, t->made, sizeof(Extension) * t->nmade, &m->made_extensions));
	GPU_TRY(TakeAndSend(job, m, t->tested, sizeof(Tested) * t->ntested, &m->tested));
	GPU_TRY(Take(m, sizeof(Pause) * GpuGreater(t->ntested, t->nlists), &m->pauses));
	return Take(m, sizeof(Counted) * t->ntested, &m->counted);
}

/* The parts of the work on a surrogate, and the places of the events in the stream that was given. */
static cudaError_t
Describe(EpisodesJob *job, SurrogateMaker *m)
{
	const FimEpisodesData *data = job->data;
	cudaStream_t stream = m->device->streams[GPU_COUNT];
	uint32_t   *by_place;

	m->sort.event[0] = m->moved.event[0];
	m->sort.event[1] = m->moved.event[1];
	m->sort.scratch = m->moved.scratch;
	m->sort.scratch_bytes = m->moved.scratch_bytes;
	m->sort.events = data->events;
	m->sort.ntypes = data->ntypes;
	m->moving.start = m->stream.start;
	m->moving.events = data->events;
	m->moving.ntypes = data->ntypes;
	m->moving.real = m->search.real = data->real != 0;
	m->moving.dither = job->asked->dither;
	m->moving.seed = job->asked->seed;
	m->search.time = m->time;
	m->search.back = m->stream.back;
	m->search.partitions = data->partitions;
	m->search.events = data->events;
	m->search.nedges = data->nedges;
	GPU_TRY(GpuCheck(m->device, cudaMemsetAsync(m->counts, 0, sizeof(FimSurrogateCounts) * job->asked->nnodes, stream),
					 what));
	GPU_TRY(GpuCheck(m->device, cudaMemcpyAsync(m->sort.type[0], m->moved.type_of, sizeof(uint32_t) * (size_t) data->events,
												cudaMemcpyDeviceToDevice, stream), what));
	GPU_TRY(SortByType(m->device, &m->sort, &by_place));
	GPU_TRY(GpuCheck(m->device, cudaMemcpyAsync((void *) m->moving.event, by_place, sizeof(uint32_t) * (size_t) data->events,
												cudaMemcpyDeviceToDevice, stream), what));
	if (m->moved.partition_of == NULL)
		return cudaSuccess;
	return FillPartitions(m->device, m->search.partition, data->partitions, data->events,
						  (uint32_t *) m->moved.partition_of);
}

static cudaError_t
OpenMaker(EpisodesJob *job, SurrogateMaker *m, GpuDevice *device, const TrieLevels *t)
{
	memset(m, 0, sizeof(*m));
	m->device = device;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(SendEvents(job, m));
	GPU_TRY(TakeRoom(job, m));
	GPU_TRY(TakeLists(job, m, t));
	return Describe(job, m);
}

/* ---- surrogates ---- */

static cudaError_t
MakeSurrogate(EpisodesJob *job, SurrogateMaker *m, uint32_t surrogate)
{
	uint32_t	n = job->data->events;
	const uint32_t *event;
	uint32_t   *by_place;
	GpuTimer   *timer;

	GPU_TRY(GpuUse(m->device, what));
	GPU_TRY(GpuBegin(m->device, GPU_COUNT, FIM_GPU_BUILD, n, &timer));
	GPU_TRY(MoveEvents(m->device, &m->moving, surrogate, &m->moved));
	GPU_TRY(OrderEvents(m->device, &m->moved, n, &event));
	GPU_TRY(GatherTimes(m->device, m->moving.real, m->moved.key_of, event, n, m->time));
	GPU_TRY(Gather(m->device, m->moved.type_of, event, n, m->sort.type[0]));
	GPU_TRY(SortByType(m->device, &m->sort, &by_place));
	m->search.event = by_place;
	GPU_TRY(FindBack(m->device, &m->search, 0, n));
	return GpuEnd(m->device, GPU_COUNT, timer);
}

static ExtensionRun
RunOf(const SurrogateMaker *m, ExtensionMode mode, const Extension *host, const Extension *extensions, uint32_t first,
	  uint32_t end)
{
	return (ExtensionRun) {.device = m->device, .extensions = host + first, .n = end - first,
		.extending = {.mode = mode, .stream = m->stream, .lists = m->lists, .extensions = extensions + first,
			.pauses = m->pauses, .counted = m->counted, .made = m->lists}};
}

/* Count the tested episodes of a level, and make the lists of those that go on, on some devices. */
static cudaError_t
DoLevel(EpisodesJob *job, SurrogateMaker *makers, int n, const TrieLevels *t, uint32_t level)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	for (int i = 0; i < n; i++)
		runs[i] = RunOf(&makers[i], COUNT_EXTENSIONS, t->counted, makers[i].counted_extensions,
						t->counted_end[level - 1], t->counted_end[level]);
	GPU_TRY(RunExtensions(job, runs, n));
	for (int i = 0; i < n; i++)
		runs[i] = RunOf(&makers[i], WRITE_EXTENSIONS, t->made, makers[i].made_extensions, t->made_end[level - 1],
						t->made_end[level]);
	return RunExtensions(job, runs, n);
}

/* Surrogates from "first" on, one on each of n devices. */
static cudaError_t
DoSurrogates(EpisodesJob *job, SurrogateMaker *makers, int n, const TrieLevels *t, uint32_t first)
{
	for (int i = 0; i < n; i++)
	{
		GPU_TRY(MakeSurrogate(job, &makers[i], first + (uint32_t) i));
		if (t->depth > 0 && t->counted_end[1] > 0)
			GPU_TRY(CountTypes(makers[i].device, &makers[i].stream, makers[i].counted_extensions, t->counted_end[1],
							   makers[i].counted));
	}
	for (uint32_t level = 2; level <= t->depth; level++)
		GPU_TRY(DoLevel(job, makers, n, t, level));
	for (int i = 0; i < n; i++)
	{
		GPU_TRY(GpuUse(makers[i].device, what));
		if (t->ntested > 0)
			GPU_TRY(AddCounts(makers[i].device, makers[i].counted, makers[i].tested, t->ntested, makers[i].counts));
		if (first / (uint32_t) n % QUEUED == 0)
			GPU_TRY(GpuWait(&job->team, makers[i].device, GPU_COUNT, what));
		FimUnitDone(job->team.shared);
	}
	return cudaSuccess;
}

/* Add what a device has counted to the summary. */
static cudaError_t
TakeCounts(EpisodesJob *job, const SurrogateMaker *m)
{
	FimSurrogateCounts *sum = (FimSurrogateCounts *) job->summary;
	size_t		bytes = sizeof(FimSurrogateCounts) * job->asked->nnodes;
	FimSurrogateCounts *counts;

	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &counts));
	GPU_TRY(GpuReceive(&job->team, m->device, GPU_COUNT, counts, m->counts, bytes, "copying supports"));
	for (uint32_t k = 0; k < job->asked->nnodes; k++)
	{
		sum[k].sum += counts[k].sum;
		sum[k].reached += counts[k].reached;
	}
	return HostWork(job, job->asked->nnodes);
}

cudaError_t
CountOnSurrogates(EpisodesJob *job)
{
	uint32_t	surrogates = job->asked->surrogates;
	SurrogateMaker makers[FIM_GPU_MAX_DEVICES];
	TrieLevels	trie;

	job->team.shared->units = surrogates;
	job->team.shared->units_done = 0;
	GPU_TRY(OpenTrie(job, &trie));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(OpenMaker(job, &makers[d], job->team.devices[d], &trie));
	for (uint32_t first = 0; first < surrogates; first += (uint32_t) job->team.ndevices)
		GPU_TRY(DoSurrogates(job, makers, (int) GpuLesser(job->team.ndevices, surrogates - first), &trie, first));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(TakeCounts(job, &makers[d]));
	job->team.candidates = (uint64_t) trie.ntested * surrogates;
	return cudaSuccess;
}
