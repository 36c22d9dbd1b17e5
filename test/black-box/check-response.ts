import { type DocumentedResponse, document, examplesOf, follow, type NamedOperation } from './document.ts';
import { findOperation, findPath } from './find-operation.ts';
import type { HttpCall, HttpResponse } from './http-call.ts';
import { schemaErrors } from './schema-errors.ts';

/** Headers of HTTP itself. All others must be documented. */
const httpHeaders = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-type',
  'vary',
]);

/** Responses to calls that match no operation. `ForeignOrigin` comes from the dashboard. */
const withoutOperation = [
  'InvalidRequest',
  'ForeignOrigin',
  'NotFound',
  'RequestTimeout',
  'PayloadTooLarge',
  'RateLimited',
  'HeadersTooLarge',
];

/** All differences between a response and docs/openapi.yaml. */
export function checkResponse(call: HttpCall, response: HttpResponse): string[] {
  const own = findOperation(call.method, call.path);
  // With a session, every call of /auth/* is redirected, also of paths that have no operation.
  const isRedirected = /^\/auth\b/.test(call.path) && response.status === 302 && !own?.responses[302];
  const operation = isRedirected ? findOperation('GET', '/auth/login') : own;
  const documented = documentedResponse(call, response, operation);
  if (!documented) return [`the status ${response.status} is not documented`];
  return [
    ...checkHeaders(response, documented, operation),
    ...(call.method === 'HEAD' ? [] : checkBody(response, documented)),
    ...(operation && response.status < 300 && call.method !== 'HEAD' ? checkRequest(call, operation) : []),
  ];
}

function documentedResponse(
  call: HttpCall,
  { status }: HttpResponse,
  operation: NamedOperation | undefined,
): DocumentedResponse | undefined {
  const { responses } = document.components;
  const onEveryPath = document['x-every-path'];
  if (call.method === 'OPTIONS' && status === 204) return onEveryPath[status];
  if (operation) {
    const documented = operation.responses[status];
    return documented && follow(documented);
  }
  // The gateway forwards all of /auth/* to the dashboard, which has pages at only some of these paths.
  const isListed = findPath(call.path) !== undefined || /^\/auth\//.test(call.path);
  if (status === 405 && isListed) return onEveryPath[status];
  const isPage = String(call.headers?.accept).includes('text/html') && !call.path.startsWith('/api/');
  return withoutOperation
    .map((name) => (isPage && responses[`${name}Page`]) || responses[name])
    .find((response) => response && problemsOf(response)[0]?.status === status);
}

interface Problem {
  readonly status: number;
  readonly error: string;
}

/** The errors that a response may contain. The document has an example of each. */
function problemsOf({ content }: DocumentedResponse): readonly Problem[] {
  const media = content?.['application/problem+json'];
  return media ? (examplesOf(media) as Problem[]) : [];
}

function checkHeaders(
  response: HttpResponse,
  documented: DocumentedResponse,
  operation: NamedOperation | undefined,
): string[] {
  const differences: string[] = [];
  const headers = { ...document['x-every-response'], ...documented.headers };
  for (const [name, reference] of Object.entries(headers)) {
    const { required, schema } = follow(reference);
    const value = response.headers[name];
    if (value === undefined) {
      if (required) differences.push(`the header ${name} is missing`);
      continue;
    }
    for (const text of [value].flat()) {
      differences.push(
        ...schemaErrors(text, schema).map((error) => `header ${name} is ${JSON.stringify(text)}: ${error}`),
      );
    }
  }
  for (const name of Object.keys(response.headers)) {
    const isSessionCookie = name === 'set-cookie' && operation?.security.some(({ session }) => session);
    if (!(name in headers) && !httpHeaders.has(name) && !isSessionCookie)
      differences.push(`the header ${name} is not documented`);
  }
  return differences;
}

function checkBody(response: HttpResponse, documented: DocumentedResponse): string[] {
  const { content } = documented;
  if (!content) {
    // Express adds a sentence to a redirect.
    const isRedirect = response.status >= 300 && response.status < 400;
    return response.text === '' || isRedirect
      ? []
      : [`a body is not documented: ${response.text.slice(0, 200)}`];
  }
  const type = response.headers['content-type'] ?? 'no content type';
  const media = content[type.split(';')[0] ?? ''];
  if (!media) return [`the content type ${type} is not documented`];
  const value = type.includes('json') ? response.json : response.text;
  return [
    ...schemaErrors(value, media.schema).map((error) => `body: ${error}\n${response.text.slice(0, 500)}`),
    ...(type.startsWith('application/problem+json') ? checkProblem(response, documented) : []),
  ];
}

function checkProblem(response: HttpResponse, documented: DocumentedResponse): string[] {
  const { status, error, fields } = response.json as Problem & { fields?: unknown };
  const allowed = problemsOf(documented).filter((problem) => problem.status === response.status);
  const differences: string[] = [];
  if (status !== response.status) differences.push(`the body has the status ${status}`);
  if (!allowed.some((problem) => problem.error === error)) {
    differences.push(`the error ${error} has no example at this response: ${response.text.slice(0, 500)}`);
  }
  if (fields !== undefined && error !== 'invalid_request') differences.push(`${error} has \`fields\``);
  return differences;
}

/** The document must allow every call that succeeded. */
function checkRequest(call: HttpCall, operation: NamedOperation): string[] {
  const media = operation.requestBody?.content['application/json'];
  const differences: string[] = [];
  if (media && typeof call.body === 'string' && contentType(call).startsWith('application/json')) {
    differences.push(
      ...schemaErrors(withoutNulls(JSON.parse(call.body)), media.schema).map(
        (error) => `the document forbids this body: ${error}`,
      ),
    );
  }
  const documented = (operation.parameters ?? []).map(follow).filter((parameter) => parameter.in === 'query');
  for (const [name, text] of new URLSearchParams(call.path.split('?')[1])) {
    const schema = documented.find((parameter) => parameter.name === name)?.schema;
    if (!schema) continue;
    const isNumber = (schema as { type?: string }).type === 'integer' && /^\d+$/.test(text);
    const value = isNumber ? Number(text) : text;
    differences.push(
      ...schemaErrors(value, schema).map((error) => `the document forbids ?${name}=${text}: ${error}`),
    );
  }
  return differences;
}

/** The document says for all bodies that `null` counts as missing. */
const withoutNulls = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

const contentType = (call: HttpCall): string => String(call.headers?.['content-type'] ?? '');
