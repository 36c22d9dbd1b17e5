import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';

/* Sets how the protobuf library reads texts. Its own decoder drops a byte order mark at the start of a text. */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
configureTextEncoding({
  ...getTextEncoding(),
  decodeUtf8: (bytes, strict) => (strict ? strictDecoder : decoder).decode(bytes),
});
