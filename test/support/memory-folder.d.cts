/** A new folder for the files of a database, in memory where the system has room for it. */
export function memoryFolder(prefix: string): string;
