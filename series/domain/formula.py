"""The formula of the season's points: a small language of decimals, reckoned by simpleeval.

It is arithmetic and nothing else: it cannot reach anything but the names and functions below, and it always ends.
Everything is decimal with 28 digits, so the same formula gives the same points everywhere.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from functools import lru_cache
from typing import Any

from simpleeval import SimpleEval

MOST_CHARACTERS = 300  # also the width of its column
MOST_PARTS = 120
MOST_POWER = 20

# what a formula can name, in the order in which it is explained
NAMES: Mapping[str, str] = {
    "place": "the place, from 1",
    "entries": "paid stacks, re-entries too",
    "players": "people who entered",
    "buy_in": "the buy-in in dollars",
    "fee": "the fee in dollars",
    "prize": "what the player won, in dollars",
    "pool": "all prizes, in dollars",
    "paid": "how many places are paid",
}

_CONTEXT = Context(
    prec=28, rounding=ROUND_HALF_UP, Emin=-60, Emax=60, traps=[DivisionByZero, InvalidOperation, Overflow]
)
_LITERAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?|\.[0-9]{1,15}")
_WHOLE_DIGITS = 6


class FormulaError(ValueError):
    """A formula that cannot be read or reckoned. `at`: the character, from 1, where it goes wrong."""

    def __init__(self, words: str, at: int) -> None:
        super().__init__(f"At character {at}: {words}")
        self.at = at


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > MOST_POWER:
        raise ValueError(f"a power is {MOST_POWER} at most.")
    return Decimal(base) ** exponent


def _rounding(mode: str) -> Callable[..., Decimal]:
    def rounded(value: Decimal, digits: Decimal = Decimal(0)) -> Decimal:
        if digits != int(digits) or not 0 <= digits <= _WHOLE_DIGITS:
            raise ValueError(f"round to 0 to {_WHOLE_DIGITS} digits.")
        return Decimal(value).quantize(Decimal(1).scaleb(-int(digits)), rounding=mode)

    return rounded


def _of_one(method: str) -> Callable[[Decimal], Decimal]:
    def call(value: Decimal) -> Decimal:
        result: Decimal = getattr(Decimal(value), method)()
        return result

    return call


# (function, fewest and most arguments)
FUNCTIONS: Mapping[str, tuple[Callable[..., Decimal], int, int]] = {
    "sqrt": (_of_one("sqrt"), 1, 1),
    "log": (_of_one("log10"), 1, 1),
    "ln": (_of_one("ln"), 1, 1),
    "min": (min, 2, 10),
    "max": (max, 2, 10),
    "round": (_rounding(ROUND_HALF_UP), 1, 2),
    "floor": (_rounding(ROUND_FLOOR), 1, 1),
    "ceil": (_rounding(ROUND_CEILING), 1, 1),
}

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SHAPES = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call, ast.Name, ast.Constant)
_QUIET = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)


class _Reckoner(SimpleEval):
    """simpleeval over decimals alone, that says where a formula could not be reckoned."""

    def __init__(self, names: Mapping[str, Decimal]) -> None:
        functions = {name: function for name, (function, _, _) in FUNCTIONS.items()}
        super().__init__(operators=_OPERATORS, functions=functions, names=dict(names))
        self.nodes[ast.Constant] = lambda node: node.decimal

    def _check_disallowed_items(self, item: Any) -> None:
        """Nothing but decimals, and what compares them, can come up here."""

    def _eval(self, node: ast.AST) -> Any:
        try:
            value = super()._eval(node)
            if isinstance(value, Decimal) and not value.is_finite():
                raise InvalidOperation
            return value
        except FormulaError:
            raise
        except (ZeroDivisionError, InvalidOperation, Overflow, ValueError, TypeError) as error:
            raise FormulaError(_reason(error), node.col_offset + 1) from error  # type: ignore[attr-defined]


def _reason(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError) and not isinstance(error, InvalidOperation):
        return "this divides by nothing."
    if isinstance(error, Overflow):
        return "this number becomes too large."
    return str(error) if type(error) is ValueError else "this has no value, such as the root of less than nothing."


@lru_cache(maxsize=200)
def parsed(formula: str) -> ast.expr:
    """The formula taken apart, with nothing in it but what is allowed.

    Raises FormulaError where the first thing stands that is not.
    """
    if len(formula) > MOST_CHARACTERS:
        raise FormulaError(f"a formula has {MOST_CHARACTERS} characters at most.", MOST_CHARACTERS + 1)
    start = len(formula) - len(formula.lstrip())
    if not formula.strip():
        raise FormulaError("write a formula, for example 100 / place.", 1)
    strange = re.search(r"[^ -~\s]|#", formula)
    if strange:
        raise FormulaError(f"“{strange[0]}” has no meaning here.", strange.start() + 1)
    try:
        # one line, so that a column is a character
        tree = ast.parse(re.sub(r"\s", " ", formula).lstrip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        at = min((getattr(error, "offset", None) or len(formula)) + start, len(formula))
        raise FormulaError("this cannot be read.", at) from error
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.col_offset += start
            node.end_col_offset = (node.end_col_offset or 0) + start
    _check(tree, formula)
    return tree


def _check(tree: ast.expr, formula: str) -> None:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    nodes = [node for node in ast.walk(tree) if not isinstance(node, _QUIET)]
    for node in sorted(nodes, key=_column):
        at = _column(node) + 1
        if not isinstance(node, _SHAPES):
            raise FormulaError("only numbers, names, functions and + - * / ** are used here.", at)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in NAMES:
            raise FormulaError(f"“{node.id}” is none of {', '.join(NAMES)}.", at)
        if isinstance(node, ast.Call):
            _check_call(node, at)
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) not in _OPERATORS:
            raise FormulaError("only + - * / ** are used here.", at)
        if isinstance(node, ast.Compare) and any(type(one) not in _OPERATORS for one in node.ops):
            raise FormulaError("compare with <, <=, >, >=, == or !=.", at)
        if isinstance(node, ast.Constant):
            text = formula[node.col_offset : node.end_col_offset]
            if not _LITERAL.fullmatch(text):
                raise FormulaError("write a number such as 100 or 0.25.", at)
            node.decimal = Decimal(text)  # type: ignore[attr-defined]
    if len(nodes) > MOST_PARTS:
        raise FormulaError("this formula has too many parts.", 1)


def _column(node: ast.AST) -> int:
    """Where a node begins; parts without a column, such as the arguments of a lambda, are at the end."""
    return getattr(node, "col_offset", MOST_CHARACTERS)


def _check_call(node: ast.Call, at: int) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS:
        raise FormulaError(f"the functions are {', '.join(FUNCTIONS)}.", at)
    _, fewest, most = FUNCTIONS[name]
    if node.keywords or not fewest <= len(node.args) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise FormulaError(f"{name} takes {wanted} value{'' if wanted == '1' else 's'}.", at)


def reckon(formula: str, values: Mapping[str, Decimal]) -> Decimal:
    """The value of a formula for the values of all `NAMES`.

    >>> reckon("100 / place", {name: Decimal(8) for name in NAMES})
    Decimal('12.5')

    Raises:
        FormulaError: it cannot be read, or has no value for these.
    """
    tree = parsed(formula)
    with localcontext(_CONTEXT):
        return Decimal(_Reckoner(values).eval(formula, previously_parsed=tree))
