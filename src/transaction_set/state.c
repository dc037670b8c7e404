/*-------------------------------------------------------------------------
 *
 * state.c
 *	  The aggregates that make a transaction_set.
 *
 * A state is a transaction_set itself, as an expanded object: an aggregate keeps it as it is, and PostgreSQL flattens it
 * where it goes to another process.  So partial states have a declared type, whose text and binary forms hold wherever they
 * are sent, and one function combines those of all aggregates.
 *
 * Where there are many groups, most are small.  So a state begins with copies of what has come, and only when these take
 * more than a little it gets a builder, which costs some tens of kilobytes.  A state that stays small makes use of one for a
 * moment in the end.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "gpufim.h"
#include "transaction_set/transaction_set.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* The bytes of copies at first, and those above which there is a builder. */
#define FIRST_COPIES	256
#define MOST_COPIES		65536

/* What the copies are. */
typedef enum CopyKind
{
	COPIED_ARRAYS,				/* a transaction each */
	COPIED_PAIRS,				/* a CopiedPair each */
	COPIED_SETS
} CopyKind;

/* An id and an item follow, each at a multiple of MAXALIGN. */
typedef struct CopiedPair
{
	uint32		id_size;
	uint32		item_size;		/* NO_ITEM: it is null */
} CopiedPair;

#define NO_ITEM			UINT32_MAX

typedef struct SetState
{
	ExpandedObjectHeader hdr;	/* must be first */
	CopyKind	kind;
	SetTypes	types;			/* of sets, known once there is a builder */
	char	   *copies;			/* each at a multiple of MAXALIGN */
	Size		used;
	Size		room;
	SetBuilder *builder;		/* NULL: there are only copies */
	TransactionSet *flat;		/* all that has come; NULL: has not been flattened */
} SetState;

/*
 * From copies to a builder.
 */

static void
AddSet(SetBuilder **builder, const TransactionSet *set)
{
	SetParts	parts;

	OpenSet(set, true, &parts);
	if (*builder == NULL)
		*builder = BuilderCreate(&parts.types);
	BuilderAddSet(*builder, &parts);
}

/* The value at a place, which is aligned. */
static Datum
CopiedValue(const ValueType *type, const char *at)
{
	return type->byval ? *(const Datum *) at : PointerGetDatum(at);
}

static void
AddCopies(const SetState *state, SetBuilder **builder)
{
	for (Size at = 0; at < state->used;)
	{
		const char *copy = state->copies + at;
		const CopiedPair *pair = (const CopiedPair *) copy;

		if (state->kind == COPIED_PAIRS)
		{
			const char *id = copy + MAXALIGN(sizeof(CopiedPair));
			const char *item = id + MAXALIGN(pair->id_size);
			bool		no_item = pair->item_size == NO_ITEM;

			BuilderAddPair(*builder, CopiedValue(&state->types.id, id),
						   no_item ? (Datum) 0 : CopiedValue(&state->types.item, item), no_item);
			at = item + (no_item ? 0 : MAXALIGN(pair->item_size)) - state->copies;
			continue;
		}
		if (state->kind == COPIED_ARRAYS)
			BuilderAddArray(*builder, PointerGetDatum(copy));
		else
			AddSet(builder, (const TransactionSet *) copy);
		at += MAXALIGN(VARSIZE(copy));
	}
}

/*
 * The builder with all that has come, which is no more the state's.  If there was none, it is made in the current memory
 * context.  NULL if nothing has come and the types are not known.
 */
static SetBuilder *
TakeBuilder(SetState *state)
{
	SetBuilder *builder = state->builder;

	state->builder = NULL;
	if (builder == NULL && state->kind != COPIED_SETS)
		builder = BuilderCreate(&state->types);
	if (state->flat != NULL)
		AddSet(&builder, state->flat);
	AddCopies(state, &builder);
	if (state->copies != NULL)
		pfree(state->copies);
	if (state->flat != NULL)
		pfree(state->flat);
	state->copies = NULL;
	state->used = state->room = 0;
	state->flat = NULL;
	return builder;
}

/* The state has this many bytes more to copy.  Returns where to, or NULL if they go to the builder. */
static char *
RoomForCopy(SetState *state, Size bytes)
{
	char	   *at;

	if (state->builder != NULL)
		return NULL;
	if (state->used + bytes > MOST_COPIES || state->flat != NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(state->hdr.eoh_context);

		state->builder = TakeBuilder(state);
		MemoryContextSwitchTo(caller);
		if (state->builder != NULL)
			return NULL;
	}
	if (state->used + bytes > state->room)
	{
		Size		room = Max(Max(2 * state->room, state->used + bytes), FIRST_COPIES);

		if (state->copies == NULL)
			state->copies = MemoryContextAlloc(state->hdr.eoh_context, room);
		else
			state->copies = repalloc(state->copies, room);
		state->room = room;
	}
	at = state->copies + state->used;
	state->used += bytes;
	return at;
}

/*
 * The state as an expanded object.
 */

static Size
FlatSize(ExpandedObjectHeader *header)
{
	SetState   *state = (SetState *) header;

	if (state->flat == NULL || state->builder != NULL || state->used > 0)
	{
		MemoryContext caller = MemoryContextSwitchTo(header->eoh_context);

		state->flat = BuilderFinish(TakeBuilder(state), true);
		MemoryContextSwitchTo(caller);
	}
	return VARSIZE(state->flat);
}

static void
FlattenInto(ExpandedObjectHeader *header, void *result, Size allocated)
{
	memcpy(result, ((SetState *) header)->flat, allocated);
}

static const ExpandedObjectMethods StateMethods = {FlatSize, FlattenInto};

/*
 * What an aggregate's function knows from one call to the next.
 *
 * All states of an aggregate are in one memory context, because an aggregate that hashes its groups adds up the memory of all
 * contexts below its own each time that there is a new group.
 */
typedef struct StateCache
{
	SetTypes	types;
	MemoryContext aggregate;	/* that of the aggregate, whose child has the states */
	MemoryContext states;		/* NULL: there is none */
} StateCache;

static void
ForgetStates(void *cache)
{
	((StateCache *) cache)->states = NULL;
}

static MemoryContext
StatesContext(StateCache *cache, MemoryContext aggregate)
{
	MemoryContextCallback *forget;

	if (cache->states != NULL && cache->aggregate == aggregate)
		return cache->states;
	cache->aggregate = aggregate;
	cache->states = AllocSetContextCreate(aggregate, "gpufim transaction sets", ALLOCSET_START_SMALL_SIZES);
	forget = MemoryContextAlloc(cache->states, sizeof(MemoryContextCallback));
	forget->func = ForgetStates;
	forget->arg = cache;
	MemoryContextRegisterResetCallback(cache->states, forget);
	return cache->states;
}

/* The types of the items, and of the ids in pairs, are those of the call's arguments. */
static StateCache *
CacheOf(FunctionCallInfo fcinfo, CopyKind kind)
{
	FmgrInfo   *function = fcinfo->flinfo;
	Oid			item;
	Oid			id = InvalidOid;

	if (function->fn_extra != NULL)
		return function->fn_extra;
	function->fn_extra = MemoryContextAllocZero(function->fn_mcxt, sizeof(StateCache));
	if (kind == COPIED_SETS)
		return function->fn_extra;
	item = get_fn_expr_argtype(function, fcinfo->nargs - 1);
	if (kind == COPIED_PAIRS)
		id = get_fn_expr_argtype(function, 1);
	else
		item = get_base_element_type(item);
	if (!OidIsValid(item) || (kind == COPIED_PAIRS && !OidIsValid(id)))
		elog(ERROR, "could not determine the types of a transaction set");
	((StateCache *) function->fn_extra)->types = SetTypesOf(item, id, PG_GET_COLLATION());
	return function->fn_extra;
}

/* The state in an aggregate's first argument, or a new one. */
static SetState *
StateOf(FunctionCallInfo fcinfo, CopyKind kind)
{
	MemoryContext aggregate;
	StateCache *cache;
	SetState   *state;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		elog(ERROR, "function of an aggregate was called outside of one");
	if (!PG_ARGISNULL(0) && VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(PG_GETARG_DATUM(0))))
		return (SetState *) DatumGetEOHP(PG_GETARG_DATUM(0));
	cache = CacheOf(fcinfo, kind);
	state = MemoryContextAllocZero(StatesContext(cache, aggregate), sizeof(SetState));
	EOH_init_header(&state->hdr, &StateMethods, cache->states);
	state->kind = kind;
	state->types = cache->types;
	if (!PG_ARGISNULL(0))
	{
		const TransactionSet *set = SetOfDatum(PG_GETARG_DATUM(0));

		state->flat = memcpy(MemoryContextAlloc(cache->states, VARSIZE(set)), set, VARSIZE(set));
	}
	return state;
}

/*
 * The functions of the aggregates.
 */

PG_FUNCTION_INFO_V1(gpufim_transaction_set_add_array);

Datum
gpufim_transaction_set_add_array(PG_FUNCTION_ARGS)
{
	SetState   *state = StateOf(fcinfo, COPIED_ARRAYS);

	/* one with a short header, as tables have them, need not be aligned before it is copied */
	if (!PG_ARGISNULL(1))
	{
		struct varlena *array = PG_GETARG_VARLENA_PP(1);
		Size		size = VARHDRSZ + VARSIZE_ANY_EXHDR(array);
		char	   *copy = RoomForCopy(state, MAXALIGN(size));

		if (copy != NULL)
		{
			SET_VARSIZE(copy, size);
			memcpy(VARDATA(copy), VARDATA_ANY(array), size - VARHDRSZ);
		}
		else
			BuilderAddArray(state->builder, PointerGetDatum(array));
	}
	return EOHPGetRWDatum(&state->hdr);
}

/* A value of a pair, which is not compressed and does not lie elsewhere. */
static Datum
PlainValue(const ValueType *type, Datum value)
{
	return type->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)) : value;
}

/* Its bytes, and copying them. */
static Size
PlainSize(const ValueType *type, Datum value)
{
	return type->byval ? sizeof(Datum) : datumGetSize(value, false, type->length);
}

static char *
CopyPlain(const ValueType *type, Datum value, Size size, char *to)
{
	if (type->byval)
		*(Datum *) to = value;
	else
		memcpy(to, DatumGetPointer(value), size);
	return to + MAXALIGN(size);
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_add_pair);

Datum
gpufim_transaction_set_add_pair(PG_FUNCTION_ARGS)
{
	SetState   *state = StateOf(fcinfo, COPIED_PAIRS);
	const ValueType *id_type = &state->types.id;
	const ValueType *item_type = &state->types.item;
	bool		no_item = PG_ARGISNULL(2);
	CopiedPair	pair = {.item_size = NO_ITEM};
	Size		size = MAXALIGN(sizeof(CopiedPair));
	Datum		id;
	Datum		item = (Datum) 0;
	char	   *copy;

	if (PG_ARGISNULL(1))
		return EOHPGetRWDatum(&state->hdr);
	id = PlainValue(id_type, PG_GETARG_DATUM(1));
	if (!no_item)
		item = PlainValue(item_type, PG_GETARG_DATUM(2));
	if (state->builder == NULL)
	{
		pair.id_size = (uint32) PlainSize(id_type, id);
		size += MAXALIGN(pair.id_size);
		if (!no_item)
		{
			pair.item_size = (uint32) PlainSize(item_type, item);
			size += MAXALIGN(pair.item_size);
		}
	}
	copy = RoomForCopy(state, size);
	if (copy == NULL)
		BuilderAddPair(state->builder, id, item, no_item);
	else
	{
		memcpy(copy, &pair, sizeof(CopiedPair));
		copy = CopyPlain(id_type, id, pair.id_size, copy + MAXALIGN(sizeof(CopiedPair)));
		if (!no_item)
			(void) CopyPlain(item_type, item, pair.item_size, copy);
	}
	return EOHPGetRWDatum(&state->hdr);
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_unite);

Datum
gpufim_transaction_set_unite(PG_FUNCTION_ARGS)
{
	SetState   *state;
	const TransactionSet *set;
	char	   *copy;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	state = StateOf(fcinfo, COPIED_SETS);
	set = SetOfDatum(PG_GETARG_DATUM(1));
	copy = RoomForCopy(state, MAXALIGN(VARSIZE(set)));
	if (copy != NULL)
		memcpy(copy, set, VARSIZE(set));
	else
		AddSet(&state->builder, set);
	return EOHPGetRWDatum(&state->hdr);
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_finish);

Datum
gpufim_transaction_set_finish(PG_FUNCTION_ARGS)
{
	Datum		value = PG_GETARG_DATUM(0);
	SetBuilder *builder = NULL;

	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		builder = TakeBuilder((SetState *) DatumGetEOHP(value));
	else
		AddSet(&builder, SetOfDatum(value));
	if (builder == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(BuilderFinish(builder, false));
}

/* A set of one transaction. */
PG_FUNCTION_INFO_V1(gpufim_transaction);

Datum
gpufim_transaction(PG_FUNCTION_ARGS)
{
	SetBuilder *builder = BuilderCreate(&CacheOf(fcinfo, COPIED_ARRAYS)->types);

	BuilderAddArray(builder, PointerGetDatum(PG_GETARG_ARRAYTYPE_P(0)));
	PG_RETURN_POINTER(BuilderFinish(builder, false));
}
