import { converse } from './conversation.ts';

interface Info {
  version: string;
  jetstream?: boolean;
  tls_required?: boolean;
}

/** Signs in as the address says; NATS greets with its version and whether it has JetStream. */
export async function probeNats(url: URL): Promise<string> {
  const nats = await converse(url, { port: 4222, tls: false, within: 8_000 });
  try {
    const greeting = await nats.until(/\r\n/);
    const info = readInfo(greeting);
    if (!info) throw new Error('something else than NATS answers there');
    if (info.tls_required || url.protocol === 'tls:') await nats.secure();
    nats.send(
      `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, ...credentials(url) })}\r\nPING\r\n`,
    );
    const answer = await nats.until(/PONG\r\n|-ERR.*\r\n/);
    const refusal = /-ERR '(.*)'/.exec(answer)?.[1];
    if (refusal) throw new Error(refusal.toLowerCase());
    if (!info.jetstream) throw new Error('its JetStream is off (start nats-server with -js)');
    return info.version;
  } finally {
    nats.close();
  }
}

function readInfo(greeting: string): Info | undefined {
  const json = /^INFO (\{.*\})/.exec(greeting)?.[1];
  return json ? (JSON.parse(json) as Info) : undefined;
}

function credentials(url: URL): Record<string, string> {
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  if (password) return { user, pass: password };
  return user ? { auth_token: user } : {};
}
