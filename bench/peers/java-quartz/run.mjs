// Orchestrates Bench JVMs against one MariaDB and prints one JSON line per run.
// usage: node run.mjs CMD key=value ...   (see README.md)
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [cmd, ...rest] = process.argv.slice(2);
const A = Object.fromEntries(rest.map((x) => [x.slice(0, x.indexOf('=')), x.slice(x.indexOf('=') + 1)]));
const num = (k, d) => (k in A ? Number(A[k]) : d);
const port = num('port', 33999);
const TMP = process.env.TMPDIR ?? '/tmp';
const dbdir = A.dbdir ?? `${TMP}/jq-db`;
const J = '/usr/share/java';
const CP = [
  A.classes ?? `${TMP}/jq-classes`,
  ...['quartz2', 'HikariCP', 'mariadb-java-client', 'slf4j-api', A.log ? 'slf4j-simple' : 'slf4j-nop'].map(
    (n) => `${J}/${n}.jar`,
  ),
].join(':');
const OUT = A.out ?? `${TMP}/jq-results.jsonl`;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

function sql(q, db = 'quartz') {
  return execFileSync('mariadb', ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uquartz', '-N', '-B', db], {
    input: q,
    maxBuffer: 1 << 28,
  }).toString();
}
const STAT = [
  'Questions',
  'Com_commit',
  'Com_rollback',
  'Com_set_option',
  'Com_select',
  'Com_insert',
  'Com_update',
  'Com_delete',
  'Handler_commit',
  'Innodb_data_fsyncs',
  'Innodb_os_log_written',
  'Innodb_row_lock_waits',
  'Innodb_row_lock_time',
  'Rows_read',
  'Handler_read_key',
  'Handler_read_next',
  'Handler_read_rnd_next',
  'Handler_write',
  'Handler_update',
  'Handler_delete',
  'Sort_rows',
  'Bytes_received',
  'Bytes_sent',
  'Innodb_deadlocks',
];
function status() {
  const m = Object.fromEntries(
    sql('SHOW GLOBAL STATUS')
      .trim()
      .split('\n')
      .map((l) => l.split('\t')),
  );
  const o = {};
  for (const k of STAT) o[k] = Number(m[k] ?? NaN);
  return o;
}
const diff = (a, b) => Object.fromEntries(Object.keys(a).map((k) => [k, b[k] - a[k]]));
const dbpid = () => Number(readFileSync(`${dbdir}/mariadbd.pid`, 'utf8'));
function cpuMs(pid) {
  // user+system of a process, ms
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const p = f.slice(f.lastIndexOf(')') + 2).split(' ');
  return (Number(p[11]) + Number(p[12])) * 10;
}
const live = new Set();
function java(mode, kv, opts = []) {
  const args = [
    '-Xms256m',
    '-Xmx1500m',
    ...opts,
    '-cp',
    CP,
    'Bench',
    mode,
    ...Object.entries(kv)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${k}=${v}`),
  ];
  const p = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  live.add(p);
  const h = { p, lines: [], count: 0, started: 0, result: null, on: null };
  h.exit = new Promise((r) =>
    p.on('exit', (c, s) => {
      live.delete(p);
      r(c ?? s);
    }),
  );
  const waits = [];
  createInterface({ input: p.stdout }).on('line', (l) => {
    if (l.startsWith('P ')) h.count = Number(l.slice(2));
    else if (l.startsWith('R ')) h.result = JSON.parse(l.slice(2));
    else h.lines.push(l);
    h.on?.(l);
    for (const w of waits) if (l.startsWith(w.pre)) w.res(l);
  });
  h.wait = (pre) => {
    const x = h.lines.find((l) => l.startsWith(pre));
    return x ? Promise.resolve(x) : new Promise((res) => waits.push({ pre, res }));
  };
  return h;
}
process.on('exit', () => {
  for (const p of live)
    try {
      p.kill('SIGKILL');
    } catch {}
});

const conf = () => ({
  port,
  store: A.store,
  threads: A.threads ?? 25,
  batch: A.batch,
  within: A.within,
  pool: A.pool,
  urlargs: A.urlargs,
  checkin: A.checkin,
  idle: A.idle,
  window: A.window,
  misfire: A.misfire,
  conns: A.conns,
  clustered: A.clustered,
});

function save(o) {
  const line = JSON.stringify(o);
  appendFileSync(OUT, `${line}\n`);
  return o;
}
function merge(results) {
  const b = {};
  let first = Infinity,
    last = 0,
    count = 0;
  for (const r of results) {
    if (!r || !r.count) continue;
    first = Math.min(first, r.first);
    last = Math.max(last, r.last);
    count += r.count;
    for (const [k, v] of Object.entries(r.b)) b[k] = (b[k] ?? 0) + v;
  }
  const ks = Object.keys(b)
    .map(Number)
    .sort((x, y) => x - y);
  // time by which a fraction of the fires had happened (100 ms buckets)
  const tAt = (f) => {
    let s = 0;
    for (const k of ks) {
      if (s + b[k] >= f * count) return (k + (f * count - s) / b[k]) * 100;
      s += b[k];
    }
    return last;
  };
  return {
    count,
    first,
    last,
    rate: (count / Math.max(1, last - first)) * 1000,
    midRate: ((count * 0.5) / Math.max(1, tAt(0.75) - tAt(0.25))) * 1000,
    lastHalf: ((count * 0.5) / Math.max(1, last - tAt(0.5))) * 1000,
  };
}

async function drain(label) {
  const nodes = num('nodes', 1),
    n = num('n', 4000),
    maxSec = num('max', 45);
  const ram = A.store === 'ram';
  if (!ram) {
    const l = java('load', { port, kind: A.kind ?? 'many', n, spread: A.spread });
    if ((await l.exit) !== 0) throw new Error('load failed');
    sql('ANALYZE TABLE QRTZ_TRIGGERS, QRTZ_JOB_DETAILS, QRTZ_SIMPLE_TRIGGERS, QRTZ_FIRED_TRIGGERS');
    if (A.afterload) sql(A.afterload);
  }
  const hs = [];
  for (let i = 0; i < nodes; i++)
    hs.push(java('node', { ...conf(), id: `n${i + 1}`, kind: A.kind ?? 'many', n, warm: A.warm }));
  await Promise.all(hs.map((h) => h.wait('READY')));
  if (!ram && !A.keeptime)
    sql(
      `UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME=FLOOR(UNIX_TIMESTAMP(NOW(3))*1000) WHERE TRIGGER_GROUP='due' AND ${A.spread ? '0' : '1'}`,
    );
  await sleep(500);
  if (A.profile) sql("SET GLOBAL log_output='TABLE'; TRUNCATE mysql.general_log; SET GLOBAL general_log=1;");
  const s0 = ram ? null : status(),
    d0 = ram ? 0 : cpuMs(dbpid());
  const t0 = Date.now();
  for (const h of hs) h.p.stdin.write('go\n');
  let done = false;
  while (Date.now() - t0 < maxSec * 1000) {
    await sleep(10);
    const c = hs.reduce((s, h) => s + h.count, 0);
    if (c >= n) {
      done = true;
      break;
    }
    if (hs.some((h) => h.p.exitCode !== null)) break;
  }
  if (!ram && done)
    for (let i = 0; i < 40; i++) {
      await sleep(25);
      if (sql('SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS').trim() === '0') break;
    }
  const s1 = ram ? null : status(),
    d1 = ram ? 0 : cpuMs(dbpid()),
    wall = Date.now() - t0;
  if (A.profile) sql('SET GLOBAL general_log=0;');
  for (const h of hs) h.p.stdin.write('stop\n');
  await Promise.all(hs.map((h) => h.exit));
  const m = merge(hs.map((h) => h.result));
  const o = {
    label: label ?? A.label ?? 'w1',
    cfg: { ...conf(), nodes, n, kind: A.kind ?? 'many', note: A.note },
    done,
    ...m,
    rate: +m.rate.toFixed(1),
    midRate: +m.midRate.toFixed(1),
    lastHalf: +m.lastHalf.toFixed(1),
    perNode: hs.map((h) => h.result?.count),
    wall,
    jvmCpuMs: hs.map((h) => h.result?.cpuMs),
    dbCpuMs: d1 - d0,
  };
  if (s0) {
    const d = diff(s0, s1);
    o.db = d;
    o.perFire = Object.fromEntries(Object.entries(d).map(([k, v]) => [k, +(v / m.count).toFixed(3)]));
  }
  return save(o);
}
function show(o) {
  const p = o.perFire ?? {};
  console.log(
    `${o.label} nodes=${o.cfg.nodes} batch=${o.cfg.batch ?? 'dflt'} within=${o.cfg.within ?? '-'} thr=${o.cfg.threads} kind=${o.cfg.kind} pool=${o.cfg.pool ?? 'std'} n=${o.cfg.n} -> ${o.rate}/s mid ${o.midRate}/s last½ ${o.lastHalf}/s count=${o.count}${o.done ? '' : ' (cut)'} perNode=${o.perNode} | q/fire ${p.Questions} commit ${p.Com_commit} set ${p.Com_set_option} sel ${p.Com_select} ins ${p.Com_insert} upd ${p.Com_update} del ${p.Com_delete} rb ${p.Com_rollback} lockwaits ${p.Innodb_row_lock_waits} sortrows ${p.Sort_rows} rdnext ${p.Handler_read_next} logB ${p.Innodb_os_log_written} dl ${o.db?.Innodb_deadlocks} | cpu db ${((o.dbCpuMs / o.wall) * 100).toFixed(0)}% jvm ${o.jvmCpuMs.map((c) => `${((c / o.wall) * 100).toFixed(0)}%`)}`,
  );
}

async function repeat() {
  // W2: one probe of K
  const nodes = num('nodes', 1),
    K = num('n', 100),
    secs = num('secs', 18),
    warm = num('warmms', 7000);
  const ram = A.store === 'ram';
  if (!ram) {
    const l = java('load', { port, kind: 'repeat', n: K });
    if ((await l.exit) !== 0) throw new Error('load failed');
    sql('ANALYZE TABLE QRTZ_TRIGGERS, QRTZ_JOB_DETAILS, QRTZ_SIMPLE_TRIGGERS, QRTZ_FIRED_TRIGGERS');
  }
  const hs = [];
  for (let i = 0; i < nodes; i++)
    hs.push(java('node', { ...conf(), id: `n${i + 1}`, kind: 'repeat', n: K, warm, delay: ram ? 1500 : undefined }));
  await Promise.all(hs.map((h) => h.wait('READY')));
  if (!ram)
    sql(
      `SET @d := FLOOR(UNIX_TIMESTAMP(NOW(3))*1000)+1500 - (SELECT MIN(NEXT_FIRE_TIME) FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP='due'); UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME=NEXT_FIRE_TIME+@d, START_TIME=START_TIME+@d WHERE TRIGGER_GROUP='due'`,
    );
  for (const h of hs) h.p.stdin.write('go\n');
  await sleep(warm);
  const s0 = ram ? null : status(),
    d0 = ram ? 0 : cpuMs(dbpid()),
    c0 = hs.reduce((s, h) => s + h.count, 0),
    tw = Date.now();
  await sleep(secs * 1000 - warm);
  const c1 = hs.reduce((s, h) => s + h.count, 0),
    tw1 = Date.now();
  const s1 = ram ? null : status(),
    d1 = ram ? 0 : cpuMs(dbpid());
  for (const h of hs) h.p.stdin.write('stop\n');
  await Promise.all(hs.map((h) => h.exit));
  const rs = hs.map((h) => h.result);
  const rate = ((c1 - c0) / (tw1 - tw)) * 1000;
  const o = {
    label: 'w2',
    cfg: { ...conf(), nodes, K },
    rate: +rate.toFixed(1),
    p50: rs.map((r) => r.p50),
    p99: rs.map((r) => r.p99),
    max: rs.map((r) => r.max),
    misfired: rs.map((r) => r.misfired),
    counts: rs.map((r) => r.count),
    dbCpu: +((d1 - d0) / (tw1 - tw)).toFixed(2),
  };
  o.ok =
    Math.max(...o.p99.filter((x) => x !== undefined)) < 1000 && rate >= 0.97 * K && o.misfired.every((x) => x === 0);
  if (s0) {
    const d = diff(s0, s1);
    o.perFire = Object.fromEntries(Object.entries(d).map(([k, v]) => [k, +(v / (c1 - c0)).toFixed(2)]));
  }
  console.log(
    `w2 nodes=${nodes} batch=${A.batch ?? 'dflt'} store=${A.store ?? 'jdbc'} K=${K} -> rate ${o.rate}/s p50 ${o.p50} p99 ${o.p99} max ${o.max} misfired ${o.misfired} q/fire ${o.perFire?.Questions} ok=${o.ok}`,
  );
  return save(o);
}
async function w2max() {
  // exponential + bisection
  let lo = num('lo', 50),
    hi = num('hi', 0),
    best = null;
  const steps = num('steps', 3);
  let k = lo;
  while (!hi) {
    A.n = k;
    const r = await repeat();
    if (r.ok) {
      best = r;
      lo = k;
      k = Math.round(k * 1.6);
    } else hi = k;
    if (best === null && hi) {
      hi = k;
      lo = Math.round(k / 2);
      break;
    }
  }
  for (let i = 0; i < steps && hi - lo > Math.max(5, lo * 0.05); i++) {
    const mid = Math.round((lo + hi) / 2);
    A.n = mid;
    const r = await repeat();
    if (r.ok) {
      lo = mid;
      best = r;
    } else hi = mid;
  }
  console.log(
    `W2MAX nodes=${A.nodes ?? 1} batch=${A.batch ?? 'dflt'} store=${A.store ?? 'jdbc'} K=${lo} best ${JSON.stringify(best && { K: best.cfg.K, p50: best.p50, p99: best.p99, max: best.max })} fails at ${hi}`,
  );
}

async function simple(mode, extra = {}) {
  if (A.store !== 'ram' && !A.keep) cleanAll();
  const h = java(mode, { ...conf(), what: A.what, n: A.n, secs: A.secs, bulk: A.bulk, ...extra });
  let s0, s1;
  if (mode === 'w3' && A.store !== 'ram') {
    await h.wait('WARM');
    s0 = status();
  }
  const code = await h.exit;
  if (s0) s1 = status();
  const o = { label: mode, cfg: { ...conf(), what: A.what }, code, ...h.result };
  if (s0) o.perOp = Object.fromEntries(Object.entries(diff(s0, s1)).map(([k, v]) => [k, +(v / o.n).toFixed(2)]));
  console.log(
    `${mode} ${A.what ?? ''} store=${A.store ?? 'jdbc'} ${JSON.stringify(h.result)} ${o.perOp ? `q/op ${o.perOp.Questions} commit/op ${o.perOp.Com_commit}` : ''} code=${code}`,
  );
  return save(o);
}
function cleanAll() {
  sql(
    'SET foreign_key_checks=0; TRUNCATE QRTZ_FIRED_TRIGGERS; TRUNCATE QRTZ_SCHEDULER_STATE; TRUNCATE QRTZ_SIMPLE_TRIGGERS; TRUNCATE QRTZ_CRON_TRIGGERS; TRUNCATE QRTZ_TRIGGERS; TRUNCATE QRTZ_JOB_DETAILS;',
  );
}
async function w4far() {
  // node n1 runs; a standby clustered client schedules
  cleanAll();
  const a = java('node', { ...conf(), id: 'n1' });
  await a.wait('READY');
  a.p.stdin.write('go\n');
  const c = java('w4client', { ...conf(), id: 'n2', n: A.n, gap: A.gap });
  await c.wait('READY');
  await c.exit;
  const N = num('n', 120),
    t0 = Date.now();
  while (a.count < N && Date.now() - t0 < 40000) await sleep(50);
  await sleep(100);
  a.p.stdin.write('stop\n');
  await a.exit;
  const { b, ...r } = a.result;
  console.log('w4far', JSON.stringify(r));
  save({ label: 'w4far', cfg: conf(), ...r });
}
async function failover() {
  cleanAll();
  const jobs = num('jobs', 10);
  const a = java('failnode', { ...conf(), id: 'a', jobs });
  await a.wait('STARTED');
  const started = new Set();
  for (const l of a.lines) if (l.startsWith('X')) started.add(l);
  a.on = (l) => {
    if (l.startsWith('X')) started.add(l);
  };
  const tS = Date.now();
  while (started.size < jobs && Date.now() - tS < 15000) await sleep(20);
  const b = java('failnode', { ...conf(), id: 'b' });
  await b.wait('STARTED');
  const ci = num('checkin', 7500);
  await sleep(ci * 1.2 + Math.random() * ci); // random phase relative to check-ins
  const rec = [];
  b.on = (l) => {
    if (l.startsWith('X')) rec.push(l.split(' '));
  };
  a.p.kill('SIGKILL');
  const tk = Date.now();
  while (rec.length < jobs && Date.now() - tk < 60000) await sleep(10);
  const ts = rec.map((r) => Number(r[3]) - tk);
  b.p.kill('SIGKILL');
  await b.exit;
  console.log(
    `failover checkin=${ci} startedOnA=${started.size} recovered=${rec.length} (isRecovering ${rec.filter((r) => r[2] === 'true').length}) first ${Math.min(...ts)} ms last ${Math.max(...ts)} ms`,
  );
  save({
    label: 'failover',
    checkin: ci,
    started: started.size,
    recovered: rec.length,
    first: Math.min(...ts),
    last: Math.max(...ts),
  });
}
function profile(n) {
  // normalised statement counts from the general log
  const rows = sql(
    "SELECT command_type, REPLACE(REPLACE(CONVERT(argument USING utf8mb4),'\\n',' '),'\\t',' ') FROM mysql.general_log WHERE user_host LIKE 'quartz%' AND command_type IN ('Query','Ping','Prepare','Execute')",
  ).split('\n');
  const m = new Map();
  for (const l of rows) {
    const [t, a = ''] = l.split('\t');
    if (!t) continue;
    const k =
      (t === 'Query' ? '' : `${t} `) +
      a
        .replace(/\\'/g, '')
        .replace(/x?'[^']*'/g, '?')
        .replace(/\b\d+\b/g, '?')
        .replace(/_binary ?\S*/g, '?')
        .replace(/\s+/g, ' ')
        .slice(0, 400);
    m.set(k, (m.get(k) ?? 0) + 1);
  }
  const out = [...m].sort((a, b) => b[1] - a[1]);
  for (const [k, v] of out)
    if (v / n >= 0.004) console.log((v / n).toFixed(3).padStart(8), k.slice(0, num('width', 170)));
}

try {
  if (cmd === 'ddl') {
    // create tables from the DDL inside the Quartz jar
    const ddl = execFileSync('unzip', [
      '-p',
      `${J}/quartz2.jar`,
      'org/quartz/impl/jdbcjobstore/tables_mysql_innodb.sql',
    ]).toString();
    sql(ddl);
    console.log('tables created');
  } else if (cmd === 'clean') cleanAll();
  else if (cmd === 'w1') {
    const rs = [];
    for (let i = 0; i < num('reps', 1); i++) {
      const o = await drain();
      show(o);
      rs.push(o);
    }
    if (rs.length > 1) {
      const v = rs.map((r) => r.rate).sort((a, b) => a - b);
      console.log(`  == median ${v[v.length >> 1]} (${v[0]}–${v.at(-1)})`);
    }
  } else if (cmd === 'profile') {
    A.profile = '1';
    const o = await drain('profile');
    show(o);
    profile(o.count);
  } else if (cmd === 'w2') await repeat();
  else if (cmd === 'w2max') await w2max();
  else if (cmd === 'w3') await simple('w3');
  else if (cmd === 'w4') await simple('w4');
  else if (cmd === 'w4far') await w4far();
  else if (cmd === 'failover') for (let i = 0; i < num('reps', 1); i++) await failover();
  else if (cmd === 'far') {
    // W5: n waiting one-shot triggers, due 10 to 40 days from now, one durable job
    sql(
      `SET foreign_key_checks=0; INSERT IGNORE INTO QRTZ_JOB_DETAILS VALUES('S','far','far',NULL,'Bench$Noop','1','0','0','0','')`,
    );
    const n = num('n', 1000000),
      step = 50000,
      t = Date.now();
    for (let a = 1; a <= n; a += step) {
      const seq = `seq_${a}_to_${Math.min(n, a + step - 1)}`,
        at = `${Date.now() + 864000000} + seq*2592`;
      sql(`SET foreign_key_checks=0; INSERT INTO QRTZ_TRIGGERS SELECT 'S', CONCAT('f',seq), 'far', 'far', 'far', NULL, ${at}, -1, 5, 'WAITING', 'SIMPLE', ${at}, 0, NULL, 0, '' FROM ${seq};
        INSERT INTO QRTZ_SIMPLE_TRIGGERS SELECT 'S', CONCAT('f',seq), 'far', 0, 0, 0 FROM ${seq}`);
    }
    console.log('far', n, 'in', Date.now() - t, 'ms');
  } else if (cmd === 'sql') console.log(sql(A.q));
  else throw new Error(`unknown command ${cmd}`);
} catch (e) {
  console.error(e);
  process.exitCode = 1;
}
process.exit();
