/*-------------------------------------------------------------------------
 *
 * surrogate_plan.c
 *	  How surrogates are cut into batches and slices, see surrogate_plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/surrogate_plan.h"
#include "episodes/surrogate_stream.h"

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
SlicesOf(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t wanted, uint64_t copies)
{
	uint64_t	slices = BUSY_NODES / (copies * GpuGreater(asked->nnodes, 1));

	slices = GpuLesser(slices, GpuLesser(data->partitions, GpuGreater(wanted, 64) / data->ntypes));
	return (uint32_t) GpuGreater(slices, 1);
}

/*
 * Upper bounds of the events that are moved, and of the entries of all lists that are made, for each
 * surrogate.
 */
static void
FindAmounts(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t *wanted, uint64_t *entries)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(asked);

	*wanted = *entries = 0;
	for (uint32_t k = 0; k < asked->nnodes; k++)
	{
		uint32_t	events = FIM_EPISODES_COUNTS(data)[nodes[k].type];

		*wanted += events;
		*entries += HasChildren(nodes, k) ? events : 0;
	}
	*wanted = GpuLesser(*wanted, data->events);
}

/* The plan for counting level by level; moments: NULL if times do not serve as moments. */
static BatchPlan
PlanBatches(const FimEpisodesJob *asked, const FimEpisodesData *data, const MomentPlan *moments)
{
	bool		by_moments = moments != NULL;
	uint64_t	nnodes = GpuGreater(asked->nnodes, 1);
	uint64_t	wanted;
	uint64_t	entries;
	uint64_t	classes;
	BatchPlan	plan = {0};

	FindAmounts(asked, data, &wanted, &entries);
	plan.copies = GpuLesser(BATCH_EVENTS / (wanted + data->ntypes + data->partitions), BATCH_NODES / nnodes);
	plan.copies = GpuGreater(GpuLesser(plan.copies, asked->surrogates), 1);
	plan.slices = by_moments ? moments->slices : SlicesOf(asked, data, wanted, plan.copies);
	classes = (uint64_t) plan.slices * data->ntypes;
	plan.once = SPARE_BYTES + sizeof(Chunk) * (uint64_t) CHUNK_ROOM + StreamMakerBytes(data, wanted, classes, by_moments) +
		nnodes * (sizeof(FimSurrogateCounts) + sizeof(Extension) + plan.slices * sizeof(DeviceList) + sizeof(uint32_t));
	plan.each = SurrogateBytes(data, wanted, classes, by_moments) + LIST_ENTRY * entries +
		plan.slices * nnodes * (sizeof(Extension) + sizeof(DeviceList) + sizeof(Pause) + sizeof(Counted));
	plan.copies = GpuGreater(GpuLesser(plan.copies, BATCH_BYTES / plan.each), 1);
	return plan;
}

/*
 * Room for batches that are counted level by level is more than counting in shared memory takes: each list
 * has room for all events of its type, in all surrogates of a batch.
 */
void
SurrogatesMemory(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t *wanted, uint64_t *least)
{
	BatchPlan	plan = PlanBatches(asked, data, NULL);

	*wanted = plan.once + plan.copies * plan.each;
	*least = plan.once + plan.each;
}

/* The plan for counting in shared memory, without the spills. */
static BatchPlan
PlanTrieBatches(const FimEpisodesJob *asked, const FimEpisodesData *data, const MomentPlan *moments, const TriePlan *trie)
{
	uint64_t	nnodes = asked->nnodes;
	uint64_t	classes = (uint64_t) moments->slices * data->ntypes;
	uint64_t	wanted;
	uint64_t	entries;
	BatchPlan	plan = {.slices = moments->slices, .trie = *trie};

	FindAmounts(asked, data, &wanted, &entries);
	plan.once = SPARE_BYTES + StreamMakerBytes(data, wanted, classes, true) + TrieBytes(trie) +
		nnodes * (sizeof(FimSurrogateCounts) + sizeof(uint32_t));
	plan.each = SurrogateBytes(data, wanted, classes, true) + sizeof(Counted) * nnodes;
	plan.copies = GpuLesser(BATCH_EVENTS / (wanted + classes), BATCH_NODES / nnodes);
	plan.copies = GpuLesser(plan.copies, asked->surrogates);
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
 * quicker.  *moments is zeroed before; it may have memory afterwards even if the plan stays as it was.
 */
static cudaError_t
TryTrie(EpisodesJob *job, const TestedLevels *t, MomentPlan *moments, BatchPlan *plan)
{
	TriePlan	trie;
	BatchPlan	with;

	GPU_TRY(PlanTrie(job, t, &trie));
	if (trie.fits)
		GPU_TRY(PlanMoments(job, trie.slices, trie.most_events, moments));
	if (moments->fits)
		GPU_TRY(FitTrie(job, t, moments, &trie));
	if (moments->fits && trie.fits)
	{
		with = PlanTrieBatches(job->asked, job->data, moments, &trie);
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
 * Admission went by the plan without moments, so there may be no room for another one, which can have more
 * slices.
 */
cudaError_t
ChoosePlan(EpisodesJob *job, const TestedLevels *t, MomentPlan *moments, BatchPlan *plan)
{
	BatchPlan	with;

	*plan = PlanBatches(job->asked, job->data, NULL);
	GPU_TRY(TryTrie(job, t, moments, plan));
	if (plan->trie.fits)
		return cudaSuccess;
	FreeMomentPlan(job, moments);
	GPU_TRY(PlanMoments(job, plan->slices, UINT32_MAX, moments));
	if (!moments->fits)
		return cudaSuccess;
	with = PlanBatches(job->asked, job->data, moments);
	moments->fits = with.once + with.each <= plan->once + plan->each;
	if (moments->fits)
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

uint32_t
CopiesOf(const EpisodesJob *job, const BatchPlan *plan)
{
	uint64_t	copies = GpuLesser(plan->copies, GpuBlocks(job->asked->surrogates, job->team.ndevices));

	return (uint32_t) GpuBetween(1, RoomBeside(job, plan) / plan->each, copies);
}
