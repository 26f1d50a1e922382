"""QR codes, drawn on the server as SVG."""

import segno
from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def qr(text: str, words: str) -> SafeString:
    """A QR code of an address; `words` says to screen readers where it leads. Dark on white in every colour scheme."""
    code = segno.make(text, error="m", micro=False)
    svg = code.svg_inline(omitsize=True, border=3, light="#fff", dark="#000", svgclass="qr", title=words)
    return mark_safe(svg.replace("<svg", '<svg role="img"', 1))  # the title is escaped by segno
