import { join } from 'node:path';
import { freshModules } from '../../support/fresh-dist';

type Quartz = typeof import('../../../src');

let loaded: Quartz | null = null;

/** The built package. Its modules are single files, so that a test can load one that the package does not export. */
export function quartz(): Quartz {
  loaded ??= require(join(freshModules(), 'index.js')) as Quartz;
  return loaded;
}
