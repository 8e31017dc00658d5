import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newJob } from '../../src/api/builders/job-builder';
import { simpleSchedule } from '../../src/api/builders/simple-schedule-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { JobExecutionContext } from '../../src/api/scheduler';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, sqliteTables, type Tables } from './support/tables';

const GOOD = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `good ${name}`);
const INTERVAL = 150;
const FIRINGS = 8;

/** Counts executions by trigger. Resolves when all named triggers have reached `FIRINGS`. */
function counting(names: readonly string[]) {
  const counts: Record<string, number> = {};
  let done = () => {};
  const enough = new Promise<void>((resolve) => {
    done = resolve;
  });
  const count = async ({ trigger }: JobExecutionContext) => {
    counts[trigger.key.name] = (counts[trigger.key.name] ?? 0) + 1;
    if (names.every((name) => (counts[name] ?? 0) >= FIRINGS)) done();
  };
  return { count, counts, enough };
}

/** A whole scheduler on tables with a database trigger that refuses changes of one row. */
function describeRefusals(name: string, create: () => Promise<Tables>): void {
  describe(`a row that ${name} refuses to change`, () => {
    let tables: Tables;
    let local: LocalSchedulers;

    beforeAll(async () => {
      tables = await create();
    });

    beforeEach(() => {
      local = new LocalSchedulers(tables);
    });

    afterEach(async () => {
      await relent();
      await local.shutdown();
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [] });
    });

    afterAll(() => tables.drop());

    const refuse = (event: string, condition: string) => {
      const body =
        tables.kind === 'sqlite'
          ? `WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`
          : `FOR EACH ROW BEGIN IF ${condition} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF; END`;
      return tables.query(`CREATE TRIGGER REFUSAL BEFORE ${event} ${body}`);
    };
    const relent = () => tables.query('DROP TRIGGER IF EXISTS REFUSAL');

    const running = async () => {
      const { count, counts, enough } = counting(GOOD);
      const node = await local.create('node', {
        jobs: { count },
        scheduler: { dbFailureRetryInterval: 300, batchTriggerAcquisitionFireAheadTimeWindow: 50 },
      });
      const { scheduler } = node;
      await scheduler.clear();
      await scheduler.addJob(newJob('count').withIdentity('job').storeDurably().build());
      const schedule = simpleSchedule().withIntervalInMilliseconds(INTERVAL).repeatForever();
      for (const trigger of ['bad', ...GOOD]) {
        await scheduler.scheduleJob(
          newTrigger().withIdentity(trigger).forJob('job').withSchedule(schedule).startNow().build(),
        );
      }
      return { ...node, counts, enough };
    };
    const duringErrors = (events: Awaited<ReturnType<typeof running>>['events']) =>
      events.flatMap((event) => (event.type === 'schedulerError' ? [event.during] : []));

    it('does not stop other triggers from firing, and is reported once', async () => {
      const { scheduler, counts, enough, events } = await running();
      await refuse('UPDATE ON QRTZ_TRIGGERS', "NEW.TRIGGER_NAME = 'bad' AND NEW.NEXT_FIRE_TIME <> OLD.NEXT_FIRE_TIME");
      await scheduler.start();
      await enough;
      expect(counts).not.toHaveProperty('bad');
      expect(duringErrors(events)).toEqual(["firing the trigger 'DEFAULT/bad'"]);
    });

    it('is completed when the database accepts the change, without delaying other triggers', async () => {
      const { scheduler, counts, enough, events } = await running();
      await refuse('DELETE ON QRTZ_FIRED_TRIGGERS', "OLD.TRIGGER_NAME = 'bad'");
      await scheduler.start();
      await enough;
      expect(counts).toHaveProperty('bad');
      expect(duringErrors(events)).toEqual(["completing the trigger 'DEFAULT/bad'"]);
      const completed = () =>
        events.flatMap((event) => (event.type === 'triggerCompleted' ? [event.firing.trigger.key.name] : []));
      expect(completed()).not.toContain('bad');
      await scheduler.standby();
      const all = new Promise<void>((resolve) => {
        scheduler.subscribe(() => {
          if (completed().filter((trigger) => trigger === 'bad').length === counts.bad) resolve();
        });
      });
      await relent();
      await all;
      expect(events.filter(({ type }) => type === 'completionFenced')).toEqual([]);
    });
  });
}

describe('on a file', () => {
  const folder = memoryFolder('quartz-refused-');
  describeRefusals('SQLite', async () => sqliteTables(join(folder, 'quartz.db')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describeOnAnyServer('on a server', () => {
  describeRefusals('MySQL or MariaDB', async () => mysqlTables(await sharedServer()));
});
