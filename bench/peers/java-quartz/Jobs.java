import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;

/** The jobs of the workloads. */
public final class Jobs {
  private Jobs() {}

  /** Only records its start. */
  public static class Noop implements Job {
    public void execute(JobExecutionContext context) {
      Recorder.note(context.getScheduledFireTime().getTime());
    }
  }

  /** Releases the caller that waits for it in this process. */
  public static class Ping implements Job {
    static final Map<String, CountDownLatch> WAITING = new ConcurrentHashMap<>();
    static final Map<String, Long> RAN_AT = new ConcurrentHashMap<>();

    public void execute(JobExecutionContext context) {
      String name = context.getJobDetail().getKey().getName();
      RAN_AT.put(name, System.nanoTime());
      WAITING.get(name).countDown();
    }
  }

  static JobDetail detail(Class<? extends Job> type, String name, String group, boolean durable) {
    return JobBuilder.newJob(type).withIdentity(name, group).storeDurably(durable).build();
  }
}
