"""What staff and players fill in about a player as such."""

from typing import Any

from django import forms

from series.domain.public_name import MOST, initials_of, kind_of
from series.models import Player


class MergeForm(forms.Form):
    """Which of two records is kept; numbered, as both may have one name."""

    kept = forms.TypedChoiceField(
        label="Keep",
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the record to keep."},
    )

    def __init__(self, *args: Any, players: tuple[Player, Player], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.players = players
        self.fields["kept"].choices = [(player.pk, f"{at}. {player.name}") for at, player in enumerate(players, 1)]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> dict[str, int]:
        """The arguments of the command."""
        kept = self.cleaned_data["kept"]
        return {"kept_id": kept, "gone_id": next(player.pk for player in self.players if player.pk != kept)}


class PublicNameForm(forms.Form):
    """The name that everybody sees."""

    kind = forms.ChoiceField(label="Show me as", widget=forms.RadioSelect)
    nickname = forms.CharField(label="Nickname", required=False, max_length=2 * MOST)

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        kind = kind_of(player.name, player.public_name)
        kwargs["initial"] = {"kind": kind, "nickname": player.public_name if kind == "nickname" else ""}
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            ("real", player.name),
            ("initials", initials_of(player.name)),
            ("nickname", "A nickname"),
        ]
