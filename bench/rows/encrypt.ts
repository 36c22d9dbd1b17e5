import { directSubject } from '../measure/load-subject.ts';
import { ratioRow } from './ratio-row.ts';

/** A message of 1 KB, sealed and opened. */
export const encrypt = ratioRow({
  name: 'encrypt',
  goal: 0.8,
  count: 8_000,
  async cast(stage) {
    return {
      measured: directSubject('the SDK', await stage.program('seal-and-open')),
      baseline: directSubject('bare WebCrypto', await stage.program('bare-seal-and-open')),
    };
  },
});
