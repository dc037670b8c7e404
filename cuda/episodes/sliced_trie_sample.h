/*-------------------------------------------------------------------------
 *
 * sliced_trie_sample.h
 *	  How much of the lists of a trie would find no room in shared memory, from a sample of slices.
 *
 * The plan has room for lists as long as the supports in the stream.  That is a good estimate for
 * neurons that fire now and then.  Where many events of one type come before many of another, few
 * occurrences do not overlap, but each event ends one, and lists are much longer than supports.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SLICED_TRIE_SAMPLE_H
#define FIM_SLICED_TRIE_SAMPLE_H

#include "episodes/moments.h"
#include "episodes/sliced_trie_plan.h"

/*
 * Finds the lists of a few slices of the stream, none of whose events is moved.  *words is set to how many
 * words the lists take, and *spilled to how many of these would be in the spill.  The plan has its steps with
 * their gaps, its words, and its spill_words.
 */
extern cudaError_t SampleSlices(EpisodesJob *job, const MomentPlan *moments, const TriePlan *plan, uint64_t *words,
								uint64_t *spilled);

#endif							/* FIM_SLICED_TRIE_SAMPLE_H */
