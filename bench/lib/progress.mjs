/** A line on the terminal's error output that tells how far a long measurement is; silent where nobody looks. */
export function progress(total, label) {
  let done = 0;
  const show = (text) => {
    if (!process.stderr.isTTY) return;
    const width = 24;
    const filled = Math.round((done / total) * width);
    process.stderr.write(
      `\r\u001b[K${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} ${text}`,
    );
  };
  return {
    /** Names what is measured now. */
    now: show,
    step(text = '') {
      done++;
      show(text);
    },
    end() {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    },
  };
}
