import java.util.Properties;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.impl.StdSchedulerFactory;

/** A scheduler with the defaults of Quartz, except for the given keys. */
final class Schedulers {
  private Schedulers() {}

  static Scheduler create(Settings settings) throws SchedulerException {
    Properties keys = new Properties();
    String threads = settings.text("threads", "25");
    keys.put("org.quartz.scheduler.skipUpdateCheck", "true");
    keys.put("org.quartz.scheduler.instanceName", "bench");
    keys.put("org.quartz.scheduler.instanceId", settings.text("id", "n1"));
    keys.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    keys.put("org.quartz.threadPool.threadCount", threads);
    if (settings.has("batch")) keys.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", settings.text("batch", ""));
    keys.put("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    keys.put("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
    keys.put("org.quartz.jobStore.tablePrefix", "QRTZ_");
    keys.put("org.quartz.jobStore.isClustered", "true");
    // Quartz requires it for batches.
    keys.put("org.quartz.jobStore.acquireTriggersWithinLock", String.valueOf(settings.number("batch", 1) > 1));
    keys.put("org.quartz.jobStore.dataSource", "bench");
    String source = "org.quartz.dataSource.bench.";
    keys.put(source + "provider", "hikaricp");
    keys.put(source + "driver", "org.mariadb.jdbc.Driver");
    keys.put(source + "URL", settings.text("jdbc", ""));
    keys.put(source + "user", settings.text("user", ""));
    keys.put(source + "password", settings.text("password", ""));
    keys.put(source + "maxConnections", String.valueOf(Integer.parseInt(threads) + 3));
    return new StdSchedulerFactory(keys).getScheduler();
  }
}
