import type { Answer, Ask } from './ask.ts';
import { type DocumentedResponse, document, follow, type NamedOperation } from './document.ts';
import { findOperation, findPath } from './find-operation.ts';
import { faultsOf } from './validate.ts';

/** HTTP's own. All other headers must be documented. */
const ofHttp = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-type',
  'vary',
]);

/** What is said to calls that are no operation; of a foreign page, by the dashboard. */
const anywhere = [
  'InvalidRequest',
  'ForeignOrigin',
  'NotFound',
  'MethodNotAllowed',
  'RequestTimeout',
  'PayloadTooLarge',
  'RateLimited',
  'HeadersTooLarge',
];

/** Everything in which an answer differs from what docs/openapi.yaml says of it. */
export function checkAnswer(ask: Ask, answer: Answer): string[] {
  // Whoever is signed in is led away from all of /auth/*, however it is called.
  const isLedAway = /^\/auth\b/.test(ask.path) && answer.status === 302;
  const operation = isLedAway ? findOperation('GET', '/auth/login') : findOperation(ask.method, ask.path);
  const documented = documentedResponse(ask, answer, operation);
  if (!documented) return [`the status ${answer.status} is not documented`];
  return [
    ...checkHeaders(answer, documented, operation),
    ...(ask.method === 'HEAD' ? [] : checkBody(answer, documented)),
    ...(operation && answer.status < 300 && ask.method !== 'HEAD' ? checkRequest(ask, operation) : []),
  ];
}

function documentedResponse(
  ask: Ask,
  { status }: Answer,
  operation: NamedOperation | undefined,
): DocumentedResponse | undefined {
  const { responses } = document.components;
  if (ask.method === 'OPTIONS' && status === 204) return responses.Preflight;
  if (operation) {
    const documented = operation.responses[status];
    return documented && follow(documented);
  }
  return (
    anywhere
      // A parameter may be written so that the path is none: then there is nothing there.
      .filter((name) => name !== 'MethodNotAllowed' || findPath(ask.path))
      .map((name) => responses[name])
      .find((response) => response && statusOf(response) === status)
  );
}

function statusOf({ content }: DocumentedResponse): unknown {
  const example = content?.['application/problem+json']?.example as { status: unknown } | undefined;
  return example?.status;
}

function checkHeaders(
  answer: Answer,
  documented: DocumentedResponse,
  operation: NamedOperation | undefined,
): string[] {
  const faults: string[] = [];
  for (const [name, reference] of Object.entries(documented.headers)) {
    const { required, schema } = follow(reference);
    const value = answer.headers[name];
    if (value === undefined) {
      if (required) faults.push(`the header ${name} is missing`);
      continue;
    }
    for (const text of [value].flat()) {
      faults.push(
        ...faultsOf(text, schema).map((fault) => `header ${name} is ${JSON.stringify(text)}: ${fault}`),
      );
    }
  }
  for (const name of Object.keys(answer.headers)) {
    const isSessions = name === 'set-cookie' && operation?.security.some(({ session }) => session);
    if (!(name in documented.headers) && !ofHttp.has(name) && !isSessions)
      faults.push(`the header ${name} is not documented`);
  }
  return faults;
}

function checkBody(answer: Answer, { content }: DocumentedResponse): string[] {
  if (!content) {
    // A redirect may say so in words.
    const isRedirect = answer.status >= 300 && answer.status < 400;
    return answer.text === '' || isRedirect ? [] : [`a body is not documented: ${answer.text.slice(0, 200)}`];
  }
  const type = answer.headers['content-type'] ?? 'no content type';
  const media = content[type.split(';')[0] ?? ''];
  if (!media) return [`the content type ${type} is not documented`];
  const value = type.includes('json') ? answer.json : answer.text;
  return faultsOf(value, media.schema).map((fault) => `body: ${fault}\n${answer.text.slice(0, 500)}`);
}

/** A call that was served must be one that the document allows, or the document is too narrow. */
function checkRequest(ask: Ask, operation: NamedOperation): string[] {
  const media = operation.requestBody?.content['application/json'];
  const faults: string[] = [];
  if (media && typeof ask.body === 'string' && contentType(ask).startsWith('application/json')) {
    faults.push(
      ...faultsOf(JSON.parse(ask.body), media.schema).map(
        (fault) => `the document forbids this body: ${fault}`,
      ),
    );
  }
  const documented = (operation.parameters ?? []).map(follow).filter((parameter) => parameter.in === 'query');
  for (const [name, text] of new URLSearchParams(ask.path.split('?')[1])) {
    const schema = documented.find((parameter) => parameter.name === name)?.schema;
    if (!schema) continue;
    const value = (schema as { type?: string }).type === 'integer' ? Number(text) : text;
    faults.push(...faultsOf(value, schema).map((fault) => `the document forbids ?${name}=${text}: ${fault}`));
  }
  return faults;
}

const contentType = (ask: Ask): string => String(ask.headers?.['content-type'] ?? '');
