"""What every page may show without asking."""

from typing import Any

from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """`user_is_staff`: whether the visitor holds any staff role (one query, signed-in visitors only)."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"user_is_staff": False}
    return {"user_is_staff": user.has_staff_role}
