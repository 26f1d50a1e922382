"""How pages write money, chips, times and places, and the small parts they share."""

import datetime as dt
import uuid
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.forms import BoundField
from django.template.context import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from series.domain.ledger import in_cash, receipt_number
from series.domain.money import format_chips, format_money
from series.domain.points import format_points
from series.models import Event, Series
from series.models.events import HELP_LINES
from series.reads import pages

register = template.Library()

SYMBOLS = {"EUR": "€", "GBP": "£", "JPY": "¥"}


def _symbol(currency: str) -> str:
    """The local dollar is "$", whichever dollar it is: a series has one currency."""
    return SYMBOLS.get(currency, "$" if currency.endswith("D") else f"{currency} ")


@register.filter
def money(cents: int | None, currency: str = "NZD") -> str:
    """Cents as "$1,234.50", whole dollars as "$1,234"; an en dash for nothing known."""
    return "–" if cents is None else format_money(cents, symbol=_symbol(currency))


@register.filter
def money_exact(cents: int | None, currency: str = "NZD") -> str:
    """Cents as "$1,234.00", for receipts and columns of amounts."""
    return "–" if cents is None else format_money(cents, always_cents=True, symbol=_symbol(currency))


@register.filter
def taken_in_cash(cents: int, currency: str = "NZD") -> str:
    """What a player hands over in cash for an amount, "$250.00", if there is no coin for exactly that; else empty."""
    cash = in_cash(cents, currency)
    return "" if cash == cents else money_exact(cash, currency)


@register.filter
def given_in_cash(cents: int, currency: str = "NZD") -> str:
    """The same of what a player is given."""
    cash = -in_cash(-cents, currency)
    return "" if cash == cents else money_exact(cash, currency)


@register.filter
def points(hundredths: int, exact: bool = False) -> str:
    """Season points, kept in hundredths, as "1,234.5"; `exact` for columns in which some have hundredths."""
    return format_points(hundredths, exact=exact)


@register.filter
def chips(count: int | None) -> str:
    """A number of chips or people, "1,234,500"; an en dash for nothing known."""
    return "–" if count is None else format_chips(count)


def _local(instant: dt.datetime, zone: str | dt.tzinfo | None) -> dt.datetime:
    return timezone.localtime(instant, ZoneInfo(zone) if isinstance(zone, str) else zone)


def _time_element(instant: dt.datetime, text: str) -> SafeString:
    return format_html('<time datetime="{}">{}</time>', instant.astimezone(dt.UTC).isoformat(), text)


@register.filter
def at(instant: dt.datetime | None, zone: str | dt.tzinfo | None = None) -> str:
    """An instant on the calendar of a zone, "Tue 3 Jun, 18:30", with the year unless it is this one."""
    if instant is None:
        return ""
    local = _local(instant, zone)
    year = "" if local.year == _local(timezone.now(), zone).year else f" {local.year}"
    return _time_element(instant, f"{local:%a} {local.day} {local:%b}{year}, {local:%H:%M}")


@register.filter
def time_of_day(instant: dt.datetime | None, zone: str | dt.tzinfo | None = None) -> str:
    """An instant as the clock on the wall shows it in a zone, "18:30"."""
    return "" if instant is None else _time_element(instant, f"{_local(instant, zone):%H:%M}")


@register.filter
def time_exact(instant: dt.datetime | None, zone: str | dt.tzinfo | None = None) -> str:
    """An instant as the journal shows it, to the millisecond, "18:30:00.003"."""
    if instant is None:
        return ""
    local = _local(instant, zone)
    return _time_element(instant, f"{local:%H:%M:%S}.{local.microsecond // 1000:03}")


@register.filter
def milliseconds(instant: dt.datetime) -> int:
    """An instant as scripts reckon it: milliseconds since 1970."""
    return round(instant.timestamp() * 1000)


@register.filter
def ordinal(place: int) -> str:
    """A place, "1st", "2nd", "13th", "44th"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def _seconds(span: int | dt.timedelta) -> int:
    return int(span.total_seconds()) if isinstance(span, dt.timedelta) else span


@register.filter
def duration(span: int | dt.timedelta) -> str:
    """Seconds in words, "45 s", "20 min", "1 h 20 min"; seconds are left out from a minute on."""
    seconds = _seconds(span)
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return " ".join(part for part in (f"{hours} h" * bool(hours), f"{minutes} min" * bool(minutes)) if part)


@register.filter
def countdown(span: int | dt.timedelta) -> str:
    """Seconds as a clock shows them, "12:41", "0:09", "1:02:05"; never below nothing."""
    minutes, seconds = divmod(max(0, _seconds(span)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@register.filter
def describes(hint: str, field: BoundField) -> BoundField:
    """The field with this hint, if there is one, in place of its own: its input then points to it."""
    field.help_text = hint or field.help_text
    return field


@register.filter
def receipt(number: int | None, event_number: int) -> str:
    """A receipt's number as it is printed, "4-0412"; nothing where none was given."""
    return "" if number is None else receipt_number(event_number, number)


@register.filter
def initials(name: str) -> str:
    """The letters of an avatar: first and last name, "HP"."""
    words = name.split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


@register.simple_tag
def icon(name: str) -> SafeString:
    """One of the drawings in static/icons/icons.svg, beside a word that says the same."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        static("icons/icons.svg"),
        name,
    )


@register.simple_tag
def event_bar(event: Event | None, may: frozenset[str] | str = frozenset(), here: str = "") -> pages.Bar | None:
    """The pages of an event for one of its staff; nothing without an event."""
    return pages.event_bar(event, frozenset(may), here) if event else None


@register.simple_tag
def series_bar(may: frozenset[str] | str = frozenset(), here: str = "") -> pages.Bar:
    """The pages of a series for one of its staff."""
    return pages.series_bar(frozenset(may), here)


@dataclass(frozen=True)
class HelpLine:
    """Where people find help with gambling. `dial` is the number as a phone takes it."""

    name: str
    phone: str
    dial: str


@register.simple_tag
def help_lines(series: Any) -> list[HelpLine]:
    """The help lines of a series; on pages of none, those that hold unless a series names others."""
    text = series.help_lines if isinstance(series, Series) else HELP_LINES
    parts = [line.rpartition(":") for line in text.splitlines()]
    return [HelpLine(name.strip(), phone.strip(), phone.replace(" ", "")) for name, _, phone in parts]


@register.inclusion_tag("components/command_inputs.html", takes_context=True)
def command_inputs(context: Context, version: int | None = None) -> dict[str, Any]:
    """The hidden inputs of a form that runs a command: CSRF token, a fresh command id, the version seen."""
    return {"csrf_token": context.get("csrf_token", ""), "command_id": uuid.uuid4(), "version": version}
