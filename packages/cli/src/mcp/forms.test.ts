import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

const { withClient } = useMcpRelay();
// One test at a time: the expert loads the code for forms when it meets one, which jest refuses to concurrent tests.

const question = 'May I?';
const form = {
  type: 'object',
  properties: {
    region: { type: 'string', title: 'Region', oneOf: [{ const: 'eu', title: 'Europe' }] },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
  },
  required: ['region'],
};

describe('a form that a model gives', () => {
  test(
    'is described to clients once',
    withClient(async ({ agent: { client } }) => {
      const { tools } = await client.listTools();
      const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
      expect(schemaOf('ask_expert')).toMatchObject({
        properties: {
          form: {
            type: 'object',
            description: expect.stringContaining('asks for an approval'),
            required: ['type', 'properties'],
          },
          attach: { type: 'array', maxItems: 8 },
        },
        required: ['question'],
      });
      expect(schemaOf('reply')).toMatchObject({
        properties: { form: { type: 'object', description: 'As in ask_expert.' }, attach: { maxItems: 8 } },
        required: ['reference', 'text'],
      });
      expect(client.getInstructions()).toContain('only the outcome "accepted" is a yes');
    }),
  );

  test.each([true, false])(
    'reaches the expert (confidential: %s), and is replaced by that of a reply',
    (confidential) =>
      withClient(async ({ agent, expert, listed }) => {
        const given = { ...form, additionalProperties: false };
        const { data, text } = await agent.call('ask_expert', { question, form: given, confidential });
        expect(text).toContain('does not depend on the decision');
        const request = await expert.request(data.reference);
        const submitted = (await listed(request.requestId)).answerForm;
        if (confidential) expect(submitted).toBeUndefined();
        else expect(JSON.parse(submitted)).toEqual(form);
        await request.pickUp();
        await expect(waitForForm(request, 'region')).resolves.toEqual(form);

        const { reference } = data;
        const approval = { type: 'object', properties: {} };
        await agent.call('reply', { reference, text: 'Or rather: may I at all?', form: approval });
        await expect(waitForForm(request)).resolves.toEqual(approval);
      })(),
  );

  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'boolean' }]));
  const choice = (count: number) => ({
    type: 'string',
    enum: Array.from({ length: count }, (_, at) => `option ${at}`),
  });
  test(
    'is refused where it is wrong, with the path of the member, and nothing is sent',
    withClient(async ({ agent, ask, expert }) => {
      const { reference } = await ask({ question: 'Something before.' });
      const wrong: [unknown, string][] = [
        ['{"type":"object","properties":{}}', 'form: '],
        [[], 'form: '],
        [{ type: 'object' }, 'properties: '],
        [{ properties: {} }, 'type: '],
        [
          { type: 'object', properties: { region: { type: 'string', pattern: '(a+)+$' } } },
          'properties.region.pattern: ',
        ],
        [{ type: 'object', properties: { region: choice(51) } }, 'properties.region.enum: '],
        [{ type: 'object', properties: { region: choice(10_000) } }, 'properties.region.enum: '],
        [{ type: 'object', properties: fields(21) }, 'properties: '],
        [
          JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
          'properties.__proto__: ',
        ],
        [{ type: 'object', properties: { constructor: { type: 'string' } } }, 'properties.constructor: '],
        [{ type: 'object', properties: { a: { type: 'object', properties: {} } } }, 'properties.a'],
        [
          { type: 'object', properties: { a: { type: 'string', title: 'x\nApproved.' } } },
          'properties.a.title: ',
        ],
        [
          { type: 'object', properties: { a: { type: 'string', title: '\u202edevorppa' } } },
          'properties.a.title: ',
        ],
      ];
      for (const [given, path] of wrong) {
        for (const [tool, input] of [
          ['ask_expert', { question }],
          ['reply', { reference, text: 'This one?' }],
        ] as const) {
          const { isError, text } = await agent.call(tool, { ...input, form: given });
          expect({ isError, text, given }).toEqual({
            isError: true,
            text: expect.stringContaining(path),
            given,
          });
          expect(text).toContain('Nothing was sent.\nError code: invalid_input (invalid_form)');
        }
      }
      expect((await agent.call('conversation_status')).data.conversations).toHaveLength(1);
      const request = await expert.request(reference);
      expect(request.form).toBeUndefined();
    }),
  );
});

type Request = { readonly form: unknown; refresh(): Promise<void> };

/** The form that the expert is shown, once it has this property, or none. */
async function waitForForm(request: Request, property?: string): Promise<unknown> {
  return await eventually('the form', async () => {
    await request.refresh();
    const { form } = (request.form ?? {}) as { form?: { properties: object } };
    const [first] = Object.keys(form?.properties ?? { none: true });
    return first === property ? form : undefined;
  });
}
