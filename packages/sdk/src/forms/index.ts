export { type ContentProblem, checkContent } from './check-content.ts';
export { checkForm, parseForm } from './check-form.ts';
export type { ContentOf } from './content-of.ts';
export {
  type CountedAnswer,
  type DecisionState,
  decide,
  type GivenAnswer,
  readAnswer,
  readForm,
  type Standing,
} from './decide.ts';
export { defaultsOf, describeContent } from './describe-content.ts';
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
export { type FormAnswer, parseFormAnswer } from './form-answer.ts';
export { parseExactly } from './parse-exactly.ts';
export { readNumber, type TypedNumber } from './read-number.ts';
export type { StandardSchema } from './standard-schema.ts';
export { readContent, toForm } from './to-form.ts';
