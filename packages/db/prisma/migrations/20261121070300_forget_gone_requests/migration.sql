-- Those that were removed while they were carried over, before their triggers could see the new row. Whoever did so
-- has committed: the lock that removed the index has waited for it. No sweep looks for the ended ones among them.
DELETE FROM "request_stages"
WHERE NOT EXISTS (SELECT FROM "help_requests" WHERE "id" = "request_id");
