"""Deals: worked out in public view of the table, agreed by everybody, paid by, taken back until paid."""

import uuid
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pokerkit import calculate_icm

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Deal, Event, Payout
from series.reads.prizes import prizes
from tables.commands.deals import end_by_chips, make_deal, shares_of, take_deal_back
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.prizes import lock_prizes
from tables.reads.payouts import payout_table
from tables.reads.standings import standings_of
from tests.factories import make_running_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db
STACKS = (60_000, 20_000, 10_000)


def dealable(left: int = 3, players: int = 9, **fields: Any) -> tuple[Event, User, list[int]]:
    """Prizes locked, `left` of nine still in: the event, the director, the keys of those left."""
    event, director = make_running_event(players, payout_shares=[5_000, 3_000, 2_000], payout_step_cents=1, **fields)
    close_entries(actor=director, on=event.pk)
    entries = list(event.entries.order_by("pk").values_list("pk", flat=True))
    for entry in entries[: len(entries) - left]:
        bust(actor=director, on=event.pk, entry_ids=[entry])
    lock_prizes(actor=director, on=event.pk)
    event.refresh_from_db()
    return event, director, entries[len(entries) - left :]


def typed(entries: list[int], **sent: Any) -> dict[str, Any]:
    stacks = {f"stack_{entry}": str(stack) for entry, stack in zip(entries, STACKS, strict=False)}
    return {"method": "icm", "shown": "amounts"} | stacks | sent


def send(client: Client, event: Event, **sent: Any) -> HttpResponse:
    given = {"command_id": uuid.uuid4(), "do": "preview"} | sent
    return client.post(reverse("deal", args=[event.pk]), given)


def agree(client: Client, event: Event, entries: list[int], **sent: Any) -> HttpResponse:
    """Work it out and write down what is shown, as everybody's yes."""
    given = typed(entries, **sent)
    shown = send(client, event, **given).context["shares"]
    given |= {f"share_{entry}": cents for entry, cents in shown.items()} | {f"agree_{entry}": "on" for entry in entries}
    return send(client, event, **given | {"do": "make"})


def finish(event: Event, director: User, entries: list[int]) -> None:
    """Everybody but the first goes out, the last one first."""
    for entry in reversed(entries[1:]):
        bust(actor=director, on=event.pk, entry_ids=[entry])
    event.refresh_from_db()


# --- worked out ------------------------------------------------------------------------------------------------------


def sent_by_the_page(page: HttpResponse) -> dict[str, str]:
    """What a browser would send of the page as it was served: the checked and the filled inputs."""

    class Inputs(HTMLParser):
        found: dict[str, str]

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            has = dict(attrs)
            if tag == "input" and has.get("name") and (has.get("type") != "radio" or "checked" in has):
                self.found[str(has["name"])] = has.get("value") or ""

    inputs = Inputs()
    inputs.found = {}
    inputs.feed(words(page))
    return inputs.found


def test_icm_to_the_cent_as_pokerkit_has_it_by_the_page_as_it_is_served():
    event, director, entries = dealable()
    client = signed_in(director)
    given = sent_by_the_page(client.get(reverse("deal", args=[event.pk])))
    given |= {f"stack_{entry}": str(stack) for entry, stack in zip(entries, STACKS, strict=True)}
    page = send(client, event, **given)
    shares = page.context["shares"]
    assert sum(shares.values()) == 198_000
    for cents, expected in zip(shares.values(), calculate_icm(prizes(event), STACKS), strict=True):
        assert abs(cents - expected) < 1
    assert words(page).count('name="share_') == 3
    assert not Deal.objects.exists()


def test_a_chip_chop_with_something_left_to_play_for():
    event, director, entries = dealable()
    page = send(signed_in(director), event, **typed(entries, method="chip_chop", left_cents="180"))
    # 99,000 / 59,400 / 39,600 less 18,000: the lowest to everybody, the rest by chips
    assert list(page.context["shares"].values()) == [80_400, 53_200, 46_400]
    assert "$180.00 left to play for" in words(page)


def test_chips_that_are_not_those_in_play_are_noticed():
    event, director, entries = dealable()
    client = signed_in(director)
    assert "are in play" not in words(send(client, event, **typed(entries)))
    page = words(send(client, event, **typed(entries, **{f"stack_{entries[0]}": "60,500"})))
    assert "The chips add up to 90,500, and 90,000 are in play." in page


def make(event: Event, director: User, entries: list[int], shares: dict[int, int]) -> Done:
    stacks = dict(zip(entries, STACKS, strict=True))
    return make_deal(
        actor=director, on=event.pk, method="icm", stacks=stacks, amounts={}, left_cents=0, shown="amounts",
        agreed=frozenset(entries), shares=shares,
    )  # fmt: skip


def test_the_event_is_free_while_a_deal_is_worked_out(monkeypatch: pytest.MonkeyPatch):
    event, director, entries = dealable()
    shown = send(signed_in(director), event, **typed(entries)).context["shares"]
    held = []

    def slow(*args: Any) -> dict[int, int]:
        held.append(guard._open.get())
        return shares_of(*args)

    monkeypatch.setattr("tables.commands.deals.shares_of", slow)
    make(event, director, entries, shown)
    assert held == [False]
    assert Deal.objects.count() == 1


def test_a_deal_worked_out_for_others_than_those_left_is_not_made(monkeypatch: pytest.MonkeyPatch):
    event, director, entries = dealable(players=10)
    shown = send(signed_in(director), event, **typed(entries)).context["shares"]

    def meanwhile(*args: Any) -> dict[int, int]:
        bust(actor=director, on=event.pk, entry_ids=[entries[2]])
        return shares_of(*args)

    monkeypatch.setattr("tables.commands.deals.shares_of", meanwhile)
    with pytest.raises(Refused, match="not what the players were shown"):
        make(event, director, entries, shown)
    assert not Deal.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({"stack": ""}, "stack", "chips?"),
        ({"stack": "lots"}, "stack", "whole number"),
        ({"stack": "9" * 500}, "stack", "most that can be entered"),
        ({"left_cents": "1980"}, "left_cents", "Leave less than $1,980"),
        ({"left_cents": "-5"}, "left_cents", "less than nothing"),
        ({"method": "custom"}, "amount", "share?"),
        ({"method": "custom", "amount": "1"}, "amount", "$1,977 less than the $1,980"),
        ({"method": "coin flip"}, "method", "not one of the available"),
        ({"shown": "some"}, "shown", "not one of the available"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(sent: dict[str, str], field: str, said: str):
    event, director, entries = dealable()
    given = typed(entries)
    for name, value in sent.items():
        each = [f"{name}_{entry}" for entry in entries] if name in ("stack", "amount") else [name]
        given |= dict.fromkeys(each, value)
    for do in ("preview", "make"):
        page = send(signed_in(director), event, **given | {"do": do})
        name = f"{field}_{entries[0]}" if field in ("stack", "amount") else field
        assert said in " ".join(page.context["form"].errors[name])
        assert page.status_code == 422
    assert not Deal.objects.exists()


def test_no_deal_before_prizes_are_certain():
    event, director = make_running_event(4)
    address = reverse("deal", args=[event.pk])
    client = signed_in(director)
    assert "Registration is open" in words(client.get(address))
    close_entries(actor=director, on=event.pk)
    assert "Lock the prizes first" in words(client.get(address))
    lock_prizes(actor=director, on=event.pk)
    assert "Work it out" in words(client.get(address))
    finish(event, director, list(event.entries.values_list("pk", flat=True)))
    assert "while the event is played" in words(client.get(address))


# --- agreed ----------------------------------------------------------------------------------------------------------


def test_without_everybodys_yes_there_is_no_deal_and_no_trace_of_the_no():
    event, director, entries = dealable()
    client = signed_in(director)
    given = typed(entries)
    shares = send(client, event, **given).context["shares"]
    given |= {f"share_{entry}": cents for entry, cents in shares.items()}
    given |= {f"agree_{entry}": "on" for entry in entries[:2]}
    before = JournalEntry.objects.count()
    page = send(client, event, **given | {"do": "make"})
    assert page.status_code == 422
    assert "Everybody has to agree" in words(page)
    assert page.context["shares"] == shares
    assert (Deal.objects.count(), JournalEntry.objects.count()) == (0, before)


def test_what_was_not_shown_is_not_written_down():
    event, director, entries = dealable()
    client = signed_in(director)
    given = typed(entries)
    shares = send(client, event, **given).context["shares"]
    given |= {f"share_{entry}": cents for entry, cents in shares.items()}
    given |= {f"agree_{entry}": "on" for entry in entries} | {f"stack_{entries[0]}": "50000"}
    page = send(client, event, **given | {"do": "make"})
    assert "not what the players were shown" in words(page)
    assert not Deal.objects.exists()


@pytest.mark.parametrize(("method", "left"), [("icm", ""), ("chip_chop", "100"), ("custom", "")])
def test_prizes_are_paid_by_the_deal_and_add_up(method: str, left: str):
    event, director, entries = dealable()
    client = signed_in(director)
    own = dict(zip([f"amount_{entry}" for entry in entries], ("1000", "700", "280"), strict=True))
    made = agree(client, event, entries, method=method, left_cents=left, **own)
    assert made.status_code == 303
    shares = standings_of([event])[event.pk].prizes.shares
    on_top = int(left or 0) * 100
    assert sum(shares.values()) + on_top == 198_000
    table = payout_table(event)
    assert table.adds_up
    assert [line.name for line in table.lines if line.name]
    finish(event, director, list(reversed(entries)))
    table = payout_table(event)
    assert table.adds_up
    by_entry = {line.placed.entry_id: line.cents for line in table.lines if line.placed}
    assert by_entry == {entry: shares[entry] + (on_top if entry == entries[-1] else 0) for entry in entries}
    for entry in entries:
        pay_out(actor=director, on=event.pk, entry_id=entry, method="cash")
    assert payout_table(event).to_pay_cents == 0


def test_who_is_out_before_the_deal_keeps_the_prize_of_the_place():
    event, director, entries = dealable(left=2)
    third = payout_table(event).lines[-1]
    agree(signed_in(director), event, entries)
    assert payout_table(event).lines[-1] == third
    assert payout_table(event).adds_up


@pytest.mark.parametrize(
    ("shown", "told", "amounts"), [("amounts", True, True), ("made", True, False), ("nothing", False, False)]
)
def test_the_public_sees_of_it_what_was_agreed(shown: str, told: bool, amounts: bool):
    event, director, entries = dealable()
    agree(signed_in(director), event, entries, method="chip_chop", shown=shown, left_cents="100")
    cents = standings_of([event])[event.pk].prizes.shares[entries[0]]
    share = f"${(cents + 10_000) / 100:,.2f}".removesuffix(".00")
    during = words(Client().get(reverse("display", args=[event.pk])))
    assert ("divided by a deal" in during) == told
    assert ("left to play for" in during) == amounts
    assert "$990" not in during  # the first prize that nobody gets any more
    finish(event, director, entries)
    page = words(Client().get(reverse("results", args=[event.pk])))
    assert ("divided their prizes by a deal" in page) == told
    for name in ("results", "event", "clock", "display"):
        page = words(Client().get(reverse(name, args=[event.pk])))
        assert (share in page) == amounts, name
        assert "$990" not in page


def test_the_director_says_later_what_the_results_show():
    event, director, entries = dealable()
    client = signed_in(director)
    agree(client, event, entries)
    answer = client.post(
        reverse("deal", args=[event.pk]), {"do": "show", "shown": "nothing", "command_id": uuid.uuid4()}
    )
    assert answer.status_code == 303
    assert Deal.objects.get().shown == "nothing"


# --- taken back ------------------------------------------------------------------------------------------------------


def test_a_deal_is_taken_back_until_a_share_is_paid():
    event, director, entries = dealable()
    client = signed_in(director)
    agree(client, event, entries)
    answer = client.post(reverse("deal", args=[event.pk]), {"do": "take_back", "command_id": uuid.uuid4()})
    assert answer.status_code == 303
    assert not standings_of([event])[event.pk].prizes.deal
    again = client.get(reverse("deal", args=[event.pk]))
    assert [row.stack.value() for row in again.context["rows"]] == ["60,000", "20,000", "10,000"]
    agree(client, event, entries)
    bust(actor=director, on=event.pk, entry_ids=[entries[2]])
    pay_out(actor=director, on=event.pk, entry_id=entries[2], method="cash")
    with pytest.raises(Refused, match="has been paid"):
        take_deal_back(actor=director, on=event.pk)
    with pytest.raises(Refused, match="has been paid"):
        undo(actor=director, entry_id=JournalEntry.objects.filter(verb="deal.make").latest("pk").pk)


def test_a_deal_that_was_taken_back_is_made_anew_and_not_redone():
    event, director, entries = dealable()
    agree(signed_in(director), event, entries)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="deal.make").pk)
    with pytest.raises(Refused, match="make the deal anew"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="undo").pk)
    agree(signed_in(director), event, entries)
    take_deal_back(actor=director, on=event.pk)
    with pytest.raises(Refused, match="make the deal anew"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="deal.take_back").pk)


def test_the_lock_under_a_deal_stays():
    event, director, entries = dealable()
    agree(signed_in(director), event, entries)
    with pytest.raises(Refused, match="A deal has divided"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="prizes.lock").pk)
    with pytest.raises(Refused, match="A deal has divided"):
        lock_prizes(actor=director, on=event.pk)


def test_a_deal_that_no_longer_fits_who_is_left_is_not_paid_by():
    event, director, entries = dealable()
    agree(signed_in(director), event, entries)
    fourth = JournalEntry.objects.filter(verb="entry.bust").latest("pk")
    undo(actor=director, entry_id=fourth.pk)
    assert payout_table(event).deal_broken
    assert "no longer fits who is left" in words(signed_in(director).get(reverse("payouts", args=[event.pk])))
    bust(actor=director, on=event.pk, entry_ids=[entries[2]])
    bust(actor=director, on=event.pk, entry_ids=[entries[1]])
    with pytest.raises(Refused, match="no longer fits"):
        pay_out(actor=director, on=event.pk, entry_id=entries[1], method="cash")
    assert not Payout.objects.exists()


def test_play_ends_by_the_deal_with_places_by_chips():
    event, director, entries = dealable(left=4)
    client = signed_in(director)
    stacks = dict(zip([f"stack_{entry}" for entry in entries], ("10000", "40000", "30000", "10000"), strict=True))
    agree(client, event, entries, **stacks)
    answer = client.post(reverse("deal", args=[event.pk]), {"do": "end", "command_id": uuid.uuid4()})
    assert answer.status_code == 303
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    placed = standings_of([event])[event.pk].placed[:4]
    assert [(row.entry_id, row.best, row.worst) for row in placed] == [
        (entries[1], 1, 1),
        (entries[2], 2, 2),
        (entries[0], 3, 4),
        (entries[3], 3, 4),
    ]
    assert payout_table(event).adds_up
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="deal.end").pk)
    event.refresh_from_db()
    assert event.status == Event.Status.RUNNING


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"left_cents": "100"}, "left to play for"),
        ({"method": "custom"}, "Nobody counted"),
        ({"most": "60000"}, "Two have the same"),
    ],
)
def test_play_does_not_end_by_chips_that_decide_nothing(sent: dict[str, str], said: str):
    event, director, entries = dealable()
    given = dict(sent)
    if "most" in given:
        given[f"stack_{entries[1]}"] = given.pop("most")
    if given.get("method") == "custom":
        own = zip(entries, ("1000", "700", "280"), strict=True)
        given |= {f"amount_{entry}": amount for entry, amount in own} | {f"stack_{entry}": "" for entry in entries}
    agree(signed_in(director), event, entries, **given)
    with pytest.raises(Refused, match=said):
        end_by_chips(actor=director, on=event.pk)


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status", "may_make"),
    [
        (Role.DIRECTOR, 200, True),
        (Role.FLOOR, 200, False),
        (Role.DESK, 200, False),
        (Role.DEALER, 403, False),
        (Role.AUDITOR, 403, False),
        (Role.EDITOR, 403, False),
    ],
)
def test_who_works_a_deal_out_and_who_writes_it_down(role: str, status: int, may_make: bool):
    event, _, entries = dealable()
    client = signed_in(make_user("Ana", role=role, series=event.series))
    page = send(client, event, **typed(entries))
    assert page.status_code == status
    if status == 200:
        assert ("write it down" in words(page)) == may_make
        assert agree(client, event, entries).status_code == (303 if may_make else 403)
    assert Deal.objects.exists() == may_make


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_nobody_but_a_director_makes_a_deal_by_any_other_way(role: str):
    event, _, entries = dealable()
    with pytest.raises(NotAllowed):
        make_deal(
            actor=make_user(role=role, series=event.series),
            on=event.pk,
            method="custom",
            stacks={},
            amounts=dict.fromkeys(entries, 66_000),
            left_cents=0,
            shown="amounts",
            agreed=frozenset(entries),
            shares=dict.fromkeys(entries, 66_000),
        )


def test_the_number_of_queries_does_not_grow_with_the_players():
    counts = []
    for left in (2, 6):
        event, director, _ = dealable(left)
        client = signed_in(director)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(reverse("deal", args=[event.pk])).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
