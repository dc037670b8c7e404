/*-------------------------------------------------------------------------
 *
 * judge.c
 *	  Deciding candidates and computing values, see probable.h.
 *
 * The host decides from moments, with as many threads as it has.  The devices convolve the
 * distributions of candidates that moments leave open, and of itemsets whose values are
 * wanted.  Of itemsets in few transactions the float8 nearest to the probability is shown,
 * not one that is a little below it, so these go through a dynamic programme with more digits
 * instead (FewCompute()).  What is still in doubt then, the host settles; how it does that comes
 * first here.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probable/probable.h"
#include "team.h"

/* ---- settling: the transactions of a column ---- */

/* Fills in where each column begins. */
static cudaError_t
CountColumns(ProbableJob *job, uint64_t *column_at)
{
	memset(column_at, 0, sizeof(uint64_t) * ((size_t) job->ncolumns + 1));
	for (uint64_t e = 0; e < job->data->entries; e++)
	{
		uint32_t	column = job->column_of[job->items[e]];

		if (column != GPU_NONE)
			column_at[column + 1]++;
		GPU_TRY(HostWork(job, 1));
	}
	for (uint32_t c = 0; c < job->ncolumns; c++)
		column_at[c + 1] += column_at[c];
	return cudaSuccess;
}

static cudaError_t
FillColumns(ProbableJob *job, Settler *settler)
{
	uint64_t   *to = settler->column_at;

	for (uint32_t row = 0; row < job->data->nrows; row++)
	{
		for (uint64_t e = job->starts[row]; e < job->starts[row + 1]; e++)
		{
			uint32_t	column = job->column_of[job->items[e]];

			if (column == GPU_NONE)
				continue;
			settler->rows[to[column]] = row;
			if (job->data->by_entry)
				settler->factors[to[column]] = job->probabilities[e];
			to[column]++;
		}
		GPU_TRY(HostWork(job, 1 + job->starts[row + 1] - job->starts[row]));
	}
	/* filling has moved each column's start to that of the next column */
	memmove(to + 1, to, sizeof(uint64_t) * job->ncolumns);
	to[0] = 0;
	return cudaSuccess;
}

static cudaError_t
MakeColumns(ProbableJob *job, Settler *settler)
{
	uint64_t   *column_at;
	uint64_t	entries;

	if (settler->column_at != NULL)
		return cudaSuccess;
	FimWorkspaceInit(&settler->workspace, job->team.host);
	settler->open = true;
	GPU_TRY(HostTake(job, sizeof(uint64_t) * ((size_t) job->ncolumns + 1), (void **) &column_at));
	GPU_TRY(CountColumns(job, column_at));
	entries = column_at[job->ncolumns];
	GPU_TRY(HostTake(job, sizeof(uint32_t) * entries, (void **) &settler->rows));
	if (job->data->by_entry)
		GPU_TRY(HostTake(job, sizeof(double) * entries, (void **) &settler->factors));
	settler->column_at = column_at;
	return FillColumns(job, settler);
}

/* ---- settling: an itemset ---- */

/*
 * Keeps those of the first nrows rows of "common" that have "column", too, and returns their number.
 * The itemset has "columns" columns, of which this is number "place": under attribute uncertainty,
 * the place of each row among the column's rows is stored at that number of the row's places.
 */
static uint32_t
Intersect(const Settler *settler, uint32_t nrows, uint32_t column, uint32_t columns, uint32_t place)
{
	uint64_t	at = settler->column_at[column];
	uint64_t	end = settler->column_at[column + 1];
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		while (at < end && settler->rows[at] < settler->common[i])
			at++;
		if (at == end)
			break;
		if (settler->rows[at] != settler->common[i])
			continue;
		settler->common[kept] = settler->common[i];
		if (settler->places != NULL)
		{
			memmove(settler->places + (size_t) kept * columns, settler->places + (size_t) i * columns,
					sizeof(uint32_t) * place);
			settler->places[(size_t) kept * columns + place] = (uint32_t) (at - settler->column_at[column]);
		}
		kept++;
	}
	return kept;
}

static uint64_t
RowsOf(const Settler *settler, uint32_t column)
{
	return settler->column_at[column + 1] - settler->column_at[column];
}

/*
 * Finds the rows of an itemset, and sets *nrows to their number: those of its first column, cut down
 * by the others.
 */
static cudaError_t
FindRows(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, uint32_t *nrows)
{
	uint64_t	most;

	GPU_TRY(MakeColumns(job, settler));
	most = RowsOf(settler, columns[0]);
	GPU_TRY(HostGrow(job, (void **) &settler->common, 0, most, &settler->common_room, sizeof(uint32_t)));
	GPU_TRY(HostGrow(job, (void **) &settler->p, 0, most, &settler->p_room, sizeof(double)));
	if (job->data->by_entry)
		GPU_TRY(HostGrow(job, (void **) &settler->places, 0, most * n, &settler->place_room,
						 sizeof(uint32_t)));
	memcpy(settler->common, settler->rows + settler->column_at[columns[0]], sizeof(uint32_t) * most);
	for (uint64_t i = 0; job->data->by_entry && i < most; i++)
		settler->places[i * n] = (uint32_t) i;
	*nrows = (uint32_t) most;
	for (uint32_t c = 1; c < n; c++)
	{
		GPU_TRY(HostWork(job, *nrows + RowsOf(settler, columns[c])));
		*nrows = Intersect(settler, *nrows, columns[c], n, c);
	}
	return cudaSuccess;
}

/* An itemset's probabilities as the engine takes them, with access to the factors of each. */
typedef struct ItemsetChances
{
	FimChances	head;
	const Settler *settler;
	const uint32_t *columns;
} ItemsetChances;

/* The probability of the itemset's column number c in its row number i. */
static double
FactorOf(const ItemsetChances *of, uint32_t i, uint32_t c)
{
	const Settler *settler = of->settler;

	return settler->factors[settler->column_at[of->columns[c]] +
							settler->places[(size_t) i * of->head.nfactors + c]];
}

static void
Factors(const FimChances *chances, uint32_t i, double *factor)
{
	const ItemsetChances *of = (const ItemsetChances *) chances;

	for (uint32_t c = 0; c < chances->nfactors; c++)
		factor[c] = FactorOf(of, i, c);
}

static cudaError_t
FindChances(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, ItemsetChances *of)
{
	uint32_t	nrows;

	GPU_TRY(FindRows(job, settler, columns, n, &nrows));
	memset(of, 0, sizeof(*of));
	of->settler = settler;
	of->columns = columns;
	of->head.n = nrows;
	of->head.p = settler->p;
	of->head.nfactors = job->data->by_entry ? n : 1;
	of->head.error = FimProductError(of->head.nfactors);
	of->head.factors = job->data->by_entry ? Factors : NULL;
	for (uint32_t i = 0; i < nrows; i++)
	{
		settler->p[i] = job->data->by_entry ? 1 : job->probabilities[settler->common[i]];
		for (uint32_t c = 0; job->data->by_entry && c < n; c++)
			settler->p[i] *= FactorOf(of, i, c);
	}
	return HostWork(job, (uint64_t) nrows * n);
}

/* Turns the result of a function of the engine into the error that the device floor has for it. */
static cudaError_t
ErrorOf(ProbableJob *job, FimResult result)
{
	if (result == FIM_OUT_OF_MEMORY)
		return NoMemory(job);
	return result == FIM_DONE ? cudaSuccess : GPU_STOPPED;
}

/*
 * Sets *reaches to whether the itemset of n columns is selected by its probability, and *rule
 * to what settled that.  *value becomes the probability as it is shown if the job wants values,
 * otherwise the lower bound that was found on the way.
 */
static cudaError_t
SettleItemset(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, bool *reaches,
			  double *value, FimProbableRule *rule)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimTailSettle(&settler->workspace, &of.head, job->spec->minsup,
									   job->spec->minprob, job->spec->exact, &settled)));
	*reaches = settled.reaches;
	*value = settled.value;
	*rule = settled.rule;
	return cudaSuccess;
}

cudaError_t
SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, bool *reaches,
				  double *expected)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimExpectationSettle(&settler->workspace, &of.head, job->spec->min_expected,
											  &settled)));
	*reaches = settled.reaches;
	*expected = settled.value;
	return cudaSuccess;
}

/* Sets *value to the probability of an itemset that is selected, as it is shown. */
static cudaError_t
SettleValue(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, double *value)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimTailSettle(&settler->workspace, &of.head, job->spec->minsup, NAN, true,
									   &settled)));
	*value = settled.value;
	return cudaSuccess;
}

cudaError_t
SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, uint32_t column,
			  bool *certain)
{
	uint32_t	nrows;
	uint32_t	place = 0;

	GPU_TRY(FindRows(job, settler, columns, n, &nrows));
	while (columns[place] != column)
		place++;
	*certain = true;
	for (uint32_t i = 0; i < nrows && *certain; i++)
		*certain = settler->factors[settler->column_at[column] + settler->places[(size_t) i * n + place]] == 1;
	return cudaSuccess;
}

/* Gives the workspace back.  The other memory is freed when the team's job ends. */
static void
SettleEnd(Settler *settler)
{
	if (settler->open)
		FimWorkspaceFree(&settler->workspace);
	settler->open = false;
}

/* ---- a judge ---- */

#define PART_CANDIDATES	512		/* that a thread decides at a time */

void
JudgeInit(const ProbableJob *job, Judge *judge)
{
	memset(judge, 0, sizeof(*judge));
	if (!FimByExpectation(job->spec))
		FimGoalInit(&judge->goal, job->spec->minsup, job->spec->minprob);
}

void
JudgeEnd(Judge *judge)
{
	SettleEnd(&judge->settler);
}

static bool
IsFew(const FimMoments *moments)
{
	return moments->n <= FIM_FEW_TRANSACTIONS;
}

/* ---- deciding by moments ---- */

typedef struct Judging
{
	const ProbableJob *job;
	const Transactions *t;
	const Judge *judge;
	const MomentBatch *batch;
	Judgement  *judgements;
} Judging;

static double
LowBound(const FimMoments *moments, uint32_t minsup)
{
	double		low = FimBoundBy(FIM_RULE_HOEFFDING, moments, minsup).low;

	low = fmax(low, FimBoundBy(FIM_RULE_BERRY_ESSEEN, moments, minsup).low);
	return fmax(low, FimBoundBy(FIM_RULE_CHERNOFF, moments, minsup).low);
}

static void
JudgeCandidate(const Judging *judging, uint32_t candidate)
{
	const FimProbableSpec *spec = judging->job->spec;
	Judgement  *of = &judging->judgements[candidate];
	FimMoments	moments = MomentsOf(judging->job, judging->t, judging->batch, candidate);
	FimProbableRule rule = FIM_RULE_COUNT;

	of->low = 0;
	of->expected = 0;
	of->verdict = FIM_NO;
	if (moments.n >= judging->job->least_count && FimByExpectation(spec))
	{
		rule = FIM_RULE_EXPECTATION;
		of->verdict = (uint8_t) FimExpectationDecide(spec->min_expected, &moments);
		if (of->verdict != FIM_NO && moments.n >= spec->minsup)
			of->low = LowBound(&moments, spec->minsup);
	}
	else if (moments.n >= judging->job->least_count)
		of->verdict = (uint8_t) FimBoundsDecide(&judging->judge->goal, &moments, &rule, &of->low);
	of->rule = (uint8_t) rule;
	of->is_value = !spec->exact || moments.n < spec->minsup ||
		(of->verdict == FIM_YES && FimBoundsValue(&moments, spec->minsup, &of->low));
}

static void
JudgePart(void *of, uint32_t part, uint32_t thread)
{
	const Judging *judging = of;
	uint32_t	end = (uint32_t) GpuLesser((uint64_t) (part + 1) * PART_CANDIDATES,
										   judging->batch->ncandidates);

	(void) thread;
	for (uint32_t c = part * PART_CANDIDATES; c < end; c++)
		JudgeCandidate(judging, c);
}

/* ---- deciding by convolution ---- */

static int
CompareCounts(const void *a, const void *b)
{
	const Wanted *x = *(const Wanted *const *) a;
	const Wanted *y = *(const Wanted *const *) b;

	return x->moments.n != y->moments.n ? (x->moments.n > y->moments.n) - (x->moments.n < y->moments.n) :
		(x > y) - (x < y);
}

/* Itemsets whose tails the devices compute.  All arrays are the host's. */
typedef struct Computed
{
	Wanted	  **order;			/* ascending by count, so that the itemsets of a share are alike */
	uint32_t   *columns;		/* as in tails.c, in this order, as the counts are */
	uint32_t   *counts;
	FewBatch	few;			/* the first itemsets, which are in few transactions */
	TailBatch	batch;			/* the others */
} Computed;

/* What is known of an itemset's tail when the devices have computed it. */
typedef struct Bounds
{
	FimInterval interval;		/* holds the tail */
	bool		few;			/* the itemset was part of the batch "few" */
	bool		nearest;		/* "value" is known to be the double nearest to the tail */
	double		value;			/* if not, it is not above the tail */
} Bounds;

static void
FreeComputed(ProbableJob *job, Computed *of)
{
	GpuHostFree(&job->team, of->order);
	GpuHostFree(&job->team, of->columns);
	GpuHostFree(&job->team, of->counts);
	GpuHostFree(&job->team, of->few.tails);
	GpuHostFree(&job->team, of->batch.sums);
}

/* Copies the columns of an itemset, filled up to "length" as ProbabilityLists has them. */
static void
PadColumns(const Wanted *one, uint32_t length, uint32_t *to)
{
	memcpy(to, one->columns, sizeof(uint32_t) * one->length);
	for (uint32_t i = one->length; i < length; i++)
		to[i] = GPU_NONE;
}

/* Fills in order, columns and counts.  The longest itemset has "length" columns. */
static cudaError_t
OrderWanted(ProbableJob *job, Wanted *wanted, uint32_t n, uint32_t length, Computed *of)
{
	GPU_TRY(HostTake(job, sizeof(Wanted *) * n, (void **) &of->order));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * (size_t) n * length, (void **) &of->columns));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * n, (void **) &of->counts));
	for (uint32_t i = 0; i < n; i++)
		of->order[i] = &wanted[i];
	qsort(of->order, n, sizeof(Wanted *), CompareCounts);
	for (uint32_t i = 0; i < n; i++)
	{
		PadColumns(of->order[i], length, of->columns + (size_t) i * length);
		of->counts[i] = (uint32_t) of->order[i]->moments.n;
	}
	return HostWork(job, (uint64_t) n * (50 + length));
}

static cudaError_t
ComputeWanted(ProbableJob *job, Transactions *t, Wanted *wanted, uint32_t n, Computed *of)
{
	uint32_t	few = 0;
	uint32_t	length = 0;

	for (uint32_t i = 0; i < n; i++)
		length = (uint32_t) GpuGreater(length, wanted[i].length);
	GPU_TRY(OrderWanted(job, wanted, n, length, of));
	while (few < n && IsFew(&of->order[few]->moments))
		few++;
	of->few = (FewBatch) {length, few, of->columns, NULL};
	of->batch = (TailBatch) {length, n - few, of->columns + (size_t) few * length, of->counts + few, NULL};
	GPU_TRY(HostTake(job, sizeof(FewTail) * few, (void **) &of->few.tails));
	GPU_TRY(HostTake(job, sizeof(TailSums) * (n - few), (void **) &of->batch.sums));
	GPU_TRY(FewCompute(job, t, &of->few));
	return TailsCompute(job, t, &of->batch);
}

/* What is known of the i-th itemset's tail.  The interval is [0, 1] if the devices had no memory for it. */
static Bounds
BoundsOf(const ProbableJob *job, const Computed *of, uint32_t i)
{
	Bounds		bounds = {{0, 1}, i < of->few.n, false, 0};

	if (bounds.few)
	{
		FewTail		tail = of->few.tails[i];

		if (isnan(tail.high))
			return bounds;
		bounds.interval = FewInterval(of->order[i]->length, tail);
		bounds.nearest = FewNearest(of->order[i]->length, tail, &bounds.value);
	}
	else if (!isnan(of->batch.sums[i - of->few.n].tail))
	{
		bounds.interval = TailInterval(job, of->order[i]->length, &of->order[i]->moments,
									   &of->batch.sums[i - of->few.n]);
		bounds.value = bounds.interval.low;
	}
	return bounds;
}

/* Whether the value is good enough to be shown. */
static bool
IsShown(const Bounds *bounds)
{
	return bounds->few ? bounds->nearest : FimTellsValue(bounds->interval);
}

/* Whether the tail reaches the threshold, that is, whether the double nearest to it is not below. */
static FimVerdict
VerdictOnBounds(const Bounds *bounds, double threshold)
{
	if (bounds->nearest)
		return bounds->value >= threshold ? FIM_YES : FIM_NO;
	return VerdictOn(bounds->interval, threshold);
}

/* A function that finishes an itemset when the bounds of its tail are known. */
typedef cudaError_t (*TakeBounds) (ProbableJob *job, Judge *judge, Wanted *one, const Bounds *bounds);

static cudaError_t
TakeValue(ProbableJob *job, Judge *judge, Wanted *one, const Bounds *bounds)
{
	double		value = bounds->value;

	if (!IsShown(bounds))
		GPU_TRY(SettleValue(job, &judge->settler, one->columns, one->length, &value));
	one->low = fmax(one->low, value);
	one->is_value = true;
	return cudaSuccess;
}

static cudaError_t
TakeDecision(ProbableJob *job, Judge *judge, Wanted *one, const Bounds *bounds)
{
	FimVerdict	verdict = VerdictOnBounds(bounds, job->spec->minprob);
	FimProbableRule rule = bounds->few ? FIM_RULE_DOUBLE_DOUBLE : FIM_RULE_CONVOLUTION;

	one->low = job->spec->exact ? bounds->value : bounds->interval.low;
	one->is_value = !job->spec->exact || IsShown(bounds);
	one->reaches = verdict == FIM_YES;
	if (verdict == FIM_OPEN)
	{
		GPU_TRY(SettleItemset(job, &judge->settler, one->columns, one->length, &one->reaches, &one->low, &rule));
		one->is_value = true;
	}
	one->rule = (uint8_t) rule;
	return cudaSuccess;
}

/* Has the devices compute the tails of n itemsets, and calls "take" for each of them. */
static cudaError_t
ComputeAll(ProbableJob *job, Transactions *t, Judge *judge, Wanted *wanted, uint32_t n, TakeBounds take)
{
	Computed	of = {NULL};

	if (n == 0)
		return cudaSuccess;
	GPU_TRY(ComputeWanted(job, t, wanted, n, &of));
	for (uint32_t i = 0; i < n; i++)
	{
		Bounds		bounds = BoundsOf(job, &of, i);

		GPU_TRY(take(job, judge, of.order[i], &bounds));
		job->summary->values++;
		GPU_TRY(HostWork(job, 200));
	}
	FreeComputed(job, &of);
	return cudaSuccess;
}

cudaError_t
JudgeValues(ProbableJob *job, Transactions *t, Judge *judge, Wanted *wanted, uint32_t n)
{
	return ComputeAll(job, t, judge, wanted, n, TakeValue);
}

/* ---- a batch ---- */

/* The columns of a candidate. */
static void
ColumnsOf(const MomentBatch *batch, const MomentLoad *load, uint32_t candidate, uint32_t *columns)
{
	memcpy(columns, batch->columns + (size_t) load->prefix * batch->length, sizeof(uint32_t) * batch->length);
	columns[batch->length] = batch->last[candidate];
}

/* Fills "wanted" with the candidates that are open, in order, and "columns" with the columns of each. */
static cudaError_t
ListOpen(ProbableJob *job, const Transactions *t, const MomentBatch *batch, const Judgement *judgements,
		 Wanted *wanted, uint32_t *columns)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < batch->nloads; i++)
		for (uint32_t c = batch->loads[i].first; c < batch->loads[i].first + batch->loads[i].n; c++)
		{
			if (judgements[c].verdict != FIM_OPEN)
				continue;
			memset(&wanted[n], 0, sizeof(Wanted));
			wanted[n].columns = columns + (size_t) n * (batch->length + 1);
			wanted[n].length = batch->length + 1;
			wanted[n].moments = MomentsOf(job, t, batch, c);
			ColumnsOf(batch, &batch->loads[i], c, columns + (size_t) n * (batch->length + 1));
			n++;
		}
	return HostWork(job, batch->ncandidates);
}

/* Decides by expected support.  That takes no convolution, so the host does it without the devices. */
static cudaError_t
SettleExpectations(ProbableJob *job, Judge *judge, Wanted *wanted, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		GPU_TRY(SettleExpectation(job, &judge->settler, wanted[i].columns, wanted[i].length, &wanted[i].reaches,
								  &wanted[i].expected));
		wanted[i].rule = FIM_RULE_EXPECTATION;
	}
	return cudaSuccess;
}

/* Copies what was found of the open candidates, which "wanted" has in the same order, to their judgements. */
static void
TakeOpen(const ProbableJob *job, Judgement *judgements, uint32_t ncandidates, const Wanted *wanted)
{
	for (uint32_t c = 0; c < ncandidates; c++)
	{
		Judgement  *of = &judgements[c];

		if (of->verdict != FIM_OPEN)
			continue;
		of->verdict = wanted->reaches ? FIM_YES : FIM_NO;
		of->rule = wanted->rule;
		of->expected = wanted->expected;
		if (!FimByExpectation(job->spec))
		{
			of->low = wanted->low;
			of->is_value = wanted->is_value;
		}
		wanted++;
	}
}

cudaError_t
JudgeDoubts(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch, Judgement *judgements,
			uint32_t n)
{
	Wanted	   *wanted;
	uint32_t   *columns;

	GPU_TRY(HostTake(job, sizeof(Wanted) * n, (void **) &wanted));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * (size_t) n * (batch->length + 1), (void **) &columns));
	GPU_TRY(ListOpen(job, t, batch, judgements, wanted, columns));
	if (FimByExpectation(job->spec))
		GPU_TRY(SettleExpectations(job, judge, wanted, n));
	else
		GPU_TRY(ComputeAll(job, t, judge, wanted, n, TakeDecision));
	TakeOpen(job, judgements, batch->ncandidates, wanted);
	GpuHostFree(&job->team, columns);
	GpuHostFree(&job->team, wanted);
	return cudaSuccess;
}

cudaError_t
JudgeBatch(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch, Judgement *judgements)
{
	Judging		judging = {job, t, judge, batch, judgements};
	uint32_t	open = 0;

	GPU_TRY(HostRun(&job->team, GpuBlocks(batch->ncandidates, PART_CANDIDATES), JudgePart, &judging));
	for (uint32_t c = 0; c < batch->ncandidates; c++)
		open += judgements[c].verdict == FIM_OPEN;
	if (open > 0)
		GPU_TRY(JudgeDoubts(job, t, judge, batch, judgements, open));
	for (uint32_t c = 0; c < batch->ncandidates; c++)
		job->summary->settled[judgements[c].rule]++;
	return HostWork(job, batch->ncandidates * 2);
}
