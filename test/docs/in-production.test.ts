import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { hashToken } from '../../src/base/secret-hash';
import { EXIT_CODES } from '../../src/cli/exit-codes';
import { PROBES } from '../../src/console/health';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { folderWithPackage, variablesOf } from '../support/folder-with-package';

const ROOT = resolve(__dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/production');
const textOf = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8');

const dockerfile = textOf('Dockerfile').replace(/\\\n\s*/g, ' ');
const unit = Object.fromEntries(
  [...textOf('quartz.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
);
const config = parse(textOf('quartz.yaml'));
const pod = parse(textOf('kubernetes.yaml')).spec.template.spec;
const [container] = pod.containers;
const guide = readFileSync(join(ROOT, 'docs/guides/in-production.md'), 'utf8');

const command: readonly string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]');
const healthcheck: readonly string[] = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]');

describe('the examples for production', () => {
  it('copy their files into the image, and start it with these files', () => {
    const copied = [...dockerfile.matchAll(/^COPY (.*) \.\/$/gm)].flatMap(([, files = '']) => files.split(' '));
    const [program = '', ...args] = command;
    expect(program).toBe('node_modules/.bin/quartz');
    expect(copied.filter((file) => !/^package/.test(file)).sort()).toEqual(
      readdirSync(EXAMPLES)
        .filter((file) => /^(quartz|schedule)\.yaml$|mjs$/.test(file))
        .sort(),
    );
    expect(args.filter((word) => /\.(yaml|mjs)$/.test(word)).every((word) => existsSync(join(EXAMPLES, word)))).toBe(
      true,
    );
    expect(guide).toContain(`CMD ${JSON.stringify(command).replaceAll('","', '", "')}`);
  });

  it('start the same command everywhere, without npm', () => {
    const [node, ...words] = unit.ExecStart?.split(' ') ?? [];
    expect(node).toBe('/usr/bin/node');
    expect(words).toEqual(command);
    expect([container.command, container.args]).toEqual([undefined, undefined]); // the command of the image
  });

  it('let every supervisor wait longer than a shutdown takes', () => {
    const deadline = config.scheduler.shutdownDeadline / 1_000;
    const [, stopTimeout] = /--stop-timeout (\d+)/.exec(dockerfile) ?? [];
    const waits = [Number(stopTimeout), Number(unit.TimeoutStopSec), pod.terminationGracePeriodSeconds];
    for (const seconds of waits) expect(seconds).toBeGreaterThan(deadline + 5);
    expect(guide.match(/\| 45 s \|/g)).toHaveLength(waits.length);
    expect(waits).toEqual([45, 45, 45]);
  });

  it('restart a process that ended, but not one that cannot start', () => {
    expect(unit.Restart).toBe('always');
    const { USAGE, CONFIGURATION, JOBS_MODULE } = EXIT_CODES;
    const mistakes = [USAGE, CONFIGURATION, JOBS_MODULE].map(({ code }) => code);
    expect(unit.RestartPreventExitStatus?.split(' ').map(Number)).toEqual(mistakes);
    expect(guide).toContain(`Exit codes ${mistakes[0]}, ${mistakes[1]} and ${mistakes[2]}`);
    expect(guide).toContain(`exit code ${EXIT_CODES.FENCED.code}`);
  });

  it('use existing probes at the port of the console', () => {
    const names = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => container[name].httpGet);
    expect(names.map(({ path }) => path)).toEqual(['/health/startup', '/health/ready', '/health/live']);
    for (const { path } of names) expect(Object.keys(PROBES)).toContain(path.split('/').at(-1));
    const [port] = container.ports;
    expect(new Set(names.map((probe) => probe.port))).toEqual(new Set([port.name]));
    expect(port.containerPort).toBe(config.console.port);
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${config.console.port}$`, 'm'));
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold * 1_000).toBeGreaterThan(config.jobStore.startTimeout);
  });

  it('set every variable of the configuration', () => {
    const needed = [...textOf('quartz.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name).sort();
    expect(container.env.map(({ name }: { name: string }) => name).sort()).toEqual(needed);
    for (const { name, valueFrom } of container.env) expect(valueFrom.secretKeyRef.key).toBe(name);
    for (const name of needed) expect(textOf('quartz.service')).toContain(name);
  });

  it('have a well-formed systemd unit, which systemd accepts if it is installed', () => {
    const settings = [...textOf('quartz.service').matchAll(/^(?!#)(\S.*)$/gm)].map(([line]) => line);
    expect(settings.filter((line) => !/^\[\w+\]$|^\w+=.+$/.test(line))).toEqual([]);
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(EXAMPLES, 'quartz.service')], {
      encoding: 'utf8',
    });
    // Node.js may be installed elsewhere on this machine.
    const complaints = (stderr ?? '').split('\n').filter((line) => line.includes('quartz.service'));
    expect(complaints.filter((line) => !/\/usr\/bin\/node is not executable/.test(line))).toEqual([]);
  });

  describeOnOneServer('in a folder like the image', () => {
    let folder: string;
    let database: TestDatabase;
    beforeAll(async () => {
      folder = folderWithPackage('production');
      cpSync(EXAMPLES, folder, { recursive: true });
      database = await createDatabase(await sharedServer());
    });
    afterAll(async () => {
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    function environment(): NodeJS.ProcessEnv {
      return {
        PATH: process.env.PATH,
        ...variablesOf(database.url),
        QUARTZ_TOKEN_HASH: hashToken('a-token-of-24-letters-or-more'),
      };
    }

    it('have a valid configuration', () => {
      const output = execFileSync('node_modules/.bin/quartz', ['validate', 'quartz.yaml'], {
        cwd: folder,
        env: environment(),
        encoding: 'utf8',
      });
      expect(output).toMatch(/^valid: quartz\.yaml[\s\S]*^valid: .*schedule\.yaml/m);
    });

    it('start a node that answers the probes, and shuts down on SIGTERM', async () => {
      const [program = '', ...args] = command;
      // The port of the example may be taken on this machine.
      const child = spawn(program, [...args, '--http', '0'], { cwd: folder, env: environment(), stdio: 'pipe' });
      try {
        let text = '';
        const ended = new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)));
        const port = await new Promise<string>((found, reject) => {
          const read = (chunk: Buffer) => {
            text += chunk;
            const [, number] = /http:\/\/[^/\s]*:(\d+)\//.exec(text) ?? [];
            if (number !== undefined) found(number);
          };
          child.stdout.on('data', read);
          child.stderr.on('data', read);
          void ended.then(() => reject(new Error(`It never listened:\n${text}`)));
        });
        const status = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status);
        // Kubernetes polls the startup probe in the same way.
        while ((await status('/health/startup')) !== 200) await new Promise((passed) => setTimeout(passed, 100));
        expect(await Promise.all(['/health/ready', '/health/live', '/api/session'].map(status))).toEqual([
          200, 200, 401,
        ]);
        const [node = '', ...words] = healthcheck.map((word) => word.replace(':8080/', `:${port}/`));
        const probe = spawn(node, words);
        expect(await new Promise((done) => probe.once('exit', done))).toBe(0);
        child.kill('SIGTERM');
        expect(await ended).toBe(0);
        expect(text).toContain('SIGTERM: waiting for running jobs to finish');
      } finally {
        child.kill('SIGKILL');
      }
    }, 60_000);
  });
});
