"""What a phone gets to keep for when it has no network: the service worker, and the page that says so."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache

WORKER = settings.BASE_DIR / "static" / "js" / "service_worker.js"


@never_cache
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script at the root of the site, the only place from which it may stand before every page."""
    return HttpResponse(WORKER.read_text(), content_type="text/javascript; charset=utf-8")


@cache_control(no_cache=True)
def offline(request: HttpRequest) -> HttpResponse:
    """The page shown in place of one that was never looked at and cannot be reached."""
    return render(request, "offline.html")
