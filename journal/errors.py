"""What a command says when it does not do what was asked; pages show it beside the field or as a 4xx page."""


class Refused(Exception):
    """The command did nothing, because a rule, a limit or the state of things forbids it.

    `message` is for the person who asked: what is wrong and what to do. `field` names the form field to show it at.
    """

    status = 422

    def __init__(self, message: str, *, field: str | None = None, code: str = "refused") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.code = code


class Stale(Refused):
    """What the actor saw has changed since; the message says what changed, by whom and when (HTTP 409)."""

    status = 409

    def __init__(self, message: str) -> None:
        super().__init__(message, code="stale")


class NotAllowed(Refused):
    """The actor lacks the permission for this (HTTP 403)."""

    status = 403

    def __init__(self, message: str = "Your role does not allow this.") -> None:
        super().__init__(message, code="not_allowed")


class OutsideCommand(Exception):
    """A programming error: something tried to write a journaled table without a command."""


class OutOfBalance(Exception):
    """A programming error: rows that a command added do not prove (`Journaled.journal_prove`). Nothing is written."""
