export { bareApp } from './bare-app.ts';
export { checkHost } from './check-host.ts';
export { type ClientAddress, createClientAddress, networkOf } from './client-address.ts';
export { createHttpServer, type HttpServer } from './create-http-server.ts';
export { createWindowCounter, type WindowCounter, type WindowState } from './create-window-counter.ts';
export { handleErrors } from './handle-errors.ts';
export type { ConnectionLimit } from './limit-connections.ts';
export { listOf } from './list-of.ts';
export { listen } from './listen.ts';
export {
  answeredStatus,
  type CallLabels,
  createCallRecorder,
  type ObservedCall,
  observeCalls,
} from './observe-calls.ts';
export { parseBody } from './parse-body.ts';
export { parseJson } from './parse-json.ts';
export { parseQuery } from './parse-query.ts';
export { bodyLimit, ClientLeft, hasBody, readBody } from './read-body.ts';
export { checkContentType, readJson } from './read-json.ts';
export { type Answer, type Call, defineRoute, type Route } from './route.ts';
export { sendAnswer } from './send-answer.ts';
export type { Pieces } from './send-pieces.ts';
export { serveRoutes } from './serve-routes.ts';
