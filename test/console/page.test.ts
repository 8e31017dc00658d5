import { tmpdir } from 'node:os';
import { ask, closeAll, testConsole, testScheduler } from './support';

const PAGE = { pageFolder: `${__dirname}/page` };

describe('the files of the page', () => {
  afterEach(closeAll);

  it('are public: the page is never cached, and its assets are cached without limit', async () => {
    const shown = testConsole(await testScheduler(), { auth: { authenticate: async () => null } }, PAGE);
    const index = await ask(shown, '');
    expect({ status: index.status, type: index.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect(index.headers.get('cache-control')).toBe('no-store');
    const script = await ask(shown, 'assets/main-ABC.js');
    expect({ status: script.status, text: script.text }).toEqual({ status: 200, text: 'void 0;\n' });
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await ask(shown, 'assets/icon-ABC.svg')).headers.get('content-type')).toBe('image/svg+xml');
    for (const { headers } of [index, script]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|data:/);
    }
  });

  it('are the only files with an address', async () => {
    const shown = testConsole(await testScheduler(), {}, PAGE);
    for (const path of [
      ...['assets/notes.txt', 'assets/..%2Findex.html', 'assets/..%2F..%2Fsupport.ts', 'assets/%2e%2e/index.html'],
      ...['assets/__proto__', 'assets/constructor', 'assets/', 'page.test.ts', 'index.html', 'assets/main-ABC.js/'],
    ]) {
      const { status, body } = await ask(shown, path);
      expect({ path, status, code: body?.code }).toEqual({ path, status: 404, code: 'NO_SUCH_PATH' });
    }
  });

  it('that were not built are reported, and the API works', async () => {
    const shown = testConsole(await testScheduler(), {}, { pageFolder: tmpdir() });
    const missing = await ask(shown, '');
    expect(missing).toMatchObject({
      status: 503,
      body: { code: 'NOT_BUILT', detail: expect.stringContaining('npm run build') },
    });
    expect(await ask(shown, 'api/session')).toMatchObject({ status: 200 });
  });
});
