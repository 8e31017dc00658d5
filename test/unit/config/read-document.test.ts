import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument, readDocument } from '../../../src/config/read-document';

describe('readDocument', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-document-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('parses .properties files as properties, and .yml and .json files as YAML', async () => {
    expect((await readDocument(file('a.properties', 'a: b: c'))).data).toEqual({ a: 'b: c' });
    expect((await readDocument(file('a.yml', 'a: [b]'))).data).toEqual({ a: ['b'] });
    expect((await readDocument(file('a.json', '{"a": ["b"]}'))).data).toEqual({ a: ['b'] });
  });

  it('skips a byte-order mark', async () => {
    expect((await readDocument(file('bom.yaml', '\ufeffa: 1'))).data).toEqual({ a: 1 });
  });

  it.each([
    ['a missing file', () => join(folder, 'missing.yaml'), /missing\.yaml: expected a file, found none/],
    ['a folder', () => folder, /expected a file, found a folder/],
    ['bytes that are not UTF-8', () => file('latin1.yaml', Uint8Array.of(0x61, 0xe4, 0x62)), /expected UTF-8 text/],
    ['a binary file', () => file('binary.yaml', 'a\u0000b\u0001'), /expected text, found control characters/],
    [
      'XML',
      () => file('quartz_data.xml', '<?xml version="1.0"?>\n<a/>'),
      /expected YAML, JSON or \.properties, found XML/,
    ],
    ['a huge file', () => file('huge.yaml', `a: ${'x'.repeat(4 * 1024 * 1024)}`), /expected at most 4194304 bytes/],
  ])('refuses %s', async (_, path, message) => {
    await expect(readDocument(path())).rejects.toThrow(message);
    await expect(readDocument(path())).rejects.toMatchObject({ code: 'CONFIGURATION', name: 'ConfigurationError' });
  });

  it.each([
    'quartz.mjs',
    'quartz.config.js',
    'quartz.ts',
  ])('refuses a program instead of reading it as YAML: %s', async (file) => {
    const wrong = readDocument(join(folder, file));
    await expect(wrong).rejects.toThrow(/expected a \.yaml, \.yml, \.json or \.properties file, found a program/);
    await expect(wrong).rejects.toMatchObject({ problems: [expect.anything()] });
  });

  it('refuses a huge text that was not read from a file', async () => {
    await expect(parseDocument('x'.repeat(5_000_000), 'x.yaml')).rejects.toThrow(/at most 4194304 characters/);
  });
});
