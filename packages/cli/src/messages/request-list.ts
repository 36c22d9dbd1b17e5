import type { ListedQuestion } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { errorToJson } from '../explain-error.ts';
import { connectExpert } from '../relay/connect-expert.ts';
import { markWritten } from '../relay/mark-written.ts';
import { openAgent } from '../relay/open-agent.ts';
import { splitByWidth, textWidth } from '../terminal/text-width.ts';
import { shortTime } from './conversation-view.ts';

const newest = 20;

/** The newest requests of an agent's key. Only questions that were asked on this machine are shown: others could not be compared. */
export async function showListToAgent(context: Context, json: boolean): Promise<void> {
  const { conversations, connect, outages } = openAgent(context);
  const relay = connect();
  try {
    const asked = await conversations.questions();
    const listed = await relay.requests({ limit: newest, signal: context.signal });
    const requests = listed.map((row) => ({ ...row, question: asked.get(row.refCode) ?? '' }));
    if (json) context.out.line(JSON.stringify({ requests }));
    else showRows(context, requests);
  } finally {
    outages.stop();
    relay.stop();
  }
}

/** The requests of an expert with the newest activity. Each question is compared with what was shown before, and remembered. */
export async function showListToExpert(context: Context, json: boolean): Promise<void> {
  const { out, signal } = context;
  const { expert, outages } = await connectExpert(context, { instead: '' });
  try {
    const requests = await expert.list({ limit: newest, signal });
    // A line of the list is not the whole question: only as JSON does it count as shown.
    if (json) {
      out.line(JSON.stringify({ requests: requests.map(toJson) }));
      for (const { requestId, refused } of requests)
        if (!refused) await markWritten(context, expert, { requestId, messages: [] });
    } else showRows(context, requests);
  } finally {
    outages.stop();
    expert.stop();
  }
}

const toJson = ({ refused, ...request }: ListedQuestion) => ({
  ...request,
  ...(refused && { refused: errorToJson(refused) }),
});

type Row = Pick<ListedQuestion, 'refCode' | 'status' | 'createdAt' | 'question'> & {
  readonly form?: ListedQuestion['form'];
  readonly refused?: ListedQuestion['refused'];
  readonly agent?: ListedQuestion['agent'];
  readonly agentName?: ListedQuestion['agentName'];
};

/** Longer names are cut. */
const widestName = 20;

/** The name that the agent has signed, or that of its key, as the relay states it. */
const nameOf = ({ agentName, agent }: Row): string => agentName ?? (agent ? `key: ${agent}` : '');

/** One line each. `relay show HS-...` shows the whole question. */
function showRows({ out, err }: Context, rows: readonly Row[]): void {
  if (rows.length === 0) err.paragraph('There are no requests yet. An agent makes one: relay ask "..."');
  const forms = rows.some(({ form }) => form);
  const names = rows.map((row) => shorten(out.shown(nameOf(row)), widestName));
  const column = Math.max(0, ...names.map(textWidth));
  for (const [at, { refCode, status, createdAt, question, form = '', refused }] of rows.entries()) {
    const name = names[at] ?? '';
    const by = column > 0 ? `${name}${' '.repeat(column - textWidth(name))}  ` : '';
    // A column of its own: no question can look like it.
    const what = forms ? `${form.padEnd(8)}  ` : '';
    const facts = `${refCode}  ${status.padEnd(9)}  ${shortTime(createdAt)}  ${by}${what}`;
    const [line = '', ...more] = question.split('\n');
    const text = refused
      ? `refused: ${refused.reason ?? refused.code}`
      : out.shown(line) + (more.length > 0 ? '…' : '');
    out.line(facts + (out.isTerminal ? shorten(text, out.width - textWidth(facts)) : text));
  }
}

/** What does not fit is cut, which an ellipsis shows. */
function shorten(text: string, columns: number): string {
  const parts = splitByWidth(text, columns);
  const fits = parts.next().value ?? '';
  return parts.next().done ? fits : `${splitByWidth(fits, columns - 1).next().value ?? ''}…`;
}
