/*-------------------------------------------------------------------------
 *
 * sections.h
 *	  Streams that devices have no room for at once: section by section.
 *
 * Occurrences lie within a partition.  So the support of an episode is the sum of its
 * supports in sections of whole partitions, and each of these can be counted as if it
 * were a stream of its own.  A stream for which there is room has one section.
 *
 * A section that begins within a partition has events of the one before it, too: those
 * from which on an occurrence may begin that ends after them, the halo.  Occurrences are
 * taken greedily by their ends, so all that counting has to know of the sections before is
 * the end of the last one taken.  What ends in the halo begins before that.
 *
 * Included by search.h and by the headers of the strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SECTIONS_H
#define FIM_GPU_SECTIONS_H

#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What a strategy takes of a device beside the stream, at the least, if no type has more events than that. */
typedef uint64_t (*CountingMemory) (const EpisodesJob *job, uint32_t most_events);

typedef struct CutSection
{
	Section		section;
	uint32_t	halo;			/* so many of its events are in the section before it, too */
	uint32_t   *start;			/* as in EpisodesJob */
	uint32_t	most_events;
} CutSection;

typedef struct Sections
{
	StreamForm	form;
	CountingMemory counting;
	uint64_t	room;			/* memory of a device for a section and for counting in it */
	uint32_t	most_events;	/* of a type in all of the stream */
	uint32_t	length;			/* halos are long enough for episodes of so many events */
	bool		halos;			/* a section has one */
	CutSection *cut;			/* [n] */
	uint64_t	cut_room;
	uint32_t	n;
	uint32_t	at;				/* the one on the devices; n if none is */
	EventStream stream;			/* its events */
} Sections;

/* The memory of a device that a job takes with one section, and with as many as make sense. */
extern uint64_t MemoryOfOne(const EpisodesJob *job, StreamForm form, CountingMemory counting);
extern uint64_t MemoryOfMany(const EpisodesJob *job, StreamForm form, CountingMemory counting);

/* Makes as few sections as the team's devices have room for, and puts the first one there. */
extern cudaError_t SectionsOpen(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections);

/* Makes halos long enough for episodes of so many events, which changes sections if these have halos. */
extern cudaError_t SectionsLengthen(EpisodesJob *job, Sections *sections, uint32_t length);

/* Puts a section on the devices, in the place of the one that is there. */
extern cudaError_t SectionsTurnTo(EpisodesJob *job, Sections *sections, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SECTIONS_H */
