"""The process that runs cases: `python -m endings.worker SEED`, a number of a case a line in, a line of JSON out.

{"ready": true} once; {"compiling": n} while n kernels are being compiled; {"wrong": null or a text} after each case.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from typing import Any

__all__ = ["FIRST_KNOWN", "HANGS", "case_of", "main", "wrong_with"]

HANGS = -1  # the number of a case that never ends
FIRST_KNOWN = -2  # and of the first of those that once did not; the others follow below


def case_of(seed: int, number: int) -> Any:
    """The case of this number."""
    from endings.baskets import KNOWN, basket_case
    from endings.draw import Lots
    from endings.tables import diversity_case, template_case

    if number == HANGS:
        return None
    if number < 0:
        return KNOWN[FIRST_KNOWN - number]
    lots = Lots(seed, number)
    return (basket_case, basket_case, basket_case, basket_case, template_case, diversity_case)[number % 6](lots)


def wrong_with(case: Any) -> str | None:
    """What is wrong with the release of a case, or what the run ended in; None if nothing is."""
    from endings.baskets import BasketCase, judge_baskets
    from endings.tables import judge_diversity, judge_templates

    while case is None:
        time.sleep(1)
    try:
        if isinstance(case, BasketCase):
            return judge_baskets(case)
        return judge_templates(case) if case.policy.kind == "template" else judge_diversity(case)
    except Exception as error:  # whatever it is, it is a finding
        return "".join(traceback.format_exception(error)[-6:])


def main(seed: int) -> None:
    from numba.core import event

    lock = threading.Lock()

    def tell(**message: object) -> None:
        with lock:
            print(json.dumps(message), flush=True)

    class Listener(event.Listener):  # type: ignore[misc]
        running = 0

        def on_start(self, _: Any) -> None:
            self.running += 1
            tell(compiling=self.running)

        def on_end(self, _: Any) -> None:
            self.running -= 1
            tell(compiling=self.running)

    event.register("numba:compile", Listener())
    tell(ready=True)
    for line in sys.stdin:
        tell(wrong=wrong_with(case_of(seed, int(line))))


if __name__ == "__main__":
    main(int(sys.argv[1]))
