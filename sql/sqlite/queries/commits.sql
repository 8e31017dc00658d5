-- name: writeCommitToken
-- Not needed on a file, which answers every commit itself.
-- Index: the primary key of QRTZ_X_META.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :tokenKey, CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) || ' ' || :number)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;

-- name: selectCommitToken
-- Index: the primary key of QRTZ_X_META.
SELECT META_VALUE
FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY = :tokenKey;

-- name: deleteCommitToken
-- Index: the primary key of QRTZ_X_META.
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY = :tokenKey;

-- name: deleteOldCommitTokens
-- Index: the primary key of QRTZ_X_META.
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY >= 'commit.'
  AND META_KEY < 'commit/'
  AND META_VALUE < CAST(CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) - :age AS TEXT);
