"""Adapters of the kinds that series/domain answers."""

from datetime import date, datetime

from series.domain import eligibility, payouts
from tests.vectors.adapters import adapter


@adapter("age")
def age(given: dict) -> dict:
    born, at = date.fromisoformat(given["born"]), datetime.fromisoformat(given["at"])
    return {"allowed": eligibility.is_of_age(born, at, given["tz"], given["minimum"])}


@adapter("payouts")
def payout(given: dict) -> dict:
    try:
        amounts = payouts.amounts(
            given["pool_cents"],
            given.get("shares_bp"),
            unit_cents=given["unit_cents"],
            entries=given.get("entries"),
        )
    except payouts.PayoutError as error:
        return {"error": error.code}
    return {"amounts": amounts}
