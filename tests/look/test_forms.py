"""Fields say their label, hint and error to everybody, and hold what was typed."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template, render_to_string

from tests.look.urls import DeskForm

TEMPLATES = Path(settings.BASE_DIR) / "templates"
WRONG = {"name": "Hēmi", "born": "31/31/2000", "kind": "licence", "days": ["1b"], "rules": ""}


def field(name: str, data: dict | None = None) -> str:
    return render_to_string("components/field.html", {"field": DeskForm(data)[name]})


def test_the_hint_describes_the_field():
    html = field("name")
    assert '<label for="id_name">Name</label>' in html
    assert 'aria-describedby="id_name_helptext"' in html
    assert 'id="id_name_helptext">As in the passport' in html


def test_a_hint_of_the_page_describes_the_field_too():
    for name in ("name", "born", "kind"):
        form = DeskForm()
        html = render_to_string("components/field.html", {"field": form[name], "hint": "The ID shows it."})
        assert f'aria-describedby="id_{name}_helptext"' in html
        assert f'id="id_{name}_helptext">The ID shows it.' in html


def test_an_error_stands_beside_its_field_and_the_typed_text_stays():
    html = field("born", WRONG)
    assert 'value="31/31/2000"' in html
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_born_error"' in html
    assert re.search(r'id="id_born_error">.*Enter a valid date', html, re.DOTALL)


@pytest.mark.parametrize(("name", "kind", "chosen"), [("kind", "radio", "licence"), ("days", "checkbox", "1b")])
def test_groups_become_chips(name, kind, chosen):
    html = field(name, WRONG)
    assert html.count('class="chip"') == len(DeskForm().fields[name].choices)
    assert re.search(rf'<input type="{kind}" name="{name}" value="{chosen}"[^>]* checked', html)
    assert re.search(r"<legend>[^<]+</legend>", html)


def test_optional_fields_say_so():
    assert "optional" in field("note")
    assert "optional" not in field("name")


def test_the_summary_links_to_every_wrong_field():
    form = DeskForm(WRONG)
    html = render_to_string("components/form_errors.html", {"form": form})
    assert re.findall(r'href="#(\w+)"', html) == ["id_born", "id_rules"]
    whole = render_to_string("components/fields.html", {"form": form})
    assert 'id="id_born"' in whole
    assert 'id="id_rules"' in whole
    assert render_to_string("components/form_errors.html", {"form": DeskForm()}).strip() == ""


OWN = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("name", OWN)
def test_no_template_needs_what_the_content_security_policy_forbids(name):
    get_template(name)  # it compiles
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", "", (TEMPLATES / name).read_text(), flags=re.DOTALL)
    assert not re.search(r"<[^>]*\sstyle\s*=", text), "style attribute"
    assert "<style" not in text
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", text), "inline handler"
    assert not re.search(r"<[^>]*\shx-(on|vals\s*=\s*['\"]js)", text), "htmx attribute that needs eval"
    for attributes in re.findall(r"<script([^>]*)>", text):
        assert "src=" in attributes or 'type="application/json"' in attributes
