"""Calling an event off and altering it in public: refunds, notices, mail, what undo still may (house rule 54)."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.core import mail
from django.db.models import Sum
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.altering import alter_event, cancel_event
from series.commands.events import change_day, change_event
from series.commands.people import withdraw
from series.commands.place_rules import change_place_rules
from series.commands.satellites import set_satellite
from series.letters import compose
from series.models import Event, EventNotice, LedgerLine, Letter
from series.reads.money import prize_pool_cents, refunds
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.tasks import send_letters
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db

FLOOD = "The hall is flooded."


def cancel(actor: User, event: Event, reason: str = FLOOD) -> int:
    return cancel_event(actor=actor, on=event.pk, reason=reason).result["refunded_cents"]


def letters(event: Event, kind: str) -> list[Letter]:
    rows = Letter.objects.filter(registration__event=event, kind=kind)
    return list(rows.select_related("registration__player", "registration__event__series", "registration__day"))


# --- calling it off ---------------------------------------------------------------------------------------------------
def test_every_buy_in_is_answered_by_its_refund_once():
    event, director = make_running_event(4, max_reentries=1)
    add_players(event, 1, director, paid=False)
    (taken_back,) = add_players(event, 1, director)
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="entry.buy_in").latest("seq").pk)
    assert taken_back["entry"]
    assert cancel(director, event) == 4 * 25_000
    totals = event.ledger.order_by().values("posting", "account").annotate(total=Sum("amount_cents"))
    assert {row["total"] for row in totals} == {0}
    assert prize_pool_cents(event) == 0
    assert [(refund.cents, refund.method) for refund in refunds(event)] == [(25_000, "Cash")] * 4
    event.refresh_from_db()
    assert event.status == Event.Status.CANCELLED


def test_a_buy_in_taken_back_and_redone_is_refunded_too():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="entry.buy_in").pk)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="undo").pk)
    assert cancel(director, event) == 25_000
    assert event.ledger.aggregate(total=Sum("amount_cents", default=0))["total"] == 0
    assert prize_pool_cents(event) == 0


def test_what_was_refunded_cannot_be_undone():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    cancel(director, event)
    lines = LedgerLine.objects.count()
    with pytest.raises(Refused, match="refunded"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="event.cancel").pk)
    assert LedgerLine.objects.count() == lines
    event.refresh_from_db()
    assert event.status == Event.Status.CANCELLED


def test_without_refunds_it_can_be_undone_also_when_the_mail_is_out():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 2, director, paid=False)
    cancel(director, event)
    send_letters()
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="event.cancel").pk)
    event.refresh_from_db()
    assert event.status == Event.Status.OPEN
    assert not EventNotice.objects.exists()
    assert len(letters(event, "cancelled")) == 2


def test_paid_prizes_are_taken_back_first():
    event, director = make_running_event(3)
    close_entries(actor=director, on=event.pk)
    seats = list(event.entries.values_list("pk", flat=True))
    bust(actor=director, on=event.pk, entry_ids=seats[:1])
    bust(actor=director, on=event.pk, entry_ids=seats[1:2])
    pay_out(actor=director, on=event.pk, entry_id=seats[2], method="cash")
    with pytest.raises(Refused, match="finished"):
        cancel(director, event)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="payout.pay").pk)


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER, Role.AUDITOR])
def test_only_who_sets_up_may(role: str):
    event = make_event()
    user = make_user("Staff", role=role, series=event.series)
    with pytest.raises(NotAllowed):
        cancel(user, event)
    with pytest.raises(NotAllowed):
        alter_event(actor=user, on=event.pk, reason="Why not", capacity=400)


def test_everybody_who_holds_a_place_is_told(client: Client):
    event = make_event()
    director = make_director(event.series)
    (paid,) = add_players(event, 1, director)
    held, gone = add_players(event, 2, director, paid=False)
    withdraw(actor=director, on=event.pk, registration_id=gone["registration"])
    cancel(director, event)
    told = letters(event, "cancelled")
    assert {letter.registration_id for letter in told} == {paid["registration"], held["registration"]}
    texts = {letter.registration_id: compose(letter) for letter in told}
    subject, text = texts[paid["registration"]]
    assert subject == "Main is cancelled"
    assert FLOOD in text
    assert "$250.00 is refunded" in text
    assert "refunded" not in texts[held["registration"]][1]
    send_letters()
    assert [message.subject for message in mail.outbox].count("Main is cancelled") == 2
    page = words(client.get(reverse("event", args=[event.pk])))
    assert "This event is cancelled." in page
    assert FLOOD in page


def test_a_draft_is_called_off_quietly():
    event = make_event(status=Event.Status.DRAFT)
    cancel(make_director(event.series), event)
    assert not EventNotice.objects.exists()


def test_the_desk_sees_who_gets_what_back():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 2, director)
    address = reverse("event_setup", args=[event.pk])
    sent = {"command_id": uuid.uuid4(), "reason": FLOOD}
    assert signed_in(director).post(reverse("event_cancel", args=[event.pk]), sent).status_code == 303
    page = words(signed_in(director).get(address))
    assert "Refunds" in page
    assert page.count("$250.00") == 2
    assert FLOOD in page
    floor = make_user("Wiremu", role=Role.FLOOR, series=event.series)
    assert "$250.00" not in words(signed_in(floor).get(address))


# --- altering ---------------------------------------------------------------------------------------------------------
def alter(actor: User, event: Event, reason: str = "The caterers need longer.", **given: Any) -> list[str]:
    return alter_event(actor=actor, on=event.pk, reason=reason, **given).result["changes"]


def test_a_change_is_announced_with_its_reason(client: Client):
    event = make_event(starts_at=dt.datetime(2026, 12, 5, 6, 0, tzinfo=dt.UTC))
    director = make_director(event.series)
    add_players(event, 2, director, paid=False)
    changes = alter(director, event, starts_at=event.starts_at + dt.timedelta(hours=1), buy_in_cents=20_000)
    assert changes == ["Start: Sat 5 December 2026, 19:00 → Sat 5 December 2026, 20:00", "Buy-in: $220 → $200"]
    page = words(client.get(reverse("event", args=[event.pk])))
    for said in (*changes, "The caterers need longer."):
        assert said in page
    subject, text = compose(letters(event, "altered")[0])
    assert subject == "Main has changed"
    assert "19:00 → Sat 5 December 2026, 20:00" in text
    assert "The caterers need longer." in text


def test_each_letter_says_its_own_change():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    alter(director, event, capacity=400)
    alter(director, event, reason="More tables came.", capacity=600)
    first, second = (compose(letter)[1] for letter in letters(event, "altered"))
    assert "500 → 400" in first
    assert "More tables" not in first
    assert "400 → 600" in second


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"reason": " ", "capacity": 400}, "reason", "Say why"),
        ({}, None, "Nothing"),
        ({"capacity": 1}, "capacity", "between"),
        ({"buy_in_cents": 100}, "buy_in_cents", "cannot change"),
    ],
)
def test_nothing_is_announced_if_it_cannot_be(given: dict[str, Any], field: str | None, said: str):
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    with pytest.raises(Refused, match=said) as refused:
        alter(director, event, **given)
    assert refused.value.field == field
    assert not EventNotice.objects.exists()


@pytest.mark.parametrize("status", [Event.Status.OPEN, Event.Status.RUNNING])
def test_nothing_that_was_told_changes_silently(status: str):
    event = make_event()
    director = make_director(event.series)
    with guard.writing():
        Event.objects.update(status=status)
    with pytest.raises(Refused, match="Say why") as refused:
        change_event(actor=director, on=event.pk, capacity=400, reason="  ")
    assert refused.value.field == "reason"
    assert Event.objects.get().capacity == 500
    change_event(actor=director, on=event.pk, capacity=500)  # as it was: nobody has to be told


def test_the_form_asks_for_the_reason_beside_its_field_and_announces_with_it():
    event = make_event()
    director = make_director(event.series)
    client, address = signed_in(director), reverse("event_setup", args=[event.pk])
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False, "")}
    sent |= {"starts_at": "2027-01-09T18:00", "buy_in_cents": "220", "fee_cents": "30"}
    sent |= {"chips": "25, 100, 500, 1000", "capacity": "450", "max_reentries": "0"}
    response = client.post(address, sent | {"command_id": uuid.uuid4()})
    assert response.status_code == 422
    assert "Say why it changes" in response.context["form"].errors["reason"][0]
    assert 'value="450"' in words(response)
    assert not EventNotice.objects.exists()
    sent |= {"capacity": "460", "reason": "A table more.", "command_id": uuid.uuid4()}
    assert client.post(address, sent).status_code == 303
    assert "A table more." in EventNotice.objects.get().text


# --- days, prizes and holds -------------------------------------------------------------------------------------------
def told(event: Event) -> str:
    return EventNotice.objects.get(event=event, kind=EventNotice.Kind.ALTERED).text


def test_a_flight_that_starts_later_is_announced_with_the_reason():
    event = make_event(starts_at=dt.datetime(2027, 6, 5, 5, 30, tzinfo=dt.UTC))
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    day, later = event.days.get(), event.starts_at + dt.timedelta(hours=1)
    given: dict[str, Any] = {"actor": director, "on": event.pk, "day_id": day.pk, "label": day.label}
    with pytest.raises(Refused) as refused:
        change_day(**given, starts_at=later)
    assert refused.value.field == "reason"
    day.refresh_from_db()
    assert day.starts_at == event.starts_at
    change_day(**given, starts_at=later, reason=FLOOD)
    assert told(event) == f"Start of Day 1: Sat 5 June 2027, 17:30 → Sat 5 June 2027, 18:30\n{FLOOD}"
    assert len(letters(event, "altered")) == 1


def test_nothing_is_announced_of_a_draft_or_of_what_stays():
    event = make_event(status=Event.Status.DRAFT)
    director, day = make_director(event.series), event.days.get()
    given: dict[str, Any] = {"actor": director, "on": event.pk, "day_id": day.pk, "label": "Day 1"}
    change_day(**given, starts_at=day.starts_at + dt.timedelta(hours=1))
    opened = make_event(event.series)
    day = opened.days.get()
    change_day(**given | {"on": opened.pk, "day_id": day.pk}, starts_at=day.starts_at)
    assert not EventNotice.objects.exists()


def test_other_prizes_are_announced_and_not_undone_in_silence():
    event = make_event()
    director = make_director(event.series)
    target = make_event(event.series, name="Grand Final")
    with pytest.raises(Refused) as refused:
        set_satellite(actor=director, on=event.pk, target_id=target.pk)
    assert refused.value.field == "reason"
    set_satellite(actor=director, on=event.pk, target_id=target.pk, reason="You asked for it.")
    assert "Prizes: money → seats in Grand Final, $250 each" in told(event)
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="event.satellite").pk)


def test_new_hold_times_are_mailed_to_who_holds_a_place():
    event = make_event(starts_at=dt.datetime(2027, 6, 5, 5, 30, tzinfo=dt.UTC), hold_minutes=30)
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    rules: dict[str, Any] = {"hall_seats": None, "call_minutes": 15, "early_call_minutes": 60, "caps": {}}
    change_place_rules(actor=director, on=event.pk, hold_minutes=30, **rules)
    assert not EventNotice.objects.exists()
    with pytest.raises(Refused) as refused:
        change_place_rules(actor=director, on=event.pk, hold_minutes=60, **rules)
    assert refused.value.field == "reason"
    change_place_rules(actor=director, on=event.pk, hold_minutes=60, **rules, reason="A long queue.")
    (letter,) = letters(event, "altered")
    _, text = compose(letter)
    assert "Places are held: until 30 minutes before the start → until 60 minutes before the start" in text
    assert "Your place is held until Sat 5 Jun 2027, 16:30" in text


def test_the_pages_ask_for_the_reason_once_the_event_is_open():
    event, draft = make_event(), make_event(status=Event.Status.DRAFT)
    for one, asks in ((event, True), (draft, False)):
        client = signed_in(make_director(one.series))
        make_event(one.series)
        for page in (reverse("day_setup", args=[one.pk, one.days.get().pk]), reverse("place_setup", args=[one.pk])):
            assert ('name="reason"' in client.get(page).content.decode()) is asks, page
        satellite = client.get(reverse("event_setup", args=[one.pk])).content.decode()
        assert ('id="satellite_reason"' in satellite) is asks
    client = signed_in(make_director(event.series))
    sent = {"command_id": str(uuid.uuid4()), "label": "Friday", "starts_at": "2027-06-06T17:30"}
    page = reverse("day_setup", args=[event.pk, event.days.get().pk])
    assert client.post(page, sent).status_code == 422
    assert client.post(page, sent | {"reason": FLOOD}).status_code == 303
    assert "Day 1 is called Friday now" in told(event)
