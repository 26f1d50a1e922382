from django.urls import URLPattern

from series.views import exclusions, options, prizes, public, setup, structure

urlpatterns: list[URLPattern] = [
    *exclusions.urlpatterns,
    *options.urlpatterns,
    *prizes.urlpatterns,
    *public.urlpatterns,
    *setup.urlpatterns,
    *structure.urlpatterns,
]
