import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../base/ids';
import { loadConfig } from '../../config/load-config';
import type { SqlStoreConfig } from '../../config/scheduler-config';
import { eraseSchedule } from '../../scheduler/erase-schedule';

/** Where the demo takes place. */
export interface DemoGround {
  readonly schedulerName: string;
  /** Of one node. */
  config(instanceId: string): object;
  /** Takes away what the demo has made, when all its processes have ended: never anything else. */
  leave(): Promise<void>;
}

/** A SQLite file of its own. */
export function ownFile(): DemoGround {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-demo-'));
  const where = { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db') } };
  return {
    schedulerName: 'Demo',
    config: (instanceId) => nodeConfig('Demo', instanceId, where),
    leave: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Somebody's database, under a scheduler name that nobody else has. Tables that were made stay: others may use them by then. */
export function onDatabase(sql: SqlStoreConfig): DemoGround {
  const schedulerName = `Demo-${systemRandom.token(8)}`;
  const where = {
    jobStore: { class: 'sql', dataSource: 'demo', tablePrefix: sql.tablePrefix },
    ...dataSourceOf(sql),
  };
  const config = (instanceId: string) => nodeConfig(schedulerName, instanceId, where);
  return {
    schedulerName,
    config,
    async leave() {
      const { config: planner } = await loadConfig(config('planner'));
      await eraseSchedule({ ...planner, sql: planner.jobStore.sql ?? sql });
    },
  };
}

/** Quick to notice a death, and modest, so that every node has something to do. */
function nodeConfig(instanceName: string, instanceId: string, where: { readonly jobStore: object }): object {
  return {
    ...where,
    jobStore: { ...where.jobStore, schema: 'create', clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 },
    scheduler: { instanceName, instanceId, batchTriggerAcquisitionMaxCount: 2 },
    threadPool: { threadCount: 6 },
  };
}

function dataSourceOf({ dataSource: { url, user, password, maxConnections } }: SqlStoreConfig) {
  const login = { ...(user === null ? {} : { user }), ...(password === null ? {} : { password }) };
  return { dataSource: { demo: { URL: url, maxConnections, ...login } } };
}
