/*-------------------------------------------------------------------------
 *
 * request.c
 *	  What a call of a function about episodes asks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "episodes/episodes.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* The number of arguments from "min_length" on, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	6

static void
TakeEventColumns(Arguments *args, EventSource *from)
{
	from->source = TextDatumGetCString(TakeRequired(args, "source"));
	from->event_column = TakeName(args, "event_column");
	from->time_column = TakeName(args, "time_column");
}

/*
 * Take the arguments of frequent_episodes(), in either form.  "following" is the number of
 * arguments that come after them, which only the called function has.
 */
static void
TakeEpisodesArguments(Arguments *args, int following, EpisodesRequest *request)
{
	TakeEventColumns(args, &request->from);
	request->minsup = TakeMinsup(args, "events", "occurrences");
	TakeGaps(args, &request->gaps);
	if (request->gaps.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"gaps\" must have at least one gap"),
				 errhint("Write '{\"(0,5]\"}' for events that follow each other within 5.")));
	if (args->fcinfo->nargs - args->next - following > OPTIONAL_ARGUMENTS)
		request->from.event_sample = TakeTypeSample(args, "event_type");
	TakeLengths(args, "episodes", &request->min_length, &request->max_length);
	request->from.partition_column = TakeOptionalName(args);
	request->including = TakeTextArray(args, "including");
	request->excluding = TakeTextArray(args, "excluding");
	request->kind = TakeKind(args);
}

void
ReadEpisodesRequest(FunctionCallInfo fcinfo, void *arg)
{
	EpisodesRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeEpisodesArguments(&args, PARTS_ARGUMENTS + 1, request);
	TakePart(&args, &request->part);
	request->including_any = TakeTextArray(&args, "including_any");
}

static uint32
TakeSurrogates(Arguments *args)
{
	int32		surrogates = DatumGetInt32(TakeRequired(args, "surrogates"));

	if (surrogates < 1 || surrogates > MAX_SURROGATES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"surrogates\" must be between 1 and %d", MAX_SURROGATES)));
	return surrogates;
}

/* There is no default, because it depends on the events which change of time is a small one. */
static Datum
TakeDither(Arguments *args)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];
	Numeric		dither;

	if (arg->isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"dither\" must be given"),
				 errhint("Say by how much the times of events are to change at random, in the unit of "
						 "\"gaps\", for example \"dither => 20\": some times the longest gap, and less than it takes "
						 "the rates of events to change.")));
	dither = DatumGetNumericCopy(arg->value);
	if (numeric_is_nan(dither) || numeric_is_inf(dither) ||
		DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(dither),
										  NumericGetDatum(int64_to_numeric(0)))) <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"dither\" must be above 0 and finite")));
	return NumericGetDatum(dither);
}

static FimSurrogateMethod
TakeMethod(Arguments *args)
{
	static const struct
	{
		const char *name;
		FimSurrogateMethod method;
	}			methods[] = {{"shift", FIM_SHIFT}, {"move", FIM_MOVE}, {"window_shuffle", FIM_WINDOW_SHUFFLE}};
	char	   *name = TextDatumGetCString(TakeRequired(args, "method"));

	for (int m = 0; m < lengthof(methods); m++)
		if (strcmp(name, methods[m].name) == 0)
			return methods[m].method;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"method\": \"%s\"", name),
			 errhint("Valid values are \"shift\", \"move\" and \"window_shuffle\".")));
}

void
ReadSignificanceRequest(FunctionCallInfo fcinfo, void *arg)
{
	SignificanceRequest *request = arg;
	Arguments	args = {fcinfo, 0};
	NullableDatum *seed;

	TakeEpisodesArguments(&args, 5, &request->mining);
	request->surrogates = TakeSurrogates(&args);
	request->dither = TakeDither(&args);
	seed = &fcinfo->args[args.next++];
	request->has_seed = !seed->isnull;
	request->seed = seed->isnull ? 0 : DatumGetInt64(seed->value);
	request->method = TakeMethod(&args);
	request->mining.including_any = TakeTextArray(&args, "including_any");
}

/* Take the types of the episode, at least one, and the gaps between them, one fewer. */
static void
TakeEpisode(Arguments *args, EpisodeRequest *request)
{
	(void) TakeRequired(args, "events");
	args->next--;
	request->events = TakeTextArray(args, "events");
	request->length = ArrayGetNItems(ARR_NDIM(request->events), ARR_DIMS(request->events));
	if (request->length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"events\" must name at least one event type")));
	TakeGaps(args, &request->gaps);
	if (request->gaps.given != request->length - 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arguments \"events\" and \"gaps\" do not fit each other"),
				 errdetail("Events: %u; gaps between them: %u; gaps given: %u.",
						   request->length, request->length - 1, request->gaps.given)));
}

/* The last argument, after the type sample if there is one, is "partition_column". */
void
ReadEpisodeRequest(FunctionCallInfo fcinfo, void *arg)
{
	EpisodeRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeEventColumns(&args, &request->from);
	TakeEpisode(&args, request);
	if (fcinfo->nargs - args.next > 1)
		request->from.time_sample = TakeTypeSample(&args, "time_type");
	request->from.partition_column = TakeOptionalName(&args);
}
