import {
  type ApiDocument,
  type Example,
  type Media,
  type Operation,
  type Response,
  resolve,
} from './api-document.ts';
import { type Html, html, inline, prose } from './html.ts';
import { renderMembers } from './render-members.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
}

/** One call: folded up, it is a line; opened, everything that is known of it. */
export function renderOperation(
  document: ApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const { operationId, summary, description, requestBody, parameters = [], responses } = operation;
  return html`<details id="${operationId}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> <span>${inline(summary)}</span></summary>
${description && prose(description)}
<p>${credentials(operation)}</p>
${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map((one) => renderParameter(resolve(document, one)))}</dl>`}
${requestBody && html`<h4>Body</h4>${renderBody(document, requestBody.content)}`}
<h4>Answers</h4>
${Object.entries(responses).map(([status, response]) => renderResponse(document, status, resolve(document, response)))}
</details>`;
}

const credentialNames: Readonly<Record<string, string>> = {
  consumerKey: 'a consumer key',
  providerKey: 'a provider key',
  session: 'a session',
};

function credentials({ security }: Operation): string {
  const names = security.flatMap((one) => Object.keys(one).map((name) => credentialNames[name] ?? name));
  if (names.length === 0) return 'Needs no key in the header.';
  const isOptional = security.some((one) => Object.keys(one).length === 0);
  return `${isOptional ? 'Takes' : 'Needs'} ${names.join(' or ')}${isOptional ? ', or nothing' : ''}.`;
}

const renderParameter = (parameter: Parameter): Html =>
  html`<dt><code>${parameter.name}</code> <small>${parameter.in}${parameter.required ? '' : ', optional'}</small></dt>
<dd>${inline(parameter.description)}</dd>`;

function renderBody(document: ApiDocument, content: Readonly<Record<string, Media>>): Html {
  const [media] = Object.values(content);
  const examples = Object.values(media?.examples ?? {}).map((one) => resolve<Example>(document, one));
  return html`${media && renderMembers(document, media.schema)}
${examples.map(({ summary, value }) => html`<h5>${summary}</h5>${renderJson(value)}`)}`;
}

function renderResponse(
  document: ApiDocument,
  status: string,
  { description, content = {} }: Response,
): Html {
  const [media] = Object.values(content);
  const isError = Number(status) >= 400;
  const codes = isError ? Object.keys(media?.examples ?? {}) : [];
  const links = codes.map((code) => html` <a href="#${code}"><code>${code}</code></a>`);
  return html`<h5>${status} <span>${inline(description)}${links}</span></h5>
${!isError && media && renderMembers(document, media.schema)}
${!isError && media?.example !== undefined && renderJson(media.example)}`;
}

const renderJson = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
