"""Who acts: a signed-in user, a visitor of the public pages, or a named part of the system."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from journal.models import Stream

PUBLIC = "public"  # the permission of what anybody may do, such as signing up


class Actor(Protocol):
    """What a command needs to know of its actor. `accounts.User` is one."""

    @property
    def pk(self) -> int | None: ...

    @property
    def journal_name(self) -> str: ...

    def may(self, permission: str, subject: "Stream") -> bool: ...


@dataclass(frozen=True)
class Visitor:
    """Somebody on the public pages without a log-in, such as a player with the link to their own page."""

    journal_name: str = "visitor"
    pk: int | None = None

    def may(self, permission: str, subject: "Stream") -> bool:
        return permission == PUBLIC


@dataclass(frozen=True)
class System:
    """A named part of the site that acts by itself, such as the clock, with the permissions it needs and no more."""

    journal_name: str
    permissions: frozenset[str]
    pk: int | None = None

    def may(self, permission: str, subject: "Stream") -> bool:
        return permission in self.permissions
