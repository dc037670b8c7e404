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

#include <stdlib.h>
#include <string.h>

#define NONE	UINT32_MAX

typedef struct Node
{
	uint32_t	item;
	uint32_t	end;			/* behind the subtree */
} Node;

/* A rule while the tree is being built. */
typedef struct SortedRule
{
	const uint32_t *items;
	uint32_t	nitems;
	uint32_t	rule;
} SortedRule;

struct FimMatcher
{
	FimMatchRules of;
	uint32_t	nnodes;
	Node	   *node;			/* [nnodes] */
	uint32_t   *rules_at;		/* [nnodes + 1] where each node's rules begin; those before are of no node */
	uint32_t   *rule;			/* [nrules] */
	uint32_t   *root;			/* [nitems] the node of an item without items before it, or NONE */

	/* scratch */
	SortedRule *sorted;			/* [nrules] */
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
	m->sorted = Give(memory, &used, sizeof(SortedRule) * nrules);
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

/* By their antecedents, each behind those that it begins with. */
static int
CompareAntecedents(const void *a, const void *b)
{
	const SortedRule *x = a;
	const SortedRule *y = b;

	for (uint32_t i = 0; i < x->nitems && i < y->nitems; i++)
		if (x->items[i] != y->items[i])
			return x->items[i] < y->items[i] ? -1 : 1;
	if (x->nitems != y->nitems)
		return x->nitems < y->nitems ? -1 : 1;
	return x->rule < y->rule ? -1 : 1;
}

/* Add the nodes of an antecedent that the one before it has not; "depth" of its items are on the path. */
static void
AddNodes(FimMatcher *m, const SortedRule *rule, uint32_t depth)
{
	for (uint32_t i = depth; i < rule->nitems; i++)
	{
		uint32_t	node = m->nnodes++;

		if (i == 0)
			m->root[rule->items[0]] = node;
		m->path[i] = node;
		m->node[node].item = rule->items[i];
		/* nodes that only lead to others have no rules */
		m->rules_at[node] = (uint32_t) (rule - m->sorted);
	}
}

/* Make the tree of the n first of the sorted rules, which are not sorted yet. */
static void
MakeTree(FimMatcher *m, uint32_t n)
{
	uint32_t	depth = 0;		/* of the path */

	qsort(m->sorted, n, sizeof(SortedRule), CompareAntecedents);
	memset(m->root, 0xff, sizeof(uint32_t) * m->of.nitems);
	m->nnodes = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		const SortedRule *rule = &m->sorted[i];
		uint32_t	common = 0;

		while (common < depth && common < rule->nitems && m->node[m->path[common]].item == rule->items[common])
			common++;
		while (depth > common)
			m->node[m->path[--depth]].end = m->nnodes;
		AddNodes(m, rule, common);
		depth = rule->nitems;
		m->rule[i] = rule->rule;
	}
	while (depth > 0)
		m->node[m->path[--depth]].end = m->nnodes;
	m->rules_at[m->nnodes] = n;
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
 * the rule does.  Sort out those that are, and return how many are left.
 */
static uint32_t
KeepUseful(FimMatcher *m)
{
	uint32_t	kept = 0;

	for (uint32_t r = 0; r < m->of.nrules; r++)
	{
		const FimMatchRule *rule = &m->of.rules[r];
		const uint32_t *items = m->of.items + rule->antecedent;

		FindBest(m, items, rule->nantecedent);
		ForgetItems(m, items, rule->nantecedent);
		if (m->best[rule->consequent] == r)
			m->sorted[kept++] = (SortedRule) {items, rule->nantecedent, r};
		for (uint32_t i = 0; i < m->nmet; i++)
			m->best[m->met[i]] = NONE;
	}
	return kept;
}

FimMatcher *
FimMatcherMake(void *memory, const FimMatchRules *rules)
{
	FimMatcher *m = memory;

	memset(m, 0, sizeof(FimMatcher));
	(void) Layout(rules, m, memory);
	m->of = *rules;
	memset(m->held, 0, rules->nitems);
	memset(m->best, 0xff, sizeof(uint32_t) * rules->nconsequents);
	for (uint32_t r = 0; r < rules->nrules; r++)
		m->sorted[r] = (SortedRule) {rules->items + rules->rules[r].antecedent, rules->rules[r].nantecedent, r};
	MakeTree(m, rules->nrules);
	MakeTree(m, KeepUseful(m));
	return m;
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
