"""All cases of packages/sdk/vectors/forms.json and decisions.json."""

from __future__ import annotations

from typing import Any

import pytest
from data import read

from expert_relay import RelayError
from expert_relay._crypto.frame import Part
from expert_relay._crypto.parts import read_parts
from expert_relay._forms.answer import GivenAnswer, decide, parse_form_answer
from expert_relay._forms.check_form import check_form, parse_form
from expert_relay._forms.content import check_content, describe_content
from expert_relay._forms.to_form import to_form
from expert_relay._json_text import parse_json, write_json
from expert_relay._thread.crossed import is_crossed

Case = dict[str, Any]
vectors = read("packages/sdk/vectors/forms.json")
decisions = read("packages/sdk/vectors/decisions.json")


def named(cases: list[Case]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def text_of(case: Case) -> str:
    value = case["form"] if "form" in case else case.get("answer")
    json: str = case.get("text") or write_json(value)
    missing: int = case.get("padTo", 0) - len(json.encode("utf-8", "surrogatepass"))
    return json + " " * max(0, missing)


def failure_of(error: RelayError) -> tuple[str, str | None, str]:
    path = str(error).split(": ")[0]
    return error.code, error.reason, "" if path == "form" else path


@pytest.mark.parametrize("case", named(vectors["forms"]["valid"]))
def test_valid_form(case: Case) -> None:
    text = text_of(case)
    expected = {name: member for name, member in parse_json(text).items() if name != "$schema"}
    form = parse_form(text)
    assert form == expected
    assert check_form(parse_json(text)) == expected
    missing = [name for name in form.get("required", []) if "default" not in form["properties"][name]]
    prefilled = {name: field["default"] for name, field in form["properties"].items() if "default" in field}
    problems = check_content(form, prefilled)
    assert sorted(problem.name for problem in problems) == sorted(missing)


@pytest.mark.parametrize("case", named(vectors["forms"]["invalid"]))
def test_invalid_form(case: Case) -> None:
    with pytest.raises(RelayError) as refused:
        parse_form(text_of(case))
    assert failure_of(refused.value) == ("invalid_input", "invalid_form", case["path"])
    if "form" in case and not case.get("padTo"):
        with pytest.raises(RelayError) as refused:
            check_form(case["form"])
        assert failure_of(refused.value) == ("invalid_input", "invalid_form", case["path"])


@pytest.mark.parametrize("case", named(vectors["forms"]["notSent"]))
def test_form_that_is_read_and_not_sent(case: Case) -> None:
    form = parse_form(text_of(case))
    with pytest.raises(RelayError) as refused:
        to_form(form)
    assert failure_of(refused.value) == ("invalid_input", "invalid_form", case["path"])


@pytest.mark.parametrize("case", named(vectors["contents"]))
def test_contents(case: Case) -> None:
    form = check_form(case["form"])
    for content in case["valid"]:
        assert check_content(form, content) == []
    for invalid in case["invalid"]:
        problems = check_content(form, invalid["content"])
        assert [problem.name for problem in problems] == invalid["names"], invalid
        assert all(problem.message[0].isupper() and problem.message.endswith(".") for problem in problems)


@pytest.mark.parametrize("case", named(vectors["answers"]["valid"]))
def test_valid_answer(case: Case) -> None:
    text = text_of(case)
    answer, given = parse_form_answer(text), parse_json(text)
    assert (answer.action, answer.decided_at) == (given["action"], given["decidedAt"])
    assert (answer.content, answer.comment) == (given.get("content"), given.get("comment"))


@pytest.mark.parametrize("case", named(vectors["answers"]["invalid"]))
def test_invalid_answer(case: Case) -> None:
    with pytest.raises(RelayError) as refused:
        parse_form_answer(text_of(case))
    assert refused.value.code == "answer_invalid"


unknown_parts = [Part(kind, b"") for kind in (0, 4, 63)]
unknown_notes = [Part(kind, b"") for kind in (64, 199, 200, 255)]


@pytest.mark.parametrize("part", [*unknown_parts, *unknown_notes])
def test_a_part_that_is_not_known(part: Part) -> None:
    known = read_parts([part], "provider")
    assert (known.has_unknown, known.is_uncertain) == (True, part in unknown_parts)


def given_answer(at: int, given: str | Case) -> GivenAnswer:
    members: Case = {"answer": given} if isinstance(given, str) else given
    answer = decisions["answers"][members["answer"]]
    parts = [*(unknown_parts if members.get("unknownPart") else ()), *(unknown_notes if members.get("unknownNote") else ())]
    return GivenAnswer(
        message_id=str(at),
        json=answer if isinstance(answer, str) else write_json(answer),
        is_proven=not members.get("unproven"),
        is_crossed=members.get("crossed", False),
        is_uncertain=read_parts(parts, "provider").is_uncertain,
    )


@pytest.mark.parametrize("case", named(decisions["standings"]))
def test_what_counts(case: Case) -> None:
    form = write_json(decisions["forms"][case["form"]])
    standing = decide(form, [given_answer(at, given) for at, given in enumerate(case["given"])])
    by = str(case["by"]) if "by" in case else None
    invalid = tuple(str(at) for at in case.get("invalid", []))
    assert (standing.state, standing.decided, standing.invalid) == (case["state"], by, invalid)


def test_all_that_count_are_named_for_those_who_cannot_know_which_one_the_agent_got() -> None:
    def named_by(*given: Any) -> list[int]:
        standing = decide(write_json(decisions["forms"]["region"]), [given_answer(at, one) for at, one in enumerate(given)])
        return [int(message_id) for message_id, _ in standing.counted]

    assert named_by("eu", "no") == [0, 1]
    assert named_by("no", "no", "eu a b", "a b eu", "eu b a") == [0, 2, 4]
    assert named_by({"answer": "no", "crossed": True}, "mars", {"answer": "eu", "unproven": True}, "us") == [3]


@pytest.mark.parametrize("case", named(decisions["histories"]))
def test_what_crossed(case: Case) -> None:
    seen = [[str(at), 0, *links] for at, (_, *links) in enumerate(case["messages"])]
    by_agent = {str(at) for at, (by, *_) in enumerate(case["messages"]) if by == "agent"}
    assert is_crossed(seen, by_agent, str(case["answer"])) == case["crossed"]


@pytest.mark.parametrize("number", [2**53 + 1, 2**60, 1234567890123456789, 10**400])
@pytest.mark.parametrize("member", ["default", "minimum", "maximum"])
@pytest.mark.parametrize("type", ["number", "integer"])
def test_a_number_that_programs_would_read_as_another_one(type: str, member: str, number: int) -> None:
    """In TypeScript there is no such number."""
    with pytest.raises(RelayError) as refused:
        to_form({"type": "object", "properties": {"id": {"type": type, member: number}}})
    assert failure_of(refused.value) == ("invalid_input", "invalid_form", f"properties.id.{member}")
    form = to_form({"type": "object", "properties": {"id": {"type": type}}})
    assert [one.name for one in check_content(form, {"id": number})] == ["id"]


@pytest.mark.parametrize(
    ("number", "written"),
    [(3, "3"), (3.0, "3"), (2.0**53, "9007199254740992"), (1e17, "100000000000000000"), (1e-7, "1e-7"), (1.5e300, "1.5e+300")],
)
def test_a_number_is_shown_as_it_is_sent(number: float, written: str) -> None:
    form = check_form({"type": "object", "properties": {"n": {"type": "number", "minimum": number}}})
    assert describe_content(form, {"n": number}) == [("n", written)]
    assert [one.message for one in check_content(form, {"n": -1.6e300})] == [f"At least {written}."]
