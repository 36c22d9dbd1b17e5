/** Somebody for whom a provider has vouched. */
export interface Identity {
  readonly provider: 'github' | 'google' | 'dev' | 'link';
  /** The provider's own id of the account, which never changes and is never reused. */
  readonly subject: string;
  /** How the person is called. */
  readonly name: string;
  /** The account as its owner knows it: a login or an address. */
  readonly label: string;
  /** The name of a GitHub account, which its owner may change. */
  readonly login?: string;
  /** The address to write to, if the provider has verified it. */
  readonly email?: string;
  /** All addresses that the provider states as verified. */
  readonly verifiedEmails: readonly string[];
}
