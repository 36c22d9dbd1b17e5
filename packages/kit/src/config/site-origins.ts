/**
 * The origins that are this site: that of RELAY_PUBLIC_URL and, where its host is a loopback name, the other
 * loopback names with the same scheme and port.
 */
export function siteOrigins(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl);
  if (!isLoopback(hostname)) return [origin];
  const names = [hostname, 'localhost', '127.0.0.1', '[::1]'];
  return [...new Set(names.map((name) => new URL(`${protocol}//${name}:${port}`).origin))];
}

/** Whether a host name or an address to listen on can be reached from this machine alone. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
