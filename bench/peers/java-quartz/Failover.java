import org.quartz.JobBuilder;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;

/** A node that may begin with `jobs` lasting jobs that ask for recovery. */
final class Failover {
  private Failover() {}

  static void run(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    for (int i = 0; i < settings.number("jobs", 0); i++) {
      scheduler.scheduleJob(
          JobBuilder.newJob(Jobs.Lasting.class).withIdentity("lasting" + i, "due").requestRecovery().build(),
          TriggerBuilder.newTrigger().withIdentity("lasting" + i, "due").startNow().build());
    }
    scheduler.start();
    Lines.say("READY");
    Lines.hear();
    Runtime.getRuntime().halt(0);
  }
}
