"""Beat keeps its pace whatever happens to the machine's clock."""

import datetime as dt

import time_machine
from celery.beat import Scheduler

from config.celery import app, each_second


def test_beat_goes_on_after_the_machine_clock_was_set_back():
    scheduler = Scheduler(app, lazy=True)
    entry = scheduler.Entry(name="sweep", task="tables.tasks.sweep", schedule=each_second(), app=app)
    with time_machine.travel(dt.datetime(2026, 6, 1, 9, tzinfo=dt.UTC)) as machine:
        entry = next(entry)
        machine.move_to(dt.datetime(2026, 6, 1, 8, tzinfo=dt.UTC))
        assert scheduler.is_due(entry).next <= 1


def test_every_task_of_beat_comes_each_second():
    assert app.conf.beat_schedule
    assert all(entry["schedule"] == each_second() for entry in app.conf.beat_schedule.values())
