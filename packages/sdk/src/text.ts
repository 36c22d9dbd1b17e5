export { isDiff } from './is-diff.ts';
export { type ShowHiddenOptions, showHidden } from './show-hidden.ts';
