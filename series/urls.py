from django.urls import URLPattern

from series.views import options, public, setup, structure

urlpatterns: list[URLPattern] = [*options.urlpatterns, *public.urlpatterns, *setup.urlpatterns, *structure.urlpatterns]
