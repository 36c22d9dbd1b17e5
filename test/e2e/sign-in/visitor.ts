import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/** A browser: it keeps the cookies of each origin. */
export interface Visitor {
  get(url: string, headers?: Record<string, string>): Promise<Visit>;
  post(url: string, form: Record<string, string>): Promise<Visit>;
  /** A call of a script in the page, with a JSON body. */
  call(method: string, url: string, json?: unknown): Promise<Visit>;
  /** Opens a URL, follows redirects, fills in sign-in pages with `account`, and returns the last response. */
  follow(url: string, account?: string): Promise<Visit>;
  /** The Cookie header for the relay. */
  cookies(): string;
  setCookies(header: string): void;
}

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly setCookies: readonly string[];
  readonly text: string;
  readonly json: ReturnType<typeof JSON.parse>;
}

const maxRedirects = 12;

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Does not use `fetch`, which sets `Sec-Fetch-Mode` itself. */
async function sendRequest(url: string, { method = 'GET', headers = {}, body }: Call) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).once('error', reject).end(body);
  });
  const lines = new Headers();
  for (let at = 0; at < response.rawHeaders.length; at += 2) {
    lines.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '');
  }
  return { status: response.statusCode ?? 0, headers: lines, text: await readText(response) };
}

export function createVisitor(relayUrl: string, ownHeaders: Record<string, string> = {}): Visitor {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const headerOf = (jar: Map<string, string>) =>
    [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

  async function send(target: string, call: Call = {}): Promise<Visit> {
    const url = new URL(target, relayUrl).href;
    const jar = jarOf(url);
    const cookie = jar.size > 0 ? { cookie: headerOf(jar) } : {};
    const response = await sendRequest(url, {
      ...call,
      headers: { ...ownHeaders, ...call.headers, ...cookie },
    });
    const setCookies = response.headers.getSetCookie();
    for (const line of setCookies) {
      const [name = '', value = ''] = line.split(';')[0]?.split(/=(.*)/s) ?? [];
      if (/Expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const { text } = response;
    return {
      ...response,
      url,
      setCookies,
      get json() {
        return JSON.parse(text);
      },
    };
  }

  const sendForm = (url: string, form: Record<string, string>) =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    });

  const get: Visitor['get'] = (url, headers = {}) =>
    send(url, { headers: { accept: 'text/html', ...headers } });

  return {
    get,
    post: (url, form) => sendForm(url, form),
    call: (method, url, json) =>
      send(url, {
        method,
        ...(json !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(json),
        }),
      }),
    async follow(url, account = 'ada') {
      let visit = await get(url);
      for (let step = 0; step < maxRedirects; step++) {
        const location = visit.headers.get('location');
        if (location) visit = await get(new URL(location, visit.url).href);
        else if (visit.url.includes('/interaction/')) {
          const form = account === '' ? { decision: 'deny' } : { decision: 'allow', account };
          visit = await sendForm(visit.url, form);
        } else return visit;
      }
      throw new Error(`More than ${maxRedirects} redirects, the last to ${visit.url}.`);
    },
    cookies: () => headerOf(jarOf(relayUrl)),
    setCookies(header) {
      const jar = jarOf(relayUrl);
      jar.clear();
      for (const pair of header.split('; ')) {
        const [name = '', value = ''] = pair.split(/=(.*)/s);
        if (name) jar.set(name, value);
      }
    },
  };
}
