import { checkContent } from '../forms/check-content.ts';
import { describeContent } from '../forms/describe-content.ts';
import { type Form, isApproval } from '../forms/form.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import type { FormTracker } from '../thread/form-tracker.ts';
import type { Deciding } from './expert-request.ts';

interface WrittenDecision {
  readonly text: string;
  readonly answer: { readonly of: string; readonly json: string };
}

/**
 * The message that a decision is sent as. In plain text the comment is a part of the answer, and the text says everything
 * in words.
 */
export function writeDecision(
  { action, content, of }: Deciding,
  comment: string,
  { parsed: open }: Pick<FormTracker, 'parsed'>,
  isPlain: boolean,
): WrittenDecision {
  if (!open) throw invalidInput('The agent has sent no form: answer in words, without `decision`.');
  if (of !== undefined && of !== open.of) throw anotherForm();
  const decidedAt = new Date().toISOString();
  if (action === 'accept') checkFits(open.form, content);
  else if (action !== 'decline') throw invalidInput('The `action` of a decision is `accept` or `decline`.');
  const said = isPlain && comment !== '' ? { comment } : {};
  const decided = action === 'accept' ? { action, content } : { action };
  return {
    text: isPlain ? inWords(open.form, decided, comment) : comment,
    answer: { of: open.of, json: JSON.stringify({ ...decided, decidedAt, ...said }) },
  };
}

function checkFits(form: Form | undefined, content: unknown): void {
  if (!form) throw invalidInput('This form cannot be shown: decline it, or answer in words.');
  const [problem] = checkContent(form, content);
  if (problem) throw invalidInput(`${problem.name || 'content'}: ${problem.message}`);
}

function inWords(form: Form | undefined, { action, content = {} }: Deciding, comment: string): string {
  const fields = form && action === 'accept' ? describeContent(form, content) : [];
  const lines = fields.map(({ label, value }) => `${label}: ${value}`);
  const accepted = form && isApproval(form) ? 'Approved.' : 'Accepted.';
  return [action === 'accept' ? accepted : 'Declined.', ...lines, comment].filter(Boolean).join('\n');
}

const anotherForm = () =>
  new RelayError(
    'newer_message',
    'Not sent: the agent has sent another form meanwhile. Read it, then decide.',
  );
