/** The push services of browsers. A name with `*.` stands for all names below it. */
const knownHosts = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.notify.windows.com',
  '*.push.apple.com',
];

/** Whether a host belongs to a push service: to a known one, or to one that the operator has added. */
export function createPushHosts(added: readonly string[]): (hostname: string) => boolean {
  const hosts = [...knownHosts, ...added];
  return (hostname) =>
    hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host));
}
