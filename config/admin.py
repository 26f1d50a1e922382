"""The Django admin as a window for staff: it shows every table and changes nothing, because only commands write."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdminSite(admin.AdminSite):
    site_header = site_title = "Dead Button, all tables"
    index_title = "Read only: changes are made on the staff pages"


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows a table to the organiser; nobody adds, changes or deletes here."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = request.user
        return bool(user.is_active and user.is_staff and getattr(user, "is_superuser", False))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def register_all() -> None:
    """Every model of our own apps, but sealed values: those are read where a permission asks for them.

    What packages registered is taken out again: their pages could write, and would show second factors.
    """
    for model in list(admin.site._registry):
        admin.site.unregister(model)
    for label in ("journal", "accounts", "series", "tables", "rulings"):
        for model in apps.get_app_config(label).get_models():
            if model.__name__ != "Sealed":
                hidden = [name for name in ("password", "draw_secret", "token") if name in _names(model)]
                admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), {"exclude": hidden}))


def _names(model: Any) -> set[str]:
    return {field.name for field in model._meta.get_fields()}
