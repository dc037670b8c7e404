/*-------------------------------------------------------------------------
 *
 * prefix.c
 *	  Strategy "prefix" on devices, see sets_device.h.
 *
 * A unit is some sets, by rank, with their look-ups.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/sets/measure.h"
#include "sets/sets.h"
#include "sets/sets_device.h"
#include "team.h"

/*
 * A unit has at most so many look-ups, or those of one set if it has more.  Where a device has little memory,
 * they are as many as half of its room is enough for, but no fewer than LEAST_LOOK_UPS.
 */
#define LOOK_UPS		(UINT32_C(1) << 21)
#define LEAST_LOOK_UPS	(UINT32_C(1) << 16)
#define LOOK_UPS_PART	2

/* The bytes of a look-up on a device, see LookUps. */
#define LOOK_UP_BYTES	(2 * sizeof(uint64_t) + sizeof(uint32_t))

/* Meetings of a job's first launch. */
#define FIRST_MEETINGS	1e6

/* Numbers that depend on the sizes of sets, by rank, as in PrefixIndex; host memory. */
typedef struct Bounds
{
	uint64_t   *entry_start;
	uint64_t   *look_up_start;
	uint32_t   *end;
	uint32_t	most_look_ups;	/* of a set */
} Bounds;

typedef struct Prefix
{
	Bounds		bounds;
	uint32_t	per_row;		/* strips of a row */
	uint32_t	most_look_ups;	/* of a unit */
	uint32_t	nunits;
	uint32_t   *unit;			/* [nunits + 1] the rank that each unit begins with; host memory */

	/* for each device; addresses are of its memory */
	Meetings	meetings[FIM_GPU_MAX_DEVICES]; /* the unit that it has */
	uint64_t	met[FIM_GPU_MAX_DEVICES]; /* number of meetings of that unit */
	void	   *scratch[FIM_GPU_MAX_DEVICES]; /* for ScanMeetings() */
	size_t		scratch_bytes[FIM_GPU_MAX_DEVICES];
	uint32_t   *next[FIM_GPU_MAX_DEVICES]; /* [STRIPS_AT_ONCE] see PutMeetings() */
} Prefix;

static const char *const what = "comparing sets";

/* ---- bounds of sets ---- */

static cudaError_t
FindBounds(SetsJob *job, Bounds *bounds)
{
	const FimSetsData *data = job->data;
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	uint64_t	n = data->left.nvalues;
	uint32_t	size = 0;
	uint32_t	entries = 0;
	uint32_t	look_ups = 0;
	uint32_t	end = 0;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint64_t) * (n + 1), (void **) &bounds->entry_start));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint64_t) * (n + 1), (void **) &bounds->look_up_start));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n, (void **) &bounds->end));
	bounds->entry_start[0] = bounds->look_up_start[0] = 0;
	bounds->most_look_ups = 0;
	for (uint32_t r = 0; r < n; r++)
	{
		if (FimSetsLength(data, &data->left, r) != size)
		{
			size = FimSetsLength(data, &data->left, r);
			entries = PrefixOfIndex(job->spec, size);
			look_ups = PrefixOfProbe(job->spec, size);
			end = RanksOfSize(start, data->left.nvalues, LeastPartner(job->spec, size));
			bounds->most_look_ups = (uint32_t) GpuGreater(bounds->most_look_ups, look_ups);
		}
		bounds->entry_start[r + 1] = bounds->entry_start[r] + entries;
		bounds->look_up_start[r + 1] = bounds->look_up_start[r] + look_ups;
		bounds->end[r] = end;
		GPU_TRY(HostWork(job, 4));
	}
	return cudaSuccess;
}

static void
CloseBounds(SetsJob *job, const Bounds *bounds)
{
	GpuHostFree(&job->team, bounds->entry_start);
	GpuHostFree(&job->team, bounds->look_up_start);
	GpuHostFree(&job->team, bounds->end);
}

/* ---- memory ---- */

/* The bytes that units take beside their look-ups. */
static uint64_t
LookUpsBeside(void)
{
	return sizeof(uint32_t) * STRIPS_AT_ONCE + ScratchOf(LOOK_UPS);
}

/*
 * An upper bound, since the index has no more entries than the relation has pairs.  Beside it, sorting takes a
 * key, a rank and a sorted key for each entry, and CUB's copies of the first two.
 */
uint64_t
PrefixLeast(const FimSetsSpec *spec, const FimSetsData *data)
{
	uint64_t	entries = data->left.npairs;
	uint64_t	look_ups = GpuGreater(LEAST_LOOK_UPS, data->left.longest);

	return (2 * sizeof(uint64_t) + sizeof(uint32_t)) * ((uint64_t) data->left.nvalues + 1) +
		sizeof(uint64_t) * ((uint64_t) data->nkeys + 1) + sizeof(uint32_t) * entries +
		GpuGreater(5 * sizeof(uint32_t) * entries + ScratchOf(entries),
				   LOOK_UP_BYTES * (look_ups + 1) + LookUpsBeside());
}

/* Memory of a device for sorting the entries of its index by key. */
typedef struct IndexSort
{
	KeySort		sort;
	uint32_t   *key;
	uint32_t   *rank;
} IndexSort;

static cudaError_t
OpenSort(GpuDevice *device, uint64_t entries, uint32_t nkeys, IndexSort *s)
{
	size_t		bytes = sizeof(uint32_t) * entries;

	s->sort.npairs = entries;
	s->sort.nkeys = nkeys;
	GPU_TRY(GpuCheck(device, KeySortScratch(entries, nkeys, &s->sort.scratch_bytes), "sorting rare keys"));
	GPU_TRY(GpuAlloc(device, s->sort.scratch_bytes, "allocating for sorting rare keys", &s->sort.scratch));
	GPU_TRY(GpuAlloc(device, bytes, "allocating for sorting rare keys", (void **) &s->key));
	GPU_TRY(GpuAlloc(device, bytes, "allocating for sorting rare keys", (void **) &s->rank));
	GPU_TRY(GpuAlloc(device, bytes, "allocating for sorting rare keys", (void **) &s->sort.sorted_key));
	s->sort.key = s->key;
	s->sort.rank = s->rank;
	return cudaSuccess;
}

static cudaError_t
CloseSort(GpuDevice *device, const IndexSort *s)
{
	GPU_TRY(GpuFree(device, s->sort.scratch));
	GPU_TRY(GpuFree(device, s->key));
	GPU_TRY(GpuFree(device, s->rank));
	return GpuFree(device, s->sort.sorted_key);
}

static cudaError_t
AllocIndex(SetsJob *job, GpuDevice *device, uint64_t entries, PrefixIndex *index)
{
	const char *allocating = "allocating an index of rare keys";
	uint64_t	n = job->data->left.nvalues;

	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * (n + 1), allocating, (void **) &index->entry_start));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * (n + 1), allocating, (void **) &index->look_up_start));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * n, allocating, (void **) &index->end));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * ((uint64_t) job->data->nkeys + 1), allocating,
					 (void **) &index->key_start));
	return GpuAlloc(device, sizeof(uint32_t) * entries, allocating, (void **) &index->rank);
}

static cudaError_t
SendBounds(SetsJob *job, const Bounds *bounds, const PrefixIndex *const *index)
{
	const char *sending = "sending bounds of sets";
	uint64_t	n = job->data->left.nvalues;
	void	   *entry_starts[FIM_GPU_MAX_DEVICES];
	void	   *look_up_starts[FIM_GPU_MAX_DEVICES];
	void	   *ends[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		entry_starts[d] = index[d]->entry_start;
		look_up_starts[d] = index[d]->look_up_start;
		ends[d] = index[d]->end;
	}
	GPU_TRY(GpuSendAll(&job->team, GPU_COUNT, entry_starts, bounds->entry_start, sizeof(uint64_t) * (n + 1), sending));
	GPU_TRY(GpuSendAll(&job->team, GPU_COUNT, look_up_starts, bounds->look_up_start, sizeof(uint64_t) * (n + 1),
					   sending));
	return GpuSendAll(&job->team, GPU_COUNT, ends, bounds->end, sizeof(uint32_t) * n, sending);
}

/*
 * Begins to make the index on a device.  Entries come in the order of ranks and the sort is stable,
 * so the sets of each key are ascending after it.
 */
static cudaError_t
MakeIndex(SetsDevice *on, const PrefixIndex *index, uint64_t entries, IndexSort *s)
{
	GpuDevice  *device = on->device;
	uint32_t	nkeys = on->relations.nkeys;
	GpuTimer   *timer;

	GPU_TRY(GpuUse(device, "sorting rare keys"));
	GPU_TRY(OpenSort(device, entries, nkeys, s));
	s->sort.sorted_rank = index->rank;
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, 8.0 * sizeof(uint32_t) * (double) entries, &timer));
	GPU_TRY(ListEntries(device, &on->relations.left, index, s->key, s->rank));
	GPU_TRY(SortByKey(device, &s->sort));
	GPU_TRY(FindKeyStarts(device, s->sort.sorted_key, entries, nkeys, index->key_start));
	return GpuEnd(device, GPU_COUNT, timer);
}

static cudaError_t
OpenIndex(SetsJob *job, Prefix *prefix)
{
	uint64_t	entries = prefix->bounds.entry_start[job->data->left.nvalues];
	const PrefixIndex *index[FIM_GPU_MAX_DEVICES];
	IndexSort	sorts[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->on[d].device, "allocating an index of rare keys"));
		GPU_TRY(AllocIndex(job, job->on[d].device, entries, &prefix->meetings[d].index));
		index[d] = &prefix->meetings[d].index;
	}
	GPU_TRY(SendBounds(job, &prefix->bounds, index));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(MakeIndex(&job->on[d], index[d], entries, &sorts[d]));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuWait(&job->team, job->on[d].device, GPU_COUNT, "sorting rare keys"));
		GPU_TRY(CloseSort(job->on[d].device, &sorts[d]));
	}
	return cudaSuccess;
}

static void
ChooseLookUps(const SetsJob *job, Prefix *prefix)
{
	uint64_t	room = GpuLeastRoom(&job->team);

	room = room > LookUpsBeside() ? room - LookUpsBeside() : 0;
	prefix->most_look_ups = (uint32_t) GpuBetween(GpuGreater(LEAST_LOOK_UPS, prefix->bounds.most_look_ups),
												  room / LOOK_UPS_PART / LOOK_UP_BYTES, LOOK_UPS);
}

static cudaError_t
OpenLookUps(SetsJob *job, Prefix *prefix, int d)
{
	const char *allocating = "allocating look-ups of rare keys";
	GpuDevice  *device = job->on[d].device;
	uint32_t	most = prefix->most_look_ups;
	LookUps    *l = &prefix->meetings[d].look_ups;

	prefix->meetings[d].relations = job->on[d].relations;
	prefix->meetings[d].per_row = prefix->per_row;
	GPU_TRY(GpuUse(device, allocating));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * most, allocating, (void **) &l->rank));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * most, allocating, (void **) &l->entry));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * ((size_t) most + 1), allocating, (void **) &l->meeting));
	GPU_TRY(GpuCheck(device, MeetingScanScratch(most, &prefix->scratch_bytes[d]), allocating));
	GPU_TRY(GpuAlloc(device, prefix->scratch_bytes[d], allocating, &prefix->scratch[d]));
	if (job->listed)
		GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * STRIPS_AT_ONCE, allocating, (void **) &prefix->next[d]));
	return cudaSuccess;
}

/* ---- units ---- */

/* Cuts the sets into units, none of which has more look-ups or strips than there is room for. */
static cudaError_t
CutUnits(SetsJob *job, Prefix *prefix)
{
	const uint64_t *start = prefix->bounds.look_up_start;
	uint64_t	most = prefix->most_look_ups;
	uint32_t	most_rows = STRIPS_AT_ONCE / prefix->per_row;
	uint64_t	room = 0;
	uint32_t	n = job->data->left.nvalues;

	for (uint32_t r = 0; r <= n; r++)
	{
		uint32_t	begun = prefix->nunits > 0 ? prefix->unit[prefix->nunits - 1] : 0;

		GPU_TRY(HostWork(job, 2));
		if (r > 0 && r < n && r - begun < most_rows && start[r + 1] - start[begun] <= most)
			continue;
		GPU_TRY(GpuHostRoom(&job->team, (void **) &prefix->unit, prefix->nunits, (uint64_t) prefix->nunits + 1, &room,
							sizeof(uint32_t)));
		prefix->unit[prefix->nunits++] = r;
	}
	prefix->nunits--;
	return cudaSuccess;
}

/* Brings home the number of the first meeting of a rank of the device's unit. */
static cudaError_t
FirstMeeting(SetsJob *job, SetsDevice *on, const Prefix *prefix, uint32_t rank, uint64_t *meeting)
{
	const LookUps *l = &prefix->meetings[on - job->on].look_ups;

	return GpuReceive(&job->team, on->device, meeting,
					  &l->meeting[prefix->bounds.look_up_start[rank] - l->first], sizeof(*meeting), what);
}

/* Has a device find the look-ups of a unit, and number their meetings. */
static cudaError_t
PrepareUnit(SetsJob *job, SetsDevice *on, Prefix *prefix, uint32_t unit)
{
	int			d = (int) (on - job->on);
	LookUps    *l = &prefix->meetings[d].look_ups;
	const uint64_t *start = prefix->bounds.look_up_start;
	GpuTimer   *timer;

	l->from = prefix->unit[unit];
	l->to = prefix->unit[unit + 1];
	l->first = start[l->from];
	l->n = (uint32_t) (start[l->to] - l->first);
	GPU_TRY(GpuThrottle(&job->team, on->device, what));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, 2.0 * sizeof(uint64_t) * l->n, &timer));
	GPU_TRY(FindLookUps(on->device, &prefix->meetings[d]));
	GPU_TRY(ScanMeetings(on->device, prefix->scratch[d], prefix->scratch_bytes[d], l->meeting, l->n));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/*
 * Begins a launch of some milliseconds: of the meetings from .. end - 1, it is to do those from .. *to
 * - 1.
 */
static cudaError_t
BeginLaunch(SetsJob *job, SetsDevice *on, uint64_t from, uint64_t end, uint64_t *to, GpuTimer **timer)
{
	uint64_t	most = (uint64_t) GpuLaunchAmount(on->device, FIRST_MEETINGS / 16, FIRST_MEETINGS);

	*to = GpuLesser(end, from + most);
	GPU_TRY(GpuThrottle(&job->team, on->device, what));
	return GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, (double) (*to - from), timer);
}

static cudaError_t
CountUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts, Strips *strips)
{
	Prefix	   *prefix = (Prefix *) of;
	int			d = (int) (on - job->on);
	const Meetings *m = &prefix->meetings[d];

	GPU_TRY(PrepareUnit(job, on, prefix, unit));
	strips->n = (m->look_ups.to - m->look_ups.from) * prefix->per_row;
	strips->per_row = prefix->per_row;
	strips->first = m->look_ups.from;
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(counts->cells, 0, sizeof(uint32_t) * strips->n,
												 on->device->streams[GPU_COUNT]), what));
	GPU_TRY(FirstMeeting(job, on, prefix, m->look_ups.to, &prefix->met[d]));
	__atomic_fetch_add(&job->team.shared->nodes, prefix->met[d], __ATOMIC_RELAXED);
	for (uint64_t from = 0, to; from < prefix->met[d]; from = to)
	{
		GpuTimer   *timer;

		GPU_TRY(BeginLaunch(job, on, from, prefix->met[d], &to, &timer));
		GPU_TRY(CountMeetings(on->device, m, from, to, counts));
		GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

static cudaError_t
FillUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips, uint32_t first, uint32_t end,
		 const CellTarget *target)
{
	const Prefix *prefix = (const Prefix *) of;
	int			d = (int) (on - job->on);
	const Meetings *m = &prefix->meetings[d];
	uint64_t	from;
	uint64_t	last;

	GPU_TRY(FirstMeeting(job, on, prefix, strips->first + first / strips->per_row, &from));
	GPU_TRY(FirstMeeting(job, on, prefix, strips->first + (end - 1) / strips->per_row + 1, &last));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(prefix->next[d], 0, sizeof(uint32_t) * strips->n,
												 on->device->streams[GPU_COUNT]), what));
	for (uint64_t to; from < last; from = to)
	{
		GpuTimer   *timer;

		GPU_TRY(BeginLaunch(job, on, from, last, &to, &timer));
		GPU_TRY(PutMeetings(on->device, m, from, to, first, end, target, prefix->next[d]));
		GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* ---- all ---- */

static cudaError_t
Find(SetsJob *job, Prefix *prefix)
{
	Finder		finder = {FIM_SETS_PREFIX, 0, CountUnit, FillUnit};

	prefix->per_row = GpuBlocks(job->data->left.nvalues, STRIP_CELLS);
	GPU_TRY(FindBounds(job, &prefix->bounds));
	/* if no sets can reach the threshold, the index is empty and there is no result */
	if (prefix->bounds.entry_start[job->data->left.nvalues] == 0)
		return cudaSuccess;
	GPU_TRY(OpenIndex(job, prefix));
	ChooseLookUps(job, prefix);
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(OpenLookUps(job, prefix, d));
	GPU_TRY(CutUnits(job, prefix));
	finder.units = prefix->nunits;
	GPU_TRY(FindCells(job, &finder, prefix));
	GpuHostFree(&job->team, prefix->unit);
	CloseBounds(job, &prefix->bounds);
	return cudaSuccess;
}

cudaError_t
PrefixMine(SetsJob *job)
{
	Prefix	   *prefix;

	GPU_TRY(GpuHostTake(&job->team, sizeof(Prefix), (void **) &prefix));
	memset(prefix, 0, sizeof(*prefix));
	GPU_TRY(Find(job, prefix));
	GpuHostFree(&job->team, prefix);
	return cudaSuccess;
}
