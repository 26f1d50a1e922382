"""How a row's values are written into the journal and read back, exact to the microsecond."""

import datetime as dt
import secrets
import uuid
from typing import Any

from django.db import models

from journal.models import Journaled, Sealed


def plain(value: Any) -> Any:
    """A value as JSON can hold it without loss."""
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    if isinstance(value, uuid.UUID):
        return str(value)
    return value


def row_values(row: models.Model) -> dict[str, Any]:
    """Every column of a row, by attribute name, as JSON values."""
    return {field.attname: plain(getattr(row, field.attname)) for field in row._meta.concrete_fields}


def restored(model: type[models.Model], attname: str, value: Any) -> Any:
    """The Python value of a column from its JSON value."""
    field = next(field for field in model._meta.concrete_fields if field.attname == attname)
    if isinstance(field, models.DurationField) and value is not None:
        return dt.timedelta(microseconds=value)
    if isinstance(field, models.ForeignKey):
        return value
    return field.to_python(value)


def seal(row: Journaled, values: dict[str, Any], kept: list[Sealed]) -> dict[str, Any]:
    """The same values with personal ones replaced by references; the values themselves are added to `kept`."""
    sealed = dict(values)
    for name in row.journal_sealed & values.keys():
        if values[name] not in (None, ""):
            secret = Sealed(table=row._meta.label_lower, row=row.pk, salt=secrets.token_hex(16), value=values[name])
            kept.append(secret)
            sealed[name] = {"sealed": str(secret.id), "digest": secret.digest()}
    return sealed


def still_known(values: dict[str, Any]) -> dict[str, Any]:
    """The values without those that were sealed and have been destroyed since."""
    ids = {name: value["sealed"] for name, value in values.items() if isinstance(value, dict) and "sealed" in value}
    found = (
        {str(pk) for pk in Sealed.objects.filter(id__in=ids.values()).values_list("pk", flat=True)} if ids else set()
    )
    return {name: value for name, value in values.items() if name not in ids or ids[name] in found}


def unseal(values: dict[str, Any]) -> dict[str, Any]:
    """The values with references resolved; an erased value comes back as an empty string."""
    ids = {name: value["sealed"] for name, value in values.items() if isinstance(value, dict) and "sealed" in value}
    found = {str(row.id): row.value for row in Sealed.objects.filter(id__in=ids.values())} if ids else {}
    return {**values, **{name: found.get(key, "") for name, key in ids.items()}}
