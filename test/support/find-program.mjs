import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The folders of PATH. */
export function foldersOfPath() {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

/** The path of the program in the first folder that has it, or null. */
export function findIn(folders, name) {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Subfolders of a folder; none if the folder does not exist. */
export function foldersIn(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(path, entry.name));
  } catch {
    return [];
  }
}

/** Library folders of unpacked packages: some packages still use /lib. */
export function libraryFolders(root) {
  const folders = ['usr/lib', 'lib'].flatMap((name) => foldersIn(join(root, name)));
  return folders.filter((folder) => folder.endsWith('-linux-gnu'));
}
