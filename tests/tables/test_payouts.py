"""Prizes from the lock to the signature: locked and stale, held, paid to whom, signed, on paper and in a file."""

import csv
import io
import uuid
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.prizes import plan_prizes
from series.domain.prize_plan import Kind, Plan
from series.models import Event, LedgerLine, Payout, Player, PrizeHold, PrizeLock
from series.reads.prizes import prizes, prizes_of
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import hold_prize, pay_out, release_prize, sign_payout
from tables.commands.pool import add_to_pool as add_money
from tables.commands.prizes import lock_prizes
from tables.reads.payouts import payout_table
from tables.reads.results import results
from tests.factories import make_event, make_running_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db
POSTING = uuid.UUID(int=7)


def closed(players: int = 9, **fields: Any) -> tuple[Event, User]:
    event, director = make_running_event(players, **fields)
    close_entries(actor=director, on=event.pk)
    return event, director


def play_down(event: Event, director: User, left: int) -> list[int]:
    """Bust the first entries one by one; the keys of those still in."""
    entries = list(event.entries.order_by("pk").values_list("pk", flat=True))
    for entry in entries[: len(entries) - left]:
        bust(actor=director, on=event.pk, entry_ids=[entry])
    event.refresh_from_db()
    return entries[len(entries) - left :]


def send(client: Client, event: Event, do: str, **sent: Any) -> HttpResponse:
    headers = {"HX-Request": "true"} if sent.pop("htmx", False) else {}
    given = {"do": do, "command_id": uuid.uuid4()} | sent
    return client.post(reverse("payouts", args=[event.pk]), given, headers=headers)


def add_to_pool(event: Event, cents: int) -> None:
    with guard.writing():
        for account, amount in (("bank", cents), ("prize_pool", -cents)):
            LedgerLine.objects.create(
                event=event,
                posting=POSTING,
                account=account,
                item="addition",
                amount_cents=amount,
                at=event.starts_at,
            )


# --- what waits -----------------------------------------------------------------------------------------------------


def test_promised_prizes_that_cannot_be_paid_are_not_paid_in_part():
    event, director = closed(
        9, payout_kind="fixed", payout_amounts=[150_000, 100_000], fee_cents=0, buy_in_cents=22_000
    )
    entries = play_down(event, director, 1)
    with pytest.raises(Refused, match="short"):
        pay_out(actor=director, on=event.pk, entry_id=entries[0], method="cash")
    assert not event.payouts.exists()


# --- locking ---------------------------------------------------------------------------------------------------------


def test_locked_prizes_stay_as_they_were_published_and_say_what_changed_since():
    event, director = closed()
    before = prizes(event)
    lock_prizes(actor=director, on=event.pk)
    assert "Locked prizes" in words(signed_in(director).get(reverse("payouts", args=[event.pk])))
    add_to_pool(event, 50_000)
    assert prizes(event) == before
    assert prizes_of([event])[event.pk].stale == ["prize pool: $1,980 → $2,480"]
    page = words(signed_in(director).get(reverse("payouts", args=[event.pk])))
    assert "No longer up to date" in page
    assert "$1,980 → $2,480" in page
    assert "not equal" in page
    assert send(signed_in(director), event, "lock").status_code == 303
    assert sum(prizes(event)) == 248_000
    assert PrizeLock.objects.filter(standing=True).count() == 1
    assert not prizes_of([event])[event.pk].stale


def test_a_plan_that_changes_after_the_lock_is_told_as_well():
    event, director = closed()
    lock_prizes(actor=director, on=event.pk)
    plan_prizes(actor=director, on=event.pk, plan=Plan(Kind.PERCENT, shares_bp=(10_000,)), reason="All to one")
    event.refresh_from_db()
    assert prizes_of([event])[event.pk].stale == ["how the prizes are divided"]
    assert len(prizes(event)) == 3


def test_public_pages_say_whether_prizes_are_projected_or_locked():
    event, director = closed()
    play_down(event, director, 5)
    player = Player.objects.order_by("-pk").first()
    assert player
    addresses = [reverse(name, args=[event.pk]) for name in ("event", "clock", "display", "results")]
    addresses.append(reverse("my_page", args=[player.token]) + "?show=payouts")
    for address in addresses:
        page = words(Client().get(address))
        assert "projected" in page, address
        assert "locked" not in page, address
    lock_prizes(actor=director, on=event.pk)
    for address in addresses:
        page = words(Client().get(address))
        assert "locked" in page, address
        assert "projected" not in page, address


def test_prizes_are_not_locked_too_early_twice_or_for_nothing():
    running, director = make_running_event(9)
    with pytest.raises(Refused, match="once registration has closed"):
        lock_prizes(actor=director, on=running.pk)
    close_entries(actor=director, on=running.pk)
    lock_prizes(actor=director, on=running.pk)
    with pytest.raises(Refused, match="already"):
        lock_prizes(actor=director, on=running.pk)
    free, director = closed(4, buy_in_cents=0, fee_cents=0)
    with pytest.raises(Refused, match="nothing in the prize pool"):
        lock_prizes(actor=director, on=free.pk)
    with pytest.raises(Refused, match="open for registration"):
        lock_prizes(actor=director, on=make_event(free.series).pk)


def test_promised_prizes_that_the_pool_does_not_hold_are_not_published():
    event, director = closed(9, payout_kind="fixed", payout_amounts=[150_000, 100_000])
    with pytest.raises(Refused, match=r"\$520 short"):
        lock_prizes(actor=director, on=event.pk)
    assert "$520 short" in words(signed_in(director).get(reverse("payouts", args=[event.pk])))
    add_to_pool(event, 52_000)
    lock_prizes(actor=director, on=event.pk)
    assert prizes(event) == (150_000, 100_000)


def test_undoing_a_lock_brings_the_one_before_back():
    event, director = closed()
    lock_prizes(actor=director, on=event.pk)
    first = prizes(event)
    add_to_pool(event, 100_00)
    lock_prizes(actor=director, on=event.pk)
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="prizes.lock").latest("pk").pk)
    assert prizes(event) == first
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="prizes.lock").earliest("pk").pk)
    assert prizes_of([event])[event.pk].lock is None


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_only_the_director_locks_prizes_and_releases_held_ones(role: str):
    event, director = closed()
    left = play_down(event, director, 1)
    hold_prize(actor=director, on=event.pk, entry_id=left[0], why="Two claim the stack")
    other = make_user(role=role, series=event.series)
    with pytest.raises(NotAllowed):
        lock_prizes(actor=other, on=event.pk)
    with pytest.raises(NotAllowed):
        release_prize(actor=other, on=event.pk, entry_id=left[0])
    assert not PrizeLock.objects.exists()
    assert PrizeHold.objects.get().standing


# --- held ------------------------------------------------------------------------------------------------------------


def test_a_held_prize_is_not_paid_counts_in_the_list_and_its_reason_stays_with_the_staff():
    event, director = closed()
    winner = play_down(event, director, 1)[0]
    cashier = make_user("Ana", role=Role.DESK, series=event.series)
    client = signed_in(cashier)
    for why, kept in (("  ", ""), ("Two claim it. " * 25, ("Two claim it. " * 25).strip())):
        refused = words(send(client, event, "hold", entry_id=winner, why=why))
        assert refused.count('id="id_why"') == refused.count('href="#id_why"') == 1
        assert kept in refused
    assert send(client, event, "hold", entry_id=winner, why="Two claim the stack").status_code == 303
    with pytest.raises(Refused, match="held in dispute"):
        pay_out(actor=director, on=event.pk, entry_id=winner, method="cash")
    page = words(client.get(reverse("payouts", args=[event.pk])))
    assert "held in dispute" in page
    assert "Two claim the stack" in page
    assert 'value="release"' not in page
    table = payout_table(event)
    assert (table.held_count, table.held_cents) == (1, prizes(event)[0])
    assert table.adds_up
    assert "Two claim" not in words(Client().get(reverse("results", args=[event.pk])))
    said = JournalEntry.objects.get(verb="prize.hold")
    assert "Two claim" not in f"{said.text} {said.facts} {said.reason} {said.result}"
    assert all("Two claim" not in str(change.after) for change in said.changes.all())
    assert send(signed_in(director), event, "release", entry_id=winner).status_code == 303
    assert send(client, event, "pay", entry_id=winner, method="cash").status_code == 303
    assert payout_table(event).held_count == 0


def test_holding_is_refused_where_it_makes_no_sense():
    event, director = closed()
    winner, *_ = play_down(event, director, 1)
    for given, said in (({"why": " "}, "Say why"), ({"why": "x" * 301}, "300"), ({"entry_id": 0}, "no such player")):
        with pytest.raises(Refused, match=said):
            hold_prize(actor=director, on=event.pk, **{"entry_id": winner, "why": "Dispute"} | given)
    with pytest.raises(Refused, match="not held"):
        release_prize(actor=director, on=event.pk, entry_id=winner)
    hold_prize(actor=director, on=event.pk, entry_id=winner, why="Dispute")
    with pytest.raises(Refused, match="held already"):
        hold_prize(actor=director, on=event.pk, entry_id=winner, why="Dispute")
    release_prize(actor=director, on=event.pk, entry_id=winner)
    pay_out(actor=director, on=event.pk, entry_id=winner, method="cash")
    with pytest.raises(Refused, match="paid already"):
        hold_prize(actor=director, on=event.pk, entry_id=winner, why="Dispute")
    elsewhere, _ = closed(3)
    with pytest.raises(Refused, match="no such player"):
        hold_prize(actor=director, on=event.pk, entry_id=elsewhere.entries.first().pk, why="Dispute")


def test_undoing_a_hold_is_the_directors():
    event, director = closed()
    winner = play_down(event, director, 1)[0]
    cashier = make_user("Ana", role=Role.DESK, series=event.series)
    hold_prize(actor=cashier, on=event.pk, entry_id=winner, why="Dispute")
    entry = JournalEntry.objects.get(verb="prize.hold")
    with pytest.raises(NotAllowed):
        undo(actor=cashier, entry_id=entry.pk)
    undo(actor=director, entry_id=entry.pk)
    pay_out(actor=cashier, on=event.pk, entry_id=winner, method="cash")


# --- paid and signed for ---------------------------------------------------------------------------------------------


def test_who_got_it_and_that_it_was_signed_for():
    event, director = closed()
    winner = play_down(event, director, 1)[0]
    client = signed_in(director)
    assert send(client, event, "pay", entry_id=winner, method="transfer", paid_to="  Aroha   Kingi ").status_code == 303
    payout = Payout.objects.get()
    assert (payout.paid_to, payout.signed, payout.paid_by) == ("Aroha Kingi", False, director)
    change = JournalEntry.objects.get(verb="payout.pay").changes.get(table="series.payout")
    assert "Aroha" not in str(change.after)
    page = words(client.get(reverse("payouts", args=[event.pk])))
    assert "to Aroha Kingi" in page
    receipt = LedgerLine.objects.get(item="payout", account="till").receipt
    assert receipt
    assert f"receipt {event.number}-{receipt:04}" in page
    assert "signed for</small>" not in page
    answer = send(client, event, "sign", entry_id=winner, htmx=True)
    assert "signed for</small>" in words(answer)
    assert "<html" not in words(answer)
    with pytest.raises(Refused, match="already"):
        sign_payout(actor=director, on=event.pk, entry_id=winner)
    assert "Aroha" not in words(Client().get(reverse("results", args=[event.pk])))


def test_a_player_is_found_by_name_and_paid_with_one_tap():
    event, director = closed()
    play_down(event, director, 1)
    with guard.writing():
        Player.objects.update(public_name="Somebody Else")
        winner = event.entries.get(status="playing")
        Player.objects.filter(pk=winner.player_id).update(public_name="Ngāio Tūhoe")
    client = signed_in(director)
    page = words(client.get(reverse("payouts", args=[event.pk]) + "?q=tuhoe+nga"))
    assert page.count("Pay by") == 1
    assert "Ngāio Tūhoe" in page
    assert "Somebody Else" not in page
    nobody = words(client.get(reverse("payouts", args=[event.pk]) + "?q=zzz"))
    assert "Nobody with a prize" in nobody
    address = reverse("payouts", args=[event.pk]) + "?q=tuhoe"
    paid = client.post(address, {"do": "pay", "entry_id": winner.pk, "method": "cash", "command_id": uuid.uuid4()})
    assert (paid.status_code, paid["Location"]) == (303, address)


@pytest.mark.parametrize(
    "sent",
    [
        {"do": "pay", "entry_id": "9" * 30, "method": "cash"},
        {"do": "pay", "entry_id": "x", "method": "cash"},
        {"do": "pay", "method": "beer", "entry_id": "1"},
        {"do": "hold", "entry_id": "1"},
        {"do": "nothing"},
        {"do": "sign", "entry_id": "9" * 18},
    ],
)
def test_odd_input_is_told_what_is_wrong(sent: dict[str, str]):
    event, director = closed(3)
    response = send(signed_in(director), event, **sent)
    assert response.status_code == 422
    assert not Payout.objects.exists()


def test_the_list_as_a_file_that_runs_no_formula():
    event, director = closed()
    play_down(event, director, 1)
    with guard.writing():
        Player.objects.update(public_name="=1+1")
    entry = event.entries.get(status="playing").pk
    pay_out(actor=director, on=event.pk, entry_id=entry, method="cash", signed=True)
    answer = signed_in(director).get(reverse("payouts_csv", args=[event.pk]))
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(rows) == 4
    assert rows[1][:2] == ["1", "'=1+1"]
    assert rows[1][3:6] == ["paid", f"{prizes(event)[0] / 100:.2f}", "Cash"]
    assert rows[1][9] == "yes"
    assert rows[2][3] == "not paid"
    assert sum(round(float(row[2]) * 100) for row in rows[1:]) == sum(prizes(event))


def test_the_sheet_has_a_line_to_sign_for_every_prize():
    event, director = closed()
    play_down(event, director, 2)
    page = words(signed_in(director).get(reverse("payout_sheet", args=[event.pk])))
    assert page.count('class="sign"') == 3
    assert "Prizes not locked yet" in page


@pytest.mark.parametrize("name", ["payouts_csv", "payout_sheet"])
@pytest.mark.parametrize(("role", "status"), [(Role.DESK, 200), (Role.AUDITOR, 200), (Role.FLOOR, 403)])
def test_who_reads_the_list(name: str, role: str, status: int):
    event, _ = closed(3)
    client = signed_in(make_user(role=role, series=event.series))
    assert client.get(reverse(name, args=[event.pk])).status_code == status
    assert Client().get(reverse(name, args=[event.pk])).status_code == 302


def test_shared_places_are_said_to_be_shared():
    event, director = closed(9, payout_shares=[5_000, 3_000, 2_000], payout_step_cents=1)
    left = play_down(event, director, 3)
    bust(actor=director, on=event.pk, entry_ids=left[:2])
    event.refresh_from_db()
    table = payout_table(event)
    assert [(line.best, line.worst, line.cents) for line in table.lines] == [
        (1, 1, 99_000),
        (2, 3, 49_500),
        (2, 3, 49_500),
    ]
    assert table.adds_up
    assert words(signed_in(director).get(reverse("payouts", args=[event.pk]))).count("shared places") == 2
    assert sum(line.placed.prize_cents for line in results(event).lines) == 198_000


# --- at the desk -----------------------------------------------------------------------------------------------------


def test_the_desk_finds_a_player_and_pays_with_one_tap():
    event, director = closed()
    play_down(event, director, 1)
    cashier = signed_in(make_user("Ana", role=Role.DESK, series=event.series))
    second = payout_table(event).lines[1].placed
    assert second
    player = Player.objects.get(pk=second.player_id)
    cents = f"${second.prize_cents / 100:,.2f}"
    page = words(cashier.get(reverse("desk", args=[event.pk]), {"player": player.pk}))
    assert cents in page
    assert 'name="method" value="cash"' in page
    address = reverse("desk_pay", args=[event.pk, player.pk])
    wrong = cashier.post(address, {"entry_id": second.entry_id, "method": "beer", "command_id": uuid.uuid4()})
    assert wrong.status_code == 422
    assert not Payout.objects.exists()
    given = {"entry_id": second.entry_id, "method": "cash", "command_id": uuid.uuid4()}
    done = cashier.post(address, given)
    assert done.status_code == 303
    page = words(cashier.get(done["Location"]))
    assert "paid</span>" in page
    assert 'name="method" value="cash"' not in page
    winner = event.entries.get(status="playing").player_id
    assert "1st" in words(cashier.get(reverse("desk", args=[event.pk]), {"player": winner}))


def test_whoever_does_not_pay_prizes_sees_none_at_the_desk():
    event, director = closed()
    play_down(event, director, 1)
    floor = signed_in(make_user("Ana", role=Role.FLOOR, series=event.series))
    winner = event.entries.get(status="playing")
    page = words(floor.get(reverse("desk", args=[event.pk]), {"player": winner.player_id}))
    assert "desk-prize" not in page
    given = {"entry_id": winner.pk, "method": "cash", "command_id": uuid.uuid4()}
    assert floor.post(reverse("desk_pay", args=[event.pk, winner.player_id]), given).status_code == 403
    assert not Payout.objects.exists()


def test_a_payment_taken_back_is_not_redone_past_a_hold():
    event, director = closed()
    (winner,) = play_down(event, director, 1)
    desk = make_user("Tia", role=Role.DESK, series=event.series)
    pay_out(actor=desk, on=event.pk, entry_id=winner, method="cash")
    undo(actor=desk, entry_id=JournalEntry.objects.latest("pk").pk)
    taken_back = JournalEntry.objects.latest("pk")
    hold_prize(actor=director, on=event.pk, entry_id=winner, why="Protest")
    with pytest.raises(Refused, match="pay this prize anew"):
        undo(actor=desk, entry_id=taken_back.pk)
    assert not Payout.objects.filter(taken_back=False).exists()


def test_what_filled_the_pool_is_not_taken_back_once_prizes_are_paid():
    event, director = make_running_event(9)
    sponsor = {"cents": 50_000, "method": "transfer", "source": "Club"}
    add_money(actor=director, on=event.pk, **sponsor)
    added = JournalEntry.objects.latest("pk")
    close_entries(actor=director, on=event.pk)
    (winner,) = play_down(event, director, 1)
    pay_out(actor=director, on=event.pk, entry_id=winner, method="cash")
    paid = JournalEntry.objects.latest("pk")
    with pytest.raises(Refused, match="prizes have been paid"):
        undo(actor=director, entry_id=added.pk)
    undo(actor=director, entry_id=paid.pk)
    undo(actor=director, entry_id=added.pk)
    assert sum(prizes(event)) == 9 * 22_000
