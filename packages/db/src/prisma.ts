/** The exports that need the generated Prisma client, whose engine adds 30 MB to a process. */

export { createDatabase, type Database } from './database/create-database.ts';
export { Prisma, PrismaClient } from './generated/client.ts';
