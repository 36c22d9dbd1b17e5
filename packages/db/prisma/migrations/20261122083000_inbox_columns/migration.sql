-- An expert's inbox: whose turn it is, and where to look for it. See docs/adr/0012-inbox-in-request-stages.md.
-- Nothing here looks at a row, since everybody waits.

ALTER TABLE "help_requests"
    ADD COLUMN "last_message_at" TIMESTAMPTZ(3),
    ADD COLUMN "last_message_role" "message_role";

CREATE TYPE "request_progress" AS ENUM ('unanswered', 'follow_up', 'answered', 'closed');

-- Empty in rows that were there before, until the migrations after this one fill them.
ALTER TABLE "request_stages"
    ADD COLUMN "user_id" UUID,
    ADD COLUMN "created_at" TIMESTAMPTZ(3),
    ADD COLUMN "progress" "request_progress";

CREATE FUNCTION "progress_of"("status" "request_status", "response_count" INTEGER, "last_message_role" "message_role")
    RETURNS "request_progress" LANGUAGE sql IMMUTABLE
    RETURN CASE
        WHEN "status" = 'closed' THEN 'closed'::"request_progress"
        WHEN "response_count" = 0 THEN 'unanswered'
        WHEN "last_message_role" = 'provider' THEN 'answered'
        ELSE 'follow_up'
    END;

CREATE OR REPLACE FUNCTION "follow_request"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE "request_stages";
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM "request_stages"
        WHERE "stage" = "stage_of"(OLD."ended_at", OLD."erased_at")
            AND "at" = COALESCE(OLD."ended_at", OLD."expires_at") AND "request_id" = OLD."id";
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO "request_stages" ("stage", "at", "request_id", "user_id", "created_at", "progress")
        VALUES (
            "stage_of"(NEW."ended_at", NEW."erased_at"), COALESCE(NEW."ended_at", NEW."expires_at"), NEW."id",
            NEW."user_id", NEW."created_at",
            "progress_of"(NEW."status", NEW."response_count", NEW."last_message_role"));
    END IF;
    RETURN NULL;
END $$;

-- A message that changes whose turn it is. `user_id` and `created_at` too: so it completes a row that the migration
-- which fills them has not reached, and that migration leaves the row alone.
CREATE FUNCTION "follow_turn"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE "request_stages" SET
        "user_id" = NEW."user_id",
        "created_at" = NEW."created_at",
        "progress" = "progress_of"(NEW."status", NEW."response_count", NEW."last_message_role")
    WHERE "stage" = 'open' AND "at" = NEW."expires_at" AND "request_id" = NEW."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "follow_turn" AFTER UPDATE OF "response_count", "last_message_role" ON "help_requests"
    FOR EACH ROW WHEN (
        OLD."ended_at" IS NULL AND NEW."ended_at" IS NULL
        AND "progress_of"(OLD."status", OLD."response_count", OLD."last_message_role")
            <> "progress_of"(NEW."status", NEW."response_count", NEW."last_message_role"))
    EXECUTE FUNCTION "follow_turn"();

-- The release before counts a message without saying when it came and from whom.
CREATE FUNCTION "note_message"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE "help_requests" SET
        "last_message_at" = clock_timestamp(),
        "last_message_role" =
            CASE WHEN NEW."response_count" > OLD."response_count" THEN 'provider' ELSE 'consumer' END::"message_role"
    WHERE "id" = NEW."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "note_message" AFTER UPDATE OF "message_count" ON "help_requests"
    FOR EACH ROW WHEN (
        NEW."message_count" > OLD."message_count" AND NEW."last_message_at" IS NOT DISTINCT FROM OLD."last_message_at")
    EXECUTE FUNCTION "note_message"();
