import { join } from 'node:path';
import { freshDist } from '../../support/fresh-dist';

type Quartz = typeof import('../../../src');

let loaded: Quartz | null = null;

/** The built package as its users get it. */
export function quartz(): Quartz {
  loaded ??= require(join(freshDist(), 'index.js')) as Quartz;
  return loaded;
}
