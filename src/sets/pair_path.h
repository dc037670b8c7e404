/*-------------------------------------------------------------------------
 *
 * pair_path.h
 *	  Planning a scan of the pairs that a function in FROM finds (pair_scan.h).
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_PATH_H
#define GPUFIM_SETS_PAIR_PATH_H

/*
 * From now on in this session, plan a scan of pair_scan.h for each function in FROM that finds
 * pairs.
 */
extern void PairPathEnable(void);

#endif							/* GPUFIM_SETS_PAIR_PATH_H */
