"""Django settings. What differs between installations comes from `config.env`."""

import sys
from pathlib import Path

from csp.constants import NONE, SELF

from config.celery import each_second
from config.env import BASE_DIR, BadConfiguration, load

try:
    ENV = load()
except BadConfiguration as error:
    sys.exit(str(error))

DATA_DIR = ENV.data_dir

DEBUG = ENV.debug
PRODUCTION = ENV.production
SECRET_KEY = ENV.secret_key
BASE_URL = ENV.base_url
ALLOWED_HOSTS = ENV.allowed_hosts
CSRF_TRUSTED_ORIGINS = [ENV.base_url] if ENV.base_url.startswith("https://") else []

INSTALLED_APPS = [
    "config.apps.ReadOnlyAdminConfig",
    "config.apps.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "template_partials",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "journal",
    "accounts",
    "series",
    "tables",
    "rulings",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.RefusalMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.site",
            ],
        },
    }
]

DATABASES = {"default": ENV.database}
CACHES = {"default": ENV.cache}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- people ---------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"  # staff land on their own page
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_MODEL_EMAIL_FIELD = "email"
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
# wrong passwords; "key" is an account tried from one address (accounts.adapter), "ip" all accounts tried from there
ACCOUNT_RATE_LIMITS = {"login_failed": "20/m/ip,5/5m/key"}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_TOTP_ISSUER = "Dead Button"
# a hall without internet cannot confirm an address, and its staff need the second factor all the same
MFA_ALLOW_UNVERIFIED_EMAIL = True
ALLAUTH_TRUSTED_PROXY_COUNT = ENV.trusted_proxies

# --- language and time ----------------------------------------------------------------------------
LANGUAGE_CODE = "en-nz"
TIME_ZONE = "Pacific/Auckland"  # the default of a new series; instants are stored in UTC
USE_TZ = True
USE_I18N = False
DATE_FORMAT = "j F Y"
USE_THOUSAND_SEPARATOR = False  # numbers are written by the filters of the series app

# --- what the browser loads -----------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", ("fonts", Path(sys.prefix) / "fonts")]  # the font is cut by bin/webfont.py
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # what is served are copies with a fingerprint in their names, made by `collectstatic` (`up` calls it): a page that
    # a browser kept never gets the files of another version. Templates are read from the sources while the site runs,
    # so it is stopped before those change (docs/operations.md)
    "staticfiles": {"BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"},
}
SERVESTATIC_MAX_AGE = 300  # of the few files that are asked for without fingerprint

# --- security -------------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "media-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    name: []
    for name in (
        "accelerometer", "camera", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
        "payment", "usb",
    )
}  # fmt: skip
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.https
SECURE_SSL_REDIRECT = ENV.https
SECURE_REDIRECT_EXEMPT = ["^health/$"]
SECURE_HSTS_SECONDS = 31536000 if ENV.https else 0
if ENV.trusted_proxies:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

# --- mail -----------------------------------------------------------------------------------------
vars().update({key: value for key, value in ENV.email.items() if key.startswith("EMAIL_")})
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENV.mail_from

# --- later work -----------------------------------------------------------------------------------
CELERY_BROKER_URL = ENV.broker_url
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_TIMER_PRECISION = 0.05
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1,
}  # fmt: skip
CELERY_TASK_ROUTES = {"tables.tasks.sweep": {"queue": "clock"}, "rulings.tasks.sweep": {"queue": "clock"}}
CELERY_TASK_DEFAULT_QUEUE = "work"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # in memory: what is due is written in the database
CELERY_BEAT_SCHEDULE = {
    # a sweep that could not start within its second is useless: the next one does its work
    "sweep": {"task": "tables.tasks.sweep", "schedule": each_second(), "options": {"expires": 3}},
    "rules": {"task": "rulings.tasks.sweep", "schedule": each_second(), "options": {"expires": 3}},
}
if CELERY_BROKER_URL.startswith("filesystem"):
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "config.broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "broker"),
        "data_folder_out": str(DATA_DIR / "broker"),
        "control_folder": str(DATA_DIR / "broker-control"),
        "polling_interval": 0.05,
    }
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {name: {"level": "INFO"} for name in ("journal", "accounts", "series", "tables", "rulings", "config")},
}
