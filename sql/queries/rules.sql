-- Rules for fire times (scheduler.rules), which are the same on all nodes of a scheduler.

-- name: insertRules
-- Stores the rules. The first node does so; an existing value stays.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row inserted.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'rules', :rules)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_KEY = excluded.META_KEY;

-- name: selectRules
-- Index: PRIMARY of QRTZ_X_META.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m @index(PRIMARY)
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = 'rules';

-- name: upsertRules
-- Replaces the rules, while no node of this kind lives.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row written.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'rules', :rules)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;
