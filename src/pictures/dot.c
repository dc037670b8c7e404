/*-------------------------------------------------------------------------
 *
 * dot.c
 *	  Pictures in DOT, the language of Graphviz: the lattice of itemsets, and rules as arrows between items.
 *
 * More than a hundred nodes cannot be read, so the strongest are kept, and a line above the picture says so.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pictures/pictures.h"
#include "utils/builtins.h"

#define MAX_NODES	100

typedef struct Colour
{
	int			red;
	int			green;
	int			blue;
} Colour;

/* Behind black letters, and of lines on white paper, from the weakest to the strongest. */
static const Colour backgrounds[2] = {{247, 251, 255}, {120, 178, 220}};
static const Colour lines[2] = {{158, 202, 225}, {8, 48, 107}};

/* Where a value lies between two others, from 0 to 1, even if their difference is too large for a double. */
static double
Portion(double value, double least, double greatest)
{
	return greatest > least ? fmax(0, fmin(1, (value - least) / (greatest - least))) : 1;
}

static void
AppendColour(StringInfo dot, const Colour *range, double portion)
{
	appendStringInfo(dot, "\"#%02x%02x%02x\"",
					 range[0].red + (int) rint(portion * (range[1].red - range[0].red)),
					 range[0].green + (int) rint(portion * (range[1].green - range[0].green)),
					 range[0].blue + (int) rint(portion * (range[1].blue - range[0].blue)));
}

/*
 * Append a text to a quoted string so that Graphviz shows just this text.  It expands what follows
 * a backslash, and entities like &amp;.  Control characters, and two that XML does not allow, would make SVG that
 * cannot be read: Unicode has visible symbols for the former and a replacement for the latter.
 */
static void
AppendDotText(StringInfo dot, const char *text)
{
	bool		unicode = GetDatabaseEncoding() == PG_UTF8;

	for (const unsigned char *c = (const unsigned char *) text; *c != '\0'; c++)
	{
		if (*c == '"' || *c == '\\')
			appendStringInfo(dot, "\\%c", *c);
		else if (*c == '&')
			appendStringInfoString(dot, "&amp;");
		else if (*c < ' ' || *c == 127)
		{
			if (unicode)
				appendStringInfo(dot, "\xe2\x90%c", *c < ' ' ? 0x80 + *c : 0xa1);
			else
				appendStringInfoChar(dot, '?');
		}
		else if (unicode && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe)
		{
			appendStringInfoString(dot, "\xef\xbf\xbd");
			c += 2;
		}
		else
			appendStringInfoChar(dot, *c);
	}
}

/* Numbers of transactions in full, and fractions with three digits. */
static void
AppendNumber(StringInfo dot, double number)
{
	appendStringInfo(dot, number == rint(number) && fabs(number) < 1e15 ? "%.0f" : "%.3g", number);
}

/* Begin a graph, whose title says how many of the rows it shows. */
static void
BeginGraph(StringInfo dot, const char *noun, int64 shown, int64 nrows, const char *strongest, const char *legend)
{
	initStringInfo(dot);
	appendStringInfo(dot, "digraph %ss {\n\tgraph [rankdir=LR, pad=0.1, fontname=\"Helvetica,Arial,sans-serif\", "
					 "fontsize=12, labelloc=t, label=\"", noun);
	if (shown < nrows)
		appendStringInfo(dot, INT64_FORMAT " of %s, those with the most %s", shown, CountedNoun(nrows, noun), strongest);
	else
		appendStringInfoString(dot, CountedNoun(nrows, noun));
	appendStringInfo(dot, "%s\"];\n\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#9aa5b1\", "
					 "fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, height=0.3, margin=\"0.1,0.04\"];\n", legend);
}

/* What a final function returns. */
static Datum
EndGraph(StringInfo dot)
{
	appendStringInfoString(dot, "}");
	return PointerGetDatum(cstring_to_text_with_len(dot->data, dot->len));
}

/* A copy of the items, in which an itemset can be looked for in one pass. */
static PictureValue
SortedItems(const PictureValue *items)
{
	PictureValue sorted = {.ntexts = items->ntexts};

	sorted.texts = palloc(sizeof(char *) * Max(items->ntexts, 1));
	memcpy(sorted.texts, items->texts, sizeof(char *) * items->ntexts);
	qsort(sorted.texts, sorted.ntexts, sizeof(char *), pg_qsort_strcmp);
	return sorted;
}

static bool
IsPartOf(const PictureValue *part, const PictureValue *whole)
{
	int			found = 0;

	if (part->ntexts >= whole->ntexts)
		return false;
	for (int i = 0; i < whole->ntexts && found < part->ntexts; i++)
		found += strcmp(part->texts[found], whole->texts[i]) == 0;
	return found == part->ntexts;
}

/* The lines of a Hasse diagram: from an itemset to those that contain it, unless one that is drawn lies between. */
static void
AppendCovers(StringInfo dot, PictureRow **rows, int nnodes)
{
	bool	  (*within)[MAX_NODES] = palloc0(sizeof(bool[MAX_NODES][MAX_NODES]));
	PictureValue sets[MAX_NODES];

	for (int i = 0; i < nnodes; i++)
		sets[i] = SortedItems(&rows[i]->values[0]);
	for (int i = 0; i < nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < nnodes; j++)
			within[i][j] = IsPartOf(&sets[i], &sets[j]);
	}
	for (int i = 0; i < nnodes; i++)
		for (int j = 0; j < nnodes; j++)
		{
			bool		covers = within[i][j];

			for (int between = 0; covers && between < nnodes; between++)
				covers = !(within[i][between] && within[between][j]);
			if (covers)
				appendStringInfo(dot, "\tn%d -> n%d;\n", i + 1, j + 1);
		}
}

PG_FUNCTION_INFO_V1(gpufim_itemsets_dot);

Datum
gpufim_itemsets_dot(PG_FUNCTION_ARGS)
{
	enum
	{
		ITEMS, SUPPORT
	};
	static const int strongest[] = {~SUPPORT, ITEMS, PICTURE_END};
	StringInfoData dot;
	int64		nrows;
	PictureRow **rows = SortedPictureRows(fcinfo, strongest, &nrows);
	int			nnodes = Min(nrows, MAX_NODES);

	BeginGraph(&dot, "itemset", nnodes, nrows, "support", "");
	/* Many itemsets may be related to no other one.  Packed, they fill lines and not one long column. */
	appendStringInfoString(&dot, "\tgraph [pack=12, packmode=\"graph\"];\n\tedge [arrowhead=none, color=\"#5b6770\"];\n");
	for (int i = nnodes - 1; i >= 0; i--)
	{
		PictureValue *items = &rows[i]->values[ITEMS];
		double		support = rows[i]->values[SUPPORT].number;

		appendStringInfo(&dot, "\tn%d [label=\"", i + 1);
		for (int j = 0; j < items->ntexts; j++)
		{
			AppendDotText(&dot, items->texts[j]);
			appendStringInfoString(&dot, "\\n");
		}
		AppendNumber(&dot, support);
		appendStringInfoString(&dot, "\", fillcolor=");
		AppendColour(&dot, backgrounds, Portion(support, rows[nnodes - 1]->values[SUPPORT].number, rows[0]->values[SUPPORT].number));
		appendStringInfoString(&dot, "];\n");
	}
	AppendCovers(&dot, rows, nnodes);
	return EndGraph(&dot);
}

/*
 * Rules
 *
 * Items are boxes.  A rule with one item on either side is an arrow between them.  A longer one goes
 * through a point, to which lines come from the items of the antecedent, and from which arrows go to those of
 * the consequent.
 */

enum
{
	ANTECEDENT, CONSEQUENT, RULE_SUPPORT, CONFIDENCE, LIFT
};

typedef struct RuleGraph
{
	const char *items[MAX_NODES];
	int			nitems;
	int			npoints;
	PictureRow **rules;
	int64		nrules;			/* that are drawn */
} RuleGraph;

/* The number of an item's box, from 1 on; 0 if it has none. */
static int
BoxOf(const RuleGraph *graph, const char *item)
{
	for (int i = 0; i < graph->nitems; i++)
		if (strcmp(graph->items[i], item) == 0)
			return i + 1;
	return 0;
}

static bool
IsPlain(const PictureRow *rule)
{
	return rule->values[ANTECEDENT].ntexts == 1 && rule->values[CONSEQUENT].ntexts == 1;
}

/* Give a rule its boxes and its point; returns false, and takes back all of these, if there is no room. */
static bool
AddRule(RuleGraph *graph, const PictureRow *rule)
{
	int			nitems = graph->nitems;
	int			npoints = graph->npoints + !IsPlain(rule);

	for (int side = ANTECEDENT; side <= CONSEQUENT; side++)
		for (int i = 0; i < rule->values[side].ntexts; i++)
			if (BoxOf(graph, rule->values[side].texts[i]) == 0)
			{
				if (graph->nitems + npoints >= MAX_NODES)
				{
					graph->nitems = nitems;
					return false;
				}
				graph->items[graph->nitems++] = rule->values[side].texts[i];
			}
	if (graph->nitems + npoints > MAX_NODES)
		return false;
	graph->npoints = npoints;
	return true;
}

/* A rule's lines are the wider the more support it has, and the darker the more lift. */
static void
AppendRule(StringInfo dot, const RuleGraph *graph, const PictureRow *rule, int *npoints, double most_support)
{
	const PictureValue *antecedent = &rule->values[ANTECEDENT];
	const PictureValue *consequent = &rule->values[CONSEQUENT];
	StringInfoData style;

	initStringInfo(&style);
	appendStringInfo(&style, "penwidth=%.2f, color=", 0.6 + 3 * Portion(rule->values[RULE_SUPPORT].number, 0, most_support));
	AppendColour(&style, lines, Portion(asinh(rule->values[LIFT].number), asinh(graph->rules[graph->nrules - 1]->values[LIFT].number),
										asinh(graph->rules[0]->values[LIFT].number)));
	if (IsPlain(rule))
		appendStringInfo(dot, "\ti%d -> i%d [%s, label=\"",
						 BoxOf(graph, antecedent->texts[0]), BoxOf(graph, consequent->texts[0]), style.data);
	else
	{
		appendStringInfo(dot, "\tr%d [shape=point, width=0.08, %s];\n", ++*npoints, style.data);
		for (int i = 0; i < antecedent->ntexts; i++)
			appendStringInfo(dot, "\ti%d -> r%d [arrowhead=none, %s];\n", BoxOf(graph, antecedent->texts[i]), *npoints, style.data);
		for (int i = 1; i < consequent->ntexts; i++)
			appendStringInfo(dot, "\tr%d -> i%d [%s];\n", *npoints, BoxOf(graph, consequent->texts[i]), style.data);
		if (consequent->ntexts == 0)
			return;
		appendStringInfo(dot, "\tr%d -> i%d [%s, label=\"", *npoints, BoxOf(graph, consequent->texts[0]), style.data);
	}
	AppendNumber(dot, rule->values[CONFIDENCE].number);
	appendStringInfoString(dot, "\"];\n");
}

PG_FUNCTION_INFO_V1(gpufim_rules_dot);

Datum
gpufim_rules_dot(PG_FUNCTION_ARGS)
{
	static const int strongest[] = {~LIFT, ~RULE_SUPPORT, ~CONFIDENCE, ANTECEDENT, CONSEQUENT, PICTURE_END};
	StringInfoData dot;
	RuleGraph	graph = {0};
	int64		nrows;
	double		most_support = 0;
	int			npoints = 0;

	graph.rules = SortedPictureRows(fcinfo, strongest, &nrows);
	while (graph.nrules < nrows && AddRule(&graph, graph.rules[graph.nrules]))
	{
		most_support = Max(most_support, graph.rules[graph.nrules]->values[RULE_SUPPORT].number);
		graph.nrules++;
	}

	BeginGraph(&dot, "rule", graph.nrules, nrows, "lift",
			   "\\nwider: more support, darker: more lift, number: confidence");
	appendStringInfoString(&dot, "\tedge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=8, fontcolor=\"#5b6770\", arrowsize=0.7];\n");
	for (int i = graph.nitems - 1; i >= 0; i--)
	{
		appendStringInfo(&dot, "\ti%d [label=\"", i + 1);
		AppendDotText(&dot, graph.items[i]);
		appendStringInfoString(&dot, "\"];\n");
	}
	for (int64 i = 0; i < graph.nrules; i++)
	{
		CHECK_FOR_INTERRUPTS();
		AppendRule(&dot, &graph, graph.rules[i], &npoints, most_support);
	}
	return EndGraph(&dot);
}
