import { NOW, without } from '../../conformance/samples';
import { storingCalendar } from '../../conformance/store-driver';
import { lockTriggers } from '../../support/database/lock-queue';
import type { TrainEvent } from './events';
import type { Scene } from './scene';

const MINUTE_LATER = NOW + 60_000;

/** A statement on the rows of one schedule. */
type Statement = (schedName: string) => string;

const update =
  (table: string, set: string, where: string): Statement =>
  (schedName) =>
    `UPDATE QRTZ_${table} SET ${set} WHERE SCHED_NAME = '${schedName}' AND ${where}`;

const remove =
  (table: string, where: string): Statement =>
  (schedName) =>
    `DELETE FROM QRTZ_${table} WHERE SCHED_NAME = '${schedName}' AND ${where}`;

/** A firing of a Java node that has just joined. Other nodes detect it at their next check-in. */
const firing =
  (trigger: string, job: string, state: string): Statement =>
  (schedName) =>
    `INSERT INTO QRTZ_FIRED_TRIGGERS VALUES ('${schedName}', 'java 1', '${trigger}', 'DEFAULT', 'java', ${NOW}, ${NOW}, 5, '${state}', '${job}', 'DEFAULT', '1', '0')`;

/** A program on Quartz that changes the schedule in one transaction under TRIGGER_ACCESS. */
const java = (name: string, ...statements: readonly Statement[]): TrainEvent => ({
  name: `Java, which ${name}`,
  happen: ({ bystander, schedName }) => inJava(bystander, schedName, statements),
});

async function inJava(session: Scene['bystander'], schedName: string, statements: readonly Statement[]): Promise<void> {
  await lockTriggers(session, schedName);
  for (const statement of statements) await session.query(statement(schedName));
  await session.query('COMMIT');
}

const DUE = "TRIGGER_NAME = 'due'";
const SIBLINGS = "JOB_NAME = 'serial' AND TRIGGER_STATE = 'WAITING'";
const PROPERTIES = "CAST('of=Java' AS BINARY)";

/** Changes by Java nodes and programs, statement by statement. */
export const JAVA_EVENTS: readonly TrainEvent[] = [
  java('pauses a trigger', update('TRIGGERS', "TRIGGER_STATE = 'PAUSED'", DUE)),
  java('sets a later fire time', update('TRIGGERS', `NEXT_FIRE_TIME = ${MINUTE_LATER}`, DUE)),
  java('changes the priority', update('TRIGGERS', 'PRIORITY = 9', DUE)),
  java('changes the trigger’s data', update('TRIGGERS', `JOB_DATA = ${PROPERTIES}`, DUE)),
  java('deletes the trigger’s data', update('TRIGGERS', 'JOB_DATA = NULL', DUE)),
  java('sets an end time', update('TRIGGERS', `END_TIME = ${NOW + 1}`, DUE)),
  java('sets another misfire instruction', update('TRIGGERS', 'MISFIRE_INSTR = 1', DUE)),
  java('moves the trigger to another job', update('TRIGGERS', "JOB_NAME = 'spare'", DUE)),
  java('changes the interval', update('SIMPLE_TRIGGERS', 'REPEAT_INTERVAL = 3600000', DUE)),
  java('changes the number of firings', update('SIMPLE_TRIGGERS', 'REPEAT_COUNT = 5, TIMES_TRIGGERED = 2', DUE)),
  java(
    'changes the cron expression',
    update('CRON_TRIGGERS', "CRON_EXPRESSION = '0 0 0/12 * * ?'", "TRIGGER_NAME = 'noon'"),
  ),
  java('changes the interval’s unit', update('SIMPROP_TRIGGERS', "STR_PROP_1 = 'WEEK'", "TRIGGER_NAME = 'daily'")),
  java('deletes a trigger', remove('SIMPLE_TRIGGERS', DUE), remove('TRIGGERS', DUE)),
  java('changes the job’s data', update('JOB_DETAILS', `JOB_DATA = ${PROPERTIES}`, "JOB_NAME = 'plain'")),
  java('forbids the job to overlap', update('JOB_DETAILS', "IS_NONCONCURRENT = '1'", "JOB_NAME = 'plain'")),
  java('stores the job’s data after each run', update('JOB_DETAILS', "IS_UPDATE_DATA = '1'", "JOB_NAME = 'serial'")),
  java('recovers the job no longer', update('JOB_DETAILS', "REQUESTS_RECOVERY = '0'", "JOB_NAME = 'plain'")),
  java('changes the job’s class', update('JOB_DETAILS', "JOB_CLASS_NAME = 'elsewhere'", "JOB_NAME = 'plain'")),
  java(
    'acquires a trigger',
    update('TRIGGERS', "TRIGGER_STATE = 'ACQUIRED'", `${DUE} AND TRIGGER_STATE = 'WAITING'`),
    firing('due', 'plain', 'ACQUIRED'),
  ),
  java(
    'executes a job that must not overlap',
    update('TRIGGERS', "TRIGGER_STATE = 'BLOCKED'", SIBLINGS),
    firing('serial 2', 'serial', 'EXECUTING'),
  ),
  {
    ...java(
      'replaces a calendar without its triggers',
      (schedName) =>
        `UPDATE QRTZ_CALENDARS AS c JOIN QRTZ_CALENDARS AS s ON s.SCHED_NAME = c.SCHED_NAME AND s.CALENDAR_NAME = 'spare' SET c.CALENDAR = s.CALENDAR WHERE c.SCHED_NAME = '${schedName}' AND c.CALENDAR_NAME = 'holidays'`,
    ),
    prepare: ({ peer }) => peer.apply({ ...storingCalendar(without('2026-01-03')), name: 'spare' }),
  },
];
