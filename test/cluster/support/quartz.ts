import { join } from 'node:path';
import { freshDist, freshModules } from '../../support/fresh-dist';

type Quartz = typeof import('../../../src');

let loaded: Quartz | null = null;
let bundled: Quartz | null = null;

/** The built package. Its modules are single files, so that a test can load one that the package does not export. */
export function quartz(): Quartz {
  loaded ??= require(join(freshModules(), 'index.js')) as Quartz;
  return loaded;
}

/** The package as users load it. Its few files make a store thread start in half the time. */
export function bundledQuartz(): Quartz {
  bundled ??= require(join(freshDist(), 'index.js')) as Quartz;
  return bundled;
}
