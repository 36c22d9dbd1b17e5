import { showHidden } from '@expert-relay/sdk/safe';

/** Makes a foreign text safe for a terminal, where a tab could move the rest of a line. */
export const makeSafe = (text: string): string => showHidden(text.replaceAll('\t', '    '));
