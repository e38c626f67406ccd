"""Every step of the studio in light, dark and at the width of a phone, for each kind of policy: pictures to look at.

And what can be told without eyes: nothing sticks out, everything has a name, text can be read, a command line is there.
"""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path

import pytest

from browser import browser_path
from studio import Studio, Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
PICTURES = Path(__file__).parents[2] / "out" / "studio" / "looks"
STEPS = ("Open", "What must stay quiet", "The risk", "Choose", "Publish", "Earlier runs", "Hierarchies")
LOOKS = {"light": (1200, 1600, "light"), "dark": (1200, 1600, "dark"), "phone": (390, 844, "light")}
SPOKEN = {"button", "textbox", "searchbox", "link", "checkbox", "radio", "radiogroup", "slider", "spinbutton", "switch"}
SPOKEN |= {"tab", "combobox", "listbox", "progressbar", "region", "image", "tree", "treeitem"}
# Opens what is folded; how much there was of it.
UNFOLD = """(() => { const folded = [...document.querySelectorAll('.q-expansion-item--collapsed > div > .q-item')]
  .filter((one) => one.getClientRects().length); folded.forEach((one) => one.click()); return folded.length })()"""
# Columns of words that are so narrow that many lines stand below each other.
SQUEEZED = """[...document.querySelectorAll('td')].filter((one) => one.getClientRects().length
    && one.innerText.length > 30 && one.getBoundingClientRect().width < 100).map((one) => one.innerText.slice(0, 40))"""
# Texts whose contrast with what is behind them is below 4.5 (WCAG AA), or 3 if they are large.
FAINT = """(() => {
  const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m[3] ?? 1] };
  const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255;
      return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126*f[0] + .7152*f[1] + .0722*f[2] };
  const behind = (one) => { let layers = [];
      for (let e = one; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
          if (c[3] > 0) { layers.push(c); if (c[3] === 1) break } }
      let under = [255, 255, 255];
      for (const c of layers.reverse()) under = under.map((v, k) => v * (1 - c[3]) + c[k] * c[3]);
      return under };
  const wrong = [];
  for (const one of document.querySelectorAll('body *')) {
      if (one.closest('svg, [aria-hidden=true], .disabled, [disabled]') || !one.getClientRects().length) continue;
      const own = [...one.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).join('');
      if (!own) continue;
      const style = getComputedStyle(one);
      if (style.visibility === 'hidden' || Number(style.opacity) === 0) continue;
      const ink = parse(style.color), paper = behind(one);
      const seen = paper.map((v, k) => v * (1 - ink[3]) + ink[k] * ink[3]);
      const [a, b] = [light(seen), light(paper)].sort((x, y) => y - x);
      const size = parseFloat(style.fontSize), sign = one.classList.contains('q-icon');
      const large = sign || size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
      const ratio = (a + .05) / (b + .05);
      if (ratio < (large ? 3 : 4.5)) wrong.push(own.slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  return [...new Set(wrong)] })()"""


def turned(visit: Visit, step: str) -> None:
    visit.step(step)
    heads = (
        "[...document.querySelectorAll('h1')].filter((one) => one.getClientRects().length).map((one) => one.innerText)"
    )
    visit.wait_for(lambda: visit.tab.ask(heads) == [step], f"for {step}")


def prepared(visit: Visit, kind: str) -> None:
    """From the sample to an audit, a comparison and a release."""
    visit.click("customers of a pharmacy" if kind == "baskets" else "patients of a hospital")
    visit.until("What was read")
    turned(visit, "What must stay quiet")
    if kind == "diversity":
        visit.click("Everybody must keep several possible values")
        visit.choose("Sensitive column", "diagnosis")
        visit.choose("Known columns", "sex", "region", "education")
    visit.until("The policy is complete")
    turned(visit, "The risk")
    visit.click("Audit", "button")
    visit.until("Audit again")
    turned(visit, "Choose")
    visit.click("Compare", "button")
    visit.until("Every run")
    turned(visit, "Publish")
    visit.click("Protect and publish", "button")
    visit.until("The release is valid")
    turned(visit, "Hierarchies")
    if kind != "baskets":
        visit.choose("Column", "region")
    visit.click("Begin without groups", "button")
    visit.until("in 1 group")


def nameless(visit: Visit) -> list[str]:
    """What a screen reader meets and cannot name: by the accessibility tree of the browser."""
    found = []
    for node in visit.tab.call("Accessibility.getFullAXTree")["nodes"]:
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
        if not node.get("ignored") and role in SPOKEN and not name.strip():
            place = visit.tab.call("DOM.resolveNode", backendNodeId=node["backendDOMNodeId"])["object"]["objectId"]
            asked = visit.tab.call(
                "Runtime.callFunctionOn", objectId=place, returnByValue=True,
                functionDeclaration="function () { return this.outerHTML?.slice(0, 160) ?? '' }",
            )  # fmt: skip
            found.append(f"{role}: {asked['result'].get('value')}")
    return found


def looked_at(visit: Visit, kind: str, look: str, wide: int) -> list[tuple[object, str, object]]:
    wrong: list[tuple[object, str, object]] = []
    for number, step in enumerate(STEPS, 1):
        turned(visit, step)
        visit.wait_for(lambda: not visit.tab.ask("document.querySelectorAll('.q-notification').length"), "for quiet")
        visit.taken = 2 * (number - 1)
        size = {"width": wide, "deviceScaleFactor": 1, "mobile": wide < 500}
        visit.tab.call("Emulation.setDeviceMetricsOverride", height=844, **size)
        time.sleep(0.5)  # the tabs slide to the one that is turned to
        visit.picture(step.replace(" ", "-"))
        visit.tab.ask(UNFOLD)
        visit.wait_for(lambda: visit.tab.ask(UNFOLD) == 0, "for everything to be unfolded")
        time.sleep(0.7)
        whole = visit.tab.ask("document.documentElement.scrollHeight")
        visit.tab.call("Emulation.setDeviceMetricsOverride", height=min(int(whole) + 60, 9000), **size)
        visit.picture(f"{step.replace(' ', '-')}-whole")
        where = (kind, look, step)
        broad = visit.tab.ask("document.documentElement.scrollWidth")
        wrong += [(where, "wide", broad)] if broad > wide else []
        wrong += [(where, "squeezed", one) for one in visit.tab.ask(SQUEEZED)]
        wrong += [(where, "without a name", one) for one in nameless(visit)]
        wrong += [(where, "faint", one) for one in visit.tab.ask(FAINT)]
        if not re.search(r"\bsordino (inspect|audit|compare|protect|verify|hierarchy|sample) ", visit.text()):
            wrong.append((where, "no command line", ""))
        heads = visit.tab.ask(
            "[...document.querySelectorAll('h1, h2, h3')].filter((one) => one.getClientRects().length)"
            ".map((one) => Number(one.tagName[1]))"
        )
        if heads[0] != 1 or any(b - a > 1 for a, b in pairwise(heads)):
            wrong.append((where, "heads", heads))
    return wrong


@pytest.mark.parametrize("kind", ["baskets", "templates", "diversity"])
def test_every_step_in_every_look(kind: str, tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, height=1600) as visit:
        prepared(visit, kind)
        wrong = []
        for look, (wide, high, scheme) in LOOKS.items():
            media = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
            features = [{"name": name, "value": value} for name, value in media.items()]
            visit.tab.call("Emulation.setEmulatedMedia", features=features)
            visit.tab.call(
                "Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=wide < 500
            )
            visit.tab.ask("window.did_handshake = false")
            visit.tab.call("Page.reload")  # so that nothing is unfolded
            visit.wait_for(lambda: visit.tab.ask("window.did_handshake === true"), "for the page to be connected")
            dark = f"document.body.classList.contains('body--dark') === {str(scheme == 'dark').lower()}"
            visit.wait_for(lambda dark=dark: visit.tab.ask(dark), f"for {look}")
            visit.pictures = PICTURES / kind / look
            wrong += looked_at(visit, kind, look, wide)
        assert not wrong, "\n".join(map(str, wrong))
        complaints(visit, studio)


def complaints(visit: Visit, studio: Studio) -> None:
    assert visit.tab.complaints() == []
    assert all(f"127.0.0.1:{studio.port}" in url or url.startswith("data:") for url in visit.tab.requests())
