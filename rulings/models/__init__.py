"""The rulebook in versions. Only commands write these tables."""

from rulings.models.rulebook import Rule, RulebookVersion, RuleText

__all__ = ["Rule", "RuleText", "RulebookVersion"]
