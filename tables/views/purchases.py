"""The list of rebuys and add-ons: a search, and one tap for each player."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.models import LedgerLine
from tables.reads.purchases import buyers, sells
from tables.views.actions import ACTIONS
from tables.views.staff_page import StaffPage, answer

SELLERS = (Permission.TAKE_MONEY, Permission.REPORT_HANDS)
LONGEST_SEARCH = 80


class PurchasesPage(StaffPage):
    """Who can buy what now; `?q=` finds players, `?pay=card` sells for something else than cash."""

    template = "tables/purchases.html"
    address = "purchases"
    actions = {name: ACTIONS[name] for name in ("rebuy", "addon", "declare_rebuy")}  # noqa: RUF012

    @property
    def method(self) -> str:
        asked = self.request.GET.get("pay", "")
        return asked if asked in LedgerLine.Method.values else LedgerLine.Method.CASH

    @property
    def words(self) -> str:
        return self.request.GET.get("q", "")[:LONGEST_SEARCH]

    @property
    def here(self) -> str:
        asked = {"day": str(self.day.pk), "pay": self.method, "q": self.words}
        return reverse(self.address, args=[self.event.pk]) + "?" + urlencode(asked)

    def context(self) -> dict[str, Any]:
        return {
            "sells": sells(self.event),
            "page": buyers(self.event, self.day, self.words, self.now),
            "rules": self.event.rules,
            "q": self.words,
            "method": self.method,
            "methods": LedgerLine.Method.choices,
        }


@login_required
@never_cache
def purchases_page(request: HttpRequest, event_id: int) -> HttpResponse:
    """Rebuys and add-ons of a day."""
    return answer(PurchasesPage(request, event_id, *SELLERS, Permission.SEE_FLOOR))


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/rebuys/", purchases_page, name="purchases")]
