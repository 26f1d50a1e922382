"""Which version of the privacy page is shown. Raise it whenever what the page says changes."""

PRIVACY_VERSION = 2
