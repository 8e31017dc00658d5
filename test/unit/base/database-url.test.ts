import { problemOfUrl, problemOfUrlOrPath, urlOfUrlOrPath } from '../../../src/base/database-url';
import { maskText } from '../../../src/base/secrets';

/** Every spelling contains the password S3cret. */
const MISTAKES: readonly [text: string, expected: RegExp][] = [
  ['"mysql://app:S3cret@db/x"', /without quotes/],
  ["'mysql://app:S3cret@db/x'", /without quotes/],
  ['`mysql://app:S3cret@db/x`', /without quotes/],
  ['"mysql://app:S3cret@db/x', /without quotes/],
  [' mysql://app:S3cret@db/x', /without blanks/],
  ['mysql://app:S3cret@db/x\n', /without blanks/],
  ['QUARTZ_DB_URL=mysql://app:S3cret@db/x', /without the name of its variable/],
  ['export DB="mysql://app:S3cret@db/x"', /without the name of its variable/],
  ['URL = jdbc:mysql://app:S3cret@db/x', /without the name of its variable/],
  ['mysql2://app:S3cret@db/x', /did you mean 'mysql:\/\/…'/],
  ['mysl://app:S3cret@db/x', /did you mean 'mysql:\/\/…'/],
  ['mysql//app:S3cret@db/x', /did you mean 'mysql:\/\/…'/],
  ['mysql:app:S3cret@db/x', /mysql:\/\/host:port\/database/],
  ['mysql:/app:S3cret@db/x', /mysql:\/\/host:port\/database/],
  ['app:S3cret@db/x', /mysql:\/\/host:port\/database/],
  ['app:S3/cret/S3cret@db/x', /mysql:\/\/host:port\/database/],
  ['app:S3cret@tcp(db:3306)/x', /mysql:\/\/host:port\/database/],
  ['Server=db;Uid=app;Pwd=S3cret;Database=x', /mysql:\/\/host:port\/database/],
  ['host=db user=app password=S3cret dbname=x', /mysql:\/\/host:port\/database/],
  ['postgres://app:S3cret@db/x', /a database of one of these kinds/],
  ['postgresql://app:S3cret@db/x', /a database of one of these kinds/],
  ['mongodb+srv://app:S3cret@db/x', /a database of one of these kinds/],
  ['mysql://app:S3cret@db', /a database name after the host/],
  ['mysql://app:S3cret@db:notaport/x', /a port from 1 to 65535/],
  ['mysql://app:S3cret@db:99999/x', /a port from 1 to 65535/],
  ['mysql://app:S3/cret-S3cret@db/x', /special characters of the login encoded/],
  ['mysql://app:S3cret#1@db/x', /special characters of the login encoded/],
  ['mysql://app:100%S3cret@db/x', /%25 for each %/],
  ['mysql://app:S3cret@db/x?sslMode=BOGUS', /as sslMode/],
  ['mysql://app:S3cret@db/x?sslModus=REQUIRED', /did you mean sslMode/],
  ['mysql://app:S3cret@db/x?ssl={"rejectUnauthorized":true}', /true or false as ssl/],
];

describe('a value that is not a valid database URL', () => {
  it.each(MISTAKES)('%j is told what to write instead, without its password', (text, expected) => {
    const problem = problemOfUrlOrPath(text);
    expect(problem?.expected).toMatch(expected);
    expect(`${problem?.expected} ${problem?.found}`).not.toContain('S3cret');
    expect(problemOfUrl(text)?.expected).toMatch(expected);
  });

  it.each(MISTAKES)('%j loses its password in any other message, too', (text) => {
    expect(maskText(`The store failed: '${text}' is unknown.`)).not.toContain(':S3cret@');
  });

  it('names the scheme and the host that it found', () => {
    expect(problemOfUrl('postgres://app:S3cret@db/x')?.found).toBe("'postgres://***@db/x'");
    expect(problemOfUrl('"mysql://app:S3cret@db/x"')?.found).toBe(`'"mysql://***@db/x"'`);
  });

  it.each([
    ['sqlite::memory:', /leave out the database/],
    ['sqlite:', /sqlite:\.\/quartz\.db/],
    ['file:./q.db', /sqlite:FILE/],
    ['file:///srv/q.db', /sqlite:FILE/],
  ])('%s says how to write the path of a file', (text, expected) => {
    expect(problemOfUrlOrPath(text)?.expected).toMatch(expected);
  });
});

describe('a valid database URL', () => {
  it.each([
    ['MYSQL://app@db/x', 'mysql://app@db/x'],
    ['jdbc:mysql://db/x?useUnicode=true&anythingOfJava=1', 'mysql://db/x?useUnicode=true&anythingOfJava=1'],
    ['mariadb://a,b:3307/x', 'mariadb://a,b:3307/x'],
    ['sqlite:./q.db', 'sqlite:./q.db'],
    ['./q.db', 'sqlite:./q.db'],
    ['/srv/data/q.db', 'sqlite:/srv/data/q.db'],
    ['data/2026-01@home.db', 'sqlite:data/2026-01@home.db'],
    ['C:\\data\\q.db', 'sqlite:C:\\data\\q.db'],
    ['C:/data/q.db', 'sqlite:C:/data/q.db'],
  ])('%s', (text, url) => {
    expect(problemOfUrlOrPath(text)).toBeNull();
    expect(urlOfUrlOrPath(text)).toBe(url);
  });
});

it('a refused login keeps the words of the server', () => {
  const message = "Access denied for user 'app'@'host' (using password: YES) (ER_ACCESS_DENIED_ERROR 1045)";
  expect(maskText(message)).toBe(message);
});
