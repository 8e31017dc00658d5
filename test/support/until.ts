/** Polls `read` until `isSo` accepts its value. Rejects with the last value after 20 s. */
export async function until<T>(read: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await read();
    if (isSo(value)) return value;
    if (Date.now() > end) throw new Error(`It has not come to that: ${JSON.stringify(value)}`);
  }
}
