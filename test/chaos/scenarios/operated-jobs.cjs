// A job that is declared repeatedly while it fires. A module for node.cjs.
module.exports = ({ write }) => ({
  async tick({ runId: id, scheduledFireTime, isRecovering }) {
    write({ line: 'tick', id, time: scheduledFireTime.getTime(), isRecovering });
  },
});
