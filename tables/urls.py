from django.urls import URLPattern

from tables.views import desk, home, payouts, player, results, screens

urlpatterns: list[URLPattern] = [
    *desk.urlpatterns,
    *home.urlpatterns,
    *payouts.urlpatterns,
    *player.urlpatterns,
    *results.urlpatterns,
    *screens.urlpatterns,
]
