import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;

/** One client that schedules as fast as it can: `bulk=1` one at a time, more in sets of so many. */
final class Schedule {
  private final Scheduler scheduler;
  private final int bulk;
  private final Date inAMonth = new Date(System.currentTimeMillis() + 30L * 86_400_000);
  private int stored;

  private Schedule(Scheduler scheduler, int bulk) {
    this.scheduler = scheduler;
    this.bulk = bulk;
  }

  static void run(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    Lines.say("READY");
    Lines.hear();
    Schedule client = new Schedule(scheduler, (int) settings.number("bulk", 1));
    client.go(settings.number("warm", 1000));
    Lines.say("WARM");
    Lines.hear();
    int before = client.stored;
    long cpu = Bench.cpuNanos(), begun = System.nanoTime();
    double[] calls = client.go(settings.number("millis", 5000));
    double seconds = (System.nanoTime() - begun) / 1e9;
    int count = client.stored - before;
    Lines.say(String.format(Locale.ROOT, "R {\"count\":%d,\"perSecond\":%.1f,\"callP50\":%.3f,\"callP99\":%.3f,\"cpuMs\":%d}", count,
        count / seconds, calls[calls.length / 2], calls[(int) (calls.length * .99)], (Bench.cpuNanos() - cpu) / 1_000_000));
    Runtime.getRuntime().halt(0);
  }

  /** How long each call took, in milliseconds, sorted. */
  private double[] go(long millis) throws SchedulerException {
    double[] times = new double[1 << 20];
    int calls = 0;
    for (long end = System.nanoTime() + millis * 1_000_000; System.nanoTime() < end && calls < times.length; calls++) {
      long before = System.nanoTime();
      call();
      times[calls] = (System.nanoTime() - before) / 1e6;
    }
    times = Arrays.copyOf(times, calls);
    Arrays.sort(times);
    return times;
  }

  private void call() throws SchedulerException {
    if (bulk == 1) {
      String name = "s" + stored++;
      scheduler.scheduleJob(job(name), trigger(name));
      return;
    }
    Map<JobDetail, Set<? extends Trigger>> set = new HashMap<>();
    for (int i = 0; i < bulk; i++) {
      String name = "s" + stored++;
      set.put(job(name), Collections.singleton(trigger(name)));
    }
    scheduler.scheduleJobs(set, false);
  }

  private static JobDetail job(String name) {
    return Jobs.detail(Jobs.Noop.class, name, "due", false);
  }

  private Trigger trigger(String name) {
    return TriggerBuilder.newTrigger().withIdentity(name, "due").startAt(inAMonth).build();
  }
}
