import type { Configuration } from '../../../src';
import { changeIn } from './sqlite-file';
import { endless, open, type World } from './world';

/** A node on a SQLite file. */
export const node = (path: string, instanceId: string, keys: object = {}): Configuration =>
  ({ scheduler: { instanceId }, jobStore: { class: 'sqlite', path, ...keys } }) as Configuration;

/** Starts a node, and when its job runs lets its time stand still: as the database sees it, it is silent for long. */
export async function fallSilent(world: World, path: string): Promise<World> {
  await world.soon(world.scheduler.start());
  await world.until(() => world.heard('jobStarted').length > 0);
  const id = world.scheduler.getSchedulerInstanceId();
  await changeIn(path, `UPDATE QRTZ_SCHEDULER_STATE SET LAST_CHECKIN_TIME = 1 WHERE INSTANCE_NAME = '${id}'`);
  return world;
}

/** A node that is silent; the job that it runs asks to be run again. */
export async function silentNode(path: string, keys: object, job: () => Promise<void> = endless): Promise<World> {
  const silent = await open(node(path, 'silent', keys), { jobs: { job } });
  await silent.soon(silent.scheduler.schedule('job', { at: new Date(silent.clock.now()), requestsRecovery: true }));
  return fallSilent(silent, path);
}
