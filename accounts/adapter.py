"""Where a person stands after signing in."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.urls import reverse


class AccountAdapter(DefaultAccountAdapter):
    """Staff go to their own page, where their work is listed; everybody else to the first page."""

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        if request.user.has_staff_role:  # type: ignore[union-attr]
            return reverse("staff_home")
        return str(super().get_login_redirect_url(request))
