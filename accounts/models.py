"""People who sign in, and the staff roles they hold."""

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone

from accounts.permissions import PRESETS, Permission, Role
from journal.actors import PUBLIC
from journal.models import Journaled, Stream


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """Somebody who signs in by e-mail. `is_superuser` is the organiser: every permission in every series."""

    email = models.EmailField("e-mail", unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_staff = models.BooleanField("may open the read-only admin", default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def journal_name(self) -> str:
        """Staff are named; a player's log-in appears as such, because the journal is read by all staff."""
        return self.name or f"user {self.pk}"

    def get_short_name(self) -> str:
        return str(self)

    def may(self, permission: str, subject: Stream) -> bool:
        """Whether this user holds the permission in the series that `subject` belongs to."""
        if permission == PUBLIC:
            return True
        if not self.is_active:
            return False
        if self.is_superuser:
            return True
        return str(permission) in self.permissions_in(subject.staff_series_id)

    @property
    def has_staff_role(self) -> bool:
        """Whether this person works in any series, or owns the site. One query."""
        return self.is_superuser or self.staff_roles.filter(active=True).exists()

    def permissions_in(self, series_id: int | None) -> frozenset[str]:
        """All permissions held in one series. One query, none for the organiser."""
        if self.is_superuser:
            return frozenset(Permission.values)
        if series_id is None:
            return frozenset()
        held: set[str] = set()
        for role in self.staff_roles.holding().filter(series_id=series_id):
            held |= role.permissions
        return frozenset(held)


class StaffRoles(models.QuerySet["StaffRole"]):
    """Roles by whether they hold."""

    def holding(self) -> "StaffRoles":
        """Those that allow something now."""
        return self.filter(models.Q(vouched=True) | _confirmed(), active=True)

    def waiting(self) -> "StaffRoles":
        """Those that hold as soon as the e-mail address is confirmed."""
        return self.exclude(_confirmed()).filter(active=True, vouched=False)


def _confirmed() -> models.Exists:
    own = {"user": models.OuterRef("user"), "email__iexact": models.OuterRef("user__email")}
    return models.Exists(EmailAddress.objects.filter(verified=True, **own))


class StaffRole(Journaled):
    """A role that a user holds in one series, with permissions beyond the role's own if any.

    It is given to an e-mail address, so it holds once that address is confirmed: anybody can sign up with another
    person's. `vouched`: somebody who names staff knows the person, and it holds all the same, as in a hall without
    mail.
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="staff_roles")
    series = models.ForeignKey("series.Series", on_delete=models.PROTECT, related_name="staff_roles")
    role = models.CharField(max_length=12, choices=Role)
    also = models.JSONField(default=list, blank=True)
    active = models.BooleanField(default=True)
    vouched = models.BooleanField("holds without a confirmed e-mail", default=False)

    objects = StaffRoles.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "series", "role"], name="accounts_one_role_each"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display().lower()}"

    @property
    def permissions(self) -> frozenset[str]:
        return PRESETS[self.role] | (frozenset(self.also) & frozenset(Permission.values))
