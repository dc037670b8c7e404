/*-------------------------------------------------------------------------
 *
 * matcher.c
 *	  Which rules apply to a transaction, and the best of them for each consequent.
 *
 * The antecedents are a tree: each begins at the root with its rarest item and goes on to more frequent
 * ones, so few branches are entered for a transaction.  Nodes lie in preorder, and each says where
 * its subtree ends.  To find all antecedents that a transaction holds is then a walk from left to
 * right that leaves out the subtrees of items that the transaction lacks.
 *
 *-------------------------------------------------------------------------
 */
#include "rules.h"

#include <string.h>

#define NONE	UINT32_MAX

/* Rules handled between two polls. */
#define POLL_RULES	65536

typedef struct Node
{
	uint32_t	item;
	uint32_t	end;			/* behind the subtree */
} Node;

struct FimMatcher
{
	FimMatchRules of;
	uint32_t	nnodes;
	Node	   *node;			/* [nnodes] */
	uint32_t   *rules_at;		/* [nnodes + 1] where each node's rules begin; those before are of no node */
	uint32_t   *rule;			/* [nrules] */
	uint32_t   *root;			/* [nitems] the node of an item without items before it, or NONE */

	/* scratch */
	uint32_t   *sorted;			/* [nrules] by their antecedents */
	uint32_t   *other;			/* [nrules] while these are being sorted */
	uint32_t   *length_at;		/* [longest antecedent + 2] where rules with so many items begin */
	uint32_t   *item_at;		/* [nitems + 1] where rules with an item go */
	uint8_t    *useful;			/* [nrules] */
	uint32_t   *path;			/* [longest antecedent] */
	uint8_t    *held;			/* [nitems] does the transaction hold it?  0 between two calls */
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
	size_t		nodes = rules->nentries;
	size_t		nrules = rules->nrules;

	(void) Give(memory, &used, sizeof(FimMatcher));
	m->node = Give(memory, &used, sizeof(Node) * nodes);
	m->rules_at = Give(memory, &used, sizeof(uint32_t) * (nodes + 1));
	m->rule = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->root = Give(memory, &used, sizeof(uint32_t) * rules->nitems);
	m->sorted = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->other = Give(memory, &used, sizeof(uint32_t) * nrules);
	m->length_at = Give(memory, &used, sizeof(uint32_t) * ((size_t) rules->longest + 2));
	m->item_at = Give(memory, &used, sizeof(uint32_t) * ((size_t) rules->nitems + 1));
	m->useful = Give(memory, &used, nrules);
	m->path = Give(memory, &used, sizeof(uint32_t) * ((size_t) rules->longest + 1));
	m->held = Give(memory, &used, rules->nitems);
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

/*
 * Add the nodes of an antecedent that the one before it has not.  "depth" of its items are on the path, and "nrules"
 * rules are in the tree.
 */
static void
AddNodes(FimMatcher *m, const FimMatchRule *rule, uint32_t depth, uint32_t nrules)
{
	const uint32_t *items = m->of.items + rule->antecedent;

	for (uint32_t i = depth; i < rule->nantecedent; i++)
	{
		uint32_t	node = m->nnodes++;

		if (i == 0)
			m->root[items[0]] = node;
		m->path[i] = node;
		m->node[node].item = items[i];
		/* nodes that only lead to others have no rules */
		m->rules_at[node] = nrules;
	}
}

/* Make the tree of the useful rules.  Returns false if the host says stop. */
static bool
MakeTree(FimMatcher *m, FimHost *host)
{
	uint32_t	depth = 0;		/* of the path */
	uint32_t	n = 0;			/* rules in the tree */

	memset(m->root, 0xff, sizeof(uint32_t) * m->of.nitems);
	m->nnodes = 0;
	for (uint32_t i = 0; i < m->of.nrules; i++)
	{
		const FimMatchRule *rule = &m->of.rules[m->sorted[i]];
		const uint32_t *items = m->of.items + rule->antecedent;
		uint32_t	common = 0;

		if (i % POLL_RULES == 0 && host->poll(host))
			return false;
		if (!m->useful[m->sorted[i]])
			continue;
		while (common < depth && common < rule->nantecedent && m->node[m->path[common]].item == items[common])
			common++;
		while (depth > common)
			m->node[m->path[--depth]].end = m->nnodes;
		AddNodes(m, rule, common, n);
		depth = rule->nantecedent;
		m->rule[n++] = m->sorted[i];
	}
	while (depth > 0)
		m->node[m->path[--depth]].end = m->nnodes;
	m->rules_at[m->nnodes] = n;
	return true;
}

/* Take the rules of a range for the best of their consequents. */
static inline void
TakeRules(FimMatcher *m, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++)
	{
		uint32_t	rule = m->rule[i];
		uint32_t	consequent = m->of.rules[rule].consequent;

		if (m->best[consequent] == NONE)
			m->met[m->nmet++] = consequent;
		if (rule < m->best[consequent])
			m->best[consequent] = rule;
	}
}

/* Find the best rules that apply to a transaction, whose items are marked as held until ForgetItems(). */
static void
FindBest(FimMatcher *m, const uint32_t *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		m->held[items[i]] = 1;
	m->nmet = 0;
	TakeRules(m, 0, m->rules_at[0]);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = m->root[items[i]];
		uint32_t	end;

		if (at == NONE)
			continue;
		for (end = m->node[at].end; at < end;)
		{
			if (!m->held[m->node[at].item])
			{
				at = m->node[at].end;
				continue;
			}
			TakeRules(m, m->rules_at[at], m->rules_at[at + 1]);
			at++;
		}
	}
}

static void
ForgetItems(FimMatcher *m, const uint32_t *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		m->held[items[i]] = 0;
}

/*
 * A rule is of no use if a better one of the same consequent has a part of its antecedent: that one applies whenever
 * the rule does.  Find out which rules are of use.  Returns false if the host says stop.
 */
static bool
FindUseful(FimMatcher *m, FimHost *host)
{
	for (uint32_t r = 0; r < m->of.nrules; r++)
	{
		const FimMatchRule *rule = &m->of.rules[r];
		const uint32_t *items = m->of.items + rule->antecedent;

		if (host->poll(host))
			return false;
		FindBest(m, items, rule->nantecedent);
		ForgetItems(m, items, rule->nantecedent);
		m->useful[r] = m->best[rule->consequent] == r;
		for (uint32_t i = 0; i < m->nmet; i++)
			m->best[m->met[i]] = NONE;
	}
	return true;
}

FimMatcher *
FimMatcherMake(void *memory, const FimMatchRules *rules, FimHost *host)
{
	FimMatcher *m = memory;

	memset(m, 0, sizeof(FimMatcher));
	(void) Layout(rules, m, memory);
	m->of = *rules;
	memset(m->held, 0, rules->nitems);
	memset(m->best, 0xff, sizeof(uint32_t) * rules->nconsequents);
	memset(m->useful, 1, rules->nrules);
	return SortRules(m, host) && MakeTree(m, host) && FindUseful(m, host) && MakeTree(m, host) ? m : NULL;
}

/* Does the transaction whose items are marked hold all items of a consequent? */
static bool
HoldsConsequent(const FimMatcher *m, uint32_t consequent)
{
	for (uint64_t i = m->of.consequent_at[consequent]; i < m->of.consequent_at[consequent + 1]; i++)
		if (!m->held[m->of.consequent_items[i]])
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
	ForgetItems(m, items, n);
	return nfound;
}
