/*-------------------------------------------------------------------------
 *
 * search.c
 *	  Searching level by level, see probable.h.
 *
 * Whether an itemset is closed or maximal is known only when the next level is: it says
 * which members have supersets that are selected, and which of these have the same
 * support.  So where such itemsets are wanted, a level is given out after the next one
 * has been found, and otherwise before.  First come levels, then how they are given out, then
 * the search.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "probable/probable.h"
#include "team.h"

/* ---- members of a level ---- */

static void
InitLevel(ProbableLevel *level, uint32_t k)
{
	memset(level, 0, sizeof(*level));
	level->k = k;
}

cudaError_t
AddMember(ProbableJob *job, ProbableLevel *level, const uint32_t *columns, uint32_t last,
		  const FimMoments *moments, const Judgement *judgement)
{
	uint64_t	at = level->n * level->k;
	Member	   *member;

	GPU_TRY(HostGrow(job, (void **) &level->members, level->n, level->n + 1, &level->room, sizeof(Member)));
	GPU_TRY(HostGrow(job, (void **) &level->columns, at, at + level->k, &level->column_room,
					 sizeof(uint32_t)));
	if (level->k > 0)
	{
		memcpy(level->columns + at, columns, sizeof(uint32_t) * (level->k - 1));
		level->columns[at + level->k - 1] = last;
	}
	member = &level->members[level->n++];
	member->moments = *moments;
	if (judgement->expected > 0)
		member->moments.mean = judgement->expected;
	member->low = judgement->low;
	member->is_value = judgement->is_value;
	member->flags = 0;
	return cudaSuccess;
}

/* ---- its classes ---- */

static bool
SameClass(const ProbableLevel *level, uint64_t a, uint64_t b)
{
	return memcmp(level->columns + a * level->k, level->columns + b * level->k,
				  sizeof(uint32_t) * (level->k - 1)) == 0;
}

static cudaError_t
FindClasses(ProbableJob *job, ProbableLevel *level)
{
	uint64_t	end;

	GPU_TRY(HostGrow(job, (void **) &level->class_end, 0, level->n, &level->end_room, sizeof(uint32_t)));
	for (uint64_t first = 0; first < level->n; first = end)
	{
		end = first + 1;
		while (end < level->n && level->k > 0 && SameClass(level, first, end))
			end++;
		for (uint64_t m = first; m < end; m++)
			level->class_end[m] = (uint32_t) end;
		GPU_TRY(HostWork(job, (end - first) * level->k));
	}
	return cudaSuccess;
}

/* ---- its table ---- */

/* A column's part of the hash of a set of columns, which is the sum of these parts. */
static inline uint64_t
HashColumn(uint32_t column)
{
	uint64_t	x = (column + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 29);
}

static inline uint64_t
FirstBucket(const ProbableLevel *level, uint64_t hash)
{
	return (hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (level->nbuckets - 1);
}

static cudaError_t
MakeTable(ProbableJob *job, ProbableLevel *level)
{
	level->nbuckets = 16;
	while (level->nbuckets < 2 * level->n)
		level->nbuckets *= 2;
	GPU_TRY(HostTake(job, sizeof(uint32_t) * level->nbuckets, (void **) &level->buckets));
	memset(level->buckets, 0xff, sizeof(uint32_t) * level->nbuckets);
	for (uint64_t m = 0; m < level->n; m++)
	{
		uint64_t	hash = 0;
		uint64_t	bucket;

		for (uint32_t i = 0; i < level->k; i++)
			hash += HashColumn(level->columns[m * level->k + i]);
		for (bucket = FirstBucket(level, hash); level->buckets[bucket] != GPU_NONE;)
			bucket = (bucket + 1) & (level->nbuckets - 1);
		level->buckets[bucket] = (uint32_t) m;
		GPU_TRY(HostWork(job, level->k + 10));
	}
	return cudaSuccess;
}

/* Whether a member has all of the k + 1 columns but columns[without]. */
static bool
IsSubset(const ProbableLevel *level, uint32_t member, const uint32_t *columns, uint32_t without)
{
	const uint32_t *of = level->columns + (uint64_t) member * level->k;

	return memcmp(of, columns, sizeof(uint32_t) * without) == 0 &&
		memcmp(of + without, columns + without + 1, sizeof(uint32_t) * (level->k - without)) == 0;
}

/* The member that has all of the k + 1 columns but columns[without]; GPU_NONE if there is no such member. */
static uint32_t
FindMember(const ProbableLevel *level, const uint32_t *columns, uint32_t without)
{
	uint64_t	hash = 0;
	uint64_t	bucket;

	for (uint32_t i = 0; i <= level->k; i++)
		if (i != without)
			hash += HashColumn(columns[i]);
	for (bucket = FirstBucket(level, hash); level->buckets[bucket] != GPU_NONE;
		 bucket = (bucket + 1) & (level->nbuckets - 1))
		if (IsSubset(level, level->buckets[bucket], columns, without))
			return level->buckets[bucket];
	return GPU_NONE;
}

/* When all members have been added: sets class_end, and makes the table if "find" is true. */
static cudaError_t
CompleteLevel(ProbableJob *job, ProbableLevel *level, bool find)
{
	GPU_TRY(FindClasses(job, level));
	return find ? MakeTable(job, level) : cudaSuccess;
}

void
FreeLevel(ProbableJob *job, ProbableLevel *level)
{
	void	   *all[] = {level->members, level->columns, level->class_end, level->partner_at, level->partners,
	level->buckets};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GpuHostFree(&job->team, all[i]);
	InitLevel(level, level->k);
}

/* ---- giving out ---- */

/*
 * Itemsets whose values are still to be computed wait, over several levels, until there are enough
 * to keep the devices busy.  They stop waiting when there are this many of them, or when the sum of
 * their numbers of transactions is above the second limit, which keeps an H200 busy for about 25 ms.
 */
#define MOST_WAITING		65536
#define MOST_TRANSACTIONS	(UINT64_C(1) << 28)

static void
ResultsInit(const ProbableJob *job, Results *results)
{
	memset(results, 0, sizeof(*results));
	results->records.sink = job->sink;
}

static bool
IsGiven(const ProbableJob *job, const Member *member)
{
	switch (job->spec->kind)
	{
		case FIM_CLOSED:
			return (member->flags & HAS_EQUAL) == 0;
		case FIM_MAXIMAL:
			return member->flags == 0;
		default:
			return true;
	}
}

/*
 * Is a member of the task's part, as all itemsets are that begin with its first column?  That is its rarest item.
 */
static bool
IsOfPart(const ProbableJob *job, const ProbableLevel *level, uint64_t member)
{
	return job->has_class == NULL || job->has_class[level->k > 0 ? level->columns[member * level->k] : job->nfree];
}

/* ---- giving out: records ---- */

/* Writes the numbers of an itemset's items in ascending order; those of the required items are the lowest. */
static void
NameItems(const ProbableJob *job, const uint32_t *columns, uint32_t ncolumns, uint32_t *to)
{
	uint32_t	nrequired = job->spec->nrequired;

	for (uint32_t i = 0; i < nrequired; i++)
		to[i] = i;
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		uint32_t	name = job->name[columns[i]];
		uint32_t	at = nrequired + i;

		for (; at > nrequired && to[at - 1] > name; at--)
			to[at] = to[at - 1];
		to[at] = name;
	}
}

/*
 * The probability to show.  The itemset is selected, so the float8 nearest to its probability is not
 * below minprob, although the lower bound may be.
 */
static double
ShownProbability(const ProbableJob *job, double low)
{
	return low < job->spec->minprob ? job->spec->minprob : low;
}

/* Gives out an itemset that has ncolumns columns besides the required ones. */
static cudaError_t
GiveItemset(ProbableJob *job, const uint32_t *columns, uint32_t ncolumns, const FimMoments *moments, double low,
			GpuRecords *records)
{
	uint32_t	nitems = job->spec->nrequired + ncolumns;
	double		probability = ShownProbability(job, low);
	uint32_t   *to;

	GPU_TRY(GpuAddRecord(&job->team, records, FIM_PROBABLE_RECORD_WORDS(nitems), &to));
	*to++ = nitems;
	NameItems(job, columns, ncolumns, to);
	to += nitems;
	memcpy(to, &probability, sizeof(double));
	memcpy(to + 2, &moments->mean, sizeof(double));
	to[4] = (uint32_t) moments->n;
	return cudaSuccess;
}

/* ---- giving out: waiting ---- */

/* Has a member wait.  Its columns become the required ones, then its own. */
static cudaError_t
Wait(ProbableJob *job, const ProbableLevel *level, uint64_t number, Results *results)
{
	const Member *member = &level->members[number];
	uint32_t	nrequired = job->spec->nrequired;
	uint32_t	length = nrequired + level->k;
	Wanted	   *one;
	uint32_t   *to;

	GPU_TRY(HostGrow(job, (void **) &results->wanted, results->n, (uint64_t) results->n + 1,
					 &results->wanted_room, sizeof(Wanted)));
	GPU_TRY(HostGrow(job, (void **) &results->columns, results->ncolumns, results->ncolumns + length,
					 &results->column_room, sizeof(uint32_t)));
	one = &results->wanted[results->n++];
	memset(one, 0, sizeof(*one));
	one->length = length;
	one->moments = member->moments;
	one->low = member->low;
	to = results->columns + results->ncolumns;
	for (uint32_t i = 0; i < nrequired; i++)
		*to++ = job->nfree + i;
	memcpy(to, level->columns + number * level->k, sizeof(uint32_t) * level->k);
	results->ncolumns += length;
	results->transactions += member->moments.n;
	return HostWork(job, 20 + length);
}

/* Computes the values of the itemsets that wait, and gives these out. */
static cudaError_t
GiveWaiting(ProbableJob *job, Transactions *t, Judge *judge, Results *results)
{
	const uint32_t *columns = results->columns;
	uint32_t	nrequired = job->spec->nrequired;

	for (uint32_t i = 0; i < results->n; i++)
	{
		results->wanted[i].columns = columns;
		columns += results->wanted[i].length;
	}
	GPU_TRY(JudgeValues(job, t, judge, results->wanted, results->n));
	for (uint32_t i = 0; i < results->n; i++)
	{
		const Wanted *one = &results->wanted[i];

		GPU_TRY(GiveItemset(job, one->columns + nrequired, one->length - nrequired, &one->moments, one->low,
							&results->records));
	}
	results->n = 0;
	results->transactions = results->ncolumns = 0;
	return GpuEndRecords(&job->team, &results->records);
}

/* ---- giving out: levels ---- */

/* Gives out a member, or has it wait if its value is wanted and not known. */
static cudaError_t
GiveMember(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level, uint64_t number,
		   Results *results)
{
	const Member *member = &level->members[number];

	if (job->spec->head.count_only)
	{
		GpuCountResult(&job->team);
		return cudaSuccess;
	}
	if (!job->spec->exact || member->is_value)
		return GiveItemset(job, level->columns + number * level->k, level->k, &member->moments, member->low,
						   &results->records);
	if (results->n == MOST_WAITING || results->transactions > MOST_TRANSACTIONS)
		GPU_TRY(GiveWaiting(job, t, judge, results));
	return Wait(job, level, number, results);
}

cudaError_t
GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level, Results *results)
{
	uint32_t	nitems = job->spec->nrequired + level->k;

	if (nitems == 0 || nitems < job->spec->min_length || nitems > job->spec->max_length)
		return cudaSuccess;
	for (uint64_t m = 0; m < level->n; m++)
		if (IsGiven(job, &level->members[m]) && IsOfPart(job, level, m))
			GPU_TRY(GiveMember(job, t, judge, level, m, results));
	return GpuEndRecords(&job->team, &results->records);
}

/* ---- the search ---- */

#define MOST_CANDIDATES	(1u << 20)	/* of a batch */

typedef struct SearchState
{
	ProbableJob *job;
	Transactions *t;
	Judge		judge;
	const ProbableStrategy *strategy;
	void	   *of;
	ProbableLevel levels[2];
	ProbableBatch batch;
	Results		results;

	/* the next candidate: a member of the level, and one of its partners */
	uint64_t	member;
	uint32_t	partner;		/* number of the partner among the member's */
} SearchState;

/* ---- the search: candidates ---- */

/*
 * How many partners a member has.  One that is of no use to the task's part has none: the itemsets that extend it are of the same
 * class as it is.  But those of other classes say which itemsets are closed or maximal.
 */
static uint32_t
PartnersOf(const ProbableJob *job, const ProbableLevel *level, uint64_t member)
{
	if (job->spec->kind == FIM_ALL && !IsOfPart(job, level, member))
		return 0;
	return level->partner_at != NULL ? level->partner_at[member + 1] - level->partner_at[member] :
		level->class_end[member] - (uint32_t) member - 1;
}

static uint32_t
PartnerAt(const ProbableLevel *level, uint64_t member, uint32_t i)
{
	return level->partner_at != NULL ? level->partners[level->partner_at[member] + i] :
		(uint32_t) member + 1 + i;
}

/*
 * Takes memory for batches of as many candidates as can be judged together, at most ncandidates.
 * Prefixes have "length" columns.
 */
static cudaError_t
OpenBatch(SearchState *state, uint32_t length, uint64_t ncandidates)
{
	ProbableJob *job = state->job;
	ProbableBatch *batch = &state->batch;
	uint64_t	room = state->strategy->room(job, state->t, state->of, length + 1);

	memset(batch, 0, sizeof(*batch));
	if (room == 0)
		return GpuOutOfMemory(job->team.devices[0], GpuRoom(job->team.devices[0]) + 1,
							  "allocating memory for candidates");
	room = GpuBetween(1, ncandidates, GpuLesser(room, MOST_CANDIDATES));
	batch->room = (uint32_t) room;
	batch->moments.length = length;
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room * length, (void **) &batch->moments.columns));
	GPU_TRY(HostTake(job, sizeof(MomentLoad) * room, (void **) &batch->moments.loads));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room, (void **) &batch->moments.last));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room, (void **) &batch->moments.counts));
	GPU_TRY(HostTake(job, sizeof(double) * MOMENT_SUMS * room, (void **) &batch->moments.sums));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room, (void **) &batch->member));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room, (void **) &batch->partner));
	return HostTake(job, sizeof(Judgement) * room, (void **) &batch->judgements);
}

static void
CloseBatch(SearchState *state)
{
	ProbableBatch *batch = &state->batch;
	void	   *all[] = {batch->moments.columns, batch->moments.loads, batch->moments.last,
		batch->moments.counts, batch->moments.sums, batch->member, batch->partner,
	batch->judgements};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GpuHostFree(&state->job->team, all[i]);
	memset(batch, 0, sizeof(*batch));
}

static void
EmptyBatch(ProbableBatch *batch)
{
	batch->moments.nprefixes = batch->moments.nloads = batch->moments.ncandidates = 0;
}

/* Adds a prefix to the batch: the required columns, then n columns of a member. */
static void
AddPrefix(const ProbableJob *job, ProbableBatch *batch, const uint32_t *columns, uint32_t n)
{
	uint32_t   *to = batch->moments.columns + (size_t) batch->moments.nprefixes++ * batch->moments.length;
	uint32_t	nrequired = batch->moments.length - n;

	for (uint32_t i = 0; i < nrequired; i++)
		*to++ = job->nfree + i;
	memcpy(to, columns, sizeof(uint32_t) * n);
}

/* Adds a candidate of the prefix that was added last. */
static void
AddCandidate(ProbableBatch *batch, uint32_t member, uint32_t partner, uint32_t last)
{
	MomentBatch *moments = &batch->moments;
	uint32_t	c = moments->ncandidates++;
	MomentLoad *load = moments->loads + moments->nloads;

	moments->last[c] = last;
	batch->member[c] = member;
	batch->partner[c] = partner;
	if (c > 0 && load[-1].prefix == moments->nprefixes - 1 && load[-1].n < MOMENT_LOAD)
		load[-1].n++;
	else
	{
		*load = (MomentLoad) {moments->nprefixes - 1, c, 1};
		moments->nloads++;
	}
}

/* Fills the batch with the next candidates of a level. */
static cudaError_t
FillBatch(SearchState *state, const ProbableLevel *level)
{
	ProbableBatch *batch = &state->batch;

	EmptyBatch(batch);
	for (; state->member < level->n && batch->moments.ncandidates < batch->room; state->member++)
	{
		uint32_t	n = PartnersOf(state->job, level, state->member);

		if (state->partner < n)
			AddPrefix(state->job, batch, level->columns + state->member * level->k, level->k);
		for (; state->partner < n && batch->moments.ncandidates < batch->room; state->partner++)
		{
			uint32_t	partner = PartnerAt(level, state->member, state->partner);

			AddCandidate(batch, (uint32_t) state->member, partner,
						 level->columns[(uint64_t) partner * level->k + level->k - 1]);
		}
		if (state->partner < n)
			break;
		state->partner = 0;
		GPU_TRY(HostWork(state->job, 2 * n + level->k));
	}
	return cudaSuccess;
}

/* ---- the search: supersets ---- */

/*
 * Sets *same to whether an itemset of the next level has the same support in every outcome
 * as "member" of this level, which has the same columns but the one at "without".
 */
static cudaError_t
HasSameSupport(SearchState *state, const ProbableLevel *level, const Member *member,
			   const ProbableLevel *next, uint64_t superset, uint32_t without, bool *same)
{
	ProbableJob *job = state->job;
	const Member *of = &next->members[superset];
	uint32_t	nrequired = job->spec->nrequired;
	uint32_t   *columns;

	*same = of->moments.n == member->moments.n;
	if (!*same || !job->data->by_entry)
		return cudaSuccess;
	/* both means are known to far more than this */
	*same = fabs(of->moments.mean - member->moments.mean) <= 1e-8 * member->moments.mean;
	if (!*same)
		return cudaSuccess;
	GPU_TRY(HostTake(job, sizeof(uint32_t) * (nrequired + next->k), (void **) &columns));
	for (uint32_t i = 0; i < nrequired; i++)
		columns[i] = job->nfree + i;
	memcpy(columns + nrequired, next->columns + superset * next->k, sizeof(uint32_t) * next->k);
	GPU_TRY(SettleCertain(job, &state->judge.settler, columns, nrequired + next->k,
						  columns[nrequired + without], same));
	GpuHostFree(&job->team, columns);
	return cudaSuccess;
}

static cudaError_t
FlagMember(SearchState *state, ProbableLevel *level, uint32_t number, const ProbableLevel *next,
		   uint64_t superset, uint32_t without)
{
	Member	   *member = &level->members[number];
	bool		same;

	member->flags |= HAS_SUPERSET;
	if (state->job->spec->kind != FIM_CLOSED || (member->flags & HAS_EQUAL) != 0)
		return cudaSuccess;
	GPU_TRY(HasSameSupport(state, level, member, next, superset, without, &same));
	if (same)
		member->flags |= HAS_EQUAL;
	return cudaSuccess;
}

/* Sets the flags of all subsets that a new member of the next level has on this level. */
static cudaError_t
FlagSubsets(SearchState *state, ProbableLevel *level, const ProbableLevel *next, uint64_t superset,
			uint32_t member, uint32_t partner)
{
	uint32_t	k = level->k;

	GPU_TRY(FlagMember(state, level, member, next, superset, k));
	if (k > 0)
		GPU_TRY(FlagMember(state, level, partner, next, superset, k - 1));
	for (uint32_t without = 0; without + 1 < k; without++)
	{
		uint32_t	number = FindMember(level, next->columns + superset * next->k, without);

		if (number != GPU_NONE)
			GPU_TRY(FlagMember(state, level, number, next, superset, without));
	}
	return HostWork(state->job, 20 * (k + 1));
}

/* ---- the search: batches ---- */

/* Adds the selected candidates of a batch to the next level. */
static cudaError_t
TakeBatch(SearchState *state, ProbableLevel *level, ProbableLevel *next)
{
	ProbableJob *job = state->job;
	ProbableBatch *batch = &state->batch;
	const MomentBatch *moments = &batch->moments;
	uint64_t	first = next->n;

	for (uint32_t c = 0; c < moments->ncandidates; c++)
	{
		FimMoments	of;

		if (batch->judgements[c].verdict != FIM_YES)
			continue;
		of = MomentsOf(job, state->t, moments, c);
		GPU_TRY(AddMember(job, next, level->columns + (uint64_t) batch->member[c] * level->k,
						 moments->last[c], &of, &batch->judgements[c]));
		if (job->spec->kind != FIM_ALL && next->k > 0)
			GPU_TRY(FlagSubsets(state, level, next, next->n - 1, batch->member[c], batch->partner[c]));
	}
	if (state->strategy->taken != NULL)
		GPU_TRY(state->strategy->taken(job, state->t, state->of, batch, next, first));
	return HostWork(job, moments->ncandidates);
}

static cudaError_t
DoBatch(SearchState *state, ProbableLevel *level, ProbableLevel *next)
{
	FimShared  *shared = state->job->team.shared;

	GPU_TRY(state->strategy->judge(state->job, state->t, &state->judge, state->of, level, &state->batch));
	GPU_TRY(TakeBatch(state, level, next));
	__atomic_fetch_add(&shared->nodes, state->batch.moments.ncandidates, __ATOMIC_RELAXED);
	return cudaSuccess;
}

/*
 * Judges n candidates of one prefix, which is the first "length" required columns.  The candidates'
 * last columns are first .. first + n - 1.  The prefix is the root, or the root itself is the candidate.
 */
static cudaError_t
DoPrefix(SearchState *state, ProbableLevel *level, ProbableLevel *next, uint32_t length, uint32_t first,
	   uint32_t n)
{
	uint32_t	done = 0;

	if (n == 0)
		return cudaSuccess;
	GPU_TRY(OpenBatch(state, length, n));
	while (done < n)
	{
		EmptyBatch(&state->batch);
		AddPrefix(state->job, &state->batch, NULL, 0);
		for (; done < n && state->batch.moments.ncandidates < state->batch.room; done++)
			AddCandidate(&state->batch, 0, 0, first + done);
		GPU_TRY(DoBatch(state, level, next));
	}
	CloseBatch(state);
	return cudaSuccess;
}

/* ---- the search: levels ---- */

static uint64_t
CandidatesOf(const ProbableJob *job, const ProbableLevel *level)
{
	uint64_t	n = 0;

	for (uint64_t m = 0; m < level->n; m++)
		n += PartnersOf(job, level, m);
	return n;
}

/* Progress counts the members of all levels. */
static void
BeginProgress(SearchState *state, const ProbableLevel *level)
{
	__atomic_fetch_add(&state->job->team.shared->total, level->n, __ATOMIC_RELAXED);
}

static void
EndProgress(SearchState *state, const ProbableLevel *level)
{
	__atomic_fetch_add(&state->job->team.shared->done, level->n, __ATOMIC_RELAXED);
}

static cudaError_t
NextLevel(SearchState *state, ProbableLevel *level, ProbableLevel *next)
{
	ProbableJob *job = state->job;
	uint64_t	n;

	if (level->k == 0)
		return DoPrefix(state, level, next, job->spec->nrequired, 0, job->nfree);
	if (level->k == 1)
		GPU_TRY(PairsFind(job, state->t, level));
	n = CandidatesOf(job, level);
	if (n == 0)
		return cudaSuccess;
	state->member = state->partner = 0;
	GPU_TRY(OpenBatch(state, job->spec->nrequired + level->k, n));
	while (state->member < level->n)
	{
		GPU_TRY(FillBatch(state, level));
		if (state->batch.moments.ncandidates > 0)
			GPU_TRY(DoBatch(state, level, next));
	}
	CloseBatch(state);
	return cudaSuccess;
}

/*
 * The last level whose members are judged.  For closed or maximal itemsets, that is one more than the
 * length limit allows, since it tells which of the longest itemsets are closed or maximal.
 */
static uint64_t
LastLevel(const ProbableJob *job)
{
	uint64_t	last = (uint64_t) job->spec->max_length - job->spec->nrequired;

	return job->spec->kind == FIM_ALL ? last : last + 1;
}

/*
 * Makes the level of the root: the itemset of the required items if that is selected, or the empty
 * itemset, which all rows hold.
 */
static cudaError_t
FindRoot(SearchState *state, ProbableLevel *root)
{
	ProbableJob *job = state->job;
	uint32_t	nrequired = job->spec->nrequired;
	Judgement	judgement = {0, FIM_YES, FIM_RULE_COUNT, true};
	FimMoments	moments = {job->data->nrows, 0, 0, 0, 0, 0};
	ProbableLevel none;

	InitLevel(&none, 0);
	InitLevel(root, 0);
	if (nrequired == 0)
		return AddMember(job, root, NULL, 0, &moments, &judgement);
	none.n = 1;
	none.members = root->members;
	return DoPrefix(state, &none, root, nrequired - 1, job->nfree + nrequired - 1, 1);
}

static cudaError_t
DoLevels(SearchState *state)
{
	ProbableJob *job = state->job;
	ProbableLevel *level = &state->levels[0];
	ProbableLevel *next = &state->levels[1];
	uint64_t	last = LastLevel(job);

	GPU_TRY(FindRoot(state, level));
	while (level->n > 0)
	{
		ProbableLevel *done = level;

		GPU_TRY(CompleteLevel(job, level, job->spec->kind != FIM_ALL && level->k > 1));
		InitLevel(next, level->k + 1);
		if (state->strategy->end_level != NULL)
			GPU_TRY(state->strategy->end_level(job, state->of, level));
		BeginProgress(state, level);
		if (job->spec->kind == FIM_ALL)
			GPU_TRY(GiveLevel(job, state->t, &state->judge, level, &state->results));
		if (level->k < last)
			GPU_TRY(NextLevel(state, level, next));
		if (job->spec->kind != FIM_ALL)
			GPU_TRY(GiveLevel(job, state->t, &state->judge, level, &state->results));
		EndProgress(state, level);
		FreeLevel(job, done);
		level = next;
		next = done;
	}
	return GiveWaiting(job, state->t, &state->judge, &state->results);
}

cudaError_t
Search(ProbableJob *job, Transactions *t, const ProbableStrategy *strategy, void *of)
{
	SearchState state;
	cudaError_t error;

	memset(&state, 0, sizeof(state));
	state.job = job;
	state.t = t;
	state.strategy = strategy;
	state.of = of;
	job->team.shared->total = job->team.shared->done = 0;
	JudgeInit(job, &state.judge);
	ResultsInit(job, &state.results);
	error = DoLevels(&state);
	JudgeEnd(&state.judge);
	return error;
}

/* ---- the strategy "bounds" ---- */

static uint32_t
BoundsRoom(const ProbableJob *job, const Transactions *t, void *of, uint32_t length)
{
	uint64_t	n = (uint64_t) MomentsRoom(job, GpuLeastRoom(&job->team), length) * (uint64_t) job->team.ndevices;

	(void) t;
	(void) of;
	return (uint32_t) GpuLesser(n, UINT32_MAX);
}

static cudaError_t
JudgeByBounds(ProbableJob *job, Transactions *t, Judge *judge, void *of, const ProbableLevel *level,
			  ProbableBatch *batch)
{
	(void) of;
	(void) level;
	GPU_TRY(MomentsSum(job, t, &batch->moments));
	return JudgeBatch(job, t, judge, &batch->moments, batch->judgements);
}

const ProbableStrategy search_by_bounds = {
	.room = BoundsRoom,
	.judge = JudgeByBounds
};
