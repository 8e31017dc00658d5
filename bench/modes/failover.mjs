import { newJob, newTrigger } from '../../dist/index.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { standardInput } from '../lib/standard-input.mjs';

/** A node that may begin with `jobs` jobs that last and ask for recovery. Says `X name recovering time` for each that starts. */
export async function run(settings) {
  const lasting = ({ jobDetail, isRecovering, signal }) => {
    console.log(`X ${jobDetail.key.name} ${isRecovering} ${Date.now()}`);
    return new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const scheduler = await ourScheduler(settings, { lasting });
  const nextLine = standardInput();
  for (let i = 0; i < settings.number('jobs', 0); i++) {
    const name = `lasting${i}`;
    const job = newJob('lasting').withIdentity(name, 'due').requestRecovery().build();
    await scheduler.scheduleJob(job, newTrigger().withIdentity(name, 'due').startNow().build());
  }
  await scheduler.start();
  console.log('READY');
  await nextLine();
}
