/** Bad settings, as sentences that each name the variable, what it was and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
  }
}
