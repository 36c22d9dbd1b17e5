import { fromBase64, toBase64 } from '../crypto/base64.ts';
import type { Part } from '../crypto/frame.ts';
import type { Role } from '../crypto/key-exchange.ts';
import type { FilePart } from '../crypto/parts.ts';
import { answerKind, firstNoteKind, formKind, type ReadParts, readParts } from '../crypto/parts.ts';
import type { Form } from '../forms/form.ts';
import type { FormAnswer } from '../forms/form-answer.ts';
import { notAsExported } from '../relay-error.ts';

/** A file as its sender wrote it. Name and type may be anything: make them safe before you use them. */
export type ReceivedFile = FilePart;

/** What a message carries besides its text. */
export interface MessageParts {
  /** A form of the agent. */
  readonly form?: Form | undefined;
  /** True when it has a form that this version cannot show. It can be declined. */
  readonly unreadableForm?: true | undefined;
  /** What names this form in an answer: its `of`, in base64. */
  readonly formOf?: string | undefined;
  /** The expert's answer to the form that `of` names. It is read, and nothing more: it may not fit the form, or not count. */
  readonly answer?: (FormAnswer & { readonly of: string }) | undefined;
  /** True when it has an answer to a form that cannot be read. */
  readonly unreadableAnswer?: true | undefined;
  readonly files?: readonly ReceivedFile[] | undefined;
  /** True when it has a part that this version cannot show. */
  readonly hasUnknownPart?: true | undefined;
  /** True when it has no text, and only parts that change nothing of what a message means: it is no answer. */
  readonly isNote?: true | undefined;
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

export const readSaved = (saved: readonly SavedPart[] | undefined, role: Role): ReadParts =>
  readParts(restoredParts(saved), role);

/** Whether a message has nothing but notes: then it is no answer. */
export const isNote = ({
  text,
  parts = [],
}: {
  readonly text: string;
  readonly parts?: readonly SavedPart[] | undefined;
}): boolean => text === '' && parts.length > 0 && parts.every(({ kind }) => kind >= firstNoteKind);

export const hasForms = (saved: readonly SavedPart[] = []): boolean =>
  saved.some(({ kind }) => kind === formKind || kind === answerKind);

export const hasAnswer = (saved: readonly SavedPart[] = []): boolean =>
  saved.some(({ kind }) => kind === answerKind);
