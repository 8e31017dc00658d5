import { pino } from 'pino';
import { createScheduler } from '../../dist/index.mjs';

/** Of every scheduler of the harness, ours and the others. */
export const SCHEDULER = 'bench';

/**
 * A scheduler of ours in the tables that `settings` name: `url` (mysql://…) or `path` (a SQLite file), else in memory. What is
 * not said has its default; `set.<key>` sets any key of the configuration.
 */
export function ourScheduler(settings, jobs, id = settings.text('id', 'n1')) {
  const keys = {
    'scheduler.instanceName': SCHEDULER,
    'scheduler.instanceId': id,
    'scheduler.batchTriggerAcquisitionMaxCount': settings.text('batch'),
    'threadPool.threadCount': settings.text('threads'),
    'jobStore.clusterCheckinInterval': settings.text('checkin'),
    'jobStore.clusterCheckinGrace': settings.text('grace'),
    ...store(settings),
    ...Object.fromEntries(settings.beginning('set.')),
  };
  const config = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
  return createScheduler(config, { jobs, logger: pino({ level: settings.text('log', 'warn') }, pino.destination(2)) });
}

function store(settings) {
  const [path, url] = [settings.text('path'), settings.text('url')];
  if (path !== undefined) return { 'jobStore.class': 'sqlite', 'jobStore.path': path };
  if (url === undefined) return {};
  return { 'jobStore.class': 'sql', 'jobStore.dataSource': 'bench', 'dataSource.bench.URL': url };
}
