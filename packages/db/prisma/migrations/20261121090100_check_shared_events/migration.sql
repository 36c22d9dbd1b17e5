-- Walks the rows that were there before, while everybody goes on reading and writing.
ALTER TABLE "outbox_events" VALIDATE CONSTRAINT "outbox_events_about_check";
