/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  What a worker knows while it mines itemsets, and how it leaves.
 *
 * On processors, cpu_engine.c takes prefix classes and hands each to
 * projected_rows.c, which counts what the class's item occurs with and goes on in
 * one of two forms.  A View (view.h) is a projected database of rows, the form for
 * sparse data.  A Node (node.h) is a bit matrix, the form for dense data;
 * all.c, closed.c and maximal.c mine Nodes.  Where rows are few, row_sets.c goes
 * through sets of rows instead.  GPUs use the Miner itself, its output and its root.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MINER_H
#define FIM_MINER_H

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "engine/itemsets/output_state.h"
#include "engine/kernels.h"

#include <setjmp.h>

/* The work between two polls.  Its unit is a word or an entry that is touched, about 1 ns. */
#define WORK_PER_POLL	(UINT64_C(1) << 21)

typedef struct Miner
{
	const FimItemsetsJob *job;
	const FimDatabase *db;
	FimShared  *shared;
	FimHost    *host;
	FimSink    *sink;
	const FimKernels *kernels;
	Arena		arena;
	Output		out;
	uint64_t	work;			/* work done since the last poll */
	uint64_t	worked;			/* work done until the last poll */
	uint64_t	nodes;			/* nodes that are not yet added to the shared figure */
	struct Known *known;		/* for maximal itemsets, see known.h */
	uint32_t	class_item;		/* the caller's number of the class's item */
	double	   *table_yield;	/* for closed itemsets, by number of columns: see subset_table.c */
	uint64_t   *candidates;		/* for closed itemsets: bits of the class's rows that are not on the path */
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends mining */
} Miner;

/* Set all but the output, the kernels and "leave", which the caller sets. */
extern void MinerInit(Miner *m, const FimItemsetsJob *job, const FimDatabase *db, FimShared *shared,
					  FimHost *host, FimSink *sink);

/* Share the figures, and leave by the miner's jump if the job has been canceled or the host says stop. */
extern void MinerPoll(Miner *m);

/* Add the nodes and results since the last call to the figures in the shared state. */
extern void MinerShareFigures(Miner *m);

/* Note that work has been done.  Called every few steps, so that polls come every few milliseconds. */
static inline void
MinerWork(Miner *m, uint64_t work)
{
	m->work += work;
	if (m->work >= WORK_PER_POLL)
		MinerPoll(m);
}

/*
 * Searches are recursive, so each step of a recursion calls this.  It calls the host's poll when
 * the stack is nearly used up; poll then raises an error.
 */
static inline void
MinerCheckStack(Miner *m)
{
	if ((const char *) __builtin_frame_address(0) < m->host->stack_end)
		MinerPoll(m);
}

/* Begin a node of the search. */
static inline void
MinerBeginNode(Miner *m)
{
	m->nodes++;
	MinerCheckStack(m);
}

/* The work done since the miner began. */
static inline uint64_t
MinerWorked(const Miner *m)
{
	return m->worked + m->work;
}

#endif							/* FIM_MINER_H */
