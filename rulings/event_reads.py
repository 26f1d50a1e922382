"""What the pages of events and players say of the rules: which come, which hold, and what a player should know."""

from dataclasses import dataclass

from django.utils import timezone

from rulings.change_reads import Changes, compare
from rulings.models import RulebookVersion, RulesNote
from rulings.version_reads import KindTag, VersionLine, Versions, count_kinds, versions_of
from series.models import Entry, Event, Player, Series


@dataclass(frozen=True)
class Coming:
    """A version that is announced and not yet in force, with how many rules it changes in each way."""

    version: RulebookVersion
    kinds: tuple[KindTag, ...]


def coming_rules(series: Series) -> Coming | None:
    """The version that is coming; None if none is announced. One query, two if there is one."""
    version = RulebookVersion.objects.filter(series=series).coming(timezone.now()).first()
    if version is None:
        return None
    return Coming(version, count_kinds(version.changes.values_list("kinds", flat=True)))


@dataclass(frozen=True)
class EventRules:
    """The rules of an event whose series has newer ones. `newer` came into force while it runs, None once it is over.

    `notes` are what the director told the players, the oldest first.
    """

    pinned: RulebookVersion
    newer: RulebookVersion | None
    notes: tuple[RulesNote, ...]

    @property
    def needs_note(self) -> bool:
        """Whether the director has yet to say what the newer version means for the players."""
        return self.newer is not None and all(note.version_id != self.newer.pk for note in self.notes)


def rules_of_event(event: Event) -> EventRules | None:
    """None while the event is played by the version in force, or has not begun. At most three queries."""
    if event.rulebook_version_id is None:
        return None
    current = RulebookVersion.objects.filter(series=event.series_id).in_force(timezone.now()).first()
    if current is None or current.pk == event.rulebook_version_id:
        return None
    notes = tuple(RulesNote.objects.filter(event=event).select_related("author", "version"))
    newer, pinned = current if event.status == Event.Status.RUNNING else None, event.rulebook_version
    return EventRules(pinned, newer, notes) if pinned and (newer or notes) else None


@dataclass(frozen=True)
class Since:
    """What a player should know of the rules: what changed since the last event they played. `event` is that one."""

    event: Event
    changes: Changes


def changes_since(player: Player, event: Event) -> Since | None:
    """What changed since the player's last event up to the version that `event` is or will be played by; for an event
    that is over, up to the version in force. None if nothing did, or there was no event before. At most four queries.
    """
    played = Entry.objects.filter(
        player=player, event__series=event.series_id, event__rulebook_version__isnull=False
    ).exclude(status=Entry.Status.VOID)
    if event.status != Event.Status.FINISHED:
        played = played.exclude(event=event.pk)
    last = played.select_related("event__rulebook_version").order_by("-event__starts_at", "-event__number").first()
    if last is None or last.event.rulebook_version is None:
        return None
    versions = versions_of(event.series_id)
    old = versions.by_number(last.event.rulebook_version.number)
    new = _played_by(event, versions)
    if old is None or new is None or old.number >= new.number:
        return None
    changes = compare(old, new, versions)
    return Since(last.event, changes) if changes.rows else None


def _played_by(event: Event, versions: Versions) -> VersionLine | None:
    """The version pinned at the event's start; before that, the one that will be in force then."""
    if event.status == Event.Status.FINISHED:
        return versions.in_force
    if event.rulebook_version_id is not None:
        return next((line for line in versions.lines if line.row.pk == event.rulebook_version_id), None)
    coming = versions.coming
    begins = coming.row.effective_from if coming else None
    return coming if begins is not None and begins <= event.starts_at else versions.in_force


def running_events(series: Series) -> list[Event]:
    """The events that go on with the rules they began with, whatever is announced."""
    return list(series.events.filter(status=Event.Status.RUNNING))
