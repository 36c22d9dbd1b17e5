import { Failure } from '../failure.ts';

/** For a conversation whose keys must be here, and are not. */
export const notKept = (name: string) =>
  new Failure(
    'unknown',
    `This machine does not keep ${name}: a conversation goes on where it was asked, with the same RELAY_URL and RELAY_CONFIG_DIR. Yours are listed by: relay show`,
  );
