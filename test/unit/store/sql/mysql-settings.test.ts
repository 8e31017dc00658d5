import { readMysqlUrl } from '../../../../src/store/sql/mysql/mysql-data-source';

const read = (url: string, user: string | null = null, password: string | null = null) =>
  readMysqlUrl({ name: 'main', url, user, password });
const settings = (url: string) => read(url).settings;

describe('a MySQL or MariaDB URL', () => {
  it('is accepted with and without jdbc:', () => {
    const expected = { hosts: [{ host: 'db.example', port: 3307 }], database: 'quartz', user: 'app', password: 'p w' };
    expect(settings('mysql://app:p%20w@db.example:3307/quartz')).toMatchObject(expected);
    expect(settings('jdbc:mysql://db.example:3307/quartz?user=app&password=p+w')).toMatchObject(expected);
    expect(read('mariadb://x:y@db.example:3307/quartz', 'app', 'p w').settings).toMatchObject(expected);
    expect(settings('mysql:///quartz')).toMatchObject({ hosts: [{ host: 'localhost', port: 3306 }] });
    expect(settings('mysql://[::1]/quartz')).toMatchObject({ hosts: [{ host: '::1', port: 3306 }] });
    expect(settings('mysql://x/quartz?socketPath=/run/mysqld.sock')).toMatchObject({
      socketPath: '/run/mysqld.sock',
      tls: null,
    });
  });

  it('enables encryption and verification by default, except for local hosts', () => {
    expect(settings('mysql://db.example/q').tls).toMatchObject({ verify: 'identity', certificateAuthority: null });
    expect(settings('mysql://10.0.0.1/q').tls).toMatchObject({ verify: 'identity', certificateAuthority: null });
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]'])
      expect(settings(`mysql://${host}/q`).tls).toBeNull();
    expect(settings('mysql://127.evil.example/q').tls).not.toBeNull();
  });

  it('accepts the encryption parameters of JDBC drivers', () => {
    const verify = (query: string) => settings(`mysql://db.example/q?${query}`).tls?.verify ?? 'off';
    expect(verify('useSSL=false')).toBe('off');
    expect(verify('ssl=false')).toBe('off');
    expect(verify('sslMode=DISABLED')).toBe('off');
    expect(verify('sslMode=REQUIRED')).toBe('nothing');
    expect(verify('sslMode=VERIFY_CA')).toBe('authority');
    expect(verify('sslMode=verify-full')).toBe('identity');
    expect(verify('useSSL=true&verifyServerCertificate=false')).toBe('nothing');
    expect(verify('sslMode=trust')).toBe('nothing');
    expect(settings('mysql://localhost/q?sslCa=/etc/ca.pem').tls).toMatchObject({
      verify: 'identity',
      certificateAuthority: '/etc/ca.pem',
    });
    expect(() => settings('mysql://localhost/q?sslMode=sometimes')).toThrow('expected DISABLED, REQUIRED');
  });

  it('accepts the parameter names of MySQL clients, and client certificates', () => {
    expect(settings('mysql://db.example/q?ssl-mode=REQUIRED').tls).toMatchObject({ verify: 'nothing' });
    const query = 'ssl-mode=VERIFY_CA&ssl-ca=/ca.pem&ssl-cert=/cert.pem&ssl-key=/key.pem';
    const files = { certificateAuthority: '/ca.pem', certificate: '/cert.pem', key: '/key.pem' };
    expect(settings(`mysql://db.example/q?${query}`).tls).toEqual({ verify: 'authority', ...files });
    expect(settings('mysql://localhost/q?sslCert=/c.pem&sslKey=/k.pem').tls).toMatchObject({ verify: 'identity' });
    expect(() => settings('mysql://localhost/q?sslCert=/c.pem')).toThrow('expected sslCert and sslKey together');
    expect(() => settings('mysql://localhost/q?sslMode=REQUIRED&ssl-mode=DISABLED')).toThrow('one value');
  });

  it('may contain several hosts, in the order in which they are tried', () => {
    const hosts = [
      { host: 'a', port: 3306 },
      { host: 'b', port: 3307 },
      { host: '::1', port: 3308 },
    ];
    expect(settings('mysql://app:x@a,b:3307,[::1]:3308/q').hosts).toEqual(hosts);
    expect(settings('mysql://127.0.0.1,localhost/q').tls).toBeNull();
    expect(settings('mysql://127.0.0.1,db.example/q').tls).not.toBeNull();
  });

  it('causes a warning for parameters that have no effect', () => {
    expect(read('mysql://localhost/q?useSSL=false&characterEncoding=utf8&serverTimezone=UTC').warnings).toEqual([
      'dataSource.main.URL: characterEncoding, serverTimezone have no effect here.',
    ]);
    expect(read('mysql://localhost/q?user=x').warnings).toEqual([]);
  });

  it.each([
    'mysql://app:secret@localhost',
    'mysql://app:secret@localhost/a/b',
    'mysql://app:secret@a,,b/q',
    'mysql:loadbalance://app:secret@a/q',
    'mysql://app:secret@local host/q?password=secret',
    'mysql://app:sec/ret@localhost/q',
    'mysql://app:s@e c/ret@localhost/q',
  ])('is refused without the password in the error: %s', (url) => {
    const thrown = (() => {
      try {
        return read(url);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject({ code: 'CONFIGURATION' });
    expect((thrown as Error).message).toMatch(/^dataSource\.main\.URL: expected/);
    expect((thrown as Error).message).not.toMatch(/secret|ret@|e c/);
  });
});
