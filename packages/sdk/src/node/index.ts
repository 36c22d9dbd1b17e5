export { digestAsked } from '../agent/once.ts';
export { createFileStore, type FileStore } from './file-store.ts';
