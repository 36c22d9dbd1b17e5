export { type ContentProblem, checkContent } from './check-content.ts';
export { parseForm } from './check-form.ts';
export type { ContentOf } from './content-of.ts';
export { describeContent } from './describe-content.ts';
export {
  type BooleanField,
  type ChoiceField,
  type ChoicesField,
  type Content,
  type Field,
  type FieldOption,
  type Form,
  isApproval,
  type NumberField,
  optionsOf,
  type TextField,
} from './form.ts';
export type { FormAnswer } from './form-answer.ts';
export type { StandardSchema } from './standard-schema.ts';
export { toForm } from './to-form.ts';
