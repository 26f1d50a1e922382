"""Pages that exist for the tests of the look alone: every part of the site on one page, and a live page."""

import datetime as dt
import queue
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import include, path

from config.offline import offline, service_worker
from tables.templatetags.seatmap import SeatMap, SeatView

NAMES = [
    "Eru Parata",
    "Fay Lim",
    None,
    "Te Ariki Wharekura-Tangaroa",
    "Iti Moana",
    "Jo Ngāta",
    "Kiri Te Pō",
    "Eru Hona",
]


class DeskForm(forms.Form):
    name = forms.CharField(help_text="As in the passport, macrons included.")
    born = forms.DateField(label="Birth date", widget=forms.DateInput(attrs={"type": "date"}))
    kind = forms.ChoiceField(
        label="ID sighted",
        choices=[("passport", "Passport"), ("licence", "Driver licence"), ("kiwi", "Kiwi Access")],
        widget=forms.RadioSelect,
        initial="licence",
        help_text="Nothing of the document is kept.",
    )
    days = forms.MultipleChoiceField(
        choices=[("1a", "Day 1A"), ("1b", "Day 1B")], widget=forms.CheckboxSelectMultiple, initial=["1b"]
    )
    table = forms.ChoiceField(choices=[("", "Any"), ("3", "Table 3")], required=False)
    note = forms.CharField(widget=forms.Textarea, required=False)
    rules = forms.BooleanField(label="I have read the rules of the series and accept them.")


def seat_map(number: int, seats: int = 9, links: bool = False) -> SeatMap:
    names = [NAMES[(index + number) % len(NAMES)] for index in range(seats)]
    return SeatMap(
        number=number,
        seats=[
            SeatView(
                number=index,
                name=name,
                entry_id=index if name else None,
                url=f"#seat-{index}" if links else None,
                due_big_blind=index == 8,
                penalty=index == 2,
                arriving=index == 6,
                is_you=index == 4,
            )
            for index, name in enumerate(names, start=1)
        ],
        button=5,
        small_blind=6,
        big_blind=7,
        label=f"{sum(name is not None for name in names)} of {seats}",
    )


def style(request: HttpRequest) -> HttpResponse:
    data = {"kind": "licence", "born": "2010-01-01", "name": "Hēmi"} if "errors" in request.GET else None
    context = {
        "form": DeskForm(data),
        "maps": [seat_map(number) for number in (3, 4, 6, 7)],
        "full": seat_map(7, links=True),
        "ten": seat_map(12, seats=10),
        "instant": dt.datetime(2026, 7, 5, 6, 30, tzinfo=dt.UTC),
    }
    return render(request, "look/style.html", context)


streams: defaultdict[str, "queue.Queue[str]"] = defaultdict(queue.Queue)
returned: defaultdict[str, list[str]] = defaultdict(list)  # the Last-Event-ID of who came back
made_from: defaultdict[str, list[str]] = defaultdict(list)  # the seq of the page, as who came said it
fetched: Counter[str] = Counter()
behaviour: defaultdict[str, list[str]] = defaultdict(list)  # of the next answers: "late", "late, nothing new" or "fail"


def live_page(request: HttpRequest) -> HttpResponse:
    return render(request, "look/live.html", {"topic": request.GET["topic"], "event": {"seq": 41}})


def part(request: HttpRequest) -> HttpResponse:
    name = request.GET["name"]
    fetched[name] += 1
    if behaviour[name]:
        answer = behaviour[name].pop(0)
        if answer == "fail":
            return HttpResponse(status=503)
        time.sleep(0.6)
        if answer == "late, nothing new":
            return HttpResponse(status=204)
    return render(request, "look/part.html", {"name": name, "on": request.GET["on"], "times": fetched[name]})


def refused(request: HttpRequest) -> HttpResponse:
    return render(request, "refusal.html", {"refusal": {"status": 422, "message": "Table 7 is full."}}, status=422)


def stream(request: HttpRequest) -> StreamingHttpResponse:
    """Sends what the test puts into `streams[topic]`; an empty text ends the stream."""
    said = streams[request.GET["topic"]]
    if "Last-Event-ID" in request.headers:
        returned[request.GET["topic"]].append(request.headers["Last-Event-ID"])
    made_from[request.GET["topic"]].append(request.GET.get("after", ""))
    said.queue.clear()

    def messages() -> Iterator[str]:
        yield "retry: 500\n\n"
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            with suppress(queue.Empty):
                message = said.get(timeout=0.5)
                if not message:
                    return
                yield message

    return StreamingHttpResponse(messages(), content_type="text/event-stream")


urlpatterns = [
    path("style/", style),
    path("live-page/", live_page),
    path("part/", part),
    path("refused/", refused),
    path("live/", stream),
    path("accounts/", include("allauth.urls")),
    path("offline/", offline, name="offline"),
    path("service-worker.js", service_worker, name="service_worker"),
    path("", style, name="home"),
]
