import { showHidden } from '@expert-relay/sdk/safe';

/** A title or an option on one line. An agent must not send line breaks in them. */
export const showLabel = (label: string): string =>
  showHidden(label).replaceAll('\n', '␊').replaceAll('\t', '␉');
