/*-------------------------------------------------------------------------
 *
 * matcher.c
 *	  Which rules apply to a transaction, and the best of them for each consequent.
 *
 * The antecedents are a tree: each begins at the root with its rarest item and goes on to more frequent
 * ones, so few branches are entered for a transaction.  Nodes lie level by level, each level in the order of the
 * antecedents, so that the children of a node lie side by side in the order of their items.  Where these are many,
 * the items of a transaction are looked for among them.
 *
 *-------------------------------------------------------------------------
 */
#include "rules.h"

#include <string.h>

#define NONE	UINT32_MAX

/* Rules handled between two polls. */
#define POLL_RULES	65536

/* Where a node has more children than this for each item of a transaction, the items are looked for. */
#define SCANNED_CHILDREN	8

typedef struct Node
{
	uint32_t	item;
	uint32_t	children;		/* where they begin; they end where those of the next node begin */
} Node;

struct FimMatcher
{
	FimMatchRules of;
	uint32_t	nnodes;
	Node	   *node;			/* [nnodes + 1] the root first, whose item is NONE, and one behind the last */
	uint32_t   *first;			/* [nitems] the child of the root with an item, or NONE */
	uint32_t   *rules_at;		/* [nnodes + 1] where each node's rules begin */
	uint32_t   *rule;			/* [nrules] */
	uint32_t	nsorted;
	uint32_t   *sorted;			/* [nsorted] rules by their antecedents; in the end, those that are of use */

	/* scratch */
	uint32_t   *other;			/* [nrules] while rules are being sorted; then what each has in common with the one before */
	uint32_t   *length_at;		/* [longest antecedent + 2] where rules with so many items begin */
	uint32_t   *level_at;		/* [longest antecedent + 2] where nodes with so many items begin */
	uint32_t   *item_at;		/* [nitems + 1] where rules with an item go */
	uint32_t	npending;
	uint32_t   *pending;		/* [nnodes] those that the transaction holds and whose children are still to be looked at */
	uint8_t    *is_held;		/* [nitems] does the transaction hold it?  0 between two calls */
	uint32_t	nheld;
	uint32_t   *held;			/* [nheld] items of the transaction */
	uint32_t   *best;			/* [nconsequents] the best rule so far; NONE between two calls */
	uint32_t   *met;			/* [nconsequents] those with a best rule */
	uint32_t	nmet;
};

/* Give a part of the memory to an array; "used" is what has been given.  Without memory, only count. */
static void *
Give(char *memory, size_t *used, size_t size)
{
	size_t		at = *used;

	*used += (size + 7) / 8 * 8;
	return memory != NULL ? memory + at : NULL;
}

static size_t
Layout(const FimMatchRules *rules, FimMatcher *m, char *memory)
{
	size_t		used = 0;
	size_t		nodes = rules->nentries + 1;
	size_t		nrules = rules->nrules;
	size_t		lengths = (size_t) rules->longest + 2;

	(void) Give(memory, &used, sizeof(FimMatcher));
	m->node = Give(memory, &used, sizeof(Node) * (nodes + 1));
	m->first = Give(memory, &used, sizeof(uint32_t) * rules->nitems);
	m->rules_at = Give(memory, &used, sizeof(uint32_t) * (nodes + 1));
	m->rule = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->sorted = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->other = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->length_at = Give(memory, &used, sizeof(uint32_t) * lengths);
	m->level_at = Give(memory, &used, sizeof(uint32_t) * lengths);
	m->item_at = Give(memory, &used, sizeof(uint32_t) * ((size_t) rules->nitems + 1));
	m->pending = Give(memory, &used, sizeof(uint32_t) * nodes);
	m->is_held = Give(memory, &used, rules->nitems);
	m->held = Give(memory, &used, sizeof(uint32_t) * rules->nitems);
	m->best = Give(memory, &used, sizeof(uint32_t) * rules->nconsequents);
	m->met = Give(memory, &used, sizeof(uint32_t) * rules->nconsequents);
	return used;
}

size_t
FimMatcherSize(const FimMatchRules *rules)
{
	FimMatcher	unused;

	return Layout(rules, &unused, NULL);
}

/* Turn the numbers of things, each in the place behind its own, into where they begin. */
static void
AddUp(uint32_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		at[i] += at[i - 1];
}

/* The item of a rule's antecedent that has this many before it. */
static inline uint32_t
ItemAt(const FimMatcher *m, uint32_t rule, uint32_t depth)
{
	return m->of.items[m->of.rules[rule].antecedent + depth];
}

/* Sort n rules, all of them longer than "depth", by their items there, and leave others in their order. */
static bool
SortByItem(FimMatcher *m, uint32_t *rules, uint32_t n, uint32_t depth, FimHost *host)
{
	memset(m->item_at, 0, sizeof(uint32_t) * ((size_t) m->of.nitems + 1));
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % POLL_RULES == 0 && host->poll(host))
			return false;
		m->item_at[ItemAt(m, rules[i], depth) + 1]++;
	}
	AddUp(m->item_at, (size_t) m->of.nitems + 1);
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % POLL_RULES == 0 && host->poll(host))
			return false;
		m->other[m->item_at[ItemAt(m, rules[i], depth)]++] = rules[i];
	}
	memcpy(rules, m->other, sizeof(uint32_t) * n);
	return true;
}

/*
 * Sort the rules by their antecedents, each behind those that it begins with: from the last item to the first, like
 * words of different lengths.  Returns false if the host says stop.
 */
static bool
SortRules(FimMatcher *m, FimHost *host)
{
	uint32_t	nrules = m->of.nrules;
	uint32_t   *at = m->length_at;

	memset(at, 0, sizeof(uint32_t) * ((size_t) m->of.longest + 2));
	for (uint32_t r = 0; r < nrules; r++)
		at[m->of.rules[r].nantecedent + 1]++;
	AddUp(at, (size_t) m->of.longest + 2);
	for (uint32_t r = 0; r < nrules; r++)
		m->sorted[at[m->of.rules[r].nantecedent]++] = r;
	/* where those of each length begin has moved to where they end */
	for (uint32_t depth = m->of.longest; depth-- > 0;)
		if (!SortByItem(m, m->sorted + at[depth], nrules - at[depth], depth, host))
			return false;
	return true;
}

/* How many items do the antecedents of two rules begin with alike? */
static uint32_t
CommonItems(const FimMatcher *m, uint32_t a, uint32_t b)
{
	const FimMatchRule *rules = m->of.rules;
	uint32_t	most = rules[a].nantecedent < rules[b].nantecedent ? rules[a].nantecedent : rules[b].nantecedent;
	uint32_t	n = 0;

	while (n < most && ItemAt(m, a, n) == ItemAt(m, b, n))
		n++;
	return n;
}

/* Add a node behind those of its level.  Its children and rules come behind those of the ones before it. */
static void
AddNode(FimMatcher *m, uint32_t level, uint32_t item)
{
	uint32_t	node = m->level_at[level]++;

	m->node[node] = (Node) {item, m->level_at[level + 1]};
	m->rules_at[node] = m->length_at[level];
}

/* Make the tree of the sorted rules.  Returns false if the host says stop. */
static bool
MakeTree(FimMatcher *m, FimHost *host)
{
	size_t		lengths = (size_t) m->of.longest + 2;

	/* each rule adds the nodes of those items that it does not have in common with the one before */
	memset(m->level_at, 0, sizeof(uint32_t) * lengths);
	memset(m->length_at, 0, sizeof(uint32_t) * lengths);
	m->level_at[1] = 1;
	for (uint32_t i = 0; i < m->nsorted; i++)
	{
		uint32_t	length = m->of.rules[m->sorted[i]].nantecedent;

		if (i % POLL_RULES == 0 && host->poll(host))
			return false;
		m->other[i] = i == 0 ? 0 : CommonItems(m, m->sorted[i - 1], m->sorted[i]);
		for (uint32_t level = m->other[i] + 1; level <= length; level++)
			m->level_at[level + 1]++;
		m->length_at[length + 1]++;
	}
	AddUp(m->level_at, lengths);
	AddUp(m->length_at, lengths);
	m->nnodes = m->level_at[m->of.longest + 1];

	AddNode(m, 0, NONE);
	for (uint32_t i = 0; i < m->nsorted; i++)
	{
		uint32_t	rule = m->sorted[i];
		uint32_t	length = m->of.rules[rule].nantecedent;

		if (i % POLL_RULES == 0 && host->poll(host))
			return false;
		for (uint32_t level = m->other[i] + 1; level <= length; level++)
			AddNode(m, level, ItemAt(m, rule, level - 1));
		m->rule[m->length_at[length]++] = rule;
	}
	m->node[m->nnodes] = (Node) {NONE, m->nnodes};
	m->rules_at[m->nnodes] = m->nsorted;
	memset(m->first, 0xff, sizeof(uint32_t) * m->of.nitems);
	for (uint32_t node = m->node[0].children; node < m->node[1].children; node++)
		m->first[m->node[node].item] = node;
	return true;
}

/* Take the rules of a node for the best of their consequents. */
static inline void
TakeRules(FimMatcher *m, uint32_t node)
{
	for (uint32_t i = m->rules_at[node]; i < m->rules_at[node + 1]; i++)
	{
		uint32_t	rule = m->rule[i];
		uint32_t	consequent = m->of.rules[rule].consequent;

		if (m->best[consequent] == NONE)
			m->met[m->nmet++] = consequent;
		if (rule < m->best[consequent])
			m->best[consequent] = rule;
	}
}

/* Take the rules of a node, and leave its children for later. */
static inline void
Enter(FimMatcher *m, uint32_t node)
{
	TakeRules(m, node);
	if (m->node[node].children < m->node[node + 1].children)
		m->pending[m->npending++] = node;
}

/* Find the first of the nodes from..end - 1 whose item is not less than this one; "end" if there is none. */
static inline uint32_t
FindItem(const FimMatcher *m, uint32_t from, uint32_t end, uint32_t item)
{
	while (from < end)
	{
		uint32_t	middle = from + (end - from) / 2;

		if (m->node[middle].item < item)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

/* Enter the children of a node whose items the transaction holds. */
static inline void
EnterChildren(FimMatcher *m, uint32_t node)
{
	uint32_t	from = m->node[node].children;
	uint32_t	end = m->node[node + 1].children;

	if ((end - from) / SCANNED_CHILDREN <= m->nheld)
	{
		for (uint32_t at = from; at < end; at++)
			if (m->is_held[m->node[at].item])
				Enter(m, at);
		return;
	}
	for (uint32_t i = 0; i < m->nheld; i++)
	{
		uint32_t	at = FindItem(m, from, end, m->held[i]);

		if (at < end && m->node[at].item == m->held[i])
			Enter(m, at);
	}
}

/* Find the best rules that apply to a transaction, whose items are marked as held until ForgetItems(). */
static void
FindBest(FimMatcher *m, const uint32_t *items, uint32_t n)
{
	m->nmet = m->npending = m->nheld = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!m->is_held[items[i]])
		{
			m->is_held[items[i]] = 1;
			m->held[m->nheld++] = items[i];
		}
	TakeRules(m, 0);
	for (uint32_t i = 0; i < m->nheld; i++)
		if (m->first[m->held[i]] != NONE)
			Enter(m, m->first[m->held[i]]);
	while (m->npending > 0)
		EnterChildren(m, m->pending[--m->npending]);
}

static void
ForgetItems(FimMatcher *m)
{
	for (uint32_t i = 0; i < m->nheld; i++)
		m->is_held[m->held[i]] = 0;
}

/*
 * A rule is of no use if a better one of the same consequent has a part of its antecedent: that one applies whenever
 * the rule does.  Leave the useful ones among the sorted rules.  Returns false if the host says stop.
 */
static bool
FindUseful(FimMatcher *m, FimHost *host)
{
	uint32_t	nuseful = 0;

	for (uint32_t i = 0; i < m->nsorted; i++)
	{
		uint32_t	r = m->sorted[i];
		const FimMatchRule *rule = &m->of.rules[r];

		if (host->poll(host))
			return false;
		FindBest(m, m->of.items + rule->antecedent, rule->nantecedent);
		ForgetItems(m);
		if (m->best[rule->consequent] == r)
			m->sorted[nuseful++] = r;
		for (uint32_t k = 0; k < m->nmet; k++)
			m->best[m->met[k]] = NONE;
	}
	m->nsorted = nuseful;
	return true;
}

FimMatcher *
FimMatcherMake(void *memory, const FimMatchRules *rules, FimHost *host)
{
	FimMatcher *m = memory;

	memset(m, 0, sizeof(FimMatcher));
	(void) Layout(rules, m, memory);
	m->of = *rules;
	memset(m->is_held, 0, rules->nitems);
	memset(m->best, 0xff, sizeof(uint32_t) * rules->nconsequents);
	m->nsorted = rules->nrules;
	return SortRules(m, host) && MakeTree(m, host) && FindUseful(m, host) && MakeTree(m, host) ? m : NULL;
}

/* Does the transaction whose items are marked hold all items of a consequent? */
static bool
HoldsConsequent(const FimMatcher *m, uint32_t consequent)
{
	for (uint64_t i = m->of.consequent_at[consequent]; i < m->of.consequent_at[consequent + 1]; i++)
		if (!m->is_held[m->of.consequent_items[i]])
			return false;
	return true;
}

uint32_t
FimMatch(FimMatcher *m, const uint32_t *items, uint32_t n, uint32_t *found)
{
	uint32_t	nfound = 0;

	FindBest(m, items, n);
	for (uint32_t i = 0; i < m->nmet; i++)
	{
		uint32_t	consequent = m->met[i];

		if (!HoldsConsequent(m, consequent))
			found[nfound++] = m->best[consequent];
		m->best[consequent] = NONE;
	}
	ForgetItems(m);
	return nfound;
}
