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
 * A deployment under load, with real processes: three nodes are replaced in turn. In memory there is one process, and its schedule ends with it.
 */

/** Jobs of 20 s and a deadline of 2 s, ten times; the short form is ten times as fast, once. */
const DEPLOY: Deploy = IS_LONG
  ? { duration: 20_000, deadline: 2_000, rounds: 10 }
  : { duration: 2_000, deadline: 200, rounds: 1 };

const TIMEOUT = 60_000 + DEPLOY.rounds * (6 * DEPLOY.duration + 40_000);

function describeDeploys(newTables: () => Promise<Tables>): void {
  it(
    'a deployment under load loses no run, runs none twice and uses up no attempt',
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
  it('the runs of a node that kill -9 ends become what the guide says', async () => {
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
describeOnServers('on a server', () => describeDeploys(newOnServer));
describeOnAnyServer('on a server', () => describeKills(newOnServer));
