// Measuring harness for Java Quartz 2.3.2. Own code; needs only the public Quartz API.
// usage: java -cp ... Bench MODE key=value ...     (see README.md)
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;
import java.util.Date;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.quartz.*;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import com.zaxxer.hikari.*;

public class Bench {
  static Map<String, String> A = new HashMap<>();
  static String s(String k, String d) { return A.getOrDefault(k, d); }
  static long n(String k, long d) { return A.containsKey(k) ? Long.parseLong(A.get(k)) : d; }

  // ---- what jobs record ------------------------------------------------
  static final int CAP = 4_000_000;
  static final AtomicInteger cnt = new AtomicInteger();
  static long[] at; static int[] late;
  static final AtomicInteger misfired = new AtomicInteger();
  static final ConcurrentHashMap<String, CountDownLatch> waiters = new ConcurrentHashMap<>();
  static final ConcurrentHashMap<String, Long> ranAt = new ConcurrentHashMap<>();

  public static class Noop implements Job {
    public void execute(JobExecutionContext c) {
      long now = System.currentTimeMillis();
      int i = cnt.getAndIncrement();
      if (i < CAP) { at[i] = now; late[i] = (int) (now - c.getScheduledFireTime().getTime()); }
    }
  }
  public static class Ping implements Job {
    public void execute(JobExecutionContext c) {
      long t = System.nanoTime();
      String k = c.getJobDetail().getKey().getName();
      ranAt.put(k, t);
      CountDownLatch l = waiters.get(k);
      if (l != null) l.countDown();
      int i = cnt.getAndIncrement();
      if (i < CAP) { at[i] = System.currentTimeMillis(); late[i] = (int) (at[i] - c.getScheduledFireTime().getTime()); }
    }
  }
  public static class Long_ implements Job {
    public void execute(JobExecutionContext c) {
      out("X " + c.getJobDetail().getKey().getName() + " " + c.isRecovering() + " " + System.currentTimeMillis());
      try { Thread.sleep(180_000); } catch (InterruptedException e) { }
    }
  }
  static synchronized void out(String m) { System.out.println(m); System.out.flush(); }

  // pool with autocommit off at pool level: saves the two SET autocommit round trips per transaction
  public static class TunedPool implements ConnectionProvider {
    HikariDataSource ds; String url; int max = 30;
    public void setUrl(String u) { url = u; }
    public void setMax(String m) { max = Integer.parseInt(m); }
    public Connection getConnection() throws SQLException { return ds.getConnection(); }
    public void shutdown() { ds.close(); }
    public void initialize() {
      HikariConfig c = new HikariConfig();
      c.setDriverClassName("org.mariadb.jdbc.Driver"); c.setJdbcUrl(url); c.setUsername("quartz"); c.setPassword("");
      c.setAutoCommit(false); c.setMaximumPoolSize(max);
      ds = new HikariDataSource(c);
    }
  }

  static String url() { return "jdbc:mariadb://127.0.0.1:" + n("port", 33999) + "/quartz" + s("urlargs", ""); }

  static Scheduler sched() throws Exception {
    Properties p = new Properties();
    int threads = (int) n("threads", 25);
    p.put("org.quartz.scheduler.skipUpdateCheck", "true");
    p.put("org.quartz.scheduler.instanceName", s("sched", "S"));
    p.put("org.quartz.scheduler.instanceId", s("id", "n1"));
    p.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    p.put("org.quartz.threadPool.threadCount", "" + threads);
    if (A.containsKey("batch")) p.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", s("batch", "1"));
    if (A.containsKey("window")) p.put("org.quartz.scheduler.batchTriggerAcquisitionFireAheadTimeWindow", s("window", "0"));
    if (A.containsKey("idle")) p.put("org.quartz.scheduler.idleWaitTime", s("idle", "30000"));
    p.put("org.quartz.jobStore.misfireThreshold", s("misfire", "60000"));
    if (s("store", "jdbc").equals("ram")) {
      p.put("org.quartz.jobStore.class", "org.quartz.simpl.RAMJobStore");
    } else {
      p.put("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
      p.put("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
      p.put("org.quartz.jobStore.tablePrefix", "QRTZ_");
      p.put("org.quartz.jobStore.isClustered", s("clustered", "true"));
      p.put("org.quartz.jobStore.clusterCheckinInterval", s("checkin", "7500"));
      if (A.containsKey("within")) p.put("org.quartz.jobStore.acquireTriggersWithinLock", s("within", "false"));
      p.put("org.quartz.jobStore.dataSource", "ds");
      int max = (int) n("conns", threads + 3);
      if (s("pool", "std").equals("tuned")) {
        p.put("org.quartz.jobStore.dontSetAutoCommitFalse", "true");
        p.put("org.quartz.dataSource.ds.connectionProvider.class", "Bench$TunedPool");
        p.put("org.quartz.dataSource.ds.url", url());
        p.put("org.quartz.dataSource.ds.max", "" + max);
      } else {
        p.put("org.quartz.dataSource.ds.provider", "hikaricp");
        p.put("org.quartz.dataSource.ds.driver", "org.mariadb.jdbc.Driver");
        p.put("org.quartz.dataSource.ds.URL", url());
        p.put("org.quartz.dataSource.ds.user", "quartz");
        p.put("org.quartz.dataSource.ds.password", "");
        p.put("org.quartz.dataSource.ds.maxConnections", "" + max);
      }
    }
    return new StdSchedulerFactory(p).getScheduler();
  }

  static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }
  static volatile boolean stop = false;
  static void watchStdin() {
    Thread t = new Thread(() -> {
      try { new BufferedReader(new InputStreamReader(System.in)).readLine(); } catch (IOException e) { }
      stop = true;
    });
    t.setDaemon(true); t.start();
  }

  static JobDetail job(Class<? extends Job> c, String name, String grp, boolean durable) {
    JobBuilder b = JobBuilder.newJob(c).withIdentity(name, grp);
    if (durable) b.storeDurably();
    return b.build();
  }

  // ---- load by API template + SQL multiplication ------------------------
  static void load() throws Exception {
    String kind = s("kind", "many"); int N = (int) n("n", 1000);
    long base = n("at", System.currentTimeMillis());
    String S = s("sched", "S"), G = s("group", "due");
    try (Connection c = DriverManager.getConnection(url(), "quartz", ""); Statement st = c.createStatement()) {
      for (String t : new String[] {"SIMPLE_TRIGGERS", "CRON_TRIGGERS", "TRIGGERS"})
        st.executeUpdate("DELETE FROM QRTZ_" + t + " WHERE SCHED_NAME='" + S + "' AND TRIGGER_GROUP='" + G + "'");
      st.executeUpdate("DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME='" + S + "'");
      st.executeUpdate("DELETE FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME='" + S + "' AND JOB_GROUP='" + G + "'");
      st.executeUpdate("DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME='" + S + "'");
    }
    A.put("id", "loader");
    Scheduler q = sched();
    SimpleScheduleBuilder ss = SimpleScheduleBuilder.simpleSchedule();
    if (kind.equals("repeat")) ss.withIntervalInMilliseconds(n("interval", 1000)).repeatForever();
    boolean one = !kind.equals("many");
    Trigger tpl = TriggerBuilder.newTrigger().withIdentity("tpl", G).startAt(new Date(base)).withSchedule(ss).build();
    q.scheduleJob(job(Noop.class, "tpl", G, one), tpl);
    q.shutdown();
    int chunk = 20000;
    try (Connection c = DriverManager.getConnection(url(), "quartz", ""); Statement st = c.createStatement()) {
      // spread repeating triggers evenly over one interval; all one-shots are due at the same instant unless spread=ms is given
      String off = kind.equals("repeat") ? "+ FLOOR((seq-1)*" + n("interval", 1000) + "/" + N + ")"
                 : n("spread", 0) > 0 ? "+ FLOOR((seq-1)*" + n("spread", 0) + "/" + N + ")" : "";
      for (int a = 1; a <= N; a += chunk) {
        String seq = "seq_" + a + "_to_" + Math.min(N, a + chunk - 1);
        if (!one)
          st.executeUpdate("INSERT INTO QRTZ_JOB_DETAILS SELECT SCHED_NAME, CONCAT('j',seq), JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA, REQUESTS_RECOVERY, JOB_DATA"
            + " FROM QRTZ_JOB_DETAILS, " + seq + " WHERE SCHED_NAME='" + S + "' AND JOB_NAME='tpl' AND JOB_GROUP='" + G + "'");
        st.executeUpdate("INSERT INTO QRTZ_TRIGGERS SELECT SCHED_NAME, CONCAT('t',seq), TRIGGER_GROUP, " + (one ? "JOB_NAME" : "CONCAT('j',seq)") + ", JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME" + off
          + ", PREV_FIRE_TIME, PRIORITY, TRIGGER_STATE, TRIGGER_TYPE, START_TIME" + off + ", END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA"
          + " FROM QRTZ_TRIGGERS, " + seq + " WHERE SCHED_NAME='" + S + "' AND TRIGGER_NAME='tpl' AND TRIGGER_GROUP='" + G + "'");
        st.executeUpdate("INSERT INTO QRTZ_SIMPLE_TRIGGERS SELECT SCHED_NAME, CONCAT('t',seq), TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED FROM QRTZ_SIMPLE_TRIGGERS, " + seq
          + " WHERE SCHED_NAME='" + S + "' AND TRIGGER_NAME='tpl' AND TRIGGER_GROUP='" + G + "'");
      }
      st.executeUpdate("DELETE FROM QRTZ_SIMPLE_TRIGGERS WHERE SCHED_NAME='" + S + "' AND TRIGGER_NAME='tpl' AND TRIGGER_GROUP='" + G + "'");
      st.executeUpdate("DELETE FROM QRTZ_TRIGGERS WHERE SCHED_NAME='" + S + "' AND TRIGGER_NAME='tpl' AND TRIGGER_GROUP='" + G + "'");
      if (!one) st.executeUpdate("DELETE FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME='" + S + "' AND JOB_NAME='tpl' AND JOB_GROUP='" + G + "'");
      st.executeUpdate("DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME='" + S + "'");
    }
    out("LOADED " + N);
  }

  // ---- one cluster node (or RAM) ----------------------------------------
  static void node() throws Exception {
    at = new long[CAP]; late = new int[CAP];
    Scheduler q = sched();
    q.getListenerManager().addTriggerListener(new org.quartz.listeners.TriggerListenerSupport() {
      public String getName() { return "mf"; }
      public void triggerMisfired(Trigger t) { misfired.incrementAndGet(); }
    });
    watchStdin();
    if (s("store", "jdbc").equals("ram")) ramLoad(q);
    q.getMetaData();
    out("READY");
    long start = n("startAt", 0);
    if (start == 0) { // wait for a line on stdin with the start time
      while (!stop) Thread.sleep(2);
      stop = false; watchStdin();
    } else Thread.sleep(Math.max(0, start - System.currentTimeMillis()));
    long c0 = cpuNs(), t0 = System.currentTimeMillis();
    q.start();
    out("STARTED " + System.currentTimeMillis());
    int last = -1;
    while (!stop) {
      int k = cnt.get();
      if (k != last) { out("P " + k); last = k; }
      Thread.sleep(50);
    }
    long c1 = cpuNs(), t1 = System.currentTimeMillis();
    int k = cnt.get();
    out("R " + result(k, t0, c1 - c0, t1 - t0));
    Runtime.getRuntime().halt(0);
  }
  static String result(int k, long t0, long cpu, long wall) {
    int m = Math.min(k, CAP);
    long first = Long.MAX_VALUE, lastT = 0;
    for (int i = 0; i < m; i++) { if (at[i] < first) first = at[i]; if (at[i] > lastT) lastT = at[i]; }
    if (m == 0) first = 0;
    TreeMap<Long, Integer> b = new TreeMap<>();
    for (int i = 0; i < m; i++) b.merge(at[i] / 100, 1, Integer::sum);
    long warm = t0 + n("warm", 0);
    int[] l = new int[m]; int w = 0;
    for (int i = 0; i < m; i++) if (at[i] >= warm) l[w++] = late[i];
    l = Arrays.copyOf(l, w); Arrays.sort(l);
    StringBuilder sb = new StringBuilder();
    sb.append("{\"count\":").append(k).append(",\"first\":").append(first).append(",\"last\":").append(lastT)
      .append(",\"cpuMs\":").append(cpu / 1_000_000).append(",\"wallMs\":").append(wall).append(",\"misfired\":").append(misfired.get())
      .append(",\"lateN\":").append(w);
    if (w > 0) sb.append(",\"p50\":").append(l[w / 2]).append(",\"p95\":").append(l[(int) (w * .95)]).append(",\"p99\":").append(l[(int) (w * .99)]).append(",\"max\":").append(l[w - 1]);
    sb.append(",\"b\":{");
    boolean f = true;
    for (Map.Entry<Long, Integer> e : b.entrySet()) { if (!f) sb.append(','); f = false; sb.append('"').append(e.getKey()).append("\":").append(e.getValue()); }
    return sb.append("}}").toString();
  }
  static void ramLoad(Scheduler q) throws Exception {
    String kind = s("kind", "many"); int N = (int) n("n", 1000);
    long base = System.currentTimeMillis() + n("delay", 0);
    if (kind.equals("none")) return;
    JobDetail d = kind.equals("many") ? null : job(Noop.class, "one", "due", true);
    if (d != null) q.addJob(d, true);
    for (int i = 0; i < N; i++) {
      TriggerBuilder<Trigger> tb = TriggerBuilder.newTrigger().withIdentity("t" + i, "due");
      SimpleScheduleBuilder ss = SimpleScheduleBuilder.simpleSchedule();
      long when = base;
      if (kind.equals("repeat")) { ss.withIntervalInMilliseconds(1000).repeatForever(); when += 1000L * i / N; }
      tb.startAt(new Date(when)).withSchedule(ss);
      if (d != null) q.scheduleJob(tb.forJob("one", "due").build());
      else q.scheduleJob(job(Noop.class, "j" + i, "due", false), tb.build());
    }
  }

  // ---- W3: scheduling rate ----------------------------------------------
  static void w3() throws Exception {
    at = new long[16]; late = new int[16];
    Scheduler q = sched();
    String m = s("what", "job"); long secs = n("secs", 8); int bulk = (int) n("bulk", 1000);
    Date far = new Date(System.currentTimeMillis() + 86_400_000L * 30);
    q.addJob(job(Noop.class, "one", "w3", true), true);
    String pre = "r" + Long.toString(System.currentTimeMillis(), 36) + "_";
    int i = 0; long warmEnd = System.nanoTime() + n("warmsecs", 3) * 1_000_000_000L, t0 = 0, end = Long.MAX_VALUE; int i0 = 0; long c0 = 0;
    ArrayList<Long> lat = new ArrayList<>();
    while (true) {
      long t = System.nanoTime();
      if (t0 == 0 && t >= warmEnd) { t0 = t; i0 = i; end = t + secs * 1_000_000_000L; c0 = cpuNs(); lat.clear(); out("WARM"); }
      if (t >= end) break;
      if (m.equals("bulk")) {
        HashMap<JobDetail, Set<? extends Trigger>> map = new HashMap<>();
        for (int k = 0; k < bulk; k++, i++)
          map.put(job(Noop.class, pre + i, "w3", false), Collections.singleton(TriggerBuilder.newTrigger().withIdentity(pre + i, "w3").startAt(far).build()));
        q.scheduleJobs(map, false);
      } else if (m.equals("job")) {
        q.scheduleJob(job(Noop.class, pre + i, "w3", false), TriggerBuilder.newTrigger().withIdentity(pre + i, "w3").startAt(far).build()); i++;
      } else {
        q.scheduleJob(TriggerBuilder.newTrigger().withIdentity(pre + i, "w3").forJob("one", "w3").startAt(far).build()); i++;
      }
      lat.add(System.nanoTime() - t);
    }
    long t1 = System.nanoTime();
    Collections.sort(lat);
    out(String.format(Locale.ROOT, "R {\"what\":\"%s\",\"n\":%d,\"perSec\":%.1f,\"p50us\":%d,\"p99us\":%d,\"cpuMs\":%d}", m, i - i0, (i - i0) * 1e9 / (t1 - t0),
      lat.get(lat.size() / 2) / 1000, lat.get((int) (lat.size() * .99)) / 1000, (cpuNs() - c0) / 1_000_000));
    Runtime.getRuntime().halt(0);
  }

  // ---- W4: schedule to run, same process --------------------------------
  static void w4() throws Exception {
    at = new long[CAP]; late = new int[CAP];
    Scheduler q = sched();
    q.start(); Thread.sleep(1500);
    int N = (int) n("n", 300), skip = (int) n("skip", 100);
    long[] a = new long[N], b = new long[N], call = new long[N];
    Random r = new Random(1);
    String pre = "p" + Long.toString(System.currentTimeMillis(), 36) + "_";
    for (int i = -skip; i < N; i++) {
      String k = pre + i;
      CountDownLatch l = new CountDownLatch(1); waiters.put(k, l);
      long t0 = System.nanoTime();
      q.scheduleJob(job(Ping.class, k, "w4", false), TriggerBuilder.newTrigger().withIdentity(k, "w4").startNow().build());
      long t1 = System.nanoTime();
      if (!l.await(60, TimeUnit.SECONDS)) { out("TIMEOUT " + i); Runtime.getRuntime().halt(1); }
      if (i >= 0) { long x = ranAt.get(k); a[i] = x - t0; b[i] = x - t1; call[i] = t1 - t0; }
      Thread.sleep(20 + r.nextInt(30));
    }
    Arrays.sort(a); Arrays.sort(b); Arrays.sort(call);
    out(String.format(Locale.ROOT, "R {\"n\":%d,\"fromCallP50us\":%d,\"fromCallP95us\":%d,\"fromCallP99us\":%d,\"maxus\":%d,\"callP50us\":%d,\"callP99us\":%d,\"afterReturnP50us\":%d,\"afterReturnP99us\":%d}", N,
      a[N / 2] / 1000, a[(int) (N * .95)] / 1000, a[(int) (N * .99)] / 1000, a[N - 1] / 1000, call[N / 2] / 1000, call[(int) (N * .99)] / 1000, b[N / 2] / 1000, b[(int) (N * .99)] / 1000));
    Runtime.getRuntime().halt(0);
  }
  // a client that never starts its scheduler: schedules n "now" triggers over secs seconds
  static void w4client() throws Exception {
    Scheduler q = sched();
    int N = (int) n("n", 120); long gap = n("gap", 500);
    Random r = new Random(7);
    out("READY");
    String pre = "c" + Long.toString(System.currentTimeMillis(), 36) + "_";
    for (int i = 0; i < N; i++) {
      String k = pre + i;
      q.scheduleJob(job(Noop.class, k, "w4", false), TriggerBuilder.newTrigger().withIdentity(k, "w4").startNow().build());
      Thread.sleep(gap / 2 + r.nextInt((int) gap));
    }
    out("R {\"scheduled\":" + N + "}");
    Runtime.getRuntime().halt(0);
  }

  // ---- cron ---------------------------------------------------------------
  static void cron() throws Exception {
    String[] ex = {"0 * * * * ?", "0/5 * * * * ?", "* * * * * ?", "0 0/5 * * * ?", "0 0 * * * ?", "0 0 12 * * ?", "0 15 10 ? * *", "0 15 10 * * ? 2005-2035",
      "0 0/5 14,18 * * ?", "0 0-5 14 * * ?", "0 10,44 14 ? 3 WED", "0 15 10 ? * MON-FRI", "0 15 10 15 * ?", "0 15 10 L * ?", "0 15 10 L-2 * ?", "0 15 10 ? * 6L",
      "0 15 10 ? * 6#3", "0 0 12 1/5 * ?", "0 0 9 15W * ?", "0 0 0 LW * ?", "0 11 11 11 11 ?", "0 30 2 * * ?", "30 */7 8-18/2 ? 1-6 MON,WED,FRI"};
    for (String tz : new String[] {"UTC", "America/New_York"}) {
      CronExpression[] e = new CronExpression[ex.length];
      for (int i = 0; i < ex.length; i++) { e[i] = new CronExpression(ex[i]); e[i].setTimeZone(TimeZone.getTimeZone(tz)); }
      long base = 1_800_000_000_000L;
      long warm = System.nanoTime() + 4_000_000_000L; long sink = 0;
      while (System.nanoTime() < warm) for (int i = 0; i < e.length; i++) { Date d = new Date(base); for (int k = 0; k < 20; k++) { d = e[i].getNextValidTimeAfter(d); if (d == null) d = new Date(base); } sink += d.getTime(); }
      double[] per = new double[e.length]; double[] tot = new double[3];
      for (int rep = 0; rep < 3; rep++) {
        long calls = 0, tt = 0;
        for (int i = 0; i < e.length; i++) {
          Date d = new Date(base); long t0 = System.nanoTime(), c = 0, t;
          do { for (int k = 0; k < 50; k++) { d = e[i].getNextValidTimeAfter(d); if (d == null) d = new Date(base); c++; } t = System.nanoTime(); } while (t - t0 < 150_000_000L);
          sink += d.getTime(); per[i] = Math.max(per[i], c * 1e9 / (t - t0));
        }
        // the same number of calls of each expression, so slow ones weigh in as they would
        long r0 = System.nanoTime(); long cc = 0; Date[] d = new Date[e.length]; Arrays.fill(d, new Date(base));
        while (System.nanoTime() - r0 < 2_000_000_000L) for (int k = 0; k < 20; k++) for (int i = 0; i < e.length; i++) { Date x = e[i].getNextValidTimeAfter(d[i]); d[i] = x == null ? new Date(base) : x; cc++; }
        tot[rep] = cc * 1e9 / (System.nanoTime() - r0);
      }
      Arrays.sort(tot);
      out(String.format(Locale.ROOT, "CRON %s mixed calls/s median %.0f (%.0f-%.0f) sink %d", tz, tot[1], tot[0], tot[2], sink & 1));
      for (int i = 0; i < ex.length; i++) out(String.format(Locale.ROOT, "CRONX %s %.0f | %s", tz, per[i], ex[i]));
    }
    // parse rate
    for (int rep = 0; rep < 4; rep++) {
      long t0 = System.nanoTime(), c = 0;
      while (System.nanoTime() - t0 < 1_000_000_000L) for (String x : ex) { new CronExpression(x); c++; }
      if (rep > 0) out(String.format(Locale.ROOT, "CRONPARSE %.0f/s", c * 1e9 / (System.nanoTime() - t0)));
    }
  }

  // ---- cron over the instants of a file, so that another program can do the same work and take turns ----
  // file: lines "zone Z", "expression E", "instant MS". Prints "C zone checksum" for each zone (all answers in order,
  // which also warms up), then READY; each line of input runs one slice, the zones in turn: "R {json}".
  static void cronslices() throws Exception {
    List<String> zones = new ArrayList<>(), ex = new ArrayList<>(); List<Date> in = new ArrayList<>();
    for (String l : java.nio.file.Files.readAllLines(java.nio.file.Paths.get(s("file", "")), StandardCharsets.UTF_8)) {
      String v = l.substring(l.indexOf(' ') + 1);
      if (l.startsWith("zone ")) zones.add(v); else if (l.startsWith("expression ")) ex.add(v); else in.add(new Date(Long.parseLong(v)));
    }
    Date[] at = in.toArray(new Date[0]);
    CronExpression[][] e = new CronExpression[zones.size()][ex.size()];
    for (int z = 0; z < e.length; z++) for (int i = 0; i < ex.size(); i++) { e[z][i] = new CronExpression(ex.get(i)); e[z][i].setTimeZone(TimeZone.getTimeZone(zones.get(z))); }
    for (int z = 0; z < e.length; z++) {
      int sum = 0;
      for (Date d : at) for (CronExpression c : e[z]) { Date x = c.getNextValidTimeAfter(d); sum = sum * 31 + (x == null ? 0 : (int) (x.getTime() / 1000)); }
      out("C " + zones.get(z) + " " + sum);
    }
    out("READY");
    long slice = n("millis", 1000) * 1_000_000L, sink = 0; int turn = 0, k = 0;
    BufferedReader r = new BufferedReader(new InputStreamReader(System.in));
    while (r.readLine() != null) {
      int z = turn++ % e.length; long c = 0, t0 = System.nanoTime(), t;
      do {
        for (int j = 0; j < 20; j++) { Date d = at[k]; k = k + 1 == at.length ? 0 : k + 1; for (CronExpression q : e[z]) { Date x = q.getNextValidTimeAfter(d); if (x != null) sink += x.getTime(); c++; } }
        t = System.nanoTime();
      } while (t - t0 < slice);
      out(String.format(Locale.ROOT, "R {\"zone\":\"%s\",\"perSecond\":%.1f,\"sink\":%d}", zones.get(z), c * 1e9 / (t - t0), sink & 1));
    }
  }

  // ---- failover -----------------------------------------------------------
  static void failnode() throws Exception {
    at = new long[16]; late = new int[16];
    Scheduler q = sched();
    if (n("jobs", 0) > 0) {
      q.clear();
      for (int i = 0; i < n("jobs", 0); i++)
        q.scheduleJob(JobBuilder.newJob(Long_.class).withIdentity("long" + i, "fo").requestRecovery().build(), TriggerBuilder.newTrigger().withIdentity("long" + i, "fo").startNow().build());
    }
    q.start();
    out("STARTED " + System.currentTimeMillis());
    watchStdin();
    while (!stop) Thread.sleep(20);
    Runtime.getRuntime().halt(0);
  }

  public static void main(String[] av) throws Exception {
    for (int i = 1; i < av.length; i++) { int p = av[i].indexOf('='); A.put(av[i].substring(0, p), av[i].substring(p + 1)); }
    switch (av[0]) {
      case "load": load(); break;
      case "node": node(); break;
      case "w3": w3(); break;
      case "w4": w4(); break;
      case "w4client": w4client(); break;
      case "cron": cron(); break;
      case "cronslices": cronslices(); break;
      case "failnode": failnode(); break;
      default: throw new IllegalArgumentException(av[0]);
    }
    System.exit(0);
  }
}
