import { toBase64 } from '../crypto/base64.ts';
import { confidentialQuestion } from '../crypto/submission.ts';
import { fitsForm, readAnswer, readForm } from '../forms/decide.ts';
import type { FormAnswer } from '../forms/form-answer.ts';
import type { CheckedMessage } from './open-messages.ts';
import { type ReceiptFile, refused } from './receipt-file.ts';

export interface ReceiptDecision {
  readonly answer: FormAnswer;
  /** JSON text, as it was signed. */
  readonly answerText: string;
  readonly formText: string;
  /** What was asked, also where it was confidential. */
  readonly question: string;
  /** What the expert wrote beside it. */
  readonly comment: string;
}

const noDecision = (why: string) => refused('no_decision', why);
const missing = (why: string) => refused('message_missing', why);

/** @throws RelayError `no_decision`, `message_missing` */
export function readDecision(
  { asked, outcome }: ReceiptFile,
  messages: readonly CheckedMessage[],
  submission: string,
): ReceiptDecision {
  const { message, content } = messages.at(-1) ?? {};
  if (message?.role !== 'provider' || !content?.parts.answer || content.parts.isUncertain)
    throw noDecision('its last message is no decision of the expert.');
  const { of, json } = content.parts.answer;
  const named = toBase64(of);
  const formText = named === submission ? asked.answerForm : formIn(messages, named);
  if (!formText) throw noDecision('the expert has answered something that is no form.');
  const answer = readAnswer(json);
  if (!answer || !fitsForm(readForm(formText), answer))
    throw noDecision('the answer of the expert does not fit the form.');
  if (answer.action !== outcome) throw noDecision('the agent states another outcome than the expert.');
  const question = asked.question === confidentialQuestion ? confidentialIn(messages) : asked.question;
  return { answer, answerText: json, formText, question, comment: content.text };
}

function formIn(messages: readonly CheckedMessage[], hash: string): string | undefined {
  const content = messages.find((one) => one.hash === hash)?.content;
  if (!content) throw missing('the message with the form is not in the file, or is not opened.');
  return content.parts.form;
}

/** The real question is the agent's first message, which has none before it. */
function confidentialIn(messages: readonly CheckedMessage[]): string {
  const first = messages.find(({ message }) => message.role === 'consumer')?.content;
  if (first?.links.length !== 0)
    throw missing('the confidential question is not in the file, or is not opened.');
  return first.text;
}
