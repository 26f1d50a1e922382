#!/usr/bin/env python3
"""Check a seat draw of Dead Button: python3 verify_draw.py draw.json (or - to read standard input).

Needs Python 3.8 or newer and nothing else. It works the draw out again from its seed and the frozen
lists, and compares the seed with what was shown before the draw. Ends with 0 if all that can be checked
is right, with 1 if not.

Did you keep the list while it was frozen? python3 verify_draw.py draw.json frozen.json also compares
the two.
"""

import hashlib
import hmac
import json
import sys


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def words(seed):
    """HMAC_DRBG with SHA-256 (NIST SP 800-90A), 1,024 bytes a request, as eight-byte numbers."""
    key, value = bytes(32), b"\1" * 32
    for byte in (b"\0", b"\1"):
        key = mac(key, value + byte + seed)
        value = mac(key, value)
    while True:
        for _ in range(32):
            value = mac(key, value)
            for start in range(0, 32, 8):
                yield int.from_bytes(value[start : start + 8], "big")
        key = mac(key, value + b"\0")
        value = mac(key, value)


def below(count, source):
    limit = 2**64 - 2**64 % count
    return next(word for word in source if word < limit) % count


def shuffled(items, source):
    items = list(items)
    for last in reversed(range(1, len(items))):
        other = below(last + 1, source)
        items[last], items[other] = items[other], items[last]
    return items


def seats(names, tables, source):
    """Each name in random order draws a table among the smallest ones, then a chair of it."""
    left = [dict(table, chairs=list(table["chairs"]), last=list(table["last_resort"])) for table in tables]
    wave, result = [], []
    for name in shuffled(names, source):
        if not wave:
            free = [table for table in left if table["chairs"] or table["last"]]
            wave = [table for table in free if table["players"] == min(t["players"] for t in free)]
            wave = [table for table in wave if table["chairs"]] or wave
        table = wave.pop(below(len(wave), source))
        chairs = table["chairs"] or table["last"]
        table["players"] += 1
        result.append([name, table["table"], chairs.pop(below(len(chairs), source))])
    return result


def problems(draw):
    if draw["algorithm"] != "dead-button-draw-1":
        yield "this script knows only dead-button-draw-1, not " + draw["algorithm"]
        return
    seed, secret = bytes.fromhex(draw["seed"]), bytes.fromhex(draw.get("secret") or "")
    if secret and hashlib.sha256(secret).hexdigest() != draw["commitment"]:
        yield "the secret is not the one whose hash was shown before the draw"
    if secret and mac(secret, draw["label"].encode()) != seed:
        yield "the seed does not come from the secret"
    if draw.get("seed_commitment") and hashlib.sha256(seed).hexdigest() != draw["seed_commitment"]:
        yield "the seed is not the one whose hash was shown before the draw"
    source = words(seed)
    names = draw["names"]
    result = seats(names, draw["tables"], source) if draw["kind"] == "seats" else shuffled(names, source)
    if result != draw["result"]:
        yield "the result does not follow from the seed and the lists"


def changed(draw, frozen):
    for part in ("label", "commitment", "seed_commitment", "names", "tables", "people"):
        if part in frozen and draw.get(part) != frozen[part]:
            yield "what was frozen is not what was drawn: " + part


def read(path):
    with open(0 if path == "-" else path, encoding="utf-8") as file:
        return json.load(file)


def main(path, kept=None):
    draw = read(path)
    if not draw.get("seed"):
        print("Draw {!r} is frozen and not drawn yet: keep this file.".format(draw["label"]))
        return 0
    found = list(problems(draw)) + (list(changed(draw, read(kept))) if kept else [])
    for problem in found:
        print("WRONG: " + problem)
    if not found:
        print("The result of draw {!r} follows from its seed.".format(draw["label"]))
        if draw.get("secret"):
            print("The seed comes from the secret, and the secret is the one promised before the draw.")
        else:
            print("The secret is not published yet: check again then that the seed comes from it.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (2, 3) else __doc__)
