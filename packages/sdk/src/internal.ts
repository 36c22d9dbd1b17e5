/** Not public: for the command line, the web app and the adapters of this repository. It changes with any release. */
export { type Asker, askClosable } from './agent/closable-question.ts';
export { digestAsked } from './agent/once.ts';
export { ownerOf } from './agent/owner.ts';
export { awaitedPartsMs } from './client-options.ts';
export { fromBase64, toBase64 } from './crypto/base64.ts';
export { createQueue } from './crypto/queue.ts';
export { isRefusal } from './crypto/refusal.ts';
export { defaultsOf } from './forms/describe-content.ts';
export { parseFormAnswer } from './forms/form-answer.ts';
export { parseExactly } from './forms/parse-exactly.ts';
export { readNumber } from './forms/read-number.ts';
export { hasEnded } from './request-state.ts';
export { isDiff } from './safe/is-diff.ts';
export { block, code, hasHidden, toJson } from './safe/markdown.ts';
export { tellingArgument } from './safe/telling-argument.ts';
export { conversationPrefix, nameBeside } from './store.ts';
export { parseJson } from './transport/shape.ts';
export { withTimeout } from './transport/waiting.ts';
