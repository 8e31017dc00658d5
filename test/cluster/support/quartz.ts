import { join } from 'node:path';
import { freshDist } from '../../support/fresh-dist';

/** The built package as its users get it. */
export const quartz = () => require(join(freshDist(), 'index.js')) as typeof import('../../../src');
