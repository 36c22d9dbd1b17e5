"""The experts that an agent knows."""

from __future__ import annotations

from collections.abc import Sequence

from .._crypto.fingerprint import same_fingerprint
from .._crypto.key_exchange import unknown_expert
from .._errors import refusal
from .._store import ListInValues, Values


class KnownExperts:
    """The experts that an agent knows: those of the options, or the one that is stored for the API key. A key that has none may
    be a rotated one: then the experts of all other keys at this relay's address count. An expert of the options that has signed is
    remembered."""

    def __init__(
        self, given: Sequence[str] | None, *, accepts_new: bool, here: Values, key_values: Values
    ) -> None:
        """`here`: the part of the store that belongs to the relay's address."""
        self.given = given
        self._accepts_new, self._key_values = accepts_new, key_values
        self._experts_here = ListInValues(here, "expert")

    def known(self, fingerprint: str) -> Sequence[str]:
        """The fingerprints of which these keys must have one. Empty: any expert may come."""
        if self.given is not None:
            return self.given
        own = self._key_values.get("expert")
        if own is not None:
            return [own]
        return [one for one in self._experts_here.all() if same_fingerprint(one, fingerprint)]

    def remember_expert(self, fingerprint: str) -> None:
        """Remembers the expert once the signature was checked."""
        own = self._key_values.get("expert")
        if self.given is not None:
            # The option replaces the remembered expert.
            if own is None or not same_fingerprint(own, fingerprint):
                self.trust(fingerprint)
            return
        if own is not None:
            return
        others = self._experts_here.all()
        is_known = any(same_fingerprint(one, fingerprint) for one in others)
        if others and not self._accepts_new and not is_known:
            raise refusal(
                "new_expert",
                f"This API key knows no expert yet, and other keys at this relay know others than {fingerprint}. "
                "Nothing was sent to them.",
                "Compare this fingerprint with your expert's, over another channel. If it is theirs, give it as `expert` once.",
            )
        # If another conversation has stored an expert in the meantime, that one counts.
        first = self._key_values.remember("expert", fingerprint)
        if not same_fingerprint(first, fingerprint):
            raise unknown_expert([first], fingerprint)
        self._experts_here.add(fingerprint)

    def trust(self, fingerprint: str) -> None:
        """Replaces the remembered expert by one that was verified."""
        self._key_values.set("expert", fingerprint)
        self._experts_here.add(fingerprint)
