import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Records when each job started, and its lateness. */
final class Recorder {
  private static final int CAPACITY = 4_000_000;

  static final AtomicInteger COUNT = new AtomicInteger();
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
  static String result(long since, long cpuNanos) {
    int count = Math.min(COUNT.get(), CAPACITY);
    long first = count == 0 ? 0 : Long.MAX_VALUE, last = 0;
    Map<Integer, Integer> late = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      first = Math.min(first, STARTED_AT[i]);
      last = Math.max(last, STARTED_AT[i]);
      if (STARTED_AT[i] >= since) late.merge(LATENESS[i], 1, Integer::sum);
    }
    String l = late.entrySet().stream()
        .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
        .collect(Collectors.joining(",", "{", "}"));
    return "{\"count\":" + count + ",\"first\":" + first + ",\"last\":" + last + ",\"cpuMs\":" + cpuNanos / 1_000_000 + ",\"l\":" + l + "}";
  }
}
