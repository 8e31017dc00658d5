// A job that is declared again and again while it fires. A module for node.cjs.
module.exports = ({ write }) => ({
  async tick({ runId: id, scheduledFireTime, isRecovering }) {
    write({ line: 'tick', id, time: scheduledFireTime.getTime(), isRecovering });
  },
});
