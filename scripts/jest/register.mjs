import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { register as registerTsx } from 'tsx/esm/api';

// The options for JSX, which no other file has.
registerTsx({
  tsconfig: fileURLToPath(new URL('../../services/dashboard/web/tsconfig.json', import.meta.url)),
});
register('./resolve.mjs', import.meta.url);
