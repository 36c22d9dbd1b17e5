import * as z from 'zod';

export const providerNames = ['github', 'google', 'oidc'] as const;
export type ProviderName = (typeof providerNames)[number];

/** A person whom a provider has identified. */
export interface Identity {
  readonly provider: ProviderName | 'dev' | 'link';
  /** The provider's own id of the account, which never changes and is never reused. */
  readonly subject: string;
  /** The name of the person. */
  readonly name: string;
  /** The account as its owner knows it: a login or an address. */
  readonly label: string;
  /** The name of a GitHub account, which its owner may change. */
  readonly login?: string;
  /** The address to write to, if the provider has verified it. */
  readonly email?: string;
  /** All addresses that the provider states as verified. */
  readonly verifiedEmails: readonly string[];
  /** The groups that an OpenID provider states. */
  readonly groups?: readonly string[];
}

/** The same members as the provider has sent them. They may have any type, length and content. */
export type StatedIdentity = { readonly provider: ProviderName } & {
  readonly [member in Exclude<keyof Identity, 'provider' | 'verifiedEmails'>]?: unknown;
} & { readonly verifiedEmails: readonly unknown[] };

/** In UTF-16 units: the requests service accepts no longer texts. */
const maxTextLength = 320;
const maxEmails = 100;
const maxGroups = 500;

/** Text that is only shown: it is shortened, and loses control characters and halves of surrogate pairs. */
const shownText = z
  .string()
  .transform((text) =>
    text
      .slice(0, maxTextLength)
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
      .trim(),
  )
  .catch('');

/** Text that decides who somebody is. It is accepted unchanged or refused. */
const exactText = z.string().regex(/^[^\s\p{Cc}\p{Cs}]{1,255}$/u);

/** Unlike ids, groups may have names of several words: "authentik Admins". */
const group = z
  .string()
  .max(255)
  .regex(/^[^\s\p{Cc}\p{Cs}]([^\p{Cc}\p{Cs}]*[^\s\p{Cc}\p{Cs}])?$/u);

/** Like an entry of RELAY_ALLOWED_USERS. Without a colon, no address can look like `github:login`. */
const email = z
  .string()
  .max(maxTextLength)
  .regex(/^[^\s@:\p{Cc}\p{Cs}]+@[^\s@:\p{Cc}\p{Cs}]+$/u);

const schema = z
  .object({
    provider: z.enum(providerNames),
    subject: exactText,
    name: shownText,
    label: shownText,
    login: exactText.optional(),
    email: email.optional().catch(undefined),
    verifiedEmails: z.array(z.unknown()).transform((entries) =>
      entries
        .map((entry) => email.safeParse(entry).data)
        .filter((address) => address !== undefined)
        .slice(0, maxEmails),
    ),
    groups: z
      .array(z.unknown())
      .transform((entries) =>
        entries
          .filter((entry) => group.safeParse(entry).success)
          .map(String)
          .slice(0, maxGroups),
      )
      .optional()
      .catch(undefined),
  })
  .transform(({ name, label, login, email, groups, ...identity }): Identity => {
    const shownLabel = label || identity.subject;
    return {
      ...identity,
      name: name || shownLabel,
      label: shownLabel,
      ...(login !== undefined && { login }),
      ...(email !== undefined && { email }),
      ...(groups !== undefined && { groups }),
    };
  });

/** Checks what a provider has sent. All other code relies on this check. */
export function parseIdentity(stated: StatedIdentity): Identity {
  const { data, error } = schema.safeParse(stated);
  if (data) return data;
  // The values are personal data, so the error names only the members.
  const members = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(`The ${stated.provider} account has an unusable ${members}.`);
}
