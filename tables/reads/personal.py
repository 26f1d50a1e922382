"""Everything that is kept of one person, for the person (Privacy Act 2020, principle 6)."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from series.models import Entry, ErasureRequest, Event, Exclusion, IdCheck, LedgerLine, Letter, Player, Registration
from tables.models import Penalty
from tables.reads.erasing import records_of
from tables.reads.history import seasons


def _at(instant: dt.datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def _event(event: Event) -> dict[str, Any]:
    return {"series": event.series.name, "event": event.name, "starts_at": _at(event.starts_at)}


def personal_data(player: Player) -> dict[str, Any]:
    """A player's data as JSON holds it: instants in UTC, money in cents. A fixed number of queries.

    What staff wrote in their own words about a penalty is not in it, because it may speak of others: ask for it. Nor is
    an exclusion that the organiser decided, which directors alone read; a break that the player took is.
    """
    records = records_of(player)
    account = player.user
    return {
        "details": [
            {
                "name": row.name,
                "public_name": row.public_name,
                "birth_date": row.birth_date.isoformat() if row.birth_date else None,
                "email": row.email,
                "phone": row.phone,
                "record": row.get_status_display(),
            }
            for row in records
        ],
        "account": {"email": account.email, "name": account.name, "since": _at(account.date_joined)}
        if account
        else None,
        "registrations": _registrations(records),
        "results": [
            _event(attended.event)
            | {
                "entry": run.number,
                "places": list(run.places) if run.places else None,
                "prize_cents": run.prize_cents,
                "currency": season.series.currency,
            }
            for season in seasons(player)
            for attended in season.attended
            for run in attended.runs
        ],
        "payments": _payments(records),
        "kept_seats": _kept_seats(records),
        "sighted_id": [
            {
                "kind": check.get_kind_display(),
                "shows_age": check.age,
                "at": _at(check.at),
                "taken_back": check.taken_back,
            }
            for check in IdCheck.objects.filter(player__in=records).order_by("at")
        ],
        "penalties": _penalties(records),
        "breaks_taken": [
            {"from": _at(row.from_at), "until": _at(row.until), "ended_early_at": _at(row.lifted_at)}
            for row in Exclusion.objects.filter(player__in=records, by_player=True).order_by("from_at")
        ],
        "letters": [
            {"kind": letter.kind, "wanted_at": _at(letter.at), "sent_at": _at(letter.sent_at)}
            for letter in Letter.objects.filter(registration__player__in=records).order_by("at")
        ],
        "erasure_requests": [
            {"at": _at(row.at), "status": row.get_status_display()}
            for row in ErasureRequest.objects.filter(player__in=records).order_by("at")
        ],
    }


def _registrations(records: Sequence[Player]) -> list[dict[str, Any]]:
    rows = Registration.objects.filter(player__in=records).select_related("event__series", "rulebook_version")
    return [
        _event(row.event)
        | {
            "at": _at(row.at),
            "status": row.get_status_display(),
            "rules_accepted": row.rulebook_version.number if row.rulebook_version else None,
            "privacy_agreed": row.privacy_version,
        }
        for row in rows.order_by("at")
    ]


def _payments(records: Sequence[Player]) -> list[dict[str, Any]]:
    lines = LedgerLine.objects.filter(entry__player__in=records, account=LedgerLine.Account.TILL)
    return [
        {"at": _at(line.at), "cents": line.amount_cents, "method": line.get_method_display()}
        for line in lines.order_by("at", "pk")
    ]


def _kept_seats(records: Sequence[Player]) -> list[dict[str, Any]]:
    rows = Entry.objects.filter(player__in=records).exclude(keeps_seat="").select_related("event__series")
    return [_event(entry.event) | {"why": entry.keeps_seat} for entry in rows.order_by("pk")]


def _penalties(records: Sequence[Player]) -> list[dict[str, Any]]:
    rows = Penalty.objects.filter(player__in=records).select_related("event__series").order_by("at")
    return [
        _event(row.event)
        | {
            "at": _at(row.at),
            "offence": row.offence,
            "sanction": row.get_sanction_display(),
            "status": row.get_status_display(),
        }
        for row in rows
    ]
