"""Turns a command's refusal into a 4xx page, and names each request so that the journal can point to it."""

import uuid
from collections.abc import Callable

from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found

from journal.commands import request_id
from journal.errors import Refused


class RefusalMiddleware:
    """Views show refusals beside the field; what they do not catch becomes a page that says what to do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = request_id.set(uuid.uuid4().hex)
        try:
            return self.get_response(request)
        finally:
            request_id.reset(token)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OverflowError):  # SQLite has no integers beyond 64 bits, so there is no such row
            return page_not_found(request, exception)
        if isinstance(exception, DataError) and "NUL" in str(exception):  # nor has PostgreSQL a text with this sign
            return page_not_found(request, exception)
        if not isinstance(exception, Refused):
            return None
        return render(request, "refusal.html", {"refusal": exception}, status=exception.status)
