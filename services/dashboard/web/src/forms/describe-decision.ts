import { describeContent, type Form, type FormAnswer } from '@expert-relay/sdk/forms';

interface Described {
  readonly title: string;
  readonly fields: readonly { readonly label: string; readonly value: string }[];
}

/** A decision in words. Without its form, the fields have their names, and options their values. */
export function describeDecision(decision: FormAnswer | undefined, form: Form | undefined): Described {
  if (!decision) return { title: 'An answer to a form that this page cannot read', fields: [] };
  if (decision.action === 'decline') return { title: 'Declined', fields: [] };
  const { content } = decision;
  const unnamed = () => Object.entries(content).map(([label, value]) => ({ label, value: String(value) }));
  return { title: 'Approved', fields: form ? describeContent(form, content) : unnamed() };
}
