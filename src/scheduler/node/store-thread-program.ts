import { join } from 'node:path';
import type { ThreadProgram } from '../../store/thread/store-thread';

/**
 * Program of the store's thread: the entry file next to this one. The build for bundlers replaces this module with one that contains the program:
 * scripts/build-for-bundlers.mjs.
 */
export const storeThreadProgram: ThreadProgram = { file: join(__dirname, 'store-thread-entry.js') };
