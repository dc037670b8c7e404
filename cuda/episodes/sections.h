/*-------------------------------------------------------------------------
 *
 * sections.h
 *	  Streams that devices have no room for at once: section by section.
 *
 * Occurrences lie within a partition.  So the support of an episode is the sum of its
 * supports in sections of whole partitions, and each section can be counted as if it
 * were a stream of its own.  A stream for which there is room has one section.
 *
 * A section that begins within a partition also has the last events of the section before it, the
 * halo: those with which an occurrence may begin that ends behind them.  Occurrences are taken
 * greedily by their ends, so all that counting has to know of the sections before is the end of the
 * last occurrence taken.  Occurrences that end in the halo begin before that moment, and so are not
 * counted twice.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SECTIONS_H
#define FIM_GPU_SECTIONS_H

#include "episodes/episodes_job.h"
#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * The least bytes of a device that a strategy takes beside the stream, if no type has more than most_events
 * events.
 */
typedef uint64_t (*CountingMemory) (const EpisodesJob *job, uint32_t most_events);

typedef struct CutSection
{
	Section		section;
	uint32_t	halo;			/* how many of its events are in the section before it, too */
	uint32_t   *start;			/* as in EpisodesJob */
	uint32_t	most_events;	/* of a type */
} CutSection;

typedef struct Sections
{
	StreamForm	form;
	CountingMemory counting;
	uint64_t	room;			/* bytes of a device for a section and for counting in it */
	uint32_t	most_events;	/* of a type in all of the stream */
	uint32_t	length;			/* halos are long enough for episodes of so many events */
	bool		halos;			/* some section has a halo */
	CutSection *cut;			/* [n] */
	uint64_t	cut_room;
	uint32_t	n;
	uint32_t	at;				/* the section that is on the devices; n if none is */
	EventStream stream;			/* its events */
} Sections;

/*
 * The bytes of a device that a job takes with one section, and the least bytes, with as many sections as make
 * sense.
 */
extern uint64_t MemoryOfOne(const EpisodesJob *job, StreamForm form, CountingMemory counting);
extern uint64_t MemoryOfMany(const EpisodesJob *job, StreamForm form, CountingMemory counting);

/* Makes as few sections as the team's devices have room for, and puts the first one there. */
extern cudaError_t SectionsOpen(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections);

/*
 * Makes halos long enough for episodes of so many events.  If there are halos and they are too short, all
 * sections are cut anew, and the first one is put on the devices.
 */
extern cudaError_t SectionsLengthen(EpisodesJob *job, Sections *sections, uint32_t length);

/* Puts a section on the devices, in the place of the one that is there, unless it is there already. */
extern cudaError_t SectionsTurnTo(EpisodesJob *job, Sections *sections, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SECTIONS_H */
