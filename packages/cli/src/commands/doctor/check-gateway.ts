import { describeWrongAddress, readHealth } from '../../relay/check-address.ts';
import { probe } from '../../relay/probe.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

// Smaller differences do no harm; larger ones make times look wrong.
const toleranceMs = 60_000;

export interface GatewayLook {
  url: string;
  signal: AbortSignal;
  now: () => number;
}

/** Whether the gateway answers and is healthy, how long it takes, and whether the clocks agree. */
export async function checkGateway({ url, signal, now }: GatewayLook): Promise<Finding[]> {
  const before = now();
  const seen = await probe(`${url}/api/health`, { signal });
  if ('trouble' in seen) return [fail('gateway', `${url} ${seen.trouble}`, seen.next)];
  const took = now() - before;
  const health = readHealth(seen);
  if (!health) {
    const { message, next } = await describeWrongAddress(url, seen.status, signal);
    return [fail('gateway', message, next)];
  }
  const { status, version, timestamp } = health;
  const gateway =
    seen.status === 200
      ? ok('gateway', `${url} is up: version ${version}, ${took} ms away`)
      : fail(
          'gateway',
          `${url} says "${status}"`,
          'Try again in a minute. If it does not recover, its operator must repair it.',
        );
  return [gateway, checkProtection(url), checkClock(Date.parse(timestamp), before + took / 2)];
}

function checkProtection(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return ok('transport', 'encrypted (https)');
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    return ok('transport', 'plain http, within this machine');
  return warn(
    'transport',
    'plain http: your key and plain text can be read on the way',
    'Set RELAY_URL to the https address.',
  );
}

function checkClock(theirs: number, ours: number): Finding {
  const seconds = Math.round((ours - theirs) / 1_000);
  if (Math.abs(ours - theirs) <= toleranceMs) return ok('clock', 'agrees with the relay');
  const direction = seconds > 0 ? 'ahead of' : 'behind';
  return warn(
    'clock',
    `${describeSpan(Math.abs(seconds))} ${direction} the relay's`,
    'Set this machine by a time server, such as with: timedatectl set-ntp true',
  );
}

function describeSpan(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3_600)} hours`;
}
