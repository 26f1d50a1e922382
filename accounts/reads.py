"""Who is on the staff of a series, and what each may do there."""

from collections.abc import Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator

from accounts.models import StaffRole
from accounts.permissions import PRESETS, Permission, Role


@dataclass(frozen=True)
class Held:
    """One role of one person, with what it allows in plain words, and what they may do beyond it. `waits`: for the
    address to be confirmed."""

    id: int
    role: Role
    sentence: str
    also_sentence: str
    waits: bool


@dataclass(frozen=True)
class StaffMember:
    """A person with at least one role. `second_factor`: signing in asks for more than a password."""

    name: str
    email: str
    confirmed: bool
    second_factor: bool
    roles: tuple[Held, ...]


def words(permissions: Sequence[str] | frozenset[str]) -> tuple[str, ...]:
    """What the permissions allow, in plain words, in the order of `Permission`."""
    return tuple(permission.label for permission in Permission if permission in permissions)


def role_words(role: str) -> str:
    """What a role allows, in one sentence."""
    if PRESETS[role] == frozenset(Permission.values):
        return "everything in this series"
    return ", ".join(words(PRESETS[role]))


def staff(series_id: int) -> list[StaffMember]:
    """Everybody with a role in the series, by name. Three queries."""
    held: dict[int, list[StaffRole]] = {}
    for row in StaffRole.objects.filter(series_id=series_id, active=True).select_related("user").order_by("pk"):
        held.setdefault(row.user_id, []).append(row)
    secured = set(
        Authenticator.objects.filter(user__in=held)
        .exclude(type=Authenticator.Type.RECOVERY_CODES)
        .values_list("user_id", flat=True)
    )
    verified = EmailAddress.objects.filter(user__in=held, verified=True)
    confirmed = {email.lower() for email in verified.values_list("email", flat=True)}
    order = list(Role)
    members = [
        StaffMember(
            name=rows[0].user.name,
            email=rows[0].user.email,
            confirmed=rows[0].user.email.lower() in confirmed,
            second_factor=user_id in secured,
            roles=tuple(
                Held(
                    row.pk,
                    Role(row.role),
                    role_words(row.role),
                    ", ".join(words(row.also)),
                    waits=not row.vouched and row.user.email.lower() not in confirmed,
                )
                for row in sorted(rows, key=lambda row: order.index(Role(row.role)))
            ),
        )
        for user_id, rows in held.items()
    ]
    return sorted(members, key=lambda member: (member.name or member.email).casefold())
