/*-------------------------------------------------------------------------
 *
 * best_device.h
 *	  Which cells of a strip may be among the best partners of its row, on a device.
 *
 * A gang of threads, which is a warp or a block, has a strip's cells where it can look at all of them several times.
 * Each cell has a key, which is about its score, so that a lower key by more than a slack is a lower score.  The key that
 * as many cells reach as partners are wanted is found digit by digit, from counts of digits, and all cells
 * go home whose keys are not below it by more than the slack.  The host puts these in order without error.
 *
 * A row may have several strips, whose gangs tell each other what key the cells of one strip have reached.  Values
 * with most keys come first, so the first parts of all rows are looked at first, and most others have few cells left.
 *
 * So equally good cells go home, too, and there may be very many, as where all pairs occur once.  Of those that have the same
 * witnesses and sets of the same size, only the lowest values can be partners, which are found in the same way.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_SETS_BEST_DEVICE_H
#define GPU_SETS_BEST_DEVICE_H

#include "engine/deviance.h"
#include "lanes.h"
#include "sets/sets.h"

#define DIGIT_BITS		8
#define DIGITS			(1 << DIGIT_BITS)

/* Differences of keys that rounding can make: the keys are those of numbers with 24 bits, of which the last ones may be wrong. */
#define KEY_SLACK		8

#define NO_CELL			(~0ull)

/* What a gang has in shared memory. */
struct Choice
{
	uint32_t	count[DIGITS];	/* of cells with each digit */
	uint32_t	reached;		/* a key that enough cells of another strip reach, or 0 */
	uint32_t	digit;			/* the one that is chosen */
	uint32_t	above;			/* cells with higher ones */
	unsigned long long first;	/* a cell: its rank and then its witnesses; or NO_CELL */
};

/* Has the threads of a gang wait for one another. */
template <int GANG>
static __device__ __forceinline__ void
GangSync(void)
{
	if (GANG == 32)
		__syncwarp();
	else
		__syncthreads();
}

template <int GANG>
static __device__ __forceinline__ uint32_t
GangSum(uint32_t value)
{
	return GANG == 32 ? SumOverLanes(value) : SumOverBlock<GANG>(value);
}

/* ---- keys ---- */

static __device__ __forceinline__ float
AboutLeverage(const CellRule &rule, uint32_t witnesses, uint64_t expected)
{
	uint64_t	observed = witnesses * rule.transactions;

	return observed >= expected ? (float) (observed - expected) : -(float) (expected - observed);
}

static __device__ __forceinline__ float
AboutLogLikelihoodRatio(const CellRule &rule, uint32_t witnesses, uint32_t size, uint32_t other)
{
	float		ratio = (float) FimLogLikelihoodRatio(witnesses, size, other, rule.transactions);

	return witnesses * rule.transactions >= (uint64_t) size * other ? ratio : -ratio;
}

/* A number that is higher if the score is, but for rounding; for cells of one row, whose set has "size" keys. */
static __device__ __forceinline__ float
AboutScore(const CellRule &rule, uint32_t witnesses, uint32_t size, uint32_t other)
{
	switch (rule.measure)
	{
		case FIM_JACCARD:
			return (float) witnesses / (float) ((uint64_t) size + (other - witnesses));
		case FIM_COSINE:
			return (float) witnesses / sqrtf((float) other);
		case FIM_OVERLAP:
			return (float) witnesses / (float) min(size, other);
		case FIM_CONTAINMENT:
			return (float) witnesses;
		case FIM_LIFT:
			return (float) witnesses / (float) other;
		case FIM_LEVERAGE:
			return AboutLeverage(rule, witnesses, (uint64_t) size * other);
		default:
			return AboutLogLikelihoodRatio(rule, witnesses, size, other);
	}
}

/* Floats in the order of whole numbers: the next higher float has the next higher key. */
static __device__ __forceinline__ uint32_t
KeyOfPartner(const CellRule &rule, uint32_t witnesses, uint32_t size, uint32_t other)
{
	uint32_t	bits = __float_as_uint(AboutScore(rule, witnesses, size, other));

	return bits >> 31 ? ~bits : bits | 1u << 31;
}

/* The key that has all cells whose scores may reach that of a cell with this key. */
static __device__ __forceinline__ uint32_t
LessSlack(const CellRule &rule, uint32_t key)
{
	/* with fewer witnesses, the containment is lower and the float is not higher */
	uint32_t	slack = rule.measure == FIM_CONTAINMENT ? 0 : KEY_SLACK;

	return key > slack ? key - slack : 0;
}

/* Whether all cells with the same witnesses have the same score, whatever the sizes of their sets. */
static __device__ __forceinline__ bool
GoesByWitnesses(const CellRule &rule)
{
	return rule.measure == FIM_CONTAINMENT;
}

/* Whether a cell goes home. */
static __device__ __forceinline__ bool
MayBePartner(const Relations &r, uint32_t row, uint32_t right, uint32_t witnesses, const PartnerCut &cut)
{
	uint32_t	other;

	if (CellResults(r.rule, row, right, witnesses, 0, 0) == 0)
		return false;
	other = SizeOf(r.right, right);
	if (KeyOfPartner(r.rule, witnesses, SizeOf(r.left, row), other) < cut.key)
		return false;
	return witnesses != cut.witnesses || (cut.size != 0 && other != cut.size) || r.value[right] <= cut.value;
}

/* ---- choosing ---- */

/*
 * Chooses the highest digit that, with all higher ones, at least "wanted" cells have; or 0 if there is none.  To
 * be called by a warp, which gets the number of cells with higher digits in choice.above.
 */
static __device__ __forceinline__ void
ChooseDigit(Choice &choice, uint32_t wanted)
{
	const uint32_t EACH = DIGITS / 32;
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	digit = DIGITS - lane * EACH; /* the lane has those below this one */
	uint32_t	sum = 0;
	uint32_t	up_to;
	uint32_t	all;

	for (uint32_t i = 1; i <= EACH; i++)
		sum += choice.count[digit - i];
	up_to = SumUpTo(sum);
	all = __shfl_sync(ALL_LANES, up_to, 31);
	wanted = min(wanted, all);
	if (all == 0 && lane == 31)
		choice.digit = choice.above = 0;
	if (up_to - sum >= wanted || up_to < wanted)
		return;
	sum = up_to - sum;
	while (sum + choice.count[--digit] < wanted)
		sum += choice.count[digit];
	choice.digit = digit;
	choice.above = sum;
}

/*
 * A key that at least "wanted" cells reach, but hardly more than "enough", unless so many cells have the same key; or 0 if
 * there are fewer cells.  each(visit) calls visit(key) for each cell of the thread.
 */
template <int GANG, typename Each>
static __device__ uint32_t
KeyToReach(Choice &choice, uint32_t wanted, uint32_t enough, const Each &each)
{
	uint32_t	thread = threadIdx.x % GANG;
	uint32_t	key = 0;
	uint32_t	above = 0;

	for (int shift = 32 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS)
	{
		uint32_t	known = shift + DIGIT_BITS < 32 ? ~0u << (shift + DIGIT_BITS) % 32 : 0;

		for (uint32_t d = thread; d < DIGITS; d += GANG)
			choice.count[d] = 0;
		GangSync<GANG>();
		each([&](uint32_t of_cell)
			 {
				 if ((of_cell & known) == key)
					 atomicAdd(&choice.count[of_cell >> shift & (DIGITS - 1)], 1);
			 });
		GangSync<GANG>();
		if (thread < 32)
			ChooseDigit(choice, wanted - above);
		GangSync<GANG>();
		key |= choice.digit << shift;
		above += choice.above;
		if (above + choice.count[choice.digit] <= enough)
		{
			key = above + choice.count[choice.digit] < wanted ? 0 : key;
			break;
		}
		GangSync<GANG>();
	}
	GangSync<GANG>();
	return key;
}

/* How many cells go home. */
template <int GANG, typename Cells>
static __device__ __forceinline__ uint32_t
CountPartners(const Relations &r, uint32_t row, const Cells &cells, const PartnerCut &cut)
{
	uint32_t	n = 0;

	cells.Each([&](uint32_t right, uint32_t witnesses) { n += MayBePartner(r, row, right, witnesses, cut); });
	return GangSum<GANG>(n);
}

/* Sets choice.first to the first cell with a key, or to NO_CELL. */
template <int GANG, typename Cells>
static __device__ __forceinline__ void
FindFirst(const Relations &r, uint32_t row, const Cells &cells, uint32_t key, Choice &choice)
{
	if (threadIdx.x % GANG == 0)
		choice.first = NO_CELL;
	GangSync<GANG>();
	cells.Each([&](uint32_t right, uint32_t witnesses)
			   {
				   if (CellResults(r.rule, row, right, witnesses, 0, 0) > 0 &&
					   KeyOfPartner(r.rule, witnesses, SizeOf(r.left, row), SizeOf(r.right, right)) == key)
					   atomicMin(&choice.first, (unsigned long long) right << 32 | witnesses);
			   });
	GangSync<GANG>();
}

/* The key that cells of other strips of the row have been found to reach. */
template <int GANG>
static __device__ __forceinline__ uint32_t
KeyOfOthers(const uint32_t *reached, Choice &choice)
{
	if (threadIdx.x % GANG == 0)
		choice.reached = *(const volatile uint32_t *) reached;
	GangSync<GANG>();
	return choice.reached;
}

/*
 * Chooses the cells of a strip that go home, and counts them.  cells.Each(visit) calls visit(right, witnesses) for each
 * cell of the thread, at least for those that have witnesses.
 */
template <int GANG, typename Cells>
static __device__ PartnerCut
ChoosePartners(const Relations &r, uint32_t row, const Cells &cells, uint32_t *reached, Choice &choice, uint32_t *n)
{
	const CellRule &rule = r.rule;
	uint32_t	wanted = rule.most;
	uint32_t	enough = wanted + min(wanted, ~0u - 64 - wanted) + 16;
	uint32_t	size = SizeOf(r.left, row);
	uint32_t	others = KeyOfOthers<GANG>(reached, choice);
	PartnerCut	cut = {LessSlack(rule, others)};
	uint32_t	key;

	if (others > 0)
		*n = CountPartners<GANG>(r, row, cells, cut);
	if (others > 0 && *n <= enough)
		return cut;
	key = KeyToReach<GANG>(choice, wanted, enough, [&](const auto &visit)
						   {
							   cells.Each([&](uint32_t right, uint32_t witnesses)
										  {
											  if (MayBePartner(r, row, right, witnesses, cut))
												  visit(KeyOfPartner(rule, witnesses, size, SizeOf(r.right, right)));
										  });
						   });
	if (key > others && threadIdx.x % GANG == 0)
		atomicMax(reached, key);
	key = max(key, others);
	cut.key = LessSlack(rule, key);
	*n = CountPartners<GANG>(r, row, cells, cut);
	if (*n <= enough)
		return cut;
	FindFirst<GANG>(r, row, cells, key, choice);
	if (choice.first == NO_CELL)
		return cut;
	cut.witnesses = (uint32_t) choice.first;
	cut.size = GoesByWitnesses(rule) ? 0 : SizeOf(r.right, (uint32_t) (choice.first >> 32));
	/* the lowest values have the highest keys */
	key = KeyToReach<GANG>(choice, wanted, enough, [&](const auto &visit)
						   {
							   cells.Each([&](uint32_t right, uint32_t witnesses)
										  {
											  if (witnesses == cut.witnesses && right != row &&
												  (cut.size == 0 || SizeOf(r.right, right) == cut.size))
												  visit(~r.value[right]);
										  });
						   });
	cut.value = ~key;
	*n = CountPartners<GANG>(r, row, cells, cut);
	return cut;
}

/*
 * What a gang does with a strip's cells: chooses those that go home, counts them, or writes them.
 */

/* What the gang has in shared memory, beside the cells. */
template <bool CHOOSE>
struct StripRoom
{
	uint32_t	next;			/* cells that have been written */
};

template <>
struct StripRoom<true>
{
	uint32_t	next;
	Choice		choice;
};

/* Writes the cells of a strip that are kept.  room.next must be 0. */
template <bool BEST, typename Cells, typename Room>
static __device__ __forceinline__ void
FillStrip(const Relations &r, uint32_t row, uint32_t strip, const Cells &cells, const CellTarget &target, Room &room)
{
	PartnerCut	cut = {};

	if (BEST)
		cut = target.cut[strip];
	cells.Each([&](uint32_t right, uint32_t witnesses)
			   {
				   if (BEST ? MayBePartner(r, row, right, witnesses, cut) : ResultsOfCell(r, row, right, witnesses) > 0)
					   PutCell(target, strip, atomicAdd(&room.next, 1), right, witnesses);
			   });
}

/* The strip of a block that counts, if the first strips of all rows are to be counted first. */
static __device__ __forceinline__ uint32_t
FirstPartsFirst(uint32_t per_row)
{
	uint32_t	rows = gridDim.x / per_row;

	return blockIdx.x % rows * per_row + blockIdx.x / rows;
}

/* Counts the cells of a strip that are kept, and all results. */
template <int GANG, typename Cells>
static __device__ __forceinline__ void
CountStrip(const Relations &r, uint32_t row, uint32_t strip, uint32_t per_row, const Cells &cells,
		   const StripCounts &counts, StripRoom<false> &room)
{
	uint32_t	kept = 0;
	uint32_t	results = 0;

	cells.Each([&](uint32_t right, uint32_t witnesses)
			   {
				   uint32_t	n = ResultsOfCell(r, row, right, witnesses);

				   kept += n > 0;
				   results += n;
			   });
	kept = GangSum<GANG>(kept);
	results = GangSum<GANG>(results);
	if (threadIdx.x % GANG != 0)
		return;
	counts.cells[strip] = kept;
	if (results > 0)
		atomicAdd(counts.results, (unsigned long long) results);
}

/* Chooses the cells of a strip that go home, and counts them. */
template <int GANG, typename Cells>
static __device__ __forceinline__ void
CountStrip(const Relations &r, uint32_t row, uint32_t strip, uint32_t per_row, const Cells &cells,
		   const StripCounts &counts, StripRoom<true> &room)
{
	uint32_t	kept;
	PartnerCut	cut = ChoosePartners<GANG>(r, row, cells, counts.reached + strip / per_row, room.choice, &kept);

	if (threadIdx.x % GANG != 0)
		return;
	counts.cut[strip] = cut;
	counts.cells[strip] = kept;
}

#endif							/* GPU_SETS_BEST_DEVICE_H */
