from django.urls import URLPattern

from tables.views import desk, floor, home, payouts, player, results, screens, table

urlpatterns: list[URLPattern] = [
    *desk.urlpatterns,
    *floor.urlpatterns,
    *home.urlpatterns,
    *payouts.urlpatterns,
    *player.urlpatterns,
    *results.urlpatterns,
    *screens.urlpatterns,
    *table.urlpatterns,
]
