import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { document } from './document.ts';

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  allErrors: true,
  validateFormats: true,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    uri: (text: string) => URL.canParse(text),
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  },
});
// JSON Schema has no components: all schemas become definitions of one schema.
ajv.addSchema(asJsonSchema({ $id: 'relay', $defs: document.components.schemas }));

const compiled = new Map<string, ValidateFunction>();

/** The errors of a value against a schema of docs/openapi.yaml. Empty if the value is valid. */
export function schemaErrors(value: unknown, schema: object): string[] {
  const name = JSON.stringify(schema);
  const validate = compiled.get(name) ?? ajv.compile(asJsonSchema(schema));
  compiled.set(name, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`,
  );
}

function asJsonSchema(schema: object): AnySchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"relay#/$defs/'));
}
