// A job of a file that never ends in its first attempt.
module.exports = ({ attempt }) => {
  while (attempt === 1);
};
