from django.urls import URLPattern

from tables.views import (
    action_clock,
    board,
    breaking,
    chairs,
    chips,
    dealer,
    desk,
    displays,
    draws,
    floor,
    home,
    payouts,
    player,
    results,
    screens,
    table,
)

urlpatterns: list[URLPattern] = [
    *action_clock.urlpatterns,
    *board.urlpatterns,
    *breaking.urlpatterns,
    *chairs.urlpatterns,
    *chips.urlpatterns,
    *dealer.urlpatterns,
    *desk.urlpatterns,
    *displays.urlpatterns,
    *draws.urlpatterns,
    *floor.urlpatterns,
    *home.urlpatterns,
    *payouts.urlpatterns,
    *player.urlpatterns,
    *results.urlpatterns,
    *screens.urlpatterns,
    *table.urlpatterns,
]
