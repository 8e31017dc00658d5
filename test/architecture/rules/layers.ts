import { ADAPTERS, ENTRY_POINTS, LAYERS, SQL_ROOMS } from '../layers';
import { demoFiles, type SourceFile, sourceFiles } from '../source-files';

const folderOf = (module: string) => (module.includes('/') ? (module.split('/')[0] as string) : '');
const rankOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder));

function pointsUp(file: SourceFile, target: string): boolean {
  const from = folderOf(file.module);
  const to = folderOf(target);
  if (from === '') return to === 'cli';
  if (from === to) return false;
  return to === '' || rankOf(to) >= rankOf(from);
}

describe('import rules', () => {
  it('assign every source file to a layer or the entry points', () => {
    const homeless = sourceFiles()
      .map((file) => file.module)
      .filter((module) => (module.includes('/') ? rankOf(folderOf(module)) < 0 : !ENTRY_POINTS.includes(module)));
    expect(homeless).toEqual([]);
  });

  it('allow only imports of lower layers, also for types', () => {
    const wrong = sourceFiles().flatMap((file) =>
      file.imports.filter((target) => pointsUp(file, target)).map((target) => `${file.module} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('allow only the wiring to import store adapters', () => {
    const wrong = ADAPTERS.flatMap(({ adapter, allowedIn }) =>
      sourceFiles()
        .filter((file) => !allowedIn.some((allowed) => file.module.startsWith(allowed)))
        .filter((file) => file.imports.some((target) => target.startsWith(adapter)))
        .map((file) => `${file.module} -> ${adapter}`),
    );
    expect(wrong).toEqual([]);
  });

  it('allow only imports of lower folders inside the SQL store', () => {
    const wrong = sourceFiles().flatMap((file) =>
      file.imports
        .filter((target) => pointsUpInSql(file.module, target))
        .map((target) => `${file.module} -> ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(pointsUpInSql('store/sql/runtime/session', 'store/sql/rows/rows')).toBe(true);
    expect(pointsUpInSql('store/sql/rows/rows', 'store/sql/runtime/session')).toBe(false);
  });

  it('allow no import cycles, also not of types', () => {
    expect(findCycle()).toBeNull();
  });

  it('allow the demo to import the package only by its name', () => {
    const isOwn = (target: string) => !target.startsWith('..');
    const isKnown = (name: string) => name === 'quartz-ts' || name.startsWith('node:');
    const wrong = demoFiles().flatMap(({ module, imports, packages }) =>
      [...imports.filter((target) => !isOwn(target)), ...packages.filter((name) => !isKnown(name))].map(
        (target) => `${module} -> ${target}`,
      ),
    );
    expect(demoFiles().length).toBeGreaterThan(4);
    expect(wrong).toEqual([]);
  });

  it('detect an import of a higher layer', () => {
    const file = { module: 'domain/keys', imports: ['engine/engine'] } as unknown as SourceFile;
    expect(pointsUp(file, 'engine/engine')).toBe(true);
    expect(pointsUp(file, 'base/clock')).toBe(false);
    expect(pointsUp({ ...file, module: 'store/job-store' }, 'events/event-bus')).toBe(true);
  });
});

function pointsUpInSql(from: string, to: string): boolean {
  const [source, target] = [sqlFolderOf(from), sqlFolderOf(to)];
  if (source === null || target === null || source === target) return false;
  return sqlRank(target) >= sqlRank(source);
}

const sqlRank = (capacity: string) => SQL_ROOMS.findIndex((row) => row.includes(capacity));

/** The folder below store/sql that contains a module, '' for the store itself, null for modules elsewhere. */
function sqlFolderOf(module: string): string | null {
  const [, path] = /^store\/sql\/(.*)$/.exec(module) ?? [];
  if (path === undefined) return null;
  return path.includes('/') ? (path.split('/')[0] as string) : '';
}

/** A cycle as a list of modules, or null. */
function findCycle(): readonly string[] | null {
  const files = new Map(sourceFiles().map((file) => [file.module, file]));
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (module: string): readonly string[] | null => {
    if (done.has(module)) return null;
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    path.push(module);
    for (const target of files.get(module)?.imports ?? []) {
      const cycle = visit(target);
      if (cycle !== null) return cycle;
    }
    path.pop();
    done.add(module);
    return null;
  };
  for (const module of files.keys()) {
    const cycle = visit(module);
    if (cycle !== null) return cycle;
  }
  return null;
}
