import { directSubject } from '../measure/subject.ts';
import { ratioRow } from './row.ts';

/** A message of 1 KB, encrypted and decrypted. */
export const encrypt = ratioRow({
  name: 'encrypt',
  goal: 0.8,
  count: 8_000,
  async open(environment) {
    return {
      measured: directSubject('the SDK', await environment.program('sdk-encrypt')),
      baseline: directSubject('bare WebCrypto', await environment.program('bare-encrypt')),
    };
  },
});
