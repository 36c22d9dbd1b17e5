import { StepError } from '../terminal/failure.ts';
import { isAtLeast } from './find-program.ts';
import { nats } from './nats.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import type { ServerKind } from './server-kind.ts';

export const serverKinds: readonly ServerKind[] = [postgres, redis, nats];

/** A server that the environment names, and that works. */
export interface NamedServer {
  kind: ServerKind;
  url: string;
  version: string;
}

/** Throws one sentence when one of them does not work. Commands call it before anything that takes long. */
export async function checkNamedServers(env: NodeJS.ProcessEnv = process.env): Promise<NamedServer[]> {
  const named = serverKinds.map(async (kind) => {
    const url = env[kind.variable];
    return url ? [{ kind, url, version: await checkNamed(kind, url) }] : [];
  });
  return (await Promise.all(named)).flat();
}

/** Returns the version of a server that the environment names. */
export async function checkNamed(kind: ServerKind, text: string): Promise<string> {
  const { variable, title, minimum } = kind;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || !kind.protocols.includes(url.protocol)) {
    throw new StepError(
      `${variable} is not an address like ${kind.example}. Correct it, or unset it to have ${title} started for you.`,
    );
  }
  const version = await kind.probe(url).catch((error) => {
    throw new StepError(
      `${variable}: ${title} at ${url.host} does not work: ${describeFailure(error)}. Correct it, start that ` +
        `server, or unset ${variable} to have ${title} started for you.`,
      { cause: error },
    );
  });
  if (isAtLeast(version, minimum)) return version;
  throw new StepError(
    `${variable}: ${title} at ${url.host} is ${version}, and ${minimum} or later is needed.`,
  );
}

/** What failed, in the words of the system or of the server. A failure to connect to every address of a host has them only inside. */
export function describeFailure(error: unknown): string {
  const { message, code = '' } = (
    error instanceof AggregateError ? error.errors[0] : error
  ) as NodeJS.ErrnoException;
  return message.replace(/\.$/, '') || code;
}
