"""The ASGI application: the live feed beside Django (see `config.live`)."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django = get_asgi_application()

from config.live import Live, Message, Receive, Send  # noqa: E402 (it needs the models, which are ready now)

live = Live()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await live.lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"] == "/live/":
        await live(scope, receive, send)
    else:
        await django(scope, receive, send)  # type: ignore[arg-type]
