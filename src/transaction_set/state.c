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
#define MOST_COPIES		(128 * 1024)

/* What the copies are. */
typedef enum CopyKind
{
	COPIED_ARRAYS,				/* a transaction each, at multiples of MAXALIGN */
	COPIED_PAIRS,				/* runs: a number of items as an aligned uint32, the id of all, and the items */
	COPIED_SETS					/* at multiples of MAXALIGN */
} CopyKind;

typedef struct SetState
{
	ExpandedObjectHeader hdr;	/* must be first */
	CopyKind	kind;
	SetTypes	types;			/* of sets, known once there is a builder */
	StringInfoData copies;		/* data is NULL: there are none */
	uint32		run;			/* where the last one begins, if there are pairs */
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

static void
AddRuns(const SetState *state, SetBuilder *builder)
{
	const StringInfoData *copies = &state->copies;
	ValueReader ids = {&state->types.id, copies->data, 0, copies->len};
	ValueReader items = {&state->types.item, copies->data, 0, copies->len};

	while (items.at < items.size)
	{
		uint32		run = INTALIGN(items.at);
		uint32		n = *(const uint32 *) (copies->data + run);
		Datum		id;

		ids.at = run + sizeof(uint32);
		id = NextValue(&ids);
		items.at = ids.at;
		if (n == 0)
			BuilderAddPair(builder, id, (Datum) 0, true);
		for (; n > 0; n--)
			BuilderAddPair(builder, id, NextValue(&items), false);
	}
}

static void
AddCopies(const SetState *state, SetBuilder **builder)
{
	if (state->kind == COPIED_PAIRS)
	{
		AddRuns(state, *builder);
		return;
	}
	for (int at = 0; at < state->copies.len;)
	{
		const char *copy = state->copies.data + at;

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
	if (state->copies.data != NULL)
		pfree(state->copies.data);
	if (state->flat != NULL)
		pfree(state->flat);
	memset(&state->copies, 0, sizeof(StringInfoData));
	state->flat = NULL;
	return builder;
}

/* Makes room for copies of this many bytes.  Returns false if what has come goes to the builder. */
static bool
MakeRoomForCopy(SetState *state, Size bytes)
{
	StringInfo	copies = &state->copies;

	if (copies->len + bytes < copies->maxlen)
		return true;
	if (state->builder == NULL && (copies->len + bytes >= MOST_COPIES || state->flat != NULL))
	{
		MemoryContext caller = MemoryContextSwitchTo(state->hdr.eoh_context);

		state->builder = TakeBuilder(state);
		MemoryContextSwitchTo(caller);
	}
	if (state->builder != NULL)
		return false;
	if (copies->data == NULL)
	{
		copies->data = MemoryContextAlloc(state->hdr.eoh_context, FIRST_COPIES);
		copies->maxlen = FIRST_COPIES;
	}
	enlargeStringInfo(copies, (int) bytes);
	return true;
}

/* The place for a copied varlena of this many bytes, or NULL if it goes to the builder. */
static char *
PlaceForCopy(SetState *state, Size bytes)
{
	if (!MakeRoomForCopy(state, MAXALIGN(bytes)))
		return NULL;
	state->copies.len += MAXALIGN(bytes);
	return state->copies.data + state->copies.len - MAXALIGN(bytes);
}

/*
 * The state as an expanded object.
 */

static Size
FlatSize(ExpandedObjectHeader *header)
{
	SetState   *state = (SetState *) header;

	if (state->flat == NULL || state->builder != NULL || state->copies.len > 0)
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

/*
 * An engine that ships partial aggregates to other nodes calls an aggregate's functions by itself, with no expression of the
 * call.  How long its FmgrInfo lasts is not known: the context may outlive the cache, or the cache the context.  Then a state
 * has a context of its own.
 */
static MemoryContext
StatesContext(const FmgrInfo *function, StateCache *cache, MemoryContext aggregate)
{
	MemoryContextCallback *forget;

	if (cache->states != NULL && cache->aggregate == aggregate && function->fn_expr != NULL)
		return cache->states;
	cache->aggregate = aggregate;
	cache->states = AllocSetContextCreate(aggregate, "gpufim transaction sets", ALLOCSET_START_SMALL_SIZES);
	if (function->fn_expr == NULL)
		return cache->states;
	forget = MemoryContextAlloc(cache->states, sizeof(MemoryContextCallback));
	forget->func = ForgetStates;
	forget->arg = cache;
	MemoryContextRegisterResetCallback(cache->states, forget);
	return cache->states;
}

/* The type of an argument as the call has it; where that is not known, as it is declared; InvalidOid if that says nothing. */
static Oid
ArgumentType(FmgrInfo *function, int argument)
{
	Oid			type = get_fn_expr_argtype(function, argument);
	Oid		   *declared;
	int			arguments;

	if (OidIsValid(type))
		return type;
	(void) get_func_signature(function->fn_oid, &declared, &arguments);
	return IsPolymorphicType(declared[argument]) ? InvalidOid : declared[argument];
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
	item = ArgumentType(function, fcinfo->nargs - 1);
	if (kind == COPIED_PAIRS)
		id = ArgumentType(function, 1);
	else
		item = get_base_element_type(item);
	if (!OidIsValid(item) || (kind == COPIED_PAIRS && !OidIsValid(id)))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the types of the items of a transaction set"),
				 errhint("Cast the array to one of a type of items: SELECT transaction_set(items::text::int[]) ...")));
	((StateCache *) function->fn_extra)->types = SetTypesOf(item, id, PG_GET_COLLATION());
	return function->fn_extra;
}

/*
 * The state in an aggregate's first argument, or a new one.  Only a transition function has its own state there, to be changed in
 * place.  A final function may be any one whose arguments fit, and then has what may be a state of another kind or of other types.
 */
static SetState *
StateOf(FunctionCallInfo fcinfo, CopyKind kind)
{
	MemoryContext aggregate;
	StateCache *cache;
	SetState   *state;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("function of an aggregate was called outside of one"),
				 errhint("Call the aggregate transaction_set() or transaction_set_union().")));
	if (DatumIsReadWriteExpandedObject(PG_GETARG_DATUM(0), PG_ARGISNULL(0), -1))
		return (SetState *) DatumGetEOHP(PG_GETARG_DATUM(0));
	cache = CacheOf(fcinfo, kind);
	state = MemoryContextAllocZero(StatesContext(fcinfo->flinfo, cache, aggregate), sizeof(SetState));
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
		char	   *copy = PlaceForCopy(state, size);

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

/* Is it the id of the last run? */
static bool
IsLastId(const SetState *state, Datum id)
{
	const ValueType *type = &state->types.id;
	ValueReader last = {type, state->copies.data, state->run + sizeof(uint32), state->copies.len};

	return state->copies.len > 0 && datumIsEqual(id, NextValue(&last), type->byval, type->length);
}

/* There is room for it. */
static void
CopyPair(SetState *state, Datum id, Datum item, bool no_item)
{
	char	   *start = state->copies.data;
	char	   *to = start + state->copies.len;

	if (!IsLastId(state, id))
	{
		state->run = INTALIGN(state->copies.len);
		to = start + state->run;
		*(uint32 *) to = 0;
		to = PutValue(to + sizeof(uint32), start, &state->types.id, id);
	}
	if (!no_item)
	{
		to = PutValue(to, start, &state->types.item, item);
		++*(uint32 *) (start + state->run);
	}
	state->copies.len = (int) (to - start);
}

PG_FUNCTION_INFO_V1(gpufim_transaction_set_add_pair);

Datum
gpufim_transaction_set_add_pair(PG_FUNCTION_ARGS)
{
	SetState   *state = StateOf(fcinfo, COPIED_PAIRS);
	bool		no_item = PG_ARGISNULL(2);
	Size		size = MAXALIGN(sizeof(uint32));
	Datum		id;
	Datum		item = (Datum) 0;

	if (PG_ARGISNULL(1))
		return EOHPGetRWDatum(&state->hdr);
	id = PlainValue(&state->types.id, PG_GETARG_DATUM(1));
	size += MaxValueBytes(&state->types.id, id);
	if (!no_item)
	{
		item = PlainValue(&state->types.item, PG_GETARG_DATUM(2));
		size += MaxValueBytes(&state->types.item, item);
	}
	if (MakeRoomForCopy(state, size))
		CopyPair(state, id, item, no_item);
	else
		BuilderAddPair(state->builder, id, item, no_item);
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
	copy = PlaceForCopy(state, VARSIZE(set));
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

	/* what another aggregate or function may see must stay as it is */
	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)) && !AggStateIsShared(fcinfo))
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
