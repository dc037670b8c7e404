/*-------------------------------------------------------------------------
 *
 * transaction_set.h
 *	  Transactions as a value: the type transaction_set, what is made of it, and how it is mined.
 *
 * A value has the dictionary of the items and the transactions as lists of the items' numbers, and
 * knows nothing of where they came from.  The type is a varlena, whose parts are
 *
 *	the header
 *	the names of the types and of the collation, each with a zero byte behind it
 *	the dictionary: the items, the most frequent first, as PostgreSQL lays out the columns of a row
 *	the items' supports, as varints
 *	the records, see records.c
 *	in a partial state of the pair form only: for each record a transaction id, laid out as the items are
 *
 * Numbers of catalogs do not survive a dump, which has values as text, with the names of their types.  As it is stored, a
 * value has the types' numbers besides, as arrays and ranges have, and pg_upgrade keeps these.  The collation is
 * found by its name, because pg_upgrade gives collations other numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_TRANSACTION_SET_H
#define GPUFIM_TRANSACTION_SET_H

#include "postgres.h"

#include "access/tupmacs.h"
#include "compat.h"
#include "fmgr.h"
#include "gpufim.h"
#include "read/read.h"

/*
 * value.c: The parts of a value, and the checks that they are what they should be.
 */

#define SET_VERSION		1

/* Items between two checks for interrupts. */
#define INTERRUPT_STEP	4096

/* A larger value could not be dumped as text, of which PostgreSQL allows 1 GB. */
#define SET_MAX_BYTES	(256 * 1024 * 1024)

typedef struct TransactionSet
{
	int32		vl_len_;
	uint32		crc;			/* of all that follows */
	uint32		version;
	uint32		nitems;
	uint32		nrecords;
	uint32		longest;		/* items in a record */
	uint64		transactions;
	uint64		entries;		/* items in all transactions */

	/* bytes of the parts that follow the header; the dictionary and the ids begin at multiples of MAXALIGN */
	uint32		names;
	uint32		dictionary;
	uint32		supports;
	uint32		records;
	uint32		ids;			/* 0: there are none */

	/* the types' numbers, by which they are found, and how values were laid out */
	Oid			item_type;
	Oid			id_type;		/* InvalidOid: there are no ids */
	uint32		layout;			/* a checksum of the attributes of composite types */
} TransactionSet;

/* The names in their order. */
typedef enum SetName
{
	ITEM_SCHEMA,
	ITEM_TYPE,
	COLLATION_SCHEMA,			/* this and the next are empty for types without collations */
	COLLATION_NAME,
	COLLATION_VERSION,			/* empty if equality does not depend on it */
	ID_SCHEMA,					/* this and the next are empty if there are no ids */
	ID_TYPE,
	SET_NAMES
} SetName;

/* A type of values, as far as it is needed to go through them. */
typedef struct ValueType
{
	Oid			type;			/* InvalidOid: there are no values */
	int16		length;
	bool		byval;
	char		align;
} ValueType;

typedef struct SetTypes
{
	ValueType	item;
	ValueType	id;
	Oid			collation;		/* of both */
	uint32		layout;			/* also of both */
} SetTypes;

/*
 * The types of sets of these items and ids, whose domains are resolved.  Raises an error if there can be no such sets.
 * The id type may be InvalidOid.
 */
extern SetTypes SetTypesOf(Oid item, Oid id, Oid collation);

/* From types to names, palloc'd, and back.  It is an error if names lead nowhere. */
extern void NamesOfTypes(const SetTypes *types, const char *names[SET_NAMES]);
extern SetTypes TypesOfNames(const char *const names[SET_NAMES]);

/* What is to be put together, or what has been found in a value. */
typedef struct SetParts
{
	SetTypes	types;
	const char *names[SET_NAMES];
	uint32		nitems;
	uint32		nrecords;
	uint32		longest;
	uint64		transactions;
	uint64		entries;
	const char *values;			/* the dictionary */
	uint32		values_size;
	const uint8 *supports;
	uint32		supports_size;
	const uint8 *records;
	uint32		records_size;
	const char *ids;			/* NULL: there are none */
	uint32		ids_size;
} SetParts;

/* Put a value together in the current memory context.  Raises an error if it would be too large. */
extern TransactionSet *MakeSet(const SetParts *parts);

/*
 * Open a value.  It is an error if it is not whole.  A partial state is one, too, unless "partial" is true.  The parts
 * point into the value, which is detoasted and must live as long as they do.
 */
extern void OpenSet(const TransactionSet *set, bool partial, SetParts *parts);

/* An argument as a value, detoasted in the current memory context; flattened if it is a state. */
extern const TransactionSet *SetOfDatum(Datum datum);

/* Raises an error: a value is damaged, as "how" says in a whole sentence. */
pg_noreturn extern void RaiseDamaged(const char *how);

/* Raises the error that a set is too large. */
pg_noreturn extern void RaiseSetTooLarge(void);

/*
 * Going through values laid out as a row's columns are.  NextValue() checks that the next one, of n, lies between the
 * others' end and the end of them all.
 */
typedef struct ValueReader
{
	const ValueType *type;
	const char *start;
	uint32		at;				/* bytes from the start */
	uint32		size;
} ValueReader;

extern Datum NextValue(ValueReader *reader);

/* All items of a set, by number, palloc'd; those that are passed by reference point into the value. */
extern Datum *SetValues(const SetParts *parts);

/* The dictionary's numbers of a set's items, palloc'd.  Those that it has not are added. */
extern uint32 *MapOfItems(Dictionary *items, const SetParts *parts);

/* A dictionary in which the items have the numbers that they have in the set; it does not copy what points into the value. */
extern Dictionary *DictionaryOfSet(const SetParts *parts, MemoryLedger *ledger);

/* The most bytes that PutValue() needs. */
static inline Size
MaxValueBytes(const ValueType *type, Datum value)
{
	return MAXIMUM_ALIGNOF + att_addlength_datum((Size) 0, type->length, value);
}

/* Write a value, which is not compressed and lies nowhere else, as NextValue() expects it, and return its end. */
static inline char *
PutValue(char *to, char *start, const ValueType *type, Datum value)
{
	Size		size = att_addlength_datum((Size) 0, type->length, value);

	if (type->length > 0 || !VARATT_IS_SHORT(DatumGetPointer(value)))
	{
		char	   *aligned = start + att_align_nominal(to - start, type->align);

		while (to < aligned)
			*to++ = 0;
	}
	if (type->byval)
		store_att_byval(to, value, type->length);
	else
		memcpy(to, DatumGetPointer(value), size);
	return to + size;
}

/* The same at the end of a text that grows. */
extern void AppendValue(StringInfo to, const ValueType *type, Datum value);

/*
 * records.c: The bytes of records, and other numbers that are stored as they are.
 */

/* Bytes that are being read. */
typedef struct RecordBytes
{
	const uint8 *at;
	const uint8 *end;
	uint32		nitems;			/* numbers in records are smaller */
} RecordBytes;

static inline RecordBytes
RecordsOfSet(const SetParts *parts)
{
	return (RecordBytes) {parts->records, parts->records + parts->records_size, parts->nitems};
}

/* The most bytes that a record of n items takes. */
#define RECORD_BYTES(n)	(((Size) (n) + 2) * 5)

/* Write a number and return the end. */
extern uint8 *PutVarint(uint8 *to, uint64 number);

/* Write a record of ascending numbers that stands for one transaction, where there is room for RECORD_BYTES(), and return its end. */
extern uint8 *PutRecord(uint8 *to, const uint32 *items, uint32 n);

/*
 * Read the number of the next record's items and how many transactions it stands for; false if there is none.  Then its
 * items have to be read, to where there is room for SPARE_ITEMS more.
 */
#define SPARE_ITEMS		3

extern bool SetNextRecord(RecordBytes *from, uint32 *n, uint32 *times);
extern void SetNextItems(RecordBytes *from, uint32 *items, uint32 n);

/* The items' supports, palloc'd, as the value says them. */
extern uint32 *SetSupports(const SetParts *parts);

/* Go through all records, and set the figures in the parts.  Returns the supports, palloc'd. */
extern uint32 *CountRecords(SetParts *parts);

/*
 * io.c: The type's text and binary forms.
 */

/* Is this the type transaction_set, in whatever schema, or a domain over it? */
extern bool IsSetType(Oid type);

/*
 * builder.c: Making values of transactions that come one after the other.
 */

typedef struct SetBuilder SetBuilder;

/* A builder in a memory context of its own, below the current one, with the limit of a call. */
extern SetBuilder *BuilderCreate(const SetTypes *types);

/* The same in a ledger, which is destroyed with the builder. */
extern SetBuilder *BuilderCreateIn(const SetTypes *types, MemoryLedger *ledger);

/* Add a transaction as an array, an item of a transaction, and the transactions of a set of the same types. */
extern void BuilderAddArray(SetBuilder *builder, Datum items);
extern void BuilderAddPair(SetBuilder *builder, Datum id, Datum item, bool item_is_null);
extern void BuilderAddSet(SetBuilder *builder, const SetParts *parts);

/*
 * Add the items of a number of transactions, by their numbers in a dictionary.  The map has the builder's numbers of these, or
 * DICTIONARY_NONE for those that it has not met.
 */
extern void BuilderAddRecord(SetBuilder *builder, const Dictionary *from, uint32 *map, const uint32 *items, uint32 n,
							 uint32 times);

/* What has been added, and how many bytes the value will have at the most.  Not for pairs. */
extern GpufimRows *BuilderRows(const SetBuilder *builder);
extern uint64 BuilderSize(SetBuilder *builder);

/* Make a value, and destroy the builder.  A partial state keeps the transaction ids. */
extern TransactionSet *BuilderFinish(SetBuilder *builder, bool partial);

/*
 * mine.c: Transactions of a set as the rows of a call.
 */

/*
 * Raises an error if items cannot be given in a type sample's type.  A set knows of no domains, so the type may be any domain
 * over the items'.
 */
extern void CheckSetSample(const SetParts *parts, Oid sample);

/* A source whose only column has the items, for messages. */
extern GpufimSource *SourceOfSet(const SetParts *parts, Oid type_sample);

/*
 * The rows of a set, whose types are checked against a type sample's: results can be given in this type, or as text if it is
 * InvalidOid.  Raises an error if they cannot.
 */
extern GpufimRows *RowsOfSet(const TransactionSet *set, Oid type_sample, MemoryLedger *ledger);

/* Give the items of a record of so many transactions other numbers, unless the map is NULL, and count them. */
extern void CountRecord(Dictionary *dictionary, uint32 *items, uint32 n, uint32 times, const uint32 *map);

/*
 * Add the transactions of a set to rows, and count their items.  The map has the rows' numbers of the set's items; if it is NULL,
 * they are the same.
 */
extern void AddRecordsOfSet(GpufimRows *rows, const SetParts *parts, const uint32 *map);

/*
 * column.c: Sets in a column of a source.
 */

/* A set that has come in a column. */
typedef struct ColumnSet
{
	MemoryLedger *ledger;
	SetParts	parts;
	uint32	   *map;			/* from its numbers of items to those of the dictionary of all rows */
	void	   *copy;			/* NULL: it lies where the row is */
	uint64		counted;		/* bytes, in the ledger */
} ColumnSet;

/*
 * Open a value of a column.  The first one sets the type of the column's items, and of their dictionary.  Its items are added
 * to the dictionary.
 */
extern void ColumnSetOpen(ColumnSet *set, SourceColumn *column, Datum value, Dictionary *items);
extern void ColumnSetClose(ColumnSet *set);

#endif							/* GPUFIM_TRANSACTION_SET_H */
