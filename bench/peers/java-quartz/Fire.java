import org.quartz.Scheduler;

/** One node: fires the stored triggers, from one line on the input to the next. */
final class Fire {
  private Fire() {}

  static void run(Settings settings) throws Exception {
    Scheduler scheduler = Schedulers.create(settings);
    scheduler.getMetaData(); // creates what is created late
    Lines.say("READY");
    Lines.hear();
    long cpu = Bench.cpuNanos(), begun = System.currentTimeMillis();
    scheduler.start();
    Lines.say("STARTED");
    Thread reporter = new Thread(Fire::report);
    reporter.setDaemon(true);
    reporter.start();
    Lines.hear();
    Lines.say("R " + Recorder.result(begun + settings.number("warm", 0), Bench.cpuNanos() - cpu));
    Runtime.getRuntime().halt(0);
  }

  private static void report() {
    int reported = -1;
    while (true) {
      int count = Recorder.COUNT.get();
      if (count != reported) Lines.say("P " + count);
      reported = count;
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
