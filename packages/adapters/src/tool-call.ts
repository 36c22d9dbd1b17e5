import { RelayError } from '@expert-relay/sdk';
import { showHidden } from '@expert-relay/sdk/safe';

/** A call of a tool that waits for an approval. */
export interface ToolCall {
  /** Unique within the run, and the same after a restart. */
  readonly id: string;
  readonly tool: string;
  /** As JSON has it; usually an object. */
  readonly arguments: unknown;
  /** The JSON Schema of the arguments. With a flat one the expert edits fields, otherwise JSON. */
  readonly schema?: unknown;
  /** What the program says about the call, for the expert. */
  readonly description?: string | undefined;
  /** False where the tool cannot run with other arguments. Default true. */
  readonly canEdit?: boolean | undefined;
}

/** More could not be read before it is approved. */
const mostCharacters = 60_000;

/**
 * The question to the expert, in Markdown.
 *
 * @throws RelayError `invalid_input` for a call that is too long to be shown in full: nothing is approved that was not shown
 */
export function questionAbout(
  { tool, arguments: value, description = '' }: ToolCall,
  { agent, isEditable }: { readonly agent: string; readonly isEditable: boolean },
): string {
  const question = [
    `May ${inLine(agent)} run \`${inLine(tool)}\`?`,
    codeBlock(toJson(value)),
    ...(description.trim() ? [description.replaceAll(/^/gm, '> ')] : []),
    `${isEditable ? 'It runs with the arguments as you leave them below. ' : ''}The agent gets your comment only if you decline.`,
  ].join('\n\n');
  if (question.length <= mostCharacters) return question;
  throw invalidInput(
    `The call of ${inLine(tool)} is too long to be shown to an expert in full. Nothing was asked. Let the model make a shorter call.`,
  );
}

/** What a reader does not see or cannot tell from a space, and marks beyond those of any living language. */
const hidden =
  /(?![ \n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{8})\p{M}/gu;

/** JSON in which every character can be seen: the others are escape sequences, so that the value is the same. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replace(hidden, (character) =>
    character.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** Whether the text has characters other than line breaks that JSON would have to escape. */
export const hasHidden = (text: string): boolean => text.search(hidden) >= 0;

/** The fence is longer than any in the text, so that the text cannot end it. */
function codeBlock(json: string): string {
  const longest = Math.max(2, ...Array.from(json.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${json}\n${fence}`;
}

/** For a call, or a program, that must be another one. */
export const invalidInput = (sentence: string) => new RelayError('invalid_input', sentence);

const inLine = (text: string): string => showHidden(text.replaceAll(/[`\s]+/g, ' ').trim());
