import type { Configuration } from '../../../src';
import { changeIn } from './sqlite-file';
import { endless, open, type World } from './world';

/** Configuration of a node on a SQLite file. */
export const node = (path: string, instanceId: string, keys: object = {}): Configuration =>
  ({ scheduler: { instanceId }, jobStore: { class: 'sqlite', path, ...keys } }) as Configuration;

/** Starts a node. When its job runs, its clock is stopped and its last check-in is set to the past, so that it is silent. */
export async function fallSilent(world: World, path: string): Promise<World> {
  await world.soon(world.scheduler.start());
  await world.until(() => world.heard('jobStarted').length > 0);
  const id = world.scheduler.getSchedulerInstanceId();
  await changeIn(path, `UPDATE QRTZ_SCHEDULER_STATE SET LAST_CHECKIN_TIME = 1 WHERE INSTANCE_NAME = '${id}'`);
  return world;
}

/** A silent node that runs a job with `requestsRecovery`. */
export async function silentNode(path: string, keys: object, job: () => Promise<void> = endless): Promise<World> {
  const silent = await open(node(path, 'silent', keys), { jobs: { job } });
  await silent.soon(silent.scheduler.schedule('job', { at: new Date(silent.clock.now()), requestsRecovery: true }));
  return fallSilent(silent, path);
}
