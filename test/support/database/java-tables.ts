import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The statements of Quartz's own script for InnoDB: its tables with all their indexes. The character set is the database's. */
export const JAVA_TABLES: readonly string[] = readFileSync(resolve(__dirname, '../../sql/quartz-tables.sql'), 'utf8')
  .replace(/^--.*$/gm, '')
  .split(';')
  .map((text) => text.trim())
  .filter((text) => text !== '');
