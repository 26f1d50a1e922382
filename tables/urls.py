from django.urls import URLPattern

from tables.views import screens

urlpatterns: list[URLPattern] = [*screens.urlpatterns]
