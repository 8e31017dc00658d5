import java.util.*;

/** What TimeZone.getTimeZone makes of spellings of zones: `java TimeZones.java > ../time-zones.jsonl`. */
public class TimeZones {
  static final String[] WRITTEN = {
    "GMT+8", "GMT+08", "GMT+8:00", "GMT+08:00", "GMT+0800", "GMT+800", "GMT-5", "GMT-05:30", "GMT-0530", "GMT-530", "GMT+0", "GMT-0",
    "GMT+00:00", "GMT-00:00", "GMT+23:59", "GMT-23:59", "GMT+24", "GMT+24:00", "GMT+8:60", "GMT+8:5", "GMT+08:005", "GMT+008", "GMT+008:00",
    "GMT+", "GMT+:30", "GMT+8:", "GMT 8", "GMT8", "GMT+8 ", " GMT+8", "GMT+2360", "GMT+12345", "GMT+1:2:3", "gmt+8", "Gmt+08:00", "GMT+-8", "GMT++8",
    "UTC+8", "UTC+08:00", "UTC-5:30", "UTC+0", "utc+8", "UT+8", "+08:00", "-05:30", "+8", "+08", "+0800", "+00:00", "-00:00", "+8:00", "+24:00",
    "", " ", "utc", "gmt", "asia/shanghai", "ASIA/SHANGHAI", "europe/berlin", "EUROPE/BERLIN", "us/pacific", "est", "etc/gmt-8", "ETC/GMT-8",
    "Z", "z", "UT", "Etc/GMT-8", "Etc/GMT+8", "Etc/GMT-15", "SystemV/PST8", "US/Pacific-New", "Canada/East-Saskatchewan", "GMT-05:00", "GMT-08:00", "GMT+00:08", "Mars/Phobos", "CST-8", "UTC-8", "GMT0", "Etc/Unknown",
  };
  static final long[] AT = { 978_307_200_000L, 994_032_000_000L, 1_704_067_200_000L, 1_719_792_000_000L };

  public static void main(String[] args) {
    for (String id : TimeZone.getAvailableIDs()) line("available", id);
    for (String id : WRITTEN) line("written", id);
  }

  static void line(String kind, String id) {
    TimeZone zone = TimeZone.getTimeZone(id);
    StringJoiner offsets = new StringJoiner(",");
    for (long at : AT) offsets.add(String.valueOf(zone.getOffset(at) / 60_000));
    System.out.printf("{\"kind\":\"%s\",\"id\":\"%s\",\"java\":\"%s\",\"offsets\":[%s]}%n", kind, id, zone.getID(), offsets);
  }
}
