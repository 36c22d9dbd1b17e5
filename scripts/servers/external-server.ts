import { StepError } from '../terminal/step-error.ts';
import type { ServerKind } from './server-kind.ts';
import { isAtLeast } from './version.ts';

/** Checks a server that the environment names; answers its version. */
export async function checkExternal(kind: ServerKind, text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || !kind.protocols.includes(url.protocol)) {
    throw new StepError(
      `${kind.variable} is not an address like ${kind.example}. Correct it, or unset it to have ${kind.title} started for you.`,
    );
  }
  let version: string;
  try {
    version = await kind.probe(url);
  } catch (error) {
    throw new StepError(
      `${kind.variable}: ${kind.title} at ${url.host} does not work: ${plainly(error)}. Correct it, start that ` +
        `server, or unset ${kind.variable} to have ${kind.title} started for you.`,
      { cause: error },
    );
  }
  if (isAtLeast(version, kind.minimum)) return version;
  throw new StepError(
    `${kind.variable}: ${kind.title} at ${url.host} is ${version}, and ${kind.minimum} or later is needed.`,
  );
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
};

/** One clause about what failed; never the address itself, which may carry a password. */
function plainly(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', message = 'unknown error' } = first as NodeJS.ErrnoException;
  return reasons[code] ?? message.replaceAll(/\.$/g, '');
}
