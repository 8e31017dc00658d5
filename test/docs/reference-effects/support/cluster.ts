import type { Configuration } from '../../../../src';
import { changeIn } from './sqlite-file';
import { open, type World } from './world';

/** A node on a SQLite file. */
export const node = (path: string, instanceId: string, keys: object = {}): Configuration =>
  ({ scheduler: { instanceId }, jobStore: { class: 'sqlite', path, ...keys } }) as Configuration;

/** A node whose time stands still, as the database sees it: silent for long. The job that it runs asks to be run again. */
export async function silentNode(
  path: string,
  keys: object,
  job: () => Promise<void> = () => new Promise(() => {}),
): Promise<World> {
  const silent = await open(node(path, 'silent', keys), { jobs: { job } });
  await silent.soon(silent.scheduler.schedule('job', { at: new Date(silent.clock.now()), requestsRecovery: true }));
  await silent.soon(silent.scheduler.start());
  await silent.until(() => silent.heard('jobStarted').length > 0);
  await changeIn(path, "UPDATE QRTZ_SCHEDULER_STATE SET LAST_CHECKIN_TIME = 1 WHERE INSTANCE_NAME = 'silent'");
  return silent;
}
