import { describe, expect, test } from '@jest/globals';
import { document, follow, type Media, operations } from '../black-box/document.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { faultsOf } from '../black-box/validate.ts';

const here = useRelay();

/** Every object of the document, with the way to it. */
function* walk(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value))
    yield* walk(member, `${at}/${name.replaceAll('/', '~1')}`);
}

describe('docs/openapi.yaml', () => {
  test('is OpenAPI 3.1 and every reference leads somewhere', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const refs = [...walk(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
    for (const $ref of refs) expect(follow({ $ref })).toBeDefined();
    expect(refs.length).toBeGreaterThan(500);
  });

  test('names every operation once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('uses everything that it defines', () => {
    const text = JSON.stringify(document);
    const edge = ['MethodNotAllowed', 'Preflight'];
    for (const [kind, members] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(members)) {
        const used = text.includes(`"#/components/${kind}/${name}"`) || edge.includes(name);
        expect({ kind, name, used }).toEqual({ kind, name, used: true });
      }
    }
  });

  describe.each(operations)(
    '$method $path',
    ({ summary, tags, security, parameters = [], requestBody, responses, path }) => {
      test('says what it is, who may call it, and what its path names', () => {
        expect(summary).toMatch(/^[A-Z][^.]+$/);
        expect(tags).toHaveLength(1);
        for (const scheme of security.flatMap((one) => Object.keys(one))) {
          expect(document.components.securitySchemes).toHaveProperty([scheme]);
        }
        const inPath = parameters
          .map(follow)
          .filter((parameter) => parameter.in === 'path')
          .map(({ name }) => name);
        expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      });

      test('has examples that fit', () => {
        for (const { example, schema } of parameters.map(follow))
          expect(faultsOf(example, schema)).toEqual([]);
        const medias: Media[] = Object.values(requestBody?.content ?? {});
        if (requestBody) expect(medias.every(({ examples }) => examples)).toBe(true);
        for (const [status, response] of Object.entries(responses)) {
          const { content = {} } = follow(response);
          for (const [type, media] of Object.entries(content)) {
            if (type.includes('json') && path !== '/api/openapi.json')
              expect({ status, ...media }).toHaveProperty('example');
            medias.push(media);
          }
        }
        for (const { schema, example, examples = {} } of medias) {
          const given = [
            ...(example === undefined ? [] : [example]),
            ...Object.values(examples).map(({ value }) => value),
          ];
          for (const value of given) expect(faultsOf(value, schema)).toEqual([]);
        }
      });

      test('describes answers strictly: no member beyond those that are named', () => {
        for (const response of Object.values(responses)) {
          for (const [type, { schema }] of Object.entries(follow(response).content ?? {})) {
            if (!type.includes('json') || path === '/api/openapi.json') continue;
            expect(faultsOf({ ...exampleOf(response), somethingElse: 1 }, schema)).not.toEqual([]);
          }
        }
      });
    },
  );

  const exampleOf = (response: Parameters<typeof follow>[0]) =>
    Object.values((follow(response) as { content?: Record<string, Media> }).content ?? {})[0]
      ?.example as object;
});

describe('the relay', () => {
  test('serves the document as JSON', async () => {
    const { json } = await here.relay.nobody.get('/api/openapi.json');
    const published = Object.entries(document).filter(([name]) => !name.startsWith('x-'));
    expect(json).toEqual(Object.fromEntries(published));
  });

  test('shows it as a page whose style comes from the relay itself', async () => {
    const { text } = await here.relay.nobody.get('/docs');
    for (const { operationId } of operations) expect(text).toContain(`id="${operationId}"`);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
    expect((await here.relay.nobody.get(style)).headers['content-type']).toMatch(/^text\/css/);
  });

  test('takes the bodies that the document gives as examples', async () => {
    const bodyOf = (id: string) => {
      const content = operations.find(({ operationId }) => operationId === id)?.requestBody?.content;
      return Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => value as object);
    };
    for (const body of bodyOf('submitHelp')) {
      expect((await here.alice.consumer.submit({ ...body, apiKey: here.alice.consumer.key })).status).toBe(
        201,
      );
    }
    const { requestId } = await here.alice.consumer.newRequest();
    for (const body of bodyOf('exchangeKeys')) {
      expect((await here.alice.provider.post(`/api/v1/key-exchange/${requestId}`, body)).status).toBe(200);
    }
    for (const body of bodyOf('sendMessage')) {
      expect((await here.alice.provider.post(`/api/v1/message/${requestId}`, body)).status).toBe(201);
    }
  });
});
