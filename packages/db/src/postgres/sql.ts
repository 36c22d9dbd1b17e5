import { createRequire } from 'node:module';
import type * as Utilities from '@prisma/client-runtime-utils';

/*
 * Fragments of SQL that Prisma and `Query` both take. Prisma recognises fragments by their class, which it loads as
 * CommonJS; as an ES module it would be another class. Services that do without Prisma load no more of it than this.
 */
export const { sql, join, raw, empty } = createRequire(import.meta.url)(
  '@prisma/client-runtime-utils',
) as typeof Utilities;

export type Sql = Utilities.Sql;
