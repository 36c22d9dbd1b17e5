import { describe, expect, test } from '@jest/globals';
import { document, examplesOf, follow, type Media, operations, published } from '../black-box/document.ts';
import { schemaErrors } from '../black-box/schema-errors.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay();

/** Every object of the document, with its path. */
function* objectsIn(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value))
    yield* objectsIn(member, `${at}/${name.replaceAll('/', '~1')}`);
}

/** The example bodies of an operation. */
function bodiesOf(id: string): readonly object[] {
  const content = operations.find(({ operationId }) => operationId === id)?.requestBody?.content;
  const media = content?.['application/json'];
  return media ? (examplesOf(media) as object[]) : [];
}

/** A copy without members that are undefined, as it is sent. */
const clone = (body: object): object => JSON.parse(JSON.stringify(body));

describe('docs/openapi.yaml', () => {
  test('is OpenAPI 3.1, and every reference can be resolved', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const refs = [...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
    for (const $ref of refs) expect(follow({ $ref })).toBeDefined();
    expect(refs.length).toBeGreaterThan(400);
  });

  test('only the document may be stored by caches', () => {
    const cached = operations.filter(({ responses }) =>
      JSON.stringify(Object.values(responses).map(follow)).includes('DocumentCacheControl'),
    );
    expect(cached.map(({ path }) => path)).toEqual(['/api/openapi.json']);
    const pages = operations.filter(({ responses }) =>
      JSON.stringify(Object.values(responses).map(follow)).includes('PageCacheControl'),
    );
    expect(new Set(pages.flatMap(({ tags }) => tags))).toEqual(new Set(['Pages']));
  });

  test('every operation has its own operationId', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every component is used', () => {
    const text = JSON.stringify(document);
    for (const [kind, members] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(members)) {
        const used = text.includes(`"#/components/${kind}/${name}"`);
        expect({ kind, name, used }).toEqual({ kind, name, used: true });
      }
    }
  });

  describe.each(operations)(
    '$method $path',
    ({ summary, tags, security, parameters = [], requestBody, responses, path }) => {
      test('has a summary, one tag, known security schemes and its path parameters', () => {
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

      test('has examples that are valid', () => {
        for (const { example, schema } of parameters.map(follow))
          expect(schemaErrors(example, schema)).toEqual([]);
        const medias: Media[] = Object.values(requestBody?.content ?? {});
        if (requestBody) expect(medias.every(({ examples }) => examples)).toBe(true);
        for (const [status, response] of Object.entries(responses)) {
          const { content = {} } = follow(response);
          for (const [type, media] of Object.entries(content)) {
            if (type.includes('json') && path !== '/api/openapi.json')
              expect({ status, examples: examplesOf(media).length }).not.toEqual({ status, examples: 0 });
            medias.push(media);
          }
        }
        for (const media of medias) {
          for (const value of examplesOf(media)) expect(schemaErrors(value, media.schema)).toEqual([]);
        }
      });

      test('lists each error under its status', () => {
        for (const [status, response] of Object.entries(responses)) {
          const media = follow(response).content?.['application/problem+json'];
          for (const problem of media ? examplesOf(media) : []) {
            expect(problem).toMatchObject({ status: Number(status) });
          }
        }
      });

      test('allows no unknown members in responses', () => {
        for (const response of Object.values(responses)) {
          for (const [type, media] of Object.entries(follow(response).content ?? {})) {
            if (!type.includes('json') || path === '/api/openapi.json') continue;
            for (const example of examplesOf(media) as object[]) {
              expect(schemaErrors({ ...example, somethingElse: 1 }, media.schema)).not.toEqual([]);
            }
          }
        }
      });
    },
  );
});

describe('the relay and docs/openapi.yaml', () => {
  test('GET /api/openapi.json: returns the document, without what its services read', async () => {
    const { json } = await setup.relay.anonymous.get('/api/openapi.json');
    expect(json).toEqual(published);
    expect(JSON.stringify(json)).not.toContain('x-service');
  });

  describe('the relay refuses what the document forbids:', () => {
    const schemaOf = (id: string) => {
      const content = operations.find(({ operationId }) => operationId === id)?.requestBody?.content;
      return content?.['application/json']?.schema ?? {};
    };
    const { apiKey: _, ...keys } = bodiesOf('submitHelp')[0] as { apiKey: string };
    const [encrypted] = bodiesOf('sendMessage') as { encrypted: object; signature: string }[];

    test.each([
      ['NUL in the question', { ...keys, question: 'a\0b' }],
      ['NUL in the text', { messages: [], plaintext: 'a\0b' }],
      ['NUL in a message', { ...keys, messages: [{ role: 'user', content: '\0' }] }],
      ['NUL in a role', { ...keys, messages: [{ role: '\0', content: 'x' }] }],
      ['an empty text without keys', { messages: [], plaintext: '' }],
      ['neither keys nor text', { messages: [], question: 'x' }],
      ['one of the two keys', { ...keys, consumerSignPubKey: undefined, plaintext: 'x' }],
      ['an empty idempotency key', { ...keys, idempotencyKey: '' }],
    ])('a submit with %s', async (_name, body) => {
      const submitted = { ...body, apiKey: setup.alice.consumer.key };
      expect(schemaErrors(clone(submitted), schemaOf('submitHelp'))).not.toEqual([]);
      expect((await setup.relay.anonymous.post('/api/v1/help', submitted)).status).toBe(400);
    });

    test.each([
      ['an empty signature', { ...encrypted, signature: '' }],
      ['an empty signature and a text', { role: 'provider', plaintext: 'x', signature: '' }],
      ['encrypted without signature', { ...encrypted, signature: undefined }],
      ['signature without encrypted', { ...encrypted, encrypted: undefined, plaintext: 'x' }],
      ['NUL in the text', { role: 'provider', plaintext: '\0' }],
      ['an empty text', { role: 'provider', plaintext: '' }],
      ['no content', { role: 'provider' }],
    ])('a message with %s', async (_name, body) => {
      const { requestId } = await setup.alice.consumer.newRequest();
      expect(schemaErrors(clone(body), schemaOf('sendMessage'))).not.toEqual([]);
      expect((await setup.alice.provider.post(`/api/v1/message/${requestId}`, body)).status).toBe(400);
    });

    test.each([
      ['listRequests', '/api/v1/requests', 'after', ''],
      ['listRequests', '/api/v1/requests', 'limit', ''],
      ['listRequests', '/api/v1/requests', 'status', ''],
      ['listRequests', '/api/v1/requests', 'q', '\0'],
      ['listMessages', '/api/v1/messages/REQUEST', 'after', ''],
      ['listMessages', '/api/v1/messages/REQUEST', 'limit', ''],
    ])('%s with ?%s%s=%s', async (id, path, name, value) => {
      const { requestId } = await setup.alice.consumer.newRequest();
      const parameters = operations.find(({ operationId }) => operationId === id)?.parameters ?? [];
      const schema = parameters.map(follow).find((parameter) => parameter.name === name)?.schema ?? {};
      expect(schemaErrors(value, schema)).not.toEqual([]);
      const target = `${path.replace('REQUEST', requestId)}?${new URLSearchParams({ [name]: value })}`;
      expect((await setup.alice.consumer.get(target)).status).toBe(400);
    });
  });

  test('the relay accepts the example bodies of the document', async () => {
    for (const body of bodiesOf('submitHelp')) {
      expect((await setup.alice.consumer.submit({ ...body, apiKey: setup.alice.consumer.key })).status).toBe(
        201,
      );
    }
    const { requestId } = await setup.alice.consumer.newRequest();
    for (const body of bodiesOf('exchangeKeys')) {
      expect((await setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, body)).status).toBe(200);
    }
    for (const body of bodiesOf('sendMessage')) {
      expect((await setup.alice.provider.post(`/api/v1/message/${requestId}`, body)).status).toBe(201);
    }
  });
});
