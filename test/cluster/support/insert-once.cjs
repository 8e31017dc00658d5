// A job that stores one row for its occurrence, in one transaction with the end of its run. A module for node.cjs.
module.exports = ({ write, sleep }) => ({
  insert: async (context) => {
    const { trigger, data, isRecovering, runId: id, signal } = context;
    const { QRTZ_X_OCCURRENCE_TRIGGER_NAME: retried, QRTZ_X_OCCURRENCE_SCHEDULED_TIME: retriedTime } = trigger.data;
    const { QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME: failed } = data;
    const { QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING: failedTime } = data;
    const name = retried ?? (isRecovering ? failed : trigger.key.name);
    const time = Number(retriedTime ?? (isRecovering ? failedTime : context.scheduledFireTime.getTime()));
    await context.transaction(async (sql) => {
      await sql.execute('INSERT INTO ROWS_OF_RUNS (NAME, SCHEDULED_TIME, RUN_ID) VALUES (?, ?, ?)', [name, time, id]);
      await sleep(data.pause, signal);
    });
    write({ line: 'inserted', id });
  },
});
