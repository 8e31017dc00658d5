import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;

/** From the call that schedules a job for now to its first line. */
final class Latency {
  private Latency() {}

  /** In the same process, one after the other, after `skip` that do not count. */
  static void same(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    scheduler.start();
    Lines.say("READY");
    Lines.hear();
    Random random = new Random(1);
    int skip = (int) settings.number("skip", 100), n = (int) settings.number("n", 300);
    double[] toRun = new double[n], call = new double[n];
    long cpu = 0;
    for (int i = -skip; i < n; i++) {
      if (i == 0) {
        Lines.say("WARM");
        Lines.hear();
        cpu = Bench.cpuNanos();
      }
      String name = "l" + (i + skip);
      CountDownLatch ran = new CountDownLatch(1);
      Jobs.Ping.WAITING.put(name, ran);
      long before = System.nanoTime();
      scheduler.scheduleJob(Jobs.detail(Jobs.Ping.class, name, "due", false), TriggerBuilder.newTrigger().withIdentity(name, "due").startNow().build());
      long after = System.nanoTime();
      if (!ran.await(60, TimeUnit.SECONDS)) throw new IllegalStateException(name + " did not run within 60 s");
      if (i >= 0) {
        toRun[i] = (Jobs.Ping.RAN_AT.get(name) - before) / 1e6;
        call[i] = (after - before) / 1e6;
      }
      Thread.sleep(20 + random.nextInt(30));
    }
    Arrays.sort(toRun);
    Arrays.sort(call);
    Lines.say(String.format(Locale.ROOT, "R {\"count\":%d,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"callP50\":%.3f,\"cpuMs\":%d}", n,
        toRun[n / 2], toRun[(int) (n * .99)], toRun[n - 1], call[n / 2], (Bench.cpuNanos() - cpu) / 1_000_000));
    Runtime.getRuntime().halt(0);
  }

  /** A member of the cluster that is never started schedules `n` jobs for now, about `gap` ms apart. */
  static void client(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    Lines.say("READY");
    Lines.hear();
    Random random = new Random(7);
    int n = (int) settings.number("n", 120), gap = (int) settings.number("gap", 250);
    for (int i = 0; i < n; i++) {
      String name = "c" + i;
      scheduler.scheduleJob(Jobs.detail(Jobs.Noop.class, name, "due", false), TriggerBuilder.newTrigger().withIdentity(name, "due").startNow().build());
      Thread.sleep(gap / 2 + random.nextInt(gap));
    }
    Lines.say("R {\"count\":" + n + "}");
    Runtime.getRuntime().halt(0);
  }
}
