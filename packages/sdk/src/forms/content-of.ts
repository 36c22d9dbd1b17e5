import type { Content, Field, Form } from './form.ts';
import type { StandardSchema } from './standard-schema.ts';

type ValueOf<F> = F extends { readonly type: 'boolean' }
  ? boolean
  : F extends { readonly type: 'number' | 'integer' }
    ? number
    : F extends { readonly items: infer Items }
      ? readonly ChoiceOf<Items>[]
      : ChoiceOf<F>;

type ChoiceOf<F> = F extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : F extends { readonly [K in 'oneOf' | 'anyOf']?: readonly { readonly const: infer Value }[] }
    ? string extends Value
      ? string
      : Value
    : string;

type RequiredOf<F> = F extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never;

type ContentOfProperties<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]>;
};

/** Shows the members of an intersection as one type. */
type Flat<T> = { [Name in keyof T]: T[Name] };

/**
 * The content of a valid answer: of a form that is written `as const`, or what a Standard Schema gives.
 *
 * @example
 * const form = { type: 'object', properties: { region: { type: 'string', enum: ['eu', 'us'] } }, required: ['region'] } as const;
 * const content: ContentOf<typeof form> = { region: 'eu' };
 */
export type ContentOf<F> =
  F extends StandardSchema<infer Output>
    ? Output
    : F extends { readonly properties: infer Properties extends Readonly<Record<string, Field>> }
      ? F extends Form
        ? string extends keyof Properties
          ? Content
          : Flat<ContentOfProperties<Properties, RequiredOf<F>>>
        : never
      : never;
