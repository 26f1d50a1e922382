"""Penalties by command: who may give what, the ladder, counting hands, disqualification, appeals, undo."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
import time_machine

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from rulings.domain.penalties import missed_hands
from rulings.penalty_commands import (
    appeal_penalty,
    decide_penalty_appeal,
    give_penalty,
    publish_penalties,
    withdraw_penalty,
)
from rulings.penalty_reads import summary_of
from series.commands.options import change_options
from series.domain.options import Options
from series.models import Day, Entry, Event, Player
from tables.commands.floor import bust, close_entries, confirm_move, order_move
from tables.commands.hand_for_hand import (
    announce_hand_for_hand,
    end_hand_for_hand,
    release_hand_now,
    report_hand,
)
from tables.commands.hands import next_hand, set_button, set_coming_button
from tables.commands.penalties import count_hands
from tables.commands.redraw import redraw
from tables.models import Bust, Move, Penalty, Seat
from tables.reads.chips import in_play
from tables.reads.penalties import away_at, disqualified
from tables.reads.standings import standings
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> tuple[Event, Day, User]:
    """Tables of six and five; the first hand of each is being played."""
    event = make_event()
    day = make_hall(event, (6, 5))
    return event, day, make_director(event.series)


@pytest.fixture
def floor(hall: tuple[Event, Day, User]) -> User:
    return make_user("Wiremu", role=Role.FLOOR, series=hall[0].series)


def give(actor: User, entry: Entry, **given: Any) -> Penalty:
    sent = {"offence": "abuse", "facts": "Shouted at the dealer."} | given
    done = give_penalty(actor=actor, on=entry.event_id, entry_id=entry.pk, **sent)
    return Penalty.objects.get(pk=done.result["penalty"])


def undo_last(actor: User, event: Event) -> None:
    undo(actor=actor, entry_id=JournalEntry.objects.filter(stream=event.stream_key).latest("seq").pk)


def plays(player: Player, user: User) -> None:
    with guard.writing():
        Player.objects.filter(pk=player.pk).update(user=user)


# --- the ladder -------------------------------------------------------------------------------------------------------
def test_repeats_of_a_kind_rise_on_the_ladder_over_the_series(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    said = [(give(director, someone).sanction, give(director, someone, offence="advice").sanction) for _ in range(2)]
    assert said == [("warning", "warning"), ("missed_rounds", "missed_rounds")]
    assert give(director, someone, severe=True).count == 4
    assert give(director, entries_at(event, 1)[1]).sanction == "warning"  # somebody else starts anew


def test_another_event_of_the_series_counts_and_another_series_does_not(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    give(director, someone)
    for series, expected in ((event.series, "missed_rounds"), (None, "warning")):
        other = make_event(series)
        make_hall(other, (4,))
        entry = entries_at(other, 1)[0]
        with guard.writing():
            Entry.objects.filter(pk=entry.pk).update(player=someone.player)
        assert give(make_director(other.series), entry).sanction == expected


def test_offences_decay_as_the_series_chose_and_withdrawn_ones_do_not_count(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    change_options(actor=director, on=event.series_id, options=Options(penalty_forget_days=7))
    now = dt.datetime.now(dt.UTC)
    first = give(director, someone)
    with time_machine.travel(now + dt.timedelta(days=6)):
        second = give(director, someone)
        assert second.sanction == "missed_rounds"
        withdraw_penalty(actor=director, on=event.pk, penalty_id=second.pk, why="The wrong player.")
    with time_machine.travel(now + dt.timedelta(days=8)):
        assert give(director, someone).sanction == "warning"
    assert first.status == Penalty.Status.SERVED


# --- who may ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "for_the_floor"),
    [
        ({"sanction": "warning"}, True),
        ({"sanction": "missed_hands", "count": 6}, True),
        ({"sanction": "missed_rounds", "count": 1}, True),
        ({"sanction": "missed_hands", "count": 7}, False),
        ({"sanction": "missed_rounds", "count": 2}, False),
        ({"sanction": "disqualification", "chips": 10_000}, False),
    ],
)
def test_more_than_a_round_is_for_the_director(
    hall: tuple[Event, Day, User], floor: User, given: dict[str, Any], for_the_floor: bool
):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    if not for_the_floor:
        with pytest.raises(Refused, match="for the director") as refused:
            give(floor, someone, **given)
        assert refused.value.field == "sanction"
        assert not Bust.objects.exists()
        assert give(director, someone, **given).by_director
    else:
        assert not give(floor, someone, **given).by_director


@pytest.mark.parametrize("role", [Role.DEALER, Role.DESK, Role.AUDITOR, Role.EDITOR])
def test_others_give_none(hall: tuple[Event, Day, User], role: str):
    event, _, _ = hall
    with pytest.raises(NotAllowed):
        give(make_user("Staff", role=role, series=event.series), entries_at(event, 1)[0])
    assert not Penalty.objects.exists()


def test_nobody_rules_on_their_own_hand(hall: tuple[Event, Day, User], floor: User):
    event, _, director = hall
    mine, other = entries_at(event, 1)[:2]
    plays(mine.player, director)
    with pytest.raises(Refused, match="played in"):
        give(director, other)
    give(director, entries_at(event, 2)[0])  # another table, another hand
    penalty = give(floor, mine)
    for order in (
        lambda: withdraw_penalty(actor=director, on=event.pk, penalty_id=penalty.pk, why="No."),
        lambda: undo_last(director, event),
    ):
        with pytest.raises(Refused, match="their own"):
            order()


def test_who_was_not_dealt_in_may_rule_on_the_hand(hall: tuple[Event, Day, User]):
    event, day, director = hall
    mine, other = entries_at(event, 1)[:2]
    plays(mine.player, director)
    with guard.writing():
        row = day.tables.get(number=1)
        row.dealt_in = {seat: entry for seat, entry in row.dealt_in.items() if entry != mine.pk}
        row.save()
    assert give(director, other).number == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"offence": "smiling"}, "offence"),
        ({"facts": " "}, "facts"),
        ({"sanction": "flogging"}, "sanction"),
        ({"sanction": "missed_hands"}, "count"),
        ({"sanction": "disqualification"}, "chips"),
        ({"sanction": "disqualification", "chips": -1}, "chips"),
    ],
)
def test_what_is_missing_is_said_at_its_field(hall: tuple[Event, Day, User], given: dict[str, Any], field: str):
    event, _, director = hall
    with pytest.raises(Refused) as refused:
        give(director, entries_at(event, 1)[0], **given)
    assert refused.value.field == field
    assert not Penalty.objects.exists()


def test_the_journal_names_no_offence_and_no_facts(hall: tuple[Event, Day, User]):
    event, _, director = hall
    give(director, entries_at(event, 1)[0], witness="The dealer")
    entry = JournalEntry.objects.get(verb="penalty.give")
    kept = entry.text + entry.reason + str(entry.facts) + "".join(str(change.after) for change in entry.changes.all())
    assert "Shouted" not in kept
    assert "The dealer" not in kept


# --- missed hands -----------------------------------------------------------------------------------------------------
def deal(hall: tuple[Event, Day, User], table: int, hands: int = 1) -> None:
    event, _, director = hall
    for _ in range(hands):
        next_hand(actor=director, on=event.pk, table=table)


def left(penalty: Penalty) -> int:
    penalty.refresh_from_db()
    return penalty.hands_left


def test_a_round_is_counted_down_after_the_present_hand(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 1)[3]
    penalty = give(director, someone, sanction="missed_rounds", count=1)
    assert (penalty.hands_total, penalty.players, penalty.table, penalty.hand) == (6, 6, 1, 1)
    deal(hall, 1)  # ends the hand of the ruling: it does not count
    assert away_at(day)[someone.pk].words == "6 of 6 hands left"
    deal(hall, 2, 3)  # another table's hands are not theirs
    deal(hall, 1, 3)
    assert left(penalty) == 3
    deal(hall, 1, 3)
    assert (left(penalty), penalty.status) == (0, Penalty.Status.SERVED)
    assert away_at(day) == {}


def test_a_moved_player_serves_on_at_the_new_table_and_the_number_stays(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[3]
    penalty = give(director, someone, sanction="missed_rounds", count=1)
    deal(hall, 1, 3)
    assert left(penalty) == 4
    move = order_move(actor=director, on=event.pk, entry_id=someone.pk, table=2, seat=8, reason="Balance").result
    confirm_move(actor=director, on=event.pk, move_id=move["move"])
    deal(hall, 1)
    deal(hall, 2)  # ends a hand that the player was not part of
    assert left(penalty) == 4
    deal(hall, 2, 2)
    assert (left(penalty), penalty.hands_total) == (2, 6)


def test_hands_are_counted_from_the_start_after_a_redraw(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[3]
    with guard.writing():
        Entry.objects.filter(pk=someone.pk).update(keeps_seat="A ramp")
    deal(hall, 1, 5)
    penalty = give(director, someone, sanction="missed_hands", count=6)
    redraw(actor=director, on=event.pk, keep=[1, 2])
    for move in Move.objects.filter(status=Move.Status.ORDERED):
        confirm_move(actor=director, on=event.pk, move_id=move.pk)
    set_coming_button(actor=director, on=event.pk, table=1, button=4)
    deal(hall, 1)
    assert left(penalty) == 6
    deal(hall, 1, 2)
    assert left(penalty) == 4


def test_a_hand_counted_with_its_round_is_not_counted_again_when_the_floor_ends_the_next(
    hall: tuple[Event, Day, User],
):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[3], sanction="missed_hands", count=6)
    announce_hand_for_hand(actor=director, on=event.pk)
    play_round(hall, dealt=())  # the hand in which it was given
    play_round(hall)
    assert left(penalty) == 5
    end_hand_for_hand(actor=director, on=event.pk)  # no table has dealt the next hand
    deal(hall, 1)
    assert left(penalty) == 5
    deal(hall, 1)
    assert left(penalty) == 4


def test_a_redeal_is_the_same_hand_and_hands_can_be_counted_by_word(hall: tuple[Event, Day, User]):
    event, _, director = hall
    dealer = make_user("Aroha", role=Role.DEALER, series=event.series)
    penalty = give(director, entries_at(event, 1)[3], sanction="missed_hands", count=2)
    with pytest.raises(Refused, match="No hand has been counted"):
        count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk, redeal=True)
    assert count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk).result == {"left": 1}
    assert count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk, redeal=True).result == {"left": 2}
    count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk)
    count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk)
    with pytest.raises(Refused, match="served"):
        count_hands(actor=dealer, on=event.pk, penalty_id=penalty.pk)
    undo_last(dealer, event)
    assert left(penalty) == 1
    penalty.refresh_from_db()
    counted = missed_hands(total=penalty.hands_total, completed=penalty.hands_done, redeals=penalty.redeals)
    assert counted.remaining == penalty.hands_left


def play_round(hall: tuple[Event, Day, User], *, dealt: Sequence[int] = (1, 2), done: Sequence[int] = (1, 2)) -> None:
    """One round of hand-for-hand: some tables tell their hand, all report it done, the next one is released."""
    event, _, director = hall
    for table in dealt:
        next_hand(actor=director, on=event.pk, table=table)
    for table in done:
        report_hand(actor=director, on=event.pk, table=table)
    release_hand_now(actor=director, on=event.pk)


@pytest.mark.parametrize("dealt", [(1, 2), (2,)], ids=["told", "not told"])
def test_rounds_of_hand_for_hand_count_once_whether_hands_are_told_or_not(
    hall: tuple[Event, Day, User], dealt: tuple[int, ...]
):
    event, _, director = hall
    someone = entries_at(event, 1)[3]
    before = give(director, someone, sanction="missed_hands", count=6)
    announce_hand_for_hand(actor=director, on=event.pk)
    play_round(hall, dealt=())  # the hand in which it was given
    assert left(before) == 6
    play_round(hall, dealt=dealt)
    assert left(before) == 5
    later = give(director, entries_at(event, 1)[4], sanction="missed_hands", count=6)
    play_round(hall, dealt=dealt)  # the later one was given in this round
    assert (left(before), left(later)) == (4, 6)
    play_round(hall, dealt=dealt)
    assert (left(before), left(later)) == (3, 5)
    if dealt == (1, 2):
        deal(hall, 1)  # the hand before it was counted with its round
    end_hand_for_hand(actor=director, on=event.pk)
    assert (left(before), left(later)) == (3, 5)
    deal(hall, 1)  # ends the hand that the floor's word left in the middle
    assert (left(before), left(later)) == (2, 4)
    deal(hall, 1)
    assert (left(before), left(later)) == (1, 3)


def test_after_the_last_round_its_hand_is_not_counted_again(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    penalty = give(director, someone, sanction="missed_hands", count=6)
    announce_hand_for_hand(actor=director, on=event.pk)
    play_round(hall, dealt=())
    play_round(hall)
    for table in (1, 2):
        report_hand(actor=director, on=event.pk, table=table)
    end_hand_for_hand(actor=director, on=event.pk)
    assert left(penalty) == 4
    set_button(actor=director, on=event.pk, table=1, button=2)
    deal(hall, 1)
    assert left(penalty) == 4
    deal(hall, 1)
    assert left(penalty) == 3


def test_two_penalties_are_served_one_after_the_other(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 1)[3]
    first = give(director, someone, sanction="missed_hands", count=1)
    second = give(director, someone, sanction="missed_hands", count=2)
    assert away_at(day)[someone.pk].words == "3 of 3 hands left"
    deal(hall, 1, 2)
    assert (left(first), left(second)) == (0, 2)
    deal(hall, 1, 2)
    assert left(second) == 0


def test_undoing_a_hand_gives_the_missed_hand_back(hall: tuple[Event, Day, User]):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[3], sanction="missed_hands", count=2)
    deal(hall, 1, 2)
    undo_last(director, event)
    assert left(penalty) == 2


def test_hands_are_missed_at_a_table(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    with guard.writing():
        Seat.objects.filter(entry=someone).update(entry=None)
    with pytest.raises(Refused, match="sits at none"):
        give(director, someone, sanction="missed_hands", count=1)
    assert give(director, someone, sanction="warning").table is None


def test_a_told_button_ends_no_hand(hall: tuple[Event, Day, User]):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[3], sanction="missed_hands", count=2)
    deal(hall, 1)
    set_button(actor=director, on=event.pk, table=1, button=4)
    assert left(penalty) == 2


# --- disqualification -------------------------------------------------------------------------------------------------
def test_a_disqualified_player_is_out_at_the_place_of_those_left(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 1)[0]
    penalty = give(director, someone, offence="collusion", sanction="suggested", chips=12_500)
    assert (penalty.sanction, penalty.status) == ("disqualification", "served")
    someone.refresh_from_db()
    assert someone.status == Entry.Status.OUT
    assert in_play(day) == 110_000 - 12_500
    assert [(placed.entry_id, placed.best) for placed in standings(event)] == [(someone.pk, 11)]
    assert disqualified(event) == {someone.pk}


def test_taking_a_disqualification_back_is_for_the_director_and_puts_all_back(
    hall: tuple[Event, Day, User], floor: User
):
    event, day, director = hall
    someone = entries_at(event, 1)[0]
    penalty = give(director, someone, sanction="disqualification", chips=12_500)
    with pytest.raises(NotAllowed):
        withdraw_penalty(actor=floor, on=event.pk, penalty_id=penalty.pk, why="Too hard.")
    with pytest.raises(NotAllowed):
        undo_last(floor, event)
    undo_last(director, event)
    someone.refresh_from_db()
    penalty.refresh_from_db()
    assert (someone.status, penalty.status) == (Entry.Status.PLAYING, Penalty.Status.WITHDRAWN)
    assert Seat.objects.get(entry=someone).table.number == 1
    assert in_play(day) == 110_000
    assert not disqualified(event)


def test_a_disqualification_may_decide_the_event_but_never_leaves_nobody():
    event = make_event()
    make_hall(event, (2,))
    director = make_director(event.series)
    first, second = entries_at(event, 1)
    close_entries(actor=director, on=event.pk)
    give(director, first, sanction="disqualification", chips=0)
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    with pytest.raises(Refused):
        give(director, second, sanction="disqualification", chips=0)


def test_who_is_out_already_can_be_disqualified_and_the_prize_waits(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 1)[0]
    give(director, someone, sanction="disqualification", chips=5_000)
    give(director, someone, sanction="disqualification", offence="device")
    assert in_play(day) == 105_000
    assert disqualified(event) == {someone.pk}


# --- appeals, summary -------------------------------------------------------------------------------------------------
def test_an_appeal_is_decided_by_another_director(hall: tuple[Event, Day, User], floor: User):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[0], sanction="missed_hands", count=3)
    with pytest.raises(Refused, match="No appeal"):
        decide_penalty_appeal(actor=director, on=event.pk, penalty_id=penalty.pk, upheld=True, note="Right.")
    appeal_penalty(actor=floor, on=event.pk, penalty_id=penalty.pk, grounds="It was somebody else.")
    with pytest.raises(Refused, match="You gave"):
        decide_penalty_appeal(actor=director, on=event.pk, penalty_id=penalty.pk, upheld=True, note="Right.")
    with pytest.raises(NotAllowed):
        decide_penalty_appeal(actor=floor, on=event.pk, penalty_id=penalty.pk, upheld=True, note="Right.")
    other = make_director(event.series)
    decide_penalty_appeal(actor=other, on=event.pk, penalty_id=penalty.pk, upheld=False, note="It was.")
    penalty.refresh_from_db()
    assert (penalty.appeal, penalty.status) == ("overturned", "withdrawn")
    undo_last(other, event)
    penalty.refresh_from_db()
    assert (penalty.appeal, penalty.status) == ("asked", "serving")


def test_the_summary_counts_what_stands(hall: tuple[Event, Day, User], floor: User):
    event, _, director = hall
    first, second, third = entries_at(event, 1)[:3]
    give(director, first)
    give(director, second, sanction="missed_hands", count=2)
    withdrawn = give(director, third)
    withdraw_penalty(actor=director, on=event.pk, penalty_id=withdrawn.pk, why="The wrong player.")
    assert summary_of(event.series) == (
        [("Warning", 1), ("Missed hands", 1)],
        [("Abuse of a player or of staff", 2)],
    )
    with pytest.raises(NotAllowed):
        publish_penalties(actor=floor, on=event.series_id, wanted=True)


def places(event: Event, *entries: Entry) -> list[int]:
    found = {placed.entry_id: placed.best for placed in standings(event)}
    return [found[entry.pk] for entry in entries]


def test_who_is_disqualified_in_a_round_of_hand_for_hand_is_placed_below_its_busts(hall: tuple[Event, Day, User]):
    event, _, director = hall
    announce_hand_for_hand(actor=director, on=event.pk)
    play_round(hall, dealt=())
    early, gone, second, late = *entries_at(event, 1)[:3], entries_at(event, 2)[0]
    bust(actor=director, on=event.pk, entry_ids=[early.pk])
    give(director, gone, sanction="disqualification", chips=10_000)
    ruled = JournalEntry.objects.filter(stream=event.stream_key).latest("seq").pk
    give(director, second, sanction="disqualification", chips=10_000)
    bust(actor=director, on=event.pk, entry_ids=[late.pk])
    assert places(event, gone, second, early, late) == [11, 10, 8, 8]
    for table in (1, 2):
        report_hand(actor=director, on=event.pk, table=table)
    after = entries_at(event, 2)[0]
    give(director, after, sanction="disqualification", chips=10_000)  # the hand is over
    assert places(event, gone, second, early, late, after) == [11, 10, 8, 8, 7]
    release_hand_now(actor=director, on=event.pk)
    undo(actor=director, entry_id=ruled)
    assert places(event, second, early, late, after) == [11, 9, 9, 8]
