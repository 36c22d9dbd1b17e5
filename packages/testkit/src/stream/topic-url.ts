/** Where a topic of a hub is subscribed to. */
export function topicUrl(hubUrl: string, topic: string): string {
  const url = new URL(hubUrl);
  url.searchParams.set('topic', topic);
  return url.href;
}
