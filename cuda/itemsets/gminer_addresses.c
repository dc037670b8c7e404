/*-------------------------------------------------------------------------
 *
 * gminer_addresses.c
 *	  The addresses of GMiner's candidates, see gminer_addresses.h.
 *
 *-------------------------------------------------------------------------
 */
#include "host_threads.h"
#include "itemsets/gminer_addresses.h"

#include <string.h>

/* How many candidates a thread encodes at a time. */
#define ENCODED_AT_ONCE	2048

static bool
SameFragment(const Gminer *gminer, uint32_t row, uint32_t other)
{
	return gminer->fragment > 1 && row / gminer->fragment_rows == other / gminer->fragment_rows;
}

/*
 * Add an item to a candidate that has n addresses so far.  Items must be added in ascending
 * order.  Returns how many addresses the candidate has then.
 */
static inline uint32_t
AddAddress(const Gminer *gminer, uint32_t *addresses, uint32_t n, uint32_t item)
{
	uint32_t	row = gminer->map[item];

	if (n == 0 || !SameFragment(gminer, addresses[n - 1], row))
	{
		addresses[n] = row;
		return n + 1;
	}
	/* within a fragment, the number of a row is the set of its items, as bits, minus one */
	addresses[n - 1] += row % gminer->fragment_rows + 1;
	return n;
}

/* Write the addresses of the items with which a group's candidates begin.  Returns their number. */
static uint32_t
AddressPrefix(const Gminer *gminer, const ItemsetLevel *level, const ItemsetGroup *group, uint32_t *to)
{
	const uint32_t *prefix = ClassPrefix(level, group->class_of);
	uint32_t	n = 0;

	for (uint32_t i = 0; i + 1 < level->k; i++)
		n = AddAddress(gminer, to, n, prefix[i]);
	return AddAddress(gminer, to, n, level->last[group->member]);
}

/* Write the addresses of candidates first .. end - 1, which must be candidates of the group. */
static void
EncodeGroup(const GminerEncoding *encoding, const ItemsetGroup *group, uint32_t first, uint32_t end)
{
	const Gminer *gminer = encoding->gminer;
	uint32_t	length = gminer->length;
	uint32_t   *to = encoding->to + (size_t) (first - encoding->first) * length;
	uint32_t	n = AddressPrefix(gminer, encoding->level, group, to);
	uint32_t	last = to[n - 1];

	for (uint32_t c = first; c < end; c++)
	{
		uint32_t	used;

		/* the first k items are the same as in the candidate before */
		if (c > first)
			memcpy(to, to - length, sizeof(uint32_t) * (n - 1));
		to[n - 1] = last;
		used = AddAddress(gminer, to, n, CandidateItem(encoding->level, encoding->batch, c));
		while (used < length)
			to[used++] = GPU_NONE;
		to += length;
	}
}

/* The group of a candidate, by its number in the batch. */
static const ItemsetGroup *
FindGroup(const ItemsetBatch *batch, uint32_t candidate)
{
	uint32_t	low = 0;
	uint32_t	high = batch->ngroups;

	while (low + 1 < high)
	{
		uint32_t	middle = (low + high) / 2;

		if (batch->groups[middle].first <= candidate)
			low = middle;
		else
			high = middle;
	}
	return &batch->groups[low];
}

static void
EncodeSome(void *of, uint32_t part, uint32_t thread)
{
	const GminerEncoding *encoding = (const GminerEncoding *) of;
	uint32_t	first = encoding->first + part * ENCODED_AT_ONCE;
	uint32_t	end = (uint32_t) GpuLesser((uint64_t) first + ENCODED_AT_ONCE, encoding->end);
	const ItemsetGroup *group = FindGroup(encoding->batch, first);

	for (; first < end; group++)
	{
		uint32_t	group_end = (uint32_t) GpuLesser(group->first + group->n, end);

		EncodeGroup(encoding, group, first, group_end);
		first = group_end;
	}
}

void
GminerEncode(const GminerEncoding *encoding)
{
	uint32_t	n = encoding->end - encoding->first;

	OrLeave(HostRun(&encoding->gminer->job->team, GpuBlocks(n, ENCODED_AT_ONCE), EncodeSome, (void *) encoding));
}
