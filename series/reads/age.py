"""Whether somebody is old enough for an event, as its series reads house rule 1: the answer for every door and page."""

import datetime as dt

from series.domain.eligibility import AgeDecision, AgeRule, EarlyRegistration, may_be_seated, may_register
from series.domain.options import options_from
from series.models import Event, Player


def age_to_register(event: Event, birth_date: dt.date, at: dt.datetime) -> AgeDecision:
    """Whether somebody may hold a place; the event starts with its first day.

    Raises:
        BirthDateError: nobody has this birth date.
    """
    options = options_from(event.series.options)
    return may_register(
        birth_date,
        now=at,
        starts=event.starts_at,
        tz=event.series.tz,
        minimum=event.age_required,
        rule=AgeRule(options.age_rule),
        early=EarlyRegistration(options.early_registration),
    )


def asks_birth_date(event: Event, player: Player) -> bool:
    """Whether an event has to ask for a birth date again: it is not kept, and no ID has shown the age asked for. One
    query at most."""
    return player.birth_date is None and not player.has_proven(event.age_required)


def age_to_be_seated(event: Event, birth_date: dt.date, at: dt.datetime) -> AgeDecision:
    """Whether somebody may take a first seat and chips.

    Raises:
        BirthDateError: nobody has this birth date.
    """
    return may_be_seated(
        birth_date,
        now=at,
        starts=event.starts_at,
        tz=event.series.tz,
        minimum=event.age_required,
        rule=AgeRule(options_from(event.series.options).age_rule),
    )
