/*-------------------------------------------------------------------------
 *
 * vega.c
 *	  Pictures in Vega-Lite, which is JSON: rules, lengths, occurrences of episodes, and the distribution
 *	  of a support.
 *
 * A specification has the rows as its data.  All else in it is the same for all data, but for the title, so it stands here as text, in
 * which ' stands for the " of JSON.  What follows from the data is left to the transforms of Vega-Lite as
 * far as these can do it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/jsonapi.h"
#include "common/shortest_dec.h"
#include "compat.h"
#include "miscadmin.h"
#include "pictures/pictures.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/timestamp.h"

static void
AppendSpec(StringInfo json, const char *spec)
{
	for (; *spec != '\0'; spec++)
		appendStringInfoChar(json, *spec == '\'' ? '"' : *spec == '`' ? '\'' : *spec);
}

/* Begin a specification with its title and what explains it, up to the rows. */
static void
BeginSpec(StringInfo json, const char *title, const char *subtitle)
{
	initStringInfo(json);
	AppendSpec(json, "{'$schema': 'https://vega.github.io/schema/vega-lite/v5.json',\n'title': {'text': '");
	appendStringInfoString(json, title);
	AppendSpec(json, "', 'subtitle': '");
	appendStringInfoString(json, subtitle);
	AppendSpec(json, "'},\n'data': {'values': [");
}

/* Begin the next row, which is a JSON object. */
static void
BeginRow(StringInfo json)
{
	CHECK_FOR_INTERRUPTS();
	appendStringInfoString(json, json->data[json->len - 1] == '[' ? "\n{" : ",\n{");
}

static void
AppendName(StringInfo json, const char *name)
{
	appendStringInfo(json, json->data[json->len - 1] == '{' ? "\"%s\": " : ", \"%s\": ", name);
}

static void
AppendNumber(StringInfo json, const char *name, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	AppendName(json, name);
	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(json, digits);
}

/* Items in one text; they may hold commas themselves. */
static void
AppendItems(StringInfo json, const char *name, const PictureValue *items)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < items->ntexts; i++)
		appendStringInfo(&list, "%s%s", i == 0 ? "" : " + ", items->texts[i]);
	AppendName(json, name);
	escape_json(json, list.data);
	pfree(list.data);
}

/* Without rows there is nothing but the title: axes and legends would have no numbers. */
static const char empty_spec[] =
"'width': 200, 'height': 20, 'mark': 'point', 'config': {'view': {'stroke': null}}}";

/* End a specification, with what comes after the rows; what a final function returns. */
static Datum
EndSpec(StringInfo json, int64 nrows, const char *spec)
{
	AppendSpec(json, "\n]},\n");
	AppendSpec(json, nrows == 0 ? empty_spec : spec);
	return PointerGetDatum(cstring_to_text_with_len(json->data, json->len));
}

/*
 * Rules
 */

enum
{
	ANTECEDENT, CONSEQUENT, RULE_SUPPORT, CONFIDENCE, LIFT, FORM
};

static const char scatter_spec[] =
"'width': 520, 'height': 340,\n"
"'mark': {'type': 'circle', 'size': 50, 'opacity': 0.85},\n"
"'encoding': {\n"
" 'x': {'field': 'support', 'type': 'quantitative', 'scale': {'type': 'symlog', 'zero': false},\n"
"  'axis': {'labelOverlap': 'greedy', 'labelSeparation': 6}},\n"
" 'y': {'field': 'confidence', 'type': 'quantitative', 'scale': {'zero': false}},\n"
" 'color': {'field': 'lift', 'type': 'quantitative', 'scale': {'type': 'symlog', 'scheme': 'viridis', 'reverse': true}},\n"
" 'tooltip': [{'field': 'antecedent'}, {'field': 'consequent'}, {'field': 'support'}, {'field': 'confidence'}, {'field': 'lift'}]}}";

/*
 * The grouped matrix.  Its rows are the 20 consequents of most lift.  A column is a group of antecedents: those that raise the
 * same consequent most, named after the one of them that does so best.
 */
static const char matrix_spec[] =
"'transform': [\n"
" {'joinaggregate': [{'op': 'max', 'field': 'lift', 'as': 'row lift'}], 'groupby': ['consequent']},\n"
" {'window': [{'op': 'dense_rank', 'as': 'row'}],\n"
"  'sort': [{'field': 'row lift', 'order': 'descending'}, {'field': 'consequent'}]},\n"
" {'window': [{'op': 'first_value', 'field': 'consequent', 'as': 'raised'}], 'frame': [null, null], 'groupby': ['antecedent'],\n"
"  'sort': [{'field': 'lift', 'order': 'descending'}, {'field': 'consequent'}]},\n"
" {'filter': 'datum.row <= 20'},\n"
" {'window': [{'op': 'first_value', 'field': 'antecedent', 'as': 'first'}], 'frame': [null, null], 'groupby': ['raised'],\n"
"  'sort': [{'field': 'lift', 'order': 'descending'}, {'field': 'antecedent'}]},\n"
" {'joinaggregate': [{'op': 'distinct', 'field': 'antecedent', 'as': 'antecedents'},\n"
"  {'op': 'max', 'field': 'lift', 'as': 'column lift'}], 'groupby': ['raised']},\n"
" {'calculate': 'truncate(datum.first, 40) + (datum.antecedents > 1 ? ` (+` + (datum.antecedents - 1) + `)` : ``)', 'as': 'group'}],\n"
"'width': {'step': 26}, 'height': {'step': 26},\n"
"'mark': {'type': 'circle', 'opacity': 1},\n"
"'encoding': {\n"
" 'x': {'field': 'group', 'type': 'nominal', 'title': null, 'sort': {'field': 'column lift', 'op': 'max', 'order': 'descending'},\n"
"  'axis': {'orient': 'top', 'labelAngle': -60, 'labelLimit': 0, 'grid': true}},\n"
" 'y': {'field': 'consequent', 'type': 'nominal', 'title': null, 'sort': {'field': 'row lift', 'op': 'max', 'order': 'descending'},\n"
"  'axis': {'labelLimit': 300, 'grid': true}},\n"
" 'size': {'field': 'support', 'aggregate': 'max', 'type': 'quantitative', 'title': 'support', 'scale': {'range': [20, 420]}},\n"
" 'color': {'field': 'lift', 'aggregate': 'max', 'type': 'quantitative', 'title': 'lift',\n"
"  'scale': {'type': 'symlog', 'scheme': 'viridis', 'reverse': true}},\n"
" 'tooltip': [{'field': 'group', 'title': 'antecedents'}, {'field': 'consequent'}, {'aggregate': 'count', 'title': 'rules'},\n"
"  {'field': 'support', 'aggregate': 'max', 'title': 'most support'}, {'field': 'lift', 'aggregate': 'max', 'title': 'most lift'}]}}";

/* The form that all rows ask for: is it the matrix? */
static bool
WantsMatrix(PictureRow **rows, int64 nrows)
{
	bool		matrix = false;

	for (int64 i = 0; i < nrows; i++)
	{
		const PictureValue *form = &rows[i]->values[FORM];
		bool		this_one = form->ntexts > 0 && strcmp(form->texts[0], "matrix") == 0;

		if (!this_one && form->ntexts > 0 && strcmp(form->texts[0], "scatter") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid value for argument \"form\": \"%s\"", form->texts[0]),
					 errhint("Valid values are \"scatter\" and \"matrix\".")));
		if (i > 0 && this_one != matrix)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"form\" must be the same for all rules of a picture"),
					 errhint("Use GROUP BY if there are to be several pictures.")));
		matrix = this_one;
	}
	return matrix;
}

PG_FUNCTION_INFO_V1(gpufim_rules_vega);

Datum
gpufim_rules_vega(PG_FUNCTION_ARGS)
{
	/* The strongest come last, so that they are drawn on top. */
	static const int weakest[] = {LIFT, RULE_SUPPORT, CONFIDENCE, ANTECEDENT, CONSEQUENT, PICTURE_END};
	StringInfoData json;
	int64		nrows;
	PictureRow **rows = SortedPictureRows(fcinfo, weakest, &nrows);
	bool		matrix = WantsMatrix(rows, nrows);

	BeginSpec(&json, CountedNoun(nrows, "rule"),
			  matrix ? "Rows are consequents. Columns are antecedents, grouped by what they raise most." : "");
	for (int64 i = 0; i < nrows; i++)
	{
		const PictureValue *values = rows[i]->values;

		BeginRow(&json);
		AppendItems(&json, "antecedent", &values[ANTECEDENT]);
		AppendItems(&json, "consequent", &values[CONSEQUENT]);
		AppendNumber(&json, "support", values[RULE_SUPPORT].number);
		AppendNumber(&json, "confidence", values[CONFIDENCE].number);
		AppendNumber(&json, "lift", values[LIFT].number);
		appendStringInfoChar(&json, '}');
	}
	return EndSpec(&json, nrows, matrix ? matrix_spec : scatter_spec);
}

/*
 * Numbers of itemsets or episodes, and distributions
 */

enum
{
	LENGTH, NUMBER, SUPPORT = LENGTH, PROBABILITY = NUMBER
};

static const int by_first[] = {LENGTH, NUMBER, PICTURE_END};

static void
AppendPairs(StringInfo json, PictureRow **rows, int64 nrows, const char *first, const char *second)
{
	for (int64 i = 0; i < nrows; i++)
	{
		BeginRow(json);
		AppendNumber(json, first, rows[i]->values[0].number);
		AppendNumber(json, second, rows[i]->values[1].number);
		appendStringInfoChar(json, '}');
	}
}

static const char lengths_spec[] =
"'width': {'step': 48}, 'height': 260,\n"
"'encoding': {\n"
" 'x': {'field': 'length', 'type': 'ordinal', 'axis': {'labelAngle': 0}},\n"
" 'y': {'field': 'number', 'type': 'quantitative'}},\n"
"'layer': [\n"
" {'mark': {'type': 'bar', 'tooltip': true}},\n"
" {'mark': {'type': 'text', 'dy': -7}, 'encoding': {'text': {'field': 'number', 'format': ','}}}],\n"
"'config': {'view': {'stroke': null}}}";

PG_FUNCTION_INFO_V1(gpufim_lengths_vega);

Datum
gpufim_lengths_vega(PG_FUNCTION_ARGS)
{
	StringInfoData json;
	int64		nrows;
	PictureRow **rows = SortedPictureRows(fcinfo, by_first, &nrows);
	double		sum = 0;

	for (int64 i = 0; i < nrows; i++)
		sum += rows[i]->values[NUMBER].number;
	BeginSpec(&json, psprintf("%.15g in all", sum), "");
	AppendPairs(&json, rows, nrows, "length", "number");
	return EndSpec(&json, nrows, lengths_spec);
}

/* Two rows of bars, each as wide as the step from one support to the next. */
#define SUPPORT_BARS(field, title, colour) \
" {'width': 520, 'height': 160, 'mark': {'type': 'bar', 'binSpacing': 0, 'color': '" colour "'},\n" \
"  'encoding': {'x': {'field': 'left', 'type': 'quantitative', 'title': 'support', 'scale': {'zero': false, 'nice': false},\n" \
"    'axis': {'tickMinStep': 1, 'format': ',d'}}, 'x2': {'field': 'right'},\n" \
"   'y': {'field': '" field "', 'type': 'quantitative', 'title': '" title "'}, 'y2': {'datum': 0},\n" \
"   'tooltip': [{'field': 'support'}, {'field': 'probability'}, {'field': 'at least', 'title': 'of at least so much'}]}}"

/* Supports at either end are not drawn where they have one part in 10,000 of the probability. */
static const char distribution_spec[] =
"'transform': [\n"
" {'window': [{'op': 'sum', 'field': 'probability', 'as': 'at least'}], 'sort': [{'field': 'support', 'order': 'descending'}]},\n"
" {'window': [{'op': 'sum', 'field': 'probability', 'as': 'at most'}], 'sort': [{'field': 'support'}]},\n"
" {'filter': 'datum[`at least`] > 0.0001 && datum[`at most`] > 0.0001'},\n"
" {'calculate': 'datum.support - 0.5', 'as': 'left'}, {'calculate': 'datum.support + 0.5', 'as': 'right'}],\n"
"'vconcat': [\n"
SUPPORT_BARS("probability", "probability", "#4c78a8") ",\n"
SUPPORT_BARS("at least", "of at least so much", "#e45756") "]}";

PG_FUNCTION_INFO_V1(gpufim_distribution_vega);

Datum
gpufim_distribution_vega(PG_FUNCTION_ARGS)
{
	StringInfoData json;
	int64		nrows;
	PictureRow **rows = SortedPictureRows(fcinfo, by_first, &nrows);
	double		expected = 0;

	for (int64 i = 0; i < nrows; i++)
		expected += rows[i]->values[SUPPORT].number * rows[i]->values[PROBABILITY].number;
	BeginSpec(&json, psprintf("Expected support: %.6g", expected), "");
	AppendPairs(&json, rows, nrows, "support", "probability");
	return EndSpec(&json, nrows, distribution_spec);
}

/*
 * Occurrences of an episode
 */

enum
{
	PARTITION, TIMES
};

/*
 * Each event is a dot, and a line joins those of an occurrence.  The type of the times, and the title of their axis, are
 * filled in.
 */
static const char episodes_spec[] =
"'width': 640, 'height': {'step': 18},\n"
"'encoding': {\n"
" 'x': {'field': 'time', %s, 'scale': {'zero': false}, 'axis': {'tickCount': 8}},\n"
" 'y': {'field': 'partition', 'type': 'nominal', 'sort': null, 'axis': {'grid': true}}},\n"
"'layer': [\n"
" {'mark': {'type': 'line', 'opacity': 0.6}, 'encoding': {'detail': {'field': 'occurrence'}}},\n"
" {'mark': {'type': 'circle', 'size': 40, 'opacity': 0.9},\n"
"  'encoding': {'color': {'field': 'event', 'type': 'ordinal', 'scale': {'scheme': 'viridis', 'reverse': true}},\n"
"   'tooltip': [{'field': 'partition'}, {'field': 'event'}, {'field': 'time', %s}]}}]}";

/* What times are in a picture. */
typedef enum TimeKind
{
	NumberTimes,				/* numbers */
	SpanTimes,					/* times of day and intervals: seconds */
	DateTimes					/* dates and timestamps: what is written in ISO 8601 */
} TimeKind;

/* Times that were asked for as text are numbers if all of them can be. */
static TimeKind
KindOfTimes(FunctionCallInfo fcinfo, PictureRow **rows, int64 nrows)
{
	Oid			type = PictureElementType(fcinfo, TIMES);

	if (type == TIMEOID || type == INTERVALOID)
		return SpanTimes;
	if (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return DateTimes;
	for (int64 i = 0; i < nrows; i++)
	{
		const PictureValue *times = &rows[i]->values[TIMES];

		for (int j = 0; j < times->ntexts; j++)
			if (!IsValidJsonNumber(times->texts[j], strlen(times->texts[j])))
				return DateTimes;
	}
	return NumberTimes;
}

/* A time in JSON.  Timestamps that are text are in the form that the session's settings ask for. */
static char *
JsonTime(TimeKind kind, bool is_text, char *time)
{
	if (kind == NumberTimes)
		return time;
	if (kind == SpanTimes)
	{
		Datum		span = DirectFunctionCall3(interval_in, CStringGetDatum(time), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

		return psprintf("%.15g", DatumGetFloat8(DirectFunctionCall2(interval_part, CStringGetTextDatum("epoch"), span)));
	}
	if (is_text)
	{
		Datum		at = DirectFunctionCall3(timestamp_in, CStringGetDatum(time), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

		time = JsonEncodeDateTime(palloc(MAXDATELEN + 1), at, TIMESTAMPOID, NULL);
	}
	return psprintf("\"%s\"", time);
}

PG_FUNCTION_INFO_V1(gpufim_episodes_vega);

Datum
gpufim_episodes_vega(PG_FUNCTION_ARGS)
{
	static const int order[] = {PARTITION, TIMES, PICTURE_END};
	static const char *const axes[] = {
		[NumberTimes] = "'type': 'quantitative', 'title': 'time'",
		[SpanTimes] = "'type': 'quantitative', 'title': 'seconds'",
		[DateTimes] = "'type': 'temporal', 'title': 'time'"
	};
	StringInfoData json;
	int64		nrows;
	PictureRow **rows = SortedPictureRows(fcinfo, order, &nrows);
	TimeKind	kind = KindOfTimes(fcinfo, rows, nrows);
	bool		is_text = PictureElementType(fcinfo, TIMES) == TEXTOID;

	BeginSpec(&json, CountedNoun(nrows, "occurrence"), "");
	for (int64 i = 0; i < nrows; i++)
		for (int j = 0; j < rows[i]->values[TIMES].ntexts; j++)
		{
			BeginRow(&json);
			AppendItems(&json, "partition", &rows[i]->values[PARTITION]);
			AppendNumber(&json, "occurrence", i + 1);
			AppendNumber(&json, "event", j + 1);
			AppendName(&json, "time");
			appendStringInfo(&json, "%s}", JsonTime(kind, is_text, rows[i]->values[TIMES].texts[j]));
		}
	return EndSpec(&json, nrows, psprintf(episodes_spec, axes[kind], axes[kind]));
}
