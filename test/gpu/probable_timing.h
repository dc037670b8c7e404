/*-------------------------------------------------------------------------
 *
 * probable_timing.h
 *	  How long the probable itemsets of a file take, and values of itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROBABLE_TIMING_H
#define PROBABLE_TIMING_H

#include "engine/gpu.h"
#include "engine/probable/probable.h"

/* What probabilities of a file's rows are: uniform, or normal and cut to (0, 1]. */
typedef struct Drawing
{
	bool		uniform;
	double		mean;
	double		deviation;
} Drawing;

typedef struct ProbableTiming
{
	const char *file;			/* of transactions in FIMI form */
	double		minsup;			/* a fraction if below 1, or a number */
	FimProbableSpec spec;		/* all but its thresholds of support and its strategy */
	bool		by_entry;		/* each entry has a probability, otherwise each row */
	Drawing		drawing;
	uint32_t	rows;			/* so many of the file's, at random; 0: all as they are */
	const char *strategy;		/* NULL: each of the GPU's but "auto" */
	bool		on_cpu;
	uint64_t	memory_limit;	/* of GPUs, in bytes; 0: none */
	int			repetitions;
} ProbableTiming;

/* Reads "uniform" or "MEAN,VARIANCE". */
extern Drawing DrawingOf(const char *text);

/*
 * Both print a line for each run, and return 0, or 1 if something failed; gpu is NULL on the CPU.
 * TimeValues() has so many values of itemsets of so many transactions computed that no bound
 * knows, and takes of the rest only how often to repeat that.
 */
extern int	TimeProbable(const FimGpuFamily *gpu, const ProbableTiming *timing);
extern int	TimeValues(const FimGpuFamily *gpu, const ProbableTiming *timing, uint32_t values, uint32_t nrows);

#endif							/* PROBABLE_TIMING_H */
