import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mysqlTables, sqliteTables, type Tables } from '../cluster/support/tables';
import { KINDS } from '../conformance/survival/table';
import { describeOnAnyServer, describeOnServer, sharedServer } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { memoryFolder } from '../support/memory-folder.cjs';
import { type Deploy, playDeploy } from './deploy';
import { Fleet } from './fleet';
import { KILLED, playKill } from './kills';

/*
 * A deployment under load, with real processes: three nodes are replaced in turn. The memory store is not tested, because its schedule ends with
 * its process.
 */

/** Ten rounds with jobs of 20 s and a deadline of 2 s. The short form is one round, ten times as fast. */
const DEPLOY: Deploy = IS_LONG
  ? { duration: 20_000, deadline: 2_000, rounds: 10 }
  : { duration: 2_000, deadline: 200, rounds: 1 };

const TIMEOUT = 60_000 + DEPLOY.rounds * (6 * DEPLOY.duration + 40_000);

function describeDeploys(newTables: () => Promise<Tables>): void {
  it(
    'a deployment under load loses no run, repeats no run and uses up no attempt',
    async () => {
      const fleet = new Fleet(await newTables());
      try {
        const counts = await playDeploy(fleet, DEPLOY);
        process.stdout.write(`deployment: ${JSON.stringify(counts)}\n`);
        expect(counts.handedOver).toBeGreaterThan(0);
      } finally {
        await fleet.dispose();
      }
    },
    TIMEOUT,
  );
}

function describeKills(newTables: () => Promise<Tables>): void {
  it('runs of a node killed with kill -9 end as the guide states', async () => {
    const fleet = new Fleet(await newTables());
    try {
      expect(await playKill(fleet, KINDS)).toEqual(KILLED);
    } finally {
      await fleet.dispose();
    }
  });
}

describe('on SQLite', () => {
  const folder = memoryFolder('quartz-deploy-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const newTables = async () => sqliteTables(join(folder, `${++count}.db`));
  describeDeploys(newTables);
  describeKills(newTables);
});

const newOnServer = async () => mysqlTables(await sharedServer());
const describeOnServers = IS_LONG ? describeOnServer : describeOnAnyServer;
describeOnServers('a cluster of processes', () => describeDeploys(newOnServer));
describeOnAnyServer('a cluster of processes', () => describeKills(newOnServer));
