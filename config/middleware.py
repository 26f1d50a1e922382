"""Turns a command's refusal into a 4xx page, leads whoever was signed out back to their form, and names each request so
that the journal can point to it."""

import logging
import uuid
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from django.contrib.auth.views import redirect_to_login
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.defaults import page_not_found

from journal.commands import request_id
from journal.errors import Refused

logger = logging.getLogger(__name__)


class RefusalMiddleware:
    """Views show refusals beside the field; what they do not catch becomes a page that says what to do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = request_id.set(uuid.uuid4().hex)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            _come_back_to_the_form(request, response)
        if request.method == "GET" and isinstance(response, HttpResponseNotAllowed) and not response.content:
            page = render(request, "405.html", status=405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OverflowError):  # SQLite has no integers beyond 64 bits, so there is no such row
            return page_not_found(request, exception)
        if isinstance(exception, DataError) and "NUL" in str(exception):  # nor has PostgreSQL a text with this sign
            return page_not_found(request, exception)
        if isinstance(exception, DataError) and request.method == "POST":
            # nor room for a text or number beyond its column: a form should have said so beside the field
            logger.error("The database refused what a form should have", exc_info=exception)
            exception = Refused("Something you wrote is too long or too large. Go back, shorten it and send it again.")
        if not isinstance(exception, Refused):
            return None
        return render(request, "refusal.html", {"refusal": exception}, status=exception.status)


def _come_back_to_the_form(request: HttpRequest, response: HttpResponseRedirect) -> None:
    """Have somebody who was signed out when they pressed a button come back to its page after the log-in: the address
    that takes the form has no page."""
    came_from = request.headers.get("Referer", "")
    signed_out = response.url == redirect_to_login(request.get_full_path()).url
    if signed_out and url_has_allowed_host_and_scheme(came_from, {request.get_host()}):
        form = urlsplit(came_from)
        response["Location"] = redirect_to_login(urlunsplit(("", "", form.path, form.query, ""))).url
