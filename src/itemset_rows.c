/*-------------------------------------------------------------------------
 *
 * itemset_rows.c
 *	  Turning itemsets into rows, as far as families have that in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "common/int.h"
#include "compat.h"
#include "funcapi.h"
#include "gpufim.h"
#include "itemset_rows.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* The sizes in bytes of the array that is being built: at first, and so that a row can still be made around it. */
#define FIRST_ARRAY		1024
#define LARGEST_ARRAY	(MaxAllocSize - 256)

/* The type of array elements. */
typedef struct ElementType
{
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
} ElementType;

static void
MakeImage(ImageMaker *images, const ElementType *element, Image *image, Datum value)
{
	size_t		size;
	char	   *bytes;

	if (element->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = att_addlength_datum(0, element->length, value);

	image->size = att_align_nominal(size, element->align);
	image->bytes = bytes = ImageBytes(images, Max(image->size, SHORT_IMAGE));
	if (element->byval)
		store_att_byval(bytes, value, element->length);
	else
		memcpy(bytes, DatumGetPointer(value), size);
}

static void
MakeImages(ItemsetMaker *maker, ImageMaker *images, const ElementType *element, const GpufimItem *list,
		   uint32 nlist)
{
	MemoryContext scratch = images->ledger->scratch;

	for (uint32 i = 0; i < nlist; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		MakeImage(images, element, &maker->images[list[i].rank], ImageValue(images, list[i].value));
		MemoryContextSwitchTo(caller);
		LedgerForget(images->ledger);
	}
}

/* Returns the ranks of items. */
static uint32 *
MakeRanks(ItemsetMaker *maker, const GpufimItem *list, uint32 nlist)
{
	uint32	   *ranks = RowMakerResize(&maker->rows, NULL, 0, ((size_t) nlist + 1) * sizeof(uint32),
									   maker->rows.results_found);

	for (uint32 i = 0; i < nlist; i++)
		ranks[i] = list[i].rank;
	return ranks;
}

/*
 * Enlarges the array that is being built, so that it has room for "more" bytes at "at".
 * Returns where these go in the new array.
 */
char *
ItemsetMakerGrowArray(ItemsetMaker *maker, char *at, size_t more)
{
	ItemsetArray *built = &maker->built;
	size_t		used = at - (char *) built->array;
	size_t		size = Max(2 * built->size, used + more);

	if (used + more > LARGEST_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size of an %s exceeds the maximum allowed (%zu)",
						maker->rows.words->result, (size_t) LARGEST_ARRAY)));
	size = Min(size, LARGEST_ARRAY);

	/* counted twice, because the result's row has a copy */
	RowMakerCharge(&maker->rows, 2 * (size - built->size), maker->rows.results_found);
	built->array = repalloc_huge(built->array, size);
	built->size = size;
	return (char *) built->array + used;
}

static void
BeginBatch(RowMaker *maker, const uint32 *words)
{
	((ItemsetMaker *) maker)->next = words;
}

/* Make all that itemsets are built of. */
static void
PrepareItemsets(ItemsetMaker *maker, const ElementType *element, const GpufimItems *items)
{
	MemoryContext caller = MemoryContextSwitchTo(maker->rows.memory);
	const ResultWords *words = maker->rows.words;
	const char *elements_found = psprintf("the %s of the %s found", words->elements, words->results);
	ImageMaker	images;

	ImageMakerInit(&images, maker->rows.ledger, items->type, element->type, elements_found);
	maker->images = RowMakerResize(&maker->rows, NULL, 0,
								   ((size_t) items->nitems + items->nrequired + 1) * sizeof(Image),
								   elements_found);
	MakeImages(maker, &images, element, items->items, items->nitems);
	MakeImages(maker, &images, element, items->required, items->nrequired);
	maker->ranks = MakeRanks(maker, items->items, items->nitems);
	maker->required = MakeRanks(maker, items->required, items->nrequired);

	maker->built.size = FIRST_ARRAY;
	maker->built.array = palloc0(FIRST_ARRAY);
	maker->built.array->ndim = 1;
	maker->built.array->dataoffset = 0;
	maker->built.array->elemtype = element->type;
	ARR_LBOUND(maker->built.array)[0] = 1;
	MemoryContextSwitchTo(caller);
}

void
ItemsetMakerAddArray(ItemsetMaker *maker, ItemsetArray *other)
{
	other->size = FIRST_ARRAY;
	other->array = memcpy(MemoryContextAlloc(maker->rows.memory, FIRST_ARRAY), maker->built.array, FIRST_ARRAY);
}

/* Is any column wanted that is of the first one's type? */
static bool
WantsItemset(const ItemsetMaker *maker, TupleDesc desc)
{
	bool		wanted = false;

	for (int i = 0; i < desc->natts; i++)
		wanted |= maker->rows.wanted[i] && TupleDescAttr(desc, i)->atttypid == TupleDescAttr(desc, 0)->atttypid;
	return wanted;
}

void *
ItemsetMakerCreate(Size size, FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items,
				   const ResultWords *words)
{
	TupleDesc	desc = ((ReturnSetInfo *) fcinfo->resultinfo)->setDesc;
	ItemsetMaker *maker = RowMakerCreate(size, fcinfo, ledger, words);
	ElementType element;

	maker->rows.begin = BeginBatch;
	if (!WantsItemset(maker, desc))
		return maker;
	element.type = get_element_type(TupleDescAttr(desc, 0)->atttypid);
	get_typlenbyvalalign(element.type, &element.length, &element.byval, &element.align);
	PrepareItemsets(maker, &element, items);
	return maker;
}

void
CountLength(uint32 length, int64 count)
{
	RunLengths((uint64) length + 1)[length] = count;
	if (pg_add_s64_overflow(CurrentRun->results, count, &CurrentRun->results))
		CurrentRun->results = PG_INT64_MAX;
}

void
PutLengthCount(FunctionCallInfo fcinfo, uint32 length, int64 count)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	CountLength(length, count);
	values[0] = Int32GetDatum((int32) length);
	values[1] = Int64GetDatum(count);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
