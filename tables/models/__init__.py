"""Tables, seats, draws, moves, the tournament clock, eliminations, hand-for-hand. Only commands write these tables."""

from tables.models.clock import Clock
from tables.models.eliminations import Bust, Elimination
from tables.models.hand_for_hand import HandForHand, HandReport
from tables.models.seating import Draw, Move, Seat, Table

__all__ = ["Bust", "Clock", "Draw", "Elimination", "HandForHand", "HandReport", "Move", "Seat", "Table"]
