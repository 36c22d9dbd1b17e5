/** A step that cannot go on, told so that whoever sits at the terminal knows what to do next. */
export class StepError extends Error {
  override readonly name = 'StepError';
  /** The last lines of whatever failed. */
  readonly output: readonly string[];

  constructor(message: string, options: { output?: readonly string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.output = options.output ?? [];
  }
}
