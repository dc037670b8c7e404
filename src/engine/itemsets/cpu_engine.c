/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The CPU engine: workers take prefix classes until none is left.  Tasks of rules are association.c's,
 *	  and those of candidates candidate_supports.c's.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/parts.h"
#include "known.h"
#include "miner.h"

#include <string.h>

static inline const FimItemsetsSpec *
SpecOf(const FimTask *task)
{
	return (const FimItemsetsSpec *) task->spec;
}

static inline const FimDatabase *
DatabaseOf(const FimTask *task)
{
	return (const FimDatabase *) task->data;
}

/*
 * A unit of work is a prefix class.  There is one for the items that all
 * transactions hold, and one for each other item.  If itemsets need one of the last items, the
 * classes of the others have none that is wanted.
 */
static uint64_t
ItemsetsUnits(const FimTask *task)
{
	const FimDatabase *db = DatabaseOf(task);
	uint32_t	perfect;

	if (SpecOf(task)->rules)
		return RulesUnits(task);
	if (SpecOf(task)->candidates)
		return CandidatesUnits(task);
	if (SpecOf(task)->nany > 0)
		return 1 + SpecOf(task)->nany;
	RootItems(SpecOf(task), db, &perfect);
	return 1 + db->nitems - perfect;
}

/*
 * Workers that mine maximal itemsets tell each other through the shared state which they have found; those that look for
 * the threshold of the best ones, which scores they have met.
 */
static size_t
ItemsetsSharedSize(const FimTask *task)
{
	if (SpecOf(task)->best > 0)
		return sizeof(FimBest);
	return SpecOf(task)->kind == FIM_MAXIMAL ? KnownSharedSize(DatabaseOf(task)->entries) : 0;
}

static void
ItemsetsSharedInit(const FimTask *task)
{
	if (SpecOf(task)->best > 0)
		FimBestInit(FimBestOf(task->shared), SpecOf(task)->best,
					SpecOf(task)->rules ? ((const FimRulesSpec *) task->spec)->least : SpecOf(task)->minsup);
	else if (SpecOf(task)->kind == FIM_MAXIMAL)
		KnownSharedInit(task->shared, DatabaseOf(task));
}

static size_t
ItemsetsSummarySize(const FimTask *task)
{
	if (SpecOf(task)->rules)
		return sizeof(FimRulesSummary);
	if (SpecOf(task)->candidates)
		return CandidatesSummarySize(task);
	if (!task->spec->count_only || SpecOf(task)->best > 0)
		return 0;
	return FimTallyLengths(SpecOf(task), DatabaseOf(task)) * sizeof(FimCount);
}

/* A summary as a tally.  If the summary is constant, it must not be changed through this. */
static FimTally
TallyOf(const FimTask *task, const void *summary)
{
	FimTally	tally;

	tally.lengths = FimTallyLengths(SpecOf(task), DatabaseOf(task));
	tally.counts = (FimCount *) summary;
	return tally;
}

static void
ItemsetsSummaryAdd(const FimTask *task, void *into, const void *from)
{
	FimTally	sum;
	FimTally	added;

	if (SpecOf(task)->rules)
	{
		RulesSummaryAdd(into, from);
		return;
	}
	if (SpecOf(task)->candidates)
	{
		CandidatesSummaryAdd(task, into, from);
		return;
	}
	sum = TallyOf(task, into);
	added = TallyOf(task, from);
	FimTallyAdd(&sum, &added);
}

static size_t
IndexedSize(const FimData *data)
{
	return FimDatabaseIndexedSize((const FimDatabase *) data);
}

static bool
Index(FimData *data, FimHost *host)
{
	return FimDatabaseIndex((FimDatabase *) data, host);
}

/*
 * If there are few items, the whole database is one bit matrix, and a class is a column
 * of it.  Otherwise classes are cut from the rows.
 */
static bool
RootIsMatrix(const Miner *m, const View *view)
{
	return m->spec->head.strategy != FIM_PROJECTED &&
		view->nclasses > view->skip && view->nclasses - view->skip <= MERGED_COLUMNS;
}

static void
MineColumn(Miner *m, const Node *root, uint32_t j)
{
	if (m->spec->kind == FIM_ALL)
		MineAllColumn(m, root, j, true);
	else if (m->spec->kind == FIM_MAXIMAL)
		MineMaximalRootColumn(m, root, j);
	else
		MineClosedRootColumn(m, root, j);
}

/*
 * If no itemset was extended, no strategy has been noted when all units are done.  Then it is
 * "bitmap" if the spec asks for that, and otherwise "projected", since the rows have shown that
 * there is nothing to extend.
 */
static void
NoteStrategy(Miner *m)
{
	FimShared  *shared = m->shared;
	int			strategy = m->spec->head.strategy;

	if (__atomic_load_n(&shared->strategies, __ATOMIC_RELAXED) == 0 &&
		__atomic_load_n(&shared->done, __ATOMIC_RELAXED) == shared->total)
		FimStrategyUsed(shared, strategy == FIM_BITMAP ? FIM_BITMAP : FIM_PROJECTED);
}

/*
 * Mine class number "taken".  Class 0 is the itemset of the items that are in all transactions.  If the task looks
 * for a threshold, the classes of the most frequent items come first, so that it is high before the others come;
 * otherwise last.
 */
static void
MineOneClass(Miner *m, const View *view, const Node *root, uint32_t taken)
{
	uint32_t	i = m->counter != NULL ? FirstClass(m->spec, m->db, view->skip) + taken - 1 : m->db->nitems - taken;

	if (taken == 0)
	{
		if (m->spec->nany == 0 && HasRoot(m->dealt))
			RootEmit(m, view->nclasses > view->skip);
	}
	else if (i >= view->nclasses || m->out.depth >= m->out.max_depth ||
			 !OutputReaches(&m->out, m->out.nperfect + i - view->skip + 1))
		return;
	else if (FimBeginUnit(m->dealt, i))
	{
		if (m->spec->kind == FIM_MAXIMAL)
			KnownBeginClass(m, taken);
		if (root->k > 0)
			MineColumn(m, root, i - view->skip);
		else
			MineClass(m, view, i);
		if (m->spec->kind == FIM_MAXIMAL)
			KnownEndClass(m);
		FimEndUnit(m->dealt, i);
	}
}

static void
MineClasses(Miner *m)
{
	View		view;
	Node		root = {.k = 0};
	uint64_t	taken;

	if (m->spec->kind == FIM_CLOSED)
		TablesInit(m);
	ViewOfDatabase(m, &view);
	RootBegin(m, view.skip);
	if (MinesRowSets(m->spec, m->db))
	{
		MineRowSets(m, &view);
		return;
	}
	if (RootIsMatrix(m, &view))
	{
		FimStrategyUsed(m->shared, FIM_BITMAP);
		NodeOfView(m, &view, &root);
	}
	else
		ViewScratch(m, &view);
	while (FimTakeUnit(m->shared, m->sink, &taken))
	{
		MineOneClass(m, &view, &root, taken);
		FimUnitDone(m->shared);
		MinerPoll(m);
	}
	NoteStrategy(m);
	/* a canceled job is not done, although no class may be left */
	MinerPoll(m);
}

static FimResult
ItemsetsMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	const FimItemsetsSpec *spec = SpecOf(task);
	Miner		m;
	FimResult	result;

	if (spec->rules)
		return RulesMine(task, host, sink);
	if (spec->candidates)
		return CandidatesMine(task, host);
	if (spec->max_length < spec->nrequired)
		return FIM_DONE;
	MinerInit(&m, spec, DatabaseOf(task), task->shared, host, sink);
	m.kernels = FimCurrentKernels();
	result = (FimResult) setjmp(m.leave);
	if (result == FIM_DONE)
	{
		OutputInit(&m);
		if (FimIsPart(&spec->head.part))
		{
			m.dealt = ArenaAlloc(&m.arena, sizeof(FimDealt));
			DealClasses(m.dealt, spec, DatabaseOf(task), &m.arena);
		}
		if (spec->best > 0)
		{
			m.counter = ArenaAlloc(&m.arena, sizeof(FimBestCounter));
			FimBestBegin(m.counter, FimBestOf(task->shared));
		}
		if (spec->kind != FIM_MAXIMAL || MinesRowSets(spec, DatabaseOf(task)) || KnownInit(&m))
			MineClasses(&m);
		OutputFlush(&m);
		if (m.counter != NULL)
			FimBestTell(m.counter);
		if (spec->head.count_only && spec->best == 0)
		{
			FimTally	tally = TallyOf(task, task->summary);

			OutputTally(&m, &tally);
		}
		MinerShareFigures(&m);
	}
	OutputFree(&m);
	KnownFree(&m);
	ArenaFree(&m.arena);
	return result;
}

/* Counters of all items, and where these are few all rows as patterns, while they are merged and made columns. */
static uint64_t
ItemsetsWorkerSize(const FimTask *task)
{
	const FimDatabase *db = DatabaseOf(task);

	if (SpecOf(task)->rules)
		return 0;
	return 2 * sizeof(uint32_t) * (uint64_t) db->nitems +
		(db->nitems <= MERGED_COLUMNS ? 4 * sizeof(uint64_t) * (uint64_t) db->nrows : 0);
}

static const char *const strategies[] = {"auto", "bitmap", "projected", "rows", NULL};
static const char *const gpu_strategies[] = FIM_ITEMSETS_GPU_STRATEGY_NAMES;

const FimFamily FimItemsetsFamily = {
	.name = "itemsets",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = ItemsetsUnits,
	.shared_size = ItemsetsSharedSize,
	.shared_init = ItemsetsSharedInit,
	.summary_size = ItemsetsSummarySize,
	.summary_add = ItemsetsSummaryAdd,
	.cpu_size = IndexedSize,
	.cpu_prepare = Index,
	.cpu_fill = FimDatabaseFill,
	.mine = ItemsetsMine,
	.worker_size = ItemsetsWorkerSize
};
