import { type Html, html } from './page.ts';

/** One sentence that says whom to ask for access; empty when RELAY_SUPPORT_CONTACT is not set. */
export function askSupport(contact: string | undefined): Html {
  if (!contact) return html`<p>Ask the people who run this relay for access.</p>`;
  return html`<p>Ask ${linked(contact)} for access.</p>`;
}

function linked(contact: string): Html {
  if (/^https?:\/\//.test(contact)) return html`<a href="${contact}">${contact}</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return html`<a href="mailto:${contact}">${contact}</a>`;
  return html`${contact}`;
}
