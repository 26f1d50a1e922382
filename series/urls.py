from django.urls import URLPattern

from series.views import options, prizes, public, setup, structure

urlpatterns: list[URLPattern] = [
    *options.urlpatterns,
    *prizes.urlpatterns,
    *public.urlpatterns,
    *setup.urlpatterns,
    *structure.urlpatterns,
]
