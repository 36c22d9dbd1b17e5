import { z } from 'zod';

/** A person, as a provider has identified them. */
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

/** The same members as a provider has sent them: of any type, length and content. */
export type StatedIdentity = { readonly provider: 'github' | 'google' } & {
  readonly [member in Exclude<keyof Identity, 'provider' | 'verifiedEmails'>]?: unknown;
} & { readonly verifiedEmails: readonly unknown[] };

/** UTF-16 units that the requests service accepts. A session keeps these texts as well. */
const longestText = 320;
const mostEmails = 100;

/** Text that is shown only: shortened, and without control characters and halves of surrogate pairs. */
const shownText = z
  .string()
  .transform((text) =>
    text
      .slice(0, longestText)
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
      .trim(),
  )
  .catch('');

/** Text that decides who somebody is: accepted unchanged or not at all. */
const exactText = z.string().regex(/^[^\s\p{Cc}\p{Cs}]{1,255}$/u);

/** As an entry of RELAY_ALLOWED_USERS: without the colon, an address is never taken for `github:login`. */
const email = z
  .string()
  .max(longestText)
  .regex(/^[^\s@:\p{Cc}\p{Cs}]+@[^\s@:\p{Cc}\p{Cs}]+$/u);

const schema = z
  .object({
    provider: z.enum(['github', 'google']),
    subject: exactText,
    name: shownText,
    label: shownText,
    login: exactText.optional(),
    email: email.optional().catch(undefined),
    verifiedEmails: z.array(z.unknown()).transform((entries) =>
      entries
        .map((entry) => email.safeParse(entry).data)
        .filter((address) => address !== undefined)
        .slice(0, mostEmails),
    ),
  })
  .transform(({ name, label, login, email, ...identity }): Identity => {
    const shownLabel = label || identity.subject;
    return {
      ...identity,
      name: name || shownLabel,
      label: shownLabel,
      ...(login !== undefined && { login }),
      ...(email !== undefined && { email }),
    };
  });

/** Checks what a provider has sent, so that everything behind this can rely on it. */
export function parseIdentity(stated: StatedIdentity): Identity {
  const { data, error } = schema.safeParse(stated);
  if (data) return data;
  // The values themselves are personal data: the log gets the names only.
  const members = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(`The ${stated.provider} account has an unusable ${members}.`);
}
