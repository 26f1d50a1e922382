"""Bounties: whose is still nobody's, who is owed how much."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import whole_number
from series.models import Event, LedgerLine
from tables.commands import bounties
from tables.forms.bounties import HuntersForm, PayBountiesForm
from tables.models import Bust
from tables.reads.bounties import bounty_winners, knockouts_of, may_have_busted, unnamed
from tables.views.actions import Action, as_sent
from tables.views.staff_page import StaffPage, answer

SEES = (Permission.RUN_FLOOR, Permission.PAY_OUT, Permission.SEE_MONEY)


class BountiesPage(StaffPage):
    """The bounties of an event; `?victim=12` asks who busted that entry, `&q=` finds others than those at the table."""

    template = "tables/bounties.html"
    address = "bounties"
    actions = {  # noqa: RUF012
        "name": Action(HuntersForm, bounties.name_hunters, as_sent),
        "pay": Action(PayBountiesForm, bounties.pay_bounties, as_sent),
    }

    @property
    def here(self) -> str:
        return reverse(self.address, args=[self.event.pk]) + f"?day={self.day.pk}"

    def context(self) -> dict[str, Any]:
        winners = list(bounty_winners(self.event).values())
        owed = sum(max(0, one.owed_cents) for one in winners)
        settled = self.event.status == Event.Status.FINISHED and not owed
        shown: dict[str, Any] = {
            "winners": winners,
            "unnamed": unnamed(self.event) if self.event.rules.bounty_cents and not settled else [],
            "owed": owed,
            "methods": LedgerLine.Method.choices,
            "may_name": Permission.RUN_FLOOR in self.may,
            "may_pay": Permission.PAY_OUT in self.may,
        }
        asked = self.request.GET.get("victim", "")
        if asked and shown["may_name"]:
            shown |= self._victim(asked, self.request.GET.get("q", "")[:80])
        return shown

    def _victim(self, asked: str, words: str) -> dict[str, Any]:
        busts = Bust.objects.filter(entry=whole_number(asked) or 0, entry__event=self.event)
        bust = busts.select_related("entry__player", "elimination").first()
        if bust is None:
            raise Http404
        named = knockouts_of(bust.entry_id)
        hits = may_have_busted(self.event, bust, words)
        people = {one.hunter_id: one.hunter for one in named} | {hit.pk: hit for hit in hits}
        return {"victim": bust, "q": words, "people": list(people.values()), "by": {one.hunter_id for one in named}}


@login_required
@never_cache
def bounties_page(request: HttpRequest, event_id: int) -> HttpResponse:
    """The bounties of an event."""
    return answer(BountiesPage(request, event_id, *SEES))


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/bounties/", bounties_page, name="bounties")]
