"""The account pages come out in the look of the site, and a second step can be set up through them."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def mere() -> User:
    user = User.objects.create_user("mere@example.org", "korimako-44", name="Mere Tūhoe")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def signed_in(client: Client, mere: User) -> Client:
    client.post(reverse("account_login"), {"login": mere.email, "password": "korimako-44"})
    client.post(reverse("account_reauthenticate"), {"password": "korimako-44"})
    return client


def heading(html: str) -> str:
    return re.findall(r"<h1>(.*?)</h1>", html)[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("account_login", "Sign in"),
        ("account_signup", "Make an account"),
        ("account_reset_password", "Forgotten password"),
        ("account_reset_password_done", "Look in your mail"),
        ("account_email_verification_sent", "Look in your mail"),
        ("account_inactive", "This account is closed"),
    ],
)
def test_pages_of_a_visitor(client: Client, name: str, words: str):
    html = client.get(reverse(name)).content.decode()
    assert heading(html) == words
    assert 'class="top"' in html
    assert 'href="/static/css/pages/accounts.css"' in html


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mfa_index", "Second step when signing in"),
        ("mfa_activate_totp", "Set up the authenticator app"),
        ("mfa_list_webauthn", "Security keys"),
        ("mfa_add_webauthn", "Add a security key"),
        ("account_email", "E-mail addresses"),
        ("account_change_password", "Change your password"),
        ("account_logout", "Sign out?"),
        ("account_reauthenticate", "Show that it is you"),
    ],
)
def test_pages_of_who_is_signed_in(signed_in: Client, name: str, words: str):
    html = signed_in.get(reverse(name)).content.decode()
    assert heading(html) == words
    assert "Account of Mere Tūhoe" in html


def test_a_wrong_password_is_told_above_the_form_and_the_address_kept(client: Client, mere: User):
    html = client.post(reverse("account_login"), {"login": mere.email, "password": "wrong"}).content.decode()
    assert re.search(r'class="errors" role="alert".*?not correct', html, re.DOTALL)
    assert f'value="{mere.email}"' in html


def test_the_second_step_is_set_up_and_asked_for(signed_in: Client, mere: User):
    page = signed_in.get(reverse("mfa_activate_totp")).content.decode()
    assert 'src="data:image/svg' in page
    secret = re.findall(r'<p class="mono">(\w+)</p>', page)[0]
    signed_in.post(reverse("mfa_activate_totp"), {"code": code_now(secret)})
    codes = signed_in.get(reverse("mfa_view_recovery_codes")).content.decode()
    assert heading(codes) == "Recovery codes"
    kept = re.findall(r"\b[0-9a-f]{8}\b|\b\d{8}\b", codes)
    assert len(kept) == 10

    again = Client()
    step = again.post(
        reverse("account_login"), {"login": mere.email, "password": "korimako-44"}, follow=True
    ).content.decode()
    assert heading(step) == "Second step"
    home = again.post(reverse("mfa_authenticate"), {"code": kept[0]}, follow=False)
    assert home.status_code == 302
    assert again.session["_auth_user_id"] == str(mere.pk)


def code_now(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def test_staff_find_their_way_from_the_account_menu(client: Client):
    organiser = User.objects.create_superuser("td@example.org", "korimako-44")
    client.force_login(organiser)
    assert f'href="{reverse("staff_home")}"' in client.get(reverse("account_email")).content.decode()


def test_who_is_no_staff_is_not_sent_to_the_staff_pages(signed_in: Client):
    assert f'href="{reverse("staff_home")}"' not in signed_in.get(reverse("account_email")).content.decode()


def test_an_unknown_address_is_answered_with_a_way_back(client: Client):
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert heading(answer.content.decode()) == "Nothing is at this address"
    assert 'href="/"' in answer.content.decode()


def test_a_form_without_its_token_is_answered_in_plain_words(mere: User):
    answer = Client(enforce_csrf_checks=True).post(reverse("account_login"), {"login": mere.email})
    assert answer.status_code == 403
    assert heading(answer.content.decode()) == "The form was too old"


def test_an_address_that_only_takes_a_form_says_so_when_it_is_opened(signed_in: Client):
    answer = signed_in.get(reverse("undo", args=[1]))
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert heading(answer.content.decode()) == "Only a form leads here"


@pytest.mark.parametrize(
    ("came_from", "back"),
    [
        ("http://testserver/staff/events/3/desk/?q=ana", "/staff/events/3/desk/%3Fq%3Dana"),
        ("http://elsewhere.example/staff/", "/staff/undo/1/"),
        ("", "/staff/undo/1/"),
    ],
)
def test_who_was_signed_out_meanwhile_comes_back_to_the_page_of_the_form(client: Client, came_from: str, back: str):
    answer = client.post(reverse("undo", args=[1]), headers={"Referer": came_from} if came_from else {})
    assert answer["Location"] == f"{reverse('account_login')}?next={back}"


def test_who_asks_too_often_is_told_to_wait(client: Client):
    cache.clear()
    answers = [client.post(reverse("account_reset_password"), {"email": f"nobody{n}@example.nz"}) for n in range(21)]
    assert [answer.status_code for answer in answers] == [302] * 20 + [429]
    assert heading(answers[-1].content.decode()) == "Too many tries"
    cache.clear()
