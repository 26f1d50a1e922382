"""Setting up a series: its name, place, zone, currency and minimum age, and whether everybody sees it."""

import re
from functools import cache
from typing import Any, TypedDict, Unpack
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.text import slugify

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.eligibility import HOUSE_MINIMUM
from series.models import Event, Organiser, Registration, Series
from series.models.events import HELP_LINES

RESERVED_SLUGS = {"new"}
MOST_HELP_LINES = 6


class SeriesValues(TypedDict, total=False):
    """What a series says of itself. Without a `slug` the address follows from the name."""

    name: str
    venue: str
    venue_kind: str
    slug: str
    zone: str
    currency: str
    minimum_age: int
    contact: str
    about: str
    help_lines: str


def _help_lines(text: str) -> str:
    """Lines of name and phone, one each. Raises Refused at `help_lines` for one without a number."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_HELP_LINES:
        raise Refused(f"Name {MOST_HELP_LINES} help lines at most.", field="help_lines")
    for line in lines:
        name, _, phone = line.rpartition(":")
        if not name.strip() or not re.fullmatch(r" ?\+?[0-9 ]{3,20}", phone):
            raise Refused(f"Write each line as name, colon, phone number: “{line[:60]}”.", field="help_lines")
    return "\n".join(lines)


@cache
def time_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def words(text: str, most: int, field: str, missing: str) -> str:
    """Text with single spaces. Raises Refused at `field` for none, or more than `most` characters."""
    tidy = " ".join(text.split())
    if not tidy:
        raise Refused(missing, field=field)
    if len(tidy) > most:
        raise Refused(f"This is too long: {most} characters at most.", field=field)
    return tidy


def _checked(
    *,
    name: str = "",
    slug: str = "",
    venue: str = "",
    venue_kind: str = Series.VenueKind.HALL,
    zone: str = "Pacific/Auckland",
    currency: str = "NZD",
    minimum_age: int = HOUSE_MINIMUM,
    contact: str = "",
    about: str = "",
    help_lines: str = HELP_LINES,
) -> dict[str, Any]:
    name = words(name, 120, "name", "Give the series a name.")
    slug = slugify(slug or name)[:60].strip("-")
    if not slug or slug in RESERVED_SLUGS:
        raise Refused("Choose a short name of letters and digits for the address.", field="slug")
    if zone not in time_zones():
        raise Refused("Choose a time zone from the list.", field="zone")
    contact = contact.strip()
    if contact:
        try:
            validate_email(contact)
        except ValidationError as error:
            raise Refused("This is not an e-mail address.", field="contact") from error
    if venue_kind not in Series.VenueKind.values:
        raise Refused("Choose what kind of venue it is.", field="venue_kind")
    currency = currency.strip().upper()
    if not re.fullmatch(r"[A-Z]{3}", currency):
        raise Refused("Write the currency as three letters, for example NZD.", field="currency")
    if not HOUSE_MINIMUM <= minimum_age <= 99:
        raise Refused(f"The minimum age is never below {HOUSE_MINIMUM}.", field="minimum_age")
    return {
        "name": name,
        "slug": slug,
        "venue": words(venue, 200, "venue", "Say where it is played."),
        "venue_kind": venue_kind,
        "zone": zone,
        "currency": currency,
        "minimum_age": minimum_age,
        "contact": contact,
        "about": about.strip(),
        "help_lines": _help_lines(help_lines),
    }


def _require_free_slug(slug: str, but: int | None = None) -> None:
    others = Series.objects.filter(slug=slug)
    if (others.exclude(pk=but) if but else others).exists():
        raise Refused("Another series has this address. Choose another one.", field="slug", code="slug_taken")


@command(Organiser, "series.create", permission=Permission.SET_UP)
def create_series(tx: Tx[Organiser], **values: Unpack[SeriesValues]) -> dict[str, Any]:
    """A new series, not yet published. Result: `series`, `slug`.

    Raises:
        Refused: at the field that is wrong; the minimum age is never below 18 (house rule 1).
    """
    checked = _checked(**values)
    _require_free_slug(checked["slug"])
    series = tx.add(Series(**checked))
    tx.say("Series {series} created", series=series)
    return {"series": series.pk, "slug": series.slug}


@command(Series, "series.change", permission=Permission.SET_UP, undoable=False)
def change_series(tx: Tx[Series], **values: Unpack[SeriesValues]) -> dict[str, Any]:
    """Change what is named of a series. Once published its address stays; once people registered, more does.

    Raises:
        Refused: at the field that is wrong or cannot change any more.
    """
    series = tx.subject
    tx.expect_unchanged(series)
    present = {name: getattr(series, name) for name in SeriesValues.__annotations__}
    checked = _checked(**{**present, **values})
    if series.published and checked["slug"] != series.slug:
        raise Refused("The series is published: its address stays as it is.", field="slug", code="fixed")
    _require_free_slug(checked["slug"], but=series.pk)
    if Registration.objects.filter(event__series=series).exists():
        for field in ("zone", "currency", "minimum_age", "venue_kind"):
            if checked[field] != getattr(series, field):
                raise Refused("People have registered: this cannot change any more.", field=field, code="fixed")
    tx.change(series, **checked)
    tx.say("Series {series} changed", series=series)
    return {"slug": series.slug}


@command(Series, "series.publish", permission=Permission.SET_UP, undoable=False)
def publish_series(tx: Tx[Series]) -> dict[str, Any]:
    """Show the series to everybody. Its events appear as they open for registration."""
    tx.change(tx.subject, published=True)
    tx.say("Series {series} published", series=tx.subject)
    return {}


@command(Series, "series.hide", permission=Permission.SET_UP, undoable=False)
def hide_series(tx: Tx[Series]) -> dict[str, Any]:
    """Take the series off the public pages.

    Raises:
        Refused: an event is open for registration or running.
    """
    live = tx.subject.events.filter(status__in=[Event.Status.OPEN, Event.Status.RUNNING]).first()
    if live:
        raise Refused(f"{live} is {live.get_status_display()}: the series stays in sight until it is over.")
    tx.change(tx.subject, published=False)
    tx.say("Series {series} hidden", series=tx.subject)
    return {}


@command(Organiser, "organiser.name", permission=Permission.SET_UP, undoable=False)
def name_organiser(tx: Tx[Organiser], *, name: str) -> dict[str, Any]:
    """Say who runs the series here.

    Raises:
        Refused: at `name`, for none or an overlong one.
    """
    tx.change(tx.subject, name=words(name, 120, "name", "Give the organiser's name."))
    tx.say("The organiser is called {organiser}", organiser=tx.subject)
    return {}
