/*-------------------------------------------------------------------------
 *
 * check_matcher.c
 *	  Applying rules to transactions: random rules and transactions against a look at every rule.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/rules/rules.h"

#define CASES			4000
#define MOST_ITEMS		30
#define MOST_RULES		60
#define MOST_CONSEQUENTS	20
#define TRANSACTIONS	20

/* Random rules, whose memory is exact in size. */
typedef struct Case
{
	FimMatchRules rules;
	FimMatchRule *rule;
	uint32_t   *items;
	uint64_t   *consequent_at;
	uint32_t   *consequent_items;
	uint32_t	antecedent[MOST_RULES]; /* as bits */
	uint32_t	consequent[MOST_CONSEQUENTS];
} Case;

static uint32_t
RandomSet(Rng *rng, uint32_t nitems, double density)
{
	uint32_t	set = 0;

	for (uint32_t i = 0; i < nitems; i++)
		set |= (uint32_t) RngChance(rng, density) << i;
	return set;
}

/* Write the items of a set, and return how many there are. */
static uint32_t
WriteSet(uint32_t set, uint32_t *to)
{
	uint32_t	n = 0;

	for (; set != 0; set &= set - 1)
		to[n++] = (uint32_t) __builtin_ctz(set);
	return n;
}

static void
MakeCase(Rng *rng, Case *c)
{
	uint32_t	items[MOST_RULES * MOST_ITEMS];
	uint32_t	consequents[MOST_CONSEQUENTS * MOST_ITEMS];
	double		density = RngUnit(rng) / (1 + RngBelow(rng, 6));
	bool		pairs = RngBelow(rng, 4) == 0;	/* with item 0, so that its node has many children */
	FimMatchRules *rules = &c->rules;
	uint64_t	used = 0;

	memset(c, 0, sizeof(Case));
	rules->nitems = 1 + RngBelow(rng, MOST_ITEMS);
	rules->nrules = RngBelow(rng, MOST_RULES + 1);
	rules->nconsequents = 1 + RngBelow(rng, MOST_CONSEQUENTS);
	rules->rules = c->rule = OddAlloc(sizeof(FimMatchRule) * rules->nrules);
	for (uint32_t r = 0; r < rules->nrules; r++)
	{
		uint32_t	n;

		c->antecedent[r] = pairs ? 1u | 1u << RngBelow(rng, rules->nitems) : RandomSet(rng, rules->nitems, density);
		n = WriteSet(c->antecedent[r], items + rules->nentries);
		c->rule[r] = (FimMatchRule) {rules->nentries, n, RngBelow(rng, rules->nconsequents)};
		rules->nentries += n;
		if (n > rules->longest)
			rules->longest = n;
	}
	rules->items = c->items = OddAlloc(sizeof(uint32_t) * rules->nentries);
	memcpy(c->items, items, sizeof(uint32_t) * rules->nentries);
	rules->consequent_at = c->consequent_at = OddAlloc(sizeof(uint64_t) * (rules->nconsequents + 1));
	for (uint32_t i = 0; i < rules->nconsequents; i++)
	{
		c->consequent_at[i] = used;
		used += WriteSet(c->consequent[i] = RandomSet(rng, rules->nitems, density), consequents + used);
	}
	c->consequent_at[rules->nconsequents] = used;
	rules->consequent_items = c->consequent_items = OddAlloc(sizeof(uint32_t) * used);
	memcpy(c->consequent_items, consequents, sizeof(uint32_t) * used);
}

static void
FreeCase(Case *c)
{
	OddFree(c->rule);
	OddFree(c->items);
	OddFree(c->consequent_at);
	OddFree(c->consequent_items);
}

/* Does the matcher find what applies to a transaction?  Adds to *nfound. */
static bool
IsRight(const Case *c, FimMatcher *m, uint32_t transaction, uint64_t *nfound)
{
	uint32_t	items[2 * MOST_ITEMS];
	uint32_t	found[MOST_CONSEQUENTS];
	uint32_t	n = WriteSet(transaction, items);
	uint32_t	expected = 0;

	/* an item may be repeated */
	n += WriteSet(transaction & 5, items + n);
	n = FimMatch(m, items, n, found);
	*nfound += n;
	for (uint32_t k = 0; k < c->rules.nconsequents; k++)
	{
		uint32_t	best = UINT32_MAX;
		uint32_t	times = 0;

		for (uint32_t r = c->rules.nrules; r-- > 0;)
			if (c->rule[r].consequent == k && (c->antecedent[r] & ~transaction) == 0)
				best = r;
		if (best == UINT32_MAX || (c->consequent[k] & ~transaction) == 0)
			continue;
		expected++;
		for (uint32_t i = 0; i < n; i++)
			times += found[i] == best;
		if (times != 1)
			return false;
	}
	return n == expected;
}

int
main(int argc, char **argv)
{
	Rng			rng = {7};
	uint64_t	nfound = 0;

	for (uint32_t i = 0; i < CASES; i++)
	{
		Case		c;
		void	   *memory;
		FimMatcher *m;
		TestHost	host;
		uint64_t	polls;

		MakeCase(&rng, &c);
		memory = OddAlloc(FimMatcherSize(&c.rules));
		HostInit(&host);
		m = FimMatcherMake(memory, &c.rules, &host.base);
		polls = host.polls;
		if (m == NULL || polls < c.rules.nrules)
		{
			printf("case %u: stopped, or not asked for each rule\n", i);
			return 1;
		}
		/* wherever the host says stop, nothing more happens */
		HostInit(&host);
		host.stop_at = 1 + RngBelow(&rng, (uint32_t) polls + 1);
		m = FimMatcherMake(memory, &c.rules, &host.base);
		if ((m == NULL) != (host.stop_at <= polls) || (m == NULL && host.polls != host.stop_at))
		{
			printf("case %u: went on after poll %lu\n", i, (unsigned long) host.stop_at);
			return 1;
		}
		HostInit(&host);
		m = FimMatcherMake(memory, &c.rules, &host.base);
		for (uint32_t t = 0; t < TRANSACTIONS; t++)
		{
			uint32_t	transaction = RandomSet(&rng, c.rules.nitems, RngUnit(&rng));

			if (!IsRight(&c, m, transaction, &nfound))
			{
				printf("case %u, transaction %u (%x): wrong\n", i, t, transaction);
				return 1;
			}
		}
		OddFree(memory);
		FreeCase(&c);
	}
	printf("matcher: %d cases, %llu rules found\n", CASES, (unsigned long long) nfound);
	return nfound > CASES ? 0 : 1;
}
