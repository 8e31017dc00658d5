import java.util.Date;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.listeners.TriggerListenerSupport;

/** One node: fires what is in the tables, or in memory, from one line on the input to the next. */
final class Fire {
  private Fire() {}

  static void run(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    scheduler.getListenerManager().addTriggerListener(new Misfires());
    if (settings.text("store", "jdbc").equals("ram")) load(scheduler, settings);
    scheduler.getMetaData(); // everything that is made late is there now
    Lines.say("READY");
    Lines.hear();
    long cpu = Bench.cpuNanos(), begun = System.currentTimeMillis();
    scheduler.start();
    Lines.say("STARTED " + System.currentTimeMillis());
    Thread reporter = new Thread(() -> report(settings.number("report", 20)));
    reporter.setDaemon(true);
    reporter.start();
    Lines.hear();
    long since = begun + settings.number("warm", 0);
    Lines.say("R " + Recorder.result(since, Bench.cpuNanos() - cpu, System.currentTimeMillis() - begun));
    Runtime.getRuntime().halt(0);
  }

  private static void report(long interval) {
    int told = -1;
    while (true) {
      int count = Recorder.COUNT.get();
      if (count != told) Lines.say("P " + count);
      told = count;
      try {
        Thread.sleep(interval);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** n one-shot triggers, due at once: `kind=many` with a job each, `kind=one` on one durable job. */
  private static void load(Scheduler scheduler, Settings settings) throws SchedulerException {
    boolean many = settings.text("kind", "many").equals("many");
    Date due = new Date(System.currentTimeMillis() + settings.number("delay", 0));
    JobDetail one = Jobs.detail(Jobs.Noop.class, "one", "due", true);
    if (!many) scheduler.addJob(one, true);
    for (int i = 0; i < settings.number("n", 1000); i++) {
      TriggerBuilder<Trigger> builder = TriggerBuilder.newTrigger().withIdentity("t" + i, "due").startAt(due);
      if (many) scheduler.scheduleJob(Jobs.detail(Jobs.Noop.class, "j" + i, "due", false), builder.build());
      else scheduler.scheduleJob(builder.forJob(one).build());
    }
  }

  private static final class Misfires extends TriggerListenerSupport {
    public String getName() {
      return "misfires";
    }

    @Override
    public void triggerMisfired(Trigger trigger) {
      Recorder.MISFIRED.incrementAndGet();
    }
  }
}
