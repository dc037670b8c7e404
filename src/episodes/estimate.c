/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  How many rows the planner should expect of frequent_episodes(),
 *	  episode_counts(), episode_significance() and episode_occurrences().
 *
 * Where the source is the name of a table that has been analyzed, the table's statistics tell how
 * many events there are of each type, in how many partitions and within which time.  The estimate
 * is the number of episodes that would be frequent if the events of each type came at random, at
 * a constant rate; it is counted up to a limit.  Real events come in bursts and follow each
 * other, so that there are more episodes than that.  But the estimate grows and shrinks with
 * minsup, the gaps, kind and the lengths as the result does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "episodes/times.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "planned_call.h"
#include "statistics.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/syscache.h"

/*
 * Counting stops at this number of episodes: to go on would take too long and change nothing for
 * the planner.
 */
#define MOST_EPISODES	100000
#define MOST_TYPES		10000
#define MOST_LENGTHS	64
#define MOST_GAPS		100

typedef struct EstimatedGap
{
	double		low;
	double		width;			/* upper bound minus low; may be infinite */
} EstimatedGap;

typedef struct Estimate
{
	double	   *count;			/* [ntypes], number of events of each frequent type, in descending
								 * order */
	int			ntypes;
	EstimatedGap *gap;
	int			ngaps;
	double		least;			/* minsup as a number of occurrences */
	double		time;			/* time span of the source times the number of partitions */
	bool		maximal;
	int			max_length;
	int			visited;		/* frequent episodes so far */
	double		counts[MOST_LENGTHS + 1];	/* episodes of the result, by length */
} Estimate;

/* An episode, or the beginning of one. */
typedef struct Beginning
{
	double		count;			/* of occurrences that may overlap */
	double		support;
	double		duration;		/* of an occurrence, on average */
	int			length;
} Beginning;

/*
 * Extend an episode by an event of a type with "count" events.  The rarer of the two is looked
 * for within the gap from the other one.  Support follows from the formula for a counter with a
 * dead time: of occurrences that come at random, it registers one and is then blind for the
 * duration of an occurrence.
 */
static Beginning
Extend(const Estimate *estimate, const Beginning *beginning, const EstimatedGap *gap, double count)
{
	double		rate = Max(beginning->count, count) / estimate->time;
	Beginning	longer;

	longer.length = beginning->length + 1;
	longer.count = Min(beginning->count, count) * (1 - exp(-rate * gap->width));
	longer.duration = beginning->duration + gap->low + Min(gap->width / 2, estimate->time / count);
	longer.support = longer.count / (1 + longer.count * longer.duration / estimate->time);
	return longer;
}

/*
 * Is there an episode that is one event longer and frequent?  It need not be one of the result:
 * max_length only selects.
 */
static bool
HasLonger(const Estimate *estimate, const Beginning *beginning)
{
	for (int g = 0; g < estimate->ngaps; g++)
		if (Extend(estimate, beginning, &estimate->gap[g], estimate->count[0]).support >= estimate->least)
			return true;
	return false;
}

/* Count an episode and all frequent ones that begin with it. */
static void
CountEpisodes(Estimate *estimate, const Beginning *beginning)
{
	estimate->visited++;
	if (!estimate->maximal || !HasLonger(estimate, beginning))
		estimate->counts[beginning->length]++;
	if (beginning->length >= estimate->max_length)
		return;
	for (int g = 0; g < estimate->ngaps; g++)
	{
		for (int i = 0; i < estimate->ntypes && estimate->visited < MOST_EPISODES; i++)
		{
			Beginning	longer = Extend(estimate, beginning, &estimate->gap[g], estimate->count[i]);

			if (longer.support < estimate->least)
				break;
			CountEpisodes(estimate, &longer);
		}
	}
}

static double
BoundOf(const RangeBound *bound, double none)
{
	return bound->infinite ? none :
		DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, bound->val));
}

static void
AddGap(Estimate *estimate, double low, double high)
{
	if (high > low)
		estimate->gap[estimate->ngaps++] = (EstimatedGap) {low, high - low};
}

/*
 * The gaps of an array of numeric ranges that is written as text, up to MOST_GAPS.  Reading ends at
 * what is no range.
 */
static void
SetGapsOfText(Estimate *estimate, const char *text)
{
	estimate->gap = palloc(MOST_GAPS * sizeof(EstimatedGap));
	while (estimate->ngaps < MOST_GAPS && (text = strpbrk(text, "([")) != NULL)
	{
		const char *bound = text + 1;
		char	   *end;
		double		low = strtod(bound, &end);
		double		high;

		if (end == bound || *end != ',')
			return;
		bound = end + 1;
		high = strtod(bound, &end);
		AddGap(estimate, low, end == bound ? get_float8_infinity() : high);
		text = end;
	}
}

/* Invalid gaps are left out, because the call itself will raise an error. */
static void
SetGaps(Estimate *estimate, Datum argument)
{
	TypeCacheEntry *info = lookup_type_cache(NUMRANGEOID, TYPECACHE_RANGE_INFO);
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(argument), NUMRANGEOID, -1, false, info->typalign,
					  &elements, &nulls, &n);
	estimate->gap = palloc((n + 1) * sizeof(EstimatedGap));
	for (int i = 0; i < n; i++)
	{
		RangeBound	lower;
		RangeBound	upper;
		bool		empty = true;

		if (!nulls[i])
			range_deserialize(info, DatumGetRangeTypeP(elements[i]), &lower, &upper, &empty);
		if (!empty && !lower.infinite)
			AddGap(estimate, BoundOf(&lower, 0), BoundOf(&upper, get_float8_infinity()));
	}
}

/* Convert a value to a time in units of gaps.  Returns NaN if the value is not a valid time. */
static double
TimeInUnits(EventTimes *times, Datum value)
{
	FimTime		time;

	if (TimeOfValue(times, value, &time) != TIME_GOOD)
		return get_float8_nan();
	return times->real ? time.real : time.integer / (double) PowerOfTen(times->scale);
}

/* The time between the first and the last value in the column's statistics; 0 if there are none. */
static double
TimeSpan(Oid relation, const char *column)
{
	static const int kinds[] = {STATISTIC_KIND_MCV, STATISTIC_KIND_HISTOGRAM};
	HeapTuple	tuple = ColumnStatistics(relation, column);
	double		first = get_float8_infinity();
	double		last = -get_float8_infinity();

	if (!HeapTupleIsValid(tuple))
		return 0;
	for (int k = 0; k < lengthof(kinds); k++)
	{
		AttStatsSlot slot;

		if (!get_attstatsslot(&slot, tuple, kinds[k], InvalidOid, ATTSTATSSLOT_VALUES))
			continue;
		for (int i = 0; i < slot.nvalues && IsTimeType(slot.valuetype); i++)
		{
			EventTimes	times;
			double		time;

			TimesInit(&times, slot.valuetype, -1);
			time = TimeInUnits(&times, slot.values[i]);
			if (isnan(time))
				continue;
			first = Min(first, time);
			last = Max(last, time);
		}
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return last > first ? last - first : 0;
}

/* The number of partitions: 1 without a column of partitions, 0 if there are no statistics. */
static double
Partitions(Oid relation, const CallArguments *arguments, double rows)
{
	char	   *column = TextArgument(arguments, "partition_column");
	HeapTuple	tuple;
	double		partitions;

	if (column == NULL)
		return 1;
	tuple = ColumnStatistics(relation, column);
	if (!HeapTupleIsValid(tuple))
		return 0;
	partitions = DistinctValues(tuple, rows);
	ReleaseSysCache(tuple);
	return partitions;
}

/* Set the number of events of each frequent type. */
static void
SetTypes(Estimate *estimate, Oid relation, const char *column, double rows)
{
	int			n = ValueParts(relation, column, rows, estimate->count, MOST_TYPES);

	for (int i = 0; i < n; i++)
	{
		double		count = estimate->count[i] * rows;

		if (count >= estimate->least)
			estimate->count[estimate->ntypes++] = count;
	}
	SortDescending(estimate->count, estimate->ntypes);
}

/* The number of rows of the call's source; 0 if there are no statistics of it. */
static double
SourceRows(const CallArguments *arguments, Oid *relation)
{
	char	   *source = TextArgument(arguments, "source");

	*relation = source != NULL ? AnalyzedRelation(source) : InvalidOid;
	return OidIsValid(*relation) ? RelationRows(*relation) : 0;
}

static bool
MakeEstimate(const CallArguments *arguments, Estimate *estimate)
{
	char	   *event_column = TextArgument(arguments, "event_column");
	char	   *time_column = TextArgument(arguments, "time_column");
	char	   *kind = TextArgument(arguments, "kind");
	Const	   *gaps = ConstantArgument(arguments, "gaps", arguments->untyped ? TEXTOID : NUMRANGEARRAYOID);
	Beginning	single = {.length = 1};
	Oid			relation;
	double		rows = SourceRows(arguments, &relation);

	if (rows < 1 || event_column == NULL || time_column == NULL || gaps == NULL)
		return false;
	estimate->time = TimeSpan(relation, time_column) * Partitions(relation, arguments, rows);
	estimate->least = NumberArgument(arguments, "minsup", 0);
	if (!(estimate->time > 0 && estimate->least > 0))
		return false;
	if (estimate->least < 1)
		estimate->least *= rows;
	estimate->count = palloc(MOST_TYPES * sizeof(double));
	SetTypes(estimate, relation, event_column, rows);
	if (arguments->untyped)
		SetGapsOfText(estimate, TextDatumGetCString(gaps->constvalue));
	else
		SetGaps(estimate, gaps->constvalue);
	estimate->maximal = kind != NULL && strcmp(kind, "maximal") == 0;
	estimate->max_length = LengthArgument(arguments, "max_length", MOST_LENGTHS, MOST_LENGTHS);
	for (int i = 0; i < estimate->ntypes && estimate->visited < MOST_EPISODES; i++)
	{
		single.count = single.support = estimate->count[i];
		CountEpisodes(estimate, &single);
	}
	return true;
}

/* The fraction of the episodes of a length that contain a number of required types. */
static double
PartWith(const Estimate *estimate, int length, int including)
{
	double		part = 1;

	for (int i = 0; i < including; i++)
		part *= Min(Max(length - i, 0) / (double) Max(estimate->ntypes, 1), 1);
	return part;
}

static Datum
EstimateRows(FunctionCallInfo fcinfo, bool count_only)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	CallArguments arguments;
	Estimate	estimate = {0};
	int			including;
	double		rows = 0;

	if (function == NULL || !ReadCallArguments(function, &arguments) ||
		!MakeEstimate(&arguments, &estimate))
		PG_RETURN_POINTER(NULL);
	including = ElementsOfArgument(&arguments, "including");
	for (int length = LengthArgument(&arguments, "min_length", 1, MOST_LENGTHS + 1);
		 length <= MOST_LENGTHS; length++)
	{
		double		episodes = estimate.counts[length] * PartWith(&estimate, length, including);

		rows += count_only ? episodes > 0 : episodes;
	}
	request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(request);
}

PG_FUNCTION_INFO_V1(gpufim_episodes_rows);

Datum
gpufim_episodes_rows(PG_FUNCTION_ARGS)
{
	return EstimateRows(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_episode_counts_rows);

Datum
gpufim_episode_counts_rows(PG_FUNCTION_ARGS)
{
	return EstimateRows(fcinfo, true);
}

/* The most occurrences of an episode that there can be; a negative number if nothing is known. */
static double
MostOccurrences(const CallArguments *arguments)
{
	char	   *event_column = TextArgument(arguments, "event_column");
	NamedValue	events[MOST_NAMED];
	int			n = NamesArgument(arguments, "events", events);
	Oid			relation;
	double		rows = SourceRows(arguments, &relation);
	double		most = rows;

	if (rows < 1 || event_column == NULL || n == 0)
		return -1;
	for (int i = 0; i < n; i++)
	{
		double		part = ValuePart(relation, event_column, rows, events[i].name);

		if (part < 0)
			return -1;
		most = Min(most, part * rows / events[i].times);
	}
	return most;
}

PG_FUNCTION_INFO_V1(gpufim_occurrences_rows);

/*
 * Who asks for the occurrences of an episode has usually found that it is frequent, and not by
 * chance.  So the estimate is the most that there can be: no event is in two occurrences, and thus
 * the rarest type decides.
 */
Datum
gpufim_occurrences_rows(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	CallArguments arguments;
	double		rows;

	if (function == NULL || !ReadCallArguments(function, &arguments))
		PG_RETURN_POINTER(NULL);
	rows = MostOccurrences(&arguments);
	if (rows < 0)
		PG_RETURN_POINTER(NULL);
	request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(request);
}
