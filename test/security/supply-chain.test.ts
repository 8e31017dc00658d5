import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

describe('the package', () => {
  const { scripts } = read('package.json') as { readonly scripts: Readonly<Record<string, string>> };
  const packages = Object.entries(read('package-lock.json').packages as Readonly<Record<string, Locked>>).filter(
    ([path]) => path !== '',
  );

  it('runs no install scripts, and neither do its dependencies', () => {
    for (const name of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(name);
    const running = packages.filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true);
    expect(running.map(([path]) => path)).toEqual([]);
  });

  it('is built only from packages of the lock file, each with its hash', () => {
    expect(packages.length).toBeGreaterThan(100);
    const open = packages.filter(([, { integrity, link }]) => link !== true && !/^sha512-/.test(integrity ?? ''));
    expect(open.map(([path]) => path)).toEqual([]);
  });
});
