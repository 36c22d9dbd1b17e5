"""Forms and their answers, as docs/forms.md specifies them to the character."""

from .answer import DecisionState, FormAnswer, GivenAnswer, Standing, decide, parse_form_answer, read_answer
from .check_form import check_form, parse_form, read_form
from .content import (
    Content,
    ContentProblem,
    FieldOption,
    Form,
    check_content,
    defaults_of,
    describe_content,
    is_approval,
    options_of,
)
from .to_form import FormOrModel, Model, read_content, to_form

__all__ = [
    "Content",
    "ContentProblem",
    "DecisionState",
    "FieldOption",
    "Form",
    "FormAnswer",
    "FormOrModel",
    "GivenAnswer",
    "Model",
    "Standing",
    "check_content",
    "check_form",
    "decide",
    "defaults_of",
    "describe_content",
    "is_approval",
    "options_of",
    "parse_form",
    "parse_form_answer",
    "read_answer",
    "read_content",
    "read_form",
    "to_form",
]
