import java.io.*;
import java.text.ParseException;
import java.util.*;
import org.quartz.*;
import org.quartz.impl.calendar.*;

/**
 * Records calendars as Quartz serialises them, and its answers.
 *
 * <pre>
 * CP=/usr/share/java/quartz2.jar:/usr/share/java/slf4j-api.jar
 * javac -d OUT -cp $CP Calendars.java
 * java -Duser.timezone=Europe/Berlin -cp OUT:$CP Calendars record   > ../java-calendars.jsonl      calendars that Java wrote
 * java -Duser.timezone=Europe/Berlin -cp OUT:$CP Calendars answer   < OURS                        name TAB base64, one a line: answers of Java
 * java -cp OUT:$CP Calendars zones                                  > ../java-zones.jsonl          offsets of every zone
 * java -cp OUT:$CP Calendars zone-offsets                           < OURS                        name TAB base64 of a zone: its offsets
 * </pre>
 */
public class Calendars {
  static final long FROM = 1767225600000L; // 2026-01-01
  static final TimeZone BERLIN = TimeZone.getTimeZone("Europe/Berlin");

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    if (args[0].equals("record")) {
      for (Map.Entry<String, org.quartz.Calendar> each : samples().entrySet()) out.println(row(each.getKey(), bytesOf(each.getValue())));
    } else if (args[0].equals("answer")) {
      for (String line; (line = in.readLine()) != null; ) out.println(row(line.split("\t")[0], Base64.getDecoder().decode(line.split("\t")[1])));
    } else if (args[0].equals("zones")) {
      Map<String, List<String>> alike = new LinkedHashMap<>();
      for (String id : new TreeSet<>(Arrays.asList(TimeZone.getAvailableIDs())))
        alike.computeIfAbsent(offsets(TimeZone.getTimeZone(id)), key -> new ArrayList<>()).add("\"" + id + "\"");
      for (Map.Entry<String, List<String>> each : alike.entrySet()) out.println("{\"zones\":" + each.getValue().toString().replace(" ", "") + ",\"offsets\":" + each.getKey() + "}");
      for (String id : new String[] {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "America/Sao_Paulo", "Pacific/Apia", "GMT+08:00"})
        out.println("{\"written\":\"" + id + "\",\"bytes\":\"" + Base64.getEncoder().encodeToString(bytesOf(TimeZone.getTimeZone(id))) + "\"}");
    } else {
      for (String line; (line = in.readLine()) != null; ) {
        TimeZone zone = (TimeZone) read(Base64.getDecoder().decode(line.split("\t")[1]));
        out.println("{\"zone\":\"" + zone.getID() + "\",\"offsets\":" + offsets(zone) + "}");
      }
    }
  }

  /** Offsets in seconds at 200 instants from 1970 to 2060. */
  static String offsets(TimeZone zone) {
    List<Integer> list = new ArrayList<>();
    for (int i = 1; i <= 200; i++) list.add(zone.getOffset(i * 14200920000L) / 1000);
    return list.toString().replace(" ", "");
  }

  static String row(String name, byte[] bytes) throws Exception {
    org.quartz.Calendar calendar = (org.quartz.Calendar) read(bytes);
    StringBuilder included = new StringBuilder();
    for (int i = 0; i < 400; i++) included.append(calendar.isTimeIncluded(FROM + i * 39_600_123L) ? '1' : '0');
    CronTrigger trigger = TriggerBuilder.newTrigger().withIdentity("t").startAt(new Date(FROM))
        .withSchedule(CronScheduleBuilder.cronSchedule("0 30 1/6 * * ?").inTimeZone(TimeZone.getTimeZone("UTC"))).build();
    List<Long> fires = new ArrayList<>();
    for (Date date : TriggerUtils.computeFireTimes((org.quartz.spi.OperableTrigger) trigger, calendar, 60)) fires.add(date.getTime());
    return "{\"name\":\"" + name + "\",\"bytes\":\"" + Base64.getEncoder().encodeToString(bytes) + "\",\"included\":\"" + included + "\",\"fires\":"
        + fires.toString().replace(" ", "") + "}";
  }

  static byte[] bytesOf(Object object) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) { stream.writeObject(object); }
    return bytes.toByteArray();
  }

  static Object read(byte[] bytes) throws Exception {
    return new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
  }

  static Map<String, org.quartz.Calendar> samples() throws ParseException {
    Map<String, org.quartz.Calendar> all = new LinkedHashMap<>();
    TimeZone newYork = TimeZone.getTimeZone("America/New_York");
    all.put("base", new BaseCalendar());
    all.put("base in a zone", new BaseCalendar(newYork));
    all.put("annual", annual(null, null, BERLIN));
    all.put("annual in a zone", annual(null, newYork, newYork));
    AnnualCalendar described = annual(new HolidayCalendar(), null, TimeZone.getTimeZone("UTC"));
    described.setDescription("Feiertage, jährlich \ud83d\ude00");
    all.put("annual, described, chained", described);
    all.put("annual, empty", new AnnualCalendar());
    all.put("holiday", holiday(null, null, BERLIN));
    all.put("holiday in a zone", holiday(null, newYork, newYork));
    all.put("holiday where midnight is missing", holiday(null, TimeZone.getTimeZone("America/Sao_Paulo"), TimeZone.getTimeZone("America/Sao_Paulo")));
    all.put("holiday, empty", new HolidayCalendar());
    all.put("weekly", new WeeklyCalendar());
    WeeklyCalendar weekly = new WeeklyCalendar(newYork);
    weekly.setDayExcluded(java.util.Calendar.WEDNESDAY, true);
    weekly.setDayExcluded(java.util.Calendar.SUNDAY, false);
    all.put("weekly in a zone", weekly);
    MonthlyCalendar monthly = new MonthlyCalendar();
    monthly.setDayExcluded(1, true);
    monthly.setDayExcluded(31, true);
    all.put("monthly", monthly);
    MonthlyCalendar elsewhere = new MonthlyCalendar(new WeeklyCalendar(), TimeZone.getTimeZone("Asia/Kolkata"));
    elsewhere.setDayExcluded(15, true);
    all.put("monthly over weekly", elsewhere);
    all.put("daily", new DailyCalendar("08:00", "17:30"));
    DailyCalendar inverted = daily(new WeeklyCalendar(), "08:00:15", "17:30:45:500", TimeZone.getTimeZone("Australia/Lord_Howe"));
    inverted.setInvertTimeRange(true);
    all.put("daily, inverted, chained", inverted);
    all.put("cron", new CronCalendar("* * 0-7,18-23 ? * *"));
    all.put("cron in a zone, chained", new CronCalendar(holiday(null, null, BERLIN), "* * * ? * SAT,SUN", TimeZone.getTimeZone("Asia/Tokyo")));
    all.put("cron in a fixed offset", new CronCalendar(null, "* 0-29 * * * ?", TimeZone.getTimeZone("GMT-05:30")));
    all.put("six in a chain", annual(new HolidayCalendar(daily(new CronCalendar(new MonthlyCalendar(new WeeklyCalendar(newYork), BERLIN), "0 0 12 * * ?", newYork), "01:00", "02:00", BERLIN), newYork), BERLIN, BERLIN));
    return all;
  }

  static DailyCalendar daily(org.quartz.Calendar base, String from, String to, TimeZone zone) {
    DailyCalendar calendar = new DailyCalendar(base, from, to);
    calendar.setTimeZone(zone);
    return calendar;
  }

  static AnnualCalendar annual(org.quartz.Calendar base, TimeZone zone, TimeZone ofDays) {
    AnnualCalendar calendar = new AnnualCalendar(base, zone);
    calendar.setDayExcluded(day(ofDays, 11, 25), true);
    calendar.setDayExcluded(day(ofDays, 0, 1), true);
    calendar.setDayExcluded(day(ofDays, 1, 29), true);
    return calendar;
  }

  static java.util.Calendar day(TimeZone zone, int month, int day) {
    java.util.Calendar date = new GregorianCalendar(zone, Locale.US);
    date.clear();
    date.set(2024, month, day, 12, 0, 0);
    date.getTimeInMillis();
    return date;
  }

  static HolidayCalendar holiday(org.quartz.Calendar base, TimeZone zone, TimeZone ofDays) {
    HolidayCalendar calendar = new HolidayCalendar(base, zone);
    for (int[] date : new int[][] {{2026, 0, 1}, {2026, 2, 29}, {2026, 3, 3}, {2018, 10, 4}, {2026, 9, 25}}) {
      java.util.Calendar day = new GregorianCalendar(ofDays, Locale.US);
      day.clear();
      day.set(date[0], date[1], date[2]);
      calendar.addExcludedDate(day.getTime());
    }
    return calendar;
  }
}
