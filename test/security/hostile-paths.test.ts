import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAll, serve, testConsole, testScheduler } from '../console/support';

/** Requests a path without normalising it, as `fetch` would. */
function ask(url: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('a path of a request', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-page-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(closeAll);

  it('opens no file except those of the page', async () => {
    const page = join(folder, 'page');
    mkdirSync(join(page, 'assets'), { recursive: true });
    writeFileSync(join(page, 'index.html'), '<!doctype html>page');
    writeFileSync(join(page, 'assets/main.js'), 'script');
    writeFileSync(join(folder, 'outside.js'), 'secret');
    writeFileSync(join(page, 'beside.js'), 'secret');
    const { url } = await serve(testConsole(await testScheduler(), {}, { pageFolder: page }).listener);
    expect(await ask(url, '/assets/main.js')).toMatchObject({ status: 200, text: 'script' });
    const paths = [
      '/assets/../beside.js',
      '/assets/..%2fbeside.js',
      '/assets/%2e%2e/beside.js',
      '/assets/%2e%2e%2f%2e%2e%2foutside.js',
      '/assets/..\\beside.js',
      '/assets/..%5c..%5coutside.js',
      '/assets//../../outside.js',
      '/../outside.js',
      `/assets/${encodeURIComponent(join(folder, 'outside.js'))}`,
      '/assets/main.js%00.html',
      '/assets/__proto__',
      '/assets/%ff',
      '/assets/',
      '/beside.js',
    ];
    for (const path of paths) {
      const { status, text } = await ask(url, path);
      expect([path, status < 500 && status >= 300, text.includes('secret')]).toEqual([path, true, false]);
    }
  });
});
