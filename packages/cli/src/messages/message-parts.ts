import type { Content, Form } from '@expert-relay/sdk/forms';
import { isApproval } from '@expert-relay/sdk/forms';
import { showContent, showForm } from '../forms/show-form.ts';
import type { Screen } from '../terminal/screen.ts';

/** A file of a message. Name and type are its sender's words. */
export interface ShownFile {
  readonly name: string;
  readonly mediaType: string;
  /** Absent where this machine does not have the content. */
  readonly bytes?: Uint8Array | undefined;
}

/** What a message carries besides its text. */
export interface ShownParts {
  readonly form?: Form | undefined;
  readonly unreadableForm?: boolean | undefined;
  readonly answer?:
    | {
        readonly action: 'accept' | 'decline';
        readonly content?: Content | undefined;
        readonly decidedAt: string;
      }
    | undefined;
  readonly unreadableAnswer?: boolean | undefined;
  /** For agents: whether there is a decision that does not count, as far as this machine knows. */
  readonly isUncounted?: boolean | undefined;
  /** The form that `answer` is about, if it is known here. */
  readonly answeredForm?: Form | undefined;
  readonly files?: readonly ShownFile[] | undefined;
  readonly hasUnknownPart?: boolean | undefined;
}

/** Prints it behind the text of its message. */
export function showParts(out: Screen, parts: ShownParts, indent = '  '): void {
  const { form, unreadableForm, answer, unreadableAnswer, answeredForm, files = [], hasUnknownPart } = parts;
  if (form || unreadableForm) showForm(out, form, { indent });
  if (answer) {
    out.paragraph(`${decisionWord(answer.action, answeredForm)}, ${answer.decidedAt}`, {
      indent,
      style: 'bold',
    });
    if (answer.content) showContent(out, answeredForm, answer.content, { indent });
  }
  if (unreadableAnswer) out.paragraph('A decision that cannot be read.', { indent, style: 'yellow' });
  if (parts.isUncounted)
    out.paragraph(
      'With a decision that does not count: it is about an earlier form, was made without your last message, contradicts another one, or came after the one that was returned.',
      {
        indent,
        style: 'yellow',
      },
    );
  for (const file of files) out.foreign(`- ${describeFile(file)}`, { indent });
  if (hasUnknownPart)
    out.paragraph('It has a part that this version cannot show.', { indent, style: 'yellow' });
}

/** `approved` for a form without fields. */
export function decisionWord(action: 'accept' | 'decline', form: Form | undefined): string {
  if (action === 'decline') return 'declined';
  return form && isApproval(form) ? 'approved' : 'accepted';
}

/** In quotes and on one line: the name could say anything. */
export function describeFile({ name, mediaType, bytes }: ShownFile): string {
  const size = bytes ? `, ${bytes.length} bytes` : '';
  return `file ${JSON.stringify(name)}, ${mediaType}${size}`;
}

/** Without the content of the files, which are saved with `--save`. */
export function partsToJson<P extends ShownParts>(parts: P) {
  const { files, answeredForm, ...rest } = parts;
  return {
    ...rest,
    ...(files && {
      files: files.map(({ name, mediaType, bytes }) => ({ name, mediaType, size: bytes?.length })),
    }),
  };
}
