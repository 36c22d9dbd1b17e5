import { type Form, optionsOf } from '@expert-relay/sdk/forms';

/** Whether the form is one question: which of these options, or which ones. It is answered, and not approved. */
export function isChoice({ properties }: Form): boolean {
  const [field, ...others] = Object.values(properties);
  return field !== undefined && others.length === 0 && optionsOf(field).length > 0;
}
