-- Values that all nodes of a scheduler share, by their keys: the secret key of version digests, the rules for fire times, and the
-- version of the time zone data by which stored fire times were computed.

-- name: insertMeta
-- Stores a value. The first node does so; an existing value stays.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row inserted.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :metaKey, :value)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_KEY = excluded.META_KEY;

-- name: selectMeta
-- Index: PRIMARY of QRTZ_X_META.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m @index(PRIMARY)
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :metaKey;

-- name: upsertMeta
-- Replaces a value, whatever it is.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row written.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :metaKey, :value)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;

-- name: exchangeMeta
-- Replaces a value that is still as it was read.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
UPDATE QRTZ_X_META AS m
SET META_VALUE = :value
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :metaKey
  AND m.META_VALUE = :expected;
