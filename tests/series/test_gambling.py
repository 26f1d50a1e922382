"""The New Zealand view: who operates, papers, costs and goods, the sums beside the limits, every problem explained."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands import gambling
from series.models import Cost, Event, GoodsPrize, LicenceDocument
from series.reads.gambling import GamblingView, gambling_view, series_terms
from tests.factories import add_players, make_director, make_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db
TODAY = timezone.now().date()


def view(event: Event) -> GamblingView:
    return gambling_view(Event.objects.select_related("series").get(pk=event.pk), timezone.now())


def operator(event: Event, kind: str, **given: Any) -> User:
    director = make_director(event.series)
    gambling.set_series_terms(actor=director, on=event.series_id, operator=kind, **given)
    return director


def problems(event: Event) -> str:
    return " ".join(problem.words for problem in view(event).problems)


def test_potential_turnover_counts_everything_that_could_be_bought():
    rules = {
        "rebuys": 2, "rebuy_cents": 1000, "rebuy_fee_cents": 100, "rebuy_chips": 1, "addons": 1, "addon_cents": 500,
        "addon_chips": 1, "bounty_cents": 300,
    }  # fmt: skip
    event = make_event(buy_in_cents=2000, fee_cents=200, capacity=10, max_reentries=1, entry_rules=rules)
    found = view(event)
    assert found.result.potential_turnover_cents == 10 * (2 * (2000 + 200 + 300) + 2 * 1100 + 500)
    assert found.prizes_full == 10 * (2 * (2000 + 300) + 2 * 1000 + 500)


def test_a_club_night_of_a_person_is_class_1_at_the_limit_and_needs_a_society_above():
    event = make_event(buy_in_cents=2000, fee_cents=0, capacity=25)
    operator(event, "individual")
    assert (view(event).class_name, problems(event)) == ("Class 1", "")
    bigger = make_event(event.series, buy_in_cents=2000, fee_cents=0, capacity=26)
    assert view(bigger).class_name == "Class 2"
    assert "only a society" in problems(bigger)
    assert "talk to the Department of Internal Affairs" in problems(bigger)


def test_goods_and_added_money_count_as_prizes_at_their_value():
    event = make_event(buy_in_cents=2000, fee_cents=0, capacity=25)
    director = operator(event, "individual")
    made = gambling.add_goods(actor=director, on=event.pk, what="Bicycle", retail_cents=1).result["goods"]
    assert view(event).prizes_full == 50_001
    assert view(event).class_name == "Class 2"
    gambling.withdraw_goods(actor=director, on=event.pk, goods_id=made)
    assert view(event).class_name == "Class 1"
    assert GoodsPrize.objects.get().withdrawn


def test_a_fee_of_a_person_is_explained_beside_the_costs_with_receipts():
    event = make_event(buy_in_cents=1000, fee_cents=500, capacity=10)
    director = operator(event, "individual")
    gambling.add_cost(actor=director, on=event.pk, what="Hall", amount_cents=4000, receipt="R-17")
    assert "Fees can come to $50; costs with a receipt so far: $40." in problems(event)


def test_a_share_for_the_staff_is_pointed_out_but_in_a_casino():
    event = make_event(staff_kind="buy_in", staff_amount=500)
    for kind, told in (("individual", True), ("society", True), ("casino", False)):
        operator(event, kind, purpose="Surf life saving")
        assert ("goes to the staff" in problems(event)) == told
    operator(other := make_event(), "individual")
    assert "goes to the staff" not in problems(other)


def test_class_3_needs_a_licence_that_covers_the_day_of_the_event():
    event = make_event(starts_at=timezone.now() + dt.timedelta(days=100))
    director = operator(event, "corporate_society", purpose="Surf life saving")
    assert view(event).class_name == "Class 3"
    assert "none is recorded" in problems(event)
    add = {"actor": director, "on": event.series_id, "kind": "class_3"}
    gambling.add_licence(number="C3-1", expires=TODAY + dt.timedelta(days=90), **add)
    assert "does not cover the day of the event" in problems(event)
    assert "none is recorded" in problems(event)
    gambling.add_licence(number="C3-2", expires=TODAY + dt.timedelta(days=400), **add)
    found = view(event)
    assert found.terms.licence_number == "C3-2"
    assert [p.row.number for p in found.papers if p.tone == "stop"] == ["C3-1"]
    assert "none is recorded" not in problems(event)


def test_without_an_operator_the_strictest_reading_holds_and_says_so():
    event = make_event()
    assert "Nobody has said who conducts the event" in problems(event)
    assert "only a society" in problems(event)


def test_an_event_differs_from_its_series_only_where_it_says_so():
    event = make_event()
    director = operator(event, "society", operator_name="Harbour Club", purpose="Rescue boat")
    gambling.set_event_terms(actor=director, on=event.pk, operator="casino")
    terms = view(event).terms
    assert (terms.operator, terms.name, terms.purpose) == ("casino", "Harbour Club", "Rescue boat")
    assert view(event).problems == ()
    other = make_event(event.series)
    assert view(other).terms.operator == "society"


def test_the_series_stands_beside_the_event_without_cancelled_ones():
    event = make_event(buy_in_cents=2000, fee_cents=0, capacity=25)
    make_event(event.series, buy_in_cents=1000, fee_cents=0, capacity=10)
    make_event(event.series, buy_in_cents=9000, fee_cents=0, capacity=10, status=Event.Status.CANCELLED)
    turnover, prizes = view(event).limits
    assert (turnover.cents, turnover.series_cents) == (50_000, 60_000)
    assert (prizes.cents, prizes.series_cents) == (50_000, 60_000)


def test_once_over_prizes_are_those_there_were():
    event = make_event(capacity=500)
    director = make_director(event.series)
    add_players(event, 2, director)
    assert view(event).prizes_full == 500 * 22_000
    assert view(event).prizes_now == 2 * 22_000
    finished = Event.objects.select_related("series").get(pk=event.pk)
    finished.status = Event.Status.FINISHED
    assert gambling_view(finished, timezone.now()).prizes_full == 2 * 22_000


# --- records ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "given", "field"),
    [
        ("set_series_terms", {"operator": "syndicate"}, "operator"),
        ("set_series_terms", {"operator": "society", "retention_years": 0}, "retention_years"),
        ("add_licence", {"kind": "class_3", "number": " "}, "number"),
        ("add_licence", {"kind": "passport", "number": "1"}, "kind"),
        (
            "add_licence",
            {"kind": "class_3", "number": "1", "issued": TODAY, "expires": TODAY - dt.timedelta(days=1)},
            "expires",
        ),
        ("set_event_terms", {"operator": "syndicate"}, "operator"),
        ("add_cost", {"what": "Hall", "amount_cents": 0, "receipt": "1"}, "amount_cents"),
        ("add_cost", {"what": "Hall", "amount_cents": 10**12, "receipt": "1"}, "amount_cents"),
        ("add_cost", {"what": "Hall", "amount_cents": 100, "receipt": ""}, "receipt"),
        ("add_goods", {"what": "", "retail_cents": 100}, "what"),
    ],
)
def test_what_is_wrong_is_refused_at_its_field(command: str, given: dict[str, Any], field: str):
    event = make_event()
    on = event.series_id if command in ("set_series_terms", "add_licence") else event.pk
    with pytest.raises(Refused) as refused:
        getattr(gambling, command)(actor=make_director(event.series), on=on, **given)
    assert refused.value.field == field


def test_records_are_withdrawn_and_undone_never_deleted():
    event = make_event()
    director = make_director(event.series)
    gambling.add_cost(actor=director, on=event.pk, what="Hall", amount_cents=4000, receipt="R-17")
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="cost.add").pk)
    assert Cost.objects.get().withdrawn
    assert view(event).costs == ()
    paper = gambling.add_licence(actor=director, on=event.series_id, kind="venue", number="V1").result["licence"]
    with pytest.raises(Refused, match="recorded already"):
        gambling.add_licence(actor=director, on=event.series_id, kind="venue", number="v1")
    gambling.withdraw_licence(actor=director, on=event.series_id, licence_id=paper)
    gambling.add_licence(actor=director, on=event.series_id, kind="venue", number="V1")
    assert LicenceDocument.objects.count() == 2


def test_nothing_of_another_event_or_series_can_be_withdrawn():
    event, other = make_event(), make_event()
    director = make_director(event.series)
    cost = gambling.add_cost(actor=director, on=event.pk, what="Hall", amount_cents=1, receipt="1").result["cost"]
    paper = gambling.add_licence(actor=director, on=event.series_id, kind="venue", number="1").result["licence"]
    stranger = make_director(other.series)
    with pytest.raises(Refused):
        gambling.withdraw_cost(actor=stranger, on=other.pk, cost_id=cost)
    with pytest.raises(Refused):
        gambling.withdraw_licence(actor=stranger, on=other.series_id, licence_id=paper)


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER, Role.EDITOR, Role.AUDITOR])
def test_only_who_sets_up_records(role: str):
    event = make_event()
    user = make_user("Staff", role=role, series=event.series)
    with pytest.raises(NotAllowed):
        gambling.set_series_terms(actor=user, on=event.series_id, operator="society")
    with pytest.raises(NotAllowed):
        gambling.add_cost(actor=user, on=event.pk, what="Hall", amount_cents=1, receipt="1")


# --- pages ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("role", "status", "forms"),
    [
        (Role.DIRECTOR, 200, True),
        (Role.FLOOR, 200, False),
        (Role.DESK, 200, False),
        (Role.AUDITOR, 200, False),
        (Role.DEALER, 403, False),
        (Role.EDITOR, 403, False),
    ],
)
def test_each_role_sees_its_part(role: str, status: int, forms: bool):
    event = make_event()
    client = signed_in(make_user("Ana", role=role, series=event.series))
    for name, arg in (("gambling", event.pk), ("series_gambling", event.series.slug)):
        response = client.get(reverse(name, args=[arg]))
        assert response.status_code == status
        assert ('name="do" value="terms"' in words(response)) == forms


def post(user: User, event: Event, do: str, **sent: Any) -> HttpResponse:
    name, arg = ("series_gambling", event.series.slug) if do.startswith("licence") else ("gambling", event.pk)
    return signed_in(user).post(reverse(name, args=[arg]), {"do": do, "command_id": uuid.uuid4()} | sent)


def test_the_pages_work_by_plain_posts_and_keep_what_was_typed():
    event = make_event()
    director = make_director(event.series)
    assert post(director, event, "cost", what="Hall", amount_cents="1,250.50", receipt="R-17").status_code == 303
    assert Cost.objects.get().amount_cents == 125_050
    refused = post(director, event, "cost", what="Hall hire", amount_cents="lots", receipt="R-18")
    assert refused.status_code == 422
    assert 'value="Hall hire"' in words(refused)
    assert refused.context["cost_form"].errors["amount_cents"]
    assert post(director, event, "goods", what="Whisky glasses", retail_cents="80").status_code == 303
    assert post(director, event, "terms", operator="casino").status_code == 303
    assert view(event).terms.operator == "casino"
    assert post(director, event, "licence", kind="class_3", number="C3", expires="2031-01-31").status_code == 303
    assert post(director, event, "licence", kind="class_3", number="C4", expires="soon").status_code == 422
    assert post(director, event, "cost_withdraw", row="99999999999999999999").status_code == 422
    assert post(director, event, "cost_withdraw", row=str(Cost.objects.get().pk)).status_code == 303
    assert post(director, event, "anything").status_code == 404
    sent = {"do": "terms", "operator": "society", "retention_years": "7", "command_id": uuid.uuid4()}
    answer = signed_in(director).post(reverse("series_gambling", args=[event.series.slug]), sent)
    assert answer.status_code == 303
    assert series_terms(event.series).operator == "society"


def test_the_page_words_it_as_guidance_and_says_why_nothing_is_sold_online():
    event = make_event(minimum_age=20)
    page = words(signed_in(make_director(event.series)).get(reverse("gambling", args=[event.pk])))
    for said in ("Guidance, not legal advice", "section 9(2)", "whole series counts as one activity", ">20 <"):
        assert said in page


def test_the_pages_ask_as_often_for_three_rows_as_for_one():
    event = make_event()
    director = make_director(event.series)
    client = signed_in(director)
    counts = []
    for more in (1, 2):
        for number in range(more):
            gambling.add_cost(actor=director, on=event.pk, what="Hall", amount_cents=1, receipt=f"{more}{number}")
            gambling.add_goods(actor=director, on=event.pk, what="Cup", retail_cents=1)
            gambling.add_licence(actor=director, on=event.series_id, kind="other", number=f"{more}{number}")
            make_event(event.series)
        for name, arg in (("gambling", event.pk), ("series_gambling", event.series.slug)):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(reverse(name, args=[arg])).status_code == 200
            counts.append(len(queries))
    assert counts[:2] == counts[2:]
