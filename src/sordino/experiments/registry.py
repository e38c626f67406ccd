"""Every experiment there is, by name. Adding one: declare it in the file of its paper."""

from __future__ import annotations

from sordino.errors import InputError, did_you_mean
from sordino.experiments import chen, jia, li, naka, wang
from sordino.experiments.declared import Experiment

__all__ = ["EXPERIMENTS", "PAPERS", "named"]

PAPERS = {
    "JIA": "rho-uncertainty by partial suppression (2014)",
    "CHEN": "sensitivity-adaptive rho-uncertainty, LGPS (2017)",
    "WANG": "template-based privacy preservation in classification (2005)",
    "NAKA": "personalized rho-uncertainty, sampled relaxation (2018)",
    "LI": "Injector: mining background knowledge (2008)",
}

_ALL = (*jia.EXPERIMENTS, *chen.EXPERIMENTS, *wang.EXPERIMENTS, *naka.EXPERIMENTS, *li.EXPERIMENTS)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _ALL}


def named(name: str) -> Experiment:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        near = did_you_mean(name, EXPERIMENTS)
        raise InputError(f"there is no experiment '{name}'.{near}", hint="See: sordino experiment list")
    return EXPERIMENTS[name]
