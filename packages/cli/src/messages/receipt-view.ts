import { type Form, parseForm } from '@expert-relay/sdk/forms';
import type { VerifiedReceipt } from '@expert-relay/sdk/receipt';
import { showContent, showForm } from '../forms/show-form.ts';
import type { Screen } from '../terminal/screen.ts';
import { shortTime } from './conversation-view.ts';
import { decisionWord, describeFile } from './message-parts.ts';

/** Prints what a receipt proves, and what not. All texts in it are those of the agent and the expert. */
export function showReceipt(out: Screen, receipt: VerifiedReceipt): void {
  const { refCode, fingerprint, isKnown, action, content, asked, comment, messages, notProven } = receipt;
  const form = readForm(receipt.form);
  const heading = (text: string) => {
    out.line();
    out.line(out.paint('cyan', text));
  };
  const say = (title: string, text: string) => {
    if (text === '') return;
    heading(title);
    out.foreign(text, { indent: '  ' });
  };
  out.line(`${out.paint('bold', out.shown(refCode))}  ${decisionWord(action, form)}`);
  if (isKnown) out.paragraph(`By the expert that you named: ${fingerprint}`);
  else
    out.paragraph(
      `The expert is not known: ${fingerprint}. Compare this with the fingerprint that your expert sees with \`relay keys\`, or give that one: --fingerprint`,
      { style: 'yellow' },
    );
  const asking = receipt.askedAt === undefined ? '' : `sent what it is about ${shortTime(receipt.askedAt)}, `;
  out.paragraph(
    `Decided ${shortTime(receipt.decidedAt)} by the clock of the expert's device. The agent ${asking}made the receipt ${shortTime(receipt.madeAt)}, by its own clock.`,
    { style: 'dim' },
  );
  say('agent', asked.agentName);
  for (const { role, content: text } of asked.messages) say(`before: ${out.shown(role)}`, text);
  say('question', asked.question);
  if (asked.plaintext !== asked.question) say('question, as plain text', asked.plaintext);
  for (const { from, text, files = [], hasUnknownPart } of messages.slice(0, -1)) {
    heading(from);
    if (text === undefined)
      out.paragraph('A message that this receipt does not open.', { indent: '  ', style: 'dim' });
    else if (text !== '') out.foreign(text, { indent: '  ' });
    for (const file of files) out.foreign(`- ${describeFile(file)}`, { indent: '  ' });
    if (hasUnknownPart)
      out.paragraph('It has a part that this version cannot show.', { indent: '  ', style: 'yellow' });
  }
  heading('form');
  showForm(out, form);
  heading(`decision: ${decisionWord(action, form)}`);
  if (content) showContent(out, form, content);
  if (comment !== '') out.foreign(comment, { indent: '  ' });
  for (const file of messages.at(-1)?.files ?? []) out.foreign(`- ${describeFile(file)}`, { indent: '  ' });
  heading('not proven');
  for (const sentence of notProven) out.paragraph(`- ${sentence}`, { indent: '  ' });
}

/** Undefined for one that this version cannot show. */
function readForm(json: string): Form | undefined {
  try {
    return parseForm(json);
  } catch {
    return undefined;
  }
}

/** Without the content of the files. */
export function receiptToJson({ messages, ...receipt }: VerifiedReceipt) {
  return {
    ...receipt,
    messages: messages.map(({ files, ...message }) => ({
      ...message,
      ...(files && {
        files: files.map(({ name, mediaType, bytes }) => ({ name, mediaType, size: bytes.length })),
      }),
    })),
  };
}
