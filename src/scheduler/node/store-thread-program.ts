import { join } from 'node:path';
import type { ThreadProgram } from '../../store/thread/store-thread';

/**
 * Program of the store's thread: the entry module in the same folder. For bundles, scripts/build-for-bundlers.mjs replaces this module with one that
 * contains the program's code.
 */
export const storeThreadProgram: ThreadProgram = { file: join(__dirname, 'store-thread-entry.js') };
