import { pageOf, subjectsOf, tablesOf } from './read-reference';

/**
 * Every key that docs/reference/configuration.md names; of plugins also their classes, which are headings there, and of the tables of
 * other names each name. `heading`: only the entries of the table under it.
 */
export function configurationEntries(heading?: string): readonly string[] {
  const page = pageOf('configuration');
  const plugins = (page.split('\n## plugin\n')[1] ?? '').split('\n## ')[0] ?? '';
  const classes = [...plugins.matchAll(/^### (\w+)$/gm)].map(([, name]) => `plugin.<name>.class: ${name}`);
  const tables = tablesOf(page).filter((table) => heading === undefined || table.heading === heading);
  return [
    ...(heading === undefined ? classes : []),
    ...tables.flatMap((table) => {
      if (table.header[2] !== 'also') return subjectsOf(table);
      return table.rows.flatMap(([key = '', , also = '']) =>
        namesIn(also).map((name) => `${namesIn(key)[0]}: ${name}`),
      );
    }),
  ];
}

const namesIn = (cell: string) => cell.split(', ').map((each) => each.replaceAll('`', ''));
