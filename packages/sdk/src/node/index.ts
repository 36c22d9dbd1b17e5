export { digestAsked } from '../agent/once.ts';
export { ownerOf } from '../agent/owner.ts';
export { createFileStore, type FileStore } from './file-store.ts';
