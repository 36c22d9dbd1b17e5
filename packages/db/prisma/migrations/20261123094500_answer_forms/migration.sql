CREATE TYPE "form_kind" AS ENUM ('approval', 'form');

ALTER TABLE "help_requests"
    ADD COLUMN "answer_form" TEXT,
    ADD COLUMN "form_kind" "form_kind";

ALTER TABLE "messages" ADD COLUMN "answer" TEXT;
