/*-------------------------------------------------------------------------
 *
 * value.c
 *	  The parts of a transaction_set, and the checks that they are what they should be.
 *
 * A value may have lain on a disk for years, and may come from another server.  So nothing in it is believed: a checksum tells
 * whether it is as it was written, the header's sizes must add up, each item must lie within the dictionary, and whoever
 * reads records counts again what the header says of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_crc32c.h"
#include "transaction_set/transaction_set.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

void
RaiseDamaged(const char *how)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("transaction set is damaged"),
			 errdetail("%s", how)));
}

void
RaiseSetTooLarge(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("transaction set would be larger than %d MB", SET_MAX_BYTES / (1024 * 1024)),
			 errhint("Make several sets of fewer transactions, for instance one for each day or for each remainder of a number.")));
}

/*
 * Types, and their names.
 */

/* Can another session know what a type's values are?  It cannot know what is in records without a type of their own. */
static bool
IsLasting(Oid type)
{
	Oid			element = get_element_type(type);

	return get_typtype(OidIsValid(element) ? element : type) != TYPTYPE_PSEUDO;
}

/*
 * Add to a checksum how the values of a type, which is no domain, are laid out, as far as that can be altered while they are
 * stored here, where PostgreSQL does not find them: the attributes of composite types, in whatever other types these are.
 */
static void
AddLayout(pg_crc32c *crc, Oid type)
{
	Oid			element = get_element_type(type);
	char		kind = get_typtype(type);
	TupleDesc	attributes;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (OidIsValid(element))
		AddLayout(crc, getBaseType(element));
	else if (kind == TYPTYPE_RANGE)
		AddLayout(crc, getBaseType(get_range_subtype(type)));
	else if (kind == TYPTYPE_MULTIRANGE)
		AddLayout(crc, get_multirange_range(type));
	if (kind != TYPTYPE_COMPOSITE)
		return;
	attributes = lookup_rowtype_tupdesc(type, -1);
	for (int i = 0; i < attributes->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(attributes, i);
		Oid			base = attribute->attisdropped ? InvalidOid : getBaseType(attribute->atttypid);

		COMP_CRC32C(*crc, &base, sizeof(Oid));
		if (OidIsValid(base))
			AddLayout(crc, base);
	}
	ReleaseTupleDesc(attributes);
}

static ValueType
ValueTypeOf(Oid declared, Oid collation)
{
	ValueType	value = {0};

	if (!OidIsValid(declared))
		return value;
	value.type = getBaseType(declared);
	if (DictionaryType(value.type) == NULL || !IsLasting(value.type) || get_typlen(value.type) < -1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot make a transaction set of values of type %s", format_type_be(declared)),
				 IsLasting(value.type) ?
				 errdetail("The type has neither a default hash nor a default btree operator class.") :
				 errdetail("Values of the type mean nothing to other sessions."),
				 errhint("Cast the values to a type that has one, text for instance.")));
	if (type_is_collatable(value.type) && !OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 errmsg("could not determine which collation to use for a transaction set"),
				 errhint("Use the COLLATE clause to set the collation explicitly.")));
	get_typlenbyvalalign(value.type, &value.length, &value.byval, &value.align);
	return value;
}

SetTypes
SetTypesOf(Oid item, Oid id, Oid collation)
{
	SetTypes	types = {.item = ValueTypeOf(item, collation),.id = ValueTypeOf(id, collation)};

	if (type_is_collatable(types.item.type) || (OidIsValid(id) && type_is_collatable(types.id.type)))
		types.collation = collation;
	INIT_CRC32C(types.layout);
	AddLayout(&types.layout, types.item.type);
	if (OidIsValid(id))
		AddLayout(&types.layout, types.id.type);
	FIN_CRC32C(types.layout);
	return types;
}

/*
 * The version of a collation by which values are equal whose bytes differ; empty for others, since another order of values
 * does a set no harm.
 */
static const char *
CollationVersion(Oid collation)
{
	LOCAL_FCINFO(call, 1);
	Datum		version;

	if (!OidIsValid(collation) || get_collation_isdeterministic(collation))
		return "";
	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
	call->args[0].value = ObjectIdGetDatum(collation);
	call->args[0].isnull = false;
	version = pg_collation_actual_version(call);
	return call->isnull ? "" : TextDatumGetCString(version);
}

static void
TypeNames(Oid type, const char **schema, const char **name)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	*schema = get_namespace_name(form->typnamespace);
	*name = pstrdup(NameStr(form->typname));
	ReleaseSysCache(tuple);
}

static void
CollationNames(Oid collation, const char **schema, const char **name)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	*schema = get_namespace_name(form->collnamespace);
	*name = pstrdup(NameStr(form->collname));
	ReleaseSysCache(tuple);
}

void
NamesOfTypes(const SetTypes *types, const char *names[SET_NAMES])
{
	for (int i = 0; i < SET_NAMES; i++)
		names[i] = "";
	TypeNames(types->item.type, &names[ITEM_SCHEMA], &names[ITEM_TYPE]);
	if (OidIsValid(types->id.type))
		TypeNames(types->id.type, &names[ID_SCHEMA], &names[ID_TYPE]);
	if (!OidIsValid(types->collation))
		return;
	CollationNames(types->collation, &names[COLLATION_SCHEMA], &names[COLLATION_NAME]);
	names[COLLATION_VERSION] = CollationVersion(types->collation);
}

static Oid
FindType(const char *schema, const char *name)
{
	Oid			namespace = get_namespace_oid(schema, true);
	Oid			type = InvalidOid;

	if (OidIsValid(namespace) && strlen(name) < NAMEDATALEN)
		type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), ObjectIdGetDatum(namespace));
	if (!get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type %s of a transaction set does not exist", quote_qualified_identifier(schema, name)),
				 errhint("Create the type, or make the set again.")));
	return type;
}

static Oid
FindCollation(const char *schema, const char *name)
{
	Oid			namespace = get_namespace_oid(schema, true);
	int			encodings[] = {GetDatabaseEncoding(), -1};
	Oid			collation = InvalidOid;

	for (int i = 0; i < lengthof(encodings) && OidIsValid(namespace) && !OidIsValid(collation); i++)
		collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
									Int32GetDatum(encodings[i]), ObjectIdGetDatum(namespace));
	if (!OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("collation %s of a transaction set does not exist", quote_qualified_identifier(schema, name)),
				 errhint("Create the collation, give it this name back, or make the set again.")));
	return collation;
}

static void
CheckVersion(const char *const names[SET_NAMES], Oid collation)
{
	const char *version = CollationVersion(collation);

	if (strcmp(version, names[COLLATION_VERSION]) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("transaction set was made with another version of collation %s",
						quote_qualified_identifier(names[COLLATION_SCHEMA], names[COLLATION_NAME])),
				 errdetail("The set was made with version \"%s\", and the version is now \"%s\". Items that were equal may no longer be, or the other way round.",
						   names[COLLATION_VERSION], version),
				 errhint("Make the set again.")));
}

/* The types of sets of these items and ids, with the collation that is named. */
static SetTypes
WithCollation(const char *const names[SET_NAMES], Oid item, Oid id)
{
	Oid			collation = InvalidOid;
	SetTypes	types;

	if (*names[COLLATION_NAME] != '\0')
		collation = FindCollation(names[COLLATION_SCHEMA], names[COLLATION_NAME]);
	types = SetTypesOf(item, id, collation);
	CheckVersion(names, types.collation);
	return types;
}

SetTypes
TypesOfNames(const char *const names[SET_NAMES])
{
	Oid			item = FindType(names[ITEM_SCHEMA], names[ITEM_TYPE]);
	Oid			id = *names[ID_TYPE] != '\0' ? FindType(names[ID_SCHEMA], names[ID_TYPE]) : InvalidOid;

	return WithCollation(names, item, id);
}

static void
CheckStored(Oid type, const char *schema, const char *name)
{
	if (!get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type %s of a transaction set has been dropped", quote_qualified_identifier(schema, name)),
				 errhint("Make the set again.")));
}

/* The types of values that are stored, by their numbers, as they may have got other names since. */
static SetTypes
StoredTypes(const TransactionSet *set, const char *const names[SET_NAMES])
{
	SetTypes	types;

	CheckStored(set->item_type, names[ITEM_SCHEMA], names[ITEM_TYPE]);
	if (OidIsValid(set->id_type))
		CheckStored(set->id_type, names[ID_SCHEMA], names[ID_TYPE]);
	types = WithCollation(names, set->item_type, set->id_type);
	if (set->layout != types.layout)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("composite type of a transaction set has been altered since the set was made"),
				 OidIsValid(types.id.type) ?
				 errdetail("The items are of type %s, and the transaction ids of type %s.",
						   format_type_be(types.item.type), format_type_be(types.id.type)) :
				 errdetail("The items are of type %s.", format_type_be(types.item.type)),
				 errhint("Make the set again.")));
	return types;
}

/*
 * Values one behind the other, as in a row.
 */

void
AppendValue(StringInfo to, const ValueType *type, Datum value)
{
	Size		most = MaxValueBytes(type, value);

	if (to->len + most > SET_MAX_BYTES)
		RaiseSetTooLarge();
	enlargeStringInfo(to, (int) most);
	to->len = (int) (PutValue(to->data + to->len, to->data, type, value) - to->data);
}

/* The bytes of a varlena with this many bytes behind it; 0 if it is none, or not one that lies here and uncompressed. */
static Size
VarlenaSize(const char *at, Size left)
{
	Size		size;

	if (left == 0 || VARATT_IS_1B_E(at))
		return 0;
	if (VARATT_IS_1B(at))
		return VARSIZE_1B(at);
	if (left < VARHDRSZ || !VARATT_IS_4B_U(at))
		return 0;
	size = VARSIZE_4B(at);
	return size < VARHDRSZ ? 0 : size;
}

Datum
NextValue(ValueReader *reader)
{
	const ValueType *type = reader->type;
	const char *at = reader->start + reader->at;
	Size		aligned = reader->at;
	Size		size;

	if (reader->at < reader->size)
		aligned = att_align_pointer((Size) reader->at, type->align, type->length, at);
	if (aligned > reader->size)
		RaiseDamaged("Its dictionary ends before all values have come.");
	at = reader->start + aligned;
	size = type->length > 0 ? type->length : VarlenaSize(at, reader->size - aligned);
	if (size == 0 || size > reader->size - aligned)
		RaiseDamaged("Its dictionary ends within a value, or has one of a length that cannot be.");
	reader->at = (uint32) (aligned + size);
	return fetch_att(at, type->byval, type->length);
}

Datum *
SetValues(const SetParts *parts)
{
	ValueReader reader = {&parts->types.item, parts->values, 0, parts->values_size};
	Datum	   *values = palloc_extended(((Size) parts->nitems + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < parts->nitems; i++)
		values[i] = NextValue(&reader);
	if (reader.at != reader.size)
		RaiseDamaged("Its dictionary does not end with the last item.");
	return values;
}

uint32 *
MapOfItems(Dictionary *items, const SetParts *parts)
{
	Datum	   *values = SetValues(parts);
	uint32	   *map = palloc_extended(((Size) parts->nitems + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	bool	   *found;

	for (uint32 i = 0; i < parts->nitems; i++)
	{
		map[i] = DictionaryLookup(items, values[i], true);
		LedgerForget(items->ledger);
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	pfree(values);
	/* each number leads to another one, as long as the items of the set differ */
	found = palloc_extended((Size) items->n + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < parts->nitems; i++)
	{
		if (found[map[i]])
			RaiseDamaged("Two of its items are equal.");
		found[map[i]] = true;
	}
	pfree(found);
	return map;
}

Dictionary *
DictionaryOfSet(const SetParts *parts, MemoryLedger *ledger)
{
	ValueReader reader = {&parts->types.item, parts->values, 0, parts->values_size};
	Dictionary *items = DictionaryCreate(ledger, parts->types.item.type, parts->types.collation, true, "distinct items");

	items->borrows = true;
	for (uint32 i = 0; i < parts->nitems; i++)
	{
		if (DictionaryLookup(items, NextValue(&reader), true) != i)
			RaiseDamaged("Two of its items are equal.");
		LedgerForget(ledger);
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return items;
}

/*
 * The whole value.
 */

static uint32
Checksum(const TransactionSet *set)
{
	const char *start = (const char *) &set->version;
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, start, (const char *) set + VARSIZE(set) - start);
	FIN_CRC32C(crc);
	return crc;
}

static Size
NamesSize(const char *const names[SET_NAMES])
{
	Size		size = 0;

	for (int i = 0; i < SET_NAMES; i++)
		size += strlen(names[i]) + 1;
	return size;
}

/* The places of the parts, and the size of the whole. */
typedef struct SetPlaces
{
	Size		dictionary;
	Size		supports;
	Size		records;
	Size		ids;
	Size		end;
} SetPlaces;

static SetPlaces
PlacesOf(const TransactionSet *set)
{
	SetPlaces	places;

	places.dictionary = MAXALIGN(sizeof(TransactionSet) + (Size) set->names);
	places.supports = places.dictionary + set->dictionary;
	places.records = places.supports + set->supports;
	places.end = places.records + set->records;
	places.ids = MAXALIGN(places.end);
	if (set->ids > 0)
		places.end = places.ids + set->ids;
	return places;
}

/* A part that has no bytes may be nowhere. */
static void
PutPart(TransactionSet *set, Size place, const void *part, Size size)
{
	if (size > 0)
		memcpy((char *) set + place, part, size);
}

TransactionSet *
MakeSet(const SetParts *parts)
{
	TransactionSet header = {
		.version = SET_VERSION,.nitems = parts->nitems,.nrecords = parts->nrecords,.longest = parts->longest,
		.transactions = parts->transactions,.entries = parts->entries,.names = NamesSize(parts->names),
		.dictionary = parts->values_size,.supports = parts->supports_size,.records = parts->records_size,
		.ids = parts->ids_size,.item_type = parts->types.item.type,.id_type = parts->types.id.type,
		.layout = parts->types.layout
	};
	SetPlaces	places = PlacesOf(&header);
	TransactionSet *set;
	char	   *at;

	if (places.end > SET_MAX_BYTES)
		RaiseSetTooLarge();
	set = palloc0(places.end);
	*set = header;
	SET_VARSIZE(set, places.end);
	at = (char *) (set + 1);
	for (int i = 0; i < SET_NAMES; i++)
	{
		Size		size = strlen(parts->names[i]) + 1;

		memcpy(at, parts->names[i], size);
		at += size;
	}
	PutPart(set, places.dictionary, parts->values, parts->values_size);
	PutPart(set, places.supports, parts->supports, parts->supports_size);
	PutPart(set, places.records, parts->records, parts->records_size);
	PutPart(set, places.ids, parts->ids, parts->ids_size);
	set->crc = Checksum(set);
	return set;
}

static void
FindNames(const TransactionSet *set, const char *names[SET_NAMES])
{
	const char *at = (const char *) (set + 1);
	const char *end = at + set->names;

	for (int i = 0; i < SET_NAMES; i++)
	{
		const char *zero = memchr(at, '\0', end - at);

		if (zero == NULL)
			RaiseDamaged("A name is missing.");
		names[i] = at;
		at = zero + 1;
	}
}

/* Is it as it was written? */
static void
CheckWhole(const TransactionSet *set)
{
	if (VARSIZE(set) < sizeof(TransactionSet))
		RaiseDamaged("It is shorter than its header.");
	if (set->version != SET_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("transaction set is of version %u, which this version of gpufim does not know", set->version)));
	if (PlacesOf(set).end != VARSIZE(set))
		RaiseDamaged("Its parts are not as long as the whole.");
	if (Checksum(set) != set->crc)
		RaiseDamaged("Its checksum is not that of its bytes.");
}

void
OpenSet(const TransactionSet *set, bool partial, SetParts *parts)
{
	const char *start = (const char *) set;
	SetPlaces	places;

	CheckWhole(set);
	places = PlacesOf(set);
	memset(parts, 0, sizeof(SetParts));
	FindNames(set, parts->names);
	if (OidIsValid(set->id_type) && !partial)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("transaction set is a partial state of an aggregate, which has transaction ids"),
				 errhint("Unite partial states with transaction_set_union() first.")));
	parts->types = StoredTypes(set, parts->names);
	parts->nitems = set->nitems;
	parts->nrecords = set->nrecords;
	parts->longest = set->longest;
	parts->transactions = set->transactions;
	parts->entries = set->entries;
	parts->values = start + places.dictionary;
	parts->values_size = set->dictionary;
	parts->supports = (const uint8 *) start + places.supports;
	parts->supports_size = set->supports;
	parts->records = (const uint8 *) start + places.records;
	parts->records_size = set->records;
	parts->ids = OidIsValid(parts->types.id.type) ? start + places.ids : NULL;
	parts->ids_size = set->ids;
	/* an item has a byte in the dictionary at least, and its support has one */
	if (parts->nitems > parts->values_size || parts->nitems > parts->supports_size)
		RaiseDamaged("It has more items than its dictionary has room for.");
}

const TransactionSet *
SetOfDatum(Datum datum)
{
	return (const TransactionSet *) PG_DETOAST_DATUM(datum);
}
