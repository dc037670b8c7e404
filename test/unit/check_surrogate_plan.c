/*-------------------------------------------------------------------------
 *
 * check_surrogate_plan.c
 *	  Whether the GPU library counts the trie of tested episodes on slices of surrogates
 *	  where that pays and there is room, and level by level otherwise.
 *
 * The plan is made on the host, for a device like an H100 that has nothing but numbers.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "episodes/episodes.h"
#include "episodes/surrogates.h"
#include "harness.h"

#define TYPES			8
#define BURSTS			2000
#define EVENTS_A_BURST	(20 * TYPES)
#define EVENTS			(BURSTS * EVENTS_A_BURST)
#define DITHER			20
#define SURROGATES		1000

#define PROCESSORS		132
#define SHARED_BYTES	((size_t) 227 << 10)	/* of a multiprocessor */
#define BLOCKS			8		/* a multiprocessor runs at most */

/* ---- a device ---- */

cudaError_t
MostSharedForTrie(GpuDevice *device, size_t *bytes)
{
	*bytes = SHARED_BYTES;
	return cudaSuccess;
}

cudaError_t
BlocksForTrie(GpuDevice *device, size_t bytes, uint32_t *blocks)
{
	*blocks = (uint32_t) (PROCESSORS * GpuBetween(1, SHARED_BYTES / bytes, BLOCKS));
	return cudaSuccess;
}

/* Nothing is launched or taken when a plan is made. */
cudaError_t
CountSlicedTrie(GpuDevice *device, const SlicedTrie *trie, uint32_t first, uint32_t end, uint32_t blocks)
{
	return cudaErrorUnknown;
}

cudaError_t
TakeMemory(GpuDevice *device, size_t bytes, void *to)
{
	return cudaErrorUnknown;
}

cudaError_t
TakeCopy(EpisodesJob *job, GpuDevice *device, const void *from, size_t bytes, void *to)
{
	return cudaErrorUnknown;
}

/* About what making surrogates takes. */
uint64_t
StreamMakerBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants)
{
	return 64 * (uint64_t) data->events;
}

uint64_t
SurrogateBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants)
{
	return (by_instants ? 8 : 64) * wanted;
}

/* ---- streams ---- */

typedef enum Form
{
	MIXED_BURSTS,				/* each event of a burst is of any type */
	SORTED_BURSTS,				/* the events of a type follow each other in a burst */
	NEVER_SILENT				/* one burst */
} Form;

static FimEpisodesData *
BuildStream(Form form)
{
	FimGap		gap = {{.integer = 1}, {.integer = form == SORTED_BURSTS ? 2000 : 2}};
	size_t		size = FimEpisodesBound(EVENTS, 1, TYPES, 1);
	FimEpisodesData *data = malloc(size);
	Rng			rng = {1};
	int64_t		at = 0;

	FimEpisodesBegin(data, size, EVENTS, 1, TYPES, &gap, 1, false);
	for (uint32_t i = 0; i < EVENTS; i++)
	{
		uint32_t	type = form == SORTED_BURSTS ? i % EVENTS_A_BURST / (EVENTS_A_BURST / TYPES) : RngBelow(&rng, TYPES);

		at += i % EVENTS_A_BURST == 0 && form != NEVER_SILENT ? 10000 : 1 + RngBelow(&rng, 10);
		FimEpisodesAdd(data, type, (FimTime) {.integer = at});
	}
	FimEpisodesFinish(data);
	return data;
}

/* The job of all episodes of two and three types.  The longer ones have "support", the types all of their events. */
static FimEpisodesSpec *
SpecOf(uint32_t support)
{
	size_t		size = sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * 3 * TYPES * TYPES * TYPES;
	FimEpisodesSpec *spec = calloc(1, size);
	uint32_t	gap[2] = {0, 0};
	uint32_t	open[3];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = open};

	for (uint32_t e = 0; e < TYPES * TYPES * TYPES; e++)
	{
		uint32_t	type[3] = {e / (TYPES * TYPES), e / TYPES % TYPES, e % TYPES};

		if (e % TYPES == 0)
			FimTrieAdd(&trie, type, gap, 2, support);
		FimTrieAdd(&trie, type, gap, 3, support);
	}
	FimTrieFinish(&trie);
	spec->head.size = (uint32_t) size;
	spec->head.count_only = true;
	spec->nnodes = trie.n;
	spec->surrogates = SURROGATES;
	spec->dither.integer = DITHER;
	return spec;
}

/* ---- plans ---- */

/* What was planned. */
typedef struct Planned
{
	BatchPlan	plan;
	InstantPlan	instants;
	uint64_t	spill;			/* bytes, if the trie fits */
} Planned;

static Planned
PlanWith(const FimEpisodesData *data, const FimEpisodesSpec *spec, uint64_t limit)
{
	static FimShared shared;
	static GpuDevice device;
	EpisodesJob job = {.spec = spec, .data = data};
	TestedLevels levels;
	Planned		planned = {.spill = 0};
	TestHost	host;

	HostInit(&host);
	device = (GpuDevice) {.processors = PROCESSORS, .limit = limit};
	job.team = (GpuTeam) {.shared = &shared, .host = &host.base, .devices = {&device}, .ndevices = 1};
	job.start = calloc(TYPES + 1, sizeof(uint32_t));
	for (uint32_t type = 0; type < TYPES; type++)
		job.start[type + 1] = job.start[type] + FIM_EPISODES_COUNTS(data)[type];
	if (OpenTestedLevels(&job, &levels) != cudaSuccess ||
		ChoosePlan(&job, &levels, &planned.instants, &planned.plan) != cudaSuccess)
		abort();
	if (planned.plan.trie.fits)
		planned.spill = RoomForSpill(&job, &planned.plan);
	GpuHostFreeAll(&job.team);
	free(job.start);
	return planned;
}

static int	failures;

static void
Expect(bool as_expected, const char *what)
{
	if (!as_expected && ++failures > 0)
		printf("%s\n", what);
}

/* Mixed bursts are counted on slices if there is room for the spills of two blocks for each multiprocessor. */
static void
CheckRoom(void)
{
	FimEpisodesData *data = BuildStream(MIXED_BURSTS);
	FimEpisodesSpec *spec = SpecOf(EVENTS / 20);
	Planned		planned = PlanWith(data, spec, UINT64_C(64) << 30);
	uint64_t	spills = 2 * PROCESSORS * TrieBlockBytes(&planned.plan.trie);
	uint64_t	enough = planned.plan.once + planned.plan.each + spills;

	Expect(planned.plan.trie.fits, "mixed bursts are counted level by level");
	Expect(planned.spill >= spills && planned.spill <= planned.plan.trie.blocks * TrieBlockBytes(&planned.plan.trie),
		   "spills are not for the blocks that run");
	planned = PlanWith(data, spec, enough);
	Expect(planned.plan.trie.fits && planned.spill == spills, "memory that is just enough is not");
	planned = PlanWith(data, spec, enough - 1);
	Expect(!planned.plan.trie.fits, "few blocks count on slices");
	free(spec);
	free(data);
}

/* Where all events of a type in a burst follow those of another one, lists are longer by far than supports. */
static void
CheckSorted(void)
{
	FimEpisodesData *data = BuildStream(SORTED_BURSTS);
	FimEpisodesSpec *spec = SpecOf(BURSTS);
	Planned		planned = PlanWith(data, spec, UINT64_C(64) << 30);

	Expect(!planned.plan.trie.fits, "lists that find no room in shared memory are expected there");
	Expect(planned.instants.fits, "sorted bursts have no instants");
	free(spec);
	free(data);
}

/* A stream that cannot be cut is counted level by level, with times as instants all the same. */
static void
CheckNeverSilent(void)
{
	FimEpisodesData *data = BuildStream(NEVER_SILENT);
	FimEpisodesSpec *spec = SpecOf(EVENTS / 20);
	Planned		planned = PlanWith(data, spec, UINT64_C(64) << 30);

	Expect(!planned.plan.trie.fits, "a stream that is never silent is counted on slices");
	Expect(planned.instants.fits, "a stream that is never silent has no instants");
	free(spec);
	free(data);
}

int
main(void)
{
	CheckRoom();
	CheckSorted();
	CheckNeverSilent();
	return failures > 0;
}
