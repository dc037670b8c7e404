/*-------------------------------------------------------------------------
 *
 * tensor_root.cu
 *	  The root of strategy "tensor": from transactions to the first class.
 *
 * The root is a level of one class without a prefix, whose members are all frequent items
 * that not every transaction has, in the order of ascending support.  Its rows are made
 * on the device from the transactions.
 *
 *-------------------------------------------------------------------------
 */
extern "C"
{
#include "engine/itemsets/root.h"
}
#include "itemsets/tensor_alloc.h"
#include "itemsets/tensor_emit.h"
#include "itemsets/tensor_root.h"

/* A job begins with this many bytes of memory besides those that it needs. */
#define FIRST_MEMORY	((uint64_t) 1 << 30)

/* Enough thread blocks to fill any device while they read transactions. */
#define ROOT_BLOCKS		2048

/* Write the rows of all items.  A warp takes a transaction and sets a bit for each item. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
RootKernel(const FimRow *rows, const uint32_t *items, const uint64_t *start, uint32_t nrows,
		   uint32_t skip, uint32_t nitems, uint32_t *lines)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	nmembers = nitems - skip;
	uint32_t	nwarps = gridDim.x * TENSOR_THREADS / 32;

	for (uint32_t r = (blockIdx.x * TENSOR_THREADS + threadIdx.x) / 32; r < nrows; r += nwarps)
	{
		FimRow		row = rows[r];

		for (uint32_t e = skip + lane; e < row.length; e += 32)
		{
			uint32_t	item = items[row.at + e];

			if (item >= nitems)
				break;
			for (uint32_t copy = 0; copy < row.weight; copy++)
			{
				uint64_t	tid = start[r] + copy;
				uint64_t	line = tid / FIM_SLAB_BITS * nmembers + (nitems - 1 - item);

				atomicOr(lines + line * FIM_LINE_WORDS + tid % FIM_SLAB_BITS / 32, 1u << tid % 32);
			}
		}
	}
}

/* How much there is of the root, which is one class of n items. */
static ClassPlace
RootEnd(const FimDatabase *db, uint32_t n)
{
	return {(uint64_t) n * FimSlabs(db->transactions), (uint64_t) n * n, 1, n};
}

/* Set up the root's only class, whose members are all frequent items that not every transaction has. */
static void
FillRoot(Tensor *t, ClassLevel *root, uint32_t skip, uint32_t nitems)
{
	const FimDatabase *db = t->m->db;
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	n = nitems - skip;
	uint32_t   *words = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * 3 * (size_t) n);
	uint32_t   *item = words;
	uint32_t   *with = words + n;
	FimCompaction *class_ = &root->classes[0];

	memset(words, 0, sizeof(uint32_t) * 3 * (size_t) n);
	for (uint32_t x = 0; x < n; x++)
	{
		item[x] = nitems - 1 - x;
		with[x] = support[item[x]];
	}
	memset(class_, 0, sizeof(*class_));
	class_->to.rows = n;
	class_->to.slabs = FimSlabs(db->transactions);
	root->depth[0] = t->m->job->kind == FIM_ALL ? 0 : skip;
	root->nperfect[0] = t->m->job->kind == FIM_ALL ? skip : 0;
	root->nfixed[0] = 0;
	root->fixed[0] = NULL;
	ToDevice(t, root->device.item, item, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.support, with, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.class_of, words + 2 * (size_t) n, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.depth, root->depth, sizeof(uint32_t));
	ToDevice(t, root->device.nperfect, root->nperfect, sizeof(uint32_t));
	ToDevice(t, root->device.classes, class_, sizeof(*class_));
	if (!t->m->job->head.count_only)
	{
		memcpy(root->item, item, sizeof(uint32_t) * (size_t) n);
		memcpy(root->support, with, sizeof(uint32_t) * (size_t) n);
	}
	Wait(t, "copying to the device");
}

/* Take memory for the root's rows, and for the transactions that they are made of. */
static void
PlaceRoot(Tensor *t, ClassLevel *root)
{
	const char *what = "making transaction bitmaps";
	const FimDatabase *db = t->m->db;
	TensorSource *source = &t->source;
	uint64_t	size = root->end.line * FIM_LINE_BYTES;

	root->lines = (char *) AllocBottom(t, size, what);
	source->top = t->block.top;
	source->rows = (FimRow *) AllocTop(t, sizeof(FimRow) * (uint64_t) db->nrows, what);
	source->items = (uint32_t *) AllocTop(t, sizeof(uint32_t) * db->entries, what);
	source->start = (uint64_t *) AllocTop(t, sizeof(uint64_t) * (uint64_t) db->nrows, what);
	Check(t, cudaMemsetAsync(root->lines, 0, size, t->stream), what);
}

const TensorSource *
TensorSourceOf(const Tensor *t)
{
	return &t->source;
}

void
TensorBuild(Tensor *t)
{
	const FimDatabase *db = t->m->db;
	const TensorSource *source = &t->source;
	uint32_t	skip;
	uint32_t	nitems = RootItems(t->m->job, db, &skip);

	t->device->begin_build(t->device, sizeof(FimRow) * (uint64_t) db->nrows +
						   sizeof(uint32_t) * db->entries + t->root.end.line * FIM_LINE_BYTES);
	RootKernel<<<ROOT_BLOCKS, TENSOR_THREADS, 0, t->stream>>>(source->rows, source->items, source->start,
													   db->nrows, skip, nitems,
													   (uint32_t *) t->root.lines);
	Launched(t, "making transaction bitmaps");
	t->device->end_build(t->device);
	t->block.top = source->top;
}

void
TensorMemory(const FimItemsetsJob *job, const FimDatabase *db, uint64_t *least, uint64_t *wanted)
{
	uint32_t	skip;
	uint64_t	n = RootItems(job, db, &skip);
	uint64_t	rows = (n - skip) * (db->transactions / FIM_SLAB_BITS + 1) * FIM_LINE_BYTES;
	uint64_t	source = db->entries * sizeof(uint32_t) +
		(uint64_t) db->nrows * (sizeof(FimRow) + sizeof(uint64_t));

	*least = rows + (source > rows ? source : rows) + ((uint64_t) 64 << 20);
	*wanted = *least + FIRST_MEMORY;
}

/* Whether there can be itemsets of wanted lengths beyond those of items that all transactions have. */
static bool
NeedsDevice(const Miner *m, uint32_t skip, uint32_t nitems)
{
	return m->db->transactions >= m->job->minsup && nitems > skip &&
		m->out.depth < m->out.max_depth && OutputReaches(&m->out, m->out.nperfect + nitems - skip);
}

Tensor *
TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number)
{
	Tensor	   *t;
	ClassPlace	end;
	uint32_t	skip;
	uint32_t	nitems = RootItems(m->job, m->db, &skip);

	RootBegin(m, skip);
	if (number == 0)
		RootEmit(m, nitems > skip);
	if (!NeedsDevice(m, skip, nitems))
		return NULL;
	t = (Tensor *) ArenaAlloc(&m->arena, sizeof(Tensor));
	memset(t, 0, sizeof(*t));
	t->m = m;
	t->device = device;
	t->stream = device->stream;
	t->ndevices = ndevices;
	t->number = number;
	t->block = {(char *) device->memory, 0, device->size / 256 * 256};
	t->begin = Milliseconds();
	Check(t, FimBestWay(&t->way), "choosing how to multiply");
	t->counter = (unsigned long long *) AllocBottom(t, sizeof(*t->counter), "counting pairs");
	TensorPrepareCounts(t);
	end = RootEnd(m->db, nitems - skip);
	TensorAllocLevel(t, &t->root, NULL, &end);
	FillRoot(t, &t->root, skip, nitems);
	PlaceRoot(t, &t->root);
	return t;
}
