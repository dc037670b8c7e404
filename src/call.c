/*-------------------------------------------------------------------------
 *
 * call.c
 *	  The frame of a call: its memory, and its figures, which are kept however the
 *	  call ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "call.h"
#include "compat.h"
#include "figures.h"
#include "utils/memutils.h"

void
CallValueFunction(FunctionCallInfo fcinfo, const char *function, CallStep check, CallStep run,
				  void *request)
{
	MemoryContext call_context;
	MemoryContext caller;
	RunFrame	frame;

	call_context = AllocSetContextCreate(CurrentMemoryContext, "gpufim call",
										 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(call_context);
	check(fcinfo, request);

	RunBegin(&frame, function);
	PG_TRY();
	{
		run(fcinfo, request);
	}
	PG_CATCH();
	{
		RunEnd(&frame, false);
		PG_RE_THROW();
	}
	PG_END_TRY();
	RunEnd(&frame, true);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(call_context);
}

Datum
CallFunction(FunctionCallInfo fcinfo, const char *function, CallStep check, CallStep run,
			 void *request)
{
	InitMaterializedSRF(fcinfo, 0);
	CallValueFunction(fcinfo, function, check, run, request);
	return (Datum) 0;
}
