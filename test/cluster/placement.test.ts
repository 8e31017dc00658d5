import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeInfo } from '../../src/api/reading';
import type { JobExecutionContext } from '../../src/api/scheduler';
import { describeOnOneServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, sqliteTables, type Tables } from './support/tables';

/** `reserves`: true if nodes reserve triggers before they are due, as on SQLite. */
function describePlacement(name: string, reserves: boolean, create: () => Promise<Tables>): void {
  describe(`placement of jobs on ${name}`, () => {
    let tables: Tables;
    let local: LocalSchedulers;
    let ran: string[];

    beforeAll(async () => {
      tables = await create();
    });

    beforeEach(() => {
      local = new LocalSchedulers(tables);
      ran = [];
    });

    afterEach(async () => {
      const [first] = nodes.splice(0);
      await first?.scheduler.clear();
      await local.shutdown();
    });

    afterAll(() => tables.drop());

    const nodes: Local[] = [];

    /** Starts a node whose jobs record their node. */
    const startNode = async (instanceId: string, labels: readonly string[] = []): Promise<Local> => {
      const jobs = {
        work: async ({ trigger }: JobExecutionContext) => void ran.push(`${trigger.key.group} ${instanceId}`),
      };
      const node = await local.create(instanceId, { jobs, scheduler: { labels } });
      await node.scheduler.start();
      nodes.push(node);
      return node;
    };

    const until = async (isSo: () => boolean | Promise<boolean>) => {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    it('runs jobs on the node with their label, and lists the labels of nodes', async () => {
      const plain = await startNode('plain');
      const gpu = await startNode('gpu', ['gpu']);
      for (let run = 0; run < 5; run++) {
        const where = { at: new Date(), group: `g${run}`, runsOn: 'gpu' };
        await (run % 2 === 0 ? plain : gpu).scheduler.schedule('work', where);
        await plain.scheduler.schedule('work', { at: new Date(), group: `p${run}`, runsOn: 'node:plain' });
      }
      await until(() => ran.length === 10);
      expect([...ran].sort()).toEqual(
        [...Array(5).keys()].map((run) => `g${run} gpu`).concat([...Array(5).keys()].map((run) => `p${run} plain`)),
      );
      const labels = (await plain.scheduler.listNodes()).map((node: NodeInfo) => [node.instanceId, node.labels]);
      expect(new Map(labels as [string, unknown][])).toEqual(
        new Map([
          ['plain', ['node:plain']],
          ['gpu', ['node:gpu', 'gpu']],
        ]),
      );
    });

    it('runs a job on another node after fallbackAfter if no preferred node exists', async () => {
      const plain = await startNode('plain');
      const start = Date.now();
      const prefers = { labels: 'gpu', fallbackAfter: 3_000 };
      await plain.scheduler.schedule('work', { at: new Date(), group: 'late', prefers });
      await until(() => ran.length === 1);
      expect(ran).toEqual(['late plain']);
      expect(Date.now() - start).toBeGreaterThanOrEqual(3_000);
    });

    it('drains a node on request of another node, which then runs its reserved triggers', async () => {
      const a = await startNode('a', ['here']);
      await a.scheduler.schedule('work', { at: new Date(Date.now() + 25_000), group: 'reserved' });
      if (reserves) await a.seen('triggersAcquired');
      const b = await startNode('b', ['here']);
      expect(await b.scheduler.drain('a')).toBe(true);
      expect(a.events.map(({ type }) => type)).toContain('nodeDraining');
      const drained = (await b.scheduler.listNodes()).filter(({ isDraining }) => isDraining);
      expect(drained.map(({ instanceId }) => instanceId)).toEqual(['a']);
      if (reserves) await b.seen('triggersAcquired'); // reserves the triggers of the drained node
      await b.scheduler.schedule('work', { at: new Date(), group: 'reserved' });
      for (let run = 0; run < 5; run++) await a.scheduler.schedule('work', { at: new Date(), group: `r${run}` });
      await until(() => ran.length === 6);
      expect(ran.every((each) => each.endsWith(' b'))).toBe(true);
      expect(await b.scheduler.drain('nobody')).toBe(false);
      expect(await b.scheduler.drain()).toBe(true);
      expect(await b.scheduler.undrain('a')).toBe(true);
      await b.scheduler.schedule('work', { at: new Date(), group: 'last' });
      await until(() => ran.length === 7);
      expect(ran.at(-1)).toBe('last a');
    });
  });
}

describePlacement('SQLite', true, async () => {
  const folder = memoryFolder('quartz-placement-');
  const tables = sqliteTables(join(folder, 'quartz.db'));
  return {
    ...tables,
    drop: async () => {
      await tables.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describeOnOneServer('with a database server', () => {
  describePlacement('a server', false, async () => mysqlTables(await sharedServer()));
});
