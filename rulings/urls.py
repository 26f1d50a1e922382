from django.urls import URLPattern, path

from rulings import views, views_calculators, views_rulings

urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/rules/", views.rulebook, name="rulebook"),
    path("series/<slug:slug>/rules/<slug:number>/", views.rule, name="rule"),
    path("staff/series/<slug:slug>/rules/start/", views.rulebook_start, name="rulebook_start"),
    *views_calculators.urlpatterns,
    *views_rulings.urlpatterns,
]
