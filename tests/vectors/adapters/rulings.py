"""Adapters of the kinds that rulings/domain answers."""

from rulings.domain import betting, penalties, pots, showdown, split, wagers
from tests.vectors.adapters import adapter


@adapter("min_raise")
def min_raise(given: dict) -> dict:
    answer = betting.min_raise(
        big_blind=given["big_blind"],
        street=betting.Street(given["street"]),
        wagers=[wager["to"] for wager in given["wagers"]],
    )
    return {"to_match": answer.to_match, "min_raise_to": answer.min_raise_to}


@adapter("reopen")
def reopen(given: dict) -> dict:
    answer = betting.reopening(
        big_blind=given["big_blind"],
        street=betting.Street(given["street"]),
        actions=[betting.Action(action["player"], action["to"]) for action in given["actions"]],
        asks=given["asks"],
        blinds=given.get("blinds"),
    )
    return {"to_call": answer.to_call, "may_raise": answer.may_raise, "min_raise_to": answer.min_raise_to}


@adapter("wager")
def wager(given: dict) -> dict:
    policy = dict(given.get("policy", {}))
    if "open_underbet" in policy:
        policy["open_underbet"] = wagers.OpenUnderbet(policy["open_underbet"])
    answer = wagers.rule_wager(
        wagers.Wager(
            big_blind=given["big_blind"],
            to_match=given["to_match"],
            raise_size=given["last_raise"],
            total=given["total"],
            already_in=given.get("already_in", 0),
            pushed=given.get("chips", ()),
            all_in=given.get("all_in", False),
            stack=given.get("stack"),
            declared=wagers.Declared(given["declared"]) if given.get("declared") else None,
            motions=given.get("motions", ()),
            policy=wagers.WagerPolicy(**policy),
        )
    )
    return {"ruling": answer.ruling, "total": answer.total, "returned": answer.returned}


@adapter("pots")
def make_pots(given: dict) -> dict:
    answer = pots.make_pots(
        given["contributions"],
        folded=given["folded"],
        killed=given["killed"],
        dead=given.get("dead", 0),
        forfeited=given.get("forfeited", ()),
    )
    return {
        "pots": [{"amount": pot.amount, "eligible": pot.eligible} for pot in answer.pots],
        "returned": answer.returned,
    }


@adapter("split")
def split_pots(given: dict) -> dict:
    won = [split.WonPot(pot["amount"], pot["winners"]) for pot in given["pots"]]
    answer = split.split_pots(won, button=given["button"], seats=given["seats"], unit=given["unit"])
    return {"awards": answer.awards}


@adapter("showdown")
def show_order(given: dict) -> dict:
    answer = showdown.show_order(
        seats=given["seats"],
        button=given["button"],
        live=given["live"],
        last_aggressor=given["last_aggressor"],
        last_caller=given.get("last_caller"),
        all_in=given["all_in"],
        policy=showdown.ShowdownPolicy(**given.get("policy", {})),
    )
    return {"all_tabled": True} if answer.all_tabled else {"order": answer.order}


@adapter("penalty")
def penalty(given: dict) -> dict:
    sanction, unit = (
        (penalties.Sanction.MISSED_HANDS, "hands") if "hands" in given else (penalties.Sanction.MISSED_ROUNDS, "rounds")
    )
    total = penalties.Penalty(sanction, given[unit]).hands(given["players_at_table"])
    answer = penalties.missed_hands(total=total, completed=given["hands_completed"], redeals=given.get("redeals", 0))
    return {"hands_total": answer.total, "hands_remaining": answer.remaining}
