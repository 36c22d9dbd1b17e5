import { formatTopic, parseTopic } from '@expert-relay/contracts';
import { type FieldError, Problem } from '@expert-relay/kit/problem';

const maxTopics = 100;

/** The topics that a call names, each once, in their one spelling. */
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
      ? keepApart(formatTopic(topic))
      : refuse({ path: `topic[${index}]`, code: 'format', message: forms });
  });
  return [...new Set(topics)];
}

const forms =
  'Expected /svc/requests/{requestId}, /svc/providers/{userId} or /svc/providers/{userId}/activity, with whole ids.';

function refuse(field: FieldError): never {
  throw new Problem('invalid_request', { fields: [field] });
}

/** A copy: a part of the address, kept for as long as the stream, would keep all of it, a token included. */
function keepApart(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
