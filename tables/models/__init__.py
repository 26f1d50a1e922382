"""What happens at the tables: seats, draws, moves, hands, chips, penalties, busts. Only commands write these tables."""

from tables.models.action_clock import ActionClock
from tables.models.bags import Bag
from tables.models.bounties import BountyPayment, Knockout
from tables.models.chips import ChipCount, ChipLine
from tables.models.clock import Clock
from tables.models.dodges import BlindDodge
from tables.models.eliminations import Bust, Elimination
from tables.models.hand_for_hand import HandForHand, HandReport
from tables.models.penalties import Penalty
from tables.models.screens import Display, HallMessage
from tables.models.seating import HIGH_CARD, Draw, Move, Seat, Table

__all__ = [
    "HIGH_CARD",
    "ActionClock",
    "Bag",
    "BlindDodge",
    "BountyPayment",
    "Bust",
    "ChipCount",
    "ChipLine",
    "Clock",
    "Display",
    "Draw",
    "Elimination",
    "HallMessage",
    "HandForHand",
    "HandReport",
    "Knockout",
    "Move",
    "Penalty",
    "Seat",
    "Table",
]
