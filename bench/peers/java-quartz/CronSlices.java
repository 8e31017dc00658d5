import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.quartz.CronExpression;

/**
 * Next fire times after the instants of a file, so that another program can do the same work and take turns. The file has
 * lines "zone Z", "expression E" and "instant MS". Says "C zone checksum" for each zone (all answers in order, which also
 * warms up), then READY; each line of input runs one slice, the zones in turn: "R {json}".
 */
final class CronSlices {
  private final List<String> zones = new ArrayList<>();
  private final List<String> expressions = new ArrayList<>();
  private final List<Date> instants = new ArrayList<>();
  private int position;

  static void run(Settings settings) throws Exception {
    CronSlices slices = new CronSlices();
    slices.read(settings.text("file", ""));
    List<CronExpression[]> byZone = new ArrayList<>();
    for (String zone : slices.zones) {
      CronExpression[] parsed = slices.parse(zone);
      byZone.add(parsed);
      Lines.say("C " + zone + " " + slices.checksum(parsed));
    }
    Lines.say("READY");
    long nanos = settings.number("millis", 1000) * 1_000_000;
    for (int turn = 0; Lines.hear(); turn++) {
      int zone = turn % byZone.size();
      Lines.say(String.format(Locale.ROOT, "R {\"zone\":\"%s\",\"perSecond\":%.1f}", slices.zones.get(zone), slices.slice(byZone.get(zone), nanos)));
    }
  }

  private void read(String file) throws Exception {
    for (String line : Files.readAllLines(Paths.get(file), StandardCharsets.UTF_8)) {
      String value = line.substring(line.indexOf(' ') + 1);
      if (line.startsWith("zone ")) zones.add(value);
      else if (line.startsWith("expression ")) expressions.add(value);
      else instants.add(new Date(Long.parseLong(value)));
    }
  }

  private CronExpression[] parse(String zone) throws ParseException {
    CronExpression[] parsed = new CronExpression[expressions.size()];
    for (int i = 0; i < parsed.length; i++) {
      parsed[i] = new CronExpression(expressions.get(i));
      parsed[i].setTimeZone(TimeZone.getTimeZone(zone));
    }
    return parsed;
  }

  private int checksum(CronExpression[] parsed) {
    int sum = 0;
    for (Date instant : instants) {
      for (CronExpression expression : parsed) {
        Date next = expression.getNextValidTimeAfter(instant);
        sum = sum * 31 + (next == null ? 0 : (int) (next.getTime() / 1000));
      }
    }
    return sum;
  }

  /** Calls a second. */
  private double slice(CronExpression[] parsed, long nanos) {
    long calls = 0, found = 0, begun = System.nanoTime(), elapsed;
    do {
      for (int turn = 0; turn < 20; turn++) {
        Date instant = instants.get(position);
        position = position + 1 == instants.size() ? 0 : position + 1;
        for (CronExpression expression : parsed) {
          if (expression.getNextValidTimeAfter(instant) != null) found++;
          calls++;
        }
      }
      elapsed = System.nanoTime() - begun;
    } while (elapsed < nanos);
    return found < 0 ? 0 : calls * 1e9 / elapsed;
  }
}
