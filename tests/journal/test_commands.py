"""The write path: one transaction, one permission check, one entry; repeats, versions, the guard."""

import ast
import datetime as dt
import uuid
from pathlib import Path

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from accounts.permissions import Role
from journal import guard
from journal.actors import System, Visitor
from journal.chain import verify
from journal.errors import NotAllowed, OutsideCommand, Refused, Stale
from journal.models import Journaled, JournalEntry, RowChange, Sealed
from series.commands.people import correct_player, register, sign_up, withdraw
from series.models import Event, Player, Registration
from tests.factories import add_players, make_director, make_event, make_running_event, make_user

pytestmark = pytest.mark.django_db
BORN = dt.date(1990, 5, 17)


def counts() -> dict[str, int]:
    """Rows of every table of our own."""
    models = [*(m for m in apps.get_models() if issubclass(m, Journaled)), JournalEntry, RowChange, Sealed]
    return {model._meta.label: model._default_manager.count() for model in models}


def test_a_command_writes_rows_and_one_entry_that_says_who_what_and_when():
    event = make_event()
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    done = register(actor=desk, on=event.pk, name="  Hēmi   Parata ", birth_date=BORN, email="hemi@example.nz")
    entry = JournalEntry.objects.get()
    assert (entry.stream, entry.seq, entry.verb, entry.actor) == (event.stream_key, 1, "registration.add", desk)
    assert done.seq == 1
    event.refresh_from_db()
    assert (event.seq, event.head) == (1, entry.hash)
    assert Player.objects.get().name == "Hēmi Parata"
    assert [change.table for change in entry.changes.all()] == [
        "series.player",
        "series.registration",
        "series.letter",
    ]
    assert entry.touches == ["series.letter", "series.player", "series.registration"]


def test_personal_data_is_not_in_the_entries_only_references_are():
    event = make_event()
    register(
        actor=make_director(event.series), on=event.pk, name="Hēmi Parata", birth_date=BORN, email="hemi@example.nz"
    )
    written = str(list(JournalEntry.objects.values())) + str(list(RowChange.objects.values()))
    for private in ("Parata", "1990-05-17", "hemi@example.nz", Player.objects.get().token):
        assert private not in written
    assert {row.value for row in Sealed.objects.all()} >= {"Hēmi Parata", "1990-05-17", "hemi@example.nz"}


@pytest.mark.parametrize("role", [Role.DEALER, Role.EDITOR, Role.AUDITOR, None])
def test_without_the_permission_nothing_is_written(role):
    event = make_event()
    actor = make_user("Ana", role=role, series=event.series)
    before = counts()
    with pytest.raises(NotAllowed):
        register(actor=actor, on=event.pk, name="Mia", birth_date=BORN)
    assert counts() == before


def test_a_role_counts_in_its_own_series_only():
    event, other = make_event(), make_event()
    director = make_director(other.series)
    with pytest.raises(NotAllowed):
        register(actor=director, on=event.pk, name="Mia", birth_date=BORN)


def test_no_actor_no_change_and_the_system_has_only_named_permissions():
    event = make_event()
    for actor in (None, Visitor(), System("the clock", frozenset({"advance_clock"}))):
        with pytest.raises(NotAllowed):
            register(actor=actor, on=event.pk, name="Mia", birth_date=BORN)


def test_a_repeated_command_id_returns_the_first_result_and_writes_once():
    event = make_event()
    director = make_director(event.series)
    form = uuid.uuid4()
    first = register(actor=director, on=event.pk, command_id=form, name="Mia", birth_date=BORN)
    again = register(actor=director, on=event.pk, command_id=form, name="Mia", birth_date=BORN)
    assert again.repeated
    assert (again.result, again.seq) == (first.result, first.seq)
    assert Player.objects.count() == Registration.objects.count() == JournalEntry.objects.count() == 1


def test_a_command_id_belongs_to_one_actor_and_one_command():
    event = make_event()
    director, other = make_director(event.series), make_director(event.series)
    form = uuid.uuid4()
    held = register(actor=director, on=event.pk, command_id=form, name="Mia", birth_date=BORN).result
    with pytest.raises(Refused, match="already used"):
        register(actor=other, on=event.pk, command_id=form, name="Ana", birth_date=BORN)
    with pytest.raises(Refused, match="already used"):
        withdraw(actor=director, on=event.pk, command_id=form, registration_id=held["registration"])


def test_a_stale_version_is_refused_with_what_changed_but_unrelated_changes_do_not_matter():
    event = make_event()
    director = make_director(event.series)
    held = add_players(event, 1, director, paid=False)[0]
    event.refresh_from_db()
    seen = event.seq
    add_players(event, 1, director, paid=False)
    details = {"player_id": held["player"], "name": "Ana Ngata", "birth_date": BORN}
    correct_player(actor=director, on=event.pk, expected_version=seen, **details)
    with pytest.raises(Stale, match=r"Details of Ana Ngata corrected.*Mere"):
        correct_player(actor=director, on=event.pk, expected_version=seen, **details | {"name": "Aria"})
    assert Player.objects.get(pk=held["player"]).name == "Ana Ngata"


def test_a_refusal_in_the_middle_leaves_nothing_behind():
    event = make_event(capacity=1)
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    before = counts()
    with pytest.raises(Refused, match="full"):
        register(actor=director, on=event.pk, name="Mia", birth_date=BORN)
    assert counts() == before


@pytest.mark.parametrize(
    "write",
    [
        lambda event: event.save(),
        lambda event: event.levels.first().delete(),
        lambda event: Event.objects.update(name="x"),
        lambda event: event.levels.all().delete(),
        lambda event: Player.objects.create(name="x", birth_date=BORN),
        lambda event: Player.objects.bulk_create([Player(name="x", birth_date=BORN)]),
        lambda event: connection.cursor().execute("UPDATE series_event SET name = %s", ["x"]),
    ],
)
def test_the_guard_refuses_every_write_outside_a_command(write):
    event = make_event()
    with pytest.raises(OutsideCommand), transaction.atomic():
        write(event)


def test_every_domain_table_is_guarded():
    """Whatever the apps store is journaled, but people's log-ins and the journal itself."""
    ours = {
        model._meta.label
        for label in ("accounts", "series", "tables", "rulings")
        for model in apps.get_app_config(label).get_models()
    }
    guarded = {m._meta.label for m in apps.get_models() if m._meta.db_table in guard.journaled_tables()}
    assert ours - guarded == {"accounts.User"}


def test_only_the_command_runner_opens_the_guard():
    """Code that would open the tables for itself is found here, not in production."""
    root = Path(__file__).parents[2]
    opened = []
    for path in root.glob("*/**/*.py"):
        if path.parts[len(root.parts)] in ("tests", ".venv", "data"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("guard.writing", "writing"):
                opened.append(str(path.relative_to(root)))
    assert sorted(opened) == ["journal/commands.py", "series/apps.py"]


@pytest.mark.parametrize("table", ["journal_journalentry", "journal_rowchange", "series_ledgerline"])
@pytest.mark.parametrize("statement", ["UPDATE {table} SET id = id", "DELETE FROM {table}"])
def test_the_database_itself_keeps_journal_and_ledger_append_only(table, statement):
    assert table in guard.append_only_tables()
    event = make_event()
    add_players(event, 1, make_director(event.series))
    forbidden = pytest.raises(DatabaseError, match="append-only")
    with forbidden, transaction.atomic(), guard.writing(), connection.cursor() as cursor:
        cursor.execute(statement.format(table=table))


def test_the_chain_holds_and_shows_what_was_tampered_with():
    event, _ = make_running_event(4)
    assert list(verify()) == []
    connection.check_constraints()
    with guard.writing(), connection.cursor() as cursor:
        for name in guard.trigger_names():
            table = name.removesuffix("_balanced").rsplit("_no_", 1)[0]
            on = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {name}{on}")
        JournalEntry.objects.filter(seq=2).update(reason_seal="nothing to see")
    assert list(verify()) == [f"{event.stream_key} 2: its content does not match its hash"]
    assert sorted(guard.missing_triggers()) == sorted(guard.trigger_names())
    guard.install_triggers()
    assert guard.missing_triggers() == []


def test_a_missing_entry_and_a_shortened_journal_are_found():
    event, _ = make_running_event(3)
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(seq=event.seq + 1)
    assert list(verify()) == [
        f"{event.stream_key}: the journal ends at another entry than the row says ({event.seq + 1})"
    ]


def test_a_visitor_signs_up_and_a_minor_leaves_no_trace():
    event = make_event()
    version = event.series.rulebook_versions.get()
    ask = {"day_id": None, "email": "k@example.nz", "phone": "", "rulebook_version_id": version.pk}
    sign_up(actor=Visitor(), on=event.pk, name="Kiri", birth_date=BORN, **ask)
    before = counts()
    with pytest.raises(Refused, match="18 or over") as refusal:
        sign_up(actor=Visitor(), on=event.pk, name="Tama", birth_date=dt.date(2015, 1, 1), **ask)
    assert refusal.value.field == "birth_date"
    assert counts() == before


def test_the_digest_of_a_sealed_value_does_not_depend_on_the_order_of_its_keys():
    one = Sealed(table="t", row=1, salt="salt", value={"1": "Hēmi", "2": {"b": [1], "a": None}})
    other = Sealed(table="t", row=1, salt="salt", value={"2": {"a": None, "b": [1]}, "1": "Hēmi"})
    assert one.digest() == other.digest()
    assert one.digest() != Sealed(table="t", row=1, salt="salt", value={"1": "Hemi"}).digest()
