import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The real Quartz in a process of its own, speaking the harness's lines: java Bench MODE key=value … */
public final class Bench {
  private Bench() {}

  public static void main(String[] arguments) throws Exception {
    Settings settings = new Settings(arguments, 1);
    switch (arguments[0]) {
      case "tables": Template.createTables(settings); break;
      case "template": Template.run(settings); break;
      case "fire": Fire.run(settings); break;
      case "schedule": Schedule.run(settings); break;
      case "latency": Latency.same(settings); break;
      case "client": Latency.client(settings); break;
      default: throw new IllegalArgumentException(arguments[0]);
    }
    System.exit(0);
  }

  /** CPU time of this process so far. */
  static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }
}
