"""Calculators' pages as the tests read them: fields, errors, links."""

from html.parser import HTMLParser
from typing import Any

from django.test import Client
from django.urls import reverse

Fields = dict[str, Any]


class Page(HTMLParser):
    """The fields of a page, what stands beside them as errors, and the links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: dict[str, set[str]] = {}
        self.typed: dict[str, str] = {}
        self.checked: dict[str, list[str]] = {}
        self.errors: dict[str, str] = {}
        self.links: list[str] = []
        self._error = self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "input" and "name" in given:
            self.names.setdefault(given["name"], set()).add(given.get("value", ""))
            if given.get("type") not in ("checkbox", "radio"):
                self.typed[given["name"]] = given.get("value", "")
            elif "checked" in dict(attrs):
                self.checked.setdefault(given["name"], []).append(given.get("value", "on"))
        elif tag == "select":
            self._select = given["name"]
            self.names.setdefault(self._select, set())
        elif tag == "option":
            self.names[self._select].add(given.get("value", ""))
            if "selected" in dict(attrs):
                self.checked.setdefault(self._select, []).append(given.get("value", ""))
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])
        self._error = given["id"].removeprefix("error_") if given.get("id", "").startswith("error_") else self._error

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._error = ""

    def handle_data(self, data: str) -> None:
        if self._error and data.strip():
            self.errors[self._error] = self.errors.get(self._error, "") + data.strip()


def ask(client: Client, kind: str, fields: Fields, **headers: str) -> Any:
    """The page of a calculator with these inputs, sent as its form sends them."""
    return client.get(reverse("calculator", args=[kind]), {"answer": "1", **fields}, headers=headers)
