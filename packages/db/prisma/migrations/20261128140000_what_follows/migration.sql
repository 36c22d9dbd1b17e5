ALTER TABLE "help_requests" ADD COLUMN "follows" JSON;
