"""Tables, seats, draws, moves, the tournament clock and eliminations. Only commands write these tables."""

from tables.models.clock import Clock
from tables.models.eliminations import Bust, Elimination
from tables.models.seating import Draw, Move, Seat, Table

__all__ = ["Bust", "Clock", "Draw", "Elimination", "Move", "Seat", "Table"]
