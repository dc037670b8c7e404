/*-------------------------------------------------------------------------
 *
 * transactions.c
 *	  Bringing uncertain transactions to the devices, see probable.h.
 *
 * First the items are counted, and columns are made of those that are frequent.  Then blocks of
 * transactions are laid out.  Rows are sent in parcels of whole slabs.  All bits of a slab's
 * lines must be set before the values that belong to these bits can be placed.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probable/probable.h"
#include "team.h"

/* ---- counting items ---- */

/*
 * A device counts the items, since entries must be copied to devices anyway.  Where all
 * entries' items have room on the devices, they stay there until transactions are laid
 * out, and are not copied a second time.
 */

/* Entries that are sent and counted together.  While they are counted, the next ones are copied. */
#define SOME_ENTRIES	(UINT64_C(1) << 20)

/* Data with no more items than this are sent with 16 bits for each item, if they are kept. */
#define NARROW_ITEMS	65536

/*
 * Takes memory on each device for the items of all entries, or else of SOME_ENTRIES on the first device, which
 * alone counts.
 */
static cudaError_t
TakeItems(ProbableJob *job, bool all)
{
	uint64_t	room = job->data->entries;
	int			ndevices = all ? job->team.ndevices : 1;

	if (!all)
		room = GpuLesser(room, SOME_ENTRIES);
	job->items_kept = all;
	for (int d = 0; d < ndevices; d++)
		GPU_TRY(GpuAlloc(job->team.devices[d], sizeof(uint32_t) * room, "allocating memory for items",
						 (void **) &job->device_items[d]));
	return cudaSuccess;
}

/*
 * Takes memory on each device for SOME_ENTRIES items of 16 bits, if items are sent in that form;
 * otherwise sets the addresses to NULL.
 */
static cudaError_t
TakeNarrow(ProbableJob *job, void **narrow)
{
	memset(narrow, 0, sizeof(void *) * FIM_GPU_MAX_DEVICES);
	for (int d = 0; d < job->team.ndevices && job->items_kept && job->data->nitems <= NARROW_ITEMS; d++)
		GPU_TRY(GpuAlloc(job->team.devices[d], sizeof(uint16_t) * GpuLesser(job->data->entries, SOME_ENTRIES),
						 "allocating memory for items", &narrow[d]));
	return cudaSuccess;
}

/*
 * Sends n items from "first" on to to[d] on each device d where that is not NULL, by way of narrow[d] if that is
 * not NULL.
 */
static cudaError_t
SendSome(ProbableJob *job, void *const *narrow, void *const *to, uint64_t first, uint64_t n)
{
	const char *what = "counting items";

	if (narrow[0] == NULL)
		return GpuSendAll(&job->team, GPU_COUNT, to, job->items + first, sizeof(uint32_t) * n, what);
	GPU_TRY(GpuSendNarrow(&job->team, narrow, job->items + first, n, what));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->team.devices[d], what));
		GPU_TRY(LaunchWidenItems(job->team.devices[d], narrow[d], (uint32_t) n, to[d]));
	}
	return cudaSuccess;
}

/*
 * Sends the items of all entries to the devices that have memory for them, and has the first device add them to
 * "counts".
 */
static cudaError_t
CountEntries(ProbableJob *job, void *const *narrow, uint32_t *counts)
{
	const char *what = "counting items";
	GpuDevice  *device = job->team.devices[0];
	void	   *to[FIM_GPU_MAX_DEVICES];
	uint64_t	n;

	for (uint64_t first = 0; first < job->data->entries; first += n)
	{
		GpuTimer   *timer;

		n = GpuLesser(job->data->entries - first, SOME_ENTRIES);
		for (int d = 0; d < job->team.ndevices; d++)
			to[d] = job->items_kept ? job->device_items[d] + first : job->device_items[d];
		GPU_TRY(SendSome(job, narrow, to, first, n));
		GPU_TRY(GpuUse(device, what));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, sizeof(uint32_t) * (double) n, &timer));
		GPU_TRY(LaunchCountItems(device, (uint32_t *) to[0], (uint32_t) n, counts, job->data->nitems));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* Sets counts[i] to the number of transactions that have item i. */
static cudaError_t
CountItems(ProbableJob *job, uint32_t *counts)
{
	const char *what = "counting items";
	GpuDevice  *device = job->team.devices[0];
	size_t		bytes = sizeof(uint32_t) * job->data->nitems;
	uint32_t   *on_device;
	void	   *narrow[FIM_GPU_MAX_DEVICES];

	GPU_TRY(TakeNarrow(job, narrow));
	GPU_TRY(GpuAlloc(device, bytes, what, (void **) &on_device));
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(on_device, 0, bytes, device->streams[GPU_COUNT]), what));
	GPU_TRY(CountEntries(job, narrow, on_device));
	GPU_TRY(GpuReceive(&job->team, device, counts, on_device, bytes, what));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuFree(job->team.devices[d], narrow[d]));
	return GpuFree(device, on_device);
}

/* Frees the items that devices keep. */
static cudaError_t
ItemsFree(ProbableJob *job)
{
	job->items_kept = false;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuFree(job->team.devices[d], job->device_items[d]));
		job->device_items[d] = NULL;
	}
	return cudaSuccess;
}

/* ---- columns ---- */

typedef struct CountedItem
{
	uint32_t	count;
	uint32_t	item;
} CountedItem;

static int
CompareCounts(const void *a, const void *b)
{
	const CountedItem *x = a;
	const CountedItem *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Makes columns of the items that are in enough transactions, and of the required ones. */
static cudaError_t
NameColumns(ProbableJob *job, const uint32_t *counts)
{
	uint32_t	nitems = job->data->nitems;
	CountedItem *order;

	GPU_TRY(HostTake(job, sizeof(CountedItem) * nitems, (void **) &order));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * nitems, (void **) &job->name));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * nitems, (void **) &job->column_of));
	memset(job->column_of, 0xff, sizeof(uint32_t) * nitems);
	for (uint32_t i = job->spec->nrequired; i < nitems; i++)
		if (counts[i] >= job->least_count)
			order[job->nfree++] = (CountedItem) {counts[i], i};
	qsort(order, job->nfree, sizeof(CountedItem), CompareCounts);
	for (uint32_t c = 0; c < job->nfree; c++)
		job->name[c] = order[c].item;
	job->ncolumns = job->nfree + job->spec->nrequired;
	for (uint32_t i = 0; i < job->spec->nrequired; i++)
		job->name[job->nfree + i] = i;
	for (uint32_t c = 0; c < job->ncolumns; c++)
		job->column_of[job->name[c]] = c;
	GpuHostFree(&job->team, order);
	return HostWork(job, nitems);
}

/* Sets has_class[] as they are dealt. */
static cudaError_t
DealColumns(ProbableJob *job, const uint32_t *counts)
{
	jmp_buf		leave;
	Arena		arena;
	FimDealt	dealt;

	GPU_TRY(HostTake(job, sizeof(bool) * ((size_t) job->nfree + 1), (void **) &job->has_class));
	ArenaInit(&arena, job->team.host, &leave);
	if (setjmp(leave) != 0)
	{
		ArenaFree(&arena);
		return NoMemory(job);
	}
	FimProbableDeal(&dealt, &job->spec->head.part, job->data, counts, &arena);
	job->has_class[job->nfree] = FimHasUnit(&dealt, job->data->nitems);
	for (uint32_t c = 0; c < job->nfree; c++)
	{
		/* items that all rows hold have no class; they are the last columns */
		bool		counts_as_class = counts[job->name[c]] < job->data->nrows;

		job->has_class[c] = FimHasUnit(&dealt, counts_as_class ? job->name[c] : job->data->nitems);
	}
	ArenaFree(&arena);
	return HostWork(job, job->data->nitems + job->data->nrows);
}

/*
 * The least number of transactions in which an itemset can be selected, since neither its
 * support nor its expected support exceeds that number.  An expected support reaches its
 * threshold if it rounds to it, so the threshold is lowered a little.
 */
static uint32_t
LeastCount(const FimProbableSpec *spec)
{
	double		least = ceil(spec->min_expected * (1 - 1e-12));

	if (!FimByExpectation(spec))
		return spec->minsup;
	return least < 1 ? 1 : least < UINT32_MAX ? (uint32_t) least : UINT32_MAX;
}

cudaError_t
ColumnsChoose(ProbableJob *job, bool keep)
{
	uint32_t   *counts;

	job->least_count = LeastCount(job->spec);
	GPU_TRY(HostTake(job, sizeof(uint32_t) * job->data->nitems, (void **) &counts));
	GPU_TRY(TakeItems(job, keep));
	GPU_TRY(CountItems(job, counts));
	if (!keep)
		GPU_TRY(ItemsFree(job));
	GPU_TRY(NameColumns(job, counts));
	if (FimIsPart(&job->spec->head.part))
		GPU_TRY(DealColumns(job, counts));
	GpuHostFree(&job->team, counts);
	return cudaSuccess;
}

/* ---- blocks ---- */

#define PARCEL_ENTRIES	(UINT64_C(1) << 20) /* most entries of a parcel, or those of one slab if it has more */
#define PARCEL_SLABS		1024
#define ELL_CELLS		(UINT64_C(1) << 23) /* or the cells of 32 rows if these are more */

/* A sheet may have no more lines than bits/bits.h can address. */
#define MOST_LINES		((uint64_t) FIM_MAX_LINES)

/* ---- blocks: sizes ---- */

static uint64_t
EntriesOf(const ProbableJob *job, uint64_t first_slab, uint64_t nslabs)
{
	uint64_t	from = GpuLesser(first_slab * FIM_SLAB_BITS, job->data->nrows);
	uint64_t	to = GpuLesser((first_slab + nslabs) * FIM_SLAB_BITS, job->data->nrows);

	return job->starts[to] - job->starts[from];
}

/* The most entries of any sheet, if the data's nslabs slabs are divided into sheets of "step" slabs. */
static uint64_t
MostEntries(const ProbableJob *job, uint64_t nslabs, uint64_t step)
{
	uint64_t	most = 0;

	for (uint64_t slab = 0; slab < nslabs; slab += step)
		most = GpuGreater(most, EntriesOf(job, slab, step));
	return most;
}

static void
SizeParcels(const ProbableJob *job, Transactions *t)
{
	uint64_t	all = job->data->entries;

	memset(t, 0, sizeof(*t));
	t->nslabs = FimSlabs(job->data->nrows);
	t->loaded = GPU_NONE;
	t->parcel_slabs = (uint32_t) GpuLesser(t->nslabs, PARCEL_SLABS);
	t->parcel_entries = GpuGreater(GpuLesser(all, PARCEL_ENTRIES), MostEntries(job, t->nslabs, 1));
	/* if devices keep the items, only starts and probabilities of rows are sent, so entries need no room */
	if (job->items_kept && !job->data->by_entry)
		t->parcel_entries = GpuBetween(t->parcel_entries, all, UINT32_MAX);
	t->ell_room = GpuGreater(GpuLesser(GpuGreater(all * 4, 1024), ELL_CELLS),
							 (uint64_t) job->data->max_row * 32);
}

static uint64_t
LayoutMemory(const ProbableJob *job, const Transactions *t)
{
	uint64_t	bytes = sizeof(uint32_t) * (job->data->nitems + t->ell_room +
											(uint64_t) t->parcel_slabs * FIM_SLAB_BITS + 1);

	if (!job->items_kept)
		bytes += sizeof(uint32_t) * t->parcel_entries;
	if (job->data->by_entry)
		bytes += sizeof(double) * t->parcel_entries +
			2 * sizeof(uint32_t) * ((uint64_t) t->parcel_slabs * job->ncolumns + 1);
	return bytes + (UINT64_C(1) << 16);
}

static uint64_t
SheetMemory(const ProbableJob *job, uint64_t nslabs, uint64_t sheet_slabs)
{
	uint64_t	bytes = sheet_slabs * job->ncolumns * FIM_LINE_BYTES;

	if (!job->data->by_entry)
		return bytes + sizeof(double) * sheet_slabs * FIM_SLAB_BITS;
	return bytes + sizeof(uint64_t) * (sheet_slabs * job->ncolumns + 1) +
		sizeof(double) * MostEntries(job, nslabs, sheet_slabs);
}

uint64_t
TransactionsMemory(const ProbableJob *job, uint32_t sheet_slabs)
{
	Transactions t;

	SizeParcels(job, &t);
	sheet_slabs = (uint32_t) GpuBetween(1, sheet_slabs, GpuGreater(t.nslabs, 1));
	return LayoutMemory(job, &t) + SheetMemory(job, t.nslabs, sheet_slabs);
}

/* Halves the size of sheets until a sheet fits into "room" bytes.  All sheets but the last have this size. */
static void
SizeSheets(const ProbableJob *job, Transactions *t, uint64_t room)
{
	uint64_t	slabs = GpuGreater(t->nslabs, 1);

	while (slabs > 1 && (SheetMemory(job, t->nslabs, slabs) > room ||
						 slabs * job->ncolumns > MOST_LINES))
		slabs = (slabs + 1) / 2;
	t->sheet_slabs = (uint32_t) slabs;
	t->nsheets = (uint32_t) ((t->nslabs + slabs - 1) / slabs);
	t->value_room = job->data->by_entry ? MostEntries(job, t->nslabs, slabs) : 0;
}

/* ---- blocks: memory ---- */

static cudaError_t
TakeSheet(ProbableJob *job, Transactions *t, GpuDevice *device, UncertainSheet *sheet)
{
	const char *what = "allocating transaction bitmaps";
	uint64_t	nlines = (uint64_t) t->sheet_slabs * job->ncolumns;

	sheet->ncolumns = job->ncolumns;
	GPU_TRY(GpuAlloc(device, nlines * FIM_LINE_BYTES, what, (void **) &sheet->lines));
	if (!job->data->by_entry)
		return GpuAlloc(device, sizeof(double) * t->sheet_slabs * FIM_SLAB_BITS, what,
						(void **) &sheet->row_p);
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * (nlines + 1), what, (void **) &sheet->value_at));
	return GpuAlloc(device, sizeof(double) * (t->value_room + 1), what, (void **) &sheet->values);
}

static cudaError_t
TakeLayout(ProbableJob *job, Transactions *t, GpuDevice *device, Layout *layout)
{
	const char *what = "allocating memory for transactions";
	uint64_t	nlines = (uint64_t) t->parcel_slabs * job->ncolumns;

	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * job->data->nitems, what, (void **) &layout->column_of));
	if (!job->items_kept)
		GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * t->parcel_entries, what, (void **) &layout->items));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * ((uint64_t) t->parcel_slabs * FIM_SLAB_BITS + 1), what,
					 (void **) &layout->starts));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * t->ell_room, what, (void **) &layout->ell));
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, layout->column_of, job->column_of,
					sizeof(uint32_t) * job->data->nitems, what));
	if (!job->data->by_entry)
		return cudaSuccess;
	GPU_TRY(GpuAlloc(device, sizeof(double) * t->parcel_entries, what, (void **) &layout->p));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * (nlines + 1), what, (void **) &layout->counts));
	GPU_TRY(GpuCheck(device, PlacingScratch(nlines, &layout->scratch_bytes), what));
	return GpuAlloc(device, layout->scratch_bytes + 1, what, &layout->scratch);
}

cudaError_t
TransactionsOpen(ProbableJob *job, Transactions *t, uint64_t keep)
{
	uint64_t	room = GpuLeastRoom(&job->team);

	SizeParcels(job, t);
	keep += LayoutMemory(job, t);
	SizeSheets(job, t, room > keep ? room - keep : 0);
	GPU_TRY(HostTake(job, sizeof(uint32_t) * ((uint64_t) t->parcel_slabs * FIM_SLAB_BITS + 1),
					 (void **) &t->starts));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(TakeLayout(job, t, job->team.devices[d], &t->layout[d]));
		GPU_TRY(TakeSheet(job, t, job->team.devices[d], &t->sheet[d]));
	}
	return cudaSuccess;
}

/* ---- blocks: loading ---- */

/* Rows of the data that are sent together, and where they go in the sheet. */
typedef struct RowParcel
{
	uint64_t	row;			/* number of the first row in the data */
	uint32_t	nrows;
	uint64_t	first_row;		/* number of the first row in the sheet */
	uint32_t	nslabs;
} RowParcel;

/*
 * Points the layouts to the items of a parcel, which begin at entry "first", and sends them if devices
 * lack them.
 */
static cudaError_t
SendItems(ProbableJob *job, Transactions *t, uint64_t first, uint64_t entries)
{
	void	   *to[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		if (job->items_kept)
			t->layout[d].items = job->device_items[d] + first;
		to[d] = t->layout[d].items;
	}
	if (job->items_kept)
		return cudaSuccess;
	return GpuSendAll(&job->team, GPU_COUNT, to, job->items + first, sizeof(uint32_t) * entries,
					  "copying transactions");
}

static cudaError_t
SendParcel(ProbableJob *job, Transactions *t, const RowParcel *parcel)
{
	const char *what = "copying transactions";
	uint64_t	first = job->starts[parcel->row];
	uint64_t	entries = job->starts[parcel->row + parcel->nrows] - first;
	void	   *p[FIM_GPU_MAX_DEVICES];

	for (uint32_t r = 0; r <= parcel->nrows; r++)
		t->starts[r] = (uint32_t) (job->starts[parcel->row + r] - first);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuSend(&job->team, job->team.devices[d], GPU_COUNT, t->layout[d].starts, t->starts,
						sizeof(uint32_t) * (parcel->nrows + 1), what));
		p[d] = job->data->by_entry ? t->layout[d].p : t->sheet[d].row_p + parcel->first_row;
	}
	GPU_TRY(SendItems(job, t, first, entries));
	if (job->data->by_entry)
		return GpuSendAll(&job->team, GPU_COUNT, p, job->probabilities + first, sizeof(double) * entries, what);
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuSend(&job->team, job->team.devices[d], GPU_COUNT, p[d], job->probabilities + parcel->row,
						sizeof(double) * parcel->nrows, what));
	return cudaSuccess;
}

/*
 * How many rows of a parcel, from its row "from" on, the memory for an ELL has room for, in steps of 32.
 * *width becomes the most entries of one of them.
 */
static uint32_t
RowsOfEll(const Transactions *t, const RowParcel *parcel, uint32_t from, uint32_t *width)
{
	uint32_t	n = 0;
	uint32_t	widest = 0;

	while (from + n < parcel->nrows)
	{
		uint32_t	end = (uint32_t) GpuLesser(from + n + 32, parcel->nrows);
		uint32_t	wider = widest;

		for (uint32_t r = from + n; r < end; r++)
			wider = (uint32_t) GpuGreater(wider, t->starts[r + 1] - t->starts[r]);
		if (n > 0 && (uint64_t) wider * (end - from) > t->ell_room)
			break;
		widest = wider;
		n = end - from;
	}
	*width = widest;
	return n;
}

/*
 * Lays out a parcel on one device: sets the bits of its lines, or if "values" writes the values of
 * these bits.
 */
static cudaError_t
LayOut(const Transactions *t, const RowParcel *parcel, GpuDevice *device, int d, bool values)
{
	uint32_t	width;
	uint32_t	n;

	for (uint32_t from = 0; from < parcel->nrows; from += n)
	{
		n = RowsOfEll(t, parcel, from, &width);
		GPU_TRY(LayOutEll(device, &t->layout[d], from, n, width));
		if (values)
			GPU_TRY(LayOutValues(device, &t->sheet[d], &t->layout[d], parcel->first_row + from, from, n,
								 width));
		else
			GPU_TRY(LayOutLines(device, &t->sheet[d], &t->layout[d], parcel->first_row + from, n, width));
	}
	return cudaSuccess;
}

static cudaError_t
BuildParcel(ProbableJob *job, Transactions *t, const RowParcel *parcel)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		GpuTimer   *timer;

		GPU_TRY(GpuUse(device, "building transaction bitmaps"));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, sizeof(uint32_t) * (double) t->starts[parcel->nrows],
						 &timer));
		GPU_TRY(LayOut(t, parcel, device, d, false));
		if (job->data->by_entry)
		{
			GPU_TRY(PlaceValues(device, &t->sheet[d], &t->layout[d],
								(uint32_t) (parcel->first_row / FIM_SLAB_BITS), parcel->nslabs));
			GPU_TRY(LayOut(t, parcel, device, d, true));
		}
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* Clears all bits, and the probabilities of rows; the values of the first line begin at number 0. */
static cudaError_t
ClearSheet(const Transactions *t, GpuDevice *device, const UncertainSheet *sheet)
{
	const char *what = "building transaction bitmaps";
	cudaStream_t stream = device->streams[GPU_COUNT];

	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(sheet->lines, 0, (size_t) t->sheet_slabs *
											 sheet->ncolumns * FIM_LINE_BYTES, stream), what));
	if (sheet->row_p != NULL)
		return GpuCheck(device, cudaMemsetAsync(sheet->row_p, 0, sizeof(double) *
												(size_t) t->sheet_slabs * FIM_SLAB_BITS, stream), what);
	return GpuCheck(device, cudaMemsetAsync(sheet->value_at, 0, sizeof(uint64_t), stream), what);
}

/*
 * The parcel that begins at "slab", as large as parcels may be.  The sheet is slabs first_slab .. end - 1
 * of the data.
 */
static RowParcel
ParcelAt(const ProbableJob *job, const Transactions *t, uint64_t first_slab, uint64_t slab, uint64_t end)
{
	uint64_t	n = 1;
	RowParcel	parcel;

	while (slab + n < end && n < t->parcel_slabs && EntriesOf(job, slab, n + 1) <= t->parcel_entries)
		n++;
	parcel.row = slab * FIM_SLAB_BITS;
	parcel.nrows = (uint32_t) (GpuLesser((slab + n) * FIM_SLAB_BITS, job->data->nrows) - parcel.row);
	parcel.first_row = (slab - first_slab) * FIM_SLAB_BITS;
	parcel.nslabs = (uint32_t) n;
	return parcel;
}

cudaError_t
TransactionsLoad(ProbableJob *job, Transactions *t, uint32_t sheet)
{
	uint64_t	first_slab = (uint64_t) sheet * t->sheet_slabs;
	uint64_t	end = GpuLesser(first_slab + t->sheet_slabs, t->nslabs);

	if (t->loaded == sheet)
		return cudaSuccess;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		t->sheet[d].nslabs = (uint32_t) (end - first_slab);
		GPU_TRY(ClearSheet(t, job->team.devices[d], &t->sheet[d]));
	}
	for (uint64_t slab = first_slab; slab < end;)
	{
		RowParcel	parcel = ParcelAt(job, t, first_slab, slab, end);

		GPU_TRY(SendParcel(job, t, &parcel));
		GPU_TRY(BuildParcel(job, t, &parcel));
		slab += parcel.nslabs;
	}
	t->loaded = sheet;
	/* if there is only one sheet, it is not laid out again, and the items are not needed any more */
	return t->nsheets == 1 ? ItemsFree(job) : cudaSuccess;
}
