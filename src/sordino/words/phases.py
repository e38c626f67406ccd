"""What is done now, in words, whoever shows how far a command is: by the names under which progress is reported."""

__all__ = ["STEP", "STEPS", "WORDS", "phase_words"]

STEP = "step: "  # as engine.local has it, which takes long to load
WORDS = {
    "compiling": "Compiling, once per machine",
    "whole records": "Comparing whole records",
    "alibis": "Looking for alibis",
    "what alibis leave open": "Searching what alibis leave open",
    "how surely": "Looking how surely each item can be inferred",
    "1 known": "Searching: one item known",
    "2 known": "Searching: two items known",
    "3 known": "Searching: three items known",
    "more known": "Searching: more items known",
    "writing": "Writing the release",
    "proving": "Writing the proof",
    "verifying": "Verifying the release independently",
    "putting into the database": "Putting it into the database",
}
STEPS = {
    "read": "reading",
    "audit": "auditing",
    "change": "changing the data",
    "cost": "measuring the cost",
    "write": "auditing what is written",
    "proof": "proving",
    "pages": "reports",
    "verify": "verifying",
}


def phase_words(phase: str) -> str:
    """What a phase does; its own name, if we have no better words."""
    if phase.startswith(STEP):
        name = phase.removeprefix(STEP)
        return STEPS.get(name, name).capitalize()
    return WORDS.get(phase, phase)
