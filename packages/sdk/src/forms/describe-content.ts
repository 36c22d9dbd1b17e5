import { type Content, type Field, type Form, optionsOf } from './form.ts';

/** The values that a form prefills. */
export function defaultsOf(form: Form): Content {
  const fields = Object.entries(form.properties);
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
}

/**
 * What was filled in, in words and in the order of the form. The words are those of the agent and the expert: show them as
 * any other foreign text.
 *
 * @example
 * for (const { label, value } of describeContent(form, content)) console.log(showHidden(`${label}: ${value}`));
 */
export function describeContent(
  form: Form,
  content: Content,
): readonly { readonly label: string; readonly value: string }[] {
  return Object.entries(form.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    return value === undefined ? [] : [{ label: field.title ?? name, value: inWords(field, value) }];
  });
}

function inWords(field: Field, value: Content[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const options = optionsOf(field);
  const titleOf = (one: unknown) => options.find((option) => option.value === one)?.title ?? String(one);
  return Array.isArray(value)
    ? value.map((one) => quoted(titleOf(one))).join(', ') || 'none'
    : titleOf(value);
}

/** One option of several: one that has a comma must not look like two, and one that is called "none" not like no option. */
const quoted = (option: string): string => (/[",\n]|^none$/.test(option) ? JSON.stringify(option) : option);
