import { type ApiDocument, resolve } from './api-document.ts';
import { type Html, html, inline } from './html.ts';

/** The parts of JSON Schema that the document uses and the page shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly unknown[];
}

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The members of an object, and of those in it; each variant of a choice separately; nothing for other values. */
export function renderMembers(document: ApiDocument, value: unknown): Html | false {
  const { oneOf } = resolve<Schema>(document, value);
  if (oneOf) {
    return html`${oneOf.map((variant, index) => {
      const { description = '' } = resolve<Schema>(document, variant);
      return html`<h5>${index === 0 ? 'Either' : 'Or'}: <span>${inline(description)}</span></h5>${renderMembers(document, variant)}`;
    })}`;
  }
  const members = membersOf(document, value);
  return members.length > 0 && html`<dl>${members.map((member) => renderMember(document, member))}</dl>`;
}

function renderMember(document: ApiDocument, { name, schema, required }: Member): Html {
  const inner = renderMembers(document, schema.items ?? schema);
  const { description } = schema;
  return html`<dt><code>${name}</code> <small>${typeOf(document, schema)}${required ? '' : ', optional'}</small></dt>
${(description || inner) && html`<dd>${description && inline(description)}${inner}</dd>`}`;
}

function membersOf(document: ApiDocument, value: unknown): Member[] {
  const { properties = {}, required = [] } = resolve<Schema>(document, value);
  return Object.entries(properties).map(([name, member]) => ({
    name,
    // A description beside a reference is more specific than that of its target.
    schema: { ...resolve<Schema>(document, member), ...(member as Schema) },
    required: required.includes(name),
  }));
}

/** A type in a few words. */
function typeOf(document: ApiDocument, value: unknown): string {
  const schema = resolve<Schema>(document, value);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (schema.items) return `list of ${typeOf(document, schema.items)}`;
  const types = [schema.type ?? 'any JSON'].flat().join(' or ');
  return schema.format ? `${types} (${schema.format})` : types;
}
