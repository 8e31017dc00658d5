import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../src/base/version';
import { runProgram } from '../../../src/cli/program';
import { memoryOutput } from '../../support/memory-output';
import { proves } from '../../support/proves';

async function run(...args: readonly string[]) {
  const { output, stdout, stderr } = memoryOutput();
  const code = await runProgram(args, { output, env: { SET: 'x' }, folder: '/' });
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('the quartz command', () => {
  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each([[['--help']], [['help']], [[]]])('prints help with all commands and exit codes for %j', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of ['run', 'cron', 'validate', 'Exit codes', '143']) expect(stdout).toContain(text);
  });

  it('exits with 0 after help, even if process.exitCode was set before', async () => {
    const before = process.exitCode;
    process.exitCode = 1;
    try {
      expect((await run('cron', 'help', 'next')).code).toBe(0);
    } finally {
      process.exitCode = before;
    }
  });

  it.each([
    [['help', 'cron', 'next'], /^Usage: quartz cron next /],
    [['cron', 'help', 'next'], /^Usage: quartz cron next /],
    [['help', 'validate'], /^Usage: quartz validate /],
    [['help', 'cron'], /^Usage: quartz cron /],
  ])('prints the help of a single command for %j', async (args, usage) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(usage);
  });

  it('describes a --no option by the behaviour without it', async () => {
    const { stdout } = await run('triggers', 'pause-many', '--help');
    expect(stdout).toMatch(/--no-hold-retries +Without it: /);
  });

  it.each([
    ['triggers', 'pause-many'],
    ['triggers', 'resume-many'],
    ['triggers', 'remove-many'],
    ['jobs', 'remove-many'],
  ])('%s %s is a dry run unless --yes is given, and has no option --no-dry-run', async (...words) => {
    const { stdout } = await run(...words, '--help');
    expect(stdout).not.toContain('dry-run');
    expect(stdout).toMatch(/--yes +change all matches; without it, the command is a dry run/);
    expect(await run(...words, '--no-dry-run', '--all')).toMatchObject({ code: 2 });
  });

  it.each([
    ['run'],
    ['cron next'],
    ['cron explain'],
    ['cron validate'],
    ['validate'],
  ])('shows an example in the help of `%s`', async (command) => {
    const { stdout } = await run(...command.split(' '), '--help');
    expect(stdout).toContain(`\nExample:\n  quartz ${command} `);
    expect(stdout).toMatch(/^Usage: .*\n\n[A-Z]/);
  });

  it.each([
    [['cron'], /expected a command/],
    [['vlidate'], /^error: unknown command 'vlidate' \(did you mean validate\?\)\. Use --help/],
    [['help', 'vlidate'], /^error: unknown command 'vlidate' \(did you mean validate\?\)/],
    [['help', 'cron', 'nxt'], /^error: unknown command 'nxt' \(did you mean next\?\)/],
    [['run'], /required option '--config <file>' not specified/],
    [['run', '--config', 'x', '--jobs', 'y', '--for', 'ever'], /Expected a duration such as 500ms/],
    [['validate'], /missing required argument 'files'/],
    [['cron', 'next', '0', '0', '6'], /A cron expression is one argument: put it in quotes/],
    [['cron', 'next', '* * * * * ?', '--count', '0'], /Expected a whole number from 1 to 1000/],
    [['cron', 'next', '* * * * * ?', '--dialect', 'x'], /Allowed choices are quartz, unix/],
    [['cron', 'next', '* * * * * ?', '--from', 'soon'], /Expected an ISO-8601 time/],
    [
      ['cron', 'next', '* * * * * ?', '--cuont', '5'],
      /^error: unknown option '--cuont' \(did you mean --count\?\)\. Use --help/,
    ],
  ])('refuses %j with exit code 2 and a hint', async (args, message) => {
    proves('command-line', 'exit code 2');
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('prints errors as JSON with --json', async () => {
    const { code, stderr } = await run('cron', 'next', 'x', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error: { reason: 'EXPRESSION', exitCode: 4, code: 'CRON_SYNTAX' } });
  });
});

describe('quartz cron', () => {
  it.each(['next', 'explain'])('%s supports natural clock changes', async (command) => {
    proves('command-line', 'cron next --clock-changes', 'cron explain --clock-changes');
    const timesWith = async (...options: readonly string[]) => {
      const args = ['0 30 2 * * ?', '--time-zone', 'Europe/Berlin', '--from', '2027-03-28', '--json', ...options];
      return JSON.parse((await run('cron', command, ...args)).stdout).fireTimes[0].slice(0, 16);
    };
    expect([await timesWith(), await timesWith('--clock-changes', 'natural')]).toEqual([
      '2027-03-29T02:30',
      '2027-03-28T03:30',
    ]);
  });

  it.each(['next', 'explain'])('%s supports the rules of Quartz', async (command) => {
    proves('command-line', 'cron next --rules', 'cron explain --rules');
    const firstWith = async (...options: readonly string[]) => {
      const args = ['0 0 0 31W * ?', '--time-zone', 'UTC', '--from', '2027-04-01', '--json', ...options];
      return JSON.parse((await run('cron', command, ...args)).stdout).fireTimes[0].slice(0, 10);
    };
    expect([await firstWith(), await firstWith('--rules', 'quartz')]).toEqual(['2027-05-31', '2027-04-30']);
  });

  it('next prints fire times in the time zone', async () => {
    proves('command-line', 'cron next', 'cron next --count', 'cron next --time-zone');
    const { code, stdout } = await run(
      'cron',
      'next',
      '0 0 6 ? * MON-FRI',
      '--time-zone',
      'Europe/Berlin',
      '--from',
      '2027-03-26T12:00',
      '--count',
      '2',
    );
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'day  date        time      zone                    from then',
      'Mon  2027-03-29  06:00:00  Europe/Berlin (+02:00)  in 2.7 days',
      'Tue  2027-03-30  06:00:00  Europe/Berlin (+02:00)  in 3.7 days',
      '',
    ]);
  });

  it('next --json prints ISO-8601 times', async () => {
    proves('command-line', 'cron next --json');
    const { stdout } = await run(
      'cron',
      'next',
      '*/5 * * * *',
      '--dialect',
      'unix',
      '--time-zone',
      'UTC',
      '--from',
      '2027-01-01',
      '--count',
      '1',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ timeZone: 'UTC', fireTimes: ['2027-01-01T00:05:00.000Z'] });
  });

  it('next reports that there are no more fire times', async () => {
    const { code, stdout, stderr } = await run('cron', 'next', '0 0 0 1 1 ? 2000', '--time-zone', 'UTC');
    expect(code).toBe(0);
    expect(stderr).toBe('The expression never fires after this time.\n');
    expect(stdout).toBe('');
  });

  it('explain prints description, fields and next fire times', async () => {
    proves('command-line', 'cron explain');
    const { code, stdout } = await run('cron', 'explain', '0 0 12 ? * MON-FRI', '--time-zone', 'UTC');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^At 12:00, Monday to Friday\n/);
    expect(stdout).toMatch(/day of week {3}MON-FRI/);
    expect(stdout).toMatch(/next in UTC: /);
  });

  it('explain --json prints the same data as JSON', async () => {
    proves('command-line', 'cron explain --json');
    const { stdout } = await run('cron', 'explain', '0 0 12 ? * MON-FRI', '--time-zone', 'UTC', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ cronExpression: '0 0 12 ? * MON-FRI', description: expect.any(String) });
  });

  it('validate shows the position of the error', async () => {
    proves('command-line', 'cron validate', 'exit code 4');
    const { code, stderr } = await run('cron', 'validate', '0 0 25 * * ?');
    expect(code).toBe(4);
    expect(stderr).toMatch(/hour/);
    expect(stderr).toMatch(/\n {2}0 0 25 \* \* \?\n {6}\^\n$/);
  });

  it('names the options of the command in its hints', async () => {
    expect((await run('cron', 'validate', '*/5 * * * *')).stderr).toContain("set dialect to 'unix'");
    expect((await run('cron', 'validate', '0 0 6 ? * MON/2')).stderr).toContain(
      "Quartz reads it as 'MON': write that.",
    );
  });

  it.each([
    'next',
    'explain',
    'validate',
  ])('%s supports time zone, dialect, key and lenient expressions', async (sub) => {
    proves('command-line', 'cron explain --time-zone', 'cron validate --time-zone', 'cron validate --json');
    proves('command-line', 'cron next --dialect', 'cron explain --dialect', 'cron validate --dialect');
    proves('command-line', 'cron next --key', 'cron explain --key', 'cron validate --key');
    proves('command-line', 'cron next --lenient', 'cron explain --lenient', 'cron validate --lenient');
    const from = sub === 'validate' ? [] : ['--from', '2027-01-01T00:00:00Z'];
    const codeOf = async (expression: string, ...options: readonly string[]) =>
      (await run('cron', sub, expression, ...options)).code;
    const json = async (expression: string, ...options: readonly string[]) =>
      JSON.parse((await run('cron', sub, expression, ...from, '--json', ...options)).stdout);
    const [utc, tokyo] = [
      await json('0 0 6 * * ?', '--time-zone', 'UTC'),
      await json('0 0 6 * * ?', '--time-zone', 'Asia/Tokyo'),
    ];
    expect([utc.timeZone, tokyo.timeZone]).toEqual(['UTC', 'Asia/Tokyo']);
    if (sub === 'validate') expect(utc).toEqual({ valid: true, cronExpression: '0 0 6 * * ?', timeZone: 'UTC' });
    else expect(utc.fireTimes[0]).toBe('2027-01-01T06:00:00.000Z');
    expect(await codeOf('0 6 * * 1', '--dialect', 'quartz')).toBe(4);
    expect(await json('@daily', '--dialect', 'unix')).toMatchObject({ cronExpression: '0 0 0 * * ?' });
    expect((await run('cron', sub, '0 H H * * ?')).stderr).toContain('Set the key');
    expect(await json('0 H H * * ?', '--key', 'DEFAULT/report')).toMatchObject({ cronExpression: '0 59 18 * * ?' });
    expect(await json('0 H H * * ?', '--key', 'billing/report')).toMatchObject({ cronExpression: '0 47 11 * * ?' });
    expect([await codeOf('0 0 6 ? * MON/2'), await codeOf('0 0 6 ? * MON/2', '--lenient')]).toEqual([4, 0]);
  });

  it('next and explain start at --from, with or without an offset', async () => {
    proves('command-line', 'cron next --from', 'cron explain --from');
    const first = async (...from: readonly string[]) =>
      JSON.parse((await run('cron', 'next', '0 0 6 * * ?', '--time-zone', 'UTC', '--json', ...from)).stdout)
        .fireTimes[0];
    expect(await first('--from', '2031-05-01T07:00')).toBe('2031-05-02T06:00:00.000Z');
    expect(await first('--from', '2031-05-01T07:00+03:00')).toBe('2031-05-01T06:00:00.000Z');
    expect(Date.parse(await first()) - Date.now()).toBeLessThanOrEqual(86_400_000);
    const { stdout } = await run('cron', 'explain', '0 0 6 * * ?', '--time-zone', 'UTC', '--from', '2031-05-01');
    expect(stdout).toContain('2031-05-01 06:00:00');
  });

  it('explain shows the key for which an H value was drawn', async () => {
    const { stdout } = await run('cron', 'explain', '0 H H(8-17) * * ?', '--key', 'report');
    expect(stdout).toMatch(
      /minute +59 +H of DEFAULT\/report\nhour +16 +H\(8-17\) of DEFAULT\/report\nday of month +\*\n/,
    );
  });

  it('next prints at most a thousand fire times, and exits with code 1 if it cannot write', async () => {
    proves('command-line', 'exit code 1');
    const { stdout } = await run('cron', 'next', '0 0 6 * * ?', '--from', '2027-01-01', '--count', '1000');
    expect(stdout.trim().split('\n')).toHaveLength(1_001);
    expect((await run('cron', 'next', '0 0 6 * * ?', '--count', '1001')).code).toBe(2);
    const { output, stderr } = memoryOutput();
    output.line = () => {
      throw new Error('ENOSPC: no space left on device');
    };
    expect(await runProgram(['cron', 'next', '0 0 6 * * ?', '--json'], { output, env: {}, folder: '/' })).toBe(1);
    expect(stderr()).toContain('no space left on device');
  });

  it('refuses an unknown time zone', async () => {
    const { code, stderr } = await run('cron', 'next', '* * * * * ?', '--time-zone', 'Mars/Base');
    expect(code).toBe(4);
    expect(stderr).toMatch(/Expected an IANA time zone/);
    const typo = await run('cron', 'next', '* * * * * ?', '--time-zone', 'Europe/Berln');
    expect(typo.stderr).toMatch(/found 'Europe\/Berln'\. Did you mean 'Europe\/Berlin'\?$/m);
  });
});

describe('quartz validate', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-validate-'));
    const files = {
      'good.yaml': 'plugin.s: {class: scheduleFile, fileNames: schedule.yaml}\nthreadPool.threadPriority: 5',
      'schedule.yaml': 'jobs:\n  - {name: a, type: a, durable: true}\n',
      'bad.yaml': 'threadPool: {threadCuont: 5}',
      'bad-schedule.yaml': 'jobs: 5',
      'quartz.properties': 'org.quartz.threadPool.threadCount = x',
      'neither.yaml': 'colour: blue',
      'typo.yaml': 'shceduler: {instanceName: a}',
      'names-empty.yaml': 'plugin.s: {class: scheduleFile, fileNames: empty.yaml}',
      'names-typo.yaml': 'plugin.s: {class: scheduleFile, fileNames: typo-schedule.yaml}',
      'typo-schedule.yaml': 'job: [{name: a, durable: true}]',
      'names-missing.yaml': 'plugin.s: {class: scheduleFile, fileNames: missing.yaml, failOnFileNotFound: false}',
      'names-missing-needed.yaml': 'plugin.s: {class: scheduleFile, fileNames: missing.yaml}',
      'empty.yaml': '',
      'variable.yaml': `scheduler.instanceName: \${SET}`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const validate = (...names: readonly string[]) =>
    run('validate', ...names.map((name) => (name.startsWith('-') ? name : join(folder, name))));

  it('accepts a configuration and its schedule file, and prints warnings', async () => {
    const { code, stdout, stderr } = await validate('good.yaml');
    expect(stdout).toBe(`valid: ${folder}/good.yaml (configuration)\nvalid: ${folder}/schedule.yaml (schedule)\n`);
    expect(stderr).toMatch(/^warning: .*threadPool\.threadPriority/);
    expect(code).toBe(0);
  });

  it('replaces environment variables', async () => {
    expect((await validate('variable.yaml')).code).toBe(0);
  });

  it('lists the problems of all files and exits with code 3', async () => {
    proves('command-line', 'validate');
    const { code, stdout } = await validate('bad.yaml', 'bad-schedule.yaml', 'quartz.properties', 'schedule.yaml');
    expect(code).toBe(3);
    expect(stdout).toMatch(/bad\.yaml:1:14 threadPool\.threadCuont: .*did you mean 'threadCount'\?/);
    expect(stdout).toMatch(/bad-schedule\.yaml:1:7 jobs: expected a list, found 5/);
    expect(stdout).toMatch(/quartz\.properties:1:37 threadPool\.threadCount: expected a number, found 'x'/);
    expect(stdout).toMatch(/^valid: .*schedule\.yaml \(schedule\)$/m);
  });

  it.each([
    ['neither.yaml', /expected a configuration \(.*\) or a schedule \(.*\), found the key 'colour'$/m],
    ['typo.yaml', /found the key 'shceduler'; did you mean 'scheduler'\?/],
    ['names-typo.yaml', /typo-schedule\.yaml:1:1 job: .*found 'job'; did you mean 'jobs'\?/],
    ['names-missing-needed.yaml', /missing\.yaml: expected a file, found none/],
    ['empty.yaml', /found an empty file/],
    ['missing.yaml', /expected a file, found none/],
  ])('reports the problem of %s', async (name, message) => {
    const { code, stdout } = await validate(name);
    expect(code).toBe(3);
    expect(stdout).toMatch(message);
  });

  it('accepts an empty schedule file of a configuration, or a missing one with a warning', async () => {
    expect(await validate('names-empty.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/valid: .*\/empty\.yaml \(schedule\)/),
    });
    const { code, stdout, stderr } = await validate('names-missing.yaml');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `valid: ${folder}/names-missing.yaml (configuration)\n` });
    expect(stderr).toBe(
      `warning: ${folder}/names-missing.yaml: the schedule file ${folder}/missing.yaml does not exist\n`,
    );
  });

  it('prints each problem with its position as JSON with --json', async () => {
    proves('command-line', 'validate --json');
    const { code, stdout } = await validate('bad.yaml', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      files: [
        {
          kind: 'configuration',
          valid: false,
          problems: [{ line: 1, column: 14, path: 'threadPool.threadCuont', suggestion: 'threadCount' }],
        },
      ],
    });
  });

  it.each([
    ['http://alerts.example.com/x', 3],
    ['https://127.0.0.1/x', 3],
    ['https://alerts.example.com/x', 0],
  ])('checks the target of webhook alerts: %s', async (url, code) => {
    writeFileSync(join(folder, 'webhook.yaml'), `plugin: { alerts: { class: webhookAlerts, url: '${url}' } }`);
    expect((await validate('webhook.yaml')).code).toBe(code);
  });

  it('accepts the configuration file of this package', async () => {
    expect((await run('validate', join(__dirname, '../../../config/quartz.yaml'))).code).toBe(0);
  });
});
