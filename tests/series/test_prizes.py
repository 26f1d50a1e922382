"""The plan of the prizes: the command, the form, its preview."""

import uuid
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.permissions import Role
from journal.errors import NotAllowed, Refused, Stale
from series.commands.prizes import plan_prizes
from series.domain.prize_plan import Kind, Plan
from series.forms.prizes import BandLines, PercentLines
from series.models import Event, EventNotice, Letter
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.pages import signed_in, words

TYPED = {"payout_kind": "percent", "payout_shares": "60/40", "payout_step_cents": "5"}


def post(client: Client, event: Event, **sent: Any) -> HttpResponse:
    headers = {"HX-Request": "true"} if sent.pop("htmx", False) else {}
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    given = TYPED | {"do": "save", "command_id": uuid.uuid4(), "version": seen} | sent
    return client.post(reverse("prize_setup", args=[event.pk]), given, headers=headers)


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    "plan",
    [
        Plan(Kind.PERCENT, shares_bp=(6_000, 4_000), step_cents=500, minimum_cents=5_000),
        Plan(bands=((10, (10_000,)), (20, (6_000, 4_000)))),
        Plan(Kind.FIXED, amounts_cents=(50_000, 30_000)),
        Plan(Kind.CUSTOM, amounts_cents=(50_000, 30_001), step_cents=1),
    ],
)
def test_a_plan_is_kept_as_it_was_given(plan: Plan):
    event = make_event()
    plan_prizes(actor=make_director(event.series), on=event.pk, plan=plan)
    assert Event.objects.get().prize_plan == plan
    assert not EventNotice.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (Plan(Kind.PERCENT, shares_bp=(6_000,)), "payout_shares"),
        (Plan(Kind.FIXED), "payout_amounts"),
        (Plan(Kind.FIXED, amounts_cents=(10**12,)), "payout_amounts"),
        (Plan(step_cents=10**12), "payout_minimum_cents"),
        (Plan(step_cents=0), "payout_step_cents"),
        (Plan(Kind.PERCENT, shares_bp=(1_000,) * 10), "payout_shares"),
        (Plan(Kind.CUSTOM, amounts_cents=(1_000,) * 10), "payout_amounts"),
        (Plan(bands=((0, (10_000,)),)), "payout_bands"),
    ],
)
def test_a_wrong_plan_is_refused_at_its_field(plan: Plan, field: str):
    event = make_event(capacity=9)
    with pytest.raises(Refused) as refused:
        plan_prizes(actor=make_director(event.series), on=event.pk, plan=plan)
    assert refused.value.field == field
    assert Event.objects.get().seq == 0


@pytest.mark.django_db
def test_once_somebody_paid_it_takes_a_reason_that_everybody_reads():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    plan = Plan(Kind.PERCENT, shares_bp=(6_000, 4_000))
    with pytest.raises(Refused) as refused:
        plan_prizes(actor=director, on=event.pk, plan=plan)
    assert refused.value.field == "reason"
    plan_prizes(actor=director, on=event.pk, plan=plan, reason="Two friends sponsor a table.")
    notice = EventNotice.objects.get()
    assert "60/40 %" in notice.text
    assert "Two friends" in notice.text
    assert Letter.objects.filter(kind="altered").count() == 1
    with pytest.raises(Stale):
        plan_prizes(actor=director, on=event.pk, plan=Plan(), reason="Again", expected_version=0)


@pytest.mark.django_db
@pytest.mark.parametrize("status", [Event.Status.FINISHED, Event.Status.CANCELLED])
def test_what_is_over_stays_as_it_was(status: str):
    event = make_event(status=status)
    with pytest.raises(Refused, match="nothing of it changes"):
        plan_prizes(actor=make_director(event.series), on=event.pk, plan=Plan(step_cents=500))


@pytest.mark.django_db
@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_nobody_but_a_director_plans_prizes(role: str):
    event = make_event()
    with pytest.raises(NotAllowed):
        plan_prizes(actor=make_user(role=role, series=event.series), on=event.pk, plan=Plan(step_cents=500))


# --- the page --------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_preview_shows_what_is_typed_without_saving_it():
    event, director = make_running_event(9)
    client = signed_in(director)
    part = words(post(client, event, do="preview", entries="50", htmx=True))
    assert "<html" not in part
    assert "9 entries" in part
    assert "$1,190" in part  # 60 % of 9 × $220, the rest of rounding down to $5
    assert "50 entries" in part
    assert "$6,600" in part
    whole = words(post(client, event, do="preview", entries=""))
    assert "<html" in whole
    assert "60/40" in whole
    assert Event.objects.get().payout_kind == "table"


@pytest.mark.django_db
def test_saving_by_form_and_the_form_as_it_can_be_typed_again():
    event = make_event(status=Event.Status.DRAFT)
    client = signed_in(make_director(event.series))
    made = post(client, event, payout_kind="table", payout_bands="up to 10: 100\n20 entries: 60/40", payout_shares="")
    assert made.status_code == 303
    assert Event.objects.get().payout_bands == [[10, [10_000]], [20, [6_000, 4_000]]]
    form = client.get(reverse("prize_setup", args=[event.pk])).context["form"]
    assert form["payout_bands"].value() == "10: 100\n20: 60/40"
    before = Event.objects.values().get()
    typed = {name: form[name].value() or "" for name in form.fields}
    assert post(client, event, **typed).status_code == 303
    assert Event.objects.values().get() == before
    assert "Up to 10 entries 100 %" in words(client.get(reverse("event_setup", args=[event.pk])))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({"payout_shares": "50/30"}, "payout_shares", "add up to 80 %"),
        ({"payout_shares": "50/x"}, "payout_shares", "“x” is not a share"),
        ({"payout_shares": "9" * 5000}, "payout_shares", "is not a share"),
        ({"payout_kind": "fixed", "payout_amounts": "500\nlots"}, "payout_amounts", "Place 2"),
        ({"payout_kind": "fixed", "payout_amounts": "500\n600"}, "payout_amounts", "more than place 1"),
        ({"payout_kind": "table", "payout_bands": "50/30/20"}, "payout_bands", "Line 1"),
        ({"payout_kind": "table", "payout_bands": f"{'9' * 400}: 100"}, "payout_bands", "Line 1"),
        ({"payout_kind": "table", "payout_bands": "20: 50/60"}, "payout_bands", "paid more"),
        ({"payout_step_cents": ""}, "payout_step_cents", "required"),
        ({"payout_step_cents": "0"}, "payout_step_cents", "one cent"),
        ({"payout_minimum_cents": "7"}, "payout_minimum_cents", "steps of $5"),
        ({"payout_kind": "lottery"}, "payout_kind", "not one of the available"),
        ({"entries": "-1"}, "entries", "between 1"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(sent: dict[str, str], field: str, said: str):
    event = make_event()
    client = signed_in(make_director(event.series))
    for do in ("save", "preview"):
        response = post(client, event, do=do, **sent)
        assert said in " ".join(response.context["form"].errors[field])
        assert response.status_code == (422 if do == "save" else 200)
    assert Event.objects.get().seq == 0


@pytest.mark.django_db
@pytest.mark.parametrize(("role", "status"), [(Role.DIRECTOR, 200), (Role.AUDITOR, 200), (Role.DESK, 403)])
def test_who_sees_the_plan(role: str, status: int):
    event = make_event()
    client = signed_in(make_user(role=role, series=event.series))
    response = client.get(reverse("prize_setup", args=[event.pk]))
    assert response.status_code == status
    assert ("Save</button>" in words(response)) == (role == Role.DIRECTOR)


# --- what people write -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["50/30/20", "50\n30\n20", "50, 30, 20", "50,30,20", " 50% 30% 20% ", "50 ; 30 ; 20"])
def test_shares_are_read_as_people_write_them(text: str):
    assert PercentLines().clean(text) == (5_000, 3_000, 2_000)


@given(st.lists(st.integers(1, 1_000), min_size=1, max_size=9).map(lambda low: (10_000 - sum(low), *low)))
def test_shares_written_out_are_read_back_the_same(shares: tuple[int, ...]):
    field = PercentLines()
    assert field.clean(field.prepare_value(shares)) == shares
    bands = BandLines()
    assert bands.clean(bands.prepare_value([(1_200, shares)])) == ((1_200, shares),)
