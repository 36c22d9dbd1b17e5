import type { IncomingMessage } from 'node:http';
import { formatTopic, parseStartPosition, parseTopic } from '@expert-relay/contracts';
import { type FieldError, Problem } from '@expert-relay/kit/problem';
import { parsePosition, type StartFrom, unknownPosition } from '../events/position.ts';

const maxTopics = 100;

/** Reads the topics of a call, without duplicates. */
export function readTopics(query: URLSearchParams): readonly string[] {
  const given = query.getAll('topic');
  if (given.length === 0) {
    refuse({
      path: 'topic',
      code: 'required',
      message:
        'Expected a topic such as ?topic=/svc/requests/{requestId}; several by repeating the parameter.',
    });
  }
  if (given.length > maxTopics) {
    refuse({ path: 'topic', code: 'size', message: `Expected at most ${maxTopics} topics.` });
  }
  const topics = given.map((text, index) => {
    const topic = parseTopic(text);
    return topic
      ? copyOf(formatTopic(topic))
      : refuse({ path: `topic[${index}]`, code: 'format', message: expectedTopics });
  });
  return [...new Set(topics)];
}

const expectedTopics =
  'Expected /svc/requests/{requestId}, /svc/providers/{userId} or /svc/providers/{userId}/activity, with whole ids.';

function refuse(field: FieldError): never {
  throw new Problem('invalid_request', { fields: [field] });
}

/** A substring would keep the whole query, which may have a token, in memory for as long as the stream is open. */
function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/**
 * Where a stream starts; undefined to begin now. The header takes precedence, since a browser that reconnects sends the query
 * of its first call, and the newest position in the header.
 */
export function readStartFrom(request: IncomingMessage, query: URLSearchParams): StartFrom | undefined {
  const header = request.headers['last-event-id'];
  const text = (header && String(header)) || query.get('lastEventId') || query.get('last_event_id');
  if (!text) return undefined;
  if (text === 'earliest') return 'earliest';
  const since = parseStartPosition(text);
  if (since !== undefined) return { since };
  return parsePosition(text) ?? unknownPosition;
}
