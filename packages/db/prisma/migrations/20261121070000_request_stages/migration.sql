-- Who walks requests by time walks this table, so that no change of a request touches an index of its own:
-- see docs/adr/0008-times-in-a-table-of-their-own.md.
CREATE TYPE "request_stage" AS ENUM ('open', 'ended', 'erased');
CREATE TABLE "request_stages" (
    "stage" "request_stage" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,

    CONSTRAINT "request_stages_pkey" PRIMARY KEY ("stage","at","request_id")
);

-- A queue too: each row is moved twice, always from the old end.
ALTER TABLE "request_stages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION "stage_of"("ended_at" TIMESTAMPTZ, "erased_at" TIMESTAMPTZ) RETURNS "request_stage"
    LANGUAGE sql IMMUTABLE
    RETURN CASE
        WHEN "erased_at" IS NOT NULL THEN 'erased'::"request_stage"
        WHEN "ended_at" IS NOT NULL THEN 'ended'
        ELSE 'open'
    END;

-- Whoever restores a dump has another search path, or none.
CREATE FUNCTION "follow_request"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
        INSERT INTO "request_stages" ("stage", "at", "request_id")
        VALUES ("stage_of"(NEW."ended_at", NEW."erased_at"), COALESCE(NEW."ended_at", NEW."expires_at"), NEW."id");
    END IF;
    RETURN NULL;
END $$;

-- From here on everybody waits: so nothing below looks at a row.

-- Ended requests lose their content after a while, and later go altogether.
ALTER TABLE "help_requests" ADD COLUMN "erased_at" TIMESTAMPTZ(3);

-- Room on each page for the next version of every row there.
ALTER TABLE "help_requests" SET (fillfactor = 50);

CREATE TRIGGER "follow_made_request" AFTER INSERT ON "help_requests"
    FOR EACH ROW EXECUTE FUNCTION "follow_request"();
CREATE TRIGGER "follow_gone_request" AFTER DELETE ON "help_requests"
    FOR EACH ROW EXECUTE FUNCTION "follow_request"();
CREATE TRIGGER "follow_gone_requests" AFTER TRUNCATE ON "help_requests"
    FOR EACH STATEMENT EXECUTE FUNCTION "follow_request"();
-- All but an expiry: requests expire by the thousand, and one statement moves their rows three times as fast.
CREATE TRIGGER "follow_changed_request" AFTER UPDATE OF "expires_at", "ended_at", "erased_at" ON "help_requests"
    FOR EACH ROW WHEN (
        (OLD."expires_at", OLD."ended_at", OLD."erased_at") IS DISTINCT FROM (NEW."expires_at", NEW."ended_at", NEW."erased_at")
        AND NOT (NEW."status" = 'expired' AND OLD."ended_at" IS NULL))
    EXECUTE FUNCTION "follow_request"();
