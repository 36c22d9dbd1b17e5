export { type ClientAddress, createClientAddress, networkOf } from './client-address.ts';
export { createHttpServer, type HttpServer, listen } from './create-http-server.ts';
export { createLineLevel, type LineLevel } from './create-line-level.ts';
export { createWindowCounter, type WindowCounter, type WindowState } from './create-window-counter.ts';
export { type Cursor, formatCursor, isTime, parseCursor } from './cursor.ts';
export { checkHost } from './guard-connections.ts';
export { handleErrors } from './handle-errors.ts';
export { isRead } from './is-read.ts';
export { jsonText } from './json-text.ts';
// How calls are counted: at the same time by `KeyedCounter`, in a minute by `createWindowCounter`. `queuePerUser` lets
// what is too much wait.
export { KeyedCounter } from './keyed-counter.ts';
export type { ConnectionLimit } from './limit-connections.ts';
export {
  type CallLabels,
  createCallRecorder,
  finalStatus,
  type ObservedCall,
  observeCalls,
} from './observe-calls.ts';
export { listOf, parseBody, parseQuery } from './parse-body.ts';
export { parseJson } from './parse-json.ts';
export { preflightHeaders } from './preflight-headers.ts';
export { bodyLimit, ClientLeft, checkContentType, hasBody, readBody, readJson } from './read-body.ts';
export { requireCaller } from './require-caller.ts';
export { type Pieces, type RouteResponse, sendResponse } from './send-response.ts';
export { bareApp, type Call, defineRoute, mountRoutes, type Route, serveRoutes } from './serve-routes.ts';
export { base64Schema, optionalTextUpTo, pageSchema, rotationSchema, timeSchema } from './shared-schemas.ts';
export { uuidFrom, uuidPattern } from './uuid-from.ts';
