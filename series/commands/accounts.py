"""What becomes of a player's account when their data is erased. Accounts are no part of the journal."""

from accounts.models import User


def forget_account(user: User) -> bool:
    """Empty and close an account that is no staff's; whether it was closed.

    The row stays, because the journal names it by its number; nothing in it names a person any more.
    """
    if user.is_staff or user.is_superuser or user.staff_roles.exists():
        return False
    user.emailaddress_set.all().delete()  # type: ignore[attr-defined]  # of allauth
    user.authenticator_set.all().delete()  # type: ignore[attr-defined]  # of allauth
    user.email = f"erased-{user.pk}@erased.invalid"
    user.name = ""
    user.is_active = False
    user.set_unusable_password()
    user.save()
    return True
