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

describe('layers', () => {
  it('gives every source file a layer or makes it an entry point', () => {
    const homeless = sourceFiles()
      .map((file) => file.module)
      .filter((module) => (module.includes('/') ? rankOf(folderOf(module)) < 0 : !ENTRY_POINTS.includes(module)));
    expect(homeless).toEqual([]);
  });

  it('lets imports point down only, type imports too', () => {
    const wrong = sourceFiles().flatMap((file) =>
      file.imports.filter((target) => pointsUp(file, target)).map((target) => `${file.module} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('shows adapters to the wiring alone', () => {
    const wrong = ADAPTERS.flatMap(({ adapter, allowedIn }) =>
      sourceFiles()
        .filter((file) => !allowedIn.some((allowed) => file.module.startsWith(allowed)))
        .filter((file) => file.imports.some((target) => target.startsWith(adapter)))
        .map((file) => `${file.module} -> ${adapter}`),
    );
    expect(wrong).toEqual([]);
  });

  it('lets imports inside the SQL store point down only, from room to room', () => {
    const wrong = sourceFiles().flatMap((file) =>
      file.imports
        .filter((target) => pointsUpInSql(file.module, target))
        .map((target) => `${file.module} -> ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(pointsUpInSql('store/sql/runtime/session', 'store/sql/rows/rows')).toBe(true);
    expect(pointsUpInSql('store/sql/rows/rows', 'store/sql/runtime/session')).toBe(false);
  });

  it('has no import cycles, type imports included', () => {
    expect(findCycle()).toBeNull();
  });

  it('lets the demo use the package by its name alone, like any other program', () => {
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

  it('would notice an import that points up', () => {
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

/** The folder below store/sql in which a module is, '' for the store itself, null for what is elsewhere. */
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
