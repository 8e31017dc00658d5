import type { ConfigTree } from '../../../src/config/config-schema';
import { configSchema } from '../../../src/config/config-schema';
import type { PluginConfig, SchedulerConfig, SqlStoreConfig } from '../../../src/config/scheduler-config';

type Same<A, B> = [A, B] extends [B, A] ? true : never;
type Scheduler = ConfigTree['scheduler'];
type Plain = Exclude<
  keyof Scheduler & keyof SchedulerConfig,
  'instanceId' | 'timeZone' | 'batchTriggerAcquisitionFireAheadTimeWindow' | 'priorities' | 'labels'
>;

/** Compiles only while the hand-written interfaces and the schema agree. */
const agreements: readonly true[] = [
  true satisfies Same<Pick<Scheduler, Plain>, Pick<SchedulerConfig, Plain>>,
  true satisfies Same<ConfigTree['threadPool']['class'], SchedulerConfig['threadPool']['kind']>,
  true satisfies Same<Exclude<ConfigTree['jobStore']['class'], 'sql'>, SchedulerConfig['jobStore']['kind']>,
  true satisfies Same<NonNullable<ConfigTree['jobStore']['schema']>, SqlStoreConfig['schema']>,
  true satisfies Same<ConfigTree['plugin'][string]['class'], PluginConfig['kind']>,
];

it('hand-written configuration types agree with the schema', () => {
  expect(agreements).toHaveLength(5);
  expect(Object.keys(configSchema.shape.scheduler.parse({}))).not.toContain('timeZone');
});
