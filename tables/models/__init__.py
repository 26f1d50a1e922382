"""Tables, seats, draws, moves, dodged blinds, clock, eliminations, hand-for-hand. Only commands write these tables."""

from tables.models.clock import Clock
from tables.models.dodges import BlindDodge
from tables.models.eliminations import Bust, Elimination
from tables.models.hand_for_hand import HandForHand, HandReport
from tables.models.seating import HIGH_CARD, Draw, Move, Seat, Table

__all__ = [
    "HIGH_CARD",
    "BlindDodge",
    "Bust",
    "Clock",
    "Draw",
    "Elimination",
    "HandForHand",
    "HandReport",
    "Move",
    "Seat",
    "Table",
]
