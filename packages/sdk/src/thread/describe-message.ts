import { toBase64 } from '../crypto/base64.ts';
import type { Role } from '../crypto/key-exchange.ts';
import { readAnswer, readForm } from '../forms/decide.ts';
import { partyOf } from '../request-state.ts';
import type { Message, ReadMessage } from './message.ts';
import { isNote, type MessageParts, readSaved, type SavedPart } from './message-parts.ts';

export function toMessage({ role, hash, parts, ...message }: ReadMessage): Message {
  const described = describeParts(parts, role);
  const hasForm = described.form !== undefined || described.unreadableForm;
  return {
    from: partyOf(role),
    ...message,
    ...described,
    ...(isNote({ ...message, parts }) && { isNote: true as const }),
    ...(hasForm && hash !== undefined && { formOf: hash }),
  };
}

/** Describes the parts of a message for programs. */
export function describeParts(saved: readonly SavedPart[] | undefined, role: Role): MessageParts {
  const { form, answer, files, hasUnknown } = readSaved(saved, role);
  const readable = form === undefined ? undefined : readForm(form);
  const given = answer && readAnswer(answer.json);
  return {
    ...(form !== undefined && (readable ? { form: readable } : { unreadableForm: true })),
    ...(answer && (given ? { answer: { ...given, of: toBase64(answer.of) } } : { unreadableAnswer: true })),
    ...(files && { files }),
    ...(hasUnknown && { hasUnknownPart: true }),
  };
}
