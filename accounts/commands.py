"""Giving and taking staff roles. They are entries in the series' own journal."""

from collections.abc import Sequence
from typing import Any

from accounts.models import StaffRole, User
from accounts.permissions import PRESETS, Permission, Role
from journal.commands import Tx, command
from journal.errors import Refused

# accounts stands below series, so the model is reached through the role's own relation
Series: Any = StaffRole._meta.get_field("series").related_model


def _require_held(tx: Tx[Any], permissions: frozenset[str], field: str | None) -> None:
    """Nobody hands out, or takes away, what they are not trusted with themselves."""
    for permission in Permission:
        if permission in permissions and not tx.actor.may(permission, tx.subject):
            raise Refused(f"Only somebody who may {permission.label} can do that.", field=field, code="not_held")


def _extra(also: Sequence[str], role: str) -> list[str]:
    """The permissions beyond the role's own, in the order of `Permission`."""
    unknown = [name for name in also if name not in Permission.values]
    if unknown:
        raise Refused("Choose the permissions from the list.", field="also")
    return [name for name in Permission.values if name in also and name not in PRESETS[role]]


# Not undoable: an undo could take away the last director, or give back a role that was taken on purpose.
@command(Series, "staff.give", permission=Permission.NAME_STAFF, undoable=False)
def give_role(tx: Tx[Any], *, email: str, role: str, also: Sequence[str] = ()) -> dict[str, Any]:
    """Give a role in this series to somebody who has signed up. A role that was ended is taken up again.

    It holds once they have confirmed the address. Result: `role`, and `waits` until then.

    Raises:
        Refused: at `email` (no such account, or the role is held already), `role` or `also`.
    """
    if role not in Role.values:
        raise Refused("Choose a role.", field="role")
    user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if user is None:
        raise Refused(
            "Nobody has signed up with this e-mail. Ask them to sign up first, then give them the role.",
            field="email",
            code="no_account",
        )
    extra = _extra(also, role)
    _require_held(tx, PRESETS[role], "role")
    _require_held(tx, frozenset(extra), "also")
    rows = tx.lock(StaffRole.objects.filter(user=user, series=tx.subject, role=role))
    if rows and rows[0].active:
        raise Refused(f"{user} has this role already.", field="email", code="held")
    if rows:
        held = tx.change(rows[0], active=True, also=extra, vouched=False)
    else:
        held = tx.add(StaffRole(user=user, series=tx.subject, role=role, also=extra))
    tx.say("{user} has the role {role}{also}", user=user, role=Role(role).label, also=_and_more(extra))
    return {"role": held.pk, "waits": not StaffRole.objects.holding().filter(pk=held.pk).exists()}


def _held(tx: Tx[Any], role_id: int) -> StaffRole:
    row = tx.lock_one(StaffRole, "This role is not held any more.", pk=role_id, series=tx.subject, active=True)
    tx.expect_unchanged(row)
    _require_held(tx, row.permissions, None)
    return row


@command(Series, "staff.change", permission=Permission.NAME_STAFF, undoable=False)
def change_role(tx: Tx[Any], *, role_id: int, also: Sequence[str]) -> dict[str, Any]:
    """Set what a holder may do beyond the role's own permissions.

    Raises:
        Refused: the role is not held any more, or at `also`.
    """
    row = _held(tx, role_id)
    extra = _extra(also, row.role)
    _require_held(tx, frozenset(extra), "also")
    tx.change(row, also=extra)
    tx.say(
        "{user}, {role}: the role as it is{also}",
        user=row.user,
        role=row.get_role_display(),
        also=_and_more(extra),
    )
    return {"role": row.pk}


@command(Series, "staff.vouch", permission=Permission.NAME_STAFF, undoable=False)
def vouch(tx: Tx[Any], *, role_id: int) -> dict[str, Any]:
    """Let a role hold although the address is not confirmed: the person is known to whoever says so.

    Raises:
        Refused: the role is not held any more, or allows what the actor may not.
    """
    row = _held(tx, role_id)
    tx.change(row, vouched=True)
    tx.say("{user}, {role}: holds without a confirmed address", user=row.user, role=row.get_role_display())
    return {"role": row.pk}


@command(Series, "staff.end", permission=Permission.NAME_STAFF, undoable=False)
def end_role(tx: Tx[Any], *, role_id: int) -> dict[str, Any]:
    """Take a role back.

    Raises:
        Refused: the role is not held any more, or it is the series' last director.
    """
    row = _held(tx, role_id)
    directors = StaffRole.objects.holding().filter(series=tx.subject, role=Role.DIRECTOR)
    if row.role == Role.DIRECTOR and not directors.exclude(pk=row.pk).exists():
        raise Refused(
            "This is the last tournament director of the series. Give the role to somebody else first.",
            code="last_director",
        )
    tx.change(row, active=False)
    tx.say("{user} no longer has the role {role}", user=row.user, role=row.get_role_display())
    return {"role": row.pk}


def _and_more(extra: Sequence[str]) -> str:
    return "".join(f", and may {Permission(name).label}" for name in extra)
