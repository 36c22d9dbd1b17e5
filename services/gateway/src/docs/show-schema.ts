import { type ApiDocument, resolve } from './api-document.ts';
import { type Html, html } from './html.ts';
import { inline } from './prose.ts';

/** What of JSON Schema the document uses. */
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
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
}

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The members of an object, one in a row; nothing for what is no object. */
export function showMembers(document: ApiDocument, value: unknown): Html | undefined {
  const members = membersOf(document, value);
  if (members.length === 0) return undefined;
  return html`<dl>${members.map(
    ({ name, schema, required }) =>
      html`<dt><code>${name}</code> <small>${typeOf(document, schema)}${
        required ? '' : ', optional'
      }</small></dt>${schema.description && html`<dd>${inline(schema.description)}</dd>`}`,
  )}</dl>`;
}

function membersOf(document: ApiDocument, value: unknown): Member[] {
  const { properties = {}, required = [], allOf = [] } = resolve<Schema>(document, value);
  const own = Object.entries(properties).map(([name, member]) => ({
    name,
    // What stands beside a reference says more than what it stands for.
    schema: { ...resolve<Schema>(document, member), ...(member as Schema) },
    required: required.includes(name),
  }));
  return [...own, ...allOf.flatMap((part) => membersOf(document, part))];
}

/** A type in a few words. */
function typeOf(document: ApiDocument, value: unknown): string {
  const schema = resolve<Schema>(document, value);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (schema.anyOf && !schema.type) return schema.anyOf.map((one) => typeOf(document, one)).join(' or ');
  if (schema.items) return `list of ${typeOf(document, schema.items)}`;
  const types = [schema.type ?? 'any JSON'].flat().join(' or ');
  return schema.format ? `${types} (${schema.format})` : types;
}
