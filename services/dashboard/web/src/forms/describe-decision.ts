import type { Deciding } from '@expert-relay/sdk/expert';
import { describeContent, type Form, optionsOf } from '@expert-relay/sdk/forms';
import { isChoice } from './is-choice.ts';

interface Described {
  readonly title: string;
  /** Several values are options of a list. */
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** A decision in words. Without its form, the fields have their names, and options their values. */
export function describeDecision(decision: Deciding | undefined, form: Form | undefined): Described {
  if (!decision) return { title: 'An answer to a form that this page cannot read', fields: [] };
  if (decision.action === 'decline') return { title: 'Declined', fields: [] };
  const { content } = decision;
  const names = Object.keys(form?.properties ?? content).filter((name) => Object.hasOwn(content, name));
  const fields = names.map((name) => {
    const value = content[name];
    const field = form?.properties[name];
    const options = field ? optionsOf(field) : [];
    const titleOf = (one: string) => options.find((option) => option.value === one)?.title ?? one;
    const [{ label, value: words } = { label: name, value: String(value) }] =
      form && value !== undefined ? describeContent(form, { [name]: value }) : [];
    const isList = Array.isArray(value) && value.length > 0;
    return { label, values: isList ? value.map(titleOf) : [words] };
  });
  return { title: form && isChoice(form) ? 'Answered' : 'Approved', fields };
}
