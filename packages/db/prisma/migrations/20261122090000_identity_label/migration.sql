ALTER TABLE "identities" ADD COLUMN "label" TEXT;
