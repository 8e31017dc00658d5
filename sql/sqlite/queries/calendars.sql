-- name: selectCalendars
-- rows: names.
-- Index: The primary key of QRTZ_CALENDARS.
SELECT k.CALENDAR_NAME, k.CALENDAR
FROM QRTZ_CALENDARS AS k
WHERE k.SCHED_NAME = :schedName
  AND k.CALENDAR_NAME IN (SELECT value FROM json_each(:rows));

-- name: selectCalendarNames
-- Index: The primary key of QRTZ_CALENDARS, its first column.
SELECT CALENDAR_NAME
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName;

-- name: selectCalendarPage
-- By name, behind a name (empty: from the first one on).
-- Index: The primary key of QRTZ_CALENDARS.
SELECT CALENDAR_NAME, CALENDAR
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName
  AND CALENDAR_NAME > :afterName
ORDER BY CALENDAR_NAME
LIMIT :take + 0;

-- name: insertCalendars
-- calendar: hexadecimal.
-- Index: The primary key of QRTZ_CALENDARS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'calendarName' AS calendar_name,
         value ->> 'calendar' AS calendar
  FROM json_each(:rows))
INSERT INTO QRTZ_CALENDARS
      (SCHED_NAME, CALENDAR_NAME, CALENDAR)
SELECT r.sched_name, r.calendar_name, unhex(r.calendar)
FROM r;

-- name: deleteCalendars
-- rows: objects with a calendarName. Also before another takes the name.
-- Index: The primary key of QRTZ_CALENDARS.
DELETE FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName
  AND CALENDAR_NAME IN (SELECT value ->> 'calendarName' FROM json_each(:rows));
