/*-------------------------------------------------------------------------
 *
 * one_relation.h
 *	  The SQL functions frequent_pairs() and similar_sets(), each with its array form.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ONE_RELATION_H
#define GPUFIM_ONE_RELATION_H

#include "postgres.h"

#include "fmgr.h"

extern Datum gpufim_frequent_pairs(PG_FUNCTION_ARGS);
extern Datum gpufim_frequent_pairs_array(PG_FUNCTION_ARGS);
extern Datum gpufim_similar_sets(PG_FUNCTION_ARGS);
extern Datum gpufim_similar_sets_array(PG_FUNCTION_ARGS);

#endif							/* GPUFIM_ONE_RELATION_H */
