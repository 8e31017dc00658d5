-- Login sessions of consoles. sessionHash: SHA-256 of the id in the cookie.

-- name: insertSession
-- Stores a session. Sent again, it changes nothing.
-- Index: PRIMARY of QRTZ_X_SESSIONS. Locks: the row inserted.
INSERT INTO QRTZ_X_SESSIONS (SCHED_NAME, SESSION_HASH, USER_KIND, USER_NAME, CREDENTIAL_HASH, END_TIME)
VALUES (:schedName, :sessionHash, :userKind, :userName, :credentialHash, :endTime)
ON CONFLICT (SCHED_NAME, SESSION_HASH) DO UPDATE SET
  SESSION_HASH = :sessionHash;

-- name: selectSession
-- Index: PRIMARY of QRTZ_X_SESSIONS.
SELECT s.USER_KIND, s.USER_NAME, s.CREDENTIAL_HASH, s.END_TIME
FROM QRTZ_X_SESSIONS AS s @index(PRIMARY)
WHERE s.SCHED_NAME = :schedName
  AND s.SESSION_HASH = :sessionHash;

-- name: deleteSession
-- Index: PRIMARY of QRTZ_X_SESSIONS. Locks: the row deleted.
DELETE FROM QRTZ_X_SESSIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND d.SESSION_HASH = :sessionHash;

-- name: deleteEndedSessions
-- Deletes sessions that have ended, the longest ended first.
-- Index: IDX_QRTZ_X_SE_E, a range from its beginning. Locks: the rows deleted.
DELETE FROM QRTZ_X_SESSIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND d.SESSION_HASH IN (SELECT s.SESSION_HASH
                         FROM QRTZ_X_SESSIONS AS s
                         WHERE s.SCHED_NAME = :schedName
                           AND s.END_TIME <= :now
                         ORDER BY s.END_TIME
                         LIMIT :limit);
-- only: mysql
DELETE FROM QRTZ_X_SESSIONS
WHERE SCHED_NAME = :schedName
  AND END_TIME <= :now
ORDER BY END_TIME
LIMIT :limit;
