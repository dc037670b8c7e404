/*-------------------------------------------------------------------------
 *
 * common_key.c
 *	  The type and the collation in which the keys of two relations are compared.
 *
 * The parser's choice of an operator = tells to which types it would convert both keys.  If these
 * are the same type, it is the common type.  Some operators compare different types without
 * converting either of them, int4 with int8 for instance.  Then the common type is the one to
 * which the other can be converted implicitly, because that does not change which keys are equal.
 * Operators for all arrays, ranges or enums do not tell the types, so the columns' own types are
 * taken instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "nodes/value.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "read/relation.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

/* The types of the operands of the operator = that SQL would choose. */
static void
TypesOfEquality(Oid left, Oid right, Oid *left_operand, Oid *right_operand)
{
	Operator	equality = oper(NULL, list_make1(makeString("=")), left, right, false, -1);
	Form_pg_operator form = (Form_pg_operator) GETSTRUCT(equality);

	*left_operand = form->oprleft;
	*right_operand = form->oprright;
	ReleaseSysCache(equality);
}

static bool
IsGeneral(Oid operand)
{
	return IsPolymorphicType(operand) || operand == RECORDOID;
}

static bool
IsConvertible(Oid from, Oid to)
{
	return can_coerce_type(1, &from, &to, COERCION_IMPLICIT);
}

Oid
CommonKeyType(const SourceColumn *left, const SourceColumn *right)
{
	Oid			left_operand;
	Oid			right_operand;

	TypesOfEquality(left->type, right->type, &left_operand, &right_operand);
	if (left->type == right->type && (left_operand != right_operand || IsGeneral(left_operand)))
		return left->type;
	if (IsGeneral(left_operand) || IsGeneral(right_operand))
	{
		left_operand = left->type;
		right_operand = right->type;
	}
	if (left_operand == right_operand || IsConvertible(left_operand, right_operand))
		return right_operand;
	if (IsConvertible(right_operand, left_operand))
		return left_operand;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot join column \"%s\", named by \"%s\", with column \"%s\", named by \"%s\"",
					left->name, left->argument, right->name, right->argument),
			 errdetail("Neither of the types %s and %s can be converted to the other one implicitly.",
					   format_type_be(left->type), format_type_be(right->type)),
			 errhint("Cast both columns to one type in a query.")));
}

Oid
CommonKeyCollation(const SourceColumn *left, const SourceColumn *right)
{
	if (left->collation == right->collation || right->collation == DEFAULT_COLLATION_OID ||
		!OidIsValid(right->collation))
		return left->collation;
	if (left->collation == DEFAULT_COLLATION_OID || !OidIsValid(left->collation))
		return right->collation;
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_COLLATION),
			 errmsg("could not determine which collation to use for comparing column \"%s\", named by \"%s\", with column \"%s\", named by \"%s\"",
					left->name, left->argument, right->name, right->argument),
			 errhint("Use the COLLATE clause in a query to set the collation explicitly.")));
}
