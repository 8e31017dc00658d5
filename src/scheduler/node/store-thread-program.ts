import { join } from 'node:path';
import type { ThreadProgram } from '../../store/thread/store-thread';

/**
 * What the store's thread runs: the file beside this one. In the build for bundlers another module takes this one's place, which
 * holds the program itself: scripts/build-for-bundlers.mjs.
 */
export const storeThreadProgram: ThreadProgram = { file: join(__dirname, 'store-thread-entry.js') };
