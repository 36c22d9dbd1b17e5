import { findOnPath } from '../../servers/find-program.ts';
import { testUnless } from '../../testing/test-unless.ts';
import { helmMissing } from './helm.ts';

const opensslMissing = findOnPath(['openssl']) ? undefined : 'openssl is not on PATH';

/** For tests that need openssl and helm. Without one of them they are skipped. */
export const withOpenssl = testUnless(helmMissing ?? opensslMissing);
