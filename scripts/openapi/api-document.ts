/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  /** Answers of every path, by status. */
  readonly 'x-every-path': Readonly<Record<string, Response>>;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Media {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

/** The target of a reference; anything else is returned as it is. */
export function resolve<T>(document: ApiDocument, value: unknown): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as T;
  const [, , kind = '', name = ''] = $ref.split('/');
  return document.components[kind]?.[name] as T;
}
