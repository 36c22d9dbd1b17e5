/** A form with one choice. */
export const regionForm = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
} as const;
