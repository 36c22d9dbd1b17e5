/** The ports that are open to the outside. */
export type Port = 'gateway' | 'hub';

/** One step of a connection. The connection is closed after its last step. */
export type Step =
  | { readonly does: 'send'; readonly bytes: Buffer }
  /** Sends a few bytes at a time, with a pause after each piece. */
  | { readonly does: 'trickle'; readonly bytes: Buffer; readonly size: number; readonly everyMs: number }
  | { readonly does: 'wait'; readonly ms: number }
  /** Waits until the peer ends the connection, but not longer than `withinMs`. */
  | { readonly does: 'wait for the end'; readonly withinMs: number }
  | { readonly does: 'stop reading' }
  | { readonly does: 'read slowly'; readonly size: number; readonly everyMs: number }
  | { readonly does: 'half-close' }
  | { readonly does: 'reset' };

/** A connection of the attack, from its first byte to its last. */
export interface Connection {
  readonly index: number;
  /** The loopback address that it comes from. */
  readonly from: string;
  readonly to: Port;
  readonly title: string;
  readonly steps: readonly Step[];
}

/** What an attacker knows: credentials and ids. It changes from run to run, so it is an input of each connection. */
export interface Knowledge {
  readonly gatewayHost: string;
  readonly hubHost: string;
  readonly userId: string;
  /** All keys of the attacker's user, as many as one user may have. The requests belong to the first consumer key. */
  readonly consumerKeys: readonly string[];
  readonly providerKeys: readonly string[];
  readonly cookie: string;
  readonly streamToken: string;
  /** The attacker's requests; the first has a conversation of many megabytes. */
  readonly requestIds: readonly string[];
  readonly refCodes: readonly string[];
}

/** The connection as text. Apart from the credentials, it can be sent again by hand. */
export function describeConnection({ index, from, to, title, steps }: Connection): string {
  return [`connection ${index}, from ${from} to the ${to}: ${title}`, ...steps.map(describeStep)].join('\n');
}

const mostShown = 2_000;

function describeStep(step: Step): string {
  switch (step.does) {
    case 'send':
      return `  send ${step.bytes.length} bytes: ${show(step.bytes)}`;
    case 'trickle':
      return `  send ${step.size} bytes every ${step.everyMs} ms: ${show(step.bytes)}`;
    case 'wait':
      return `  wait ${step.ms} ms`;
    case 'wait for the end':
      return `  wait up to ${step.withinMs} ms for the peer to end the connection`;
    case 'read slowly':
      return `  from here on read ${step.size} bytes every ${step.everyMs} ms`;
    default:
      return `  ${step.does}`;
  }
}

function show(bytes: Buffer): string {
  const text = JSON.stringify(bytes.subarray(0, mostShown).toString('latin1'));
  return bytes.length > mostShown ? `${text} and ${bytes.length - mostShown} bytes more` : text;
}
