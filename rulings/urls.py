from django.urls import URLPattern

from rulings import (
    views,
    views_calculators,
    views_changes,
    views_editor,
    views_import,
    views_mail,
    views_penalties,
    views_publish,
    views_rulings,
)

urlpatterns: list[URLPattern] = [
    *views.urlpatterns,
    *views_changes.urlpatterns,
    *views_mail.urlpatterns,
    views.rule_pattern,
    *views_editor.urlpatterns,
    *views_import.urlpatterns,
    *views_publish.urlpatterns,
    *views_calculators.urlpatterns,
    *views_rulings.urlpatterns,
    *views_penalties.urlpatterns,
]
