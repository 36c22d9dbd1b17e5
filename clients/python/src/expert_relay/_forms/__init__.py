"""Forms and their answers, as docs/forms.md specifies them to the character."""
