// Physical floor: the least row work a clustered JDBC-style store must do per fire, from Node + mysql2, on the same server.
// usage: NODE_PATH... node floor.mjs port=33999 modules=DIR mode=single|batch|batch2|commit|commit1 conns=1|4 secs=8 [batch=100] [proto=exec|query]
import { createRequire } from 'node:module';

const A = Object.fromEntries(
  process.argv.slice(2).map((x) => [x.slice(0, x.indexOf('=')), x.slice(x.indexOf('=') + 1)]),
);
const req = createRequire(`${A.modules ?? `${process.env.TMPDIR ?? '/tmp'}/jq-node`}/x.js`);
const mysql = req('mysql2/promise');
const port = Number(A.port ?? 33999),
  conns = Number(A.conns ?? 1),
  secs = Number(A.secs ?? 8),
  B = Number(A.batch ?? 100),
  mode = A.mode ?? 'single',
  N = Number(A.n ?? 20000),
  exec = (A.proto ?? 'exec') === 'exec';
const T = A.slim ? 'floor_t' : 'QRTZ_TRIGGERS',
  F = A.slim ? 'floor_f' : 'QRTZ_FIRED_TRIGGERS';
const cfg = { host: '127.0.0.1', port, user: 'quartz', database: 'quartz', multipleStatements: !!A.multi };
const adm = await mysql.createConnection(cfg);
const S = 'FLOOR';
// rows to cycle over: real Quartz tables with all their indexes (or slim=1: same columns that matter, two indexes)
await adm.query('SET foreign_key_checks=0');
await adm.query('CREATE TABLE IF NOT EXISTS floor_c(id INT PRIMARY KEY, v BIGINT) ENGINE=InnoDB');
if (A.slim) {
  await adm.query(
    `CREATE TABLE IF NOT EXISTS floor_t(SCHED_NAME VARCHAR(120) NOT NULL, TRIGGER_NAME VARCHAR(190) NOT NULL, TRIGGER_GROUP VARCHAR(190) NOT NULL, NEXT_FIRE_TIME BIGINT, PREV_FIRE_TIME BIGINT, TRIGGER_STATE VARCHAR(16) NOT NULL, PRIMARY KEY(SCHED_NAME,TRIGGER_NAME,TRIGGER_GROUP), KEY(SCHED_NAME,TRIGGER_STATE,NEXT_FIRE_TIME)) ENGINE=InnoDB`,
  );
  await adm.query(
    `CREATE TABLE IF NOT EXISTS floor_f(SCHED_NAME VARCHAR(120) NOT NULL, ENTRY_ID VARCHAR(95) NOT NULL, TRIGGER_NAME VARCHAR(190) NOT NULL, TRIGGER_GROUP VARCHAR(190) NOT NULL, INSTANCE_NAME VARCHAR(190) NOT NULL, FIRED_TIME BIGINT NOT NULL, SCHED_TIME BIGINT NOT NULL, PRIORITY INT NOT NULL, STATE VARCHAR(16) NOT NULL, PRIMARY KEY(SCHED_NAME,ENTRY_ID), KEY(SCHED_NAME,INSTANCE_NAME)) ENGINE=InnoDB`,
  );
  await adm.query('TRUNCATE floor_t; '.replace('; ', ''));
  await adm.query('TRUNCATE floor_f');
  await adm.query(
    `INSERT INTO floor_t SELECT '${S}', CONCAT('t',seq), 'g', 1800000000000, NULL, 'WAITING' FROM seq_1_to_${N}`,
  );
} else {
  await adm.query(`DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME='${S}'`);
  await adm.query(`DELETE FROM QRTZ_TRIGGERS WHERE SCHED_NAME='${S}'`);
  await adm.query(
    `INSERT INTO QRTZ_TRIGGERS SELECT '${S}', CONCAT('t',seq), 'g', 'j', 'g', NULL, 1800000000000, -1, 5, 'WAITING', 'SIMPLE', 1800000000000, 0, NULL, 0, '' FROM seq_1_to_${N}`,
  );
}
await adm.query('INSERT IGNORE INTO floor_c SELECT seq, 0 FROM seq_1_to_64');
const stat = async () => {
  const [r] = await adm.query(
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions','Com_commit','Com_stmt_execute','Innodb_os_log_written')",
  );
  return Object.fromEntries(r.map((x) => [x.Variable_name, Number(x.Value)]));
};

let cycles = 0,
  stopAt = 0,
  eid = 0,
  deadlocks = 0,
  changed = 0,
  clock = 1800000000000;
const insF = `INSERT INTO ${F} (SCHED_NAME,ENTRY_ID,TRIGGER_NAME,TRIGGER_GROUP,INSTANCE_NAME,FIRED_TIME,SCHED_TIME,PRIORITY,STATE) VALUES `;
const tupF = `('${S}',?,?,'g','n1',?,?,5,'ACQUIRED')`;
const acq = `UPDATE ${T} SET TRIGGER_STATE='ACQUIRED' WHERE SCHED_NAME='${S}' AND TRIGGER_NAME=? AND TRIGGER_GROUP='g' AND TRIGGER_STATE='WAITING'`;
const fireT = `UPDATE ${T} SET TRIGGER_STATE='WAITING', NEXT_FIRE_TIME=?, PREV_FIRE_TIME=? WHERE SCHED_NAME='${S}' AND TRIGGER_NAME=? AND TRIGGER_GROUP='g'`;
const fireF = `UPDATE ${F} SET STATE='EXECUTING', FIRED_TIME=? WHERE SCHED_NAME='${S}' AND ENTRY_ID=?`;
const done = `DELETE FROM ${F} WHERE SCHED_NAME='${S}' AND ENTRY_ID=?`;
const q = (n) => Array(n).fill('?').join(',');

async function worker(w) {
  const c = await mysql.createConnection(cfg);
  const run = async (s, p) => {
    const [r] = await (exec ? c.execute(s, p) : c.query(s, p));
    if (/^UPDATE/.test(s)) changed += r.changedRows ?? 0;
    return r;
  };
  await c.query('SET autocommit=0');
  const per = Math.floor(N / conns);
  let pos = 0;
  const mine = w * per; // clock is shared and never goes back, so that no UPDATE writes a value already there
  const name = () => `t${mine + (pos++ % per) + 1}`;
  if (mode === 'commit') {
    while (Date.now() < stopAt) {
      await run('UPDATE floor_c SET v=v+1 WHERE id=?', [w + 1]);
      await c.query('COMMIT');
      cycles++;
    }
  } else if (mode === 'commit1') {
    // autocommit: one round trip per transaction
    await c.query('SET autocommit=1');
    while (Date.now() < stopAt) {
      await run('UPDATE floor_c SET v=v+1 WHERE id=?', [w + 1]);
      cycles++;
    }
  } else if (mode === 'single') {
    while (Date.now() < stopAt) {
      const n = name(),
        e = `e${w}_${eid++}`;
      clock += 7;
      await run(acq, [n]);
      await run(insF + tupF, [e, n, clock, clock]);
      await c.query('COMMIT');
      await run(fireT, [clock + 60000, clock, n]);
      await run(fireF, [clock, e]);
      await c.query('COMMIT');
      await run(done, [e]);
      await c.query('COMMIT');
      cycles++;
    }
  } else if (mode === 'batch') {
    const acqB = `UPDATE ${T} SET TRIGGER_STATE='ACQUIRED' WHERE SCHED_NAME='${S}' AND TRIGGER_GROUP='g' AND TRIGGER_STATE='WAITING' AND TRIGGER_NAME IN (${q(B)})`;
    const insB = insF + Array(B).fill(tupF).join(',');
    // every row gets its own next fire time: CASE, or a join to a derived table
    const fireTB = `UPDATE ${T} SET TRIGGER_STATE='WAITING', PREV_FIRE_TIME=?, NEXT_FIRE_TIME=CASE TRIGGER_NAME ${Array(B).fill('WHEN ? THEN ?').join(' ')} END WHERE SCHED_NAME='${S}' AND TRIGGER_GROUP='g' AND TRIGGER_NAME IN (${q(B)})`;
    const fireFB = `UPDATE ${F} SET STATE='EXECUTING', FIRED_TIME=? WHERE SCHED_NAME='${S}' AND ENTRY_ID IN (${q(B)})`;
    const doneB = `DELETE FROM ${F} WHERE SCHED_NAME='${S}' AND ENTRY_ID IN (${q(B)})`;
    while (Date.now() < stopAt) {
      const ns = [],
        es = [],
        pi = [],
        pc = [];
      clock += 7;
      for (let i = 0; i < B; i++) {
        const n = name(),
          e = `e${w}_${eid++}`;
        ns.push(n);
        es.push(e);
        pi.push(e, n, clock, clock);
        pc.push(n, clock + 60000 + i);
      }
      await run(acqB, ns);
      await run(insB, pi);
      await c.query('COMMIT');
      await run(fireTB, [clock, ...pc, ...ns]);
      await run(fireFB, [clock, ...es]);
      await c.query('COMMIT');
      await run(doneB, es);
      await c.query('COMMIT');
      cycles += B;
    }
  } else if (mode === 'batch2') {
    // acquire and fire in one transaction: 3 statements, 2 commits per batch
    const upT = `UPDATE ${T} SET PREV_FIRE_TIME=?, NEXT_FIRE_TIME=CASE TRIGGER_NAME ${Array(B).fill('WHEN ? THEN ?').join(' ')} END WHERE SCHED_NAME='${S}' AND TRIGGER_GROUP='g' AND TRIGGER_STATE='WAITING' AND TRIGGER_NAME IN (${q(B)})`;
    const insB = insF + Array(B).fill(tupF.replace('ACQUIRED', 'EXECUTING')).join(',');
    const doneB = `DELETE FROM ${F} WHERE SCHED_NAME='${S}' AND ENTRY_ID IN (${q(B)})`;
    while (Date.now() < stopAt) {
      const ns = [],
        es = [],
        pi = [],
        pc = [];
      clock += 7;
      for (let i = 0; i < B; i++) {
        const n = name(),
          e = `e${w}_${eid++}`;
        ns.push(n);
        es.push(e);
        pi.push(e, n, clock, clock);
        pc.push(n, clock + 60000 + i);
      }
      await run(upT, [clock, ...pc, ...ns]);
      await run(insB, pi);
      await c.query('COMMIT');
      await run(doneB, es);
      await c.query('COMMIT');
      cycles += B;
    }
  } else throw new Error(mode);
  await c.end();
}
async function round(s) {
  cycles = 0;
  changed = 0;
  stopAt = Date.now() + s * 1000;
  const t = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: conns }, async (_, w) => {
      for (;;) {
        try {
          await worker(w);
          return;
        } catch (e) {
          if (e.code !== 'ER_LOCK_DEADLOCK') throw e;
          deadlocks++;
          await adm.query(`DELETE FROM ${F} WHERE SCHED_NAME='${S}' AND ENTRY_ID LIKE 'e${w}\\_%'`).catch(() => {});
          await adm
            .query(`UPDATE ${T} SET TRIGGER_STATE='WAITING' WHERE SCHED_NAME='${S}' AND TRIGGER_STATE='ACQUIRED'`)
            .catch(() => {});
        }
      }
    }),
  );
  return cycles / (Number(process.hrtime.bigint() - t) / 1e9);
}
await round(1.5); // warm-up
const out = [];
let perq = '';
for (let i = 0; i < Number(A.reps ?? 3); i++) {
  const a = await stat(),
    u0 = process.cpuUsage(),
    t0 = Date.now();
  out.push(await round(secs));
  const b = await stat(),
    u = process.cpuUsage(u0);
  perq = `questions/cycle ${((b.Questions - a.Questions) / cycles).toFixed(3)} commits/cycle ${((b.Com_commit - a.Com_commit) / cycles).toFixed(4)} logB/cycle ${((b.Innodb_os_log_written - a.Innodb_os_log_written) / cycles).toFixed(0)} rows changed by UPDATE/cycle ${(changed / cycles).toFixed(2)} deadlocks ${deadlocks} client cpu ${((u.user + u.system) / 10 / (Date.now() - t0)).toFixed(0)}%`;
}
out.sort((x, y) => x - y);
const [[{ f }]] = await adm.query('SELECT @@innodb_flush_log_at_trx_commit f');
console.log(
  `FLOOR mode=${mode}${A.slim ? ' slim' : ''} proto=${exec ? 'exec' : 'query'} conns=${conns} batch=${mode.startsWith('batch') ? B : 1} flush=${f} -> ${out[out.length >> 1].toFixed(0)}/s (${out[0].toFixed(0)}–${out.at(-1).toFixed(0)}) ${perq}`,
);
await adm.query(`DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME='${S}'`);
await adm.query(`DELETE FROM QRTZ_TRIGGERS WHERE SCHED_NAME='${S}'`);
await adm.end();
