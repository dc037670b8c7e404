/*-------------------------------------------------------------------------
 *
 * minsup.h
 *	  The threshold that a user's "minsup" means, as a number of transactions.
 *
 * From 1 up, minsup is a number of transactions.  Below 1 it is a fraction f of
 * the N transactions, and then it is one of two things: a decimal that somebody
 * typed, which asks for ceil(f * N) in decimal arithmetic (0.07 of 100 is 7, where
 * binary arithmetic would make it 8), or a quotient s / N that a program computed,
 * which asks for s (5 of 6, where the shortest decimal of 5 / 6.0 times 6 is above
 * 5).  A double does not say which of the two it is, so the rule is:
 *
 * 1.	If there is a whole number s from 1 to N such that f is the double nearest
 *		to s / N or one of the two beside it, then f means s.
 * 2.	Otherwise, if f is a float4 value of which float4 shows fewer digits than
 *		float8 does, then it was computed or typed as a float4.  If exactly one s
 *		has f as the float4 nearest to s / N, then f means s; otherwise it means
 *		ceil(d * N), d being the shortest decimal that float4 reads as f.
 * 3.	Otherwise f means ceil(d * N), d being the shortest decimal that float8
 *		reads as f.
 *
 * What follows from it, for every N below 2^32:
 *
 * -	s / N means s, for every s from 1 to N - 1, however it was rounded: in float8,
 *		where division gives the nearest double, and in numeric, whose quotients have
 *		17 digits or more.  No other s' can be meant: s' / N is at least 1 / N >
 *		2^-32 away, and rule 1 reaches no further than 2^-52.
 *
 * -	s / N in float4 means s if float4 can tell s / N from (s - 1) / N and (s + 1) / N,
 *		unless f is exactly a decimal that float4 shows as float8 does, 0.625 say,
 *		which is then taken as that decimal.  Below N = 131,072 that decimal means s, too.
 *		For f is m / 2^e, and if it is above 1/2, e is at most 8, since float4 leaves
 *		out a digit that changes f by 5 * 10^-9.  So f * N - s is a multiple of
 *		2^-8.  But it is at most N * 2^-25, half the distance of two floats, and so
 *		0.  Where f is smaller, the distance shrinks faster than e can grow.
 *
 * -	A decimal of k digits after the point means ceil(d * N), exactly, if k is at
 *		most 8 and N * 10^k is below 2^52: with six digits for every N below 2^32
 *		(10^6 * 2^32 < 2^52), with eight for N up to 45 million.  Rule 1: if f is as
 *		near to s / N as it says, then d, which is within half an ulp of f, is within
 *		two ulps, at most 2^-52, of s / N.  But d * N - s is a multiple of 10^-k.  It
 *		is below N * 2^-52 < 10^-k, and so 0.  Rule 2: c / 10^k, whose double is a
 *		float4 value m / 2^e, m < 2^24, is equal to it: otherwise c * 2^e - m * 10^k
 *		would be a multiple of 2^k below 2^-53 * m * 10^k, so that m * 5^k would be
 *		above 2^53, but it is below 2^24 * 5^8 < 2^43.  So e is at most k, the
 *		decimal ends in 5 at digit e, and to leave digits out changes it by at least
 *		5 * 10^-8, while floats round what is within 2^-25 = 3 * 10^-8: float4 shows
 *		it like float8, and rule 2 does not hold.  Rule 3: no other decimal of up to
 *		15 digits has the same double, so d is the one that was typed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MINSUP_H
#define FIM_MINSUP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the threshold that minsup means for this number of transactions: from 1 up, at most
 * FIM_MAX_TRANSACTIONS.  minsup must be above 0 and, if it is not below 1, a whole number;
 * transactions must be below 2^32.
 */
extern uint32_t FimThreshold(double minsup, uint64_t transactions);

/*
 * For who does not round up: does a minsup below 1 mean a whole number of transactions?  If so,
 * *whole becomes that number.  Otherwise "text", of FIM_DECIMAL_TEXT characters, becomes the
 * decimal d of rule 2 or 3, as "625e-3".  There must be transactions.
 */
#define FIM_DECIMAL_TEXT	32
extern bool FimFractionIsWhole(double minsup, uint64_t transactions, uint32_t *whole, char *text);

#endif							/* FIM_MINSUP_H */
