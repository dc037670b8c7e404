/*-------------------------------------------------------------------------
 *
 * figures.h
 *	  What a call is doing, and what the last one did.
 *
 * gpufim_progress and gpufim_last_run() show these figures.  Each part of a call
 * sets its own.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FIGURES_H
#define GPUFIM_FIGURES_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "engine/gpu.h"
#include "portability/instr_time.h"

/* The phases of a call, in their order. */
typedef enum GpufimPhase
{
	GPUFIM_READING,				/* the source's rows are read and encoded */
	GPUFIM_ENCODING,			/* the encoded rows become the engine's data */
	GPUFIM_WAITING,				/* for the GPU worker; done is the place in its queue */
	GPUFIM_MINING,				/* results are found, and turned into rows */
	GPUFIM_NPHASES
} GpufimPhase;

/* A figure that only one family has. */
typedef struct RunDetail
{
	const char *name;
	int64		value;
} RunDetail;

#define RUN_MAX_DETAILS	16

/*
 * The figures of a call.  Whoever knows a figure sets it directly.  Other sessions
 * may read all of them at any time and without a lock.
 */
typedef struct GpufimRun
{
	char		function[NAMEDATALEN];	/* SQL name */
	Oid			role;			/* with whose privileges it reads */
	int			phase;			/* GpufimPhase */
	TimestampTz started;
	int64		rows_read;
	int64		transactions;
	int64		distinct_items;
	int64		frequent_items;
	int64		minsup;			/* absolute */
	int64		spilled_bytes;
	int64		peak_bytes;		/* the most that the call has held at a time */
	int64		results;		/* found so far */
	int64		results_spilled;	/* the part of spilled_bytes that results take */
	int64		level;			/* length of the itemset that came last */
	int64		done;			/* progress within the phase, out of "total" */
	int64		total;			/* 0 if nobody knows */
	int64		workers;		/* background workers that helped to mine */
	int64		nodes;			/* steps of the search */
	bool		on_gpu;			/* a GPU mines, or has mined */
	char		strategy[NAMEDATALEN];
	char		device[64];		/* the one that mines */
	FimGpuReport gpu;			/* set when a GPU has mined */
	double		phase_ms[GPUFIM_NPHASES];
	int			ndetails;
	RunDetail	details[RUN_MAX_DETAILS];	/* valid only in the process of the call */
	double		emit_ms;		/* the part of mining that turns results into rows */
} GpufimRun;

/*
 * The private part of a call's figures, on the stack of the function that runs.
 * A source can be a query that calls functions of ours, so that calls nest.
 */
typedef struct RunFrame
{
	struct RunFrame *outer;
	GpufimRun	interrupted;	/* the outer call's figures, put aside */
	instr_time	started;
	instr_time	phase_started;
	int64	   *lengths;		/* results by length, lengths[0 .. nlengths-1] */
	uint64		nlengths;
} RunFrame;

/* The innermost call's figures; never NULL while a function of ours runs. */
extern GpufimRun *CurrentRun;

/* RunEnd() must follow RunBegin(), whether the call completes or fails. */
extern void RunBegin(RunFrame *frame, const char *function);
extern void RunEnd(RunFrame *frame, bool completed);

/* End the current phase, and begin another. */
extern void RunEnterPhase(GpufimPhase phase);

/* Say how many bytes the call holds at the moment. */
extern void RunTrackMemory(int64 bytes);

/*
 * Returns the call's counts of results by length, which the caller may change.  There
 * are at least nlengths counts; new ones are 0.
 */
extern int64 *RunLengths(uint64 nlengths);

/* Returns the largest of these counts, and sets *length to its length; 0 if there are none. */
extern int64 RunMostOfLength(uint64 *length);

/* Add a figure that only the family has; the name is a constant. */
extern void RunAddDetail(const char *name, int64 value);

extern double MillisecondsSince(instr_time start);

extern void RunShmemRequest(void);
extern void RunShmemStartup(void);

#endif							/* GPUFIM_FIGURES_H */
