/*-------------------------------------------------------------------------
 *
 * io.c
 *	  The text and the binary form of a transaction_set.
 *
 * Both have the names of the types, the items in the form that their type has there, the records' bytes, and in a partial
 * state the transaction ids.  The text form is an array of texts, so that PostgreSQL's own functions read and write it: the
 * items in it are an array literal again, and the records are in base64.
 *
 * The figures and supports are counted when a value is read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/base64.h"
#include "fmgr.h"
#include "gpufim.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "transaction_set/transaction_set.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* The elements of the array that is the text form. */
typedef enum TextField
{
	FIELD_VERSION,
	FIELD_NAMES,
	FIELD_ITEMS = FIELD_NAMES + SET_NAMES,
	FIELD_RECORDS,
	FIELD_IDS,
	TEXT_FIELDS
} TextField;

/*
 * What has been read is complete: count the records, check the items and the ids, and make the value.
 */
static TransactionSet *
CompleteSet(SetParts *parts, uint32 nids)
{
	MemoryLedger *ledger = LedgerCreateOutside();
	uint32	   *supports = CountRecords(parts);
	uint8	   *bytes = palloc_extended(((Size) parts->nitems + 1) * 5, MCXT_ALLOC_HUGE);
	uint8	   *end = bytes;

	(void) DictionaryOfSet(parts, ledger);
	LedgerDestroy(ledger);
	for (uint32 i = 0; i < parts->nitems; i++)
		end = PutVarint(end, supports[i]);
	if (OidIsValid(parts->types.id.type) && (nids != parts->nrecords || parts->nrecords != parts->transactions))
		RaiseDamaged("It has not one transaction id for each record.");
	parts->supports = bytes;
	parts->supports_size = end - bytes;
	return MakeSet(parts);
}

/*
 * Text.
 */

/* An array literal of the texts of n values, one behind the other. */
static Datum
LiteralOfValues(const ValueType *type, const char *start, uint32 size, uint32 n)
{
	ValueReader reader = {type, start, 0, size};
	Datum	   *texts = palloc_extended(((Size) n + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	FmgrInfo	output;
	Oid			function;
	bool		is_varlena;
	ArrayType  *array;

	getTypeOutputInfo(type->type, &function, &is_varlena);
	fmgr_info(function, &output);
	for (uint32 i = 0; i < n; i++)
	{
		texts[i] = CStringGetTextDatum(OutputFunctionCall(&output, NextValue(&reader)));
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	array = construct_array(texts, (int) n, TEXTOID, -1, false, TYPALIGN_INT);
	return CStringGetTextDatum(OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array)));
}

/* The values of an array literal, one behind the other.  Returns how many they are. */
static uint32
ValuesOfLiteral(const ValueType *type, Datum literal, StringInfo values)
{
	Datum		array = OidInputFunctionCall(F_ARRAY_IN, TextDatumGetCString(literal), TEXTOID, -1);
	FmgrInfo	input;
	Oid			function;
	Oid			ioparam;
	Datum	   *texts;
	bool	   *nulls;
	int			n;

	initStringInfo(values);
	getTypeInputInfo(type->type, &function, &ioparam);
	fmgr_info(function, &input);
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			RaiseDamaged("A value is null.");
		AppendValue(values, type, InputFunctionCall(&input, TextDatumGetCString(texts[i]), ioparam, -1));
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return (uint32) n;
}

static Datum
Base64OfBytes(const uint8 *bytes, uint32 size)
{
	int			room = pg_b64_enc_len((int) size);
	text	   *result = palloc(VARHDRSZ + (Size) room);
	const void *from = bytes;
	int			length = pg_b64_encode(from, (int) size, VARDATA(result), room);

	if (length < 0)
		elog(ERROR, "could not encode the records of a transaction set");
	SET_VARSIZE(result, VARHDRSZ + length);
	return PointerGetDatum(result);
}

static uint8 *
BytesOfBase64(Datum base64, uint32 *size)
{
	text	   *from = DatumGetTextPP(base64);
	int			length = (int) VARSIZE_ANY_EXHDR(from);
	int			room = pg_b64_dec_len(length);
	void	   *bytes = palloc((Size) room + 1);
	int			decoded = pg_b64_decode(VARDATA_ANY(from), length, bytes, room);

	if (decoded < 0)
		RaiseDamaged("Its records are not in base64.");
	*size = (uint32) decoded;
	return bytes;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_out);

Datum
gpufim_transaction_set_out(PG_FUNCTION_ARGS)
{
	SetParts	parts;
	Datum		fields[TEXT_FIELDS];
	int			n = FIELD_IDS;
	ArrayType  *array;

	OpenSet(SetOfDatum(PG_GETARG_DATUM(0)), true, &parts);
	NamesOfTypes(&parts.types, parts.names);
	fields[FIELD_VERSION] = CStringGetTextDatum(psprintf("%d", SET_VERSION));
	for (int i = 0; i < SET_NAMES; i++)
		fields[FIELD_NAMES + i] = CStringGetTextDatum(parts.names[i]);
	fields[FIELD_ITEMS] = LiteralOfValues(&parts.types.item, parts.values, parts.values_size, parts.nitems);
	fields[FIELD_RECORDS] = Base64OfBytes(parts.records, parts.records_size);
	if (parts.ids != NULL)
		fields[n++] = LiteralOfValues(&parts.types.id, parts.ids, parts.ids_size, parts.nrecords);
	array = construct_array(fields, n, TEXTOID, -1, false, TYPALIGN_INT);
	PG_RETURN_CSTRING(OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array)));
}

pg_noreturn static void
RaiseNoSet(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", "transaction_set"),
			 errhint("Make transaction sets with the aggregate transaction_set(). A function that reads a table needs the names of its columns and all arguments that have no default, such as \"minsup\".")));
}

/* Raises an error if the fields are not those of this version. */
static void
CheckFields(const Datum *fields, const bool *nulls, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			RaiseNoSet();
	}
	if (n < FIELD_IDS || n > TEXT_FIELDS)
		RaiseNoSet();
	if (strcmp(TextDatumGetCString(fields[FIELD_VERSION]), psprintf("%d", SET_VERSION)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("transaction set is of version \"%s\", which this version of gpufim does not know",
						TextDatumGetCString(fields[FIELD_VERSION]))));
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_in);

Datum
gpufim_transaction_set_in(PG_FUNCTION_ARGS)
{
	char	   *given = PG_GETARG_CSTRING(0);
	Datum		array;
	SetParts	parts = {.nitems = 0};
	StringInfoData values;
	StringInfoData ids;
	uint32		nids = 0;
	Datum	   *fields;
	bool	   *nulls;
	int			n;

	if (*given != '{')
		RaiseNoSet();
	array = OidInputFunctionCall(F_ARRAY_IN, given, TEXTOID, -1);
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &fields, &nulls, &n);
	CheckFields(fields, nulls, n);
	for (int i = 0; i < SET_NAMES; i++)
		parts.names[i] = TextDatumGetCString(fields[FIELD_NAMES + i]);
	parts.types = TypesOfNames(parts.names);
	parts.nitems = ValuesOfLiteral(&parts.types.item, fields[FIELD_ITEMS], &values);
	parts.values = values.data;
	parts.values_size = values.len;
	parts.records = BytesOfBase64(fields[FIELD_RECORDS], &parts.records_size);
	if (OidIsValid(parts.types.id.type) != (n == TEXT_FIELDS))
		RaiseDamaged("It has not as many transaction ids as records.");
	if (n == TEXT_FIELDS)
	{
		nids = ValuesOfLiteral(&parts.types.id, fields[FIELD_IDS], &ids);
		parts.ids = ids.data;
		parts.ids_size = ids.len;
	}
	PG_RETURN_POINTER(CompleteSet(&parts, nids));
}

/*
 * Binary: the version, the names, each with a zero byte behind it, the number of items, each as its length and its bytes,
 * the number of the records' bytes and these, and in a partial state the ids in the same way as the items.
 */

static void
SendValues(StringInfo to, const ValueType *type, const char *start, uint32 size, uint32 n)
{
	ValueReader reader = {type, start, 0, size};
	FmgrInfo	send;
	Oid			function;
	bool		is_varlena;

	getTypeBinaryOutputInfo(type->type, &function, &is_varlena);
	fmgr_info(function, &send);
	pq_sendint32(to, n);
	for (uint32 i = 0; i < n; i++)
	{
		bytea	   *bytes = SendFunctionCall(&send, NextValue(&reader));

		pq_sendint32(to, VARSIZE(bytes) - VARHDRSZ);
		pq_sendbytes(to, VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ);
		pfree(bytes);
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
}

/* A number of bytes that are still to come. */
static uint32
NextLength(StringInfo from)
{
	uint32		length = pq_getmsgint(from, sizeof(uint32));

	if (length > (uint32) (from->len - from->cursor))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("insufficient data left in message")));
	return length;
}

/* Receives values, one behind the other.  Returns how many they are. */
static uint32
ReceiveValues(StringInfo from, const ValueType *type, StringInfo values)
{
	uint32		n = NextLength(from);
	FmgrInfo	receive;
	Oid			function;
	Oid			ioparam;

	initStringInfo(values);
	getTypeBinaryInputInfo(type->type, &function, &ioparam);
	fmgr_info(function, &receive);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		length = NextLength(from);
		StringInfoData bytes;

		/* with a zero byte behind it, as receive functions may expect */
		initStringInfo(&bytes);
		appendBinaryStringInfo(&bytes, from->data + from->cursor, (int) length);
		from->cursor += (int) length;
		AppendValue(values, type, ReceiveFunctionCall(&receive, &bytes, ioparam, -1));
		if (bytes.cursor != bytes.len)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					 errmsg("improper binary format in item %u of a transaction set", i + 1)));
		pfree(bytes.data);
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return n;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_send);

Datum
gpufim_transaction_set_send(PG_FUNCTION_ARGS)
{
	SetParts	parts;
	StringInfoData to;

	OpenSet(SetOfDatum(PG_GETARG_DATUM(0)), true, &parts);
	NamesOfTypes(&parts.types, parts.names);
	pq_begintypsend(&to);
	pq_sendint32(&to, SET_VERSION);
	for (int i = 0; i < SET_NAMES; i++)
		pq_sendstring(&to, parts.names[i]);
	SendValues(&to, &parts.types.item, parts.values, parts.values_size, parts.nitems);
	pq_sendint32(&to, parts.records_size);
	pq_sendbytes(&to, (const char *) parts.records, (int) parts.records_size);
	if (parts.ids != NULL)
		SendValues(&to, &parts.types.id, parts.ids, parts.ids_size, parts.nrecords);
	PG_RETURN_BYTEA_P(pq_endtypsend(&to));
}

bool
IsSetType(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			function;
	Oid			argument;
	FmgrInfo	input;

	if (get_typtype(base) != TYPTYPE_BASE)
		return false;
	getTypeInputInfo(base, &function, &argument);
	fmgr_info(function, &input);
	return input.fn_addr == gpufim_transaction_set_in;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_recv);

Datum
gpufim_transaction_set_recv(PG_FUNCTION_ARGS)
{
	StringInfo	from = (StringInfo) PG_GETARG_POINTER(0);
	SetParts	parts = {.nitems = 0};
	uint32		version = pq_getmsgint(from, sizeof(uint32));
	StringInfoData values;
	StringInfoData ids;
	uint32		nids = 0;

	if (version != SET_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("transaction set is of version %u, which this version of gpufim does not know", version)));
	for (int i = 0; i < SET_NAMES; i++)
		parts.names[i] = pstrdup(pq_getmsgstring(from));
	parts.types = TypesOfNames(parts.names);
	parts.nitems = ReceiveValues(from, &parts.types.item, &values);
	parts.values = values.data;
	parts.values_size = values.len;
	parts.records_size = NextLength(from);
	parts.records = (const uint8 *) pq_getmsgbytes(from, (int) parts.records_size);
	if (OidIsValid(parts.types.id.type))
	{
		nids = ReceiveValues(from, &parts.types.id, &ids);
		parts.ids = ids.data;
		parts.ids_size = ids.len;
	}
	PG_RETURN_POINTER(CompleteSet(&parts, nids));
}
