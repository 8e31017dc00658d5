import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Notes when each job started and how late that was. */
final class Recorder {
  private static final int CAPACITY = 4_000_000;
  /** Milliseconds, as in lib/recorder.mjs. */
  private static final int BUCKET = 10;

  static final AtomicInteger COUNT = new AtomicInteger();
  static final AtomicInteger MISFIRED = new AtomicInteger();
  private static final long[] STARTED_AT = new long[CAPACITY];
  private static final int[] LATENESS = new int[CAPACITY];

  private Recorder() {}

  static void note(long scheduledTime) {
    long now = System.currentTimeMillis();
    int i = COUNT.getAndIncrement();
    if (i >= CAPACITY) return;
    STARTED_AT[i] = now;
    LATENESS[i] = (int) (now - scheduledTime);
  }

  /** Lateness only of jobs that started at `since` or later. */
  static String result(long since, long cpuNanos, long wallMillis) {
    int count = COUNT.get();
    int seen = Math.min(count, CAPACITY);
    long first = seen == 0 ? 0 : Long.MAX_VALUE, last = 0;
    Map<Integer, Integer> late = new TreeMap<>();
    Map<Long, Integer> buckets = new TreeMap<>();
    for (int i = 0; i < seen; i++) {
      first = Math.min(first, STARTED_AT[i]);
      last = Math.max(last, STARTED_AT[i]);
      buckets.merge(STARTED_AT[i] / BUCKET, 1, Integer::sum);
      if (STARTED_AT[i] >= since) late.merge(LATENESS[i], 1, Integer::sum);
    }
    StringBuilder json = new StringBuilder();
    json.append("{\"count\":").append(count).append(",\"first\":").append(first).append(",\"last\":").append(last);
    json.append(",\"cpuMs\":").append(cpuNanos / 1_000_000).append(",\"wallMs\":").append(wallMillis);
    json.append(",\"misfired\":").append(MISFIRED.get());
    return json.append(",\"l\":").append(object(late)).append(",\"b\":").append(object(buckets)).append("}").toString();
  }

  private static String object(Map<?, Integer> counts) {
    return counts.entrySet().stream()
        .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }
}
