import java.io.*;
import java.math.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.quartz.JobDataMap;

/**
 * Job data as Quartz stores it without useProperties, one value under the key "v":
 * `javac -d /tmp/rows *.java org/quartz/*.java org/quartz/utils/*.java && java -cp /tmp/rows JobDataRows > ../java-jobdata.jsonl`.
 */
public class JobDataRows {
  enum Color { RED, GREEN { @Override public String toString() { return "green"; } } }
  static class Money implements Serializable { final long cents = 995; }
  static class NamedList extends ArrayList<String> { final String label = "mine"; }

  static <K, V, M extends Map<K, V>> M put(M map, Object... entries) {
    for (int i = 0; i < entries.length; i += 2) map.put((K) entries[i], (V) entries[i + 1]);
    return map;
  }
  static <E, C extends Collection<E>> C add(C list, Object... elements) {
    for (Object element : elements) list.add((E) element);
    return list;
  }
  static java.sql.Timestamp stamp(long time, int nanos) {
    java.sql.Timestamp t = new java.sql.Timestamp(time);
    t.setNanos(nanos);
    return t;
  }

  public static void main(String[] args) throws Exception {
    long at = 1_700_000_000_123L;
    Object shared = add(new ArrayList<>(), "s");
    row("String", "hello");
    row("HashMap", put(new HashMap<>(), "a", 1));
    row("LinkedHashMap", put(new LinkedHashMap<>(), "b", 1, "a", null));
    row("TreeMap", put(new TreeMap<>(), "b", 1, "a", 2L));
    row("TreeMap of integers", put(new TreeMap<>(), 10, "x", 9, "y"));
    row("TreeMap with comparator", put(new TreeMap<>(String.CASE_INSENSITIVE_ORDER), "B", 1, "a", 2));
    row("ConcurrentHashMap", put(new ConcurrentHashMap<>(), "a", 1, "b", "x"));
    row("ConcurrentSkipListMap", put(new ConcurrentSkipListMap<>(), "a", 1, "b", 2));
    row("Hashtable", put(new Hashtable<>(), "a", 1));
    row("Properties", put(new Properties(), "a", "1"));
    row("EnumMap", put(new EnumMap<>(DayOfWeek.class), DayOfWeek.MONDAY, 1));
    row("empty HashMap", new HashMap<>());
    row("map with keys of other kinds", put(new LinkedHashMap<>(), 1, "int", 2L, "long", DayOfWeek.SUNDAY, "enum", new UUID(1, 2), "uuid", true, "bool", 'c', "char"));
    row("map with a key that is null", put(new HashMap<>(), null, 1));
    row("map with two keys of one text", put(new LinkedHashMap<>(), 1, "int", "1", "text"));
    row("Map.of 0", Map.of());
    row("Map.of 1", Map.of("a", 1));
    row("Map.of 2", Map.of("a", 1, "b", 2));
    row("List.of 0", List.of());
    row("List.of 2", List.of("a", 2));
    row("List.of 3", List.of(1, 2L, 3.5));
    row("toList with null", Arrays.asList("a", null).stream().toList());
    row("Set.of 1", Set.of("a"));
    row("ArrayList", add(new ArrayList<>(), "a", 1, null, true, 2.5));
    row("LinkedList", add(new LinkedList<>(), 1, 2));
    row("Vector", add(new Vector<>(), "a", 1));
    row("Stack", add(new Stack<>(), "a"));
    row("ArrayDeque", add(new ArrayDeque<>(), "a", "b"));
    row("PriorityQueue", add(new PriorityQueue<>(), 3, 1, 2));
    row("CopyOnWriteArrayList", add(new CopyOnWriteArrayList<>(), "a", "b"));
    row("CopyOnWriteArraySet", add(new CopyOnWriteArraySet<>(), "a", "b"));
    row("ConcurrentLinkedQueue", add(new ConcurrentLinkedQueue<>(), "a", "b"));
    row("ConcurrentLinkedDeque", add(new ConcurrentLinkedDeque<>(), "a", "b"));
    row("LinkedBlockingQueue", add(new LinkedBlockingQueue<>(), "a", "b"));
    row("HashSet", add(new HashSet<>(), "a"));
    row("LinkedHashSet", add(new LinkedHashSet<>(), "b", "a"));
    row("TreeSet", add(new TreeSet<>(), "b", "a"));
    row("ConcurrentSkipListSet", add(new ConcurrentSkipListSet<>(), "b", "a"));
    row("newKeySet", add(ConcurrentHashMap.newKeySet(), "a"));
    row("newSetFromMap", add(Collections.newSetFromMap(new LinkedHashMap<>()), "b", "a"));
    row("EnumSet", EnumSet.of(DayOfWeek.MONDAY, DayOfWeek.FRIDAY));
    row("asList", Arrays.asList("a", "b"));
    row("asList of integers", Arrays.asList(1, 2));
    row("emptyList", Collections.emptyList());
    row("emptySet", Collections.emptySet());
    row("emptyMap", Collections.emptyMap());
    row("singletonList", Collections.singletonList("a"));
    row("singleton", Collections.singleton("a"));
    row("singletonMap", Collections.singletonMap("a", 1));
    row("nCopies", Collections.nCopies(3, "a"));
    row("unmodifiableList", Collections.unmodifiableList(add(new ArrayList<>(), "a")));
    row("unmodifiableLinkedList", Collections.unmodifiableList(add(new LinkedList<>(), "a")));
    row("unmodifiableCollection", Collections.unmodifiableCollection(add(new ArrayList<>(), "a")));
    row("unmodifiableSet", Collections.unmodifiableSet(add(new LinkedHashSet<>(), "b", "a")));
    row("unmodifiableSortedSet", Collections.unmodifiableSortedSet(add(new TreeSet<>(), "b", "a")));
    row("unmodifiableMap", Collections.unmodifiableMap(put(new LinkedHashMap<>(), "a", 1)));
    row("unmodifiableSortedMap", Collections.unmodifiableSortedMap(put(new TreeMap<>(), "a", 1)));
    row("unmodifiableNavigableMap", Collections.unmodifiableNavigableMap(put(new TreeMap<>(), "a", 1)));
    row("synchronizedList", Collections.synchronizedList(add(new ArrayList<>(), "a")));
    row("synchronizedSet", Collections.synchronizedSet(add(new HashSet<>(), "a")));
    row("synchronizedMap", Collections.synchronizedMap(put(new HashMap<>(), "a", 1)));
    row("checkedList", Collections.checkedList(add(new ArrayList<>(), "a"), String.class));
    row("checkedMap", Collections.checkedMap(put(new HashMap<>(), "a", 1), String.class, Integer.class));
    row("String[]", new String[] {"a", null});
    row("Object[]", new Object[] {"a", 1});
    row("Integer[]", new Integer[] {1, 2});
    row("Color[]", new Color[] {Color.RED});
    row("int[]", new int[] {1, -2});
    row("long[]", new long[] {1, Long.MAX_VALUE});
    row("double[]", new double[] {1.5});
    row("boolean[]", new boolean[] {true, false});
    row("char[]", new char[] {'a', 'ä'});
    row("short[]", new short[] {1, -1});
    row("float[]", new float[] {1.5f});
    row("byte[]", new byte[] {1, 2, -1});
    row("int[][]", new int[][] {{1}, {2, 3}});
    row("BigDecimal", new BigDecimal("1.10"));
    for (String n : new String[] {"0", "-0.001", "123456789012345678901234567890.12", "1E+30", "1.5E-10", "0E-10", "-12345E-3", "100", "1e-6", "1e-7"}) row("BigDecimal " + n, new BigDecimal(n));
    row("BigInteger", new BigInteger("-123456789012345678901234567890"));
    for (String n : new String[] {"0", "1", "-1", "255", "-256", "18446744073709551616"}) row("BigInteger " + n, new BigInteger(n));
    row("UUID", UUID.fromString("123e4567-e89b-12d3-a456-426614174000"));
    row("enum", DayOfWeek.MONDAY);
    row("enum of one's own", Color.RED);
    row("enum with a body", Color.GREEN);
    row("AtomicInteger", new AtomicInteger(-5));
    row("AtomicLong", new AtomicLong(Long.MIN_VALUE));
    row("AtomicBoolean", new AtomicBoolean(true));
    row("AtomicReference", new AtomicReference<>("a"));
    row("Date", new Date(at));
    row("Timestamp", stamp(at, 123_000_000));
    row("Timestamp with nanoseconds", stamp(at, 123_456_789));
    row("Timestamp before 1970", stamp(-1_500L, 500_000_000));
    row("sql.Date", new java.sql.Date(at));
    row("sql.Time", new java.sql.Time(at));
    row("Instant", Instant.ofEpochMilli(at));
    row("Instant with nanoseconds", Instant.ofEpochSecond(-1, 5));
    row("Instant of the far future", Instant.parse("+12345-01-01T00:00:00Z"));
    row("LocalDate", LocalDate.of(2026, 11, 2));
    row("LocalDate before 0", LocalDate.of(-5, 1, 2));
    row("LocalTime 1", LocalTime.of(9, 0));
    row("LocalTime 2", LocalTime.of(9, 5));
    row("LocalTime 3", LocalTime.of(9, 5, 7));
    row("LocalTime 4", LocalTime.of(9, 5, 7, 120_000_000));
    row("LocalDateTime", LocalDateTime.of(2026, 11, 2, 9, 5, 7, 1));
    row("ZonedDateTime", ZonedDateTime.of(2026, 7, 2, 9, 5, 0, 0, ZoneId.of("Europe/Berlin")));
    row("ZonedDateTime in an offset", ZonedDateTime.of(2026, 7, 2, 9, 5, 0, 0, ZoneOffset.ofHours(2)));
    row("OffsetDateTime", OffsetDateTime.of(2026, 7, 2, 9, 5, 0, 0, ZoneOffset.ofHoursMinutes(-5, -30)));
    row("OffsetTime", OffsetTime.of(9, 5, 0, 0, ZoneOffset.UTC));
    row("ZoneId", ZoneId.of("Europe/Berlin"));
    row("ZoneOffset", ZoneOffset.ofTotalSeconds(3_661));
    row("Year", Year.of(2026));
    row("YearMonth", YearMonth.of(2026, 3));
    row("MonthDay", MonthDay.of(2, 29));
    for (String d : new String[] {"PT0S", "PT5M", "P2DT3.5S", "PT-0.5S", "-PT1H0.001S", "PT8H6M12.345S"}) row("Duration " + d, Duration.parse(d));
    row("Period", Period.of(1, -2, 3));
    row("Period of nothing", Period.ZERO);
    row("Locale", Locale.GERMANY);
    row("Currency", Currency.getInstance("EUR"));
    row("URI", java.net.URI.create("https://example.org/a?b"));
    row("a list twice", add(new ArrayList<>(), shared, shared));
    row("a subclass of ArrayList", add(new NamedList(), "a"));
    row("text with U+0000, an emoji and half of one", "a\u0000ä\uD83D\uDE00\uD83D");
    row("a long text", "x".repeat(60_000));
    row("a class of one's own", new Money());
    row("a list of a class of one's own", add(new ArrayList<>(), "a", new Money()));
    row("BitSet", BitSet.valueOf(new long[] {5}));
    row("Class", String.class);
    row("StringBuilder", new StringBuilder("a"));
    row("GregorianCalendar", new GregorianCalendar(TimeZone.getTimeZone("UTC")));
    row("a lambda", (Comparator<String> & Serializable) (a, b) -> 0);
    row("a map that holds itself", itself());
  }

  static Object itself() {
    Map<String, Object> map = new HashMap<>();
    map.put("me", map);
    return map;
  }

  static void row(String name, Object value) throws Exception {
    JobDataMap data = new JobDataMap();
    data.put("v", value);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.writeObject(data); }
    String json;
    try { json = json(value, 0); } catch (UnsupportedOperationException x) { json = null; }
    String encoded = Base64.getEncoder().encodeToString(bytes.toByteArray());
    System.out.printf("{\"name\":%s,\"bytes\":\"%s\"%s}%n", quoted(name), encoded, json == null ? "" : ",\"value\":" + json);
  }

  /** The value as JSON: dates and what JSON has no numbers for as text. Throws for what has none. */
  static String json(Object value, int depth) {
    if (depth > 40) throw new UnsupportedOperationException();
    if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Short || value instanceof Byte || value instanceof Double || value instanceof Float) return String.valueOf(value);
    if (value instanceof Long n) return n > -(1L << 53) && n < 1L << 53 ? String.valueOf(n) : quoted(String.valueOf(n));
    if (value instanceof AtomicInteger || value instanceof AtomicBoolean) return value.toString();
    if (value instanceof AtomicLong n) return json(n.get(), depth);
    if (value instanceof AtomicReference<?> r) return json(r.get(), depth + 1);
    if (value instanceof java.sql.Timestamp t) return quoted(iso(t.toInstant()));
    if (value instanceof Date d) return quoted(iso(Instant.ofEpochMilli(d.getTime())));
    if (value instanceof GregorianCalendar c) return quoted(iso(c.toInstant()));
    if (value instanceof Locale l) return quoted(l.toLanguageTag());
    if (value instanceof Enum<?> e) return quoted(e.name());
    if (value instanceof byte[] b) return quoted(Base64.getEncoder().encodeToString(b));
    if (value instanceof Map<?, ?> m) {
      StringJoiner text = new StringJoiner(",", "{", "}");
      Set<String> keys = new HashSet<>();
      for (Map.Entry<?, ?> e : m.entrySet()) {
        if (e.getKey() == null || !keys.add(e.getKey().toString())) throw new UnsupportedOperationException();
        text.add(quoted(e.getKey().toString()) + ":" + json(e.getValue(), depth + 1));
      }
      return text.toString();
    }
    if (value instanceof Collection<?> c) value = c.toArray();
    if (value.getClass().isArray()) {
      StringJoiner text = new StringJoiner(",", "[", "]");
      for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) text.add(json(java.lang.reflect.Array.get(value, i), depth + 1));
      return text.toString();
    }
    String type = value.getClass().getName();
    if (value instanceof String || value instanceof Character || type.startsWith("java.time.") || type.startsWith("java.math.") || value instanceof UUID || value instanceof Currency || value instanceof java.net.URI)
      return quoted(value.toString());
    throw new UnsupportedOperationException();
  }

  /** With three digits below the second, or nine. */
  static String iso(Instant at) {
    String nanos = String.format("%09d", at.getNano());
    return at.toString().substring(0, 19) + "." + (nanos.endsWith("000000") ? nanos.substring(0, 3) : nanos) + "Z";
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) quoted.append(c < ' ' || c > '~' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
    return quoted.append('"').toString();
  }
}
