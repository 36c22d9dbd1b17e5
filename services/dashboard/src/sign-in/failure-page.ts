import { type Html, html, type Page } from '@expert-relay/kit/pages';
import { type FailureReason, failures } from './failure.ts';

/** The page that says why a sign-in did not succeed, and what to do next. */
export function failurePage(
  reason: FailureReason,
  options: {
    account?: string | undefined;
    provider?: string | undefined;
    supportContact: string | undefined;
    isSignedIn?: boolean;
  },
): Page {
  const { account, provider, supportContact, isSignedIn = false } = options;
  const { status, title, text } = failures[reason];
  const tried = account === undefined ? [] : [html`<p>You tried <strong>${account}</strong>.</p>`];
  const isRefused = reason === 'not_allowed' || reason === 'unverified';
  const contact = isRefused ? [askSupport(supportContact)] : [];
  // Without it, a provider that remembers the person would send the same account at each attempt.
  const other =
    isRefused && provider !== undefined
      ? [html`<a class="button" href="/auth/${provider}?account=other">Use another account</a>`]
      : [];
  const next =
    reason === 'other_user'
      ? html`<form method="post" action="/logout"><button class="button">Sign out</button></form>
        <a class="button main" href="/dashboard">Back to the dashboard</a>`
      : isSignedIn
        ? html`<a class="button main" href="/dashboard">Back to the dashboard</a>`
        : html`<a class="button main" href="/auth/login">Back to sign-in</a>${other}`;
  return { title, status, body: html`<p>${text}</p>${tried}${contact}<div class="actions">${next}</div>` };
}

/** One sentence that says whom to ask for access. */
function askSupport(contact: string | undefined): Html {
  if (!contact) return html`<p>Ask the people who run this relay for access.</p>`;
  return html`<p>Ask ${linkTo(contact)} for access.</p>`;
}

function linkTo(contact: string): Html {
  if (/^https?:\/\//.test(contact)) return html`<a href="${contact}">${contact}</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return html`<a href="mailto:${contact}">${contact}</a>`;
  return html`${contact}`;
}
