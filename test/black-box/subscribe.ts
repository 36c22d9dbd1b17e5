import { openStream, type TestStream } from '@expert-relay/testkit';

/** Sends `GET {hub_url}` with this query and these headers. */
export function subscribe(
  hubUrl: string,
  query: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): Promise<TestStream> {
  const url = new URL(hubUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return openStream(url.href, { headers });
}
