"""The staff of a series: who holds which role, giving roles and taking them back."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts import reads
from accounts.commands import Series, change_role, end_role, give_role, vouch
from accounts.forms import ChangeRoleForm, GiveRoleForm
from accounts.models import StaffRole
from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import see_other, submit


def _series(request: HttpRequest, slug: str) -> tuple[Any, frozenset[str]]:
    """The series, and what the visitor may do in it. Who reads its journal sees the staff too."""
    series = get_object_or_404(Series, slug=slug)
    held = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if not held & {Permission.NAME_STAFF, Permission.SEE_JOURNAL}:
        raise NotAllowed
    return series, held


@login_required
def staff_roles(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody with a role in the series; a form to give one."""
    series, may = _series(request, slug)
    form = GiveRoleForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, give_role, on=series.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                waits = " It holds once they have confirmed their e-mail." if outcome.result["waits"] else ""
                messages.success(request, f"The role is given.{waits}")
                return see_other("staff_roles", slug)
            status = outcome.status
    context = {
        "series": series,
        "form": form,
        "may": may,
        "may_change": Permission.NAME_STAFF in may,
        "staff": reads.staff(series.pk),
    }
    return render(request, "accounts/staff/roles.html", context, status=status)


@login_required
def staff_role(request: HttpRequest, slug: str, role_id: int) -> HttpResponse:
    """One role of one person: what it allows, what more they may do, letting it hold, and taking it back."""
    series, may = _series(request, slug)
    held = get_object_or_404(StaffRole.objects.select_related("user"), pk=role_id, series=series, active=True)
    form = ChangeRoleForm(request.POST or None, held=held)
    status = 200
    if request.method == "POST":
        outcome: Done | Refused | None = None
        other = {"end": end_role, "vouch": vouch}.get(request.POST.get("do", ""))
        if other:
            form = ChangeRoleForm({"also": held.also}, held=held)
            form.is_valid()
            outcome = submit(request, form, other, on=series.pk, role_id=held.pk)
        elif form.is_valid():
            outcome = submit(request, form, change_role, on=series.pk, role_id=held.pk, **form.cleaned_data)
        if isinstance(outcome, Done):
            messages.success(request, f"Saved: {held.user}, {held.get_role_display()}.")
            return see_other("staff_roles", slug)
        status = outcome.status if outcome else 422
    context = {
        "series": series,
        "held": held,
        "waits": StaffRole.objects.waiting().filter(pk=held.pk).exists(),
        "form": form,
        "may": may,
        "may_change": Permission.NAME_STAFF in may,
        "allows": reads.role_words(held.role),
        "also": reads.words(held.also),
    }
    return render(request, "accounts/staff/role.html", context, status=status)
