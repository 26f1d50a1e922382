"""Adapters of the kinds that series/domain answers."""

from datetime import date, datetime

from series.domain import chips, deals, eligibility, finish, gambling_class, payouts, structure
from series.domain.finish import CrossTable
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


@adapter("finish")
def finishing(given: dict) -> dict:
    by_stack = (given.get("policy") or {}).get("cross_table") == "stack"
    result = finish.finish(
        given["remaining"],
        [finish.Bust(bust["entry"], bust["table"], bust["stack"]) for bust in given["busts"]],
        {int(place): cents for place, cents in given["prizes"].items()},
        CrossTable.STACK if by_stack else CrossTable.SHARE,
    )
    return {
        "places": {line.entry: [line.best, line.worst] for line in result},
        "prizes": {line.entry: line.prize_cents for line in result},
    }


@adapter("structure")
def structures(given: dict) -> dict:
    result = structure.check(
        [_structure_item(row) for row in given["levels"]], given["chips"], given.get("late_reg_level")
    )
    return {
        "errors": sorted({finding.code for finding in result.errors}),
        "warnings": sorted({finding.code for finding in result.warnings}),
    }


def _structure_item(row: dict) -> structure.Item:
    remove = tuple(row.get("remove") or ())
    if row["kind"] == "break":
        return structure.Break(row["minutes"], remove)
    ante = row.get("ante") or 0
    ante_type = structure.AnteType(row.get("ante_type") or ("each" if ante else "none"))
    return structure.Level(row["minutes"], row["small_blind"], row["big_blind"], ante, ante_type, remove)


@adapter("deal")
def deal(given: dict) -> dict:
    return {"amounts": deals.deal(deals.Method(given["method"]), given["stacks"], given["prizes"])}


@adapter("chip_race")
def chip_race(given: dict) -> dict:
    race = chips.chip_race(
        given["old"],
        given["new"],
        {int(seat): count for seat, count in given["holdings"].items()},
        only_chips=[int(seat) for seat in given.get("only_chips") or ()],
        rounding=chips.Rounding((given.get("policy") or {}).get("rounding", "half_up")),
    )
    return {
        "new_chips": race.raced + race.additional,
        "chips_in_play_change": race.chips_in_play_change,
    }


@adapter("gambling_class")
def classify(given: dict) -> dict:
    charges = gambling_class.Charges(
        given["buy_in_cents"],
        given["fee_cents"],
        given["max_reentries"],
        given.get("rebuys") or 0,
        given.get("addon_cents") or 0,
    )
    result = gambling_class.classify(
        gambling_class.Operator(given["operator"]),
        charges,
        capacity=given["capacity"],
        prizes_cents=given["prizes_cents"],
        licence_number=str(given.get("licence_number") or ""),
    )
    return {
        "class": result.gambling_class,
        "potential_turnover_cents": result.potential_turnover_cents,
        "problems": list(result.problems),
    }
