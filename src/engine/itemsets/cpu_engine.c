/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The CPU engine: workers take prefix classes until none is left.
 *
 *-------------------------------------------------------------------------
 */
#include "known.h"

#include <string.h>

/* One for the items in all transactions, one for each item that is not. */
static uint32_t
Classes(const FimJob *job, const FimDatabase *db)
{
	uint32_t	perfect;

	MinerFrequentItems(job, db, &perfect);
	return 1 + db->nitems - perfect;
}

size_t
FimSharedSize(const FimJob *job, const FimDatabase *db)
{
	if (job->kind != FIM_MAXIMAL)
		return sizeof(FimShared);
	return sizeof(FimShared) + KnownSharedSize(db);
}

void
FimSharedInit(FimShared *shared, const FimJob *job, const FimDatabase *db)
{
	memset(shared, 0, sizeof(FimShared));
	shared->size = FimSharedSize(job, db);
	shared->classes = Classes(job, db);
	if (job->kind == FIM_MAXIMAL)
		KnownSharedInit(shared, db);
}

/*
 * Few items: the whole database is one bit matrix, and a class is a column of
 * it.  More: classes are cut from the rows.
 */
static bool
RootIsMatrix(const Miner *m, const View *view)
{
	return m->job->strategy != FIM_PROJECTED &&
		view->nclasses > view->skip && view->nclasses - view->skip <= MERGED_COLUMNS;
}

static void
MineColumn(Miner *m, const Node *root, uint32_t j)
{
	if (m->job->kind == FIM_ALL)
		MineAllColumn(m, root, j, true);
	else if (m->job->kind == FIM_MAXIMAL)
		MineMaximalRootColumn(m, root, j);
	else
		MineClosedColumn(m, root, j, true);
}

/* Class "taken": that of the items in all transactions, or of one item. */
static void
MineOneClass(Miner *m, const View *view, const Node *root, uint32_t taken)
{
	uint32_t	i = m->db->nitems - taken;

	if (taken == 0)
		MinerEmitRoot(m, view->nclasses > view->skip);
	else if (i >= view->nclasses || m->out.depth >= m->out.max_depth)
		return;
	else
	{
		if (m->job->kind == FIM_MAXIMAL)
			KnownBeginClass(m, taken);
		if (root->k > 0)
			MineColumn(m, root, i - view->skip);
		else
			MineClass(m, view, i);
		if (m->job->kind == FIM_MAXIMAL)
			KnownEndClass(m);
	}
}

static void
MineClasses(Miner *m)
{
	View		view;
	Node		root = {.k = 0};

	ViewOfDatabase(m, &view);
	MinerBeginRoot(m, view.skip);
	if (RootIsMatrix(m, &view))
		NodeOfView(m, &view, &root);
	else
		ViewScratch(m, &view);
	for (;;)
	{
		uint32_t	taken = __atomic_fetch_add(&m->shared->next_class, 1, __ATOMIC_RELAXED);

		if (taken >= m->shared->classes)
			break;
		MineOneClass(m, &view, &root, taken);
		__atomic_fetch_add(&m->shared->classes_done, 1, __ATOMIC_RELAXED);
		MinerPoll(m);
	}
	/* a canceled job is not done, although no class may be left */
	MinerPoll(m);
}

static FimResult
Mine(const FimJob *job, const FimDatabase *db, FimShared *shared,
	 FimHost *host, FimSink *sink, FimTally *tally)
{
	Miner		m;
	FimResult	result;

	if (job->max_length < job->prefix_length)
		return FIM_DONE;
	MinerInit(&m, job, db, shared, host, sink);
	m.kernels = FimCurrentKernels();
	result = (FimResult) setjmp(m.leave);
	if (result == FIM_DONE)
	{
		OutputInit(&m);
		if (job->kind != FIM_MAXIMAL || KnownInit(&m))
			MineClasses(&m);
		OutputFlush(&m);
		if (job->count_only)
			OutputTally(&m, tally);
		MinerShareFigures(&m);
	}
	OutputFree(&m);
	KnownFree(&m);
	ArenaFree(&m.arena);
	return result;
}

static const char *const cpu_strategies[] = {"auto", "bitmap", "projected", NULL};

const FimEngine FimCpuEngine = {"cpu", cpu_strategies, Mine};
