import { loadDriver } from '../../../../src/store/sql/mysql/mysql-data-source';

const failing = (message: string) => () => {
  throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
};
const missing = failing("Cannot find module 'mysql2'\nRequire stack:\n- /app/x.js");

describe('the driver of MySQL and MariaDB', () => {
  it('is loaded by the package itself, or from where the application has it', () => {
    expect(loadDriver().createConnection).toBeInstanceOf(Function);
    const driver = loadDriver();
    expect(loadDriver(missing, () => driver)).toBe(driver);
  });

  it('that cannot be loaded is reported with the reason and the command that installs it', () => {
    expect(() => loadDriver(missing, missing)).toThrow(
      'The mysql job store needs the package mysql2 >= 3.24.5, found none. Run: npm install mysql2@3.',
    );
    expect(() => loadDriver(missing, failing("Cannot find module 'long'"))).toThrow(
      "mysql2 >= 3.24.5, found one that cannot be loaded: Cannot find module 'long'. Run: npm install mysql2@3.",
    );
  });
});
