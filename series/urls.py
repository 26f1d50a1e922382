from django.urls import URLPattern

from series.views import (
    exclusions,
    gambling,
    options,
    places,
    points,
    privacy,
    prizes,
    public,
    setup,
    structure,
)

urlpatterns: list[URLPattern] = [
    *exclusions.urlpatterns,
    *gambling.urlpatterns,
    *options.urlpatterns,
    *places.urlpatterns,
    *points.urlpatterns,
    *privacy.urlpatterns,
    *prizes.urlpatterns,
    *public.urlpatterns,
    *setup.urlpatterns,
    *structure.urlpatterns,
]
