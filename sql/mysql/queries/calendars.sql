-- name: selectCalendars
-- rows: names.
-- Index: PRIMARY of QRTZ_CALENDARS.
SELECT k.CALENDAR_NAME, k.CALENDAR
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         calendar_name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r
STRAIGHT_JOIN QRTZ_CALENDARS AS k FORCE INDEX (PRIMARY)
  ON k.SCHED_NAME = :schedName AND k.CALENDAR_NAME = r.calendar_name;

-- name: selectCalendarNames
-- Index: PRIMARY of QRTZ_CALENDARS, its first column.
SELECT CALENDAR_NAME
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName;

-- name: selectCalendarPage
-- By name, behind a name (empty: from the first one on).
-- Index: PRIMARY of QRTZ_CALENDARS.
SELECT CALENDAR_NAME, CALENDAR
FROM QRTZ_CALENDARS FORCE INDEX (PRIMARY)
WHERE SCHED_NAME = :schedName
  AND CALENDAR_NAME > :afterName
ORDER BY CALENDAR_NAME
LIMIT :take;

-- name: insertCalendars
-- calendar: hexadecimal.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows inserted.
INSERT INTO QRTZ_CALENDARS
      (SCHED_NAME, CALENDAR_NAME, CALENDAR)
SELECT :schedName, r.calendar_name, UNHEX(r.calendar)
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         calendar_name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.calendarName',
         calendar      LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.calendar')) AS r;

-- name: deleteCalendars
-- rows: objects with a calendarName. Also before another takes the name.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         calendar_name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.calendarName')) AS r
STRAIGHT_JOIN QRTZ_CALENDARS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.CALENDAR_NAME = r.calendar_name;
