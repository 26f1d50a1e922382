"""The pages of rulings: who reads them, recording with and without a calculator, appeals, the search."""

import uuid
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal.errors import Refused
from journal.models import JournalEntry
from journal.undo import undo
from rulings.models import RuleText, Ruling
from rulings.penalty_commands import give_penalty
from rulings.ruling_commands import ask_appeal, record_ruling
from series.models import Entry, Event
from tables.models import Penalty, Seat
from tests.factories import add_players, make_director, make_event, make_user
from tests.rulings.calculator_pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    event = make_event(name="Deep Stack")
    add_players(event, 3, make_director(event.series))
    return event


@pytest.fixture
def floor(event: Event, client: Client) -> Any:
    user = make_user("Wiremu", role=Role.FLOOR, series=event.series)
    client.force_login(user)
    return user


def rule(event: Event, number: str = "9a") -> int:
    return RuleText.objects.get(version__series=event.series, number=number).rule_id


def recorded(event: Event, **given: Any) -> int:
    facts = {"facts": "Chips went in late.", "decision": "A call.", "basis": "rule", "rule_id": rule(event)}
    return record_ruling(actor=make_director(event.series), on=event.pk, **facts | given).result["ruling"]


def fields(event: Event, **given: Any) -> dict[str, Any]:
    return {
        "command_id": str(uuid.uuid4()),
        "facts": "Chips went in late.",
        "decision": "A call.",
        "basis": "rule",
        "rule": rule(event),
    } | given


def test_a_ruling_is_recorded_and_read(client: Client, event: Event, floor: Any) -> None:
    address = reverse("ruling_new", args=[event.pk])
    seat = Seat.objects.filter(entry__isnull=False).select_related("table", "entry__player").first()
    page = client.get(address, {"table": seat.table.number})
    assert seat.entry.player.public_name in page.content.decode()
    response = client.post(
        address, fields(event, table=seat.table.number, players=[seat.entry_id], sealed_check="broke")
    )
    ruling = Ruling.objects.get()
    assert (response.status_code, response.url) == (303, reverse("ruling", args=[ruling.pk]))
    text = client.get(response.url).content.decode()
    for words in ("Chips went in late.", "A call.", "Rule 9a", "Rulebook version 1", "Wiremu", "broke the rule"):
        assert words in text
    assert seat.entry.player.public_name in text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"facts": ""}, "This field is required"),
        ({"rule": ""}, "Choose the rule, or rule by discretion."),
        ({"basis": "discretion"}, "A decision by discretion needs its reason."),
        ({"table": "77"}, "There is no table 77 in this event."),
        ({"sealed_check": "ace of spades"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_told_and_what_was_typed_is_kept(
    client: Client, event: Event, floor: Any, given: dict[str, Any], words: str
) -> None:
    response = client.post(reverse("ruling_new", args=[event.pk]), fields(event, decision="Kept words.") | given)
    text = response.content.decode()
    assert response.status_code == 422
    assert words in text
    assert "Kept words." in text
    assert not Ruling.objects.exists()


def test_without_javascript_the_players_are_fetched_by_a_button(client: Client, event: Event, floor: Any) -> None:
    entry = Entry.objects.filter(event=event).select_related("player").first()
    sent = fields(event, facts="Half written", decision="", find=entry.player.public_name, show="1")
    response = client.post(reverse("ruling_new", args=[event.pk]), sent)
    text = response.content.decode()
    assert response.status_code == 200
    assert "Half written" in text
    assert "This field is required" not in text
    assert str(entry.pk) in Page(text).names["players"]
    assert not Ruling.objects.exists()


def test_no_field_asks_for_cards(client: Client, event: Event, floor: Any) -> None:
    names = Page(client.get(reverse("ruling_new", args=[event.pk])).content.decode()).names
    assert not any("card" in name for name in names)
    assert names["sealed_check"] == {"", "kept", "broke"}
    assert not any("card" in field.name for field in Ruling._meta.get_fields())


# --- from a calculator -----------------------------------------------------------------------------------------------


def test_an_answer_is_saved_as_a_ruling(client: Client, event: Event, floor: Any) -> None:
    asked = {"answer": "1", "event": event.pk, "to_match": 500, "last_raise": 500, "big_blind": 200, "total": 800}
    page = Page(client.get(reverse("calculator", args=["wager"]), asked).content.decode())
    save = next(link for link in page.links if "/rulings/new/" in link)
    form = Page(client.get(save).content.decode())
    assert form.checked["rule"] == [str(rule(event))]  # 9 is not in the small rulebook of the tests, 9a is
    text = client.get(save).content.decode()
    assert "Raise to 1,000" in text
    assert "Price: 500" in text
    sent = fields(event, decision="Raise to 1,000.", calculator=form.typed["calculator"], inputs=form.typed["inputs"])
    response = client.post(reverse("ruling_new", args=[event.pk]), sent)
    kept = Ruling.objects.get().calculation
    assert kept["outcome"] == {"ruling": "raise", "total": 1000, "returned": 0, "to_add": 200}
    assert kept["rules"] == ["9", "9a"]
    assert kept["inputs"]["total"] == ["800"]
    shown = Page(client.get(response.url).content.decode())
    again = next(link for link in shown.links if link.startswith("/calculators/wager/"))
    assert parse_qs(urlsplit(again).query)["total"] == ["800"]
    assert client.get(again).context["answer"].outcome == kept["outcome"]


def test_of_an_address_only_what_the_calculator_asks_is_kept(client: Client, event: Event, floor: Any) -> None:
    asked = f"answer=1&event={event.pk}&to_match=500&last_raise=500&big_blind=200&total=800"
    for odd in ("x=1", "x=%00", "day=%00"):
        sent = fields(event, calculator="wager", inputs=f"{asked}&{odd}")
        assert client.post(reverse("ruling_new", args=[event.pk]), sent).status_code == 303
    kept = [ruling.calculation["inputs"] for ruling in Ruling.objects.all()]
    assert [set(inputs) for inputs in kept] == [{"answer", "event", "to_match", "last_raise", "big_blind", "total"}] * 3


def test_the_answer_is_worked_out_anew_and_never_taken_from_the_browser(
    client: Client, event: Event, floor: Any
) -> None:
    for calculator, inputs in [("wager", "answer=1&to_match=x"), ("odds", "a=1"), ("", "a=1"), ("wager", "%%%")]:
        response = client.post(
            reverse("ruling_new", args=[event.pk]), fields(event, calculator=calculator, inputs=inputs)
        )
        assert response.status_code == 303
    assert set(Ruling.objects.values_list("calculation", flat=True)) == {None}


# --- who reads, who appeals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "reads", "rules"),
    [
        (Role.DIRECTOR, True, True),
        (Role.FLOOR, True, True),
        (Role.AUDITOR, True, False),
        (Role.DESK, False, False),
        (Role.DEALER, False, False),
        (Role.EDITOR, False, False),
        (None, False, False),
    ],
)
def test_who_reads_and_who_rules(client: Client, event: Event, role: str | None, reads: bool, rules: bool) -> None:
    ruling = recorded(event)
    client.force_login(make_user("Aroha", **({"role": role, "series": event.series} if role else {})))
    for name, pk in (("rulings", event.pk), ("ruling", ruling)):
        assert client.get(reverse(name, args=[pk])).status_code == (200 if reads else 403)
    assert client.get(reverse("ruling_new", args=[event.pk])).status_code == (200 if rules else 403)
    sent = client.post(reverse("ruling_new", args=[event.pk]), fields(event))
    assert sent.status_code == (303 if rules else 403)
    asked = client.post(reverse("appeal_ask", args=[ruling]), {"command_id": str(uuid.uuid4())})
    assert asked.status_code == (303 if rules else 403)


def test_visitors_sign_in_first(client: Client, event: Event) -> None:
    ruling = recorded(event)
    pages = [("rulings", event.pk), ("ruling_new", event.pk), ("ruling", ruling)]
    for name, pk in [*pages, ("appeal_ask", ruling), ("appeal_decide", ruling)]:
        response = client.post(reverse(name, args=[pk])) if "appeal" in name else client.get(reverse(name, args=[pk]))
        assert response.status_code == 302
        assert response.url.startswith(reverse("account_login"))


def test_an_unknown_ruling_is_not_found(client: Client, floor: Any) -> None:
    assert client.get(reverse("ruling", args=[10**6])).status_code == 404


def test_an_appeal_on_the_pages(client: Client, event: Event, floor: Any) -> None:
    ruling = recorded(event)
    client.post(reverse("appeal_ask", args=[ruling]), {"command_id": str(uuid.uuid4()), "grounds": "It was a check."})
    text = client.get(reverse("ruling", args=[ruling])).content.decode()
    assert "It was a check." in text
    assert "Decide the appeal" not in text  # the floor does not
    again = client.post(reverse("appeal_ask", args=[ruling]), {"command_id": str(uuid.uuid4())})
    assert again.status_code == 422
    client.force_login(make_director(event.series))
    assert "Decide the appeal" in client.get(reverse("ruling", args=[ruling])).content.decode()
    decide = reverse("appeal_decide", args=[ruling])
    missing = client.post(decide, {"outcome": "overturned", "note": ""})
    assert missing.status_code == 422
    assert "This field is required" in missing.content.decode()
    assert client.post(decide, {"outcome": "overturned", "note": "A check it was."}).status_code == 303
    text = client.get(reverse("ruling", args=[ruling])).content.decode()
    assert "Overturned on appeal" in text
    assert "A check it was." in text


def test_the_one_who_ruled_is_not_offered_the_appeal(client: Client, event: Event) -> None:
    director = make_director(event.series)
    done = record_ruling(
        actor=director, on=event.pk, facts="Late.", decision="A call.", basis="rule", rule_id=rule(event)
    )
    ask_appeal(actor=director, on=event.pk, ruling_id=done.result["ruling"])
    client.force_login(director)
    text = client.get(reverse("ruling", args=[done.result["ruling"]])).content.decode()
    assert "Decide the appeal" not in text
    assert "Waits for a director who did not make this ruling." in text


# --- the list --------------------------------------------------------------------------------------------------------


def test_the_search_reaches_the_other_events_of_the_series(client: Client, event: Event, floor: Any) -> None:
    earlier = make_event(event.series, name="Opener")
    recorded(earlier, facts="A string bet.")
    address = reverse("rulings", args=[event.pk])
    assert "A string bet." not in client.get(address).content.decode()
    text = client.get(address, {"q": "string"}, headers={"hx-request": "true"}).content.decode()
    assert "<html" not in text
    assert "A string bet." in text
    assert "Opener" in text
    assert "Nothing like it yet" in client.get(address, {"q": "unheard of"}).content.decode()


def test_the_pages_take_the_same_queries_for_one_and_for_three(
    client: Client, event: Event, floor: Any, django_assert_num_queries: Any
) -> None:
    everybody = list(Entry.objects.filter(event=event).values_list("pk", flat=True))
    ruling = recorded(event, entry_ids=everybody[:1])
    penalise(event, ruling, everybody[:1])
    client.get(reverse("rulings", args=[event.pk]))
    for _ in range(2):
        with django_assert_num_queries(7):
            client.get(reverse("rulings", args=[event.pk]))
        with django_assert_num_queries(11):
            client.get(reverse("ruling", args=[ruling]))
        with django_assert_num_queries(10):
            client.get(reverse("ruling_new", args=[event.pk]), {"table": 1})
        ruling = recorded(event, entry_ids=everybody)
        penalise(event, ruling, everybody)
        recorded(event, entry_ids=everybody)


# --- with a penalty --------------------------------------------------------------------------------------------------
def penalise(event: Event, ruling: int, entry_ids: list[int]) -> None:
    for entry_id in entry_ids:
        given = {"offence": "abuse", "facts": "Shouted.", "ruling_id": ruling}
        give_penalty(actor=make_director(event.series), on=event.pk, entry_id=entry_id, **given)


def test_one_form_records_a_ruling_and_its_penalty(client: Client, event: Event, floor: Any) -> None:
    address = reverse("ruling_new", args=[event.pk])
    seat = Seat.objects.filter(entry__isnull=False).select_related("table").first()
    assert (
        str(seat.entry_id)
        in Page(client.get(address, {"table": seat.table.number}).content.decode()).names["penalised"]
    )
    sent = fields(event, table=seat.table.number, penalised=seat.entry_id, sanction="suggested")
    refused = client.post(address, sent)
    assert refused.status_code == 422
    assert "offence" in refused.context["form"].errors
    too_much = client.post(address, sent | {"offence": "abuse", "sanction": "disqualification", "chips": "5000"})
    assert too_much.status_code == 422
    assert "sanction" in too_much.context["form"].errors
    assert not Ruling.objects.exists()
    done = client.post(address, sent | {"offence": "abuse"})
    ruling = Ruling.objects.get()
    assert done.status_code == 303
    penalty = Penalty.objects.get()
    assert (penalty.ruling, penalty.entry_id, penalty.facts) == (ruling, seat.entry_id, ruling.facts)
    assert [party.entry_id for party in ruling.parties.all()] == [seat.entry_id]
    page = client.get(reverse("ruling", args=[ruling.pk])).content.decode()
    assert reverse("penalty", args=[penalty.pk]) in page
    assert reverse("ruling", args=[ruling.pk]) in client.get(reverse("penalty", args=[penalty.pk])).content.decode()
    undo(actor=floor, entry_id=JournalEntry.objects.filter(verb="ruling.record").latest("id").pk)
    penalty.refresh_from_db()
    ruling.refresh_from_db()
    assert (penalty.status, ruling.withdrawn) == (Penalty.Status.WITHDRAWN, True)


def test_a_penalty_names_a_ruling_on_its_player(client: Client, event: Event, floor: Any) -> None:
    one, other, _ = Entry.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    ruling = recorded(event, entry_ids=[one])
    address = reverse("penalty_new", args=[event.pk])
    assert f"entry={one}&amp;ruling={ruling}" in client.get(reverse("ruling", args=[ruling])).content.decode()
    page = client.get(address, {"entry": one, "ruling": ruling})
    assert page.context["form"].initial == {"ruling": ruling, "facts": "Chips went in late."}
    assert "ruling" not in client.get(address, {"entry": other, "ruling": ruling}).context["form"].fields
    sent = {"command_id": str(uuid.uuid4()), "offence": "abuse", "facts": "Shouted.", "sanction": "suggested"}
    assert client.post(f"{address}?entry={one}", sent | {"ruling": ruling}).status_code == 303
    assert Penalty.objects.get().ruling_id == ruling
    with pytest.raises(Refused, match="does not name"):
        penalise(event, ruling, [other])
    elsewhere = make_event(series=event.series)
    foreign = recorded(elsewhere)
    with pytest.raises(Refused, match="no such ruling"):
        penalise(event, foreign, [one])
    undo(actor=floor, entry_id=JournalEntry.objects.filter(verb="ruling.record", stream=event.stream_key).get().pk)
    with pytest.raises(Refused, match="withdrawn"):
        penalise(event, ruling, [one])
