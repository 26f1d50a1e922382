"""Series, events, people, entries and money. Only commands write these tables."""

from series.models.events import Day, Event, Level, Organiser, Series
from series.models.exclusions import Exclusion
from series.models.gambling import Cost, EventStatement, GamblingTerms, GoodsPrize, LicenceDocument
from series.models.money import LedgerLine
from series.models.notices import EventNotice
from series.models.people import Entry, IdCheck, Letter, Player, Registration
from series.models.players import ErasureRequest, Merge, SeriesPlayer, TwoPeople
from series.models.prizes import Deal, DealShare, Payout, PrizeHold, PrizeLock
from series.models.purchases import Purchase
from series.models.reconciliation import Reconciliation
from series.models.seats_won import SeatWon
from series.models.tills import Till

__all__ = [
    "Cost",
    "Day",
    "Deal",
    "DealShare",
    "Entry",
    "ErasureRequest",
    "Event",
    "EventNotice",
    "EventStatement",
    "Exclusion",
    "GamblingTerms",
    "GoodsPrize",
    "IdCheck",
    "LedgerLine",
    "Letter",
    "Level",
    "LicenceDocument",
    "Merge",
    "Organiser",
    "Payout",
    "Player",
    "PrizeHold",
    "PrizeLock",
    "Purchase",
    "Reconciliation",
    "Registration",
    "SeatWon",
    "Series",
    "SeriesPlayer",
    "Till",
    "TwoPeople",
]
