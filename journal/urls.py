from django.urls import URLPattern, path

from journal import views

urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/journal/", views.event_journal, name="event_journal"),
    path("staff/series/<slug:slug>/journal/", views.series_journal, name="series_journal"),
    path("staff/undo/<int:entry_id>/", views.undo, name="undo"),
]
