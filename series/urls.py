from django.urls import URLPattern

from series.views import exclusions, options, points, prizes, public, setup, structure

urlpatterns: list[URLPattern] = [
    *exclusions.urlpatterns,
    *options.urlpatterns,
    *points.urlpatterns,
    *prizes.urlpatterns,
    *public.urlpatterns,
    *setup.urlpatterns,
    *structure.urlpatterns,
]
