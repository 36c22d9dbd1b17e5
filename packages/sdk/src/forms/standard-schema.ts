/** A schema of any library that follows standardschema.dev and gives JSON Schema, such as zod from 4.2 on. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Some libraries make their schemas functions. */
export const isStandardSchema = (schema: unknown): schema is StandardSchema => '~standard' in Object(schema);
