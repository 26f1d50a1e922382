"""Going out: the part that a bust and a disqualification share, and the disqualification itself."""

from collections.abc import Mapping, Sequence

from journal.commands import Tx
from journal.errors import Refused
from series.models import Entry, Event, Purchase
from tables.commands.chips import remove_chips, write_chips
from tables.commands.finish import finish_if_decided
from tables.commands.hand_for_hand import elimination_before_the_round
from tables.commands.seating import playing, seats_of
from tables.models import Bust, ChipLine, Elimination, Move, Seat
from tables.reads.chips import in_play


def require_leavable(tx: Tx[Event], entries: Sequence[Entry]) -> None:
    """Refuse unless the event runs and somebody is left when these are out."""
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Players can only go out while the event is running.", code="not_running")
    if Entry.objects.filter(event=event, status__in=Entry.STILL_IN).count() <= len(entries):
        raise Refused("Somebody must be left: not everybody can be out.", code="nobody_left")


def leave_seats(tx: Tx[Event], seats: Sequence[Seat]) -> None:
    """Empty these chairs, and withdraw the moves of those who sat there."""
    people = [seat.entry_id for seat in seats]
    for move in tx.lock(Move.objects.filter(entry__in=people, status=Move.Status.ORDERED)):
        tx.change(move, status=Move.Status.WITHDRAWN)
    tx.change_all([(seat, {"entry_id": None}) for seat in seats])


def take_out(
    tx: Tx[Event],
    entries: Sequence[Entry],
    seats: Mapping[int, Seat],
    elimination: Elimination,
    stacks: Mapping[int, int],
) -> bool:
    """These entries are out, from these seats (by the entry's key). True if that decides the event."""
    tx.add_all(
        [
            Bust(
                elimination=elimination,
                entry=entry,
                table=seats[entry.pk].table.number,
                seat=seats[entry.pk].number,
                stack=stacks.get(entry.pk),
            )
            for entry in entries
        ]
    )
    leave_seats(tx, [seats[entry.pk] for entry in entries])
    tx.change_all([(entry, {"status": Entry.Status.OUT}) for entry in entries])
    return finish_if_decided(tx)


def disqualify(tx: Tx[Event], entry_id: int, chips: int) -> None:
    """A player still in is out by themselves, at the place of those left; their chips leave play (TDA 2024, rule 71).

    Raises:
        Refused: not seated, not running, nobody would be left, or at `chips` for more than are in play.
    """
    entry = playing(tx, [entry_id])[0]
    require_leavable(tx, [entry])
    seats = seats_of(tx, [entry])
    remove_chips(tx, entry, seats[entry.pk], ChipLine.Kind.DISQUALIFIED, chips)
    declared = tx.lock(Purchase.objects.filter(entry=entry, status=Purchase.Status.DECLARED))
    tx.change_all([(purchase, {"status": Purchase.Status.TAKEN_BACK}) for purchase in declared])
    take_out(tx, [entry], seats, elimination_before_the_round(tx, entry.day_id), {entry.pk: chips})


def give_up(tx: Tx[Event], entry: Entry, chips: int) -> None:
    """The player leaves a stack for another; its chips leave play, and the entry has no place (TDA 2024 rule 8B).

    Raises:
        Refused: not seated, or at `given_up` for no chips or more than are in play.
    """
    seat = seats_of(tx, [entry])[entry.pk]
    most = in_play(entry.day)
    if not 0 < chips <= most:
        raise Refused(f"Give the number of chips: {most:,} are in play.", field="given_up")
    leave_seats(tx, [seat])
    write_chips(tx, entry.day, ChipLine.Kind.GIVEN_UP, -chips, table=seat.table.number, entry=entry)
    tx.change(entry, status=Entry.Status.GIVEN_UP)
