"""The rulebook in versions, and the rulings made by it. Only commands write these tables."""

from rulings.models.notices import RulesLetter, RulesNote, Subscriber
from rulings.models.rulebook import Rule, RulebookVersion, RuleChange, RuleText
from rulings.models.rulings import Ruling, RulingPlayer

__all__ = [
    "Rule",
    "RuleChange",
    "RuleText",
    "RulebookVersion",
    "RulesLetter",
    "RulesNote",
    "Ruling",
    "RulingPlayer",
    "Subscriber",
]
