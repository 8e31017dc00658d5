// A job that records its start. A module for node.cjs.
module.exports = ({ write }) => ({
  async rated({ trigger, runId, data, isRecovering }) {
    write({ line: 'rated', id: runId, number: data.number, at: Date.now(), recovered: isRecovering });
    process.send({ type: 'event', event: 'rated', mono: 0 });
    await new Promise((resolve) => setTimeout(resolve, data.duration));
    write({ line: 'ratedDone', id: runId, number: data.number, trigger: trigger.key.name });
  },
});
