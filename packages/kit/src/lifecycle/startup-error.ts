/** A start that cannot succeed, told in one sentence that an operator can act on. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
