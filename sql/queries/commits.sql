-- name: writeCommitToken
-- Writes the token of a transaction whose commit cannot be recognized otherwise. After a commit without an answer, the node reads it.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :tokenKey, CONCAT(@now, ' ', :number))
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;

-- name: advanceCommitToken
-- Replaces the token that ends with a number (:before: '% 7') by the next one, as a step of a packet that also commits. Changes no row if the token was refused or replaced since the
-- packet was sent: the packet is then late, and must store nothing.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
UPDATE QRTZ_X_META AS m
SET META_VALUE = CONCAT(@now, ' ', :number)
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :tokenKey
  AND m.META_VALUE LIKE :before;

-- name: selectCommitToken
-- Selects the time and number of the last committed transaction. The locking read waits until the transaction in doubt has ended.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m @index(PRIMARY)
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :tokenKey
FOR UPDATE;

-- name: deleteCommitToken
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY = :tokenKey;

-- name: deleteOldCommitTokens
-- Deletes tokens of processes that ended without deleting theirs. Compared as text: milliseconds have thirteen digits from 2001 to 2286.
-- Index: PRIMARY of QRTZ_X_META. Locks: the tokens read.
DELETE FROM QRTZ_X_META AS m
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY >= 'commit.'
  AND m.META_KEY < 'commit/'
  AND m.META_VALUE < CONCAT(@now - :age);
