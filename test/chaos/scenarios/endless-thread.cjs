// A worker job that never ends in its first attempt.
module.exports = ({ attempt }) => {
  while (attempt === 1);
};
