/** The question was kept under this id, and may or may not have arrived. Going on with it asks it once at most. */
export class AskFailure extends Error {
  override readonly name = 'AskFailure';
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.id = id;
  }
}
