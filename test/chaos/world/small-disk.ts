import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate file system for a database, which can be filled completely without affecting other programs. */
export interface SmallDisk {
  readonly folder: string;
  /** Uses all free space. */
  fill(): void;
  free(): void;
  close(): void;
}

const SIZE = 64 * 1024 * 1024;

/** Mounts the file system in memory, which requires root. */
export function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      try {
        writeFileSync(filler, Buffer.alloc(SIZE));
        throw new Error(`${folder} took more than it holds.`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(filler, { force: true }),
    close() {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}

/** Reason why it is not available on this machine; null if it is. */
export function smallDiskMissing(): string | null {
  try {
    mountSmallDisk().close();
    return null;
  } catch {
    return 'a file system of its own cannot be mounted here (it takes Linux, and root)';
  }
}
