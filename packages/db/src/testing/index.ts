export { createEmptyDatabase, createTestDatabase, type TestDatabase } from './create-test-database.ts';
export { openOutbox } from './open-outbox.ts';
export { makeConsumer, type OpenDatabase, openTestDatabase, patient } from './open-test-database.ts';
