from django.urls import URLPattern

from tables.views import breaking, chairs, chips, desk, draws, floor, home, payouts, player, results, screens, table

urlpatterns: list[URLPattern] = [
    *breaking.urlpatterns,
    *chairs.urlpatterns,
    *chips.urlpatterns,
    *desk.urlpatterns,
    *draws.urlpatterns,
    *floor.urlpatterns,
    *home.urlpatterns,
    *payouts.urlpatterns,
    *player.urlpatterns,
    *results.urlpatterns,
    *screens.urlpatterns,
    *table.urlpatterns,
]
