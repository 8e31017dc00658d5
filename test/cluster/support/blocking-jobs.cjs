// A job that blocks the event loop of its process repeatedly, with short breaks, long after its run has ended.

module.exports = ({ spin }) => ({
  block: async ({ data: { blockedFor, breakFor } }) => {
    const block = () => {
      spin(blockedFor);
      setTimeout(block, breakFor);
    };
    setTimeout(block, 0);
  },
});
