/*-------------------------------------------------------------------------
 *
 * functions.c
 *	  The SQL functions that show what a transaction_set has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "funcapi.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "transaction_set/transaction_set.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(gpufim_transaction_set_info);

Datum
gpufim_transaction_set_info(PG_FUNCTION_ARGS)
{
	const TransactionSet *set = SetOfDatum(PG_GETARG_DATUM(0));
	TupleDesc	columns;
	SetParts	parts;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	OpenSet(set, false, &parts);
	values[0] = Int64GetDatum((int64) parts.transactions);
	values[1] = Int64GetDatum((int64) parts.nitems);
	values[2] = Int64GetDatum((int64) parts.entries);
	values[3] = Int64GetDatum((int64) VARSIZE(set));
	values[4] = CStringGetTextDatum(format_type_be(parts.types.item.type));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(columns, values, nulls)));
}

/*
 * Opens the set in a function's first argument.  Returns its items as the function shows them: as they are if there is a
 * type sample, whose type *type becomes, and as text otherwise.
 */
static Datum *
ShownItems(FunctionCallInfo fcinfo, SetParts *parts, Oid *type)
{
	Oid			sample = InvalidOid;
	Datum	   *values;
	FmgrInfo	output;
	Oid			function;
	bool		is_varlena;

	OpenSet(SetOfDatum(PG_GETARG_DATUM(0)), false, parts);
	if (PG_NARGS() > 1)
		sample = get_base_element_type(get_fn_expr_argtype(fcinfo->flinfo, 1));
	CheckSetSample(parts, sample);
	values = SetValues(parts);
	*type = OidIsValid(sample) ? sample : TEXTOID;
	if (OidIsValid(sample) || parts->types.item.type == TEXTOID)
		return values;
	getTypeOutputInfo(parts->types.item.type, &function, &is_varlena);
	fmgr_info(function, &output);
	for (uint32 i = 0; i < parts->nitems; i++)
	{
		values[i] = CStringGetTextDatum(OutputFunctionCall(&output, values[i]));
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return values;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_items);

Datum
gpufim_transaction_set_items(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SetParts	parts;
	Oid			type;
	Datum	   *items;
	uint32	   *supports;

	InitMaterializedSRF(fcinfo, 0);
	/* not strict, because a type sample is null */
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	items = ShownItems(fcinfo, &parts, &type);
	supports = SetSupports(&parts);
	for (uint32 i = 0; i < parts.nitems; i++)
	{
		Datum		values[] = {items[i], Int64GetDatum((int64) supports[i])};
		bool		nulls[] = {false, false};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return (Datum) 0;
}

/* The transactions that are still to be shown. */
typedef struct ShownRows
{
	RecordBytes bytes;
	Datum	   *items;
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	uint32	   *numbers;		/* of the items of a record */
	Datum	   *row;			/* the same items */
	Datum		array;			/* the last record's */
	uint32		times;			/* how often it is to be shown again */
} ShownRows;

static ShownRows *
BeginRows(FunctionCallInfo fcinfo)
{
	ShownRows  *rows = palloc0(sizeof(ShownRows));
	SetParts	parts;

	rows->items = ShownItems(fcinfo, &parts, &rows->type);
	rows->bytes = RecordsOfSet(&parts);
	get_typlenbyvalalign(rows->type, &rows->length, &rows->byval, &rows->align);
	rows->numbers = palloc_extended(((Size) parts.nitems + SPARE_ITEMS) * sizeof(uint32), MCXT_ALLOC_HUGE);
	rows->row = palloc_extended(((Size) parts.nitems + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	return rows;
}

/* Makes the array of the next record; false if there is none. */
static bool
NextRow(ShownRows *rows, MemoryContext memory)
{
	MemoryContext caller;
	uint32		n;

	if (rows->times > 0)
		return true;
	if (!SetNextRecord(&rows->bytes, &n, &rows->times))
		return false;
	SetNextItems(&rows->bytes, rows->numbers, n);
	for (uint32 i = 0; i < n; i++)
		rows->row[i] = rows->items[rows->numbers[i]];
	if (rows->array != (Datum) 0)
		pfree(DatumGetPointer(rows->array));
	caller = MemoryContextSwitchTo(memory);
	rows->array = PointerGetDatum(construct_array(rows->row, (int) n, rows->type, rows->length, rows->byval, rows->align));
	MemoryContextSwitchTo(caller);
	return true;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_rows);

Datum
gpufim_transaction_set_rows(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		call = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		if (!PG_ARGISNULL(0))
			call->user_fctx = BeginRows(fcinfo);
		MemoryContextSwitchTo(caller);
	}
	call = SRF_PERCALL_SETUP();
	if (call->user_fctx != NULL && NextRow(call->user_fctx, call->multi_call_memory_ctx))
	{
		ShownRows  *rows = call->user_fctx;

		rows->times--;
		SRF_RETURN_NEXT(call, rows->array);
	}
	SRF_RETURN_DONE(call);
}
