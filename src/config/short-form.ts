import type { ConfigTree } from './config-schema';
import { DEFAULT_SQL } from './default-config';
import { type Problem, problemAt } from './problem';
import type { SourceDocument } from './source-document';

/** The name of the data source that `database` stands for. */
const NAME = 'database';

type StoreSections = Pick<ConfigTree, 'jobStore' | 'dataSource'> & { readonly database?: string | undefined };

/** The sections of the store as `database` says them in one word; without it, as they are. */
export function withShortForm(tree: StoreSections): StoreSections {
  const { database, jobStore, dataSource } = tree;
  if (database === undefined) return tree;
  const url = database.replace(/^jdbc:/, '');
  const URL = /^(mysql|mariadb|sqlite):/.test(url) ? url : `sqlite:${url}`;
  return {
    jobStore: { ...jobStore, class: 'sql', dataSource: NAME, schema: jobStore.schema ?? 'create' },
    dataSource: { ...dataSource, [NAME]: { URL, maxConnections: DEFAULT_SQL.maxConnections } },
  };
}

/** What says the same as `database` once more. */
export function shortFormProblems({ database }: StoreSections, document: SourceDocument): readonly Problem[] {
  if (database === undefined) return [];
  const { jobStore = {}, dataSource } = document.data as { readonly jobStore?: object; readonly dataSource?: object };
  const twice = ['class', 'dataSource', 'path'].filter((key) => Object.hasOwn(jobStore, key));
  const paths = [...twice.map((key) => ['jobStore', key]), ...(dataSource === undefined ? [] : [['dataSource']])];
  return paths.map((path) => {
    const message = `expected either database, the short form, or ${path.join('.')}, found both`;
    return problemAt(document, { path, at: 'key', message });
  });
}
