"""What staff may do, as named permissions, and the roles that bundle them. A role is held in one series."""

from django.db.models import TextChoices


class Permission(TextChoices):
    """One thing a person may be trusted with. Commands name the one they need; pages ask for the same."""

    SET_UP = "set_up", "set up the series, its events and structures"
    NAME_STAFF = "name_staff", "give and take staff roles"
    REGISTER = "register", "add players and register them"
    SIGHT_ID = "sight_id", "sight a player's ID"
    TAKE_MONEY = "take_money", "take buy-ins and give refunds"
    PAY_OUT = "pay_out", "pay prizes"
    SEE_FLOOR = "see_floor", "see the floor, its tables, draws and screens"
    RUN_FLOOR = "run_floor", "seat, move and bust players, break tables"
    RUN_CLOCK = "run_clock", "start, pause and adjust the clock"
    REPORT_HANDS = "report_hands", "report hands and set the button at a table"
    RULE = "rule", "record rulings and penalties"
    DIRECT = "direct", "decide appeals, disqualify, waive limits"
    EDIT_RULES = "edit_rules", "write and publish the rulebook"
    SEE_PLAYERS = "see_players", "see players' contact and age details"
    SEE_MONEY = "see_money", "see money and payouts"
    SEE_JOURNAL = "see_journal", "read the journal"


class Role(TextChoices):
    """The usual jobs at a series."""

    DIRECTOR = "director", "Tournament director"
    FLOOR = "floor", "Floor"
    DESK = "desk", "Desk"
    DEALER = "dealer", "Dealer"
    EDITOR = "editor", "Rules editor"
    AUDITOR = "auditor", "Auditor"


P = Permission
PRESETS: dict[str, frozenset[str]] = {
    Role.DIRECTOR: frozenset(Permission.values),
    Role.FLOOR: frozenset(
        [P.REGISTER, P.SEE_FLOOR, P.RUN_FLOOR, P.RUN_CLOCK, P.REPORT_HANDS, P.RULE, P.SEE_PLAYERS, P.SEE_JOURNAL]
    ),
    Role.DESK: frozenset([P.REGISTER, P.SIGHT_ID, P.TAKE_MONEY, P.PAY_OUT, P.SEE_PLAYERS, P.SEE_MONEY]),
    Role.DEALER: frozenset([P.REPORT_HANDS]),
    Role.EDITOR: frozenset([P.EDIT_RULES]),
    Role.AUDITOR: frozenset([P.SEE_FLOOR, P.SEE_PLAYERS, P.SEE_MONEY, P.SEE_JOURNAL]),
}
