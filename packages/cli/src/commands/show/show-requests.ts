import type { Context } from '../../context.ts';
import { listRequests } from '../../relay/find-request.ts';
import type { Access } from '../../settings/require-relay.ts';
import { splitByWidth } from '../../terminal/text-width.ts';
import { shortTime } from './conversation-view.ts';

const newest = 20;

/** This key's requests, the newest first. */
export async function showRequests(
  { out, err, signal }: Context,
  access: Access,
  json: boolean,
): Promise<void> {
  const requests = await listRequests(access, newest, signal);
  if (json) {
    out.line(JSON.stringify({ requests }));
    return;
  }
  if (requests.length === 0) err.paragraph('There are no requests yet. An agent makes one: relay ask "..."');
  for (const { refCode, status, createdAt, question } of requests) {
    const facts = `${refCode}  ${status.padEnd(9)}  ${shortTime(createdAt)}  `;
    // One line each: the whole question is a `relay show HS-...` away.
    const text = out.shown(question.split('\n')[0] ?? '');
    const [fits = ''] = out.isTerminal ? splitByWidth(text, out.width - facts.length) : [text];
    out.line(facts + fits);
  }
}
