"""Checks a receipt."""

from __future__ import annotations

from collections.abc import Sequence

from .._crypto.fingerprint import format_fingerprint, parse_fingerprint
from .._crypto.key_exchange import Exchange, check_exchange, refuse_own_keys
from .._crypto.keys import is_signed_by
from .._crypto.public_key import PublicKeys, public_key
from .._crypto.submission import digest_submission
from .._errors import RelayError, invalid_input
from .._json_text import Members
from .open_messages import open_messages
from .read_decision import read_decision
from .receipt_file import bytes_of, read_receipt_file, refused, signed_receipt
from .verified_receipt import VerifiedReceipt, describe_receipt


def verify_receipt(receipt: str | bytes, *, fingerprint: str | Sequence[str] | None) -> VerifiedReceipt:
    """Checks a receipt, without any call. What it proves, and what not, is in docs/receipts.md.

    `receipt` is the file as it is: its bytes, or their text. `fingerprint` is the one that the expert must have, or several of which
    it must have one. With None any expert may have decided: then compare `fingerprint` of the result.

    Raises `untrusted` with the reason why the receipt proves nothing: `malformed_receipt`, `receipt_not_canonical`,
    `unknown_expert`, `key_signature_wrong`, `question_altered`, `wrong_signature`, `undecryptable`, `malformed_frame`,
    `message_missing`, `no_decision` or `receipt_signature_wrong`.

    >>> receipt = verify_receipt(Path("decision.json").read_bytes(), fingerprint="04918 22734 ...")
    >>> if receipt.action == "accept":
    ...     print(receipt.fingerprint, "has accepted:", receipt.asked.question)
    """
    known = _read_known(fingerprint)
    file = read_receipt_file(receipt)
    keys = _read_keys(file)
    submission = digest_submission(file["refCode"], file["asked"])
    _check_expert(file, keys, submission, known)
    messages = open_messages(file, keys, submission)
    decision = read_decision(file, messages, submission)
    if not is_signed_by(keys["consumer"].sign, bytes_of(file["signature"]), signed_receipt(file)):
        raise refused("receipt_signature_wrong", "the agent has not signed this file as it is now.")
    return describe_receipt(file, messages, decision, bool(known))


def _read_known(fingerprint: str | Sequence[str] | None) -> list[str]:
    if fingerprint is None:
        return []
    given = [fingerprint] if isinstance(fingerprint, str) else [*fingerprint]
    if not given:
        raise invalid_input("`fingerprint` is an empty list: any expert would do. Give at least one.")
    return [parse_fingerprint(one) for one in given]


def _read_keys(file: Members) -> dict[str, PublicKeys]:
    try:
        keys = {
            role: PublicKeys(
                public_key(bytes_of(file[f"{role}SignPubKey"]), "sign"),
                public_key(bytes_of(file[f"{role}EncryptPubKey"]), "encrypt"),
            )
            for role in ("consumer", "provider")
        }
        refuse_own_keys(keys["consumer"], keys["provider"])
    except RelayError:
        raise refused("malformed_receipt", "its public keys protect nothing.") from None
    return keys


def _check_expert(file: Members, keys: dict[str, PublicKeys], submission: bytes, known: Sequence[str]) -> None:
    provider = keys["provider"]
    own = format_fingerprint(provider.sign)
    if file["fingerprint"] != own:
        raise refused("unknown_expert", f"it names another fingerprint than that of its key, {own}.")
    try:
        check_exchange(
            request_id=file["requestId"],
            own=keys["consumer"],
            exchange=Exchange(provider.sign.pem, provider.encrypt.pem, file["keySignature"]),
            submission=submission,
            known=known,
        )
    except RelayError as error:
        raise _explain(error) from None


def _explain(error: RelayError) -> RelayError:
    if error.reason == "unknown_expert":
        return refused("unknown_expert", str(error).split(" Nothing was sent")[0])
    if error.reason == "question_altered":
        return refused("question_altered", "the expert was shown another question.")
    return refused("key_signature_wrong", "the expert has not signed these keys.")
