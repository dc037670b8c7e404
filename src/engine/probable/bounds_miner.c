/*-------------------------------------------------------------------------
 *
 * bounds_miner.c
 *	  Strategy "bounds": depth first, each itemset extended by items of higher ranks.
 *
 * All extensions of an itemset are counted together and decided by rigorous bounds; only
 * those that stay in doubt, and values that are wanted, take their distribution.
 *
 * Closed itemsets are found as LCM does it (Uno, Kiyomi and Arimura, FIMI 2004): items
 * that are certain in all of an itemset's rows are added to it.  If one of them has a
 * lower rank, the itemset and all those below it are found elsewhere.  Maximal itemsets,
 * which are closed, are found in the same way.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"


#include <string.h>

/*
 * Mine an itemset, which is at hand and has been judged, and its extensions by the items of
 * rest[nrest].  "rank" is that of its last item.
 */
static void MineNode(ProbableMiner *m, const Root *root, const ProbableNode *node, const Extension *itemset,
					 uint32_t rank, const Extension *rest, uint32_t nrest);

static inline uint32_t
RankOf(const Root *root, const Extension *extension)
{
	return root->ranking.rank_of[extension->item] - 1;
}

/*
 * Need the supersets of the itemset at hand be mined?  Not beyond the length limit.  That one of
 * them is selected tells that the itemset is not maximal, but this is known when they are judged.
 */
static bool
MayGrow(const ProbableMiner *m)
{
	return m->nitems < m->spec->max_length;
}

/* Can the itemset at hand become long enough, if "more" items can extend it? */
static bool
MayReach(const ProbableMiner *m, uint32_t more)
{
	return (uint64_t) m->nitems + more >= m->spec->min_length;
}

static void
EmitIfMaximal(ProbableMiner *m, const Root *root, const ProbableNode *node, const Extension *itemset,
			  uint32_t rank)
{
	if (ProbableWants(m) && !IsExtensible(m, node, &root->ranking, rank))
		EmitItemset(m, node, itemset);
}

/*
 * Try the itemset with the items of all its extensions, and give it out if it is selected and
 * of the spec's kind.  Then it is the only itemset below this node that can be maximal.  A loop
 * goes through the items, which may be very many.  Returns whether the itemset is selected.
 */
static bool
MineAllTogether(ProbableMiner *m, const Root *root, const ProbableNode *node, uint32_t rank,
				const Extension *extensions, uint32_t n)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nitems = m->nitems;
	ProbableNode together;
	Extension	next;
	bool		selected = true;

	CopyNode(m, node, &together);
	for (uint32_t i = 0; i < n && selected; i++)
	{
		ArenaMark	step = ArenaGetMark(&m->arena);
		ProbableNode extended;

		next = extensions[i];
		CountExtensions(m, &together, &next, 1);
		ExtendNode(m, &together, &next, &extended);
		ReplaceNode(&together, &extended);
		ArenaRelease(&m->arena, step);
		ProbablePush(m, next.item);
		selected = MayBeSelected(m, next.n);
	}
	selected = selected && JudgeNode(m, &together, &next);
	if (selected && m->spec->kind == FIM_MAXIMAL)
		EmitIfMaximal(m, root, &together, &next, rank);
	else if (selected && (m->spec->kind == FIM_ALL || !IsCovered(m, &together, &root->ranking, rank)))
		EmitItemset(m, &together, &next);
	while (m->nitems > nitems)
		ProbablePop(m);
	ArenaRelease(&m->arena, mark);
	return selected;
}

/* Mine the itemset of an extension; the extensions after it, rest[nrest], are its candidates. */
static void
Descend(ProbableMiner *m, const Root *root, const ProbableNode *node, Extension *by, Extension *rest,
		uint32_t nrest)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	ProbableNode extended;
	ProbableNode projected;
	ProbableView view;
	char		here;

	if (m->host->stack_end != NULL && &here < m->host->stack_end)
		ProbablePoll(m);
	ProbablePush(m, by->item);
	if (nrest == 0 && !NeedsNode(m, by))
		EmitItemset(m, NULL, by);
	else
	{
		ExtendNode(m, node, by, &extended);
		if (ProjectionPays(&extended, nrest))
		{
			Extension  *moved = ArenaAlloc(&m->arena, sizeof(Extension) * nrest);

			memcpy(moved, rest, sizeof(Extension) * nrest);
			ProjectNode(m, &extended, moved, nrest, &view, &projected);
			MineNode(m, root, &projected, by, RankOf(root, by), moved, nrest);
		}
		else
			MineNode(m, root, &extended, by, RankOf(root, by), rest, nrest);
	}
	ProbablePop(m);
	ArenaRelease(&m->arena, mark);
}

/*
 * Mine what extends the node's itemset.  If that is long enough only with all extensions, there is
 * no need to go down by one of them at a time.
 */
static void
DescendAll(ProbableMiner *m, const Root *root, const ProbableNode *node, uint32_t rank, Extension *extensions,
		   uint32_t n)
{
	if (n > 1 && MayGrow(m) && MayReach(m, n) && !MayReach(m, n - 1))
	{
		(void) MineAllTogether(m, root, node, rank, extensions, n);
		return;
	}
	for (uint32_t i = 0; i < n && MayGrow(m) && MayReach(m, n - i); i++)
		Descend(m, root, node, &extensions[i], extensions + i + 1, n - i - 1);
}

/* Count and judge the candidates for this node, and keep those that are selected.  Returns how many. */
static uint32_t
SelectExtensions(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	uint32_t	selected = 0;

	CountExtensions(m, node, extensions, n);
	for (uint32_t i = 0; i < n; i++)
		if (JudgeExtension(m, node, &extensions[i]))
			extensions[selected++] = extensions[i];
	m->nodes += n;
	return selected;
}

/*
 * Push the items that are certain in all rows of the node, and keep the other extensions.
 * Returns how many.
 */
static uint32_t
PushPerfect(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	uint32_t	left = 0;

	for (uint32_t i = 0; i < n; i++)
		if (IsPerfect(node, &extensions[i]))
			ProbablePush(m, extensions[i].item);
		else
			extensions[left++] = extensions[i];
	return left;
}

/* Mine closed or maximal itemsets. */
static void
MineClosures(ProbableMiner *m, const Root *root, const ProbableNode *node, const Extension *itemset,
			 uint32_t rank, Extension *extensions, uint32_t n)
{
	bool		maximal = m->spec->kind == FIM_MAXIMAL;
	uint32_t	nitems = m->nitems;

	if (IsCovered(m, node, &root->ranking, rank))
		return;
	n = SelectExtensions(m, node, extensions, n);
	if (!MayReach(m, n))
		return;
	n = PushPerfect(m, node, extensions, n);
	if (!maximal)
		EmitItemset(m, node, itemset);
	else if (n == 0)
		EmitIfMaximal(m, root, node, itemset, rank);
	if (!maximal || n <= 1 || (MayGrow(m) && !MineAllTogether(m, root, node, rank, extensions, n)))
		DescendAll(m, root, node, rank, extensions, n);
	while (m->nitems > nitems)
		ProbablePop(m);
}

static void
MineNode(ProbableMiner *m, const Root *root, const ProbableNode *node, const Extension *itemset,
		 uint32_t rank, const Extension *rest, uint32_t nrest)
{
	Extension  *extensions = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) nrest + 1));

	memcpy(extensions, rest, sizeof(Extension) * nrest);
	if (m->spec->kind != FIM_ALL)
		MineClosures(m, root, node, itemset, rank, extensions, nrest);
	else
	{
		EmitItemset(m, node, itemset);
		if (!MayGrow(m) || nrest == 0 || !MayReach(m, nrest))
			return;
		DescendAll(m, root, node, rank, extensions, SelectExtensions(m, node, extensions, nrest));
	}
}

/* Write the required items alone, for closed and maximal ones with the items that are certain in all rows. */
static void
MineRequired(ProbableMiner *m, Root *root)
{
	uint32_t	first_perfect = root->ranking.n - root->perfect;
	uint32_t	nitems = m->nitems;
	const Extension *itemset = &root->required;

	if (m->spec->kind == FIM_MAXIMAL && first_perfect > 0)
		return;
	if (m->spec->kind != FIM_ALL && root->perfect > 0)
	{
		/* with these items the probabilities are those of the required items, which may be none */
		itemset = &root->singles[first_perfect];
		for (uint32_t i = first_perfect; i < root->ranking.n; i++)
			ProbablePush(m, root->singles[i].item);
	}
	else if (!root->selected)
		return;
	EmitItemset(m, &root->node, itemset);
	while (m->nitems > nitems)
		ProbablePop(m);
}

static void
MineClass(ProbableMiner *m, const Root *root, uint32_t rank)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	const Extension *single = &root->singles[rank];
	Extension  *extensions = NULL;
	ProbableView view;
	ProbableNode node;
	uint32_t	n = 0;
	bool		grows;

	if (m->spec->kind != FIM_ALL && rank >= root->ranking.n - root->perfect)
		return;
	if (!MayGrow(m) || !MayReach(m, root->ranking.n - rank))
		return;
	ProbablePush(m, single->item);
	grows = m->spec->kind != FIM_ALL || MayGrow(m);
	if (grows || NeedsNode(m, single))
		n = BeginClass(m, root, rank, grows, &view, &node, &extensions);
	if (n == 0 && !NeedsNode(m, single))
		EmitItemset(m, NULL, single);
	else
		MineNode(m, root, &node, single, rank, extensions, n);
	ProbablePop(m);
	ArenaRelease(&m->arena, mark);
}

/*
 * Unit 0 is the required items alone, unit u the class of rank u - 1.  Every worker judges the
 * items, and unit 0's shows that in the figures.
 */
void
MineByBounds(ProbableMiner *m)
{
	FimProbableSummary *figures = m->summary;
	FimProbableSummary of_root = {.values = 0};
	Root		root;
	uint64_t	unit;

	m->summary = &of_root;
	MakeRoot(m, &root);
	m->summary = figures;
	while (FimTakeUnit(m->shared, m->sink, &unit))
	{
		if (unit == 0)
		{
			FimProbableSummaryAdd(figures, &of_root);
			if (m->spec->nany == 0 && ProbableHasClass(m, m->data->nitems))
				MineRequired(m, &root);
		}
		else if (unit <= root.classes && ProbableHasClass(m, root.singles[unit - 1].item))
			MineClass(m, &root, unit - 1);
		FimUnitDone(m->shared);
		ProbablePoll(m);
	}
}
