import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The part of OpenAPI that docs/openapi.yaml uses. */
export interface Document {
  readonly openapi: string;
  /** Headers of every response. A response can document its own header of the same name. */
  readonly 'x-every-response': Readonly<Record<string, DocumentedHeader>>;
  /** Responses that every path can give besides those of its operations, by status. */
  readonly 'x-every-path': Readonly<Record<string, DocumentedResponse>>;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, DocumentedHeader>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface Ref {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, DocumentedResponse | Ref>>;
  readonly 'x-key-in-body'?: string;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, DocumentedHeader | Ref>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface DocumentedHeader {
  readonly required?: boolean;
  readonly schema: object;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
  readonly example: unknown;
}

export interface Media {
  readonly schema: Ref;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example | Ref>>;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

const file = new URL('../../docs/openapi.yaml', import.meta.url);

export const document: Document = parse(readFileSync(file, 'utf8'), { maxAliasCount: 0 });

/** The document as the relay publishes it: without what its services read. */
export const published: Document = {
  ...document,
  paths: mapValues(document.paths, (methods) =>
    mapValues(methods, (operation) => {
      const members = Object.entries(operation).filter(([name]) => !name.startsWith('x-'));
      return Object.fromEntries(members) as unknown as Operation;
    }),
  ),
};

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

/** Resolves a reference. Returns anything else unchanged. */
export function follow<T extends object>(value: T | Ref): T {
  if (!('$ref' in value)) return value;
  const names = value.$ref.replace(/^#\//, '').split('/');
  const found = names.reduce<unknown>(
    (parent, name) => (parent as Record<string, unknown> | undefined)?.[name],
    document,
  );
  if (found === undefined) throw new Error(`docs/openapi.yaml has nothing at ${value.$ref}`);
  return found as T;
}

/** The values of all examples of a request body or a response. */
export function examplesOf({ example, examples = {} }: Media): readonly unknown[] {
  const named = Object.values(examples).map((one) => follow(one).value);
  return example === undefined ? named : [example, ...named];
}

export interface NamedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

export const operations: readonly NamedOperation[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
);
