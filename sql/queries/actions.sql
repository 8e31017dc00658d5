-- Actions by the console, HTTP and commands, newest first. since: earliest time. before and actionId: position after which to continue.

-- name: insertAction
-- Records an action. An action that is already recorded stays as it is.
-- Index: PRIMARY of QRTZ_X_ACTIONS. Locks: the row inserted.
INSERT INTO QRTZ_X_ACTIONS
      (SCHED_NAME, ACTION_TIME, ACTION_ID, ACTOR_NAME, ACTOR_ROLE, VIA, ADDRESS, OPERATION, SUBJECT, INPUT, CHANGES, ERROR_MESSAGE)
VALUES (:schedName, :now, :actionId, :actor, :role, :via, :address, :operation, :subject, :input, :changes, :error)
ON CONFLICT (SCHED_NAME, ACTION_TIME, ACTION_ID) DO UPDATE SET
  ACTION_ID = :actionId;

-- part: actionColumns
SELECT t.ACTION_TIME, t.ACTION_ID, t.ACTOR_NAME, t.ACTOR_ROLE, t.VIA, t.ADDRESS, t.OPERATION, t.SUBJECT, t.INPUT, t.CHANGES, t.ERROR_MESSAGE

-- part: actionPlace
  AND t.ACTION_TIME >= :since
  AND t.ACTION_TIME <= :before
  AND (t.ACTION_TIME < :before OR t.ACTION_ID < :actionId)
ORDER BY t.ACTION_TIME DESC, t.ACTION_ID DESC
LIMIT :take

-- name: selectActions
-- Selects the newest actions.
-- Index: PRIMARY of QRTZ_X_ACTIONS, backwards.
-- include: actionColumns
FROM QRTZ_X_ACTIONS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
-- include: actionPlace;

-- name: selectActionsOfActor
-- Selects the newest actions of one actor.
-- Index: IDX_QRTZ_X_A_N, backwards.
-- include: actionColumns
FROM QRTZ_X_ACTIONS AS t @index(IDX_QRTZ_X_A_N)
WHERE t.SCHED_NAME = :schedName
  AND t.ACTOR_NAME = :actor
-- include: actionPlace;

-- name: selectActionsOfOperation
-- Selects the newest actions of one operation.
-- Index: IDX_QRTZ_X_A_O, backwards.
-- include: actionColumns
FROM QRTZ_X_ACTIONS AS t @index(IDX_QRTZ_X_A_O)
WHERE t.SCHED_NAME = :schedName
  AND t.OPERATION = :operation
-- include: actionPlace;

-- name: deleteOldActions
-- Deletes the oldest actions. No other statement writes in that range.
-- Index: PRIMARY of QRTZ_X_ACTIONS, in its order. Locks: the rows deleted.
DELETE FROM QRTZ_X_ACTIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND (d.ACTION_TIME, d.ACTION_ID) IN (SELECT t.ACTION_TIME, t.ACTION_ID
                                       FROM QRTZ_X_ACTIONS AS t
                                       WHERE t.SCHED_NAME = :schedName
                                         AND t.ACTION_TIME < :before
                                       ORDER BY t.ACTION_TIME, t.ACTION_ID
                                       LIMIT :limit);
-- only: mysql
DELETE FROM QRTZ_X_ACTIONS
WHERE SCHED_NAME = :schedName
  AND ACTION_TIME < :before
ORDER BY ACTION_TIME, ACTION_ID
LIMIT :limit;
