"""Pure rules of a series: who may play, structures, payouts, places, deals. No Django, no clock, no random
source.
"""
