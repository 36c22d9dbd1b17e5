import fc from 'fast-check';
import { examplesOf, type NamedOperation } from '../black-box/document.ts';
import { hostileText, hostileValue } from './hostile-values.ts';

type Json = Record<string, unknown>;

/** Bodies of an operation: the document's examples, changed ones, invalid JSON, and random bytes. */
export function hostileBody(operation: NamedOperation | undefined): fc.Arbitrary<string | Buffer> {
  const media = operation?.requestBody?.content['application/json'];
  const examples = media ? (examplesOf(media) as Json[]) : [];
  const example = fc.constantFrom(...(examples.length > 0 ? examples : [{}]));
  const mutated = fc
    .tuple(example, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([value, mutations]) => mutations.reduce((body, apply) => apply(body), structuredClone(value)));
  return fc.oneof(
    { weight: 2, arbitrary: example.map((value) => JSON.stringify(value)) },
    { weight: 8, arbitrary: mutated.map((value) => JSON.stringify(value)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          mutated.map((value) => JSON.stringify(value)),
          textMutation,
        )
        .map(([text, apply]) => apply(text)),
    },
    { weight: 1, arbitrary: hostileValue.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );
}

/** Replaces, removes or adds one member, at the root or deeper. */
const mutation: fc.Arbitrary<(value: Json) => Json> = fc
  .record({
    where: fc.nat(),
    deeper: fc.boolean(),
    how: fc.constantFrom('replace', 'remove', 'add'),
    name: hostileText,
    value: hostileValue,
  })
  .map(
    ({ where, deeper, how, name, value }) =>
      function apply(target: Json): Json {
        const names = Object.keys(target);
        const chosen = names[where % Math.max(names.length, 1)];
        if (how === 'add' || chosen === undefined) return setMember(target, name, value);
        const inner = target[chosen];
        if (deeper && typeof inner === 'object' && inner !== null)
          return setMember(target, chosen, apply(inner as Json));
        if (how === 'replace') return setMember(target, chosen, value);
        const { [chosen]: _removed, ...rest } = target;
        return rest;
      },
  );

/** Uses defineProperty, so that `__proto__` becomes an ordinary member. */
function setMember(target: Json, name: string, value: unknown): Json {
  const copy = (Array.isArray(target) ? [...target] : { ...target }) as Json;
  return Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Changes the text of JSON. */
const textMutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.tuple(fc.nat(), hostileText).map(
    ([at, piece]) =>
      (text: string) =>
        text.slice(0, at % (text.length + 1)) + piece + text.slice(at % (text.length + 1)),
  ),
  fc.constant((text: string) => text.replace(/"[^"]*"/, '1e400')),
  fc.constant((text: string) => text.replace('{', '{"a":1,"a":2,')),
  fc.constant((text: string) => text + text),
  fc.constant((text: string) => `[${text}]`),
  fc.constant((text: string) => `\ufeff${text}`),
);
