// A node of the real Quartz 2.3.2 among ours. Own code; needs only the public Quartz API.
// usage: java -cp ... MixedNode JDBC_URL INSTANCE_ID; commands by line on its input: schedule, slow, standby, stop
import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.SimpleScheduleBuilder.simpleSchedule;
import static org.quartz.TriggerBuilder.newTrigger;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Properties;
import org.quartz.*;
import org.quartz.impl.StdSchedulerFactory;

public class MixedNode {
  static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  static void begin(JobExecutionContext context) {
    say("start " + context.getTrigger().getKey() + " " + context.getScheduledFireTime().getTime() + " "
        + context.isRecovering() + " " + context.getMergedJobDataMap().get("to") + " " + System.currentTimeMillis());
  }

  public static class Tick implements Job {
    public void execute(JobExecutionContext context) {
      begin(context);
    }
  }

  @DisallowConcurrentExecution
  public static class Alone implements Job {
    public void execute(JobExecutionContext context) throws JobExecutionException {
      begin(context);
      pause(400);
      say("end " + context.getTrigger().getKey() + " " + System.currentTimeMillis());
    }
  }

  public static class Slow implements Job {
    public void execute(JobExecutionContext context) throws JobExecutionException {
      begin(context);
      pause(context.isRecovering() ? 0 : 60_000);
    }
  }

  static void pause(long milliseconds) throws JobExecutionException {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      throw new JobExecutionException(e);
    }
  }

  static Scheduler scheduler(String url, String instanceId) throws SchedulerException {
    Properties values = new Properties();
    String[][] settings = {
      {"scheduler.instanceName", "Mixed"}, {"scheduler.instanceId", instanceId}, {"scheduler.skipUpdateCheck", "true"},
      {"threadPool.class", "org.quartz.simpl.SimpleThreadPool"}, {"threadPool.threadCount", "10"},
      {"jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"},
      {"jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate"},
      {"jobStore.dataSource", "d"}, {"jobStore.isClustered", "true"}, {"jobStore.useProperties", "true"},
      {"jobStore.clusterCheckinInterval", "1000"}, {"jobStore.acquireTriggersWithinLock", "true"},
      {"dataSource.d.provider", "hikaricp"}, {"dataSource.d.driver", "org.mariadb.jdbc.Driver"},
      {"dataSource.d.URL", url + "?sessionVariables=tx_isolation='READ-COMMITTED'"},
      {"dataSource.d.user", "quartz"}, {"dataSource.d.password", "quartz"}, {"dataSource.d.maxConnections", "12"},
    };
    for (String[] setting : settings) values.put("org.quartz." + setting[0], setting[1]);
    return new StdSchedulerFactory(values).getScheduler();
  }

  static void schedule(Scheduler scheduler) throws SchedulerException {
    for (int i = 0; i < 10; i++) {
      TriggerBuilder<Trigger> trigger = newTrigger().withIdentity("t" + i);
      scheduler.scheduleJob(newJob(Tick.class).withIdentity("t" + i).usingJobData("to", "ops " + i).build(), i % 2 == 0
          ? trigger.withSchedule(simpleSchedule().withIntervalInSeconds(1).repeatForever().withMisfireHandlingInstructionIgnoreMisfires()).build()
          : trigger.withSchedule(cronSchedule("* * * * * ?").withMisfireHandlingInstructionIgnoreMisfires()).build());
    }
    scheduler.addJob(newJob(Alone.class).withIdentity("alone").storeDurably().build(), true);
    for (int i = 0; i < 3; i++)
      scheduler.scheduleJob(newTrigger().withIdentity("a" + i).forJob("alone").withSchedule(simpleSchedule()
          .withIntervalInMilliseconds(1_500).repeatForever().withMisfireHandlingInstructionIgnoreMisfires()).build());
  }

  public static void main(String[] args) throws Exception {
    Scheduler scheduler = scheduler(args[0], args[1]);
    scheduler.start();
    say("READY");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null && !line.equals("stop"); line = input.readLine()) {
      if (line.equals("schedule")) schedule(scheduler);
      if (line.equals("standby")) scheduler.standby();
      if (line.equals("slow"))
        scheduler.scheduleJob(newJob(Slow.class).withIdentity("slow").requestRecovery().build(), newTrigger().withIdentity("slow").build());
    }
    scheduler.shutdown(true);
    System.exit(0);
  }
}
