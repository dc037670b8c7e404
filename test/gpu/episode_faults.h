/*-------------------------------------------------------------------------
 *
 * episode_faults.h
 *	  Faults that are injected while a GPU mines serial episodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EPISODE_FAULTS_H
#define EPISODE_FAULTS_H

/* Tries them with every strategy.  Returns 0, or 1 if something went wrong, which is printed. */
extern int	CheckEpisodeFaults(void);

#endif							/* EPISODE_FAULTS_H */
