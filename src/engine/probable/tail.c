/*-------------------------------------------------------------------------
 *
 * tail.c
 *	  The probability that support reaches a threshold, P(S >= k): in double precision,
 *	  in double-double where that leaves a doubt, and exactly where that does, too.
 *
 *-------------------------------------------------------------------------
 */
#include "tail.h"

#include <math.h>

#include "exact.h"
#include "precise.h"
#include "side.h"

/* Below this, half the distance between neighbouring doubles might not be a double. */
#define LEAST_THRESHOLD		0x1p-900

/* A problem, and what has been found out about it. */
typedef struct Settling
{
	FimWorkspace *ws;
	const FimChances *chances;
	uint32_t	k;
	double		threshold;		/* NaN when there is none, or when it has been decided */
	bool		want_value;		/* false once the value has been found */
	bool		nearest;		/* the value has to be the nearest double */
	FimSettled *settled;
} Settling;

static void
Decide(Settling *s, FimVerdict verdict, FimProbableRule rule)
{
	if (isnan(s->threshold) || verdict == FIM_OPEN)
		return;
	s->settled->reaches = verdict == FIM_YES;
	s->settled->rule = rule;
	s->threshold = NAN;
}

static bool
IsSettled(const Settling *s)
{
	return isnan(s->threshold) && !s->want_value;
}

/*
 * Compare a side of the distribution with a threshold t.  For the lower side L, 1 - L reaches t if
 * L is at most 1 - t plus half the distance from t to the double below it.  That bound is a double
 * for t from 1/2 to 1.
 */
static FimVerdict
CompareSide(const FimSide *side, double threshold)
{
	FimInterval tail = side->upper ? side->probability : Complement(side->probability);
	FimVerdict	verdict = VerdictOn(tail, threshold);

	if (verdict == FIM_OPEN && !side->upper && threshold >= 0.5 && threshold <= 1)
	{
		double		most = (1 - threshold) + (threshold - DoubleBelow(threshold)) / 2;

		if (side->probability.high <= most)
			return FIM_YES;
		if (side->probability.low > most)
			return FIM_NO;
	}
	return verdict;
}

/* First stage: double precision. */
static FimResult
SettleByConvolution(Settling *s)
{
	FimSide		side;
	FimInterval tail;
	FimResult	result = FimSideBracket(s->ws, s->chances, s->k, &side);

	if (result != FIM_DONE)
		return result;
	Decide(s, CompareSide(&side, s->threshold), FIM_RULE_CONVOLUTION);
	tail = side.upper ? side.probability : Complement(side.probability);
	s->settled->value = tail.low;
	if (!s->nearest && FimTellsValue(tail))
		s->want_value = false;
	return FIM_DONE;
}

/* Is the number at least the middle between the threshold and the double below it? */
static FimVerdict
ComparePrecise(const Precise *x, double threshold)
{
	double		half = (threshold - DoubleBelow(threshold)) / 2;
	DoubleDouble beyond = DdMinus(x->value, DdSum(threshold, -half));
	double		error = x->error + 8 * DD_UNIT * (fabs(x->value.high) + fabs(threshold));

	if (threshold < LEAST_THRESHOLD)
		return FIM_OPEN;
	if (beyond.high > error)
		return FIM_YES;
	return beyond.high < -error ? FIM_NO : FIM_OPEN;
}

/* Take the nearest double as the value if it is known, otherwise a lower bound. */
static void
TakePreciseValue(Settling *s, const Precise *x)
{
	double		error = x->error * 1.01 + 4 * DD_UNIT * x->value.high;
	double		least = x->value.high + (x->value.low - error);
	double		most = x->value.high + (x->value.low + error);

	if (least == most)
	{
		s->settled->value = least;
		s->want_value = false;
	}
	else
	{
		s->settled->value = Larger(s->settled->value, DoubleBelow(least));
		if (!s->nearest)
			s->want_value = false;
	}
}

/* Last stage: the question that is left open, to be answered with as many digits as it takes. */
static ExactQuestion
QuestionOf(const Settling *s)
{
	return (ExactQuestion) {s->threshold, &s->settled->reaches, s->want_value ? &s->settled->value : NULL};
}

static void
NoteExact(Settling *s)
{
	if (!isnan(s->threshold))
		s->settled->rule = FIM_RULE_EXACT;
}

static FimResult
SettleTail(Settling *s)
{
	FimResult	result = SettleByConvolution(s);
	ExactQuestion question;
	Precise		tail;

	if (result != FIM_DONE || IsSettled(s))
		return result;
	result = PreciseTail(s->ws, s->chances, s->k, &tail);
	if (result != FIM_DONE)
		return result;
	Decide(s, ComparePrecise(&tail, s->threshold), FIM_RULE_DOUBLE_DOUBLE);
	TakePreciseValue(s, &tail);
	if (IsSettled(s))
		return FIM_DONE;
	question = QuestionOf(s);
	NoteExact(s);
	return ExactTail(s->ws, s->chances, s->k, &question);
}

FimResult
FimTailSettle(FimWorkspace *ws, const FimChances *chances, uint32_t k, double threshold, bool want_value,
			  FimSettled *settled)
{
	Settling	s = {ws, chances, k, threshold, want_value,
	chances->n <= FIM_FEW_TRANSACTIONS, settled};

	settled->rule = FIM_RULE_CONVOLUTION;
	settled->value = k == 0;
	settled->reaches = settled->value >= threshold;
	if (k == 0 || k > chances->n)
		return FIM_DONE;
	if (threshold <= 0)
		Decide(&s, FIM_YES, FIM_RULE_CONVOLUTION);
	if (threshold > 1)
		Decide(&s, FIM_NO, FIM_RULE_CONVOLUTION);
	return SettleTail(&s);
}

FimResult
FimExpectationSettle(FimWorkspace *ws, const FimChances *chances, double threshold, FimSettled *settled)
{
	Settling	s = {ws, chances, 0, threshold, true, true, settled};
	Precise		mean;
	ExactQuestion question;
	FimResult	result = PreciseMean(ws, chances, &mean);

	if (result != FIM_DONE)
		return result;
	settled->rule = FIM_RULE_DOUBLE_DOUBLE;
	settled->value = 0;
	settled->reaches = false;
	if (threshold <= 0)
		Decide(&s, FIM_YES, FIM_RULE_DOUBLE_DOUBLE);
	if (threshold > chances->n)
		Decide(&s, FIM_NO, FIM_RULE_DOUBLE_DOUBLE);
	Decide(&s, ComparePrecise(&mean, threshold), FIM_RULE_DOUBLE_DOUBLE);
	TakePreciseValue(&s, &mean);
	if (IsSettled(&s))
		return FIM_DONE;
	question = QuestionOf(&s);
	NoteExact(&s);
	return ExactMean(ws, chances, &question);
}

FimResult
FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimInterval *tail)
{
	FimSide		side;
	FimResult	result;

	if (k == 0 || k > chances->n)
	{
		*tail = k == 0 ? (FimInterval) {1, 1} : (FimInterval) {0, 0};
		return FIM_DONE;
	}
	result = FimSideBracket(ws, chances, k, &side);
	if (result == FIM_DONE)
		*tail = side.upper ? side.probability : Complement(side.probability);
	return result;
}
