"""Signing in: who has tried too often, and where a person stands afterwards."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.ratelimit import get_ip
from django.http import HttpRequest
from django.urls import reverse


class AccountAdapter(DefaultAccountAdapter):
    """Staff go to their own page, where their work is listed; everybody else to the first page.

    Wrong passwords are counted for an account and an address of the network together (`ACCOUNT_RATE_LIMITS`): who
    guesses is soon stopped, and cannot by that keep the owner out, who comes from another address.
    """

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{get_ip(request)}"

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        if request.user.has_staff_role:  # type: ignore[union-attr]
            return reverse("staff_home")
        return str(super().get_login_redirect_url(request))
