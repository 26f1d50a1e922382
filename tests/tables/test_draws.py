"""Draws by commands: lists frozen in public, drawn exactly, taken back; late entrants; the secret; who may; undo."""

import json
from pathlib import Path

import pytest
from django.core import serializers
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Entry, Event, Player
from tables.commands.clock import start_clock
from tables.commands.draws import draw_seats, freeze_draw, withdraw_draw
from tables.commands.floor import bust, close_entries, order_move
from tables.commands.lots import draw_buttons, draw_lot, set_first_button
from tables.domain.draw import commitment
from tables.models import Draw, Seat, Table
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.drawing import check, document, download, drawn_places, event_to_draw, places

pytestmark = pytest.mark.django_db


def last_entry() -> JournalEntry:
    return JournalEntry.objects.order_by("-pk")[0]


def words_of(name: str, *args: int) -> str:
    return Client().get(reverse(name, args=args)).content.decode()


# --- the seat draw ---------------------------------------------------------------------------------------------------


def test_a_frozen_list_is_drawn_exactly_and_who_enters_in_between_afterwards(tmp_path: Path):
    event, director = event_to_draw(13, seats_per_table=6)
    freeze_draw(actor=director, on=event.pk)
    row = Draw.objects.get()
    listed = [int(key) for key in row.given["names"]]
    assert listed == list(Entry.objects.order_by("pk").values_list("pk", flat=True))
    assert [table["chairs"] for table in row.given["tables"]] == [[1, 2, 3, 4, 5, 6]] * 3
    kept = download(row, tmp_path, "frozen.json")
    late = add_players(event, 2, director)
    assert not any("table" in one for one in late)
    assert places(event) == {}

    result = draw_seats(actor=director, on=event.pk).result
    row.refresh_from_db()
    assert (result["seated"], result["tables"], row.status) == (15, 3, "drawn")
    assert set(drawn_places(row)) == set(listed)
    assert drawn_places(row).items() <= places(event).items()
    sizes = sorted(Table.objects.get(number=n).chairs.filter(entry__isnull=False).count() for n in (1, 2, 3))
    assert sizes == [5, 5, 5]
    late_draws = Draw.objects.filter(kind="late").order_by("pk")
    assert [list(map(int, draw.given["names"])) for draw in late_draws] == [[one["entry"]] for one in late]
    for draw in [row, *late_draws]:
        code, said = check(download(draw, tmp_path))
        assert code == 0, said
    assert check(download(row, tmp_path), kept)[0] == 0
    assert list(verify()) == []


def test_the_script_says_what_was_changed_since_the_list_was_frozen(tmp_path: Path):
    event, director = event_to_draw(5)
    freeze_draw(actor=director, on=event.pk)
    kept = download(Draw.objects.get(), tmp_path, "frozen.json")
    label = f"{event.days.get().pk} seats 1"
    assert check(kept) == (0, f"Draw '{label}' is frozen and not drawn yet: keep this file.\n")
    draw_seats(actor=director, on=event.pk)
    other = document(kept)
    other["names"] = other["names"][:-1]
    kept.write_text(json.dumps(other))
    code, said = check(download(Draw.objects.get(), tmp_path), kept)
    assert code == 1
    assert "what was frozen is not what was drawn: names" in said


def test_nothing_gives_the_seed_away_before_the_draw():
    event, director = event_to_draw(4)
    freeze_draw(actor=director, on=event.pk)
    row, entry = Draw.objects.get(), last_entry()
    assert (row.seed, row.result, entry.random) == ("", [], None)
    changes = [[change.before, change.after] for change in entry.changes.all()]
    told = json.dumps([entry.text, entry.facts, entry.result, changes])
    told += words_of("draws", event.pk) + words_of("draw", event.pk, row.pk)
    told += Client().get(reverse("draw_document", args=[event.pk, row.pk])).content.decode()
    draw_seats(actor=director, on=event.pk)
    row.refresh_from_db()
    assert commitment(bytes.fromhex(row.seed)) == row.seed_commitment
    assert row.seed_commitment in told
    assert row.seed not in told
    assert event.draw_secret not in told
    assert last_entry().random == {
        "algorithm": "dead-button-draw-1",
        "draws": [{"label": f"{row.day_id} {row.label}", "seed": row.seed}],
    }


def test_draw_now_freezes_and_draws_in_one(tmp_path: Path):
    event, director = event_to_draw(10, seats_per_table=9)
    draw_seats(actor=director, on=event.pk)
    row = Draw.objects.get()
    assert row.seed_commitment == ""
    assert row.frozen_at == row.drawn_at
    assert places(event) == drawn_places(row)
    assert check(download(row, tmp_path))[0] == 0
    assert last_entry().random["draws"][0]["seed"] == row.seed


def test_who_has_gone_since_leaves_the_chair_empty():
    event, director = event_to_draw(6)
    bought = last_entry()
    freeze_draw(actor=director, on=event.pk)
    undo(actor=director, entry_id=bought.pk)
    gone = Entry.objects.get(status="void").pk
    draw_seats(actor=director, on=event.pk)
    row = Draw.objects.get()
    assert gone in drawn_places(row)
    assert places(event) == {key: place for key, place in drawn_places(row).items() if key != gone}


def test_while_a_list_is_frozen_chairs_stay_as_they_are():
    event, director = event_to_draw(4)
    draw_seats(actor=director, on=event.pk)
    with pytest.raises(Refused, match="nobody to draw"):
        freeze_draw(actor=director, on=event.pk)
    undo(actor=director, entry_id=last_entry().pk)
    freeze_draw(actor=director, on=event.pk)
    with pytest.raises(Refused, match="frozen already"):
        freeze_draw(actor=director, on=event.pk)
    with pytest.raises(Refused, match="frozen with its tables") as refused:
        draw_seats(actor=director, on=event.pk, tables=3)
    assert refused.value.field == "tables"
    with pytest.raises(Refused, match="A list is frozen"):
        order_move(actor=director, on=event.pk, entry_id=Entry.objects.first().pk, table=1, seat=1, reason="asked")
    with pytest.raises(Refused, match="Draw the seats first"):
        start_clock(actor=director, on=event.pk)


def test_a_list_is_taken_back_with_a_reason_and_its_seed_is_never_used():
    event, director = event_to_draw(4)
    freeze_draw(actor=director, on=event.pk)
    row = Draw.objects.get()
    with pytest.raises(Refused, match="Say why") as refused:
        withdraw_draw(actor=director, on=event.pk, draw_id=row.pk)
    assert refused.value.field == "reason"
    withdraw_draw(actor=director, on=event.pk, draw_id=row.pk, reason="Two more at the door")
    row.refresh_from_db()
    assert (row.status, row.seed, row.withdrawn_why) == ("withdrawn", "", "Two more at the door")
    with pytest.raises(Refused, match="not frozen any more"):
        withdraw_draw(actor=director, on=event.pk, draw_id=row.pk, reason="again")
    undo(actor=director, entry_id=last_entry().pk)
    row.refresh_from_db()
    assert row.status == "frozen"
    draw_seats(actor=director, on=event.pk)
    assert Draw.objects.get(status="drawn") == row


def test_a_draw_undone_is_spent_and_the_next_has_another_seed():
    event, director = event_to_draw(5)
    freeze_draw(actor=director, on=event.pk)
    draw_seats(actor=director, on=event.pk)
    before = places(event)
    undo(actor=director, entry_id=last_entry().pk)
    spent = Draw.objects.get()
    assert (spent.status, bool(spent.seed), places(event)) == ("withdrawn", True, {})
    draw_seats(actor=director, on=event.pk)
    fresh = Draw.objects.get(status="drawn")
    assert fresh.label != spent.label
    assert fresh.seed != spent.seed
    undo(actor=director, entry_id=last_entry().pk)
    fresh.refresh_from_db()
    assert fresh.status == "withdrawn"
    undo(actor=director, entry_id=last_entry().pk)
    fresh.refresh_from_db()
    assert fresh.status == "drawn"
    assert places(event) == drawn_places(fresh)
    assert before.keys() == places(event).keys()
    assert list(verify()) == []


def test_undoing_the_freeze_takes_the_list_back_and_redoing_it_freezes_again():
    event, director = event_to_draw(3)
    freeze_draw(actor=director, on=event.pk)
    undo(actor=director, entry_id=last_entry().pk)
    assert Draw.objects.get().status == "withdrawn"
    undo(actor=director, entry_id=last_entry().pk)
    assert Draw.objects.get().status == "frozen"


def test_a_chair_taken_meanwhile_stops_the_frozen_draw():
    event, director = event_to_draw(4)
    freeze_draw(actor=director, on=event.pk)
    with guard.writing():
        Seat.objects.filter(number=3).update(locked=True)
    with pytest.raises(Refused, match="not free any more"):
        draw_seats(actor=director, on=event.pk)
    assert Draw.objects.get().status == "frozen"


def test_too_few_tables_are_refused_and_more_are_opened():
    event, director = event_to_draw(10, seats_per_table=6)
    with pytest.raises(Refused, match="do not fit at 1 tables") as refused:
        draw_seats(actor=director, on=event.pk, tables=1)
    assert refused.value.field == "tables"
    with pytest.raises(Refused, match="between 1 and 2,000"):
        freeze_draw(actor=director, on=event.pk, tables=0)
    assert draw_seats(actor=director, on=event.pk, tables=5).result["tables"] == 5
    assert Table.objects.filter(status="open").count() == 5


@pytest.mark.parametrize("role", [Role.DESK, Role.DEALER, Role.AUDITOR, Role.EDITOR])
def test_only_the_floor_draws(role: str):
    event, director = event_to_draw(3)
    other = make_user("Ana", role=role, series=event.series)
    freeze_draw(actor=director, on=event.pk)
    row = Draw.objects.get()
    for do in (
        lambda: freeze_draw(actor=other, on=event.pk),
        lambda: draw_seats(actor=other, on=event.pk),
        lambda: withdraw_draw(actor=other, on=event.pk, draw_id=row.pk, reason="x"),
        lambda: draw_buttons(actor=other, on=event.pk),
        lambda: draw_lot(actor=other, on=event.pk, entry_ids=[], what="x"),
    ):
        with pytest.raises(NotAllowed):
            do()
    draw_seats(actor=make_user("Tama", role=Role.FLOOR, series=event.series), on=event.pk)
    row.refresh_from_db()
    assert row.status == "drawn"


# --- the secret ------------------------------------------------------------------------------------------------------


def finish(event: Event, director) -> None:
    if event.days.filter(entries_closed=False).exists():
        close_entries(actor=director, on=event.pk)
    for entry in list(event.entries.filter(status="playing"))[1:]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    event.refresh_from_db()


def test_the_secret_is_out_when_the_event_is_over_and_proves_every_seed(tmp_path: Path):
    event, director = make_running_event(3)
    row = Draw.objects.first()
    assert "secret" not in document(download(row, tmp_path))
    assert event.draw_secret not in words_of("draws", event.pk)
    finish(event, director)
    assert event.status == "finished"
    assert document(download(row, tmp_path))["secret"] == event.draw_secret
    assert event.draw_secret in words_of("draws", event.pk)
    for draw in Draw.objects.all():
        code, said = check(download(draw, tmp_path))
        assert code == 0
        assert "The seed comes from the secret" in said


def test_an_event_played_on_after_its_end_draws_from_a_new_secret(tmp_path: Path):
    event, director = make_running_event(3)
    finish(event, director)
    out = event.draw_secret
    undo(actor=director, entry_id=last_entry().pk)
    event.refresh_from_db()
    assert event.status == "running"
    assert event.draw_secret != out
    assert event.spent_secrets == [out]
    page = words_of("draws", event.pk)
    assert out in page
    assert commitment(bytes.fromhex(event.draw_secret)) in page
    assert event.draw_secret not in page
    draw_buttons(actor=director, on=event.pk)
    old, new = Draw.objects.filter(kind="late").first(), Draw.objects.get(kind="button")
    assert old.commitment != new.commitment
    assert document(download(old, tmp_path))["secret"] == out
    assert "secret" not in document(download(new, tmp_path))
    second = event.draw_secret
    finish(event, director)
    assert event.draw_secret == second
    for draw in Draw.objects.all():
        assert "the one promised" in check(download(draw, tmp_path))[1]
    assert list(verify()) == []


def test_an_admin_sees_neither_the_secret_nor_a_seed_before_its_draw():
    event, director = event_to_draw(3)
    freeze_draw(actor=director, on=event.pk)
    owner = make_user("Hana", owner=True)
    client = Client()
    client.force_login(owner)
    row = Draw.objects.get()
    pages = [
        client.get(f"/admin/tables/draw/{row.pk}/change/"),
        client.get(f"/admin/series/event/{event.pk}/change/"),
        client.get(f"/admin/journal/journalentry/{last_entry().pk}/change/"),
    ]
    assert [page.status_code for page in pages] == [200, 200, 200]
    draw_seats(actor=director, on=event.pk)
    row.refresh_from_db()
    for page in pages:
        assert row.seed not in page.content.decode()
        assert event.draw_secret not in page.content.decode()


def test_the_journal_keeps_names_of_draws_sealed():
    event, director = event_to_draw(3)
    draw_seats(actor=director, on=event.pk)
    kept = serializers.serialize("json", JournalEntry.objects.all()) + json.dumps(
        [change.after for entry in JournalEntry.objects.all() for change in entry.changes.all()]
    )
    assert not any(player.public_name in kept for player in Player.objects.all())
    assert set(Draw.objects.get().people.values()) == {player.public_name for player in Player.objects.all()}


# --- buttons and lots ------------------------------------------------------------------------------------------------


def test_first_buttons_are_drawn_where_nobody_has_told_them(tmp_path: Path):
    event, director = make_running_event(9, seats_per_table=3)
    set_first_button(actor=director, on=event.pk, table=1, seat=2)
    assert draw_buttons(actor=director, on=event.pk).result == {"tables": 2}
    for row in Draw.objects.filter(kind="button").exclude(algorithm="high-card"):
        table = Table.objects.get(number=int(row.label.split()[-1]))
        assert table.chairs.get(entry=int(row.result[0])).number == table.button
        assert check(download(row, tmp_path))[0] == 0
    with pytest.raises(Refused, match="waits for its button"):
        draw_buttons(actor=director, on=event.pk)
    undo(actor=director, entry_id=last_entry().pk)
    assert Table.objects.filter(button__isnull=True).count() == 2
    assert Draw.objects.filter(kind="button", status="withdrawn").count() == 2
    assert draw_buttons(actor=director, on=event.pk, table=3).result == {"tables": 1}
    assert Draw.objects.filter(label="button table 3 (2)").exists()


def test_the_dealers_high_card_is_entered_and_shown():
    event, director = make_running_event(4)
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    empty = Seat.objects.filter(entry__isnull=True).first()
    with pytest.raises(Refused, match="Nobody sits in seat"):
        set_first_button(actor=dealer, on=event.pk, table=1, seat=empty.number)
    seat = Seat.objects.filter(entry__isnull=False).order_by("number")[1]
    set_first_button(actor=dealer, on=event.pk, table=1, seat=seat.number)
    table = Table.objects.get()
    row = Draw.objects.get(kind="button")
    assert (table.button, row.by_hand, row.seed) == (seat.number, True, "")
    assert f"{seat.entry.player}, by high card" in words_of("draws", event.pk)
    assert "nothing for the script to check" in words_of("draw", event.pk, row.pk)
    assert Client().get(reverse("draw_document", args=[event.pk, row.pk])).status_code == 404
    undo(actor=director, entry_id=last_entry().pk)
    table.refresh_from_db()
    assert table.button is None
    with pytest.raises(NotAllowed):
        set_first_button(actor=make_user("Ana", role=Role.DESK, series=event.series), on=event.pk, table=1, seat=1)


def test_a_lot_between_equals(tmp_path: Path):
    event, director = make_running_event(5)
    ids = [seat.entry_id for seat in Seat.objects.filter(entry__isnull=False)[:3]]
    for wrong in ({"entry_ids": ids[:1], "what": "who moves"}, {"entry_ids": ids, "what": " "}):
        with pytest.raises(Refused):
            draw_lot(actor=director, on=event.pk, **wrong)
    order = draw_lot(actor=director, on=event.pk, entry_ids=ids, what="who moves to table 2").result["order"]
    assert sorted(order) == sorted(ids)
    row = Draw.objects.get(kind="lot")
    assert check(download(row, tmp_path))[0] == 0
    assert "Who moves to table 2" in words_of("draws", event.pk)
    undo(actor=director, entry_id=last_entry().pk)
    row.refresh_from_db()
    assert row.status == "withdrawn"


def test_a_lot_is_for_players_of_this_event():
    event, director = make_running_event(3)
    other = make_event()
    make_director(other.series)
    with pytest.raises(Refused, match="no such player"):
        draw_lot(actor=director, on=event.pk, entry_ids=[999, 1000], what="who moves")
