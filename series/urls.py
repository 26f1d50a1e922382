from django.urls import URLPattern, path

from series.views import setup, structure

urlpatterns: list[URLPattern] = [
    # --- setting up -------------------------------------------------------------------------------------
    path("staff/", setup.staff_home, name="staff_home"),
    path("staff/series/new/", setup.series_new, name="series_new"),
    path("staff/series/<slug:slug>/", setup.series_setup, name="series_setup"),
    path("staff/series/<slug:slug>/publish/", setup.series_publish, name="series_publish"),
    path("staff/series/<slug:slug>/events/new/", setup.event_new, name="event_new"),
    path("staff/events/<int:event_id>/setup/", setup.event_setup, name="event_setup"),
    path("staff/events/<int:event_id>/open/", setup.event_open, name="event_open"),
    path("staff/events/<int:event_id>/cancel/", setup.event_cancel, name="event_cancel"),
    path("staff/events/<int:event_id>/days/new/", setup.day_new, name="day_new"),
    path("staff/events/<int:event_id>/days/<int:day_id>/", setup.day_setup, name="day_setup"),
    path("staff/events/<int:event_id>/structure/", structure.structure, name="structure"),
    path("staff/events/<int:event_id>/structure.csv", structure.structure_csv, name="structure_csv"),
]
