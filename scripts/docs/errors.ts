import { problems } from '@expert-relay/kit/problem';

/** docs/errors.md, from the catalogue that the services answer with. */
export function renderErrors(): string {
  const entries = Object.entries(problems).sort(
    ([a, one], [b, other]) => one.status - other.status || a.localeCompare(b),
  );
  return `# Errors

<!-- Made by \`npm run docs\` from packages/kit/src/problem/catalogue.ts. Do not edit. -->

Every error is a JSON object of the type \`application/problem+json\` (RFC 9457):

\`\`\`json
{
  "type": "https://github.com/expert-relay/expert-relay/blob/main/docs/errors.md#invalid_request",
  "title": "The request is not valid",
  "status": 400,
  "detail": "Read \`fields\`: each names a member of the body or query, and says what is expected there.",
  "error": "invalid_request",
  "fields": [{ "path": "consumerSignPubKey", "code": "required", "message": "This member is required." }]
}
\`\`\`

\`error\` is stable: program against it. \`title\` and \`detail\` are for people and may change. \`fields\` comes
with validation errors and names at most 20 of them: \`detail\` says when there are more. Its \`code\` is one of \`required\`,
\`type\`, \`format\`, \`size\`, \`value\`. What was sent is never repeated.

## Warnings

A message that an expert sends in plain text is stored (201) although the agent may not count it. Then the answer has a
\`warning\`:

| \`warning\` | Why | What to do |
|---|---|---|
| \`agent_refuses_plaintext\` | The agent has keys. It refuses answers that are not encrypted, unless its settings accept them. | Answer in the web app, or with \`relay answer\` or an SDK: they encrypt. |
| \`not_a_decision\` | The request has a form. The agent gets these words, and still waits for a decision. | Send the decision as \`answer\` too: [forms.md](forms.md). |

${entries.map(([code, { status, title, help }]) => `## ${code}\n\n**${status}** ${title}.\n\n${help}\n`).join('\n')}`;
}
