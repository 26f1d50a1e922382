"""The rulebook in versions, and the rulings made by it. Only commands write these tables."""

from rulings.models.rulebook import Rule, RulebookVersion, RuleText
from rulings.models.rulings import Ruling, RulingPlayer

__all__ = ["Rule", "RuleText", "RulebookVersion", "Ruling", "RulingPlayer"]
