/*-------------------------------------------------------------------------
 *
 * probable.h
 *	  Mining probable itemsets on devices: the job, the transactions that it brings there, what decides
 *	  about candidates, and the level-wise search.
 *
 * It is told in the order of a job: its transactions and columns, the sums over them by which most
 * candidates are decided, the tails of the others, judging, and the search that does all of this.
 * Pairs of items, with which a search may begin, come last.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_PROBABLE_PROBABLE_H
#define GPU_PROBABLE_PROBABLE_H

#include "bits/bits.h"
#include "device.h"
#include "team.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/probable/probable.h"
#include "engine/probable/tail.h"

/*
 * A job of mining probable itemsets on devices.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device
 * floor do, and the first one that is not cudaSuccess ends the job.  NoMemory() returns
 * what a stop returns, but sets a mark in the team that tells the two apart.
 *
 * The columns of a job are first the items that can be in a result besides the required
 * ones, in ascending order of their number of transactions, and then the required ones.
 */

typedef struct ProbableJob
{
	GpuTeam		team;
	const FimProbableSpec *spec;
	const FimProbableData *data;
	FimSink    *sink;
	FimProbableSummary *summary;

	/* parts of the data */
	const uint64_t *starts;		/* [data->nrows + 1] */
	const uint32_t *items;		/* [data->entries] */
	const double *probabilities; /* [data->by_entry ? data->entries : data->nrows] */

	/* columns */
	uint32_t	ncolumns;		/* required ones included */
	uint32_t	nfree;			/* columns that are not required; these come first */
	uint32_t   *name;			/* [ncolumns] the item's number in the data */
	uint32_t   *column_of;		/* [data->nitems] GPU_NONE for an item that has no column */
	uint32_t	least_count;	/* an itemset in fewer transactions is not selected */
	bool	   *has_class;		/* [nfree + 1] has the task's part the itemsets that begin with a column, and, behind
								 * these, those without columns?  NULL: all itemsets are of the part */

	/* device memory: the items of all entries if items_kept, see transactions.c */
	uint32_t   *device_items[FIM_GPU_MAX_DEVICES];
	bool		items_kept;
} ProbableJob;

/* The error to return, which ends the job, when the host does not have enough memory. */
static inline cudaError_t
NoMemory(ProbableJob *job)
{
	return GpuNoMemory(&job->team);
}

/* Sets *address to host memory, which lives until it is freed or the job ends. */
static inline cudaError_t
HostTake(ProbableJob *job, size_t bytes, void **address)
{
	return GpuHostTake(&job->team, bytes, address);
}

/*
 * Grows *array to at least "needed" elements of "size" bytes, and keeps the first "used" of them.
 * *room is the number of elements that the array has memory for.
 */
static inline cudaError_t
HostGrow(ProbableJob *job, void **array, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	return GpuHostRoom(&job->team, array, used, needed, room, size);
}

/*
 * Polls for a stop from time to time.  To be called often by loops of the host, with the number of
 * steps since the last call, of about a nanosecond each.
 */
static inline cudaError_t
HostWork(ProbableJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

/*
 * How uncertain transactions lie on a device.
 *
 * A sheet has the bits and probabilities of some transactions.  It is divided into slabs of 1024
 * transactions.  A slab has a line for each column: 128 bytes, with a bit for each transaction
 * that says whether it has the item with a probability above 0:
 *
 * 	lines[(slab * ncolumns + column) * 32 + word]
 *
 * That is the layout of a matrix of bits/bits.h.  Under tuple uncertainty there is
 * one probability for each transaction, in row_p.  Under attribute uncertainty there is
 * one for each bit that is set; those of a line follow one another from
 * values[value_at[slab * ncolumns + column]] on.
 *
 * The device that a function is given must be the current one.
 */

#define LINE_WORDS		(FIM_SLAB_BITS / 32)

/* A sheet on a device.  All addresses are of device memory. */
typedef struct UncertainSheet
{
	uint32_t	ncolumns;
	uint32_t	nslabs;
	uint32_t   *lines;			/* [nslabs][ncolumns][LINE_WORDS] */
	double	   *row_p;			/* [nslabs * FIM_SLAB_BITS], or NULL under attribute uncertainty */
	uint64_t   *value_at;		/* [nslabs * ncolumns + 1], or NULL under tuple uncertainty */
	double	   *values;
} UncertainSheet;

/* Device memory that is used to lay out a sheet.  A parcel is some rows that are sent together. */
typedef struct Layout
{
	uint32_t   *column_of;		/* [data->nitems] the job's, see ProbableJob */
	uint32_t   *items;			/* [entries of a parcel] */
	double	   *p;				/* [entries of a parcel], under attribute uncertainty */
	uint32_t   *starts;			/* [rows of a parcel + 1] into the parcel's items */
	uint32_t   *ell;			/* [ell_room] rows in ELL format, see LayOutEll() */
	uint32_t   *counts;			/* [lines of a parcel + 1] bits that are set in each line */
	void	   *scratch;		/* for CUB */
	size_t		scratch_bytes;
} Layout;

/*
 * LayOutEll() writes nrows rows of a parcel, from its row "from" on, in ELL format: cell
 * j * nrows + r is the column of the j-th item of row r, or GPU_NONE, for j below width.
 * LayOutLines() then sets the bits of these rows, which are rows first_row,
 * first_row + 1, ... of the sheet; the sheet's bits must be 0 before.
 * first_row and nrows are multiples of 32, except nrows in a sheet's last rows.
 */
extern cudaError_t LayOutEll(GpuDevice *device, const Layout *layout, uint32_t from, uint32_t nrows,
							 uint32_t width);
extern cudaError_t LayOutLines(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
							   uint64_t first_row, uint32_t nrows, uint32_t width);

/* Writes the number of bits set in each of nlines lines to the layout's counts, and a 0 behind them. */
extern cudaError_t CountBits(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
							 uint64_t first_line, uint64_t nlines);

/*
 * Under attribute uncertainty, PlaceValues() sets value_at for nslabs slabs: their values follow
 * those of the slabs before, for which value_at must be set.  LayOutValues() then writes the
 * probabilities of rows of these slabs; the rows must still be in the layout's ELL.
 */
extern cudaError_t PlaceValues(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
							   uint32_t first_slab, uint32_t nslabs);
extern cudaError_t LayOutValues(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
								uint64_t first_row, uint32_t from, uint32_t nrows, uint32_t width);

/* Sets *bytes to the scratch memory that PlaceValues() needs for nlines lines. */
extern cudaError_t PlacingScratch(uint64_t nlines, size_t *bytes);

/*
 * transactions.c: Uncertain transactions on the devices.
 *
 * Each device of the team has all transactions in one sheet, or where they do not fit, some of them
 * at a time, which is laid out as below says.  A sheet is sent in parcels.
 */

/*
 * Fills in the job's columns, which are those of the devices' bitmaps: the items that are in at
 * least job->least_count transactions, the rarest first, and the required ones.  If "keep" is
 * true, all devices keep the items of all entries, in job->device_items, until ItemsFree().
 */
extern cudaError_t ColumnsChoose(ProbableJob *job, bool keep);

/*
 * Counts n items: adds the number of times that item i occurs to counts[i].  The device must be the
 * current one, and the arrays are in its memory.
 */
extern cudaError_t LaunchCountItems(GpuDevice *device, const uint32_t *items, uint32_t n, uint32_t *counts,
									uint32_t nitems);

/* Copies n items from an array of 16 bits each to one of 32 bits; the same conditions hold. */
extern cudaError_t LaunchWidenItems(GpuDevice *device, const uint16_t *narrow, uint32_t n, uint32_t *items);

typedef struct Transactions
{
	uint64_t	nslabs;			/* slabs of all transactions */
	uint32_t	sheet_slabs;	/* most slabs of a sheet */
	uint32_t	nsheets;
	uint32_t	loaded;			/* the sheet that the devices have, or GPU_NONE */
	uint32_t	parcel_slabs;	/* most slabs of a parcel */
	uint64_t	parcel_entries;	/* most entries of a parcel */
	uint64_t	ell_room;		/* cells that Layout.ell has room for */
	uint64_t	value_room;		/* most values of a sheet, under attribute uncertainty */
	uint32_t   *starts;			/* host memory: Layout.starts of the parcel that is sent */
	UncertainSheet sheet[FIM_GPU_MAX_DEVICES];
	Layout		layout[FIM_GPU_MAX_DEVICES];
} Transactions;

/* The memory that each device needs for sheets of sheet_slabs slabs at most, and for laying them out. */
extern uint64_t TransactionsMemory(const ProbableJob *job, uint32_t sheet_slabs);

/*
 * Takes memory on all devices for sheets, which are as large as they can be if "keep"
 * bytes of each device are to stay free.
 */
extern cudaError_t TransactionsOpen(ProbableJob *job, Transactions *t, uint64_t keep);

/*
 * Sends a sheet to all devices and lays it out there, unless they have it already.  The work is put
 * into the streams GPU_COUNT; what these are given later finds the sheet in its memory.
 */
extern cudaError_t TransactionsLoad(ProbableJob *job, Transactions *t, uint32_t sheet);

/*
 * Cutting work on many equal things into launches.
 *
 * The unit of costs is that of moments.c: the time that one transaction of one candidate
 * takes there.
 */

#define LAUNCH_FIRST_AMOUNT	2e9 /* cost of a job's first launch, when no times are known */

/*
 * Begins a launch.  Of n things that cost "cost" each, "done" are done.  Sets *some to
 * how many of the rest the launch is to do, at least 1, and *timer to what GpuEnd() is to
 * be called with after the launch.
 */
static inline cudaError_t
BeginSome(ProbableJob *job, GpuDevice *device, double cost, uint32_t done, uint32_t n, uint32_t *some,
		  GpuTimer **timer)
{
	double		wanted;

	GPU_TRY(GpuThrottle(&job->team, device, "convolving distributions"));
	wanted = GpuLaunchAmount(device, cost, LAUNCH_FIRST_AMOUNT) / cost;
	*some = wanted < n - done ? (uint32_t) wanted : n - done;
	if (*some == 0)
		*some = 1;
	return GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, cost * *some, timer);
}

/*
 * moments.c: Count, mean, variance and third moment of many candidates at once, on the devices.
 *
 * A candidate consists of a prefix, which is an itemset, and of one more column, the last.
 * The candidates of a prefix follow one another.  A candidate's transactions are those whose
 * bit is set in the lines of all of its columns.  Its probability in a transaction is the
 * transaction's under tuple uncertainty.  Under attribute uncertainty it is the product of
 * the columns' values: the prefix's are multiplied in their order, then the last one.
 */

#define MOMENT_LOAD		32		/* most candidates of one prefix that a block of threads does together */
#define MOMENT_WARPS	8		/* warps of a block of threads, each of which does a slab at a time */
#define MOMENT_SUMS		3		/* mean, variance, third moment */

/* Candidates of one prefix that a block of threads does together. */
typedef struct MomentLoad
{
	uint32_t	prefix;			/* number of the prefix in the batch */
	uint32_t	first;			/* number of the first candidate in the batch */
	uint32_t	n;				/* candidates, at most MOMENT_LOAD */
} MomentLoad;

/* What is to be summed, and where the sums go.  All memory is the host's. */
typedef struct MomentBatch
{
	uint32_t	length;			/* columns of each prefix */
	uint32_t	nprefixes;
	uint32_t   *columns;		/* [nprefixes][length] */
	uint32_t	nloads;
	MomentLoad *loads;			/* in ascending order of candidates; each candidate is in one load */
	uint32_t	ncandidates;
	uint32_t   *last;			/* [ncandidates] the last column */
	uint32_t   *counts;			/* [ncandidates] result: transactions */
	double	   *sums;			/* [ncandidates][MOMENT_SUMS] result */
} MomentBatch;

/*
 * The most candidates that a batch may have on a device with "bytes" of free memory, 0 if that is too
 * little.  Their prefixes have "length" columns or fewer.
 */
extern uint32_t MomentsRoom(const ProbableJob *job, uint64_t bytes, uint32_t length);

/* Computes the counts and sums of a batch, on all devices of the team. */
extern cudaError_t MomentsSum(ProbableJob *job, Transactions *t, MomentBatch *batch);

/* The moments of a candidate of a batch that has been summed, with a bound of their error. */
extern FimMoments MomentsOf(const ProbableJob *job, const Transactions *t, const MomentBatch *batch,
							uint32_t candidate);

/*
 * Among the module's own files.
 */

/*
 * A device's share of a batch.  All addresses are of device memory.  Loads keep the numbers that
 * candidates and prefixes have in the batch; arrays of candidates begin with number "first".
 */
typedef struct MomentShare
{
	uint32_t	first_load;
	uint32_t	end_load;
	uint32_t	next_load;		/* the first load that has not been launched */
	uint32_t	first;			/* number of the first candidate in the batch */
	uint32_t	n;				/* candidates */
	uint32_t	parts;			/* into which the slabs of each load are divided */
	uint32_t   *columns;
	MomentLoad *loads;
	uint32_t   *last;			/* [n] */
	uint32_t   *part_counts;	/* [n][parts] */
	double	   *part_sums;		/* [n][parts][MOMENT_SUMS] */
	uint32_t   *counts;			/* [n] */
	double	   *sums;			/* [n][MOMENT_SUMS] */
} MomentShare;

/*
 * LaunchMoments() sums n loads of a share, from its load "from" on, over a sheet, each
 * part by itself.  AddMoments() then adds the parts' sums to the share's counts and sums.
 */
extern cudaError_t LaunchMoments(GpuDevice *device, const UncertainSheet *sheet,
								 const MomentShare *share, uint32_t length, uint32_t from, uint32_t n);
extern cudaError_t AddMoments(GpuDevice *device, const MomentShare *share);

/*
 * tails.c: P(support >= minsup) of many itemsets at once, on the devices, with a proven error.
 *
 * The distribution of an itemset's support is the convolution of its transactions'
 * Bernoulli variables.  A tree of direct convolutions computes it: all terms are
 * positive, so that each coefficient has a small relative error.  A node of the tree has
 * the distribution of some of the transactions.  At both ends of it, coefficients below
 * TAIL_DROPPED are dropped.  What is left, its bulk, is O(sqrt(m)) wide for m transactions.
 *
 * The list of an itemset's probabilities is divided into branches of the tree.  A block of
 * threads computes the distributions of several branches in shared memory, from leaves of 31
 * transactions, one for each thread, which are computed in registers.  The nodes above the
 * branches are merged a level at a time, for all itemsets together, by as many blocks as
 * it takes; tensor cores do this where they multiply doubles.  The root is not computed,
 * only its tail.
 *
 * The distribution's true mass and mean are known, so the effect of rounding on them can
 * be measured, and the tail is corrected by it.  doc/probable_gpu.md proves how far the
 * corrected tail may still be off.
 */

/*
 * Lists of probabilities: an itemset's list has one for each transaction that has all of its columns.
 */

/*
 * Lists of n itemsets on a device.  The order of the transactions is that of the data.
 * List i begins at list[start[i] * grain], or at list[i * grain] if "start" is NULL.
 */
typedef struct ProbabilityLists
{
	uint32_t	length;			/* columns of the longest itemset */
	uint32_t	grain;			/* values: what starts are counted in */
	const uint32_t *start;		/* [n + 1] in grains, or NULL */
	const uint32_t *columns;	/* [n][length], a shorter itemset's are filled up with GPU_NONE */
	uint32_t   *filled;			/* [n] values in each list so far */
	double	   *list;			/* the values */
	double	   *rest;			/* low parts of the values, which are sums of two doubles; or NULL */
} ProbabilityLists;

/* Appends the probabilities that n itemsets have in a sheet to their lists. */
extern cudaError_t ListsAppend(ProbableJob *job, GpuDevice *device, const UncertainSheet *sheet,
							   const ProbabilityLists *lists, uint32_t n);

/*
 * lists_kernels.cu: Lists of probabilities, and tails of short ones, on the device.
 */

/* As ListsAppend(), for n itemsets from number "from" on, in one launch. */
extern cudaError_t LaunchLists(GpuDevice *device, const UncertainSheet *sheet,
							   const ProbabilityLists *lists, uint32_t from, uint32_t n);

/*
 * tails.c, lists_kernels.cu: P(support >= minsup) of itemsets.  First that of few transactions each.
 *
 * For such itemsets the double nearest to the probability is wanted, or a decision that
 * takes more digits than a double has.  So the classical dynamic programme (Bernecker et
 * al., KDD 2009, section 4) is computed with sums of two doubles.  Since all terms are
 * positive, the relative error of the result is about 2^-92, and the result nearly always
 * tells which double is the nearest.
 */

/* The computed tail, an unevaluated sum; both parts are NaN if the devices had no memory for it. */
typedef struct FewTail
{
	double		high;
	double		low;
} FewTail;

typedef struct FewBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in ProbabilityLists; each itemset is in at most
								 * FIM_FEW_TRANSACTIONS transactions */
	FewTail    *tails;			/* [n] result */
} FewBatch;

/* Computes the tails of a batch, on all devices of the team. */
extern cudaError_t FewCompute(ProbableJob *job, Transactions *t, const FewBatch *batch);

/* An interval that holds the true tail of an itemset of "length" columns. */
extern FimInterval FewInterval(uint32_t length, FewTail tail);

/* Whether it is certain which double is nearest to the true tail; if so, *nearest becomes that double. */
extern bool FewNearest(uint32_t length, FewTail tail, double *nearest);

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct FewShare
{
	uint32_t	first;			/* itemset of the batch */
	uint32_t	n;				/* itemsets */
	ProbabilityLists lists;		/* one grain of FIM_FEW_TRANSACTIONS values for each itemset */
	FewTail    *tails;			/* [n] */
} FewShare;

/* Computes the tails of n itemsets of a share, from number "from" on. */
extern cudaError_t LaunchFew(GpuDevice *device, const FewShare *share, uint32_t minsup, uint32_t from,
							 uint32_t n);

/* Sums of the computed distribution of an itemset; NaN if the devices had no memory for it. */
typedef struct TailSums
{
	double		tail;			/* the sum of its values from minsup on */
	double		point;			/* its value at minsup */
	double		mass;			/* the sum of all its values, less 1 */
	double		mean;			/* the sum of (s - true mean) times its value at s */
} TailSums;

typedef struct TailBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in ProbabilityLists */
	const uint32_t *counts;		/* [n] transactions that have all columns, above 0; ascending */
	TailSums   *sums;			/* [n] result */
} TailBatch;

/* The device memory for an itemset that is in all transactions, which takes most. */
extern uint64_t TailsLeast(const ProbableJob *job);

/* Computes the sums of a batch, on all devices of the team.  All arrays of a batch are the host's. */
extern cudaError_t TailsCompute(ProbableJob *job, Transactions *t, const TailBatch *batch);

/* An interval that holds P(support >= minsup) of an itemset of "length" columns. */
extern FimInterval TailInterval(const ProbableJob *job, uint32_t length, const FimMoments *moments,
								const TailSums *sums);

#define TAIL_LEAF		31		/* transactions of a leaf */
#define TAIL_THREADS	64		/* threads of a block that computes branches; each has a leaf */
#define TAIL_BRANCH		(TAIL_LEAF * 8)	/* transactions of a branch */
#define TAIL_DROPPED	0x1p-75 /* coefficients below this are dropped at both ends of a node */

#define TAIL_OCTET		8		/* coefficients that a thread computes together */

/*
 * Above branches, the terms of a coefficient are added up in three steps, on which the error bound
 * depends: TAIL_TERMS terms one after the other to a sum, TAIL_SUMS of these sums to a subtotal, and
 * the subtotals to the result.
 */
#define TAIL_TERMS		16
#define TAIL_SUMS		16
#define TAIL_SUBTOTAL	(TAIL_TERMS * TAIL_SUMS)
#define TAIL_LEVELS		24		/* above branches: enough for all transactions there can be */

/* The nodes of a level.  Each has a slot; its bulk is octets first .. end - 1 of the slot. */
typedef struct TailNodes
{
	double	   *slots;			/* [nodes][slot_octets][TAIL_OCTET] */
	uint32_t	slot_octets;
	uint32_t   *offset;			/* [nodes] the support whose probability the slot's first coefficient is */
	uint32_t   *first;			/* [nodes] */
	uint32_t   *end;			/* [nodes] */
} TailNodes;

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct TailShare
{
	uint32_t	first;			/* itemset of the batch */
	uint32_t	n;				/* itemsets */
	uint32_t	nbranches;
	ProbabilityLists lists;		/* whose grain is a branch; the last one is filled up with zeros */
	uint32_t   *start;			/* [n + 1] where each itemset's nodes begin among those of a level ... */
	uint32_t   *above;			/* ... and of another level; see the functions below */
	double2    *means;			/* [nbranches] sum of each branch's probabilities, as two doubles */
	TailNodes	nodes[2];
	TailSums   *sums;			/* [n] */
} TailShare;

/* Computes the distributions and means of n branches, from number "from" on, to share->nodes[0]. */
extern cudaError_t LaunchBranches(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n);

/*
 * Merges the nodes of a level two by two: makes n nodes of the level above, from number "from" on.
 * An itemset that has no more than two nodes keeps them.  share->start is of the level, share->above
 * of the level above.  above->first must be UINT32_MAX and above->end 0 for all nodes.
 */
extern cudaError_t LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
								const TailNodes *above, uint32_t from, uint32_t n);

/*
 * Computes the sums of all itemsets of a share, which have one or two nodes each.  share->start is of
 * the branches, share->above of the level of "nodes".  The slots of "scratch" are overwritten.
 */
extern cudaError_t LaunchRoots(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
							   const TailNodes *scratch, uint32_t minsup);

/*
 * judge.c: Which candidates are selected, and the probabilities that are shown with results.
 */

/*
 * What settles doubts that the devices leave, on the host and with as many digits as it takes: the
 * data by column, in host memory.  It is made when the first itemset is to be settled.
 */
typedef struct Settler
{
	uint64_t   *column_at;		/* [ncolumns + 1], into rows; NULL if not made yet */
	uint32_t   *rows;			/* the rows that have a column, ascending in each column */
	double	   *factors;		/* under attribute uncertainty: the item's probability in each of "rows" */
	FimWorkspace workspace;
	bool		open;			/* the workspace has been set up */

	/* of the itemset that is being settled */
	uint32_t   *common;			/* the rows that have all of its columns */
	double	   *p;				/* its probabilities in these rows */
	uint32_t   *places;			/* [its rows][its columns] where the row is among the column's; NULL under
								 * tuple uncertainty */
	uint64_t	common_room;
	uint64_t	p_room;
	uint64_t	place_room;
} Settler;

/* Sets *reaches to whether the itemset is selected by its expected support, which *expected becomes. */
extern cudaError_t SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns,
									 uint32_t n, bool *reaches, double *expected);

/*
 * Only under attribute uncertainty: sets *certain to whether "column", which is one of the
 * itemset's n columns, has probability 1 in all transactions of the itemset.
 */
extern cudaError_t SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 uint32_t column, bool *certain);

/* What is known of a candidate. */
typedef struct Judgement
{
	double		low;			/* a lower bound of its probability */
	uint8_t		verdict;		/* a FimVerdict */
	uint8_t		rule;			/* a FimProbableRule */
	bool		is_value;		/* "low" is the value to show */
	double		expected;		/* expected support, if the host has computed it; otherwise 0 */
} Judgement;

/* What it takes to judge, for the whole job. */
typedef struct Judge
{
	FimGoal		goal;			/* not set if the job selects by expected support */
	Settler		settler;
} Judge;

extern void JudgeInit(const ProbableJob *job, Judge *judge);
extern void JudgeEnd(Judge *judge);

/* Judges the candidates of a batch whose moments have been summed.  No verdict stays FIM_OPEN. */
extern cudaError_t JudgeBatch(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							  Judgement *judgements);

/* An itemset whose value or verdict is to be computed.  The first three fields are given. */
typedef struct Wanted
{
	const uint32_t *columns;
	uint32_t	length;			/* columns */
	FimMoments	moments;
	double		low;			/* a lower bound of its probability; becomes the value */
	bool		reaches;		/* result, if a verdict was asked for: it is selected */
	uint8_t		rule;			/* result, if a verdict was asked for: what settled that */
	bool		is_value;		/* result: "low" is the value to show */
	double		expected;		/* result: expected support if its verdict was open, otherwise 0 */
} Wanted;

/* Computes the values of n itemsets. */
extern cudaError_t JudgeValues(ProbableJob *job, Transactions *t, Judge *judge, Wanted *wanted, uint32_t n);

/* Decides the n candidates of a batch whose verdict is FIM_OPEN. */
extern cudaError_t JudgeDoubts(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							   Judgement *judgements, uint32_t n);

/*
 * search.c: The level-wise search that all strategies of this family share.
 *
 * All subsets of a selected itemset are selected, since the support of a superset is
 * never greater.  So each candidate is the union of two members of a class of the level
 * before (Agrawal and Srikant, VLDB 1994, section 2.1.1).
 */

/*
 * The selected itemsets of one length, and what is known of them.
 *
 * A level's itemsets, its members, are stored without the required items.  Members that
 * differ only in their last column are a class.  They follow one another, in ascending
 * order of the last column.  Each pair of members of a class makes a candidate of the
 * next level.
 */

/* Flags of a member that the next level sets, where closed or maximal itemsets are wanted. */
#define HAS_SUPERSET	1		/* some superset with one more column is selected */
#define HAS_EQUAL		2		/* one of these has the same support */

typedef struct Member
{
	FimMoments	moments;
	double		low;			/* as in Judgement */
	bool		is_value;
	uint8_t		flags;
} Member;

typedef struct ProbableLevel
{
	uint32_t	k;				/* columns of each member */
	uint64_t	n;
	uint64_t	room;
	Member	   *members;
	uint64_t	column_room;
	uint32_t   *columns;		/* [n][k] */
	uint64_t	end_room;
	uint32_t   *class_end;		/* [n] the member after the last one of its class */

	/*
	 * The members that each member makes candidates with.  NULL if these are all that
	 * follow it in its class; otherwise see pairs.c.
	 */
	uint32_t   *partner_at;		/* [n + 1] into partners */
	uint32_t   *partners;		/* members, ascending for each member */

	/* a hash table that finds a member by its columns */
	uint64_t	nbuckets;		/* a power of two, 0 if there is no table */
	uint32_t   *buckets;		/* members, or GPU_NONE */
} ProbableLevel;

/* Adds a member with the first k - 1 of "columns" and the column "last". */
extern cudaError_t AddMember(ProbableJob *job, ProbableLevel *level, const uint32_t *columns, uint32_t last,
							const FimMoments *moments, const Judgement *judgement);

extern void FreeLevel(ProbableJob *job, ProbableLevel *level);

typedef struct Results
{
	GpuRecords	records;

	/* itemsets that wait for their values */
	uint32_t	n;
	uint64_t	transactions;	/* sum of their numbers of transactions */
	Wanted	   *wanted;			/* [n]; their pointers to columns are not set before GiveWaiting() */
	uint64_t	wanted_room;
	uint32_t   *columns;		/* [ncolumns] columns of all of them, one itemset after the other */
	uint64_t	ncolumns;
	uint64_t	column_room;
} Results;

/*
 * Gives out the members of a level that the job wants, or has them wait.  If it wants
 * closed or maximal itemsets, the next level must have set the members' flags.
 */
extern cudaError_t GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level,
							 Results *results);

/* Candidates that are judged together. */
typedef struct ProbableBatch
{
	MomentBatch moments;		/* their columns and their sums */
	uint32_t   *member;			/* [candidates] the level's member that the candidate extends */
	uint32_t   *partner;		/* [candidates] the member whose last column it is extended by */
	Judgement  *judgements;		/* [candidates] */
	uint32_t	room;			/* candidates that the arrays have room for */
} ProbableBatch;

/* The functions of a strategy.  "of" is the strategy's own state. */
typedef struct ProbableStrategy
{
	/* How many candidates of "length" columns can be judged together; 0 if there is too little memory. */
	uint32_t	(*room) (const ProbableJob *job, const Transactions *t, void *of, uint32_t length);

	/* Judges a batch; "level" has the members that its candidates extend. */
	cudaError_t (*judge) (ProbableJob *job, Transactions *t, Judge *judge, void *of,
						  const ProbableLevel *level, ProbableBatch *batch);

	/*
	 * Called after a batch: its selected candidates have become the members of the next
	 * level from "first" on.  May be NULL.
	 */
	cudaError_t (*taken) (ProbableJob *job, Transactions *t, void *of, const ProbableBatch *batch,
						  const ProbableLevel *next, uint64_t first);

	/* Called after the last batch of a level: "next" is complete.  May be NULL. */
	cudaError_t (*end_level) (ProbableJob *job, void *of, const ProbableLevel *next);
} ProbableStrategy;

/* Finds all itemsets that the job wants, and gives them out. */
extern cudaError_t Search(ProbableJob *job, Transactions *t, const ProbableStrategy *strategy, void *of);

/* The strategies; see papriori.h for the other one. */
extern const ProbableStrategy search_by_bounds;

/*
 * pairs.c: Which pairs of items are in enough transactions.
 *
 * All pairs of the first level's members are counted at once: the sheet's lines are a bit
 * matrix, which is multiplied with itself.  In sparse data most pairs are in too few
 * transactions, and no candidates are made of them.
 */

/*
 * Sets the partners of each member of the first level: the later members with which it is
 * in at least job->least_count transactions.  Does nothing where there are few members or
 * very many columns, where the devices do not have all transactions at once, where counting
 * would take too long for one launch, or where there is too little memory.
 */
extern cudaError_t PairsFind(ProbableJob *job, Transactions *t, ProbableLevel *level);

/*
 * transactions_kernels.cu: Selecting the pairs that occur.
 */

/* Sets *bytes to the scratch memory that SelectPairs() needs for ncounts counts. */
extern cudaError_t SelectionScratch(uint64_t ncounts, size_t *bytes);

/*
 * Writes the numbers of the counts that are not 0 to "pairs", ascending, and how many there are to
 * *npairs.  All addresses are of device memory.
 */
extern cudaError_t SelectPairs(GpuDevice *device, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs,
							   uint64_t *npairs, void *scratch, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_PROBABLE_PROBABLE_H */
