from django.urls import URLPattern

from series.views import public, setup, structure

urlpatterns: list[URLPattern] = [*public.urlpatterns, *setup.urlpatterns, *structure.urlpatterns]
