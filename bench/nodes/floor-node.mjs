// The least row work that firing takes, without a scheduler, on one connection: per batch two transactions, the triggers moved on
// and their fired rows inserted, then the fired rows deleted. Every trigger gets a fire time of its own. Speaks the harness's
// lines: READY, a line, WARM, a line, R {json}. Arguments: url, batch, n (triggers there are), warm and millis.
import { createConnection } from 'mysql2/promise';
import { settings } from '../lib/options.mjs';
import { SCHEDULER, standardInput } from '../lib/our-scheduler.mjs';
import { DUE } from '../lib/tables.mjs';

const given = settings(process.argv.slice(2));
const batch = given.number('batch', 100);
const triggers = given.number('n', 20_000);

const list = (part) => Array(batch).fill(part).join(', ');
// Without the hint the server weighs the long list against every index, which takes longer than the update.
const ADVANCE = `UPDATE QRTZ_TRIGGERS FORCE INDEX (PRIMARY)
  SET PREV_FIRE_TIME = ?, NEXT_FIRE_TIME = CASE TRIGGER_NAME ${Array(batch).fill('WHEN ? THEN ?').join(' ')} END
  WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP = '${DUE}' AND TRIGGER_STATE = 'WAITING' AND TRIGGER_NAME IN (${list('?')})`;
const INSERT = `INSERT INTO QRTZ_FIRED_TRIGGERS
  (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE)
  VALUES ${list(`('${SCHEDULER}', ?, ?, '${DUE}', 'floor', ?, ?, 5, 'EXECUTING')`)}`;
const DELETE = `DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND ENTRY_ID IN (${list('?')})`;

const connection = await createConnection(given.text('url'));
await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
await connection.query('SET autocommit = 0');
const nextLine = standardInput();
console.log('READY');
await nextLine();
await cycle(given.number('warm', 1_500));
console.log('WARM');
await nextLine();
const cpu = process.cpuUsage();
const begun = performance.now();
const count = await cycle(given.number('millis', 3_000));
const seconds = (performance.now() - begun) / 1_000;
const { user, system } = process.cpuUsage(cpu);
console.log(`R ${JSON.stringify({ count, perSecond: count / seconds, cpuMs: (user + system) / 1_000 })}`);
await connection.end();
process.exit(0);

/** Fires batch after batch, going round over all triggers; returns how many. */
async function cycle(millis) {
  let fired = 0;
  for (const end = performance.now() + millis; performance.now() < end; fired += batch) await fireBatch();
  return fired;
}

async function fireBatch() {
  const now = nextTime();
  const names = Array.from({ length: batch }, nextTrigger);
  const entries = names.map(nextEntry);
  const advanced = await connection.execute(ADVANCE, [
    now,
    ...names.flatMap((name, i) => [name, now + 60_000 + i]),
    ...names,
  ]);
  if (advanced[0].changedRows !== batch) throw new Error(`${advanced[0].changedRows} of ${batch} triggers moved on.`);
  await connection.execute(
    INSERT,
    names.flatMap((name, i) => [entries[i], name, now, now]),
  );
  await connection.query('COMMIT');
  await connection.execute(DELETE, entries);
  await connection.query('COMMIT');
}

/** Never the same again, so that every update changes its row. */
function nextTime() {
  nextTime.last = Math.max((nextTime.last ?? 0) + 1, Date.now());
  return nextTime.last;
}

function nextTrigger() {
  nextTrigger.position = ((nextTrigger.position ?? -1) + 1) % triggers;
  return `t${nextTrigger.position}`;
}

function nextEntry() {
  nextEntry.count = (nextEntry.count ?? 0) + 1;
  return `floor${nextEntry.count}`;
}
