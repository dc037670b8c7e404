/*-------------------------------------------------------------------------
 *
 * tensor_judge.cu
 *	  What the frequent pairs of a level's members say: which members are emitted, and which of them have a class or a table of their own.
 *
 * A class has a matrix of its members' counts, in which a member's pairs are a row.  One kernel
 * looks at each member's row, a scan finds the places of the classes and tables that are to be
 * made, and another kernel makes them.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>
#include <cuda_runtime_api.h>

#include "itemsets/tensor_judge.h"
#include "lanes.h"

/* The first member of the class whose count matters. */
static __device__ __forceinline__ uint32_t
FirstOf(const Pairs &pairs, FimKind kind)
{
	return kind == FIM_ALL ? pairs.self + 1 : 0;
}

/*
 * Where the classes and tables of members are placed.
 */

struct PlacementSum
{
	__host__ __device__ Placement operator() (const Placement &a, const Placement &b) const
	{
		const ClassPlace &x = a.classes;
		const ClassPlace &y = b.classes;

		return {{x.line + y.line, x.count + y.count, x.number + y.number, x.member + y.member,
				 x.part + y.part, 0},
			a.tables + b.tables, a.table_members + b.table_members, a.fixed + b.fixed, 0};
	}
};

/*
 * Replaces each of places[0 .. n-1] by the sum over those before it, on a stream; places[n]
 * becomes the sum over all.  If scratch is NULL, only sets *size to the bytes of scratch memory
 * that this takes.
 */
static cudaError_t
TensorPlace(void *scratch, size_t *size, Placement *places, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceScan::ExclusiveScan(scratch, *size, places, places, PlacementSum(), Placement(),
										  (int64_t) n + 1, stream);
}

/*
 * Judging.
 */

static inline uint32_t
WarpsGrid(uint32_t nwarps)
{
	return (uint32_t) (((uint64_t) nwarps * 32 + TENSOR_THREADS - 1) / TENSOR_THREADS);
}

/* Classes that more members extend are taken by a device as a whole, see Sharing. */
#define MANY_MEMBERS	256

/* Only classes of few members are looked ahead from.  These are dealt out by members, and judged only once. */
static_assert(AHEAD_MEMBERS <= MANY_MEMBERS, "classes that are taken as a whole are looked ahead from");

/* A device's share of its team's work. */
typedef struct TeamShare
{
	Sharing		here;			/* how the classes whose members are judged are shared */
	Sharing		below;			/* how the classes that are made are shared */
	uint32_t	ndevices;
	uint32_t	number;			/* of the device */
} TeamShare;

static __device__ __forceinline__ uint32_t
DigitSum(uint32_t x, uint32_t base)
{
	uint32_t	sum = 0;

	for (; x > 0; x /= base)
		sum += x % base;
	return sum;
}

/*
 * Whether a member is dealt out to the device.  Later members have less work below them.
 * Dealing members out by the sums of their numbers' digits (the sequence
 * of Prouhet, Thue and Morse) evens that out, but for the last few members.
 */
static __device__ __forceinline__ bool
IsDealt(const TeamShare &share, uint32_t prefix, uint32_t member)
{
	return (DigitSum(prefix, share.ndevices) + DigitSum(member, share.ndevices)) %
		share.ndevices == share.number;
}

static __device__ __forceinline__ bool
IsMine(const TeamShare &share, const FimCompaction &class_, uint32_t member)
{
	return share.here != SHARE_MEMBERS || IsDealt(share, class_.prefix, member);
}

static __device__ __forceinline__ bool
MakesClass(const TeamShare &share, uint32_t members)
{
	return share.below == SHARE_NOTHING || (members > MANY_MEMBERS) == (share.below == SHARE_CLASSES);
}

/* What the task's part has of a member. */
struct Owned
{
	bool		itemset;		/* its itemset */
	bool		some;			/* that, or some of what extends it */
	bool		all;
};

/*
 * A member of the root has a class of the part's, and a member of a class below the root a pair, which the part has or has not.  All
 * that is below is the pair's: "part" has no bits then.
 */
static __device__ __forceinline__ Owned
OwnedOf(const ItemsetPart &part, bool is_root, const LevelMembers &of, uint32_t c, uint32_t x)
{
	if (part.bits == NULL)
		return Owned {true, true, true};

	uint32_t	item = of.item[x];

	if (is_root)
		return Owned {PartBit(&part, part.bits, item, item), part.row_of[item] != PART_NOTHING,
			part.row_of[item] == PART_ALL};

	/* members of the root are in descending order of items */
	bool		has = PartBit(&part, part.bits, part.nitems - 1 - of.classes[c].prefix, item);

	return Owned {has, has, has};
}

/* What a class of "members" members takes, of which "extending" are not excluded. */
static __device__ __forceinline__ ClassPlace
PlaceOfClass(uint32_t members, uint32_t extending, uint32_t support)
{
	ClassPlace place = {};

	place.number = 1;
	place.member = members;
	if (members > 1)
	{
		place.line = (uint64_t) members * FimSlabs(support);
		place.count = (uint64_t) extending * members;
		place.part = (members - 1) / FIM_COMPACTION_ROWS + 1;
	}
	return place;
}

/*
 * A warp looks at a member's pairs and decides what becomes of the member.  If the device
 * counts itemsets, the warp counts the member's itemset, unless the member is to be looked
 * ahead from.  A member of which the part has only some is neither looked ahead from nor made a table,
 * because these do not tell pairs apart.
 */
static __global__ void __launch_bounds__(TENSOR_THREADS)
JudgeKernel(StepCounts step, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			uint32_t min_depth, uint32_t max_depth, bool tables, TeamShare share, ItemsetPart part, bool is_root,
			FimPatternCounts counts, Ahead ahead, Verdict *verdicts, Placement *places, uint32_t *marks)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = blockIdx.x * (TENSOR_THREADS / 32) + threadIdx.x / 32;
	uint32_t	x = first + n;
	uint32_t	before = 0;
	uint32_t	after = 0;
	uint32_t	fixed = 0;
	bool		covered = false;
	Verdict		verdict = {0, 0};
	Placement	place = {};
	uint32_t	mark = 0;

	if (n >= nmembers)
		return;

	Pairs		pairs = PairsOf(step, of, x);
	Owned		owned = OwnedOf(part, is_root, of, pairs.c, x);

	if (pairs.self >= of.classes[pairs.c].to.skip && IsMine(share, of.classes[pairs.c], pairs.self) && owned.some)
	{
		uint32_t	support = of.support[x];

		for (uint32_t y = FirstOf(pairs, kind) + lane; y < pairs.end; y += 32)
		{
			uint32_t	both = pairs.count[y];
			bool		later = y > pairs.self;
			bool		same = both == support;

			if (both == 0)
				continue;
			covered |= same && !later;
			fixed += same && later;
			before += !same && !later;
			after += !same && later;
		}
		covered = __any_sync(ALL_LANES, covered);
		fixed = SumOverLanes(fixed);
		before = SumOverLanes(before);
		after = SumOverLanes(after);

		uint32_t	depth = DepthOf(of, pairs.c, kind, fixed);
		uint32_t	perfect = PerfectOf(of, pairs.c, kind, fixed);
		bool		grows = depth < max_depth && depth + perfect + after >= min_depth;

		place.fixed = covered ? 0 : fixed;
		if (!covered && owned.itemset && (kind != FIM_MAXIMAL || before + after == 0))
			mark |= MARK_EMITTED;
		if (!covered && after > 0 && grows && MakesClass(share, after))
		{
			verdict.kept = before + after;
			verdict.excluded = before;
			if (tables && owned.all && FimIsTable(kind, after, before, support))
			{
				place.tables = 1;
				place.table_members = verdict.kept;
				mark |= MARK_TABLE;
			}
			else
			{
				place.classes = PlaceOfClass(verdict.kept, after, support);
				mark |= MARK_CLASS;
			}
		}
		mark |= place.fixed << MARK_FIXED_SHIFT;
		if (lane == 0 && ahead.members != NULL && owned.all && verdict.kept > 0)
			ahead.members[atomicAdd(ahead.n, 1ULL)] = n;
		else if (lane == 0 && counts.counts != NULL && (mark & MARK_EMITTED) != 0)
			CountItemset(counts, depth, perfect);
	}
	if (lane == 0)
	{
		verdicts[n] = verdict;
		places[n] = place;
		marks[n] = mark;
	}
}

/*
 * Classes.
 */

/* Called by one lane: set a class or table up. */
static __device__ __forceinline__ void
MakeClass(const LevelMembers &of, uint32_t x, uint32_t c, FimKind kind, uint32_t fixed,
		  const Verdict &verdict, const Placement &place, bool is_table, const LevelMembers &to)
{
	uint32_t	number = is_table ? place.tables : place.classes.number;
	FimCompaction class_ = {};

	class_.from = of.classes[c].to;
	class_.to.line = place.classes.line;
	class_.to.count = place.classes.count;
	class_.to.rows = verdict.kept;
	class_.to.slabs = verdict.kept > 1 && !is_table ? FimSlabs(of.support[x]) : 0;
	class_.to.skip = verdict.excluded;
	class_.to.first = is_table ? place.table_members : place.classes.member;
	class_.members = class_.to.first;
	class_.prefix = x;
	class_.part = place.classes.part;
	to.classes[number] = class_;
	to.depth[number] = DepthOf(of, c, kind, fixed);
	to.nperfect[number] = PerfectOf(of, c, kind, fixed);
}

/* A warp makes a member's class or table, and lists what is fixed with it. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
ClassKernel(StepCounts step, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			const Verdict *verdicts, const Placement *places, const uint32_t *marks,
			LevelMembers classes, LevelMembers tables, uint32_t *fixed_items)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = blockIdx.x * (TENSOR_THREADS / 32) + threadIdx.x / 32;
	uint32_t	x = first + n;

	if (n >= nmembers || (marks[n] & ~MARK_EMITTED) == 0)
		return;

	Verdict		verdict = verdicts[n];
	Placement	place = places[n];
	Pairs		pairs = PairsOf(step, of, x);
	uint32_t	support = of.support[x];
	bool		is_table = (marks[n] & MARK_TABLE) != 0;
	bool		wanted = is_table || (marks[n] & MARK_CLASS) != 0;
	bool		together = (marks[n] & MARK_TOGETHER) != 0;
	LevelMembers to = is_table ? tables : classes;
	uint32_t	number = is_table ? place.tables : place.classes.number;
	uint32_t	at = is_table ? place.table_members : place.classes.member;
	uint32_t	fixed = place.fixed;

	if (wanted && lane == 0)
		MakeClass(of, x, pairs.c, kind, marks[n] >> MARK_FIXED_SHIFT, verdict, place, is_table, to);
	if (wanted && !is_table && verdict.kept > 1)
		for (uint32_t i = lane; i * FIM_COMPACTION_ROWS < verdict.kept; i += 32)
			to.parts[place.classes.part + i] = {number, i * FIM_COMPACTION_ROWS};
	for (uint32_t base = FirstOf(pairs, kind); base < pairs.end; base += 32)
	{
		uint32_t	y = base + lane;
		uint32_t	both = y < pairs.end ? pairs.count[y] : 0;
		bool		is_fixed = both != 0 && (both == support || (together && y > pairs.self));
		bool		is_kept = wanted && both != 0 && both != support;
		uint32_t	all_fixed = __ballot_sync(ALL_LANES, is_fixed);
		uint32_t	all_kept = __ballot_sync(ALL_LANES, is_kept);
		uint32_t	below = (1u << lane) - 1;
		uint32_t	name = x - pairs.self + y;

		if (is_fixed)
			fixed_items[fixed + __popc(all_fixed & below)] = of.item[name];
		if (is_kept)
		{
			uint32_t	member = at + __popc(all_kept & below);

			to.source[member] = name;
			to.item[member] = of.item[name];
			to.support[member] = both;
			to.class_of[member] = number;
		}
		fixed += __popc(all_fixed);
		at += __popc(all_kept);
	}
}

/*
 * Writes the members of classes in the order of ascending support, but for the excluded ones.
 * A member's place among the others of its class is found by comparing it with each of them.
 * That takes fewer steps than the product of the class will take.
 */
static __global__ void __launch_bounds__(TENSOR_THREADS)
OrderKernel(LevelMembers from, uint32_t nmembers, LevelMembers to)
{
	uint32_t	m = blockIdx.x * TENSOR_THREADS + threadIdx.x;

	if (m >= nmembers)
		return;

	const FimMatrix &class_ = from.classes[from.class_of[m]].to;
	uint32_t	support = from.support[m];
	uint32_t	begin = class_.first + class_.skip;
	uint32_t	end = class_.first + class_.rows;
	uint32_t	at = m < begin ? m : begin;

	for (uint32_t i = begin; i < end && m >= begin; i++)
		at += from.support[i] < support || (from.support[i] == support && i < m);
	to.source[at] = from.source[m];
	to.item[at] = from.item[m];
	to.support[at] = support;
}

/*
 * Launching them.
 */

/*
 * Replace each member's placement by the sum over the members before it; return the sum over
 * all members.
 */
static Placement
SumPlacements(Tensor *t, Placement *places, uint32_t n)
{
	const char *what = "placing classes";
	size_t		size = 0;
	void	   *scratch;
	Placement	total;

	Check(t, cudaMemsetAsync(places + n, 0, sizeof(Placement), t->stream), what);
	Check(t, TensorPlace(NULL, &size, places, n, t->stream), what);
	scratch = AllocTop(t, size, what);
	Check(t, TensorPlace(scratch, &size, places, n, t->stream), what);
	ToHost(t, &total, places + n, sizeof(total));
	Wait(t, what);
	return total;
}

/* Copy to the host what the host needs to give itemsets out. */
static void
BringBelow(Tensor *t, StepJudgement *to, const uint32_t *fixed, uint32_t nfixed)
{
	ClassLevel *classes = &to->classes;
	ClassLevel *tables = &to->tables;
	size_t		nclasses = classes->end.number;
	size_t		nmembers = classes->end.member;

	ToHost(t, classes->classes, classes->device.classes, sizeof(FimCompaction) * nclasses);
	if (t->m->spec->head.count_only)
		return;
	to->fixed = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, to->fixed, fixed, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, classes->item, classes->device.item, sizeof(uint32_t) * nmembers);
	ToHost(t, classes->support, classes->device.support, sizeof(uint32_t) * nmembers);
	ToHost(t, tables->classes, tables->device.classes, sizeof(FimCompaction) * (size_t) tables->end.number);
	ToHost(t, tables->item, tables->device.item, sizeof(uint32_t) * (size_t) tables->end.member);
}

static StepArrays
SetUp(Tensor *t, const ClassStep *step)
{
	const char *what = "judging members";
	StepArrays	arrays;

	arrays.first = step->from.member + step->begin;
	arrays.n = MembersOf(step);
	arrays.verdicts = (Verdict *) AllocTop(t, sizeof(Verdict) * (uint64_t) arrays.n, what);
	arrays.places = (Placement *) AllocTop(t, sizeof(Placement) * ((uint64_t) arrays.n + 1), what);
	arrays.marks = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays.n, what);
	arrays.supports = NULL;
	if (t->m->spec->kind == FIM_MAXIMAL)
	{
		arrays.supports = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays.n, what);
		/* few members get a support, but all of the array is copied to the host */
		Check(t, cudaMemsetAsync(arrays.supports, 0, sizeof(uint32_t) * (size_t) arrays.n, t->stream), what);
	}
	return arrays;
}

static void
Judge(Tensor *t, const ClassStep *step, const StepCounts *counts, Sharing below, const StepArrays *arrays)
{
	const char *what = "judging members";
	const FimItemsetsSpec *spec = t->m->spec;
	const LevelMembers *of = &step->level->device;
	bool		adds = GivesOut(t, step, below);
	bool		tables = t->tables && below == SHARE_NOTHING;
	TeamShare	share = {step->level->sharing, below, t->ndevices, t->number};
	FimPatternCounts none = {};
	Ahead		ahead = {};
	bool		looks = spec->kind == FIM_MAXIMAL || (spec->kind == FIM_ALL && t->counts.counts != NULL);
	bool		is_root = step->level->parent == NULL;
	ItemsetPart part = t->part;

	if (!is_root && step->level->parent->parent != NULL)
		part.bits = NULL;

	/* when the root is judged again, everything that can be looked ahead from has been */
	if (looks && below != SHARE_CLASSES)
	{
		ahead.members = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays->n, what);
		ahead.n = t->counter;
		Check(t, cudaMemsetAsync(ahead.n, 0, sizeof(*ahead.n), t->stream), what);
	}
	JudgeKernel<<<WarpsGrid(arrays->n), TENSOR_THREADS, 0, t->stream>>>(*counts, *of, arrays->first, arrays->n,
		spec->kind, t->m->out.min_depth, t->m->out.max_depth, tables, share, part, is_root,
		adds ? t->counts : none, ahead, arrays->verdicts, arrays->places, arrays->marks);
	Launched(t, what);
	if (ahead.members != NULL)
		TensorLookAhead(t, step, counts, arrays, ahead, adds);
}

/* Make the classes and tables of a step's members, and list the items that are fixed with the members. */
static void
MakeClasses(Tensor *t, const ClassStep *step, const StepCounts *counts, const StepArrays *arrays,
			StepJudgement *to, uint32_t *fixed)
{
	const char *what = "making classes";
	uint64_t	nmembers = to->classes.end.member;
	bool		ordered = t->m->spec->kind == FIM_MAXIMAL && nmembers > 0;
	LevelMembers classes = to->classes.device;

	if (ordered)
	{
		classes.source = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
		classes.item = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
		classes.support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
	}
	ClassKernel<<<WarpsGrid(arrays->n), TENSOR_THREADS, 0, t->stream>>>(*counts, step->level->device,
		arrays->first, arrays->n, t->m->spec->kind, arrays->verdicts, arrays->places, arrays->marks, classes,
		to->tables.device, fixed);
	Launched(t, what);
	if (!ordered)
		return;
	OrderKernel<<<(uint32_t) ((nmembers - 1) / TENSOR_THREADS + 1), TENSOR_THREADS, 0, t->stream>>>(classes,
		(uint32_t) nmembers, to->classes.device);
	Launched(t, what);
}

/* Copy the marks of the step's members to new host memory, and if need be their supports. */
static void
BringMarks(Tensor *t, const StepArrays *arrays, StepJudgement *to)
{
	size_t		size = sizeof(uint32_t) * (size_t) arrays->n;

	to->marks = (uint32_t *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, to->marks, arrays->marks, size);
	if (arrays->supports == NULL || t->m->spec->head.count_only)
		return;
	to->supports = (uint32_t *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, to->supports, arrays->supports, size);
}

void
TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *counts, Sharing below,
			StepJudgement *to)
{
	StepArrays	arrays = SetUp(t, step);
	ClassPlace	tables = {};
	uint32_t   *fixed;
	Placement	total;

	memset(to, 0, sizeof(*to));
	Judge(t, step, counts, below, &arrays);
	if (t->counts.counts == NULL)
		BringMarks(t, &arrays, to);
	total = SumPlacements(t, arrays.places, arrays.n);
	tables.number = total.tables;
	tables.member = total.table_members;
	TensorAllocLevel(t, &to->tables, step->level, &tables);
	TensorAllocLevel(t, &to->classes, step->level, &total.classes);
	to->classes.sharing = below;
	fixed = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) total.fixed, "judging members");
	MakeClasses(t, step, counts, &arrays, to, fixed);
	if (t->counts.counts != NULL)
		return;
	BringBelow(t, to, fixed, total.fixed);
	Wait(t, "making classes");
}
