"""What the floor sends about messages and screens."""

from django import forms

from tables.models import Display, HallMessage


class MessageForm(forms.Form):
    """Words for everybody, and how long they stay."""

    text = forms.CharField(
        label="Message", max_length=200, widget=forms.Textarea(attrs={"rows": 2, "maxlength": 200}),
        error_messages={"required": "Write what everybody should know."},
    )  # fmt: skip
    audience = forms.ChoiceField(
        label="Shown on", choices=HallMessage.Audience.choices, initial=HallMessage.Audience.BOTH,
        widget=forms.RadioSelect,
    )  # fmt: skip
    minutes = forms.TypedChoiceField(
        label="For",
        choices=[("0", "until taken down"), ("5", "5 minutes"), ("15", "15 minutes"), ("60", "an hour")],
        coerce=lambda minutes: int(minutes) or None,
    )


class TakeDownForm(forms.Form):
    """A message that is no longer true."""

    message_id = forms.IntegerField()


class PairForm(forms.Form):
    """A screen by the code it shows, what to call it, and what it shows."""

    code = forms.CharField(
        label="Code on the screen", max_length=20,
        widget=forms.TextInput(attrs={"autocapitalize": "characters", "autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip
    name = forms.CharField(label="Name", max_length=40, required=False, help_text="Such as: above the bar.")
    show = forms.ChoiceField(label="Shows", choices=Display.Show.choices, initial=Display.Show.CLOCK)


class ShowForm(forms.Form):
    """What a screen shows from now on; `day_id` without a value: the day being played."""

    display_id = forms.IntegerField()
    show = forms.ChoiceField(choices=Display.Show.choices)
    day_id = forms.IntegerField(required=False)


class RemoveForm(forms.Form):
    """A screen that goes."""

    display_id = forms.IntegerField()
