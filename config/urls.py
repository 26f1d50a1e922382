"""Every address of the site. Names are flat: `reverse("floor", args=[event.pk])`."""

from django.contrib import admin
from django.urls import include, path

from config.admin import register_all
from config.health import health
from config.offline import offline, service_worker

register_all()

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("health/", health, name="health"),
    path("offline/", offline, name="offline"),
    path("service-worker.js", service_worker, name="service_worker"),
    path("", include("series.urls")),
    path("", include("tables.urls")),
    path("", include("rulings.urls")),
    path("", include("accounts.urls")),
    path("", include("journal.urls")),
]
