export { isShowable, type Picture, readPicture } from './read-picture.ts';
export { safeName } from './safe-name.ts';
export { type ShowHiddenOptions, showHidden } from './show-hidden.ts';
