/** What `init` writes: a schedule that runs, and that all other commands find. By name of the file. */
export const INIT_FILES: Readonly<Record<string, string>> = {
  'quartz.yaml': `# yaml-language-server: $schema=./node_modules/quartz-ts/schemas/configuration.schema.json
# Everything is kept in one SQLite file. Start it twice, and the two processes share the work.

scheduler:
  instanceName: QuartzScheduler
  instanceId: AUTO # nodes need different ids

threadPool:
  threadCount: 10 # jobs that run at the same time

jobStore:
  class: sqlite # mysql and mariadb for nodes on several machines
  path: ./quartz.db # from the working directory
  history: all # failures: record only the runs that did not succeed

plugin:
  schedule:
    class: scheduleFile
    fileNames: schedule.yaml # beside this file
    scanInterval: 5 # seconds between two looks whether it changed
  shutdown:
    class: shutdownHook # running jobs may finish when the process is asked to end
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
    retry: R3/PT1M # when it fails: three times, a minute apart
    triggers:
      - cron: '0 0 6 ? * MON-FRI'
        timeZone: UTC
`,
  'jobs.mjs': `// The jobs, by the names that schedule.yaml has for them.

export async function hello({ data, log }) {
  log.info(\`hello \${data.name}\`);
}

export async function report({ log, progress, signal }) {
  for (let step = 1; step <= 10; step++) {
    signal.throwIfAborted(); // somebody interrupts it, or the process ends
    progress(step / 10, \`step \${step}\`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  log.info('written');
}
`,
};
