import { RelayError } from '@expert-relay/sdk';
import { block, tellingArgument, toJson } from '@expert-relay/sdk/internal';
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
  const about = tellingArgument(value);
  const question = [
    `May ${inLine(agent)} run \`${inLine(tool)}\`${about && ` with ${about}`}?`,
    block(toJson(value), 'json'),
    ...(description.trim() ? [description.replaceAll(/^/gm, '> ')] : []),
    `${isEditable ? 'It runs with the arguments as you leave them below. ' : ''}The agent gets your comment only if you decline.`,
  ].join('\n\n');
  if (question.length <= mostCharacters) return question;
  throw invalidInput(
    `The call of ${inLine(tool)} is too long to be shown to an expert in full. Nothing was asked. Let the model make a shorter call.`,
  );
}

/** For a call, or a program, that must be another one. */
export const invalidInput = (sentence: string) => new RelayError('invalid_input', sentence);

const inLine = (text: string): string => showHidden(text.replaceAll(/[`\s]+/g, ' ').trim());
