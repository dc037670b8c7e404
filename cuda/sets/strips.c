/*-------------------------------------------------------------------------
 *
 * strips.c
 *	  Sharing a strategy's work out to devices, and bringing its results home, see sets.h.
 *
 * A unit is counted on every device before the host waits for the first of them.  The host turns
 * the cells that come home into results, and writes these in batches.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/sets/best.h"
#include "engine/sets/measure.h"
#include "sets/sets.h"
#include "team.h"

/* The steps, as for HostWork(), that putting a partner in order and writing it takes. */
#define SORT_STEPS		50

/*
 * Writing results to the sink, or counting them.
 */

/* A batch of results that has not been written yet. */
typedef struct Records
{
	FimSetsStrategy strategy;	/* which found them */
	GpuRecords	batch;

	/* the best partners of the row whose cells come home */
	Best		best;
	uint32_t	partners;		/* "best" has so many */
	bool		in_row;			/* there is such a row */
} Records;

/* Makes room for the partners of a row, unless they are only counted. */
static cudaError_t
BestOpen(SetsJob *job, Records *records)
{
	records->best = BestOf(job->spec, job->data);
	records->best.n = &records->partners;
	return job->listed ?
		GpuHostTake(&job->team, sizeof(Partner) * records->best.most, (void **) &records->best.partner) : cudaSuccess;
}

/* Makes room for a batch.  GpuEndRecords() writes the last batch and frees the room. */
static cudaError_t
RecordsOpen(SetsJob *job, FimSetsStrategy strategy, Records *records)
{
	*records = (Records) {.strategy = strategy, .batch = {.sink = job->sink}};
	if (job->best)
		GPU_TRY(BestOpen(job, records));
	if (!job->listed)
		return cudaSuccess;
	return GpuHostRoom(&job->team, (void **) &records->batch.words, 0, FIM_BATCH_WORDS, &records->batch.room,
					   sizeof(uint32_t));
}

/* Adds "results" results that a strategy has found to the summary and to the shared state. */
static void
RecordsCount(SetsJob *job, FimSetsStrategy strategy, uint64_t results)
{
	job->summary->pairs += results;
	job->summary->found[strategy] += results;
	__atomic_fetch_add(&job->team.shared->results, results, __ATOMIC_RELAXED);
}

/* How many pairs a record can have in what is left of the batch. */
static uint32_t
Room(const SetsJob *job, const Records *records)
{
	size_t		left = FIM_BATCH_WORDS - records->batch.nwords;
	size_t		head = FimSetsRecordWords(job->spec, 0);

	return left <= head ? 0 : (uint32_t) ((left - head) / (FimSetsRecordWords(job->spec, 1) - head));
}

/* How many results n cells of a row stand for: a cell that stands for both orders of a pair counts twice. */
static uint64_t
ResultsOf(const SetsJob *job, uint32_t row, const uint32_t *right, uint32_t n)
{
	uint32_t	same = 0;

	if (!job->data->one || job->spec->result != FIM_SETS_PRODUCT)
		return n;
	for (uint32_t i = 0; i < n; i++)
		same += right[i] == row;
	return 2 * (uint64_t) n - same;
}

/* Adds a record of n cells, for which the batch has room. */
static void
AddRecord(SetsJob *job, Records *records, uint32_t row, const uint32_t *right, const uint32_t *witnesses, uint32_t n)
{
	const FimSetsData *data = job->data;
	const uint32_t *value_of = FIM_SETS_VALUES(data, &data->right);
	uint32_t   *to = records->batch.words + records->batch.nwords;
	uint64_t	results = ResultsOf(job, row, right, n);

	*to++ = FIM_SETS_VALUES(data, &data->left)[row];
	*to++ = n;
	for (uint32_t i = 0; i < n; i++)
		*to++ = value_of[right[i]];
	if (job->spec->witnesses)
	{
		memcpy(to, witnesses, sizeof(uint32_t) * n);
		to += n;
	}
	for (uint32_t i = 0; i < n && job->spec->result == FIM_SETS_SIMILAR; i++, to += 2)
	{
		double		similarity = SimilarityOf(job->spec->measure, witnesses[i], FimSetsLength(data, &data->left, row),
											  FimSetsLength(data, &data->right, right[i]));

		memcpy(to, &similarity, sizeof(similarity));
	}
	records->batch.nwords += FimSetsRecordWords(job->spec, n);
	records->batch.n += results;
	RecordsCount(job, records->strategy, results);
}

static cudaError_t
AddCells(SetsJob *job, Records *records, uint32_t row, const uint32_t *right, const uint32_t *witnesses, uint32_t n)
{
	while (n > 0)
	{
		uint32_t	now = (uint32_t) GpuLesser(n, Room(job, records));

		if (now > 0)
			AddRecord(job, records, row, right, witnesses, now);
		else
			GPU_TRY(GpuWriteRecords(&records->batch));
		right += now;
		witnesses += witnesses != NULL ? now : 0;
		n -= now;
		GPU_TRY(HostWork(job, 4 * (uint64_t) now));
	}
	return cudaSuccess;
}

/*
 * For containment, where one order of a cell's pair may be a result, or both: writes the reverse orders that
 * are results, and keeps in the arrays those cells that are results in their own order.
 */
static cudaError_t
AddReverse(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses, uint32_t *n)
{
	const FimSetsData *data = job->data;
	uint32_t	size = FimSetsLength(data, &data->left, row);
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < *n; i++)
	{
		uint32_t	cell = right[i];
		uint32_t	overlap = witnesses[i];

		if (SimilarityOf(FIM_CONTAINMENT, overlap, FimSetsLength(data, &data->right, cell), size) >= job->spec->threshold)
			GPU_TRY(AddCells(job, records, cell, &row, &overlap, 1));
		right[kept] = cell;
		witnesses[kept] = overlap;
		kept += SimilarityOf(FIM_CONTAINMENT, overlap, size, FimSetsLength(data, &data->right, cell)) >= job->spec->threshold;
	}
	*n = kept;
	return cudaSuccess;
}

/* Writes or counts the best partners of the row whose cells have come home. */
static cudaError_t
EndRow(SetsJob *job, Records *records)
{
	const Partner *list;
	uint32_t	n;
	uint32_t	now;

	if (!records->in_row)
		return cudaSuccess;
	records->in_row = false;
	list = BestEnd(&records->best, &n);
	RecordsCount(job, records->strategy, n);
	for (uint32_t first = 0; first < n && list != NULL; first += now)
	{
		now = (uint32_t) GpuLesser(n - first, Room(job, records));
		if (now == 0)
		{
			GPU_TRY(GpuWriteRecords(&records->batch));
			continue;
		}
		BestRecord(&records->best, list, first, now, records->batch.words + records->batch.nwords);
		records->batch.nwords += FimSetsRecordWords(job->spec, now);
		records->batch.n += now;
	}
	return HostWork(job, SORT_STEPS * (uint64_t) n);
}

static cudaError_t
TurnToRow(SetsJob *job, Records *records, uint32_t row)
{
	if (records->in_row && records->best.row == row)
		return cudaSuccess;
	GPU_TRY(EndRow(job, records));
	BestBegin(&records->best, row, 1);
	records->in_row = true;
	return cudaSuccess;
}

/* Adds n cells to the partners of a row.  The cells of a row come one after the other, though not all at a time. */
static cudaError_t
AddPartners(SetsJob *job, Records *records, uint32_t row, const uint32_t *right, const uint32_t *witnesses, uint32_t n)
{
	GPU_TRY(TurnToRow(job, records, row));
	for (uint32_t i = 0; i < n; i++)
		if (BestMayTake(&records->best, right[i], witnesses[i]))
			BestAdd(&records->best, right[i], witnesses[i]);
	return HostWork(job, 4 * (uint64_t) n);
}

/* The same if partners are only counted: a row has no more than it may have. */
static cudaError_t
CountPartners(SetsJob *job, Records *records, uint32_t row, uint64_t n)
{
	GPU_TRY(TurnToRow(job, records, row));
	records->partners = (uint32_t) GpuLesser(records->partners + n, records->best.most);
	return cudaSuccess;
}

/*
 * Writes n cells of a row, all by rank.  The arrays are changed.  witnesses may be NULL if the job does not
 * want them.
 */
static cudaError_t
RecordsWrite(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses, uint32_t n)
{
	if (job->best)
		return AddPartners(job, records, row, right, witnesses, n);
	if (job->spec->result == FIM_SETS_SIMILAR && job->spec->measure == FIM_CONTAINMENT)
		GPU_TRY(AddReverse(job, records, row, right, witnesses, &n));
	return AddCells(job, records, row, right, witnesses, n);
}

/* Most cells that are sent home at once; they get at most a quarter of a device's free memory. */
#define MOST_CELLS		(UINT64_C(1) << 22)

/* Host memory for what the devices send home of a unit, one device at a time. */
typedef struct Home
{
	uint64_t   *start;			/* [nstarts] as in CellTarget */
	uint32_t   *rows;			/* [nrows] as in Strips */
	uint64_t	nstarts;
	uint64_t	nrows;
	uint32_t   *right;			/* [room] as in CellTarget, as are witnesses */
	uint32_t   *witnesses;		/* [room] */
	uint64_t	room;			/* cells, no fewer than a strip may have */
	Records		records;
} Home;

typedef struct Search
{
	SetsJob    *job;
	const Finder *finder;
	void	   *of;
	Home		home;
	uint64_t	unit[FIM_GPU_MAX_DEVICES]; /* the unit that each device has */
	Strips		strips[FIM_GPU_MAX_DEVICES]; /* the strips of these units */
} Search;

/* ---- memory ---- */

/* The bytes of a cell on a device. */
static uint64_t
CellBytes(const FimSetsSpec *spec)
{
	return sizeof(uint32_t) * (spec->witnesses || spec->result >= FIM_SETS_SIMILAR ? 2 : 1);
}

uint64_t
StripsLeast(const FimSetsSpec *spec)
{
	uint64_t	memory = sizeof(uint64_t) + sizeof(uint32_t) * STRIPS_AT_ONCE;
	bool		best = spec->result == FIM_SETS_BEST;

	if (!spec->head.count_only || best)
		memory += sizeof(uint64_t) * (STRIPS_AT_ONCE + 1) + ScratchOf(STRIPS_AT_ONCE);
	if (spec->head.count_only)
		return memory;
	return memory + (best ? (sizeof(PartnerCut) + sizeof(uint32_t)) * STRIPS_AT_ONCE : 0) + CellBytes(spec) * STRIP_CELLS;
}

/* Are the numbers of cells sent home?  Those of best partners are even if these are only counted, since a row has only so many. */
static bool
NumbersGoHome(const SetsJob *job)
{
	return job->listed || job->best;
}

static cudaError_t
OpenScan(SetsDevice *on)
{
	const char *what = "allocating results";

	GPU_TRY(GpuAlloc(on->device, sizeof(uint64_t) * ((size_t) STRIPS_AT_ONCE + 1), what, (void **) &on->start));
	GPU_TRY(GpuCheck(on->device, StripScanScratch(&on->scratch_bytes), what));
	return GpuAlloc(on->device, on->scratch_bytes, what, &on->scratch);
}

/* Takes the memory for cells, which is a part of what is left. */
static cudaError_t
OpenRoom(SetsJob *job, SetsDevice *on)
{
	const char *what = "allocating results";

	if (job->best)
	{
		GPU_TRY(GpuAlloc(on->device, sizeof(PartnerCut) * STRIPS_AT_ONCE, what, (void **) &on->cut));
		GPU_TRY(GpuAlloc(on->device, sizeof(uint32_t) * STRIPS_AT_ONCE, what, (void **) &on->reached));
	}
	on->room = GpuBetween(STRIP_CELLS, GpuRoom(on->device) / ROOM_PART / CellBytes(job->spec), MOST_CELLS);
	on->room = GpuLesser(on->room, (uint64_t) job->data->left.nvalues * job->data->right.nvalues);
	GPU_TRY(GpuAlloc(on->device, sizeof(uint32_t) * on->room, what, (void **) &on->right));
	if (job->with_witnesses)
		GPU_TRY(GpuAlloc(on->device, sizeof(uint32_t) * on->room, what, (void **) &on->witnesses));
	return cudaSuccess;
}

cudaError_t
StripsOpen(SetsJob *job)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		SetsDevice *on = &job->on[d];

		GPU_TRY(GpuUse(on->device, "allocating results"));
		GPU_TRY(GpuAlloc(on->device, sizeof(uint64_t), "allocating results", (void **) &on->results));
		GPU_TRY(GpuAlloc(on->device, sizeof(uint32_t) * STRIPS_AT_ONCE, "allocating results", (void **) &on->cells));
		if (NumbersGoHome(job))
			GPU_TRY(OpenScan(on));
		if (job->listed)
			GPU_TRY(OpenRoom(job, on));
	}
	return cudaSuccess;
}

static uint64_t
MostRoom(const SetsJob *job)
{
	uint64_t	most = 0;

	for (int d = 0; d < job->team.ndevices; d++)
		most = GpuGreater(most, job->on[d].room);
	return most;
}

/*
 * Takes host memory for as many cells as any device sends home at once, or for fewer if the host
 * does not have that much; then the devices send fewer cells at a time.
 */
static cudaError_t
TakeRoom(SetsJob *job, Home *home)
{
	uint64_t	most = MostRoom(job);
	uint64_t	least = GpuLesser(most, STRIP_CELLS);

	for (home->room = most;; home->room = GpuGreater(home->room / 2, least))
	{
		size_t		bytes = sizeof(uint32_t) * GpuGreater(home->room, 1);

		home->right = GpuHostAlloc(&job->team, bytes);
		if (home->right != NULL && job->with_witnesses)
			home->witnesses = GpuHostAlloc(&job->team, bytes);
		if (home->right != NULL && (home->witnesses != NULL || !job->with_witnesses))
			return cudaSuccess;
		GpuHostFree(&job->team, home->right);
		if (home->room == least)
			return GpuNoMemory(&job->team);
	}
}

static void
CloseHome(SetsJob *job, Home *home)
{
	GpuHostFree(&job->team, home->start);
	GpuHostFree(&job->team, home->rows);
	GpuHostFree(&job->team, home->right);
	GpuHostFree(&job->team, home->witnesses);
	GpuHostFree(&job->team, home->records.best.partner);
}

/* ---- results come home ---- */

/* RowOfStrip() on the host. */
static uint32_t
RowAtHome(const Home *home, const Strips *strips, uint32_t strip)
{
	uint32_t	number = strip / strips->per_row;

	return strips->rows != NULL ? home->rows[number] : strips->first + number;
}

/* Writes the cells of strips from .. to - 1, which are at home, to the records. */
static cudaError_t
WriteStrips(Search *search, const Strips *strips, uint32_t from, uint32_t to)
{
	Home	   *home = &search->home;

	for (uint32_t s = from; s < to; s++)
	{
		uint64_t	at = home->start[s] - home->start[from];
		uint32_t	n = (uint32_t) (home->start[s + 1] - home->start[s]);

		if (n > 0)
			GPU_TRY(RecordsWrite(search->job, &home->records, RowAtHome(home, strips, s), home->right + at,
								 home->witnesses != NULL ? home->witnesses + at : NULL, n));
	}
	return HostWork(search->job, to - from);
}

/* The end of as many strips from "from" on, at least one, as have no more than "room" cells together. */
static uint32_t
StripsAtOnce(const Home *home, uint32_t n, uint32_t from, uint64_t room)
{
	uint32_t	low = from + 1;
	uint32_t	high = n;

	while (low < high)
	{
		uint32_t	middle = low + (high - low + 1) / 2;

		if (home->start[middle] - home->start[from] <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static cudaError_t
FillStrips(Search *search, int d, uint32_t from, uint32_t to)
{
	SetsJob    *job = search->job;
	SetsDevice *on = &job->on[d];
	Home	   *home = &search->home;
	const Strips *strips = &search->strips[d];
	CellTarget	target = {on->start, home->start[from], on->right, on->witnesses, on->cut};
	size_t		bytes = sizeof(uint32_t) * (home->start[to] - home->start[from]);

	if (bytes == 0)
		return cudaSuccess;
	GPU_TRY(search->finder->fill(job, on, search->of, search->unit[d], strips, from, to, &target));
	GPU_TRY(GpuReceive(&job->team, on->device, home->right, on->right, bytes, "returning cells"));
	if (home->witnesses != NULL)
		GPU_TRY(GpuReceive(&job->team, on->device, home->witnesses, on->witnesses, bytes, "returning cells"));
	return WriteStrips(search, strips, from, to);
}

/* Brings home where the cells of each strip begin, and if there are cells the rows of the unit. */
static cudaError_t
ReceiveStrips(Search *search, int d)
{
	GpuTeam    *team = &search->job->team;
	SetsDevice *on = &search->job->on[d];
	const Strips *strips = &search->strips[d];
	Home	   *home = &search->home;
	uint64_t	nstarts = (uint64_t) strips->n + 1;
	uint64_t	nrows = (strips->n - 1) / strips->per_row + 1;

	GPU_TRY(GpuHostRoom(team, (void **) &home->start, 0, nstarts, &home->nstarts, sizeof(uint64_t)));
	GPU_TRY(GpuReceive(team, on->device, home->start, on->start, sizeof(uint64_t) * nstarts,
					   "returning numbers of cells"));
	if (strips->rows == NULL || home->start[strips->n] == 0)
		return cudaSuccess;
	GPU_TRY(GpuHostRoom(team, (void **) &home->rows, 0, nrows, &home->nrows, sizeof(uint32_t)));
	return GpuReceive(team, on->device, home->rows, strips->rows, sizeof(uint32_t) * nrows, "returning rows");
}

static cudaError_t
CountStrips(Search *search, const Strips *strips)
{
	Home	   *home = &search->home;

	for (uint32_t s = 0; s < strips->n; s++)
		if (home->start[s] < home->start[s + 1])
			GPU_TRY(CountPartners(search->job, &home->records, RowAtHome(home, strips, s), home->start[s + 1] - home->start[s]));
	return HostWork(search->job, strips->n);
}

/* Fills and writes all strips of the unit that a device has counted, or only counts the best partners. */
static cudaError_t
GiveStrips(Search *search, int d)
{
	const Strips *strips = &search->strips[d];
	Home	   *home = &search->home;
	uint64_t	room;
	uint32_t	to;

	if (strips->n == 0)
		return cudaSuccess;
	GPU_TRY(ReceiveStrips(search, d));
	if (!search->job->listed)
		return CountStrips(search, strips);
	if (home->right == NULL)
		GPU_TRY(TakeRoom(search->job, home));
	room = GpuLesser(search->job->on[d].room, home->room);
	for (uint32_t from = 0; from < strips->n; from = to)
	{
		to = StripsAtOnce(home, strips->n, from, room);
		GPU_TRY(FillStrips(search, d, from, to));
	}
	return cudaSuccess;
}

/* ---- units ---- */

static cudaError_t
CountUnit(Search *search, int d, uint64_t unit)
{
	SetsJob    *job = search->job;
	SetsDevice *on = &job->on[d];
	StripCounts counts = {on->cells, on->cut, on->reached, (unsigned long long *) on->results};

	search->unit[d] = unit;
	search->strips[d] = (Strips) {.n = 0};
	GPU_TRY(GpuUse(on->device, "counting cells"));
	if (on->reached != NULL)
		GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(on->reached, 0, sizeof(uint32_t) * STRIPS_AT_ONCE,
													 on->device->streams[GPU_COUNT]), "counting cells"));
	GPU_TRY(search->finder->count(job, on, search->of, unit, &counts, &search->strips[d]));
	job->team.candidates += search->strips[d].n;
	__atomic_fetch_add(&job->team.shared->nodes, search->strips[d].n, __ATOMIC_RELAXED);
	if (NumbersGoHome(job) && search->strips[d].n > 0)
		GPU_TRY(ScanStrips(on, search->strips[d].n));
	return cudaSuccess;
}

/* Does n units, one on each of the first n devices. */
static cudaError_t
DoUnits(Search *search, uint64_t first, int n)
{
	for (int d = 0; d < n; d++)
		GPU_TRY(CountUnit(search, d, first + (uint64_t) d));
	for (int d = 0; d < n; d++)
	{
		if (NumbersGoHome(search->job))
			GPU_TRY(GiveStrips(search, d));
		FimUnitDone(search->job->team.shared);
	}
	return HostWork(search->job, 1000);
}

static cudaError_t
ZeroResults(SetsJob *job)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		SetsDevice *on = &job->on[d];

		GPU_TRY(GpuUse(on->device, "counting cells"));
		GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(on->results, 0, sizeof(uint64_t), on->device->streams[GPU_COUNT]),
						 "counting cells"));
	}
	return cudaSuccess;
}

static cudaError_t
AddResults(SetsJob *job, FimSetsStrategy strategy)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		uint64_t	results;

		GPU_TRY(GpuReceive(&job->team, job->on[d].device, &results, job->on[d].results, sizeof(results),
						   "returning the number of results"));
		RecordsCount(job, strategy, results);
	}
	return cudaSuccess;
}

cudaError_t
FindCells(SetsJob *job, const Finder *finder, void *of)
{
	Search		search = {.job = job, .finder = finder, .of = of};
	int			n;

	FimStrategyUsed(job->team.shared, finder->strategy);
	__atomic_fetch_add(&job->team.shared->total, finder->units, __ATOMIC_RELAXED);
	GPU_TRY(ZeroResults(job));
	GPU_TRY(RecordsOpen(job, finder->strategy, &search.home.records));
	for (uint64_t unit = 0; unit < finder->units; unit += (uint64_t) n)
	{
		n = (int) GpuLesser((uint64_t) job->team.ndevices, finder->units - unit);
		GPU_TRY(DoUnits(&search, unit, n));
	}
	if (!NumbersGoHome(job))
		return AddResults(job, finder->strategy);
	GPU_TRY(EndRow(job, &search.home.records));
	if (job->listed)
		GPU_TRY(GpuEndRecords(&job->team, &search.home.records.batch));
	CloseHome(job, &search.home);
	return cudaSuccess;
}
