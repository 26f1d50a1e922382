from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ReadOnlyAdminConfig(AdminConfig):
    """The Django admin as a window: everything can be looked at, nothing changed (see `config.admin`)."""

    default_site = "config.admin.ReadOnlyAdminSite"


class SiteConfig(AppConfig):
    """The wiring as an app, so that `manage.py up` is found."""

    name = "config"
    label = "site_config"
