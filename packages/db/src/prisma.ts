/** What needs the generated Prisma client, whose engine takes some 30 MB of a process. */
export { Prisma, PrismaClient } from './generated/client.ts';
export { createDatabase, type Database } from './postgres/create-database.ts';
