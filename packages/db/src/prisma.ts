/** What needs the generated Prisma client, whose engine takes some 30 MB of a process. */

export { createDatabase, type Database } from './database/create-database.ts';
export { Prisma, PrismaClient } from './generated/client.ts';
