export { type ApiKey, type KeyKind, keyPrefixes, makeApiKey } from './make-api-key.ts';
export { parseApiKey } from './parse-api-key.ts';
