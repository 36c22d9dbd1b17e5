/** One change of a valid receipt by somebody who cannot sign: `from` is there once. */
export interface Alteration {
  readonly name: string;
  readonly of: string;
  readonly from: string;
  readonly to: string;
  readonly error: string;
}

export function alter(receipt: string, { name, from, to }: Alteration): string {
  const [before, ...after] = receipt.split(from);
  if (after.length !== 1) throw new Error(`"${name}": ${JSON.stringify(from)} is not there once.`);
  return `${before}${to}${after[0]}`;
}

/** Another character of base64 at the beginning of a member, which keeps it well-formed. */
function otherBase64(receipt: string, member: string): Pick<Alteration, 'from' | 'to'> {
  const start = `"${member}":"`;
  const first = receipt.charAt(receipt.indexOf(start) + start.length);
  return { from: `${start}${first}`, to: `${start}${first === 'A' ? 'B' : 'A'}` };
}

/** Ends with 64 bytes: the last digit has four unused bits. */
const withUnusedBits = (base64: string): string =>
  base64.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`);

const altered = (name: string, from: string, to: string, error: string): Alteration => ({
  name,
  of: 'approval',
  from,
  to,
  error,
});

/** Each kind of member, altered. */
export function alterations(receipts: ReadonlyMap<string, string>): readonly Alteration[] {
  const approval = receipts.get('approval') ?? '';
  const memberOf = (member: string) => new RegExp(`"${member}":"([^"]*)"`).exec(approval)?.[1] ?? '';
  const inBase64 = (member: string, error: string): Alteration => ({
    name: `another byte in ${member}`,
    of: 'approval',
    ...otherBase64(approval, member),
    error,
  });
  // The file ends with the signature of the agent; the first one is that of the message.
  const agentSignature = /"signature":"([^"]*)"\}$/.exec(approval)?.[1] ?? '';
  const messageSignature = memberOf('signature');
  const signature = (name: string, value: string, error: string) =>
    altered(name, `:"${value}"`, `:"${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}"`, error);
  const malformed = 'malformed_receipt';
  const notCanonical = 'receipt_not_canonical';
  return [
    altered('another question', 'the test database', 'the production database', 'question_altered'),
    altered('another name of the agent', 'Deploy bot', 'Deploy Bot', 'question_altered'),
    altered('another context', 'The disk is full.', 'The disk is free.', 'question_altered'),
    altered('another role in the context', '"role":"user"', '"role":"system"', 'question_altered'),
    altered('another form', '\\"properties\\":{}', '\\"properties\\":{} ', 'question_altered'),
    altered('a plain text', '"plaintext":""', '"plaintext":"May I?"', 'question_altered'),
    altered('other versions of the agent', '"agentVersions":"4"', '"agentVersions":"45"', 'question_altered'),
    altered('another reference code', 'HS-7KQ2M9XD', 'HS-7KQ2M9XE', 'question_altered'),
    altered('another request', '"requestId":"h', '"requestId":"i', 'key_signature_wrong'),
    inBase64('consumerSignPubKey', 'key_signature_wrong'),
    inBase64('consumerEncryptPubKey', 'key_signature_wrong'),
    inBase64('providerEncryptPubKey', 'key_signature_wrong'),
    inBase64('providerSignPubKey', 'unknown_expert'),
    altered(
      'another fingerprint',
      `"fingerprint":"${memberOf('fingerprint').slice(0, 5)}`,
      '"fingerprint":"00000',
      'unknown_expert',
    ),
    altered(
      'the digits of the fingerprint alone',
      memberOf('fingerprint'),
      memberOf('fingerprint').replaceAll(' ', ''),
      'unknown_expert',
    ),
    inBase64('keySignature', 'key_signature_wrong'),
    altered(
      'no signed keys',
      `"keySignature":"${memberOf('keySignature')}"`,
      '"keySignature":""',
      'key_signature_wrong',
    ),
    altered('a member that is gone', `"keySignature":"${memberOf('keySignature')}",`, '', malformed),
    inBase64('ciphertext', 'wrong_signature'),
    inBase64('iv', 'wrong_signature'),
    inBase64('tag', 'wrong_signature'),
    inBase64('key', 'undecryptable'),
    altered(
      'another id of the message',
      memberOf('messageId'),
      memberOf('messageId').toUpperCase(),
      'wrong_signature',
    ),
    altered('another sender', '"role":"provider"', '"role":"consumer"', 'wrong_signature'),
    altered('a sender that does not exist', '"role":"provider"', '"role":"expert"', malformed),
    signature('another byte in the signature of the message', messageSignature, 'wrong_signature'),
    altered('a message that is not opened', `"key":"${memberOf('key')}",`, '', 'no_decision'),
    altered('another outcome', '"outcome":"accept"', '"outcome":"decline"', 'no_decision'),
    altered('an outcome that does not exist', '"outcome":"accept"', '"outcome":"accepted"', malformed),
    altered('another time of the question', '12:10:00.000Z', '12:10:00.001Z', 'receipt_signature_wrong'),
    altered('another time of the receipt', '12:15:30.250Z', '12:15:30.251Z', 'receipt_signature_wrong'),
    altered('a time that is gone', '"askedAt":"2026-11-29T12:10:00.000Z",', '', 'receipt_signature_wrong'),
    altered('a time in another form', '12:15:30.250Z', '12:15:30Z', malformed),
    signature('another byte in the signature of the agent', agentSignature, 'receipt_signature_wrong'),
    altered('another format', 'expert-relay/v4/receipt', 'expert-relay/v5/receipt', malformed),
    altered('a member that does not exist', '{"asked":', '{"all":"","asked":', malformed),
    altered('a member of an object that does not exist', '{"agentName":', '{"":"","agentName":', malformed),
    altered('a member twice', '"outcome":"accept"', '"outcome":"decline","outcome":"accept"', notCanonical),
    altered(
      'a name twice, once with an escape',
      '"outcome":"accept"',
      '"\\u006futcome":"decline","outcome":"accept"',
      notCanonical,
    ),
    altered('an escape that is not needed', 'The disk', 'The \\u0064isk', notCanonical),
    altered('white space', '{"asked":', '{ "asked":', notCanonical),
    altered('a line break at the end', `${agentSignature}"}`, `${agentSignature}"}\n`, notCanonical),
    altered(
      'members in another order',
      '"content":"The disk is full.","role":"user"',
      '"role":"user","content":"The disk is full."',
      notCanonical,
    ),
    altered('half of a character', 'The disk', '\\ud83d The disk', malformed),
    altered('a number in place of a text', '"plaintext":""', '"plaintext":0', malformed),
    altered('null in place of a text', '"plaintext":""', '"plaintext":null', malformed),
    altered(
      'base64 with unused bits',
      `${agentSignature}"}`,
      `${withUnusedBits(agentSignature)}"}`,
      malformed,
    ),
    altered('a byte order mark', '{"asked":', '\ufeff{"asked":', malformed),
    altered('something behind the end', `${agentSignature}"}`, `${agentSignature}"}{}`, malformed),
    altered('a bracket too many', '"messages":[{"content"', '"messages":[[{"content"', malformed),
  ];
}
