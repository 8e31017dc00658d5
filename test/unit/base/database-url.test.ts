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
  ['postgres://app:S3cret@db/x', /mysql:\/\/host:port\/database, .*, because PostgreSQL is not supported/],
  ['jdbc:postgresql://db/x?user=app&password=S3cret', /because PostgreSQL is not supported/],
  ['jdbc:oracle:thin:app/S3cret@db:1521:x', /because Oracle is not supported/],
  ['mongodb+srv://app:S3cret@db/x', /because MongoDB is not supported/],
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

describe('an invalid database URL', () => {
  it.each(MISTAKES)('is refused with its correct form and without its password: %j', (text, expected) => {
    const problem = problemOfUrlOrPath(text);
    expect(problem?.expected).toMatch(expected);
    expect(`${problem?.expected} ${problem?.found}`).not.toContain('S3cret');
    expect(problemOfUrl(text)?.expected).toMatch(expected);
  });

  it.each(MISTAKES)('does not show its password in other messages either: %j', (text) => {
    expect(maskText(`The store failed: '${text}' is unknown.`)).not.toContain(':S3cret@');
  });

  it('is reported with its scheme and host', () => {
    expect(problemOfUrl('postgres://app:S3cret@db/x')?.found).toBe("'postgres://***@db/x'");
    expect(problemOfUrl('"mysql://app:S3cret@db/x"')?.found).toBe(`'"mysql://***@db/x"'`);
  });

  it.each([
    [':memory:', /leave out the database/],
    ['sqlite::memory:', /leave out the database/],
    ['sqlite://:memory:', /leave out the database/],
    ['sqlite:/:memory:', /leave out the database/],
    ['sqlite:file::memory:?cache=shared', /leave out the database/],
    ['file:x?mode=memory', /sqlite:FILE, such as 'sqlite:x'/],
    ['sqlite:', /sqlite:\.\/quartz\.db/],
    ['sqlite:///', /sqlite:\.\/quartz\.db/],
    ['file:./q.db', /such as 'sqlite:\.\/q\.db'/],
    ['file:///srv/q.db', /such as 'sqlite:\/srv\/q\.db'/],
    ['sqlite:file:q.db', /without file:, such as 'sqlite:q\.db'/],
    ['sqlite:q.db?mode=ro', /sqlite:FILE without parameters/],
    ['q.db?cache=shared', /sqlite:FILE without parameters/],
    ['sqlite3:q.db', /did you mean 'sqlite:…'/],
  ])('is refused with the correct form of a file path: %s', (text, expected) => {
    const problem = problemOfUrlOrPath(text);
    expect(problem?.expected).toMatch(expected);
    expect(problem?.found).toBe(`'${text}'`);
  });

  it.each([
    ['mysql://db', /a database name after the host, such as mysql:\/\/host:port\/quartz/],
    ['mysql://db/', /a database name after the host/],
    ['mysql://db:3306?ssl=true', /a database name after the host/],
    ['localhost:3306/quartz', /mysql:\/\/host:port\/database/],
    ['jdbc:h2:mem:x', /because h2 is not supported/],
    ['jdbc:hsqldb:mem:x', /because hsqldb is not supported/],
    ['jdbc:sqlserver://db:1433;databaseName=q', /because SQL Server is not supported/],
    ['postgresql://db/quartz', /because PostgreSQL is not supported/],
    ['jdbc:mysql:replication://a,b/q', /mysql:\/\/host:port\/database/],
  ])('is shown in full together with its correct form: %s', (text, expected) => {
    const problem = problemOfUrlOrPath(text);
    expect(problem?.expected).toMatch(expected);
    expect(maskText(`found ${problem?.found}`)).toContain(text.replace(/^jdbc:(?=mysql)/, ''));
  });

  it('keeps its quotes when another message masks it', () => {
    expect(maskText("found 'jdbc:oracle:thin:app/S3cret@db:1521:x'.")).toBe("found 'jdbc:oracle:thin:***@db:1521:x'.");
    expect(maskText("found 'app:S3cret@db:3306/x'.")).toBe("found '***@db:3306/x'.");
  });
});

describe('a valid database URL', () => {
  it.each([
    ['MYSQL://app@db/x', 'mysql://app@db/x'],
    ['jdbc:mysql://db/x?useUnicode=true&anythingOfJava=1', 'mysql://db/x'],
    ['jdbc:mysql://db/x?anythingOfJava=1&amp;sslMode=REQUIRED', 'mysql://db/x?sslMode=REQUIRED'],
    ['mariadb://a,b:3307/x', 'mariadb://a,b:3307/x'],
    ['sqlite:./q.db', 'sqlite:./q.db'],
    ['sqlite://./q.db', 'sqlite:./q.db'],
    ['sqlite://q.db', 'sqlite:q.db'],
    ['sqlite://data/q.db', 'sqlite:data/q.db'],
    ['sqlite:///srv/q.db', 'sqlite:/srv/q.db'],
    ['sqlite:////srv/q.db', 'sqlite:/srv/q.db'],
    ['sqlite:///C:/data/q.db', 'sqlite:C:/data/q.db'],
    ['//srv/q.db', 'sqlite:/srv/q.db'],
    ['./q.db', 'sqlite:./q.db'],
    ['/srv/data/q.db', 'sqlite:/srv/data/q.db'],
    ['data/2026-01@home.db', 'sqlite:data/2026-01@home.db'],
    ['C:\\data\\q.db', 'sqlite:C:\\data\\q.db'],
    ['C:/data/q.db', 'sqlite:C:/data/q.db'],
  ])('is accepted: %s', (text, url) => {
    expect(problemOfUrlOrPath(text)).toBeNull();
    expect(urlOfUrlOrPath(text)).toBe(url);
  });
});

it('a refused login keeps the message of the server', () => {
  const message = "Access denied for user 'app'@'host' (using password: YES) (ER_ACCESS_DENIED_ERROR 1045)";
  expect(maskText(message)).toBe(message);
});
