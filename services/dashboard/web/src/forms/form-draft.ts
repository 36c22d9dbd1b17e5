import type { Form } from '@expert-relay/sdk/forms';
import { incomplete } from './local-time.ts';
import type { Values } from './values.ts';

/** What the expert has filled in. */
export interface FormDraft {
  /** The form. What was filled in for another one is not used. */
  readonly of: string;
  readonly values: Values;
  readonly comment: string;
  /** What was filled in for forms that the agent has replaced. */
  readonly earlier?: readonly FormDraft[] | undefined;
}

export const readFormDraft = (json: string): FormDraft | undefined => (json ? JSON.parse(json) : undefined);

/** What was filled in for each form, the last one at the end. */
export function listFormDrafts(json: string): readonly FormDraft[] {
  const draft = readFormDraft(json);
  if (!draft) return [];
  const { earlier = [], ...last } = draft;
  return [...earlier, last];
}

/** What the expert has changed, in words. */
export function describeFormDraft({ values, comment }: FormDraft, form: Form | undefined): string {
  const lines = Object.entries(values).flatMap(([name, value]) => {
    const { title = name, default: given = '' } = form?.properties[name] ?? {};
    const isUnchanged = value.length === 0 || value === incomplete || String(value) === String(given);
    return isUnchanged ? [] : `${title}: ${typeof value === 'string' ? value : value.join(', ')}`;
  });
  return [...lines, comment].filter(Boolean).join('\n');
}
