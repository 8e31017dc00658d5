/** Files that `init` writes, by name: a runnable schedule, its jobs, and a configuration that other commands find by default. */
export const INIT_FILES: Readonly<Record<string, string>> = {
  'quartz.yaml': `# yaml-language-server: $schema=./node_modules/quartz-ts/schemas/configuration.schema.json
# Everything is stored in one SQLite file. Start it twice, and the two processes share the work.

scheduler:
  instanceName: QuartzScheduler
  instanceId: AUTO # nodes need different ids

threadPool:
  threadCount: 10 # jobs that run at the same time

jobStore:
  class: sqlite # mysql and mariadb for nodes on several machines
  path: ./quartz.db # relative to the working directory
  history: all # failures: record only runs that did not succeed

plugin:
  schedule:
    class: scheduleFile
    fileNames: schedule.yaml # in the folder of this file
    scanInterval: 5 # interval of the checks for changes, in seconds
  shutdown:
    class: shutdownHook # on SIGTERM and SIGINT, waits for running jobs
`,
  'schedule.yaml': `# yaml-language-server: $schema=./node_modules/quartz-ts/schemas/schedule-file.schema.json
# What runs when. Change it while the scheduler runs.

jobs:
  - name: hello
    description: Every five seconds
    data: { name: world }
    triggers:
      - cron: '0/5 * * * * ?'

  - name: report
    group: reports
    description: On working days at six; quartz fire reports/report runs it now
    retry: R3/PT1M # after a failure: three retries, a minute apart
    triggers:
      - cron: '0 0 6 ? * MON-FRI'
        timeZone: UTC
`,
  'jobs.mjs': `// The jobs, by their names in schedule.yaml.

export async function hello({ data, log }) {
  log.info(\`hello \${data.name}\`);
}

export async function report({ log, progress, signal }) {
  for (let step = 1; step <= 10; step++) {
    signal.throwIfAborted(); // the run was interrupted, or the process is ending
    progress(step / 10, \`step \${step}\`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  log.info('written');
}
`,
};
