from django.urls import URLPattern, path

from accounts import views

urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/people/", views.staff_roles, name="staff_roles"),
    path("staff/series/<slug:slug>/people/<int:role_id>/", views.staff_role, name="staff_role"),
]
