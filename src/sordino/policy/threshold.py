"""Thresholds are exact rational numbers, read from their text."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

__all__ = ["Rational", "floor_fraction", "read_rational", "read_threshold", "show_rational"]

Rational = str | int | float | Decimal | Fraction

_DECIMAL = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(%?)\s*")
_RATIO = re.compile(r"\s*([+-]?\d+)\s*/\s*(\d+)\s*")
_LONGEST = 150  # characters of a number's text
_LARGEST = 10**60  # bounds numerators and denominators, so that every number read can be written and read again


def read_rational(value: Rational) -> Fraction:
    """The exact number that `value` writes: "0.3", "1/3" and "30%" are 3/10, 1/3 and 3/10; so is the float 0.3.

    Raises ValueError if it is no number.
    """
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")
    number = value if isinstance(value, Fraction) else _from_text(str(value))
    if max(abs(number.numerator), number.denominator) >= _LARGEST:
        raise ValueError("a number of too many digits")
    return number


def _from_text(text: str) -> Fraction:
    if len(text) > _LONGEST:
        raise ValueError("too long for a number")
    ratio = _RATIO.fullmatch(text)
    if ratio:
        if int(ratio[2]) == 0:
            raise ValueError("the denominator is 0")
        return Fraction(int(ratio[1]), int(ratio[2]))
    decimal = _DECIMAL.fullmatch(text)
    if decimal:
        number = Fraction(decimal[1])
        return number / 100 if decimal[2] else number
    try:
        scientific = Decimal(text)  # 1e-3 and the like
        if scientific and abs(scientific.adjusted()) > _LONGEST:
            raise ValueError
        return Fraction(scientific)
    except (ArithmeticError, ValueError):
        raise ValueError('not a number: write it like "0.3", "1/3" or "30%"') from None


def read_threshold(value: Rational) -> Fraction:
    """A number strictly between 0 and 1; raises ValueError with the reason otherwise."""
    number = read_rational(value)
    if not 0 < number < 1:
        raise ValueError(f"{show_rational(number)} is not between 0 and 1 (both excluded)")
    return number


def show_rational(number: Fraction) -> str:
    """Shortest exact text: a decimal where it ends early, else a fraction."""
    for digits in range(7):
        if 10**digits % number.denominator == 0:
            scaled = number * 10**digits  # whole, so the text is exact however long the number is
            whole, rest = divmod(abs(scaled.numerator), 10**digits)
            sign = "-" if number < 0 else ""
            return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"
    return f"{number.numerator}/{number.denominator}"


def floor_fraction(number: Fraction, limit: int) -> Fraction:
    """The largest fraction <= `number` (in [0, 1)) whose denominator is at most `limit`.

    A ratio of two counts of at most `limit` records is <= number exactly if it is <= this fraction, so comparing with
    it loses nothing, and its small integers cannot overflow.
    """
    if number.denominator <= limit:
        return number
    low, high = (0, 1), (1, 1)  # low <= number < high, neighbours in the Stern-Brocot tree
    while low[1] + high[1] <= limit:
        # take as many steps to one side at once as stay on the right side of the number
        if Fraction(low[0] + high[0], low[1] + high[1]) <= number:
            gap = number * high[1] - high[0]  # negative
            steps = int((number * low[1] - low[0]) / -gap) if gap else 1
            steps = max(1, min(steps, (limit - low[1]) // high[1]))
            low = (low[0] + steps * high[0], low[1] + steps * high[1])
        else:
            gap = number * low[1] - low[0]
            limit_steps = (limit - high[1]) // low[1]
            if gap == 0:
                break
            ratio = (high[0] - number * high[1]) / gap
            steps = int(ratio) if ratio != int(ratio) else int(ratio) - 1
            steps = max(1, min(steps, limit_steps))
            high = (high[0] + steps * low[0], high[1] + steps * low[1])
    return Fraction(*low)
