import { type Content, type Field, type Form, toForm } from '@expert-relay/sdk/forms';
import { block, code } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { programOf, type ToolCall } from './hook-input.ts';

const option = z.object({
  label: z.string().min(1),
  description: z.string().optional(),
  preview: z.string().optional(),
});

/** The input of `AskUserQuestion`, with which the model of Claude Code asks its user. */
const input = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().min(1),
        header: z.string().min(1).optional(),
        multiSelect: z.boolean().default(false),
        options: z.array(option).min(1),
      }),
    )
    .min(1),
});
type Question = z.infer<typeof input>['questions'][number];

/** The questions of a call; undefined where it is another tool. */
export function userQuestionsOf({ tool_name, tool_input }: ToolCall): readonly Question[] | undefined {
  return tool_name === 'AskUserQuestion' ? input.safeParse(tool_input).data?.questions : undefined;
}

export function describeQuestions(call: ToolCall, questions: readonly Question[]): string {
  const [first] = questions;
  const others = questions.length > 1 ? ` (and ${questions.length - 1} more)` : '';
  return [
    `${programOf(call)} asks: ${first?.question}${others}`,
    `In the directory ${code(call.cwd)}.`,
    ...questions.flatMap(describeQuestion),
    'The program receives the options that you choose, and your own words where you write some. It receives a comment only if you decline.',
  ].join('\n\n');
}

function describeQuestion({ question, options }: Question): string[] {
  const lines = options.map(
    ({ label, description }) => `- **${label}**${description ? `: ${description}` : ''}`,
  );
  const previews = options.flatMap(({ label, preview }) =>
    preview === undefined ? [] : [`${label}:`, block(preview, '')],
  );
  return [question, lines.join('\n'), ...previews];
}

/**
 * Two fields for each question: its options, and other words.
 * @throws RelayError `invalid_form` where options cannot be those of a form, such as two of one name
 */
export function formOf(questions: readonly Question[]): Form {
  const fields = questions.flatMap(({ question, header, multiSelect, options }, index) => {
    const labels = options.map(({ label }) => label);
    const title = header ?? `Question ${index + 1}`;
    const description = question.replaceAll(/\p{Cc}/gu, ' ');
    const choice: Field = multiSelect
      ? { type: 'array', title, description, items: { type: 'string', enum: labels } }
      : { type: 'string', title, description, enum: labels };
    const words: Field = { type: 'string', title: `${title}: in your own words` };
    return [
      [choiceName(index), choice],
      [wordsName(index), words],
    ];
  });
  return toForm({ type: 'object', properties: Object.fromEntries(fields) });
}

/** By the text of the question, as the program expects them. Questions without an answer are absent. */
export function answersOf(
  questions: readonly Question[],
  content: Content,
): Readonly<Record<string, string>> {
  const answers = questions.map(({ question, multiSelect }, index): [string, string] => {
    const words = String(content[wordsName(index)] ?? '').trim();
    const chosen = [content[choiceName(index)] ?? []].flat().map(String);
    // One's own words are in place of the one option.
    const all = multiSelect || words === '' ? [...chosen, words] : [words];
    return [question, all.filter((one) => one !== '').join(', ')];
  });
  return Object.fromEntries(answers.filter(([, answer]) => answer !== ''));
}

const choiceName = (index: number) => `answer_${index + 1}`;
const wordsName = (index: number) => `words_${index + 1}`;
