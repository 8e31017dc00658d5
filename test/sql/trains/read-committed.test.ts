import { GatedDriver } from '../../support/database/gated-driver';
import { describeOnServer } from '../../support/database/test-database';
import { NOTHING } from './events';
import { Stage } from './stage';

/** Triggers of the first train: one of each job that must not overlap, and all others. */
const ALL = ['daily', 'due', 'kept 1', 'noon', 'once', 'serial 1'];

const without = (...names: readonly string[]) => ALL.filter((name) => !names.includes(name));

/** Changes of one table that a condition of the train reads, each with the triggers that the train still fires. */
const CHANGES: readonly (readonly [table: string, statement: (of: string) => string, fired: readonly string[]])[] = [
  [
    'QRTZ_TRIGGERS',
    (of) => `UPDATE QRTZ_TRIGGERS SET PRIORITY = 9 WHERE ${of} AND TRIGGER_NAME = 'due'`,
    without('due'),
  ],
  [
    'QRTZ_SIMPLE_TRIGGERS',
    (of) => `UPDATE QRTZ_SIMPLE_TRIGGERS SET REPEAT_COUNT = 9 WHERE ${of} AND TRIGGER_NAME = 'due'`,
    without('due'),
  ],
  [
    'QRTZ_CRON_TRIGGERS',
    (of) => `UPDATE QRTZ_CRON_TRIGGERS SET CRON_EXPRESSION = '0 0 * * * ?' WHERE ${of}`,
    without('noon'),
  ],
  [
    'QRTZ_SIMPROP_TRIGGERS',
    (of) => `UPDATE QRTZ_SIMPROP_TRIGGERS SET STR_PROP_1 = 'WEEK' WHERE ${of}`,
    without('daily'),
  ],
  [
    'QRTZ_JOB_DETAILS',
    (of) => `UPDATE QRTZ_JOB_DETAILS SET IS_NONCONCURRENT = '0' WHERE ${of} AND JOB_NAME = 'serial'`,
    without('serial 1'),
  ],
  ['QRTZ_CALENDARS', (of) => `UPDATE QRTZ_CALENDARS SET CALENDAR = 'x' WHERE ${of}`, without('noon')],
  [
    'QRTZ_FIRED_TRIGGERS',
    (of) =>
      `INSERT INTO QRTZ_FIRED_TRIGGERS SELECT SCHED_NAME, 'x', 'kept 2', 'DEFAULT', 'peer', 0, 0, 5, 'EXECUTING', 'kept', 'DEFAULT', '1', '0' FROM QRTZ_LOCKS WHERE ${of} LIMIT 1`,
    without('kept 1'),
  ],
  [
    'QRTZ_X_META',
    (of) => `UPDATE QRTZ_X_META SET META_VALUE = META_VALUE + 1 WHERE ${of} AND META_KEY = 'schedule.version'`,
    [],
  ],
  ['QRTZ_X_NODES', (of) => `UPDATE QRTZ_X_NODES SET REFUSED_TRAIN = 9 WHERE ${of}`, []],
  ['QRTZ_SCHEDULER_STATE', (of) => `DELETE FROM QRTZ_SCHEDULER_STATE WHERE ${of}`, []],
];

describeOnServer('a train of statements that waits for the lock', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open({ hasFaults: false });
  });

  afterAll(() => stage.close());

  it.each(CHANGES)('sees changes of %s that are committed during the wait', async (_, statement, expected) => {
    const gates: GatedDriver[] = [];
    const { mine, schedName } = await stage.scene(NOTHING, (driver) => {
      gates.push(new GatedDriver(driver));
      return gates.at(-1) as GatedDriver;
    });
    const [gate] = gates as [GatedDriver];
    const { queue } = stage;
    let granted: Promise<void> = Promise.resolve();
    const grant = async () => {
      await queue.arrived(1, new Promise(() => undefined));
      await queue.change(statement(`SCHED_NAME = '${schedName}'`));
      await queue.release();
    };
    gate.at('flush', async () => {
      await queue.hold(schedName);
      granted = grant();
    });
    const fired = await mine.fireDue();
    await granted;
    const won = gate.answers[0] as readonly { readonly ENTRY_ID: string }[];
    const ids = new Set(won.map(({ ENTRY_ID }) => ENTRY_ID));
    const names = fired.filter(({ runId }) => ids.has(runId)).map(({ trigger }) => trigger.key.name);
    expect([names.sort(), ids.size]).toEqual([expected, expected.length]);
  });
});
