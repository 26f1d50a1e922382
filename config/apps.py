from django.contrib.admin.apps import AdminConfig


class ReadOnlyAdminConfig(AdminConfig):
    """The Django admin as a window: everything can be looked at, nothing changed (see `config.admin`)."""

    default_site = "config.admin.ReadOnlyAdminSite"
