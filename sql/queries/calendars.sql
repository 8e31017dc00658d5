-- name: selectCalendars
-- Selects calendars by name. rows: names.
-- Index: PRIMARY of QRTZ_CALENDARS.
SELECT k.CALENDAR_NAME, k.CALENDAR
FROM @values(:rows, calendar_name key) AS r
@then QRTZ_CALENDARS AS k @index(PRIMARY)
  ON k.SCHED_NAME = :schedName AND k.CALENDAR_NAME = r.calendar_name;

-- name: selectCalendarNames
-- Index: PRIMARY of QRTZ_CALENDARS, its first column.
SELECT CALENDAR_NAME
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName;

-- name: selectCalendarPage
-- Selects a page of calendars by name, after a name (empty: from the first one on).
-- Index: PRIMARY of QRTZ_CALENDARS.
SELECT CALENDAR_NAME, CALENDAR
FROM QRTZ_CALENDARS @index(PRIMARY)
WHERE SCHED_NAME = :schedName
  AND CALENDAR_NAME > :afterName
ORDER BY CALENDAR_NAME
LIMIT :take;

-- name: insertCalendars
-- calendar: hexadecimal.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows inserted.
INSERT INTO QRTZ_CALENDARS
      (SCHED_NAME, CALENDAR_NAME, CALENDAR)
SELECT :schedName, r.calendar_name, DECODE(r.calendar, 'hex')
FROM @rows(:rows, calendar_name key, calendar text) AS r;

-- name: deleteCalendars
-- Deletes calendars, also before they are replaced. rows: objects with a calendarName.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows deleted.
DELETE FROM QRTZ_CALENDARS AS t
USING @rows(:rows, calendar_name key) AS r
  ON t.SCHED_NAME = :schedName AND t.CALENDAR_NAME = r.calendar_name;
