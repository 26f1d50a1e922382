"""Mail about changed rules: asking for it, confirming by the link in the first mail, and leaving by any other."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from journal.actors import Visitor
from journal.commands import Done
from journal.errors import Refused
from journal.forms import submit
from rulings.mail_commands import confirm, subscribe, unsubscribe
from rulings.models import Subscriber
from rulings.views import series_of
from series.models import Series

# a hall full of phones shares one address, so this only stops a machine
MOST_ASKS = 60
WINDOW_SECONDS = 600


class SubscribeForm(forms.Form):
    email = forms.EmailField(label="E-mail", max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"}))


@never_cache
def rules_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for mail when the rules change. What is answered does not tell whether the address was known."""
    series = series_of(request, slug)
    form, status, asked = SubscribeForm(request.POST or None), 200, False
    if request.method == "POST":
        status = 422
        if _too_many(request):
            form.add_error(None, "Too many tries came from this network. Please try again in ten minutes.")
            status = 429
        elif form.is_valid():
            outcome = submit(request, form, subscribe, on=series.pk, email=form.cleaned_data["email"])
            asked = isinstance(outcome, Done)
            status = 200 if asked else 422
    context = {"series": series, "form": form, "asked": asked}
    return render(request, "rulings/changes_mail.html", context, status=status)


def _too_many(request: HttpRequest) -> bool:
    address = get_adapter(request).get_client_ip(request)
    key = f"rules-mail:{address}:{int(timezone.now().timestamp()) // WINDOW_SECONDS}"
    cache.add(key, 0, WINDOW_SECONDS)
    return cache.incr(key) > MOST_ASKS


def _link(request: HttpRequest, slug: str, token: str, do: str, command: Any) -> HttpResponse:
    """A link of a mail asks first: programs that look at mail follow links, and only a person presses a button."""
    series = get_object_or_404(Series, slug=slug)
    found = Subscriber.objects.filter(series=series, token=token, left_at__isnull=True).exists()
    context = {"series": series, "do": do, "done": False, "refused": "" if found else "This link is used up."}
    status = 200 if found else 404
    if request.method == "POST" and found:
        try:
            command(actor=Visitor(), on=series.pk, token=token)
            context["done"] = True
        except Refused as refusal:
            context["refused"], status = refusal.message, refusal.status
    response = render(request, "rulings/changes_mail_link.html", context, status=status)
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "strict-origin"
    return response


@never_cache
def rules_mail_confirm(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Confirm that it was oneself who asked."""
    return _link(request, slug, token, "confirm", confirm)


@never_cache
@csrf_exempt  # mail programs send this form themselves (RFC 8058); the token in the address is what counts
def rules_mail_leave(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """End the mail."""
    return _link(request, slug, token, "leave", unsubscribe)


urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/rules/mail/", rules_mail, name="rules_mail"),
    path("series/<slug:slug>/rules/mail/<str:token>/confirm/", rules_mail_confirm, name="rules_mail_confirm"),
    path("series/<slug:slug>/rules/mail/<str:token>/leave/", rules_mail_leave, name="rules_mail_leave"),
]
