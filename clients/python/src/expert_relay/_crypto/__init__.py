"""End-to-end encryption, wire v4, as docs/crypto.md specifies it to the byte."""
