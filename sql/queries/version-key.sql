-- Secret key of the digests that distinguish versions of definitions. It is the same on all nodes of a scheduler, and never shown.

-- name: insertVersionKey
-- Stores the key. The first node does so; an existing key stays.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row inserted.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'versionKey', :versionKey)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_KEY = excluded.META_KEY;

-- name: selectVersionKey
-- Index: PRIMARY of QRTZ_X_META.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m @index(PRIMARY)
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = 'versionKey';
