-- The key of the digests by which definitions are told apart: the same on all nodes of a scheduler, and never shown.

-- name: insertVersionKey
-- The first node stores it; what is stored already stays.
-- Index: the primary key of QRTZ_X_META.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'versionKey', :versionKey)
ON CONFLICT (SCHED_NAME, META_KEY) DO NOTHING;

-- name: selectVersionKey
-- Index: the primary key of QRTZ_X_META.
SELECT META_VALUE
FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY = 'versionKey';
