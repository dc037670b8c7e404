/*-------------------------------------------------------------------------
 *
 * sets_device.h
 *	  What the kernels of the strategies do, between a strategy's source and that of its kernels.
 *
 * All functions put their work into the device's counting stream.  The device must be the current one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_SETS_DEVICE_H
#define GPU_SETS_DEVICE_H

#include "bits/bits.h"
#include "sets/sets.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * strips_kernels.cu: Finding cells in a matrix of numbers of witnesses, as strips.
 */

/* count[i * stride + j] is the number of witnesses of left rank row + i and right rank column + j. */
typedef struct DenseCounts
{
	const uint32_t *count;		/* device */
	uint64_t	stride;
	uint32_t	row;
	uint32_t	rows;
	uint32_t	column;
	uint32_t	columns;
} DenseCounts;

/* The two steps of a Finder.  The matrix must not change between DenseCount() and DenseFill(). */
extern cudaError_t DenseCount(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const StripCounts *counts,
							  Strips *strips);
extern cudaError_t DenseFill(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const Strips *strips,
							 uint32_t from, uint32_t to, const CellTarget *target);

/*
 * rows_kernels.cu: Strategy "rows" on a device, rows in the order of their kinds, and the kernels of each kind.
 *
 * The kind of a row says where its accumulators are, and depends on how many paths the row has.
 * Accumulators lie in shared memory.  A row with few paths has a hash table, which belongs to a warp
 * or to a block of threads.  Other rows are done in spans: a span is as many right values as
 * there is room for their accumulators, of a bit, one byte, two or four bytes each.  A block does one
 * span of one row.  A heavy row, one with so many paths that a block would take too long, is
 * counted by many blocks in device memory; its cells are then found in that array as in a matrix
 * (strips_kernels.cu).
 */

typedef enum RowKind
{
	ROW_EMPTY,					/* no paths */
	ROW_OF_WARP,				/* a hash table of a warp */
	ROW_OF_BLOCK,				/* a hash table of a block */
	ROW_OF_BITS,				/* spans of bits; only existence matters */
	ROW_OF_BYTES,				/* spans of bytes, ... */
	ROW_OF_HALVES,				/* ... of two bytes, ... */
	ROW_OF_WORDS,				/* ... and of four bytes for each right value */
	ROW_HEAVY,
	ROW_KINDS
} RowKind;

#define SPAN_WORDS		8192	/* words of accumulators of a span, 32 kB */

#define WARP_PATHS			256	/* most paths of a row of a warp */
#define BLOCK_PATHS			2048	/* most paths of a row of a block */
#define HEAVY_PATHS			(UINT64_C(1) << 22)	/* a row with more paths is heavy */

/*
 * Costs, in the time that a path takes: of a row beside its paths, of each of its spans, and about
 * that of a unit of rows.  With these numbers a unit has at most STRIPS_AT_ONCE strips, and takes some
 * milliseconds.
 */
#define ROW_COST			256
#define SPAN_COST			2048
#define UNIT_COST			(UINT64_C(1) << 27)

/* Which cells rows have.  Given to kernels by value. */
typedef struct RowCells
{
	Relations	relations;
	DensePart	dense;			/* its cells are left out */
	uint32_t	columns;		/* right ranks from here on have too few keys, but for similar sets */
	uint32_t   *end;			/* [left.nvalues] the right ranks of a row's cells are below this */
} RowCells;

/* The rows in the order of their kinds; device memory.  Places are those in this order. */
typedef struct RowOrder
{
	uint8_t    *kind[2];		/* [left.nvalues] kinds of rows: [0] by row, [1] by place */
	uint32_t   *row[2];			/* [left.nvalues] the rows themselves, likewise */
	uint64_t   *cost;			/* [left.nvalues] by row; that of a heavy one, which comes last, is its paths */
	uint64_t   *sum;			/* [left.nvalues] by place: the costs of all rows up to this one */
	uint32_t   *first;			/* [ROW_KINDS + 1] the place where each kind begins */
	void	   *scratch;
	size_t		scratch_bytes;
} RowOrder;

/* The number of spans of a row of a kind; 1 if it has a hash table. */
extern uint32_t SpansOf(RowKind kind, uint32_t right_values);

/* Sets the end, the kind and the cost of each row. */
extern cudaError_t ClassifyRows(GpuDevice *device, const RowCells *cells, const RowOrder *order);

/* OrderRows() sorts the n rows by kind, and adds up their costs, with scratch memory of RowOrderScratch(). */
extern cudaError_t RowOrderScratch(uint32_t n, size_t *bytes);
extern cudaError_t OrderRows(GpuDevice *device, const RowOrder *order, uint32_t n);

/* Sets cut[u] to the first place whose sum is at least u * UNIT_COST, for u below ncuts. */
extern cudaError_t CutRows(GpuDevice *device, const RowOrder *order, uint32_t n, uint32_t *cut, uint32_t ncuts);

/* The two steps of a Finder, for rows of one kind other than ROW_HEAVY. */
extern cudaError_t CountRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							 const StripCounts *counts);
extern cudaError_t FillRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							uint32_t from, uint32_t to, const CellTarget *target);

/*
 * Adds the paths of some of a row's keys, left.key[first .. end - 1], to counters of the right ranks
 * from .. to - 1: count[i] is that of rank from + i.  Ranks that are no cells of the row are left out.
 */
extern cudaError_t AddHeavyPaths(GpuDevice *device, const RowCells *cells, uint32_t row, uint64_t first, uint64_t end,
								 uint32_t from, uint32_t to, uint32_t *count);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* The right rank of the first cell of a row. */
static __device__ __forceinline__ uint32_t
RowBegin(const RowCells &cells, uint32_t row)
{
	const CellRule &rule = cells.relations.rule;
	uint32_t	from = rule.one ? row + (rule.result != FIM_SETS_PRODUCT) : 0;

	return row < cells.dense.left ? max(from, cells.dense.right) : from;
}

#endif							/* __CUDACC__ */

/*
 * prefix_kernels.cu: Similar sets by their rarest keys, on a device.
 *
 * Two sets that have at least k keys in common have one in common among the rarest keys of each: among
 * all keys of the set but its k - 1 most frequent ones (Chaudhuri, Ganti and Kaushik, ICDE 2006; Bayardo,
 * Ma and Srikant, WWW 2007).  An index has the rarest keys of all sets.  A set looks up its own rarest
 * keys there, and meets the sets of higher ranks that have them; these are not larger.  The place of
 * the key in both sets bounds how many keys they can have in common (Xiao, Wang, Lin and Yu, WWW
 * 2008).  If that may be enough, the common keys are counted.
 *
 * A look-up is one of a set's rarest keys, and a meeting is a look-up with an entry of the index.
 * The look-ups and the meetings of a unit are numbered, so that all warps get equally many meetings,
 * however many a set has.  Two sets that meet several times are counted only where they meet by the
 * rarest key that they have in common.
 *
 * Keys are numbered by frequency, so the rarest keys of a set are its last ones.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* The index, and what is known of each set; device addresses. */
typedef struct PrefixIndex
{
	uint64_t   *entry_start;	/* [nvalues + 1] by rank: number of index entries of all lower ranks */
	uint64_t   *look_up_start;	/* [nvalues + 1] by rank: number of look-ups of all lower ranks */
	uint32_t   *end;			/* [nvalues] sets from this rank on are too small to be similar to the set */
	uint64_t   *key_start;		/* [nkeys + 1] where each key's sets begin in "rank" */
	uint32_t   *rank;			/* [entries] the sets with each key among their rarest, ascending for each */
} PrefixIndex;

/* The look-ups of the sets of ranks from .. to - 1, which are a unit. */
typedef struct LookUps
{
	uint32_t	from;
	uint32_t	to;
	uint64_t	first;			/* look_up_start of rank "from" */
	uint32_t	n;				/* look-ups */
	uint32_t   *rank;			/* [n] the set that looks up */
	uint64_t   *entry;			/* [n] the entry of its first meeting, into PrefixIndex.rank */
	uint64_t   *meeting;		/* [n + 1] the number of its first meeting; until the scan, how many it has */
} LookUps;

/* A unit.  A strip is a part of a row that has STRIP_CELLS right ranks; each row has per_row strips. */
typedef struct Meetings
{
	Relations	relations;
	PrefixIndex index;
	LookUps		look_ups;
	uint32_t	per_row;
} Meetings;

/* Writes the entries of the index to "key" and "rank", set by set.  index->entry_start must be set. */
extern cudaError_t ListEntries(GpuDevice *device, const DeviceSide *side, const PrefixIndex *index, uint32_t *key,
							   uint32_t *rank);

/* Fills in rank, entry and the number of meetings of each look-up. */
extern cudaError_t FindLookUps(GpuDevice *device, const Meetings *meetings);

/*
 * Counts the cells of the meetings from .. to - 1 that are kept: adds them to counts->cells of their
 * strips, which must be 0 before the first launch, and their results to *counts->results.
 */
extern cudaError_t CountMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to,
								 const StripCounts *counts);

/*
 * Writes the cells of the meetings from .. to - 1 that are kept and lie in strips first .. end - 1.
 * next[s] is how many cells of strip s have been written; it must be 0 before the first launch.
 */
extern cudaError_t PutMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to, uint32_t first,
							   uint32_t end, const CellTarget *target, uint32_t *next);

/*
 * ScanMeetings() turns the n + 1 numbers in "meeting", the last of which is 0, into the sums of those before
 * each, with scratch memory of MeetingScanScratch().
 */
extern cudaError_t MeetingScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanMeetings(GpuDevice *device, void *scratch, size_t bytes, uint64_t *meeting, uint32_t n);

/*
 * bits_kernels.cu: Strategy "bits" on a device, sets as rows of bits, and whether two rows have any bit in common.
 *
 * A stack is a bit matrix (bits/bits.h) whose rows are left and right values; its columns are
 * keys.
 */

typedef struct BitStack
{
	uint32_t   *lines;			/* [slabs][rows] lines; device memory */
	uint32_t	rows;
	uint32_t	slabs;
} BitStack;

/*
 * Sets the bits of a side's values from .. to - 1 in the rows row, row + 1, ... , whose bits must be 0
 * before.
 */
extern cudaError_t PackRows(GpuDevice *device, const DeviceSide *side, uint32_t from, uint32_t to,
							const BitStack *stack, uint32_t row);

/* Pairs of rows of a stack: nleft rows from "left" on with nright rows from "right" on. */
typedef struct AnyTile
{
	BitStack	stack;
	uint32_t	left;
	uint32_t	nleft;
	uint32_t	right;
	uint32_t	nright;
	uint64_t	stride;			/* from one left row's counts to those of the next */
} AnyTile;

/*
 * Sets count[i * stride + j] to 1 if rows left + i and right + j have a bit in common, and to 0 if not.  A
 * block of threads is done when all of its pairs have one (Huang and Chen, DIM3, arXiv 2206.04995, call
 * that early stopping).
 */
extern cudaError_t AnyInCommon(GpuDevice *device, const AnyTile *tile, uint32_t *count);

/*
 * Sets count[i * stride + i] to the size of set first + i of the side, or to 0 if that is below "least", for
 * i below n.
 */
extern cudaError_t CountSelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   uint32_t *count, uint64_t stride);

/* Adds to *results, which is device memory, how many of n sets from "first" on have at least "least" keys. */
extern cudaError_t TallySelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   unsigned long long *results);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_SETS_DEVICE_H */
