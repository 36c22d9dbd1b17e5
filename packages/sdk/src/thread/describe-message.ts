import { toBase64 } from '../crypto/base64.ts';
import type { Role } from '../crypto/index.ts';
import type { Forms } from './load-forms.ts';
import type { Message, ReadMessage } from './message.ts';
import { hasForms, isNote, type MessageParts, readSaved, type SavedPart } from './message-parts.ts';

/** `load` gives the module for forms, if the message needs it. */
export async function toMessage(
  { link: hash, parts, ...message }: ReadMessage,
  load: () => Promise<Forms>,
): Promise<Message> {
  const forms = hasForms(parts) ? await load() : undefined;
  const described = describeParts(parts, message.role, forms);
  const hasForm = described.form !== undefined || described.unreadableForm;
  return {
    ...message,
    ...described,
    ...(isNote({ ...message, parts }) && { isNote: true as const }),
    ...(hasForm && hash !== undefined && { formOf: hash }),
  };
}

/** Describes the parts of a message for programs. `forms` is needed where they have a form or an answer: `hasForms`. */
export function describeParts(
  saved: readonly SavedPart[] | undefined,
  role: Role,
  forms: Forms | undefined,
): MessageParts {
  const { form, answer, files, hasUnknown } = readSaved(saved, role);
  const readable = form === undefined ? undefined : (forms as Forms).readForm(form);
  const given = answer && (forms as Forms).readAnswer(answer.json);
  return {
    ...(form !== undefined && (readable ? { form: readable } : { unreadableForm: true })),
    ...(answer && (given ? { answer: { ...given, of: toBase64(answer.of) } } : { unreadableAnswer: true })),
    ...(files && { files }),
    ...(hasUnknown && { hasUnknownPart: true }),
  };
}
