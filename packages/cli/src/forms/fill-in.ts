import {
  type Content,
  checkContent,
  type Field,
  type Form,
  isApproval,
  optionsOf,
} from '@expert-relay/sdk/forms';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { fieldValue, isAmbiguous, prefilledOf } from './read-content.ts';
import { showContent, showField, showForm } from './show-form.ts';

/** What an expert has decided about a form. */
export type FilledIn = (
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' }
) & { readonly comment: string };

/**
 * Asks the user at a terminal to decide about a form. Nothing is decided by Enter alone, or at the end of the input.
 * @throws Failure when the user does not decide
 */
export async function fillIn(context: Context, form: Form | undefined): Promise<FilledIn> {
  const { err, input } = context;
  const ask = async (prompt: string): Promise<string> => {
    const line = await input.readLine(prompt);
    if (line === undefined) throw undecided();
    return line;
  };
  const askFor = async (prompt: string, letters: string): Promise<string> => {
    const letter = (await ask(prompt)).trim().toLowerCase().slice(0, 1);
    if (letter === '' || !letters.includes(letter)) throw undecided();
    return letter;
  };
  const decline = async (): Promise<FilledIn> => ({
    action: 'decline',
    comment: await ask('Why, in words (or Enter): '),
  });
  showForm(err, form);
  err.line();
  if (!form) {
    await askFor('Decline it? (d = decline, Enter = neither) ', 'd');
    return await decline();
  }
  if (isApproval(form)) {
    const letter = await askFor('Do you approve? (a = approve, d = decline, Enter = neither) ', 'ad');
    if (letter === 'd') return await decline();
    return { action: 'accept', content: {}, comment: await ask('A comment (or Enter): ') };
  }
  const prefilled = prefilledOf(form);
  const begin = prefilled
    ? await askFor('Fill it in? (a = approve as it is, f = fill in, d = decline, Enter = neither) ', 'afd')
    : await askFor('Fill it in? (f = fill in, d = decline, Enter = neither) ', 'fd');
  if (begin === 'd') return await decline();
  if (prefilled && begin === 'a')
    return { action: 'accept', content: prefilled, comment: await ask('A comment (or Enter): ') };
  const content: Record<string, Content[string]> = {};
  for (const [name, field] of Object.entries(form.properties)) {
    const value = await fillField(context, { form, name, field, ask });
    if (value !== undefined) content[name] = value;
  }
  err.line();
  err.paragraph('Your answer:');
  showContent(err, form, content);
  const letter = await askFor('Send it? (s = send, d = decline, Enter = neither) ', 'sd');
  if (letter === 'd') return await decline();
  return { action: 'accept', content, comment: await ask('A comment (or Enter): ') };
}

interface Filling {
  readonly form: Form;
  readonly name: string;
  readonly field: Field;
  readonly ask: (prompt: string) => Promise<string>;
}

/** Repeats the prompt until the value is valid. */
async function fillField(
  { err }: Context,
  { form, name, field, ask }: Filling,
): Promise<Content[string] | undefined> {
  const isRequired = form.required?.includes(name) ?? false;
  const options = optionsOf(field);
  // Where options look like numbers, a number means the option, and they have no others.
  const isNumbered = !options.some(
    ({ value, title }) => /^\s*\d+\s*$/.test(value) || /^\s*\d+\s*$/.test(title),
  );
  const one: Form = {
    type: 'object',
    properties: { [name]: field },
    ...(isRequired && { required: [name] }),
  };
  err.line();
  showField(err, name, field, { isRequired, isNumbered: isNumbered && options.length > 0 });
  for (;;) {
    const line = await ask(`${name}${hintFor(field, isRequired)}: `);
    if (
      textsIn(field, line).some(
        (text) => optionAt(field, text, isNumbered) === undefined && isAmbiguous(field, text),
      )
    ) {
      err.paragraph('This names several options. Name one otherwise, or answer on the web page.', {
        indent: '  ',
        style: 'yellow',
      });
      continue;
    }
    const value = readLine(field, line, isNumbered);
    const content = value === undefined ? {} : { [name]: value };
    const [problem] = checkContent(one, content);
    if (!problem) return value;
    err.paragraph(problem.message, { indent: '  ', style: 'yellow' });
  }
}

function hintFor(field: Field, isRequired: boolean): string {
  const hints = [
    field.type === 'array' && 'with commas',
    field.default !== undefined ? 'Enter = default' : !isRequired && 'Enter = leave empty',
    field.default !== undefined && !isRequired && '- = leave empty',
  ].filter((hint) => hint !== false);
  return hints.length > 0 ? ` (${hints.join(', ')})` : '';
}

function readLine(field: Field, line: string, isNumbered: boolean): Content[string] | undefined {
  const typed = line.trim();
  if (typed === '') return field.default;
  if (typed === '-' && field.default !== undefined) return undefined;
  return fieldValue(
    field,
    textsIn(field, line).map((text) => optionAt(field, text, isNumbered)?.value ?? text),
  );
}

/** What a line says: several options with commas between them, or one value. */
const textsIn = (field: Field, line: string): string[] =>
  (field.type === 'array' ? line.split(',') : [line]).map((text) => text.trim());

const optionAt = (field: Field, text: string, isNumbered: boolean) =>
  isNumbered && /^\d+$/.test(text) ? optionsOf(field)[Number(text) - 1] : undefined;

const undecided = () =>
  new Failure('unseen', 'Nothing was decided, and nothing was sent. Run the command again to decide.', {
    code: 'undecided',
  });
