"""Staff roles: giving, widening and taking back, and the page that shows who may do what."""

import uuid
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from accounts import reads
from accounts.commands import change_role, end_role, give_role, vouch
from accounts.models import StaffRole, User
from accounts.permissions import PRESETS, Permission, Role
from journal import guard
from journal.chain import verify
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Series
from tests.factories import PASSWORD, make_director, make_series, make_user

pytestmark = pytest.mark.django_db


def held(user: User, series: Series) -> StaffRole:
    return StaffRole.objects.get(user=user, series=series)


# --- the commands -----------------------------------------------------------------------------------------------------


def test_a_role_is_given_by_e_mail_in_any_case_and_opens_what_it_allows():
    series, user = make_series(), make_user("Hana")
    done = give_role(actor=make_director(series), on=series.pk, email=f" {user.email.upper()} ", role=Role.DESK)
    assert held(user, series).pk == done.result["role"]
    assert user.permissions_in(series.pk) == PRESETS[Role.DESK]
    assert user.permissions_in(make_series().pk) == frozenset()
    assert not list(verify())


def test_the_journal_names_people_and_holds_no_e_mail():
    series, user = make_series(), make_user("Hana")
    give_role(actor=make_director(series), on=series.pk, email=user.email, role=Role.DESK)
    entry = JournalEntry.objects.get()
    assert user.email not in str(list(JournalEntry.objects.values()))
    assert entry.stream == series.stream_key


@pytest.mark.parametrize(
    ("field", "values"),
    [("email", {"email": "nobody@example.nz"}), ("role", {"role": "king"}), ("also", {"also": ["fly"]})],
)
def test_a_wrong_value_is_refused_at_its_field(field, values):
    series, user = make_series(), make_user("Hana")
    with pytest.raises(Refused) as refused:
        give_role(actor=make_director(series), on=series.pk, **{"email": user.email, "role": Role.DESK} | values)
    assert refused.value.field == field
    assert not StaffRole.objects.filter(user=user).exists()


def test_a_role_is_not_given_twice_nor_to_an_account_that_was_closed():
    series, user = make_series(), make_user("Hana")
    director = make_director(series)
    give_role(actor=director, on=series.pk, email=user.email, role=Role.DESK)
    with pytest.raises(Refused, match="has this role already"):
        give_role(actor=director, on=series.pk, email=user.email, role=Role.DESK)
    User.objects.filter(pk=user.pk).update(is_active=False)
    with pytest.raises(Refused) as refused:
        give_role(actor=director, on=series.pk, email=user.email, role=Role.FLOOR)
    assert refused.value.code == "no_account"


def test_a_role_that_ended_is_taken_up_again_in_the_same_row():
    series, user = make_series(), make_user("Hana")
    director = make_director(series)
    first = give_role(actor=director, on=series.pk, email=user.email, role=Role.DESK, also=[Permission.RULE])
    end_role(actor=director, on=series.pk, role_id=first.result["role"])
    assert user.permissions_in(series.pk) == frozenset()
    again = give_role(actor=director, on=series.pk, email=user.email, role=Role.DESK)
    assert again.result == first.result
    assert user.permissions_in(series.pk) == PRESETS[Role.DESK]


def test_more_than_the_role_is_given_and_taken_and_kept_without_what_the_role_has_anyway():
    series, user = make_series(), make_user("Hana")
    director = make_director(series)
    role = give_role(actor=director, on=series.pk, email=user.email, role=Role.DESK, also=["rule", "register"])
    assert held(user, series).also == ["rule"]
    change_role(actor=director, on=series.pk, role_id=role.result["role"], also=["run_clock"])
    assert user.permissions_in(series.pk) == PRESETS[Role.DESK] | {"run_clock"}
    change_role(actor=director, on=series.pk, role_id=role.result["role"], also=[])
    assert user.permissions_in(series.pk) == PRESETS[Role.DESK]


COMMANDS: list[tuple[Any, dict[str, Any]]] = [
    (give_role, {"role": Role.DEALER}),
    (change_role, {"also": []}),
    (end_role, {}),
    (vouch, {}),
]


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
@pytest.mark.parametrize(("command", "values"), COMMANDS)
def test_nobody_without_the_permission_names_staff(role, command, values):
    series, user = make_series(), make_user("Hana")
    target = make_user("Tāne", role=Role.DEALER, series=series)
    values = values | ({"email": user.email} if command is give_role else {"role_id": held(target, series).pk})
    with pytest.raises(NotAllowed):
        command(actor=make_user(role=role, series=series), on=series.pk, **values)
    assert not JournalEntry.objects.exists()


def test_nobody_hands_out_or_takes_away_what_they_do_not_hold():
    series = make_series()
    director, helper, user = make_director(series), make_user(role=Role.DESK, series=series), make_user("Hana")
    with guard.writing():
        helper.staff_roles.update(also=[Permission.NAME_STAFF])
    give_role(actor=helper, on=series.pk, email=user.email, role=Role.DESK)
    for field, values in (("role", {"role": Role.DIRECTOR}), ("also", {"role": Role.DEALER, "also": ["direct"]})):
        with pytest.raises(Refused) as refused:
            give_role(actor=helper, on=series.pk, email=user.email, **values)
        assert refused.value.code == "not_held"
        assert refused.value.field in (field, "role")
    with pytest.raises(Refused, match="Only somebody who may") as refused:
        change_role(actor=helper, on=series.pk, role_id=held(helper, series).pk, also=["name_staff", "set_up"])
    assert refused.value.field == "also"
    make_director(series)
    with pytest.raises(Refused) as refused:
        end_role(actor=helper, on=series.pk, role_id=held(director, series).pk)
    assert refused.value.code == "not_held"


def test_the_last_director_stays_also_against_the_organiser_and_against_undo():
    series = make_series()
    owner, user = make_user(owner=True), make_user("Hana")
    give_role(actor=owner, on=series.pk, email=user.email, role=Role.DIRECTOR)
    row = held(user, series)
    for actor in (owner, user):
        with pytest.raises(Refused) as refused:
            end_role(actor=actor, on=series.pk, role_id=row.pk)
        assert refused.value.code == "last_director"
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=owner, entry_id=JournalEntry.objects.get().pk)
    make_director(make_series())  # a director elsewhere does not count
    with pytest.raises(Refused):
        end_role(actor=owner, on=series.pk, role_id=row.pk)
    make_director(series)
    end_role(actor=user, on=series.pk, role_id=row.pk)
    assert user.permissions_in(series.pk) == frozenset()


def test_a_form_that_saw_an_older_role_is_stale_and_a_repeated_one_does_nothing():
    series, user = make_series(), make_user("Hana", role=None)
    director = make_director(series)
    form = uuid.uuid4()
    role = give_role(actor=director, on=series.pk, command_id=form, email=user.email, role=Role.DESK).result["role"]
    assert give_role(actor=director, on=series.pk, command_id=form, email=user.email, role=Role.DESK).repeated
    change_role(actor=director, on=series.pk, expected_version=1, role_id=role, also=["rule"])
    with pytest.raises(Stale):
        end_role(actor=director, on=series.pk, expected_version=1, role_id=role)
    with pytest.raises(Refused, match="not held any more"):
        end_role(actor=make_director(make_series()), on=Series.objects.last().pk, role_id=role)  # another series


# --- an address that nobody confirmed ---------------------------------------------------------------------------------
def confirm(user: User) -> None:
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)


def test_a_role_holds_once_the_address_it_was_given_to_is_confirmed():
    series, stranger = make_series(), make_user("Hana", confirmed=False)
    done = give_role(actor=make_director(series), on=series.pk, email=stranger.email, role=Role.DESK)
    assert done.result["waits"]
    assert stranger.permissions_in(series.pk) == frozenset()
    assert not stranger.may(Permission.TAKE_MONEY, series)
    EmailAddress.objects.create(user=stranger, email="other@example.nz", verified=True)
    EmailAddress.objects.create(user=stranger, email=stranger.email, verified=False)
    assert stranger.permissions_in(series.pk) == frozenset()
    EmailAddress.objects.update(verified=True)
    assert stranger.permissions_in(series.pk) == PRESETS[Role.DESK]


def test_who_names_staff_lets_a_role_hold_without_mail_and_again_only_by_their_word():
    series, user = make_series(), make_user("Hana", confirmed=False)
    director = make_director(series)
    role = give_role(actor=director, on=series.pk, email=user.email, role=Role.FLOOR).result["role"]
    with pytest.raises(NotAllowed):
        vouch(actor=user, on=series.pk, role_id=role)
    vouch(actor=director, on=series.pk, role_id=role)
    assert user.permissions_in(series.pk) == PRESETS[Role.FLOOR]
    assert "without a confirmed address" in JournalEntry.objects.latest("id").text
    end_role(actor=director, on=series.pk, role_id=role)
    assert give_role(actor=director, on=series.pk, email=user.email, role=Role.FLOOR).result["waits"]
    assert user.permissions_in(series.pk) == frozenset()


def test_a_director_who_waits_is_no_director_to_leave_the_series_to():
    series, waiting = make_series(), make_user("Hana", confirmed=False)
    director = make_director(series)
    give_role(actor=director, on=series.pk, email=waiting.email, role=Role.DIRECTOR)
    with pytest.raises(Refused, match="last tournament director"):
        end_role(actor=director, on=series.pk, role_id=held(director, series).pk)
    confirm(waiting)
    end_role(actor=director, on=series.pk, role_id=held(director, series).pk)


def test_the_pages_say_what_a_role_waits_for():
    series, user = make_series(), make_user("Hana", confirmed=False)
    director = signed_in(make_director(series))
    where = reverse("staff_roles", args=[series.slug])
    given = director.post(where, {"email": user.email, "role": Role.DESK}, follow=True).content.decode()
    assert "once they have confirmed" in given
    assert "waits for the e-mail" in given
    own = signed_in(user)
    assert "once you have confirmed" in own.get(reverse("staff_home")).content.decode()
    assert own.get(where).status_code == 403
    role = reverse("staff_role", args=[series.slug, held(user, series).pk])
    assert "Does not hold yet" in director.get(role).content.decode()
    assert director.post(role, {"do": "vouch"}).status_code == 303
    assert "Does not hold yet" not in director.get(role).content.decode()
    assert "once you have confirmed" not in own.get(reverse("staff_home")).content.decode()


# --- what the page shows ----------------------------------------------------------------------------------------------


def test_staff_are_listed_once_with_all_their_roles_in_words():
    series = make_series()
    user = make_user("Ārana", role=Role.FLOOR, series=series)
    with guard.writing():
        StaffRole.objects.create(user=user, series=series, role=Role.DIRECTOR)
        StaffRole.objects.create(user=user, series=series, role=Role.EDITOR, active=False)
        StaffRole.objects.filter(role=Role.FLOOR).update(also=["take_money"])
    make_director(make_series())
    (member,) = reads.staff(series.pk)
    assert [role.role for role in member.roles] == [Role.DIRECTOR, Role.FLOOR]
    assert member.roles[0].sentence == "everything in this series"
    assert "seat, move and bust players" in member.roles[1].sentence
    assert member.roles[1].also_sentence == "take buy-ins and give refunds"


def test_a_second_factor_is_an_authenticator_not_its_recovery_codes():
    series = make_series()
    user = make_director(series)
    Authenticator.objects.create(user=user, type=Authenticator.Type.RECOVERY_CODES, data={})
    (member,) = reads.staff(series.pk)
    assert (member.second_factor, member.confirmed) == (False, True)
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    assert reads.staff(series.pk)[0].second_factor


# --- the pages --------------------------------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(email=user.email, password=PASSWORD)
    return client


@pytest.mark.parametrize("role", list(Role))
def test_the_list_opens_for_who_names_staff_or_reads_the_journal(role):
    series = make_series()
    director = make_director(series)
    client = signed_in(make_user(role=role, series=series))
    response = client.get(reverse("staff_roles", args=[series.slug]))
    assert response.status_code == (200 if role in (Role.DIRECTOR, Role.FLOOR, Role.AUDITOR) else 403)
    if response.status_code == 200:
        assert (b"Give a role" in response.content) is (role == Role.DIRECTOR)
    given = {"email": director.email, "role": Role.DEALER}
    posted = client.post(reverse("staff_roles", args=[series.slug]), given)
    assert posted.status_code == (303 if role == Role.DIRECTOR else 403)
    assert Client().get(reverse("staff_roles", args=[series.slug])).status_code == 302


def test_a_role_is_given_by_the_form_and_a_refusal_stands_beside_the_field():
    series, user = make_series(), make_user("Hana")
    client = signed_in(make_director(series))
    where = reverse("staff_roles", args=[series.slug])
    refused = client.post(where, {"email": "nobody@example.nz", "role": Role.DESK})
    assert refused.status_code == 422
    assert "Nobody has signed up" in str(refused.context["form"].errors["email"])
    assert b'value="nobody@example.nz"' in refused.content
    done = client.post(where, {"email": user.email, "role": Role.DESK, "also": ["rule"]}, follow=True)
    assert "The role is given." in done.content.decode()
    assert "record rulings and penalties" in done.content.decode()


def test_a_role_is_widened_and_taken_back_on_its_own_page():
    series = make_series()
    user = make_user("Hana", role=Role.DESK, series=series)
    director = make_director(series)
    client = signed_in(director)
    where = reverse("staff_role", args=[series.slug, held(user, series).pk])
    assert client.post(where, {"also": ["rule", "direct"]}).status_code == 303
    assert held(user, series).also == ["rule", "direct"]
    stale = client.post(where, {"do": "end", "version": "0"})
    assert stale.status_code == 409
    assert b"This changed while you looked" in stale.content
    assert client.post(where, {"do": "end", "version": "1"}).status_code == 303
    assert not held(user, series).active
    assert client.get(where).status_code == 404
    own = client.post(reverse("staff_role", args=[series.slug, held(director, series).pk]), {"do": "end"})
    assert own.status_code == 422
    assert b"last tournament director" in own.content


def test_a_role_of_another_series_is_not_found():
    series, other = make_series(), make_series()
    foreign = held(make_director(other), other)
    client = signed_in(make_director(series))
    assert client.get(reverse("staff_role", args=[series.slug, foreign.pk])).status_code == 404
    assert client.get("/staff/series/nowhere/people/").status_code == 404


def test_an_empty_list_says_what_to_do():
    series = make_series()
    page = signed_in(make_user(owner=True)).get(reverse("staff_roles", args=[series.slug]))
    assert b"Nobody has a role yet" in page.content


def test_the_list_asks_as_often_for_one_person_as_for_many(django_assert_num_queries):
    for people in (1, 3):
        series = make_series()
        director = make_director(series)
        for _ in range(people - 1):
            make_user(role=Role.FLOOR, series=series)
        client = signed_in(director)
        with django_assert_num_queries(8):
            client.get(reverse("staff_roles", args=[series.slug]))
