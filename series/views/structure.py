"""The blind structure of an event: the editor, ready-made structures, copies, CSV in and out."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.text import slugify

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, whole_number
from series.commands.opening import set_structure
from series.domain.structure import AnteType, Item
from series.domain.structure_csv import write_csv
from series.forms.structure import BREAK, LEVEL, BuildForm, CopyForm, ImportForm, Row, StructureForm
from series.models import Event
from series.reads import setup as reads
from series.views.setup import event_with_series, held_in

EMPTY_ROWS = 6
PAGE = "series/setup/structure.html"


@login_required
def structure(request: HttpRequest, event_id: int) -> HttpResponse:
    """The editor. What the form's buttons do is in `do`; only `save` writes."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    may_change = Permission.SET_UP in held
    fixed = event.status not in (Event.Status.DRAFT, Event.Status.OPEN)
    levels = list(event.levels.all())
    sources = reads.structures_to_copy(request.user, event)  # type: ignore[arg-type]
    started = request.GET.get("from")
    context: dict[str, Any] = {
        "series": event.series,
        "event": event,
        "may": held,
        "may_change": may_change and not fixed,
        "saved": bool(levels),
        "ante_types": [(kind.value, words) for kind, words in ANTE_WORDS.items()],
        "build_form": BuildForm(request.GET if started == "template" else None, event=event),
        "copy_form": CopyForm(request.GET if started == "event" else None, sources=sources),
        "import_form": ImportForm(),
    }
    if request.method == "POST":
        if not may_change:
            raise NotAllowed
        return _posted(request, event, context)
    form = _form(event, reads.items_of(levels))
    for source in (context["build_form"], context["copy_form"]):
        if source.is_bound:
            if source.is_valid():
                form, context["unsaved"] = _form(event, _items(source)), True
            else:
                context["open"] = started
    if form.rows:
        form.is_valid()
    elif context["may_change"]:
        form.rows = [Row() for _ in range(EMPTY_ROWS)]
    return _page(request, event, context, form, 422 if context.get("open") else 200)


ANTE_WORDS = {AnteType.NONE: "nobody", AnteType.EACH: "each", AnteType.BIG_BLIND: "big blind"}


def _form(event: Event, items: tuple[Item, ...]) -> StructureForm:
    return StructureForm.of(items, event)


def _items(source: BuildForm | CopyForm) -> tuple[Item, ...]:
    if isinstance(source, BuildForm):
        return source.items
    return reads.items_of(list(source.cleaned_data["event"].levels.all()))


def _page(
    request: HttpRequest, event: Event, context: dict[str, Any], form: StructureForm, status: int, part: str = ""
) -> HttpResponse:
    context["form"] = form
    context["timetable"] = reads.timetable(form.items, event.starts_at, event.starting_stack)
    return render(request, f"{PAGE}#{part}" if part else PAGE, context, status=status)


def _posted(request: HttpRequest, event: Event, context: dict[str, Any]) -> HttpResponse:
    do, _, where = request.POST.get("do", "check").partition(":")
    if do == "import":
        return _import(request, event, context)
    form = StructureForm.typed(request.POST, event)
    context["unsaved"] = True
    if do == "save" and form.is_valid():
        try:
            done = set_structure(**posted(request), on=event.pk, items=form.items)
        except NotAllowed:
            raise
        except Refused as refusal:
            form.errors.append(f"{refusal.message} Your rows are kept here: saving again replaces what is there.")
            event.refresh_from_db(fields=["seq"])
            return _page(request, event, context, form, refusal.status)
        return _saved(request, event, done)
    if do in ("add", "insert"):
        at, _, kind = where.rpartition(":")
        row = whole_number(at)
        form.insert(len(form.rows) if row is None else row, BREAK if kind == BREAK else LEVEL)
        form = form.unchecked()
    elif do == "remove" and (row := whole_number(where)) is not None:
        form.remove(row)
        form = form.unchecked()
    elif do != "save":
        form.is_valid()
    part = ""
    if request.htmx:  # type: ignore[attr-defined]
        context["out_of_band"] = do != "preview"
        part = "rows_and_times" if context["out_of_band"] else "timetable"
    return _page(request, event, context, form, 422 if do == "save" else 200, part)


def _saved(request: HttpRequest, event: Event, done: Done) -> HttpResponse:
    warnings = len(done.result.get("warnings", []))
    noted = f" {warnings} things in it are unusual: they stand beside the rows." if warnings else ""
    messages.success(request, f"The structure is saved: {done.result['levels']} levels.{noted}")
    return see_other("structure" if warnings else "event_setup", event.pk)


def _import(request: HttpRequest, event: Event, context: dict[str, Any]) -> HttpResponse:
    source = ImportForm(request.POST, request.FILES)
    context["import_form"] = source
    if source.is_valid():
        form = _form(event, source.items)
        form.is_valid()
        context["unsaved"] = True
        return _page(request, event, context, form, 200)
    context["open"] = "import"
    form = _form(event, reads.items_of(list(event.levels.all())))
    form.is_valid()
    return _page(request, event, context, form, 422)


@login_required
def structure_csv(request: HttpRequest, event_id: int) -> HttpResponse:
    """The saved structure as a CSV file that the editor reads back."""
    event = event_with_series(event_id)
    held_in(request, event.series)
    text = write_csv(reads.items_of(list(event.levels.all())))
    name = slugify(event.name) or f"event-{event.pk}"
    return HttpResponse(
        "\ufeff" + text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}-structure.csv"'},
    )


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/structure/", structure, name="structure"),
    path("staff/events/<int:event_id>/structure.csv", structure_csv, name="structure_csv"),
]
