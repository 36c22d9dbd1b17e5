import { StepError } from './step-error.ts';

/** A command line that asks for nothing that there is: it says what there is. */
export class UsageError extends StepError {}
