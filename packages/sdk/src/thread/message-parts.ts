import { fromBase64, toBase64 } from '../crypto/base64.ts';
import type { FilePart, Part, Role } from '../crypto/index.ts';
import { answerKind, readParts } from '../crypto/parts.ts';
import { notAsExported } from '../relay-error.ts';
import { parseJson } from '../transport/shape.ts';

/** A file as its sender wrote it. Name and type may be anything: make them safe before you use them. */
export type ReceivedFile = FilePart;

/** What a message carries besides its text. */
export interface MessageParts {
  /** A form of the agent, as JSON text. */
  readonly formText?: string | undefined;
  /** What names this form in an answer, in base64. */
  readonly formOf?: string | undefined;
  /** The expert's answer to a form, as JSON text. Nothing has checked whether it counts. */
  readonly answerText?: string | undefined;
  /** The form that it answers, in base64. */
  readonly answerOf?: string | undefined;
  readonly files?: readonly ReceivedFile[] | undefined;
  /** True when it has a part that this version cannot show. */
  readonly hasUnknownPart?: boolean | undefined;
}

/** A part as it is saved: its body in base64. */
export interface SavedPart {
  readonly kind: number;
  readonly body: string;
}

export const savedParts = (parts: readonly Part[]): readonly SavedPart[] =>
  parts.map(({ kind, body }) => ({ kind, body: toBase64(body) }));

export const restoredParts = (saved: readonly SavedPart[] = []): readonly Part[] =>
  saved.map(({ kind, body }) => ({ kind, body: fromBase64(body) ?? changed() }));

function changed(): never {
  throw notAsExported();
}

/** The one place where the content of parts is read. */
export function describeParts(
  saved: readonly SavedPart[] | undefined,
  role: Role,
  link?: string | undefined,
): MessageParts {
  const { form, answer, files, hasUnknown } = readParts(restoredParts(saved), role);
  return {
    ...(form !== undefined && { formText: form }),
    ...(form !== undefined && link !== undefined && { formOf: link }),
    ...(answer && { answerText: answer.json, answerOf: toBase64(answer.of) }),
    ...(files && { files }),
    ...(hasUnknown && { hasUnknownPart: true }),
  };
}

export const hasAnswer = (saved: readonly SavedPart[] = []): boolean =>
  saved.some(({ kind }) => kind === answerKind);

/** Whether both are the same parts of an expert's message, apart from the time of a decision. */
export const areSame = (some: readonly SavedPart[], others: readonly SavedPart[] | undefined): boolean =>
  timeless(some) === timeless(others);

function timeless(saved: readonly SavedPart[] = []): string {
  const { answerText = '', answerOf } = describeParts(saved, 'provider');
  const { decidedAt, ...decision } = Object(parseJson(answerText));
  return JSON.stringify([decision, answerOf, saved.filter(({ kind }) => kind !== answerKind)]);
}
